#!/usr/bin/env python3
"""The verdicts of `cgpu check` on traces of a program and of the same program with one thing changed (those of
compare_planted_test.py), five runs a side with noise, and on heavy tails and drift.

Environment: CGPU (the binary).
"""
import json
import os
import random
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare_graphs_test as graphs  # noqa: E402
from gate_test import (INCONCLUSIVE, NOT_COMPARABLE, PASS, REGRESSION, RUNS, by, check, tables)  # noqa: E402
from oracle import machine, tool  # noqa: E402
from oracle.programs import model  # noqa: E402

COUNT, NOISE = 5, 0.01


def setUpModule():
    tool.must_exist()


def tearDownModule():
    RUNS.folder.cleanup()


# label, what is different in the candidate, in both, ranks, options; the verdict, and the rule that decides it.
PLANTED = [
    ("three ops fused into one", {"fused": True}, {}, 1, [], PASS, None),
    ("an op added to each layer", {"added": True}, {}, 1, [], REGRESSION, "step_time"),
    ("two ops reordered", {"reordered": True}, {}, 1, [], PASS, None),
    ("batch doubled", {"batch": 2}, {}, 1, [], NOT_COMPARABLE, "comparable"),
    ("batch doubled, allowed", {"batch": 2}, {}, 1, ["--allow", "shapes"], REGRESSION, "step_time"),
    ("an extra synchronization", {"wait": True}, {}, 1, [], REGRESSION, "step_time"),
    ("slower communication", {"comm": 800}, {"comm": 400}, 2, [], REGRESSION, "step_time"),
    ("one slow rank", {"slow_rank": 1}, {"comm": 400}, 2, [], REGRESSION, "step_time"),
    ("renamed kernels", {"renamed": True}, {}, 1, [], PASS, None),
    ("eager to graph", {"graph": True}, {}, 1, [], PASS, None),
    ("more memory", {"memory": 3 << 30}, {"memory": 2 << 30}, 1, [], REGRESSION, "memory"),
    ("unequal windows", {"steps": 7}, {}, 1, [], NOT_COMPARABLE, "comparable"),
    ("noise only", {}, {}, 1, [], PASS, None),
    ("many small changes, 4 % in sum", {"many": 1.2}, {}, 1, ["--tolerance", "2%"], REGRESSION, "step_time"),
    # Their class of kernels is a fifth slower, but that is within the tolerance of an iteration.
    ("many small changes, of one class", {"many": 1.2}, {}, 1, [], PASS, None),
    ("many small changes that do not matter", {"many": 1.05}, {}, 1, [], PASS, None),
    # One of eight layers is 30 % slower, which is 3.5 % of an iteration.
    ("one slow layer", {"slow_layer": 3}, {"modules": True}, 1, [], PASS, None),
    ("one slow layer, 3.5 % of an iteration", {"slow_layer": 3}, {"modules": True}, 1, ["--tolerance", "2%"], REGRESSION, "layers"),
]
RULE_THAT = {REGRESSION: "regression", NOT_COMPARABLE: "not comparable"}


class Planted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def runs(self, name, ranks=1, first=0, **change):
        inputs = []
        for seed in range(first, first + COUNT):
            inputs.append(os.path.join(self.folder, "%s%d" % (name, seed)))
            os.mkdir(inputs[-1])
            machine.write(machine.run(model(noise=NOISE, seed=seed, **change), ranks), inputs[-1])
        return inputs

    def test_verdicts(self):
        for number, (label, change, base, ranks, options, expected, decides) in enumerate(PLANTED):
            with self.subTest(label):
                before = self.runs("%d_a" % number, ranks, **base)
                after = self.runs("%d_b" % number, ranks, first=50, **dict(base, **change))
                code, found = tables(before, after, *options)
                self.assertEqual(code, expected, json.dumps(found["check"], indent=1))
                if decides:
                    self.assertEqual(by(found["check"], "rule")[decides]["verdict"], RULE_THAT[expected])

    def test_the_other_way_round_none_is_a_regression(self):
        for number, (label, change, base, ranks, options, expected, _) in enumerate(PLANTED):
            if expected != REGRESSION:
                continue
            with self.subTest(label):
                before = self.runs("%d_a" % number, ranks, **dict(base, **change))
                after = self.runs("%d_b" % number, ranks, first=50, **base)
                code, found = tables(before, after, *options)
                self.assertEqual(code, PASS, json.dumps(found["check"], indent=1))

    def test_the_slow_layer_is_named(self):
        before, after = self.runs("a", modules=True), self.runs("b", first=50, modules=True, slow_layer=3)
        code, found = tables(before, after)
        self.assertEqual(code, PASS, "3.5 % of an iteration")
        (slow,) = [row for row in found["check_parts"] if row["name"] == "layer 3 of 8"]
        self.assertEqual(slow["verdict"], "pass")
        self.assertAlmostEqual(slow["change_pct"], 30, delta=2)
        code, found = tables(before, after, "--tolerance", "2%")
        rules = by(found["check"], "rule")
        for name in ("all", "layers", "modules"):
            self.assertEqual(rules[name]["verdict"], "regression", name)
        self.assertIn("1 of 8 slower: layer 3 of 8 +", rules["layers"]["why"])
        layers = {row["name"]: row for row in found["check_parts"] if row["kind"] == "layer"}
        self.assertEqual(set(layers), {"layer %d of 8" % number for number in range(8)})
        for name, row in layers.items():
            change = 162_000 if name == "layer 3 of 8" else 0  # 30 % of 540 us
            self.assertAlmostEqual(row["change_ns"], change, delta=8_000)

        # Modules by what table modules has of each run.
        modules = {row["name"]: row for row in found["check_parts"] if row["kind"] == "module"}
        self.assertIn("1 of %d slower: " % len(modules), rules["modules"]["why"])
        of_run = by(tool.table(os.path.join(self.folder, "a0"), "modules"), "name")
        self.assertEqual(set(modules), {name for name, row in of_run.items() if row["device_self_ns"] and name != "(no module)"})
        slower = [name for name, row in modules.items() if row["verdict"] == "regression"]
        self.assertEqual(len(slower), 1)
        for name, row in modules.items():
            self.assertAlmostEqual(row["change_ns"], 162_000 if name in slower else 0, delta=8_000)
            steps = len(tool.table(os.path.join(self.folder, "a0"), "steps"))
            self.assertAlmostEqual(row["baseline_ns"], of_run[name]["device_self_ns"] / steps, delta=0.05 * row["baseline_ns"])

    def test_a_run_that_replays_is_judged_by_op(self):
        """A graph whose capture is known against an eager run; two ops of each layer have the same kernel."""
        def runs(name, program, first, took):
            inputs = []
            for seed in range(first, first + COUNT):
                level = 1 + 0.005 * random.Random(seed).gauss(0, 1)
                noisy = {op: round(took.get(op, us) * level) for op, _, us, _ in graphs.LAYER}
                folder = os.path.join(self.folder, "%s%d" % (name, seed))
                os.mkdir(folder)
                inputs += machine.write(machine.run(program(noisy)), folder)
            return inputs

        def eager(took):
            def program(m):
                for step in range(graphs.STEPS):
                    with m.step(step):
                        graphs.model(m, took)
                        m.synchronize()
                return ()
            return program

        before = runs("eager", eager, 0, {})
        code, found = tables(before, runs("slower", graphs.graphed, 50, {"aten::bmm": 260}), "--tolerance", "5%")
        self.assertEqual(code, REGRESSION, json.dumps(found["check"], indent=1))
        parts = {row["name"]: row for row in found["check_parts"] if row["kind"] == "op"}
        self.assertEqual({name: row["verdict"] for name, row in parts.items()},
                         {"aten::mm": "pass", "aten::bmm": "regression", "aten::mul": "pass", "aten::add": "pass"})
        for name, row in parts.items():
            self.assertAlmostEqual(row["baseline_ns"], graphs.TIMES[name], delta=0.02 * graphs.TIMES[name])
        self.assertAlmostEqual(parts["aten::bmm"]["change_ns"], graphs.LAYERS * 60_000, delta=12_000)
        code, found = tables(before, runs("graphed", graphs.graphed, 100, {}))
        self.assertEqual(code, PASS, json.dumps(found["check"], indent=1))

    def test_a_slower_kernel_inside_a_faster_run_warns(self):
        before, after = self.runs("a", wait=True), self.runs("b", first=50, gemm=330)
        strict = ["--tolerance", "2%"]
        code, found = tables(before, after, *strict)
        rules = by(found["check"], "rule")
        self.assertEqual(code, PASS, json.dumps(found["check"], indent=1))
        self.assertIn("slower: aten::linear +", rules["ops"]["why"])
        self.assertIn("but an iteration is faster", rules["ops"]["why"])
        text = check(before, after, *strict).stdout.decode()
        self.assertRegex(" ".join(text.split("\n\n")[0].split()),
                         r"^PASS: faster than the baseline; step_time: .* ms to .* ms, -\d.*; a warning: ops: ")
        self.assertIn("::warning title=cgpu check ops::", check(before, after, *strict, "--format", "github").stdout.decode())
        self.assertEqual(check(before, after, *strict, "--format", "junit").stdout.decode().count("<failure"), 0)

    @unittest.skipUnless(os.path.isdir(tool.corpus()), "no corpus")
    def test_a_real_pair(self):
        """With four loading processes an iteration takes 126.2 ms instead of 152.1 ms, which six of them cannot prove, and one
        kernel of cuDNN takes 3.6 ms more: 2.4 % of an iteration."""
        names = [name for name in sorted(os.listdir(tool.corpus())) if "num_workers" in name]
        before, after = (os.path.join(tool.corpus(), next(n for n in names if part in n))
                         for part in ("num_workers_0", "num_workers_4__worker0.16"))
        done = check([before], [after])
        self.assertEqual(done.returncode, PASS, done.stdout.decode())
        first = " ".join(done.stdout.decode().split("  1 run")[0].split())
        self.assertRegex(first, r"^PASS: step_time: 152.1 ms to 126.2 ms, -17%")
        code, found = tables([before], [after])
        kernels = {row["name"]: row for row in found["check_parts"] if row["kind"] == "kernel"}
        (slow,) = [row for name, row in kernels.items() if name.startswith("volta_scudnn_128x128_stridedB_splitK_medium")]
        self.assertEqual((code, slow["verdict"]), (PASS, "pass"))
        self.assertAlmostEqual(slow["change_ns"], 3_600_000, delta=10_000)

    def test_what_a_regression_of_a_kernel_is_to_the_whole_is_said_first(self):
        # Another kernel of as long hides it: the iteration is as long as before.
        before, after = self.runs("a", gemm=300, small=100), self.runs("b", first=50, gemm=345, small=80)
        done = check(before, after)
        first = " ".join(done.stdout.decode().split("\n\n")[0].split())
        self.assertIn("step_time: ", first)


class Noise(unittest.TestCase):
    """Heavy tails and drift, in traces."""

    def test_a_slower_kernel_is_found_in_it(self):
        for noise, gemm in (("heavy", 2.0), ("drift", 1.3)):
            with self.subTest(noise):
                code, found = tables(RUNS.get(5, noise=noise), RUNS.get(5, first=200, noise=noise, gemm=gemm))
                self.assertEqual(code, REGRESSION, json.dumps(found["check"], indent=1))

    def test_it_is_no_regression_by_itself(self):
        for noise in ("heavy", "drift"):
            for first in (100, 300, 500):
                with self.subTest(noise=noise, first=first):
                    code, found = tables(RUNS.get(5, noise=noise), RUNS.get(5, first=first, noise=noise))
                    self.assertIn(code, (PASS, INCONCLUSIVE), json.dumps(found["check"], indent=1))


if __name__ == "__main__":
    unittest.main()
