#!/usr/bin/env python3
"""`cgpu table rank_path`: of built jobs the chain that a slow computation finds, through what was planted and where critical_path
has it; on real profiles of several ranks its parts add up to it.

Environment: CGPU (the binary), CGPU_BUILDER (the trace builder).
"""
import collections
import glob
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import built, kineto, rank_path, tables, tool  # noqa: E402

OF_DEVICES = {"compute", "copies", "other_communication"}
ITERATIONS = ("--step", "1-5")  # of the six of a job, those of which the path is
OF_COLLECTIVES = {"exposed_transfer", "hidden_transfer", "transfer_or_wait"}


def setUpModule():
    tool.must_exist()


def build_job(folder, *options, ranks=24):
    """The folder of its traces, and the truth about it."""
    _, truth = built.simulate(folder, "--ranks", ranks, "--traces", ",".join(map(str, range(ranks))), *options)
    return os.path.join(folder, "traces"), truth


def rows_of_oracle(rows):
    sums = collections.Counter()
    for row in rows:
        owner = row["owner"] if row["owner"] in OF_DEVICES | OF_COLLECTIVES else "idle"
        sums[owner, row["rank"], row["device"], row["after"], row["collective"], row["group"]] += row["total_ns"]
    return dict(sums)


def shares(rows, key):
    """By key(row), of the sum of total_ns."""
    sums = collections.Counter()
    for row in rows:
        sums[key(row)] += row["total_ns"]
    whole = sum(sums.values())
    return {name: time / whole for name, time in sums.items()}


class RankPath(unittest.TestCase):
    def hold(self, inputs, files):
        rows = tool.table(inputs, "rank_path")
        session = sorted((kineto.load(path) for path in files), key=lambda trace: trace.rank)
        want, whole = rank_path.path(session, tables.collective_key, rows[0]["iterations"])
        self.assertEqual(rows_of_oracle(rows), want)
        self.hold_laws(rows)
        self.assertEqual(rows[0]["path_ns"], whole)
        return rows

    def hold_laws(self, rows):
        self.assertEqual({row["path_ns"] for row in rows}, {sum(row["total_ns"] for row in rows)})
        self.assertEqual(len({(row["measured_ns"], row["iterations"]) for row in rows}), 1)
        for row in rows:
            self.assertGreater(row["total_ns"], 0)
            self.assertEqual(row["rank"] is None, row["owner"] in OF_COLLECTIVES)
            self.assertEqual([row[name] is None for name in ("device", "after", "entries")], [row["rank"] is None] * 3)
            self.assertLessEqual(row["entries"] or 0, row["count"])

    def test_built_training(self):
        for model, ranks in (("moe", 4), ("dlrm", 3), ("cnn", 2)):
            with self.subTest(model), tempfile.TemporaryDirectory() as folder:
                trace, _ = built.build(folder, "--model", model, "--steps", 4, "--seed", 3, ranks=ranks)
                rows = self.hold(trace, built.files(trace))
                # Collectives that are hidden count as communication there only where nothing else binds.
                path = shares(tool.table(trace, "critical_path"), lambda row: row["bound_by"])
                mine = shares(rows, lambda row: row["owner"])
                self.assertAlmostEqual(mine["compute"] + mine.get("hidden_transfer", 0), path["compute"], delta=0.08)

    def test_a_machine_that_loads_its_input_longer_bounds_the_job(self):
        with tempfile.TemporaryDirectory() as folder:
            traces, truth = build_job(folder)
            files = sorted(glob.glob(os.path.join(traces, "*")))
            rows = self.hold(traces, files)
            machine = truth["slow_machine"]
            slow = range(8 * machine, 8 * machine + 8)
            loading = shares(rows, lambda row: row["owner"] == "data_loading" and row["rank"] in slow)[True]
            self.assertGreater(loading, 0.4)
            self.assertEqual({row["rank"] for row in rows if row["owner"] == "data_loading"} - set(slow), set())
            path = tool.table(traces, "critical_path", "--by", "rank", *ITERATIONS)
            theirs = shares(path, lambda row: row["bound_by"] == "data_loading" and int(row["name"]) in slow)[True]
            self.assertAlmostEqual(loading, theirs, delta=0.002)
            kinds = shares(path, lambda row: row["bound_by"])
            mine = shares(rows, lambda row: "communication" if row["owner"] in OF_COLLECTIVES else row["owner"])
            for kind in ("communication", "compute"):
                self.assertAlmostEqual(mine[kind], kinds[kind], delta=0.002)
            report = " ".join(tool.run(["report", traces]).stdout.decode().split())
            self.assertRegex(report, "Ranks [^ ]+ on [^ ]+ bound it for [0-9.]+% of that by what they do of their own: data loading")

    def test_a_rank_with_slow_kernels_bounds_the_job(self):
        with tempfile.TemporaryDirectory() as folder:
            traces, truth = build_job(folder, "--without-slow-machine", "--without-slow-link")
            rows = self.hold(traces, sorted(glob.glob(os.path.join(traces, "*"))))
            of_rank = shares(rows, lambda row: row["rank"])
            self.assertIn(max((rank for rank in of_rank if rank is not None), key=of_rank.get), truth["stragglers"])
            of_stragglers = sum(of_rank.get(rank, 0) for rank in truth["stragglers"])
            self.assertGreater(of_stragglers, 0.5)
            path = shares(tool.table(traces, "critical_path", "--by", "rank", *ITERATIONS),
                          lambda row: row["bound_by"] == "compute" and int(row["name"]) in truth["stragglers"])[True]
            # Up to the end of a step: critical_path goes on from whichever rank ended it last.
            mine = shares(rows, lambda row: row["owner"] == "compute" and row["rank"] in truth["stragglers"]
                          and row["collective"] == "allreduce")[True]
            self.assertAlmostEqual(mine, path, delta=0.002)

    def test_clocks_do_not_matter(self):
        with tempfile.TemporaryDirectory() as folder:
            one = os.path.join(folder, "one")
            other = os.path.join(folder, "other")
            rows = [tool.table(os.path.join(where, "summaries"), "rank_path")
                    for where in (one, other)
                    if build_job(where, "--seed", "4", *(("--drift-ppm", "2") if where == other else ()))]
            self.assertAlmostEqual(rows[0][0]["path_ns"] / rows[1][0]["path_ns"], 1, delta=1e-4)

    def test_real_ranks(self):
        folder = os.path.join(tool.shared("corpus"), "ascend")
        if not os.path.isdir(folder):
            self.skipTest("no " + folder)
        for name in ("st_level2_rank_[02]", "pytorch_text_level1_rank[01]", "pytorch_text_level2_rank[01]", "pytorch_db_level1_rank[01]"):
            with self.subTest(name):
                inputs = sorted(glob.glob(os.path.join(folder, "*__%s_ascend_pt" % name)))
                self.assertEqual(len(inputs), 2)
                rows = tool.table(inputs, "rank_path")
                self.hold_laws(rows)
                self.assertAlmostEqual(rows[0]["path_ns"] / rows[0]["measured_ns"], 1, delta=0.001)

    def test_what_a_replay_does_not_give_back_is_no_path(self):
        name = os.path.join(tool.corpus(), "facebookresearch_param__inputs__dlrm_kineto.tar.gz")
        if not os.path.exists(name):
            self.skipTest("no " + name)
        with tempfile.TemporaryDirectory() as folder:
            files = kineto.unpack(name, folder)
            said = tool.run(["table", *files, "rank_path"]).stdout.decode()
            self.assertIn("(no rows: the profile has no collectives that devices leave together, whose replay takes what",
                          " ".join(said.split()))


if __name__ == "__main__":
    unittest.main()
