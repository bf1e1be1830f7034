#!/usr/bin/env python3
"""When in one run is what is now in the other: `cgpu compare A B --at TIME` and table compare_times, on two ranks of a simulated
machine (oracle/machine.py) that are held up at other times in B, so that the truth is known of each rank.

Environment: CGPU (the binary).
"""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import machine, tool  # noqa: E402

USAGE = 2
STEPS = 6
HELD_UP = {0: (2, 500), 1: (4, 900)}  # by rank: in B, in which step, how many us


def program(held_up, reordered=False):
    def run(m):
        for step in range(STEPS):
            with m.step(step):
                if held_up and HELD_UP[m.number][0] == step:
                    m.host("prepare", HELD_UP[m.number][1])
                ops = [("aten::mm", machine.GEMM, 200 + m.number * 50), ("aten::tanh", "tanh_kernel", 30),
                       ("aten::add", machine.ELEMENTWISE, 40)]
                if reordered:
                    ops[1:] = ops[:0:-1]
                for name, kernel, duration in ops:
                    with m.within(name):
                        m.quiet(2)
                        m.launch(kernel, duration)
                m.synchronize()
        return iter(())
    return run


def rows(a, b, *options):
    done = tool.run(["compare", a, b, "--table", "times", "--format", "json", *options])
    assert done.returncode == 0, done.stderr.decode()
    return tool.rows_of(json.loads(done.stdout))["compare_times"]


class Times(unittest.TestCase):
    def setUp(self):
        tool.must_exist()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def trace(self, name, ranks=2, **how):
        """The input, and {rank: starts of its device ops in ns from the start of the session}."""
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        files = machine.write(machine.run(program(**how), ranks), folder)
        begins, starts = [], {}
        for rank, file in enumerate(files):
            with open(file, encoding="utf-8") as handle:
                events = [event for event in json.load(handle)["traceEvents"] if event["ph"] == "X"]
            begins += [event["ts"] for event in events]
            starts[rank] = sorted(event["ts"] for event in events if event["cat"] == "kernel")
        return folder, {rank: [round(1000 * (ts - min(begins))) for ts in of] for rank, of in starts.items()}

    def test_each_rank_has_a_map_of_its_own(self):
        a, starts_a = self.trace("a", held_up=False)
        b, starts_b = self.trace("b", held_up=True)
        found = rows(a, b)
        for rank in (0, 1):
            points = {row["a_ns"]: row for row in found if row["rank_a"] == rank}
            truth = dict(zip(starts_a[rank], starts_b[rank]))
            self.assertGreaterEqual(len(points), 3 * (STEPS - 2))  # a step that took long may count as warm-up
            for moment, row in points.items():
                self.assertEqual((row["rank_b"], row["b_ns"], row["low_ns"], row["high_ns"], row["residual_ns"]),
                                 (rank, truth[moment], truth[moment], truth[moment], 0))

    def test_a_moment_has_an_answer_with_its_error(self):
        a, starts_a = self.trace("a", held_up=False)
        b, starts_b = self.trace("b", held_up=True)
        for rank in (0, 1):
            for i in range(len(starts_a[rank]) - 7, len(starts_a[rank]) - 1):
                before, after = starts_a[rank][i:i + 2]
                middle = (before + after) // 2
                row, = rows(a, b, "--at", "%d" % middle, "--rank", str(rank))
                self.assertEqual((row["rank_a"], row["a_ns"]), (rank, middle))
                low, high = starts_b[rank][i:i + 2]
                zero_a, zero_b = (tool.table(side, "device_trace", "--rank", str(rank))[0]["start_ns"] - of[rank][0]
                                  for side, of in ((a, starts_a), (b, starts_b)))
                self.assertEqual((zero_a, zero_b), (0, 0), "a selected rank keeps the time of the session")
                self.assertEqual((row["low_ns"], row["high_ns"]), (low, high))
                self.assertAlmostEqual(row["b_ns"], low + (middle - before) * (high - low) / (after - before), delta=1)
        both = rows(a, b, "--at", "1ms,1500us")
        self.assertEqual([(row["rank_a"], row["a_ns"]) for row in both],
                         [(rank, moment) for rank in (0, 1) for moment in (1_000_000, 1_500_000)])

    def test_what_has_no_answer_has_no_bound(self):
        a, _ = self.trace("a", held_up=False)
        b, starts_b = self.trace("b", held_up=True)
        first, = rows(a, b, "--at", "0", "--rank", "1")
        self.assertIsNone(first["low_ns"])
        last, = rows(a, b, "--at", "1s", "--rank", "1")
        self.assertEqual((last["low_ns"], last["high_ns"], last["iteration_a"]), (starts_b[1][-1], None, None))

    def test_reordered_work_widens_the_error(self):
        a, starts_a = self.trace("a", held_up=False)
        b, starts_b = self.trace("b", held_up=False, reordered=True)
        moment = starts_a[0][-2]  # of aten::tanh, which is the last one in B
        row, = rows(a, b, "--at", "%d" % moment, "--rank", "0")
        self.assertGreater(row["residual_ns"], 0)
        self.assertLessEqual(row["low_ns"], starts_b[0][-1])
        self.assertGreaterEqual(row["high_ns"], starts_b[0][-1])

    def test_unequally_many_ranks(self):
        a, _ = self.trace("a", held_up=False)
        b, _ = self.trace("b", ranks=1, held_up=True)
        self.assertEqual({(row["rank_a"], row["rank_b"]) for row in rows(a, b)}, {(0, 0), (1, 0)})

    def test_words(self):
        a, starts_a = self.trace("a", held_up=False)
        b, starts_b = self.trace("b", held_up=True)
        done = tool.run(["compare", a, b, "--at", "%d" % starts_a[1][-1]])
        said = done.stdout.decode().splitlines()
        self.assertRegex(said[0], r"^Rank 0: .* in A is .* in B: ")
        self.assertRegex(said[1], r"^Rank 1: [\d.]+ ms in A is %.2f ms in B: where the same work begins; in iteration %d of both\.$"
                         % (starts_b[1][-1] / 1e6, STEPS - 1))
        one = tool.run(["compare", a, b, "--at", "1ms", "--rank", "1"]).stdout.decode()
        self.assertRegex(one, r"^1\.00 ms in A is [\d.]+ [mu]s in B: at most .* before and .* after that; in iteration \d of both\.\n")
        for arguments, error in (([a, b, "--at", "soon"], "--at"), ([a, b, a, "--at", "1ms"], "--at is of two profiles"),
                                 ([a, b, "--at", "1ms", "--table", "ops"], "at")):
            wrong = tool.run(["compare", *arguments])
            self.assertEqual(wrong.returncode, USAGE)
            self.assertIn(error, wrong.stderr.decode())


if __name__ == "__main__":
    unittest.main()
