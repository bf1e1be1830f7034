#!/usr/bin/env python3
"""`cgpu compare` of more than two runs that have call trees and no timeline: Caliper's profiles of the corpus against a second
reader (caliper_test.py) and Python's statistics, databases of HPCToolkit, and folded stacks.

Environment: CGPU (the binary).
"""
import json
import math
import os
import statistics
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from caliper_test import Records  # noqa: E402
from oracle import tool  # noqa: E402

USAGE = 2
RANKS = [27, 64, 125, 216, 343]
T95 = {2: 4.302652729749464, 4: 2.7764451051977987}  # t(0.975, n - 1)


def runs_of_lulesh():
    folder = tool.shared(os.path.join("corpus", "caliper"))
    return [os.path.join(folder, "LLNL_thicket__mpi_scaling_cali__%d_cores.cali" % ranks) for ranks in RANKS]


def compared(runs, *options):
    done = tool.run(["compare", *runs, "--format", "json", *options])
    assert done.returncode == 0, done.stderr.decode()
    return tool.rows_of(json.loads(done.stdout))


def values_of(path, attribute):
    """{path of functions: value} as the file says it."""
    records = Records(path)
    values = {}
    for snapshot in records.snapshots:
        for facts, text in records.values(snapshot):
            if facts["name"] == attribute and records.path(snapshot):
                where = " > ".join(records.path(snapshot))
                values[where] = values.get(where, 0) + float(text)
    return values


class ManyCallTrees(unittest.TestCase):
    def setUp(self):
        tool.must_exist()

    def assert_statistics(self, row, values):
        ordered = sorted(values)
        low, middle, high = statistics.quantiles(ordered, n=4, method="inclusive")
        half = T95[len(values) - 1] * statistics.stdev(values) / math.sqrt(len(values))
        mean = statistics.mean(values)
        for name, value in (("min", ordered[0]), ("p25", low), ("median", middle), ("p75", high), ("max", ordered[-1]),
                            ("mean", mean), ("deviation", statistics.stdev(values)), ("low", mean - half),
                            ("high", mean + half), ("fence_low", low - 1.5 * (high - low)),
                            ("fence_high", high + 1.5 * (high - low))):
            self.assertTrue(math.isclose(row[name], value, rel_tol=1e-9, abs_tol=1e-9), (name, row[name], value))

    def lulesh(self):
        runs = runs_of_lulesh()
        if not all(os.path.isfile(run) for run in runs):
            self.skipTest("no corpus")
        return runs

    def test_each_call_path_of_caliper(self):
        runs = self.lulesh()
        given = [values_of(run, "sum#inclusive#sum#time.duration") for run in runs]
        paths = set().union(*given)
        rows = {row["name"]: row for row in compared(runs, "--table", "statistics")["compare_statistics"] if row["kind"] == "call"}
        self.assertEqual(set(rows), {path for path in paths if any(values.get(path, 0) > 0 for values in given)})
        for path, row in rows.items():
            self.assertEqual((row["n"], row["missing"]), (5, sum(values.get(path, 0) <= 0 for values in given)), path)
            self.assert_statistics(row, [values.get(path, 0) for values in given])

    def test_exclusive_values_and_that_of_the_root_add_up_to_the_total(self):
        runs = self.lulesh()
        root = statistics.mean(tool.table(run, "call_tree")[0]["Total time.exclusive"] for run in runs)
        rows = compared(runs, "--table", "statistics")["compare_statistics"]
        total = rows[0]
        self.assertEqual((total["kind"], total["name"], total["unit"]), ("total", "Total time", "sec"))
        self.assertAlmostEqual(root + sum(row["mean"] for row in rows if row["kind"] == "call_exclusive"), total["mean"], 6)

    def test_a_property_of_the_runs_groups_them(self):
        runs = self.lulesh()
        metric = ("--metric", "Avg time/rank")
        tables = compared(runs[::-1], "--by", "mpi.world.size", *metric)
        main = {ranks: values_of(run, "avg#inclusive#sum#time.duration")["main"] for ranks, run in zip(RANKS, runs)}
        self.assertEqual([row["group"] for row in tables["compare_groups"]], [str(ranks) for ranks in RANKS])
        for row in tables["compare_groups"]:
            ranks = int(row["group"])
            self.assertEqual((row["step_ns"], row["runs"], row["unit"]), (None, 1, "sec"))
            self.assertAlmostEqual(row["total"], main[ranks], 9)
            self.assertAlmostEqual(row["speedup"], main[27] / main[ranks], 9)
            self.assertAlmostEqual(row["efficiency_pct"], 100 * main[27] / main[ranks] * 27 / ranks, 7)
        ratio = {row["group"]: row["ratio"] for row in tables["compare_statistics"] if row["kind"] == "call" and row["name"] == "main"}
        self.assertIsNone(ratio["27"])
        self.assertAlmostEqual(ratio["343"], main[343] / main[27], 9)
        sums = compared(runs, "--by", "mpi.world.size", "--table", "groups")["compare_groups"]
        self.assertEqual({row["efficiency_pct"] for row in sums}, {None}, "a sum over ranks says nothing of how they scale")
        words = tool.run(["compare", *runs, "--by", "mpi.world.size", *metric]).stdout.decode()
        self.assertIn("5 runs in 5 groups by mpi.world.size; Avg time/rank of main is (median of its runs):\n"
                      "  mpi.world.size 27: 47.238 s (1 run)\n", words)
        self.assertNotIn("exposed", words, "columns of timelines have no values")

    def test_databases(self):
        folder = tool.shared(os.path.join("corpus", "hpctoolkit_v3_xml"))
        runs = [os.path.join(folder, name) for name in ("hatchet_hatchet__hpctoolkit-cpi-database",
                                                         "hatchet_hatchet__hpctoolkit-allgather-database",
                                                         "LLNL_hatchet-tutorial__hpctoolkit-kripke-database-2589696")]
        if not all(os.path.isdir(run) for run in runs):
            self.skipTest("no corpus")
        values = [next(row["value"] for row in tool.table(run, "metrics") if row["name"] == "CPUTIME") for run in runs]
        tables = compared(runs, "--by", "title")
        self.assertEqual([row["total"] for row in tables["compare_runs"]], values)
        self.assertEqual([row["group"] for row in tables["compare_groups"]], ["cpi", "osu_allgather", "kripke"])
        rows = compared(runs, "--table", "statistics")["compare_statistics"]
        self.assert_statistics(rows[0], values)
        main = next(row for row in rows if row["kind"] == "call" and row["name"].endswith("> main"))
        of_main = [max(row["CPUTIME.inclusive"] for row in tool.table(run, "call_tree") if row["name"] == "main") for run in runs]
        self.assert_statistics(main, of_main)

    def test_folded_stacks(self):
        counts = [(60, 30, 10), (66, 28, 12), (54, 32, 0)]
        with tempfile.TemporaryDirectory() as folder:
            runs = []
            for number, (solve, write, flush) in enumerate(counts):
                runs.append(os.path.join(folder, "run%d.folded" % number))
                with open(runs[-1], "w", encoding="ascii") as file:
                    file.write("main;solve %d\nmain;write %d\n" % (solve, write))
                    if flush:
                        file.write("main;write;flush %d\n" % flush)
            rows = {(row["kind"], row["name"]): row for row in compared(runs, "--table", "statistics")["compare_statistics"]}
            self.assert_statistics(rows["total", "samples"], [sum(each) for each in counts])
            self.assert_statistics(rows["call", "main > write"], [write + flush for _, write, flush in counts])
            self.assert_statistics(rows["call_exclusive", "main > write"], [write for _, write, _ in counts])
            flush = rows["call", "main > write > flush"]
            self.assertEqual((flush["n"], flush["missing"], flush["mean"]), (3, 1, 22 / 3))
            self.assertNotIn(("call_exclusive", "main"), rows, "nothing is spent in it alone")

    def test_what_cannot_be_compared_says_why(self):
        runs = self.lulesh()
        wrong = tool.run(["compare", *runs, "--metric", "speed"])
        self.assertEqual(wrong.returncode, USAGE)
        self.assertIn("27_cores.cali: has no values of the metric 'speed' in its call tree; there are Min time/rank, "
                      "Max time/rank, Avg time/rank, Total time", wrong.stderr.decode())
        with tempfile.TemporaryDirectory() as folder:
            other = os.path.join(folder, "x.folded")
            with open(other, "w", encoding="ascii") as file:
                file.write("main;solve 3\n")
            mixed = tool.run(["compare", *runs, other])
            self.assertEqual(mixed.returncode, USAGE)
            self.assertIn("x.folded: has no values of the metric 'Total time' in its call tree; there are samples",
                          mixed.stderr.decode())
            trace = os.path.join(folder, "x.json")
            with open(trace, "w", encoding="ascii") as file:
                json.dump({"traceEvents": [{"ph": "X", "name": "f", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]}, file)
            self.assertIn("x.json: has no call tree", tool.run(["compare", runs[0], other, trace, "--metric", "time"]).stderr.decode()
                          + tool.run(["compare", trace, *runs]).stderr.decode())


if __name__ == "__main__":
    unittest.main()
