#!/usr/bin/env python3
"""`cgpu check` on built runs whose truth is known: a program runs on a simulated machine (oracle/machine.py), with noise,
and with what was planted in it. The statistics of the verdict are computed once more here, by listing.

Environment: CGPU (the binary).
"""
import contextlib
import itertools
import json
import math
import os
import random
import re
import statistics
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import machine, tool  # noqa: E402

STEPS, LAYERS, KERNEL = 12, 8, 400  # us: 3.2 ms and more of a step
PASS, REGRESSION, USAGE, INCONCLUSIVE, NOT_COMPARABLE = 0, 1, 2, 3, 4

NOISES = {
    "normal": lambda r, step: 1 + 0.02 * r.gauss(0, 1),
    "heavy": lambda r, step: math.exp(0.25 * r.gauss(0, 1)),
    "drift": lambda r, step: 1 + 0.01 * step + 0.01 * r.gauss(0, 1),
}


def program(seed, noise="normal", gemm=1.0, between=0.004, steps=STEPS, warm_up=0, peak=1 << 30, every=None,
            without=None, marks=True):
    """One process that trains; `gemm`: how much slower its matrix products are; `every`: each so many steps, 10 ms more;
    `marks`: whether its steps are marked."""
    r = random.Random(seed)
    level = math.exp(between * r.gauss(0, 1))

    def run(m):
        for step in range(steps):
            slow = NOISES[noise](r, step) * level * (3 if step < warm_up else 1)
            with m.step(step) if marks else contextlib.nullcontext():
                for _ in range(LAYERS):
                    with m.within("aten::mm"):
                        m.quiet(1)
                        m.launch(machine.GEMM, round(KERNEL * gemm * slow))
                    if without == "aten::add":
                        continue
                    with m.within("aten::add"):
                        m.quiet(1)
                        m.launch(machine.ELEMENTWISE, round(KERNEL / 2 * slow))
                m.synchronize()
                if every and step % every == 0:
                    m.host("checkpoint", 10000)
            m.memory(peak, peak)
        return iter(())
    return run


class Runs:
    """Traces in a folder, built once a kind."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.built = {}

    def get(self, count=5, first=0, ranks=1, **change):
        key = (count, first, ranks, tuple(sorted(change.items())))
        if key not in self.built:
            paths = []
            for seed in range(first, first + count):
                folder = os.path.join(self.folder.name, "run%d" % (1000 * len(self.built) + seed))
                os.mkdir(folder)
                written = machine.write(machine.run(program(seed, **change), ranks), folder)
                paths.append(folder if ranks > 1 else written[0])
            self.built[key] = paths
        return self.built[key]


RUNS = Runs()


def tearDownModule():
    RUNS.folder.cleanup()


def setUpModule():
    tool.must_exist()


def check(baseline, candidate, *options):
    return tool.run(["check", "--baseline", *baseline, "--candidate", *candidate, *options])


def tables(baseline, candidate, *options):
    """Exit code, and the tables by name as lists of dicts."""
    done = check(baseline, candidate, "--format", "json", *options)
    document = json.loads(done.stdout)
    assert document["schema"] == "cgpu/1" and document["command"] == "check"
    return done.returncode, tool.rows_of(document)


def by(rows, key):
    return {row[key]: row for row in rows}


class Verdicts(unittest.TestCase):
    def verdict(self, expected, baseline, candidate, *options):
        code, found = tables(baseline, candidate, *options)
        self.assertEqual(code, expected, json.dumps(found["check"], indent=1))
        return found

    def test_a_against_a_passes(self):
        for count in (1, 2, 5):
            self.verdict(PASS, RUNS.get(count), RUNS.get(count))
        self.verdict(PASS, RUNS.get(1, noise="heavy"), RUNS.get(1, noise="heavy"))

    def test_noise_alone_is_no_regression(self):
        for noise in NOISES:
            for count in (1, 3, 5):
                code, found = tables(RUNS.get(count, noise=noise), RUNS.get(count, first=100, noise=noise))
                self.assertNotEqual(code, REGRESSION, (noise, count, found["check"]))
                self.assertNotEqual(code, NOT_COMPARABLE, (noise, count, found["check"]))
        self.verdict(PASS, RUNS.get(5), RUNS.get(5, first=100))

    def test_a_slower_kernel_is_found_and_named(self):
        for count in (1, 3, 5):
            found = self.verdict(REGRESSION, RUNS.get(count), RUNS.get(count, first=200, gemm=1.3))
            rules = by(found["check"], "rule")
            self.assertEqual(rules["step_time"]["verdict"], "regression")
            slower = {(part["kind"], part["name"]) for part in found["check_parts"] if part["verdict"] == "regression"}
            self.assertEqual(slower, {("op", "aten::mm"), ("class", "gemm"), ("kernel", machine.GEMM)})
            change = by(found["check_parts"], "name")["aten::mm"]["change_ns"]
            self.assertAlmostEqual(change, 0.3 * KERNEL * LAYERS * 1000, delta=0.05 * KERNEL * LAYERS * 1000)
            self.assertIn("aten::mm", rules["ops"]["why"])

    def test_faster_passes_and_says_so(self):
        found = self.verdict(PASS, RUNS.get(5, first=200, gemm=1.3), RUNS.get(5))
        self.assertIn("faster", found["check"][0]["why"])

    def test_tolerance_and_floor(self):
        baseline, candidate = RUNS.get(5), RUNS.get(5, first=200, gemm=1.3)
        self.verdict(PASS, baseline, candidate, "--tolerance", "50%")
        self.verdict(PASS, baseline, candidate, "--floor", "10ms")
        self.verdict(REGRESSION, baseline, candidate, "--tolerance", "1")

    def test_a_change_within_the_noise_of_one_run_is_inconclusive(self):
        baseline, candidate = RUNS.get(1, noise="heavy"), RUNS.get(1, first=204, noise="heavy", gemm=1.2)
        self.verdict(INCONCLUSIVE, baseline, candidate)
        for how, code in (("pass", PASS), ("fail", REGRESSION), ("report", INCONCLUSIVE)):
            self.assertEqual(check(baseline, candidate, "--inconclusive", how).returncode, code)

    def test_rare_slow_steps_show_in_the_mean(self):
        found = self.verdict(REGRESSION, RUNS.get(5), RUNS.get(5, first=100, every=6))
        rules = by(found["check"], "rule")
        self.assertEqual(rules["step_time"]["verdict"], "pass")
        self.assertEqual(rules["step_time_mean"]["verdict"], "regression")

    def test_more_memory(self):
        found = self.verdict(REGRESSION, RUNS.get(5), RUNS.get(5, first=100, peak=(1 << 30) + (1 << 27)))
        self.assertEqual(by(found["check"], "rule")["memory"]["verdict"], "regression")
        self.assertEqual(found["check_memory"][0]["candidate_bytes"], (1 << 30) + (1 << 27))

    def test_warm_up_is_left_out(self):
        found = self.verdict(PASS, RUNS.get(5), RUNS.get(5, first=100, warm_up=2))
        self.assertEqual(len(found["check_runs"]), 10)
        for run in found["check_runs"]:
            self.assertEqual(run["warm_up"], 2 if run["side"] == "candidate" else 0)
            self.assertEqual(run["iterations"], STEPS)

    def test_recordings_that_stop_after_a_set_time(self):
        """Runs without marks that repeat their sequence unequally often are compared by what they repeat: the whole of each
        says nothing, since the faster one is as long."""
        longer = RUNS.get(2, marks=False) + RUNS.get(2, first=2, steps=STEPS + 3, marks=False)
        found = self.verdict(PASS, longer, RUNS.get(4, first=100, steps=STEPS - 2, marks=False))
        self.assertIn("device ops in what repeats", by(found["check"], "rule")["comparable"]["why"])
        slow = RUNS.get(4, first=100, gemm=1.3, steps=STEPS - 2, marks=False)
        found = self.verdict(REGRESSION, longer, slow)
        self.assertNotIn("span", by(found["check"], "rule"))
        marked = tables(RUNS.get(4, steps=STEPS + 3), RUNS.get(4, first=100, gemm=1.3))[1]
        self.assertIn("an iteration is what repeats", " ".join(check(longer, slow).stdout.decode().split()))
        # As the marks of the same program say; what its device repeats are the layers, which are all alike.
        step, of_marks = (by(tables["check_times"], "quantity")["step_time"] for tables in (found, marked))
        self.assertAlmostEqual(step["change_pct"], of_marks["change_pct"], delta=1)
        self.assertAlmostEqual(step["baseline_ns"] * LAYERS / of_marks["baseline_ns"], 1, delta=0.02)
        # Of one that repeats something else the work is another one.
        code, found = tables(longer, RUNS.get(4, first=100, without="aten::add", steps=STEPS - 2, marks=False))
        self.assertEqual(code, NOT_COMPARABLE)
        self.assertIn("of what repeats", by(found["check"], "rule")["comparable"]["why"])

    def test_recordings_that_only_repeat_their_sequence_show_how_they_vary(self):
        """So that single runs suffice, as they do with marks."""
        for runs in (4, 1):
            found = self.verdict(REGRESSION, RUNS.get(runs, marks=False), RUNS.get(runs, first=100, gemm=1.3, marks=False))
            self.assertIn("step_time", by(found["check"], "rule"))

    def test_unlike_runs(self):
        found = self.verdict(NOT_COMPARABLE, RUNS.get(1), RUNS.get(1, steps=STEPS + 3))
        self.assertIn("12 iterations against 15", by(found["check"], "rule")["comparable"]["why"])
        self.verdict(PASS, RUNS.get(1), RUNS.get(1, steps=STEPS + 3), "--allow", "iterations")
        self.verdict(NOT_COMPARABLE, RUNS.get(1), RUNS.get(1, ranks=2), "--allow", "iterations,shapes")
        self.verdict(PASS, RUNS.get(1), RUNS.get(1, ranks=2), "--allow", "devices")

    def test_a_folder_of_ranks_is_one_run(self):
        found = self.verdict(PASS, RUNS.get(2, ranks=2), RUNS.get(2, ranks=2, first=100))
        self.assertEqual(len(found["check_runs"]), 4)
        self.assertIn("2 ranks", found["check_runs"][0]["devices"])

    def test_a_pattern_is_several_runs(self):
        folder = os.path.dirname(os.path.dirname(RUNS.get(5)[0]))
        names = [os.path.basename(os.path.dirname(path)) for path in RUNS.get(5)]
        pattern = os.path.join(folder, names[0][:-1] + "[0-4]", "*.json")
        found = self.verdict(PASS, [pattern], RUNS.get(5))
        self.assertEqual([run["input"] for run in found["check_runs"] if run["side"] == "baseline"], sorted(RUNS.get(5)))
        self.assertEqual(check([pattern + ".none*"], RUNS.get(5)).returncode, USAGE)

    def test_usage(self):
        one = RUNS.get(1)
        for options in (["--tolerance", "much"], ["--tolerance", "0.03"], ["--floor", "5 apples"], ["--allow", "names"], ["--format", "yaml"]):
            done = check(one, one, *options)
            self.assertEqual(done.returncode, USAGE)
            self.assertEqual(done.stderr.count(b"\n"), 1)
        self.assertEqual(check(one, [one[0] + ".missing"]).returncode, USAGE)
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as launches:  # of Nsight Compute: neither times nor calls
            launches.write('"ID","Process ID","Kernel Name","gpu__time_duration.sum"\n"1","5","a(int)","0.1"\n')
            launches.flush()
            done = check([launches.name], [launches.name])
            self.assertEqual(done.returncode, USAGE)
            self.assertIn(b"neither a timeline nor a call tree", done.stderr)
        self.assertEqual(tool.run(["check", "--baseline", one[0]]).returncode, USAGE)


class Statistics(unittest.TestCase):
    """The figures of the JSON, from the traces alone."""

    def step_times(self, path):
        """us of the iterations: from the mark to the last end of what was launched inside."""
        with open(path, encoding="utf-8") as handle:
            events = json.load(handle)["traceEvents"]
        launches = {e["args"]["correlation"]: e["ts"] for e in events if e.get("cat") == "cuda_runtime"}
        ops = [(launches[e["args"]["correlation"]], e["ts"] + e["dur"]) for e in events if e.get("cat") == "kernel"]
        marks = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e["name"].startswith("ProfilerStep#"))
        return [max([end] + [done for at, done in ops if begin <= at < end]) - begin for begin, end in marks]

    def test_step_time_p_and_interval(self):
        for gemm in (1.0, 1.02, 1.3):
            baseline, candidate = RUNS.get(5), RUNS.get(5, first=200, gemm=gemm)
            row = by(tables(baseline, candidate)[1]["check_times"], "quantity")["step_time"]
            a = [statistics.median(self.step_times(path)) * 1000 for path in baseline]
            b = [statistics.median(self.step_times(path)) * 1000 for path in candidate]
            self.assertAlmostEqual(row["baseline_ns"], statistics.median(a), delta=1)
            self.assertAlmostEqual(row["candidate_ns"], statistics.median(b), delta=1)

            both = a + b
            def above(chosen):
                left = [v for i, v in enumerate(both) if i not in chosen]
                right = [both[i] for i in chosen]
                return sum((y > x) + 0.5 * (y == x) for x in left for y in right)
            found = above(range(5, 10))
            ways = [above(chosen) for chosen in itertools.combinations(range(10), 5)]
            p = 2 * min(sum(u >= found for u in ways), sum(u <= found for u in ways)) / len(ways)
            self.assertAlmostEqual(row["p"], min(1, p), places=9)
            self.assertAlmostEqual(row["cliffs_delta"], sum((y > x) - (y < x) for x in a for y in b) / 25, places=9)

            # P(U <= 2) = 4/252 <= 2.5 % < P(U <= 3): the third smallest and largest difference.
            ratios = sorted(y / x for x in a for y in b)
            self.assertAlmostEqual(row["change_pct"], 100 * (ratios[12] - 1), places=6)
            self.assertAlmostEqual(row["low_pct"], 100 * (ratios[2] - 1), places=6)
            self.assertAlmostEqual(row["high_pct"], 100 * (ratios[22] - 1), places=6)


class Outputs(unittest.TestCase):
    def test_text_says_the_verdict_first(self):
        text = check(RUNS.get(5), RUNS.get(5, first=200, gemm=1.3)).stdout.decode()
        self.assertRegex(text, r"^REGRESSION: step_time: .* ms to .* ms, \+\d+% \(between ")
        self.assertRegex(check(RUNS.get(5), RUNS.get(5)).stdout.decode(), r"^PASS: ")

    def test_junit(self):
        for candidate, failures in ((RUNS.get(5), 0), (RUNS.get(5, first=200, gemm=1.3), 4)):
            done = check(RUNS.get(5), candidate, "--format", "junit")
            root = xml.etree.ElementTree.fromstring(done.stdout)
            self.assertEqual(root.tag, "testsuites")
            (suite,) = root
            self.assertEqual(suite.tag, "testsuite")
            cases = list(suite)
            self.assertTrue(all(case.tag == "testcase" and case.get("name") and case.get("classname") for case in cases))
            self.assertEqual(int(suite.get("tests")), len(cases))
            self.assertEqual(int(suite.get("failures")), sum(case.find("failure") is not None for case in cases))
            self.assertEqual(int(suite.get("failures")) > 0, failures > 0)
            for case in cases:
                self.assertLessEqual({part.tag for part in case}, {"failure", "error", "skipped", "system-out"})

    def test_annotations(self):
        lines = check(RUNS.get(5), RUNS.get(5, first=200, gemm=1.3), "--format", "github").stdout.decode().splitlines()
        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line, r"^::(error|warning|notice) title=cgpu check [a-z_ ]+::.+$")
            self.assertNotRegex(line.split("::", 2)[2], r"%(?!25|0A|0D)")
        self.assertTrue(check(RUNS.get(5), RUNS.get(5), "--format", "github").stdout.startswith(b"::notice"))

    def test_files_by_their_ending(self):
        with tempfile.TemporaryDirectory() as folder:
            for ending, begins in (("json", "{"), ("md", "### "), ("xml", "<?xml"), ("txt", "PASS")):
                path = os.path.join(folder, "out." + ending)
                self.assertEqual(check(RUNS.get(1), RUNS.get(1), "-o", path).returncode, PASS)
                with open(path, encoding="utf-8") as handle:
                    self.assertTrue(handle.read().startswith(begins))
            markdown = check(RUNS.get(1), RUNS.get(1), "--format", "md").stdout.decode()
            self.assertTrue(re.search(r"^\| rule \|", markdown, re.M))



class ManyRuns(unittest.TestCase):
    """`cgpu compare` of more than two runs; every figure is computed once more from the runs alone."""

    T95 = {1: 12.706204736432095, 4: 2.7764451051977987, 5: 2.5705818366147395, 9: 2.2621571628540993}  # t(0.975, n - 1)

    @classmethod
    def setUpClass(cls):
        cls.groups = {1: RUNS.get(), 2: RUNS.get(ranks=2, gemm=0.5, first=50)}
        cls.slow = RUNS.get(count=1, first=80, ranks=2)[0]
        cls.runs = [*cls.groups[1], *cls.groups[2], cls.slow]

    def compare(self, *options):
        done = tool.run(["compare", *self.runs, *options])
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def tables(self, *options):
        return tool.rows_of(json.loads(self.compare("--format", "json", *options)))

    def test_statistics_of_groups(self):
        found = self.tables("--by", "ranks")
        step = {run["run"]: run["step_ns"] for run in found["compare_runs"]}
        for number, run in enumerate(self.runs, 1):
            rows = [row for row in tool.table(run, "steps") if row["rank"] == 0]
            slowest = [max(row["duration_ns"] for row in tool.table(run, "steps") if row["step"] == one["step"])
                       for one in rows]
            self.assertEqual(step[number], statistics.median(slowest))
        members = {"1": [1, 2, 3, 4, 5], "2": [6, 7, 8, 9, 10, 11]}
        self.assertEqual({run["run"]: run["group"] for run in found["compare_runs"]},
                         {run: group for group, runs in members.items() for run in runs})
        first = [step[run] for run in members["1"]]
        for row in found["compare_groups"]:
            values = [step[run] for run in members[row["group"]]]
            self.assertEqual(row["runs"], len(values))
            self.assertAlmostEqual(row["step_ns"], statistics.median(values), 3)
            half = self.T95[len(values) - 1] * statistics.stdev(values) / math.sqrt(len(values))
            self.assertAlmostEqual(row["low_ns"], statistics.mean(values) - half, 1)
            self.assertAlmostEqual(row["high_ns"], statistics.mean(values) + half, 1)
            speedup = statistics.median(first) / statistics.median(values)
            self.assertAlmostEqual(row["speedup"], speedup, 9)
            self.assertAlmostEqual(row["efficiency_pct"], 100 * speedup / int(row["group"]), 7)
        second = [step[run] for run in members["2"]]
        delta = sum((b > a) - (b < a) for a in first for b in second) / (len(first) * len(second))
        self.assertAlmostEqual(found["compare_groups"][1]["effect"], delta, 9)
        of = by([row for row in found["compare_statistics"] if row["kind"] == "time" and row["name"] == "step_time"],
                "group")
        for group, runs in members.items():
            values = sorted(step[run] for run in runs)
            low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
            row = of[group]
            self.assertEqual((row["n"], row["missing"], row["min"], row["max"]), (len(values), 0, values[0], values[-1]))
            for name, value in (("p25", low), ("median", middle), ("p75", high), ("mean", statistics.mean(values)),
                                ("deviation", statistics.stdev(values)), ("fence_low", low - 1.5 * (high - low)),
                                ("fence_high", high + 1.5 * (high - low))):
                self.assertAlmostEqual(row[name], value, 3, name)
        self.assertEqual(of["2"]["outliers"], "11")
        self.assertEqual([run["run"] for run in found["compare_runs"] if run["outlier"] == "slow"], [11])

    def test_call_paths_of_databases(self):
        folder = os.path.join(os.path.dirname(tool.corpus()), "hpctoolkit_v4")
        runs = [os.path.join(folder, "yuninxia_HPCToolkit__" + name) for name in
                ("2023_loops-cuda-nvidia-t.d", "dbase__loops-cuda-nvidia-t.d", "dbase__loops-cuda-nvidiapc-t.d")]
        if not all(os.path.isdir(run) for run in runs):
            self.skipTest("no corpus")
        values = [next(row["GPUOP.inclusive"] for row in tool.table(run, "call_tree") if row["name"] == "main") for run in runs]
        done = tool.run(["compare", *runs, "--table", "statistics", "--format", "json"])
        rows = tool.rows_of(json.loads(done.stdout.decode()))["compare_statistics"]
        row = next(row for row in rows if row["kind"] == "call" and row["name"] == "main thread > main")
        self.assertEqual((row["unit"], row["n"], row["missing"]), ("sec", 3, 0))
        for name, value in (("mean", statistics.mean(values)), ("median", statistics.median(values)),
                            ("deviation", statistics.stdev(values)), ("min", min(values)), ("max", max(values))):
            self.assertAlmostEqual(row[name], value, 9, name)

    def test_a_run_without_an_op_has_none_of_it_and_is_counted(self):
        other = RUNS.get(count=1, first=90, without="aten::add")
        done = tool.run(["compare", *self.groups[1], *other, "--table", "statistics", "--where",
                         "kind = op and name = 'aten::add'", "--format", "json"])
        row = tool.rows_of(json.loads(done.stdout))["compare_statistics"][0]
        self.assertEqual((row["n"], row["missing"], row["min"], row["group"]), (6, 1, 0, None))
        self.assertIn("6", row["outliers"].split(", "))

    def test_words(self):
        text = self.compare("--by", "ranks")
        self.assertIn("11 runs in 2 groups by ranks; an iteration takes (median of its runs):\n  ranks 1: ", text)
        self.assertRegex(text, r"\(6 runs, on average .*\), 1\.\d+ times as fast as ranks 1, \d+ % of perfect strong")
        self.assertIn("Run 11 (%s) is an outlier: " % self.slow, text)
        self.assertIn("by ranks (1, 2):\n  aten::mm: ", text)

    def test_what_a_run_says_groups_it(self):
        by_folder = self.tables("--by", "folder")["compare_groups"]
        self.assertEqual(sum(row["runs"] for row in by_folder), 11)
        done = tool.run(["compare", *self.runs, "--by", "colour"])
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("--by colour: no run says that of itself; they say bodies, ", done.stderr.decode())

    def test_columns_of_what_runs_say(self):
        """Of table info, as each run has it alone; what a run does not say is absent."""
        said = [{row["key"]: row["value"] for row in tool.table(run, "info")} for run in self.runs]
        wanted = sorted(key for key in said[0] if key.startswith("metadata."))[:1] or ["format"]
        rows = self.tables("--columns", "ranks,folder,ranks,%s" % wanted[0].replace("metadata.", ""))["compare_runs"]
        self.assertEqual([key for key in rows[0] if key.startswith("info.")],
                         ["info.ranks", "info.folder", "info." + wanted[0].replace("metadata.", "")])
        for row, run, of in zip(rows, self.runs, said):
            self.assertEqual((row["info.ranks"], row["info." + wanted[0].replace("metadata.", "")]), (of["ranks"], of.get(wanted[0])))
            self.assertEqual(row["info.folder"], os.path.basename(os.path.dirname(run)))
        for words, error in ((["--columns", "ranks,colour", *self.runs], "--columns colour: no run says that of itself; they say "),
                             (["--columns", "ranks", *self.runs[:1] * 2], "--columns is of more than two runs")):
            done = tool.run(["compare", *words])
            self.assertEqual(done.returncode, USAGE)
            self.assertIn(error, done.stderr.decode())

    def test_summaries_say_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, run in enumerate(self.runs):
                paths.append(os.path.join(folder, "%02d.cgpu" % number))
                self.assertEqual(tool.run(["summarize", run, "-o", paths[-1]]).returncode, 0)
            of_profiles = self.tables("--by", "ranks")
            two = tool.run(["compare", paths[0], paths[-1]])  # each a group by itself
            self.assertEqual(two.returncode, 0, two.stderr.decode())
            self.assertRegex(two.stdout.decode(), r"2 runs in 2 groups by input.*\n  input %s: .*\n  input %s: .* times as fast as"
                             % (re.escape(paths[0]), re.escape(paths[-1])))
            mixed = tool.run(["compare", paths[0], self.runs[-1], "--table", "groups", "--format", "csv"])
            self.assertEqual(len(mixed.stdout.decode().splitlines()), 3)
            of_summaries = tool.rows_of(json.loads(tool.run(["compare", os.path.join(folder, "*.cgpu"), "--by", "ranks",
                                                             "--format", "json"]).stdout))
            for name in ("compare_groups", "compare_statistics"):
                self.assertEqual(of_summaries[name], of_profiles[name])


class CallTrees(unittest.TestCase):
    """Programs that were sampled, without a timeline: stacks whose numbers of samples are drawn."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_of(self, name, solve3, seed=None, scale=100):
        random_source = random.Random(seed)
        lines = []
        for function, weight in (("solve1", 10), ("solve2", 15), ("solve3", solve3), ("solve4", 25)):
            count = weight * scale
            if seed is not None:
                count = round(random_source.gauss(count, math.sqrt(count)))
            lines.append("main;%s %d\n" % (function, count))
        path = os.path.join(self.folder, name + ".folded")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)
        return path

    def test_one_run_a_side_has_the_error_of_its_samples(self):
        a, b = self.run_of("a", 20, scale=1000), self.run_of("b", 32, scale=1000)  # +17.1 % of 70,000
        done = check([a], [b])
        self.assertEqual(done.returncode, REGRESSION, done.stderr)
        first = " ".join(done.stdout.decode().split())
        self.assertIn("samples: 70,000 to 82,000, +17%", first)
        self.assertIn("solve3 +12,000 (+60%), called by main", first)
        self.assertEqual(check([b], [a]).returncode, PASS)
        self.assertEqual(check([a], [a]).returncode, PASS)

    def test_few_samples_cannot_decide(self):
        self.assertEqual(check([self.run_of("a", 20, scale=4)], [self.run_of("b", 26, scale=4)]).returncode, INCONCLUSIVE)

    def test_the_interval_is_that_of_counts(self):
        a, b = self.run_of("a", 20, scale=1000), self.run_of("b", 32, scale=1000)
        rows = tool.rows_of(json.loads(check([a], [b], "--format", "json").stdout))["check_calls"]
        whole = next(row for row in rows if row["kind"] == "whole")
        change = math.log(82000 / 70000)
        half = statistics.NormalDist().inv_cdf(0.995) * math.sqrt(1 / 70000 + 1 / 82000 + 2 * 0.01 ** 2)
        self.assertAlmostEqual(whole["low_pct"], 100 * (math.exp(change - half) - 1), delta=0.01)
        self.assertAlmostEqual(whole["high_pct"], 100 * (math.exp(change + half) - 1), delta=0.01)
        functions = {row["name"]: row["change"] for row in rows if row["kind"] == "function"}
        self.assertEqual(functions, {"solve1": 0, "solve2": 0, "solve3": 12000, "solve4": 0})
        self.assertEqual(sum(functions.values()), whole["change"])

    def test_several_runs_have_their_spread(self):
        before = [self.run_of("a%d" % i, 20, seed=i) for i in range(5)]
        same = [self.run_of("s%d" % i, 20, seed=100 + i) for i in range(5)]
        after = [self.run_of("b%d" % i, 32, seed=200 + i) for i in range(5)]
        self.assertEqual(check(before, same).returncode, PASS)
        done = check(before, after, "--format", "json")
        self.assertEqual(done.returncode, REGRESSION)
        rows = {row["name"]: row for row in tool.rows_of(json.loads(done.stdout))["check_calls"]}
        self.assertEqual({name for name, row in rows.items() if row["verdict"] == "regression"}, {"", "solve3"})

    def test_summaries_and_a_metric_that_is_not_there(self):
        a, b = self.run_of("a", 20, scale=1000), self.run_of("b", 32, scale=1000)
        kept = os.path.join(self.folder, "a.cgpu")
        self.assertEqual(tool.run(["summarize", a, "-o", kept]).returncode, 0)
        self.assertEqual(check([kept], [b]).returncode, REGRESSION)
        done = check([a], [b], "--metric", "CYCLES")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("CYCLES", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
