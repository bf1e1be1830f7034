#!/usr/bin/env python3
"""`cgpu merge`: summaries of ranks put together, in any grouping, give what the traces opened together give; what is missing,
there twice or damaged is named.

Environment: CGPU (the binary), CGPU_BUILDER (the trace builder).
"""
import collections
import glob
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gate_test  # noqa: E402
from oracle import built, planted, tool  # noqa: E402
from ranks_test import HOSTS, SHIFTS, build_job  # noqa: E402
from summary_test import EVENTS  # noqa: E402

WHOLE = {"op_dependencies", "replay", "whatif", "critical_path", "critical_path_trace", "unreported_rules"}  # of timelines
WITH_HOSTS = ("clocks", "rank_path")  # tables with names of machines, for which numbers are in summaries
OF_SUMMARIES = ("not_merged", "rules_not_judged")  # notes that say what they cannot tell


def setUpModule():
    tool.must_exist()


def run(*arguments):
    done = tool.run(list(arguments))
    assert done.returncode == 0, (arguments, done.stderr.decode())
    return done


def names_of_tables():
    rows = json.loads(run("table", "--list", "--format", "json").stdout)["tables"]["tables"]["rows"]
    return [row[0] for row in rows if row[0] not in EVENTS | WHOLE | {"findings"}]


class Merged(unittest.TestCase):
    """Ranks on three machines whose clocks differ by milliseconds."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.traces = build_job(cls.folder.name)
        cls.parts = os.path.join(cls.folder.name, "parts")
        os.mkdir(cls.parts)
        cls.kept = []
        for rank, path in enumerate(built.files(cls.traces)):
            cls.kept.append(os.path.join(cls.parts, "%d.cgpu" % rank))
            run("summarize", path, "-o", cls.kept[-1])
        cls.all = os.path.join(cls.folder.name, "all.cgpu")
        run("merge", *cls.kept, "-o", cls.all)

    def merge(self, *paths):
        handle, path = tempfile.mkstemp(suffix=".cgpu", dir=self.folder.name)
        os.close(handle)
        run("merge", *paths, "-o", path)
        return path

    def test_any_order_and_grouping_gives_the_same_bytes(self):
        expected = tool.read(self.all)
        a, b, c, d, e = self.kept
        merge = self.merge
        self.assertEqual(tool.read(merge(self.parts)), expected)
        self.assertEqual(tool.read(merge(a, merge(b, merge(c, merge(d, e))))), expected)
        self.assertEqual(tool.read(merge(merge(merge(merge(a, b), c), d), e)), expected)
        self.assertEqual(tool.read(merge(merge(e, b), merge(d, a), c)), expected)
        self.assertEqual(tool.read(merge(merge(a, b, c), merge(c, d, e))), expected, "a part that is in both counts once")
        self.assertEqual(tool.read(merge(self.all, b)), expected)
        r = random.Random(4)
        for _ in range(4):
            left = list(self.kept)
            while len(left) > 1:
                r.shuffle(left)
                left = [merge(*left[:2])] + left[2:]
            self.assertEqual(tool.read(left[0]), expected)
        self.assertEqual(tool.read(merge(a)), tool.read(a), "of one it is that one")

    def test_every_table_is_that_of_the_traces_together(self):
        clocks = tool.table(self.all, "clocks")
        self.assertEqual([row["method"] for row in clocks], ["reference", "shared", "aligned", "aligned", "aligned"])
        self.assertEqual([row["offset_ns"] for row in clocks], [-shift for shift in SHIFTS])
        hosts = [row["host"] for row in clocks]
        self.assertEqual([hosts.index(host) for host in hosts], [0, 0, 2, 2, 4], "machines are numbers that tell them apart")
        for name in names_of_tables():
            with self.subTest(table=name):
                expected = tool.table(self.traces, name)
                for inputs in (self.all, self.parts, self.kept, [self.kept[3], self.all]):
                    found = tool.table(inputs, name)
                    if name in WITH_HOSTS:
                        found = [dict(row, host=row["host"] and HOSTS[row["rank"]]) for row in found]
                    if name == "info":
                        found = [row for row in found if row["key"] not in ("file", "host")]
                        expected = [row for row in expected if row["key"] not in ("file", "host")]
                    if name == "notes":
                        found = [row for row in found if row["code"] not in (*OF_SUMMARIES, "repeated_input")]
                    self.assertEqual(found, expected)

    def test_the_report_is_that_of_the_traces_together(self):
        expected = json.loads(run("report", self.traces, "--format", "json").stdout)["tables"]
        found = json.loads(run("report", self.all, "--format", "json").stdout)["tables"]
        self.assertTrue(expected.pop("findings")["rows"])  # most rules need the timelines of all
        self.assertEqual(list(found), list(expected))
        for name in set(found) - {"info", "notes", *WITH_HOSTS}:
            self.assertEqual(found[name], expected[name], name)
        self.assertEqual(run("report", self.parts).stdout.count(b"\n"), run("report", self.all).stdout.count(b"\n"))

    def test_ranks_are_selected_as_of_the_traces(self):
        for rank in ("3", "0,2-4", "0-4"):
            for name in names_of_tables():
                with self.subTest(table=name, rank=rank):
                    expected = tool.table(self.traces, name, "--rank", rank)
                    found = tool.table(self.all, name, "--rank", rank)
                    if name in WITH_HOSTS:
                        found = [dict(row, host=row["host"] and HOSTS[row["rank"]]) for row in found]
                    if name == "info":
                        found = [row for row in found if row["key"] not in ("file", "host")]
                        expected = [row for row in expected if row["key"] not in ("file", "host")]
                    if name == "notes":
                        found = [row for row in found if row["code"] not in OF_SUMMARIES]
                    self.assertEqual(found, expected)
        expected = json.loads(run("report", self.traces, "--rank", "3", "--format", "json").stdout)["tables"]
        found = json.loads(run("report", self.all, "--rank", "3", "--format", "json").stdout)["tables"]
        for name in set(found) - {"info", "notes", *WITH_HOSTS}:
            self.assertEqual(found[name], expected[name], name)
        query = "SELECT DISTINCT rank FROM steps"
        self.assertEqual(run("sql", self.all, query, "--rank", "2", "--format", "csv").stdout, b"rank\n2\n")
        for arguments, line in ((["--rank", "9"], b"rank 9: there is no such rank (there are: 0, 1, 2, 3, 4)"),
                                (["--step", "1"], b"is a summary: ranks of it can be selected, but no other part")):
            done = tool.run(["table", self.all, "steps", *arguments])
            self.assertEqual(done.returncode, 2)
            self.assertIn(line, done.stderr)

    def test_a_folder_summarised_at_once(self):
        path = os.path.join(self.folder.name, "once.cgpu")
        run("summarize", self.traces, "-o", path)
        self.assertEqual(tool.read(self.merge(path, self.all)), tool.read(self.merge(self.all, path)))
        for name in ("kernels", "steps", "idle", "collectives", "stragglers", "clocks", "notes"):
            self.assertEqual(tool.table(path, name), tool.table(self.all, name), name)

    def test_sql_and_info(self):
        query = "SELECT count(*) AS n, count(DISTINCT rank) AS ranks FROM steps"
        self.assertEqual(run("sql", self.all, query, "--format", "csv").stdout,
                         run("sql", self.traces, query, "--format", "csv").stdout)
        self.assertIn(b"0-4", run("info", self.parts).stdout)

    def test_what_only_timelines_can_answer_says_so(self):
        for arguments in (["table", self.all, "critical_path"], ["diagnose", self.all, "--rank", "3"],
                          ["diagnose", self.all, "--rules", __file__], ["table", self.parts, "slices"],
                          ["view", self.all, "-o", self.all + ".html"], ["view", self.traces, "--against", self.all], ["export", self.all, "-o", self.all + ".json"],
                          ["whatif", self.all, "--scale", "x=0.5"], ["diagnose", self.traces, "--against", self.all]):
            done = tool.run(arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
            self.assertRegex(done.stderr.decode(), "summar.*profile", arguments)
        (note,) = [row for row in tool.table(self.all, "notes") if row["code"] == "not_merged"]
        self.assertEqual(note["count"], len(WHOLE))

    def test_missing_ranks_are_named(self):
        path = os.path.join(self.folder.name, "some.cgpu")
        some = [self.kept[0], self.kept[3]]
        done = run("merge", *some, "-o", path)
        self.assertIn(b"not there: 1-2,4", done.stderr)
        for inputs in (path, [built.files(self.traces)[0], built.files(self.traces)[3]]):
            (note,) = [row for row in tool.table(inputs, "notes") if row["code"] == "missing_rank"]
            self.assertEqual(note["count"], 3)
            self.assertIn("1-2,4", note["text"])
        self.assertEqual(tool.run(["merge", *some, "-o", path, "--strict"]).returncode, 2)
        self.assertEqual(run("merge", self.parts, "-o", path, "--strict").stderr, b"")

    def test_a_rank_that_is_there_twice_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            traces = os.path.join(folder, "traces")
            shutil.copytree(self.traces, traces)
            again = os.path.join(traces, "z_rank-2.json")
            shutil.copy(built.files(self.traces)[2], again)
            twice = os.path.join(folder, "twice.cgpu")
            run("summarize", again, "-o", twice)
            for inputs in itertools.permutations([self.all, twice]):
                self.assertEqual(tool.table(inputs, "stragglers"), tool.table(traces, "stragglers"))
            (expected,) = [row for row in tool.table(traces, "notes") if row["code"] == "duplicate_rank"]
            (note,) = [row for row in tool.table([twice, self.all], "notes") if row["code"] == "duplicate_rank"]
            self.assertEqual(note["count"], expected["count"])
            self.assertIn("z_rank-2.json, rank 2", note["text"])
            both = os.path.join(folder, "both.cgpu")
            self.assertIn(b"rank another one has, too: 1", run("merge", twice, self.all, "-o", both).stderr)
            self.assertEqual(tool.run(["merge", twice, self.all, "-o", both, "--strict"]).returncode, 2)

    def test_damaged_ones_are_left_out_and_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in self.kept:
                shutil.copy(path, folder)
            whole = tool.read(self.kept[1])
            r = random.Random(2)
            for damaged in (whole[:200], whole[:-1], b"", whole[:9] + b"x" + whole[10:], whole + b"x",
                            *(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1:]
                              for at in (r.randrange(12, len(whole)) for _ in range(6)))):
                with open(os.path.join(folder, "1.cgpu"), "wb") as handle:
                    handle.write(damaged)
                path = os.path.join(self.folder.name, "without-1.cgpu")
                for inputs in (sorted(glob.glob(os.path.join(folder, "[0-9].cgpu"))), [folder]):
                    for allowed, exit_status in ((), 5), (("--allow-missing", 1), 0):
                        done = tool.run(["merge", *inputs, "-o", path, *allowed])
                        self.assertEqual(done.returncode, exit_status, done.stderr)
                        self.assertIn(b"1.cgpu", done.stderr)
                        self.assertIn(b"left out, because damaged or not there: 1 (", done.stderr)
                codes = {row["code"]: row["count"] for row in tool.table(path, "notes")}
                self.assertEqual((codes.get("damaged_input"), codes.get("missing_rank")), (1, 1))
                self.assertEqual(tool.run(["merge", folder, "-o", path, "--strict"]).returncode, 2)
                done = tool.run(["table", folder, "kernels"])
                self.assertEqual(done.returncode, 0)
                self.assertIn(b"1.cgpu", done.stderr)
                self.assertEqual(tool.run(["table", folder, "kernels", "--strict"]).returncode, 2)
                os.remove(path)

    def test_lost_ones_are_left_out_up_to_what_is_allowed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "some.cgpu")
            lost = [os.path.join(folder, name) for name in ("a/1.cgpu", "b/1.cgpu")]  # named alike, as by nodes
            for allowed, exit_status in ((0, 5), (1, 5), (2, 0)):
                done = tool.run(["merge", self.kept[0], lost[0], self.kept[2], lost[1], "-o", path, "--allow-missing", allowed])
                self.assertEqual(done.returncode, exit_status, done.stderr)
                for name in lost:
                    self.assertIn(name.encode(), done.stderr)
                (note,) = [row for row in tool.table(path, "notes") if row["code"] == "damaged_input"]
                self.assertEqual(note["count"], 2)
                self.assertEqual(len(tool.table(path, "clocks")), 2)
            # What an earlier merge left out still counts; ranks that nobody named do not.
            again = os.path.join(folder, "again.cgpu")
            done = tool.run(["merge", path, self.kept[3], "-o", again])
            self.assertEqual(done.returncode, 5)
            self.assertIn(b"1.cgpu", done.stderr)
            self.assertEqual(tool.run(["merge", path, self.kept[3], "-o", again, "--allow-missing", 2]).returncode, 0)
            self.assertEqual(tool.run(["merge", self.kept[0], self.kept[3], "-o", again]).returncode, 0)
            os.remove(again)
            done = tool.run(["merge", *self.kept, lost[0], "-o", again, "--strict"])
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
            self.assertFalse(os.path.exists(again))
            self.assertEqual(tool.run(["merge", *lost, "-o", again, "--allow-missing", 2]).returncode, 2, "none is left")
            self.assertEqual(tool.run(["merge", *self.kept, "-o", again, "--allow-missing", "-1"]).returncode, 2)

    def test_an_output_is_never_an_input(self):
        before = tool.read(self.kept[0])
        for arguments in (["merge", self.parts, "-o", self.kept[0]], ["merge", *self.kept, "-o", self.kept[0]]):
            self.assertEqual(tool.run(arguments).returncode, 2)
        self.assertEqual(tool.read(self.kept[0]), before)

    def test_what_is_no_summary(self):
        for given in (built.files(self.traces)[0], self.traces, os.path.join(self.folder.name, "nothing.cgpu")):
            done = tool.run(["merge", given, "-o", os.path.join(self.folder.name, "x.cgpu")])
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        done = tool.run(["report", self.all, built.files(self.traces)[0]])
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"together with profiles", done.stderr)

    def test_summaries_beside_their_profiles(self):
        with tempfile.TemporaryDirectory() as folder:
            both = os.path.join(folder, "both")
            shutil.copytree(self.traces, both)
            for path in self.kept:
                shutil.copy(path, both)
            self.assertEqual(tool.table(both, "kernels"), tool.table(self.traces, "kernels"))
            self.assertEqual(tool.info(both)["format"], "kineto")
            run("merge", both, "-o", os.path.join(folder, "x.cgpu"))
            self.assertEqual(tool.read(os.path.join(folder, "x.cgpu")), tool.read(self.all))


class Large(unittest.TestCase):
    def test_of_very_many_events_medians_are_within_one_percent_and_all_else_is_exact(self):
        with tempfile.TemporaryDirectory() as folder:
            traces, _ = built.build(folder, "--model", "cnn", "--events", 200000, ranks=2)
            kept = []
            for path in built.files(traces):
                kept.append(path + ".cgpu")
                run("summarize", path, "-o", os.path.join(folder, os.path.basename(kept[-1])))
                kept[-1] = os.path.join(folder, os.path.basename(kept[-1]))
                self.assertEqual(tool.table(kept[-1], "kernels"), tool.table(path, "kernels"), "of one it is exact")
            (note,) = [row for row in tool.table(kept, "notes") if row["code"] == "approximate_median"]
            self.assertIn("launches", note["text"])
            for name in ("kernels", "api", "launches", "activities"):
                found, expected = tool.table(kept, name), tool.table(traces, name)
                self.assertEqual(len(found), len(expected))
                for row, other in zip(found, expected):
                    for column, value in other.items():
                        if "median" in column:
                            self.assertAlmostEqual(row[column], value, delta=0.008 * value + 1)
                        elif column == "std_ns":
                            self.assertAlmostEqual(row[column], value, delta=1e-6 * other["mean_ns"])
                        else:
                            self.assertEqual(row[column], value, (name, column))


class OtherRanks(unittest.TestCase):
    def test_waits_in_host_calls_that_a_summary_cannot_know_are_said(self):
        """A barrier of the host that rank 0 reaches early: of its own summary the wait is no other rank's."""
        with tempfile.TemporaryDirectory() as folder:
            traces = os.path.join(folder, "traces")
            os.mkdir(traces)
            for rank in range(2):
                events = []
                for step in range(4):
                    at = 1000 + 10000 * step
                    enter = at + 1000 + 4000 * rank
                    events += [("cpu_op", "gloo:barrier", 100, "1", enter, at + 6000 - enter, {}),
                               ("cuda_runtime", "cudaLaunchKernel", 100, "1", at + 6100, 20, {"correlation": step + 1}),
                               ("kernel", "k", 0, "7", at + 6200, 1000,
                                {"correlation": step + 1, "device": 0, "stream": 7})]
                with open(os.path.join(traces, "rank%d.json" % rank), "w", encoding="utf-8") as handle:
                    json.dump({"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": [
                        {"ph": "X", "cat": c, "name": n, "pid": p, "tid": t, "ts": s, "dur": d, "args": a}
                        for c, n, p, t, s, d, a in events]}, handle)
            parts = []
            for rank in range(2):
                parts.append(os.path.join(folder, "%d.cgpu" % rank))
                run("summarize", os.path.join(traces, "rank%d.json" % rank), "-o", parts[-1])
            once = os.path.join(folder, "once.cgpu")
            run("summarize", traces, "-o", once)

            def causes(inputs):
                return {(row["rank"], row["cause"]): row["total_ns"] for row in tool.table(inputs, "idle")}

            def unknown(inputs):
                return sum(row["count"] for row in tool.table(inputs, "notes") if row["code"] == "unknown_waits")
            expected = causes(traces)
            self.assertGreater(expected[0, "other_rank"], 0)
            self.assertEqual((causes(once), unknown(once)), (expected, 0), "summarised together they know")
            merged = causes(parts)
            self.assertNotIn((0, "other_rank"), merged)
            self.assertEqual(unknown(parts), 1)
            for rank in range(2):
                self.assertEqual(sum(ns for key, ns in merged.items() if key[0] == rank),
                                 sum(ns for key, ns in expected.items() if key[0] == rank))
            self.assertEqual(tool.table(parts, "collectives") if tool.table(traces, "collectives") else [],
                             tool.table(traces, "collectives"))


def simulate(folder, *options):
    """The summaries of a simulated job, and the truth about it."""
    builder = os.path.join(os.path.dirname(built.builder()), "job_builder")
    done = subprocess.run([builder, folder, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, done.stdout
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as handle:
        return os.path.join(folder, "summaries"), json.load(handle)


def iteration_of(*options):
    """What an iteration of a simulated job takes: from the end of the first one to that of the last."""
    with tempfile.TemporaryDirectory() as folder:
        summaries, _ = simulate(folder, *options)
        ends = [row["start_ns"] + row["duration_ns"] for row in tool.table(summaries, "steps", "--rank", "0")]
        return (max(ends) - min(ends)) / (len(ends) - 1)


def peak_memory(*words):
    """Bytes that cgpu took at most. A small process starts it: one that is started counts what it was before, too."""
    start = ("import os, sys; child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, "
             "file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]); "
             "_, status, usage = os.wait4(child, 0); assert status == 0; print(usage.ru_maxrss)")
    done = subprocess.run([sys.executable, "-I", "-S", "-c", start, tool.binary(), *words], stdout=subprocess.PIPE, check=True)
    return 1024 * int(done.stdout)


class LongRecordings(unittest.TestCase):
    RANKS = 200
    COLLECTIVES = 6  # a step
    SHORT = 4
    LONG = 100

    def test_what_a_collective_costs_the_tables_of_a_merged_summary(self):
        peaks = []
        for steps in (self.SHORT, self.LONG):
            with tempfile.TemporaryDirectory() as folder:
                parts, _ = simulate(folder, "--ranks", str(self.RANKS), "--steps", str(steps))
                merged = os.path.join(folder, "all.cgpu")
                run("merge", parts, "-o", merged)
                peaks.append({name: peak_memory("table", merged, name) for name in
                              ("gpu_time", "stragglers", "collectives", "rank_outliers", "rank_path", "findings")})
        collectives = self.RANKS * self.COLLECTIVES * (self.LONG - self.SHORT)
        costs = {name: (peaks[1][name] - peaks[0][name]) / collectives for name in peaks[0]}
        self.assertLess(costs["gpu_time"], 20, costs)  # it needs none of them
        for name in ("stragglers", "collectives", "rank_outliers"):
            self.assertLess(costs[name], 80, costs)
        for name in ("rank_path", "findings"):
            self.assertLess(costs[name], 110, costs)


class OtherJobs(unittest.TestCase):
    """Jobs with nothing planted, and with clocks that run at other rates."""

    def outliers(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            summaries, truth = simulate(folder, *options)
            return (tool.table(summaries, "rank_outliers"), tool.table(summaries, "findings"), truth,
                    run("report", summaries).stdout)

    def test_nobody_deviates_in_a_healthy_job(self):
        for seed, ranks in (("1", "200"), ("2", "24"), ("3", "90")):
            for drift in ("0", "20000"):
                rows, findings, truth, report = self.outliers("--healthy", "--ranks", ranks, "--seed", seed,
                                                              "--drift-ppm", drift)
                self.assertEqual((truth["stragglers"], truth["slow_machine"], truth["missing"]), ([], None, []))
                self.assertEqual((rows, findings), ([], []))
                self.assertNotIn(b"Ranks that deviate", report)
                self.assertIn("No finding has a potential saving of 3 % of the time or more. Only rules over ranks were judged",
                              " ".join(report.decode().split()))

    def test_what_is_planted_is_found_between_clocks_that_drift_by_milliseconds(self):
        rows, findings, truth, _ = self.outliers("--ranks", "120", "--steps", "12", "--drift-ppm", "20000")
        self.assertGreater(max(map(abs, truth["clock_drifts_ns"])), 1_000_000)
        self.assertEqual(planted.differences(rows, truth, of_times=0.05), [])
        self.assertEqual(planted.finding_differences(findings, truth), [])

    def test_waits_between_clocks_that_drift_are_those_of_the_job_without_drift(self):
        options = ["--ranks", "64", "--steps", "24"]
        with tempfile.TemporaryDirectory() as folder:
            summaries, _ = simulate(folder, *options)
            self.assertEqual({row["drift_ppm"] for row in tool.table(summaries, "clocks")}, {None})
            # Not what each causes: of several that come last together noise picks one.
            expected = {row["rank"]: row["wait_ns"] for row in tool.table(summaries, "stragglers")}
            waited = sum(row["wait_ns"] for row in tool.table(summaries, "collectives"))
        for drift in (200, 20000):
            with tempfile.TemporaryDirectory() as folder:
                summaries, truth = simulate(folder, *options, "--drift-ppm", str(drift))
                again = truth["ranks"]  # the number of the second profile of a rank
                shown = []
                for row in tool.table(summaries, "clocks"):
                    rate = truth["clock_rates_ppm"][row["rank"] if row["rank"] < again else truth["duplicated"][0]]
                    if 8 * abs(rate) < drift:  # too little to show
                        continue
                    self.assertAlmostEqual(row["drift_ppm"], rate / (1 + rate / 1e6), delta=0.01 * drift)
                    self.assertLess(row["drift_residual_ns"], 100)
                    shown.append(row["residual_ns"])  # 0 where most pairs are with ranks of the same machine
                self.assertGreater(len(shown), 20)
                self.assertGreater(max(shown), 10 * drift)
                found = {row["rank"]: row["wait_ns"] for row in tool.table(summaries, "stragglers")}
                self.assertEqual(set(found), set(expected))
                wrong = sum(abs(found[rank] - expected[rank]) for rank in found)
                self.assertLess(wrong, 3e-6 * drift * sum(expected.values()))  # durations are longer and shorter, too
                self.assertAlmostEqual(sum(row["wait_ns"] for row in tool.table(summaries, "collectives")), waited,
                                       delta=3e-6 * drift * waited)

    def test_few_ranks_have_findings_without_what_is_usual_of_many(self):
        """Of three ranks no table says who deviates; that the others wait for one of them can be seen all the same."""
        with tempfile.TemporaryDirectory() as folder:
            summaries, _ = simulate(folder, "--ranks", "24")
            three = [os.path.join(summaries, "rank-%d.cgpu" % rank) for rank in (0, 8, 16)]
            self.assertEqual(tool.table(three, "rank_outliers"), [])
            (finding,) = tool.table(three, "findings")
            self.assertEqual((finding["rule"], finding["rank"], finding["confidence"]), ("straggler", 0, "low"))
            self.assertEqual(finding["command"], "cgpu diagnose rank-0.json")


class Job(unittest.TestCase):
    """Ranks by the hundred (tests/builder/job.h): what is planted in the job comes out of its summaries."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.sample = [0, 9, 40, 41, 66]
        cls.parts, cls.truth = simulate(cls.folder.name, "--ranks", "200", "--traces", ",".join(map(str, cls.sample)))
        cls.all = os.path.join(cls.folder.name, "all.cgpu")
        cls.said = run("merge", cls.parts, "-o", cls.all).stderr.decode()

    def test_who_kept_the_others_waiting(self):
        ranks = self.truth["ranks_of_machine"]
        slow = {self.truth["slow_machine"] * ranks + i for i in range(ranks)}
        rows = tool.table(self.all, "stragglers")
        self.assertEqual({row["rank"] for row in rows[:ranks]}, slow)
        after = len(self.truth["stragglers"])
        self.assertEqual({row["rank"] for row in rows[ranks:ranks + after]}, set(self.truth["stragglers"]))
        # The neighbours of a straggler, which it holds up, come late to the collectives of their pod.
        self.assertGreater(rows[ranks + after - 1]["caused_ns"], 3 * rows[ranks + after]["caused_ns"])
        hosts = {row["rank"]: row["host"] for row in tool.table(self.all, "clocks")}
        self.assertEqual(len({hosts[rank] for rank in slow}), 1)

    def test_who_deviates_and_in_what(self):
        self.assertEqual(planted.differences(tool.table(self.all, "rank_outliers"), self.truth), [])
        report = " ".join(run("report", self.all).stdout.decode().split())
        self.assertRegex(report, "8 GPUs of ranks 96-103 on [^ ]+ take 3.00 ms more an iteration than usual for data loading")
        self.assertRegex(report, r"The profile to open is that of rank (9[6-9]|10[0-3])\.")
        self.assertIn("rank_outliers", json.loads(run("report", self.all, "--format", "json").stdout)["tables"])

    def test_what_bounds_the_job(self):
        rows = tool.table(self.all, "rank_path")
        self.assertEqual({row["path_ns"] for row in rows}, {sum(row["total_ns"] for row in rows)})
        machine = range(8 * self.truth["slow_machine"], 8 * self.truth["slow_machine"] + 8)
        loading = [row for row in rows if row["owner"] == "data_loading"]
        self.assertEqual({row["rank"] for row in loading} - set(machine), set())
        self.assertEqual(sum(row["count"] for row in loading), rows[0]["iterations"])
        report = " ".join(run("report", self.all).stdout.decode().split())
        self.assertRegex(report, "for 5 whole iterations. Ranks 96-103 on [^ ]+ bound it for [0-9.]+% of that by what they do of "
                                 "their own: data loading [0-9.]+%, compute")

    def test_findings_name_what_is_planted_and_the_profile_to_open(self):
        rows = tool.table(self.all, "findings")
        self.assertEqual(planted.finding_differences(rows, self.truth), [])
        for row in rows:
            self.assertEqual(row["command"], "cgpu diagnose rank-%d.json" % row["rank"])
            self.assertTrue(os.path.exists(os.path.join(self.parts, "rank-%d.cgpu" % row["rank"])))
        (note,) = [row for row in tool.table(self.all, "notes") if row["code"] == "rules_not_judged"]
        self.assertEqual(note["count"], 199)
        said = " ".join(run("diagnose", self.all).stdout.decode().split())
        self.assertIn("1. critical: Ranks 96-103 on machine-", said)
        self.assertIn("Slow link: ranks 32-39,41-63 do not wait for others, but transfer 600.0 us longer an iteration than usual", said)
        self.assertIn("Only rules over ranks were judged (straggler, slow_link, stage_imbalance)", said)
        self.assertIn("Only rules over ranks were judged (straggler, slow_link, stage_imbalance)",
                      " ".join(run("report", self.all).stdout.decode().split()))
        self.assertEqual(run("diagnose", self.parts).stdout, run("diagnose", self.all).stdout)
        self.assertIn(b"no finding came, went, or changed", run("diagnose", self.all, "--against", self.parts).stdout)

    def test_what_findings_give_back_is_what_the_job_without_them_does_not_take(self):
        """The same job is simulated again, without one planted cause after another."""
        machine, link, kernels = tool.table(self.all, "findings")
        self.assertEqual([row["severity"] for row in (machine, link, kernels)], ["critical", "warning", "warning"])
        steps = machine["steps"]
        options = ["--ranks", "200"]
        before = iteration_of(*options)
        self.assertAlmostEqual(machine["measured_ns"] / steps, before, delta=0.01 * before)
        together = 0
        for row, without in ((machine, "--without-slow-machine"), (link, "--without-slow-link"),
                             (kernels, "--without-stragglers")):
            by_itself = before - iteration_of("--ranks", "200", without)
            self.assertAlmostEqual(row["recoverable_high_ns"] / steps,
                                   max(by_itself, row["recoverable_ns"] / steps), delta=0.01 * before)
            options.append(without)
            gain = before - iteration_of(*options) - together
            self.assertAlmostEqual(row["recoverable_ns"] / steps, gain, delta=0.01 * before)
            together += gain
            self.assertAlmostEqual(row["together_ns"] / steps, together, delta=0.01 * before)
            self.assertLessEqual(row["recoverable_low_ns"], row["recoverable_ns"])
        self.assertAlmostEqual(before - iteration_of("--ranks", "200", "--healthy"), together, delta=20)

    def test_clocks(self):
        again = self.truth["ranks"]  # numbers that no rank of the job has
        clocks = tool.table(self.all, "clocks")
        self.assertEqual(len(clocks), again + len(self.truth["duplicated"]) - len(self.truth["missing"]))
        for row in clocks:
            rank = row["rank"] if row["rank"] < again else self.truth["duplicated"][row["rank"] - again]
            self.assertEqual(row["offset_ns"], -self.truth["clock_offsets_ns"][rank])
            self.assertIn(row["residual_ns"], (0, None))

    def test_missing_and_repeated_ranks(self):
        notes = {row["code"]: row for row in tool.table(self.all, "notes")}
        missing = ",".join(map(str, self.truth["missing"]))
        self.assertEqual(notes["missing_rank"]["count"], len(self.truth["missing"]))
        self.assertTrue(notes["missing_rank"]["text"].endswith(": " + missing))
        self.assertEqual(notes["duplicate_rank"]["count"], len(self.truth["duplicated"]))
        self.assertIn("not there: " + missing, self.said)
        self.assertIn("rank %d" % self.truth["duplicated"][0], self.said)
        self.assertEqual(tool.info(self.all)["rank_list"], "0-39,41-198,200")

    def test_ranks_are_those_of_their_traces(self):
        traces = os.path.join(self.folder.name, "traces")
        kept = [os.path.join(self.parts, "rank-%d.cgpu" % rank) for rank in self.sample
                if rank not in self.truth["missing"]]
        self.assertEqual(len(kept), len(self.sample) - 1)
        inputs = [os.path.join(traces, "rank-%d.json" % rank) for rank in self.sample
                  if rank not in self.truth["missing"]]
        for name in ("kernels", "steps", "idle", "collectives", "stragglers", "rank_outliers", "rank_path", "rank_activity", "gpu_time", "ops"):
            with_hosts = {} if name not in WITH_HOSTS else {"host": None}
            self.assertEqual([dict(row, **with_hosts) for row in tool.table(kept, name)],
                             [dict(row, **with_hosts) for row in tool.table(inputs, name)], name)

    def test_what_ranks_did_over_time_adds_up_and_shows_who_is_late(self):
        sums = collections.Counter()
        for row in tool.table(self.all, "rank_activity"):
            for column in ("duration_ns", "compute_ns", "exposed_comm_ns", "exposed_memory_ns", "idle_ns"):
                sums[row["rank"], row["device"], column] += row[column]
        whole = tool.table(self.all, "gpu_time")
        self.assertEqual(sums, collections.Counter({
            (row["rank"], row["device"], to): row[of] for row in whole for of, to in (
                ("span_ns", "duration_ns"), ("compute_ns", "compute_ns"), ("exposed_comm_ns", "exposed_comm_ns"),
                ("exposed_memory_ns", "exposed_memory_ns"), ("idle_ns", "idle_ns"))}))
        page = run("report", self.all, "--format", "html").stdout.decode()
        title, picture = page.split("<figcaption>What each device (rank, device) did over time")[1].split("</figcaption>", 1)
        self.assertIn("of every 2 the one that falls behind the median device most", title)
        drawn = {int(rank) for rank in re.findall(r"<title>rank (\d+), ", picture.split("</figure>")[0])}
        self.assertEqual(len(drawn), 100)
        self.assertLessEqual(set(self.truth["stragglers"]), drawn)

    def test_the_picture_of_ranks_over_time_is_that_of_their_profiles(self):
        with tempfile.TemporaryDirectory() as folder:
            summaries, truth = simulate(folder, "--ranks", "40", "--traces", ",".join(map(str, range(40))))
            again = os.path.join(summaries, "rank-%d-again.cgpu" % truth["duplicated"][0])
            if os.path.exists(again):
                os.remove(again)
            for rank in truth["missing"]:
                os.remove(os.path.join(folder, "traces", "rank-%d.json" % rank))
            pictures = [run("report", path, "--format", "html").stdout.decode().split("(rank, device) did over time")[1]
                        .split("</figure>")[0] for path in (summaries, os.path.join(folder, "traces"))]
            self.assertEqual(*pictures)

    def test_groupings(self):
        with tempfile.TemporaryDirectory() as folder:
            nodes = []
            for node in range(25):
                ranks = [path for path in (os.path.join(self.parts, "rank-%d.cgpu" % (8 * node + i)) for i in range(8))
                         if os.path.exists(path)]
                again = os.path.join(self.parts, "rank-%d-again.cgpu" % self.truth["duplicated"][0])
                nodes.append(os.path.join(folder, "%d.cgpu" % node))
                run("merge", *ranks, *([again] if node == self.truth["duplicated"][0] // 8 else []), "-o", nodes[-1])
            r = random.Random(1)
            r.shuffle(nodes)
            whole = os.path.join(folder, "whole.cgpu")
            run("merge", *nodes, "-o", whole)
            self.assertEqual(tool.read(whole), tool.read(self.all))
            self.assertEqual(tool.table([*nodes], "findings"), tool.table(self.all, "findings"))


class Gate(unittest.TestCase):
    def test_check_says_of_merged_summaries_what_it_says_of_the_traces(self):
        with tempfile.TemporaryDirectory() as folder:
            sides = {}
            for side, runs in (("a", gate_test.RUNS.get(3, ranks=2)),
                               ("b", gate_test.RUNS.get(3, first=100, ranks=2, gemm=1.3))):
                sides[side] = runs, []
                for i, path in enumerate(runs):
                    ranks = sorted(glob.glob(os.path.join(path, "*")))
                    kept = []
                    for number, rank in enumerate(ranks):
                        kept.append(os.path.join(folder, "%s%d_%d.cgpu" % (side, i, number)))
                        run("summarize", rank, "-o", kept[-1])
                    sides[side][1].append(os.path.join(folder, "%s%d" % (side, i)))
                    os.mkdir(sides[side][1][-1])
                    run("merge", *reversed(kept), "-o", os.path.join(sides[side][1][-1], "all.cgpu"))
            of_profiles = gate_test.tables(sides["a"][0], sides["b"][0])
            of_summaries = gate_test.tables(sides["a"][1], sides["b"][1])
            self.assertEqual(of_profiles[0], gate_test.REGRESSION)
            for found in (of_profiles, of_summaries):
                for row in found[1]["check_runs"]:
                    del row["input"]
            self.assertEqual(of_summaries, of_profiles)
            done = run("compare", sides["a"][1][0], sides["b"][1][0], "--format", "json")
            self.assertIn("compare_runs", json.loads(done.stdout)["tables"])


if __name__ == "__main__":
    unittest.main()
