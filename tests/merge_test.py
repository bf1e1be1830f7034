#!/usr/bin/env python3
"""`cgpu merge`: summaries of ranks put together, in any grouping, give what the traces opened together give; what is missing,
there twice or damaged is named. Jobs of hundreds of ranks: merge_jobs_test.py.

Environment: CGPU (the binary), CGPU_BUILDER (the trace builder).
"""
import glob
import itertools
import json
import os
import random
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gate_test  # noqa: E402
from oracle import built, tool  # noqa: E402
from oracle.tool import WITH_HOSTS, must_run as run  # noqa: E402
from ranks_test import HOSTS, SHIFTS, build_job  # noqa: E402
from summary_test import EVENTS  # noqa: E402

WHOLE = {"op_dependencies", "replay", "whatif", "critical_path", "critical_path_trace", "unreported_rules"}  # of timelines
OF_SUMMARIES = ("not_merged", "rules_not_judged")  # notes that say what they cannot tell


def setUpModule():
    tool.must_exist()


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
