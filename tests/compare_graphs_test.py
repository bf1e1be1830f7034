#!/usr/bin/env python3
"""What `compare` says of an eager run against one that replays graphs, on traces of a simulated machine (oracle/machine.py)
whose truth is known: with the capture, kernels are paired below the ops that they were captured in.

Environment: CGPU (the binary).
"""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import machine, tool  # noqa: E402
from oracle.comparison import check_books, compared, figures, words  # noqa: E402

STEPS, LAYERS = 6, 4
# Ops of one layer with their kernels, us, and shapes. Two ops have one kernel each twice, so that neither the name of a
# kernel nor its class says which op it belongs to.
LAYER = [("aten::mm", machine.GEMM, 300, [[64, 1024], [1024, 1024]]),
         ("aten::add", machine.ELEMENTWISE, 40, [[64, 1024], [64, 1024]]),
         ("aten::bmm", machine.GEMM, 200, [[8, 64, 32], [8, 32, 64]]),
         ("aten::mul", machine.ELEMENTWISE, 50, [[64, 1024], [64, 1024]])]
FLOPS = LAYERS * (2 * 64 * 1024 * 1024 + 2 * 8 * 64 * 32 * 64 + 2 * 64 * 1024)  # an iteration
TIMES = {op: LAYERS * us * 1000 for op, _, us, _ in LAYER}  # ns an iteration


def setUpModule():
    tool.must_exist()


def model(m, took):
    for _ in range(LAYERS):
        for op, kernel, duration, shapes in LAYER:
            with m.within(op, **{"Input Dims": shapes, "Input type": ["float", "float"]}):
                m.quiet(1)
                m.launch(kernel, took.get(op, duration))


def eager(m):
    for step in range(STEPS):
        with m.step(step):
            model(m, {})
            m.synchronize()
    return ()


def graphed(took=None, captures=True, replays=True):
    """The same as a graph that each step launches; ops in `took` take so many us. Whether the trace has the capture, and
    the replays."""
    def program(m):
        with m.capture() as graph:
            model(m, took or {})
        if not captures:
            m.events.clear()
        for step in range(STEPS if replays else 0):
            with m.step(step):
                m.launch_graph(graph)
                m.synchronize()
        return ()
    return program


class EagerAgainstGraphed(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.eager = self.trace("eager", eager)

    def trace(self, name, program):
        folder = os.path.join(self.folder.name, name)
        os.mkdir(folder)
        return machine.write(machine.run(program), folder)[0]

    def check_ops(self, tables, took=None):
        """Every op of A is in B, with its device time of each side."""
        self.assertEqual({row["key"]: (row["status"], row["device_a_ns"], row["device_b_ns"]) for row in tables["compare_ops"]},
                         {op: ("both", ns, LAYERS * (took or {}).get(op, ns // LAYERS // 1000) * 1000)
                          for op, ns in TIMES.items()})
        self.assertEqual({row["kind"] for row in tables["compare_causes"]} - {"idle"}, {"op"})
        check_books(self, tables)

    def test_the_ops_of_the_capture_are_those_of_the_eager_run(self):
        tables = compared(self.eager, self.trace("graphed", graphed()))
        self.check_ops(tables)
        self.assertEqual([row for row in tables["compare_causes"] if row["kind"] == "op" and row["delta_ns"]], [])
        summary = figures(tables)
        self.assertEqual((summary["top_level_ops_of_both"]["a"], summary["top_level_ops"]["b"]), (len(LAYER) * LAYERS,) * 2)
        self.assertEqual((summary["flops"]["a"], summary["flops"]["b"]), (FLOPS, FLOPS))
        self.assertEqual((summary["flops_known_pct"]["a"], summary["flops_known_pct"]["b"]),
                         (summary["flops_known_pct"]["a"],) * 2)

    def test_a_slower_op_of_two_with_one_kernel_is_named(self):
        slower = {"aten::bmm": 260, "aten::add": 46}
        graph = self.trace("graphed", graphed(slower))
        tables = compared(self.eager, graph)
        self.check_ops(tables, slower)
        changed = {row["key"].split(":", 2)[2].split(":")[0]: row["delta_ns"] for row in tables["compare_causes"]
                   if row["kind"] == "op" and row["delta_ns"]}
        self.assertEqual(changed, {"bmm": 60_000 * LAYERS, "add": 6_000 * LAYERS})
        self.assertIn(" each (+30.0 %)", words(self.eager, graph))
        mirrored = compared(graph, self.eager)
        self.assertEqual(sorted((row["kind"], row["a_ns"], row["b_ns"]) for row in tables["compare_causes"]),
                         sorted((row["kind"], row["b_ns"], row["a_ns"]) for row in mirrored["compare_causes"]))

    def test_two_runs_that_replay(self):
        slower = {"aten::mul": 55}
        self.check_ops(compared(self.trace("before", graphed()), self.trace("after", graphed(slower))), slower)

    def test_the_capture_may_be_a_file_of_its_own(self):
        graph = self.trace("graphed", graphed({"aten::mm": 330}, captures=False))
        capture = self.trace("capture", graphed(replays=False))
        self.check_ops(compared(self.eager, graph, "--capture", capture), {"aten::mm": 330})

    def test_without_a_capture_kernels_are_paired_in_their_order(self):
        """All device time is on both sides, but B has no ops, so that only the kernels can be named."""
        tables = compared(self.eager, self.trace("graphed", graphed({"aten::bmm": 260}, captures=False)))
        check_books(self, tables)
        for side in "ab":
            self.assertEqual(figures(tables)["device_op_time_of_one_side_pct"][side], 0)
        changed = [row for row in tables["compare_causes"] if row["kind"] == "op" and row["delta_ns"]]
        self.assertEqual([row["delta_ns"] for row in changed], [60_000 * LAYERS], changed)
        self.assertTrue(changed[0]["key"].startswith("aten::bmm -> no op: "), changed[0])

    def test_what_no_capture_has_is_new(self):
        """The graph has a kernel more than the capture, behind the first one: that is what B has more, and all others stay."""
        def program(m):
            with m.capture(named=True) as graph:
                model(m, {})
            graph.insert(1, ("never_captured_kernel", 70))
            for step in range(STEPS):
                with m.step(step):
                    m.launch_graph(graph)
                    m.synchronize()
            return ()
        tables = compared(self.eager, self.trace("graphed", program))
        check_books(self, tables)
        self.assertEqual({row["key"]: (row["status"], row["device_a_ns"], row["device_b_ns"]) for row in tables["compare_ops"]},
                         {"never_captured_kernel": ("only_b", 0, 70_000), **{op: ("both", ns, ns) for op, ns in TIMES.items()}})
        changed = [(row["kind"], row["key"], row["delta_ns"]) for row in tables["compare_causes"]
                   if row["kind"] != "idle" and row["delta_ns"]]
        self.assertEqual(changed, [("added", "never_captured_kernel", 70_000)])


if __name__ == "__main__":
    unittest.main()
