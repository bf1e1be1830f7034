#!/usr/bin/env python3
"""What `cgpu compare` calls a change between two sampled call trees: random samples of one program, and of one of which a
function was made slower, as folded stacks.

Environment: CGPU (the binary).
"""
import json
import math
import os
import random
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

FUNCTIONS = 30
SAMPLES = 3000
TRIALS = 60
UNSURE = "by no more than numbers of samples vary by themselves"


def draw(seed, weights, count):
    """{function: samples}, as many as a sampler at a fixed rate would take."""
    r = random.Random(seed)
    found = {}
    for function in r.choices(range(len(weights)), weights, k=count):
        found[function] = found.get(function, 0) + 1
    return found


class SampledTrees(unittest.TestCase):
    def setUp(self):
        tool.must_exist()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.weights = [random.Random(1).expovariate(1)] + [1 / (1 + i) for i in range(1, FUNCTIONS)]

    def write(self, name, counts):
        path = os.path.join(self.folder, name + ".folded")
        with open(path, "w", encoding="ascii") as file:
            for function, count in sorted(counts.items()):
                file.write("main;part%d;work_%02d %d\n" % (function % 3, function, count))
        return path

    def words(self, a, b):
        done = tool.run(["compare", a, b])
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode().split("\n\n")[0]

    def test_two_samples_of_one_program_differ_in_nothing(self):
        named = 0
        for seed in range(TRIALS):
            text = self.words(self.write("a", draw(2 * seed, self.weights, SAMPLES)),
                              self.write("b", draw(2 * seed + 1, self.weights, SAMPLES)))
            self.assertIn(UNSURE, text)
            named += "Where it changed" in text
        self.assertLessEqual(named, round(0.05 * TRIALS) + 2, "of all frames of a pair together, one in twenty pairs")

    def test_what_became_slower_is_named(self):
        slower = list(self.weights)
        slower[4] *= 2
        count = round(SAMPLES * sum(slower) / sum(self.weights))
        for seed in range(10):
            text = self.words(self.write("a", draw(seed, self.weights, SAMPLES)), self.write("b", draw(seed + 100, slower, count)))
            named = text.split("Where it changed, by what frames spend themselves:\n")[1].splitlines()
            self.assertIn("work_04", named[0])
            self.assertIn(UNSURE, named[1] if len(named) == 2 else named[-1])

    def test_bounds(self):
        """As the formula of docs/comparison.md gives them; the books of samples are those of the metric."""
        a, b = self.write("a", {0: 100, 1: 40, 2: 9}), self.write("b", {0: 130, 1: 41, 3: 5})
        done = tool.run(["compare", a, b, "--table", "call_tree", "--format", "json"])
        rows = {row["name"]: row for row in tool.rows_of(json.loads(done.stdout))["compare_call_tree"]}
        for row in rows.values():
            self.assertEqual((row["samples_a"], row["samples_b"]), (row["a"], row["b"]))
            self.assertEqual((row["exclusive_samples_a"], row["exclusive_samples_b"]), (row["exclusive_a"], row["exclusive_b"]))
        z = 1.959963984540054
        x, y = 100, 130
        n, p = x + y, 130 / 230
        low = (2 * y + z * z - 1 - z * math.sqrt(z * z - 2 - 1 / n + 4 * p * (x + 1))) / (2 * (n + z * z))
        high = (2 * y + z * z + 1 + z * math.sqrt(z * z + 2 - 1 / n + 4 * p * (x - 1))) / (2 * (n + z * z))
        self.assertAlmostEqual(rows["work_00"]["ratio_low"], low / (1 - low), 9)
        self.assertAlmostEqual(rows["work_00"]["ratio_high"], high / (1 - high), 9)
        self.assertEqual((rows["work_02"]["ratio_low"], rows["work_03"]["ratio_high"]), (0, None))

    def test_a_tree_without_samples_has_no_bounds(self):
        folder = tool.shared(os.path.join("corpus", "caliper"))
        runs = [os.path.join(folder, "LLNL_thicket__mpi_scaling_cali__%d_cores.cali" % ranks) for ranks in (27, 64)]
        if not all(os.path.isfile(run) for run in runs):
            self.skipTest("no corpus")
        done = tool.run(["compare", *runs, "--table", "call_tree", "--format", "json"])
        rows = tool.rows_of(json.loads(done.stdout))["compare_call_tree"]
        self.assertEqual({(row["samples_a"], row["ratio_low"], row["ratio_high"]) for row in rows}, {(None, None, None)})
        self.assertNotIn(UNSURE, self.words(*runs))


if __name__ == "__main__":
    unittest.main()
