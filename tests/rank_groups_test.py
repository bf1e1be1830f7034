#!/usr/bin/env python3
"""Devices that deviate alike because of what they belong to: a rack, a stage of a pipeline, a group of ranks with a purpose.

Environment: CGPU (the binary), CGPU_BUILDER (the trace builder).
"""
import glob
import gzip
import itertools
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import planted, stages, tool  # noqa: E402
from oracle.built import simulate  # noqa: E402
from oracle.tool import must_run as run  # noqa: E402

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples", "h100_ranks")
RANKS = 96
IN_STAGES = ("--ranks", str(RANKS), "--stages", "3", "--steps", "3")


def setUpModule():
    tool.must_exist()


def beside_each_other(job, copies, folder):
    """Writes the traces of a recorded job several times, each with ranks and a group of its own, as of replicas of a pipeline."""
    paths = sorted(glob.glob(os.path.join(EXAMPLES, job, "*")))
    for place, path in itertools.product(range(copies), paths):
        with gzip.open(path) as handle:
            trace = json.load(handle)
        first = place * len(paths)
        info = trace["distributedInfo"]
        info["rank"] += first
        info["world_size"] = copies * len(paths)
        info["pg_config"] = [{"pg_name": str(place), "pg_desc": "undefined", "backend_config": "cuda:nccl", "pg_size": len(paths),
                              "ranks": list(range(first, first + len(paths)))}]
        for args in (event["args"] for event in trace["traceEvents"] if "args" in event):
            for partner in {"Src Rank", "Dst Rank"} & set(args):
                args[partner] += first
            if "Process Group Name" in args:
                args["Process Group Name"] = str(place)
        with open(os.path.join(folder, "rank-%d.json" % info["rank"]), "w", encoding="utf-8") as handle:
            json.dump(trace, handle)


class Recorded(unittest.TestCase):
    """Jobs of three ranks on an H100, whose profiles say of their groups nothing but who sends to whom."""

    def test_the_slow_stage_of_a_pipeline_in_batches(self):
        with tempfile.TemporaryDirectory() as folder:
            beside_each_other("scheduled_slow", 4, folder)
            (row,) = tool.table(folder, "rank_outliers")
            self.assertEqual((row["owner"], row["scope"], row["stage"], row["ranks"]), ("compute", "stage", 1, "1,4,7,10"))

    def test_a_ring_is_no_pipeline(self):
        with tempfile.TemporaryDirectory() as folder:
            beside_each_other("ring", 4, folder)
            rows = tool.table(folder, "rank_outliers")
            self.assertEqual({(row["scope"], row["stage"]) for row in rows}, {("device", None)})


class RankGroups(unittest.TestCase):
    def job(self, *options):
        """The summaries of a simulated job, and its traces."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        traces = ",".join(map(str, range(RANKS)))
        summaries, truth = simulate(folder.name, *IN_STAGES, *options, "--traces", traces)
        return summaries, sorted(glob.glob(os.path.join(folder.name, "traces", "*"))), truth

    def test_nothing_is_said_of_a_healthy_pipeline(self):
        for options in (("--seed", "1"), ("--seed", "2", "--undescribed"), ("--seed", "3", "--tensor-ranks", "16")):
            summaries, traces, _ = self.job("--healthy", *options)
            for opened in (summaries, os.path.dirname(traces[0])):
                self.assertEqual(tool.table(opened, "rank_outliers"), [])
                self.assertEqual(tool.table(opened, "findings") if opened == summaries else [], [])

    def test_a_slow_stage_is_one_row_and_one_finding(self):
        """As the profiles describe the pipeline, and where they do not, by who sends to whom."""
        for options, stages_of, stage in (((), stages.described, (1, 2)),
                                          (("--undescribed",), stages.by_transfers, (0, 1))):
            for slow in stage:
                summaries, traces, _ = self.job("--healthy", "--slow-stage", str(slow), *options)
                members = [rank for rank, stage in stages_of(traces).items() if stage == slow]
                self.assertEqual(len(members), RANKS // 3)
                (row,) = tool.table(summaries, "rank_outliers")
                self.assertEqual((row["owner"], row["scope"], row["stage"], row["ranks"], row["devices"]),
                                 ("compute", "stage", slow, planted.ranges(members), len(members)))
                self.assertAlmostEqual(row["excess_ns"], planted.PRODUCTS * planted.STRAGGLES, delta=20_000)
                self.assertEqual([row["group"], row["group_kind"]], [None, None])
                self.assertEqual(tool.table(os.path.dirname(traces[0]), "rank_outliers"), [row])
                (finding,) = tool.table(summaries, "findings")
                self.assertEqual(finding["rule"], "stage_imbalance")
                self.assertIn("Ranks %s of pipeline stage %d: kernels take" % (row["ranks"], slow), finding["title"])
                self.assertIn("%d GPUs of ranks %s of pipeline stage %d take" % (len(members), row["ranks"], slow),
                              " ".join(run("report", summaries).stdout.decode().split()))

    def test_a_slow_tensor_parallel_group_says_what_it_is(self):
        """Across machines, and as a part of one."""
        for size, number in ((16, 4), (4, 5)):
            summaries, _, truth = self.job("--healthy", "--tensor-ranks", str(size), "--slow-tensor-group", str(number))
            members = range(number * size, (number + 1) * size)
            (row,) = tool.table(summaries, "rank_outliers")
            self.assertEqual((row["owner"], row["scope"], row["ranks"], row["group"], row["group_kind"]),
                             ("transfer", "group", planted.ranges(members), str(number + 1), "tensor parallel"))
            self.assertEqual(row["stage"], number * size // (RANKS // truth["stages"]))
            (finding,) = tool.table(summaries, "findings")
            self.assertEqual(finding["rule"], "slow_link")
            self.assertIn("ranks %s of the tensor parallel group %d do not wait for others" % (row["ranks"], number + 1),
                          finding["title"])

    def test_without_a_description_it_is_a_group_with_a_name(self):
        summaries, _, _ = self.job("--healthy", "--tensor-ranks", "16", "--slow-tensor-group", "4", "--undescribed")
        (row,) = tool.table(summaries, "rank_outliers")
        self.assertEqual((row["scope"], row["group"], row["group_kind"]), ("group", "5", None))
        (finding,) = tool.table(summaries, "findings")
        self.assertIn("ranks 64-79 of group 5 do not wait for others", finding["title"])

    def test_a_rack_is_told_by_names_of_machines(self):
        summaries, _, truth = self.job("--healthy", "--racks", "--slow-rack", "1")
        of_rack = truth["ranks_of_machine"] * truth["machines_of_rack"]
        (row,) = tool.table(summaries, "rank_outliers")
        self.assertEqual((row["owner"], row["scope"], row["rack"], row["host"], row["ranks"]),
                         ("data_loading", "rack", "x1001", None, planted.ranges(range(of_rack, 2 * of_rack))))
        (finding,) = tool.table(summaries, "findings")
        self.assertIn("Ranks 40-79 in rack x1001: data loading takes", finding["title"])
        summaries, _, _ = self.job("--healthy", "--slow-rack", "1")
        rows = tool.table(summaries, "rank_outliers")
        self.assertGreater(len(rows), 0)
        self.assertEqual({row["rack"] for row in rows}, {None}, "names that say no rack")
        self.assertNotIn("rack", {row["scope"] for row in rows})

    def test_all_that_is_planted_at_once(self):
        summaries, _, truth = self.job("--slow-stage", "2", "--tensor-ranks", "16", "--slow-tensor-group", "4",
                                       "--without-stragglers", "--without-slow-link")
        rows = {row["owner"]: row for row in tool.table(summaries, "rank_outliers")}
        self.assertEqual({owner: row["scope"] for owner, row in rows.items()},
                         {"data_loading": "host", "transfer": "group", "compute": "stage"})
        there = set(range(64, 96)) - set(truth["missing"])
        self.assertEqual(rows["compute"]["ranks"], planted.ranges(there))
        self.assertEqual(rows["compute"]["stage"], 2)

    def test_in_any_grouping_of_merges(self):
        summaries, _, _ = self.job("--healthy", "--slow-stage", "1")
        files = sorted(glob.glob(os.path.join(summaries, "*")))
        with tempfile.TemporaryDirectory() as folder:
            parts = []
            for place in range(3):
                parts.append(os.path.join(folder, "%d.cgpu" % place))
                run("merge", *files[place::3], "-o", parts[-1])
            together, at_once = os.path.join(folder, "together.cgpu"), os.path.join(folder, "at_once.cgpu")
            run("merge", *reversed(parts), "-o", together)
            run("merge", summaries, "-o", at_once)
            self.assertEqual(tool.read(together), tool.read(at_once))
            self.assertEqual(tool.table(together, "rank_outliers"), tool.table(summaries, "rank_outliers"))
            # What each rank keeps of a group does not grow with the group.
            one = os.path.join(folder, "one.cgpu")
            with tempfile.TemporaryDirectory() as larger:
                more, _ = simulate(larger, "--ranks", "480", "--stages", "3", "--steps", "3", "--healthy", "--slow-stage", "1")
                rank = os.path.join(more, "rank-0.cgpu")
                run("merge", os.path.join(summaries, "rank-0.cgpu"), "-o", one)
                self.assertLess(abs(os.path.getsize(rank) - os.path.getsize(one)), 64)


if __name__ == "__main__":
    unittest.main()
