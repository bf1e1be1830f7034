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
from oracle import samples, tool  # noqa: E402

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
        self.assertLessEqual(named, round(0.05 * TRIALS) + 2, "of all functions of a pair together, one in twenty pairs")

    def test_what_became_slower_is_named(self):
        slower = list(self.weights)
        slower[4] *= 2
        count = round(SAMPLES * sum(slower) / sum(self.weights))
        for seed in range(10):
            text = self.words(self.write("a", draw(seed, self.weights, SAMPLES)), self.write("b", draw(seed + 100, slower, count)))
            named = text.split("Where it changed, by what functions spend themselves:\n")[1].splitlines()
            self.assertIn("work_04", named[0])
            self.assertIn(UNSURE, named[1] if len(named) == 2 else named[-1])

    def test_bounds(self):
        """As the formula of docs/definitions/call-trees.md gives them; the books of samples are those of the metric."""
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

    def test_one_profile_has_bounds(self):
        """Of the whole, by trying shares (oracle/samples.py); and they hold the true share as often as they say."""
        counts = {0: 100, 1: 40, 2: 9, 3: 1}
        path, whole = self.write("a", counts), 150
        rows = tool.table(path, "functions")
        self.assertEqual(len(rows), 4 + 3 + 1)
        for row in rows + tool.table(path, "call_tree"):
            for scope in ("inclusive", "exclusive"):
                k = row["samples." + scope]
                low, high = samples.share_bounds(k, whole)
                self.assertAlmostEqual(row["samples.%s_low" % scope], whole * low, 6, msg=row)
                self.assertAlmostEqual(row["samples.%s_high" % scope], whole * high, 6, msg=row)
        held = frames = 0
        for seed in range(TRIALS):
            rows = {row["name"]: row for row in tool.table(self.write("a", draw(seed, self.weights, SAMPLES)), "functions")}
            for function, weight in enumerate(self.weights):
                row = rows.get("work_%02d" % function)
                true = SAMPLES * weight / sum(self.weights)
                held += row is not None and row["samples.exclusive_low"] <= true <= row["samples.exclusive_high"]
                frames += 1
        self.assertGreaterEqual(held / frames, 0.95)

    def test_numbers_of_samples_follow_from_a_period(self):
        """Of perf's events with one period, and of HPCToolkit's: counts are value / period, also for the ratio of two runs."""
        def script(name, counts, period):
            path = os.path.join(self.folder, name + ".txt")
            with open(path, "w", encoding="ascii") as file:
                for function, count in sorted(counts.items()):
                    for i in range(count):
                        file.write("app  7/7 [000] %d.%06d:    %d cycles: \n\t 10 work_%02d (/bin/app)\n\t 20 main (/bin/app)\n\n"
                                   % (function, i, period, function))
            return path
        a, b = script("a", {0: 100, 1: 40}, 5000), script("b", {0: 130, 1: 41}, 5000)
        row, = (row for row in tool.table(a, "functions", "--metric", "cycles") if row["name"] == "work_01")
        low, high = samples.share_bounds(40, 140)
        self.assertAlmostEqual(row["cycles.exclusive_low"] / 700000, low, 9)
        self.assertAlmostEqual(row["cycles.exclusive_high"] / 700000, high, 9)
        compared = {row["name"]: row for row in self.compared(a, b)}
        self.assertEqual([compared["work_00"][name] for name in ("metric", "samples_a", "samples_b")], ["cycles", 100, 130])
        self.assertIsNotNone(compared["work_00"]["ratio_low"])
        other = {row["name"]: row for row in self.compared(a, script("c", {0: 130, 1: 41}, 4000))}
        self.assertIsNone(other["work_00"]["samples_a"], "of runs that were sampled at other rates nothing is said")

    def compared(self, a, b, *options):
        done = tool.run(["compare", a, b, "--table", "call_tree", "--format", "json", *options])
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return tool.rows_of(json.loads(done.stdout))["compare_call_tree"]


PARTS = "yuninxia_HPCToolkit__dbase__%s.d"


class Databases(unittest.TestCase):
    """Two databases of HPCToolkit: all metrics of both, against the call trees of each."""

    def setUp(self):
        tool.must_exist()
        folder = tool.shared(os.path.join("corpus", "hpctoolkit_v4"))
        if not os.path.isdir(folder):
            self.skipTest("no corpus")
        self.database = lambda name: os.path.join(folder, PARTS % name)

    def compared(self, a, b, *options):
        return SampledTrees.compared(self, self.database(a), self.database(b), *options)

    def test_all_metrics_stand_beside_each_other(self):
        a, b = "loops-cuda-nvidiapc-t", "recursion-cuda-nvidiapc-t"
        rows = self.compared(a, b)
        roots = [{key: value for key, value in tool.table(self.database(name), "call_tree")[0].items()
                  if key.endswith(".inclusive")} for name in (a, b)]
        further = {key[:-6] for key in rows[0] if key.endswith(".delta")}
        self.assertEqual(further | {"GPUOP"}, {key[:-10] for root in roots for key in root})
        for name in further:
            values = [root.get(name + ".inclusive") for root in roots]
            self.assertEqual([rows[0][name + ".a"], rows[0][name + ".b"]], values)
            self.assertEqual(rows[0][name + ".delta"], values[1] - values[0])
        waits = sorted(key[:-12] for key in rows[0] if key.endswith(".share_a_pct"))
        self.assertIn("GINS:STL_GMEM", waits)
        self.assertNotIn("GINS:STL_ANY", waits)
        for row in rows:
            for side in "ab":
                values = [row["%s.%s" % (name, side)] or 0 for name in waits]
                shares = [row["%s.share_%s_pct" % (name, side)] for name in waits]
                if sum(values) == 0:
                    self.assertEqual(set(shares), {None})
                    continue
                self.assertAlmostEqual(sum(shares), 100, 6)
                for value, share in zip(values, shares):
                    self.assertAlmostEqual(share, 100 * value / sum(values), 6)
        mirrored = self.compared(b, a)[0]
        for name in further:
            self.assertEqual([mirrored[name + ".a"], mirrored[name + ".b"]], [rows[0][name + ".b"], rows[0][name + ".a"]])
        said = tool.run(["compare", self.database(a), self.database(b)]).stdout.decode()
        self.assertIn("Why instructions on the device waited, of all that they did:\n", said)
        self.assertRegex(said, r"  +91\.5 % -> +16\.8 %  GINS:STL_IDEP: waited for the result of another instruction\n")

    def test_chosen_metrics(self):
        rows = self.compared("loops-cuda-nvidiapc-t", "recursion-cuda-nvidiapc-t", "--metric", "GINS,GINS:STL_GMEM")
        self.assertEqual({row["metric"] for row in rows}, {"GINS"})
        self.assertEqual([key for key in rows[0] if key.endswith(".delta")], ["GINS:STL_GMEM.delta"])
        taken = [tool.table(self.database(name), "call_tree", "--metric", "GSAMP:TOT")[0]["GSAMP:TOT.inclusive"]
                 for name in ("loops-cuda-nvidiapc-t", "recursion-cuda-nvidiapc-t")]
        self.assertEqual([rows[0]["samples_a"], rows[0]["samples_b"]], taken, "as many as the database says were taken")
        self.assertLess(rows[0]["ratio_low"], rows[0]["ratio"])
        self.assertGreater(rows[0]["ratio_high"], rows[0]["ratio"])

    def test_bounds_by_the_period(self):
        for name, metric, period in (("loops-perf", "perf::task-clock", 10**8), ("loops-cuda-nvidiapc-t", "GINS", 4096)):
            rows = tool.table(self.database(name), "call_tree", "--metric", metric)
            whole = rows[0][metric + ".inclusive"]
            for row in rows:
                if row[metric + ".inclusive"] is None:
                    self.assertIsNone(row[metric + ".inclusive_low"])
                    continue
                low, high = samples.share_bounds(row[metric + ".inclusive"] / period, whole / period)
                self.assertAlmostEqual(row[metric + ".inclusive_low"] / whole, low, 9)
                self.assertAlmostEqual(row[metric + ".inclusive_high"] / whole, high, 9)
        for name in ("loops-cputime-t", "loops-cuda-nvidia-t"):  # times that passed, and what was measured
            self.assertEqual([key for key in tool.table(self.database(name), "functions")[0] if key.endswith("_low")], [])


if __name__ == "__main__":
    unittest.main()
