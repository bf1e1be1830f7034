#!/usr/bin/env python3
"""`cgpu watch`: built runs (oracle/machine.py) appear in a folder while the program watches it, is killed and starts again.

Environment: CGPU (the binary).
"""
import collections
import contextlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gate_test  # noqa: E402
from oracle import docs, tool  # noqa: E402

DOCS = os.path.join(tool.ROOT, "docs", "watch.md")
MARKS = ("<!-- built: written by tests/watch_test.py --write-docs -->\n", "<!-- end of built -->\n")

PASS, REGRESSION, UNREADABLE, INCONCLUSIVE, NOT_COMPARABLE = 0, 1, 2, 3, 4


def quick(*options):
    """Options, with short times where they name none."""
    return [*("--interval=50ms --settle=100ms".split() if "--settle" not in options else ()), *options]


def setUpModule():
    tool.must_exist()


def tearDownModule():
    gate_test.RUNS.folder.cleanup()


def runs(count=1, **change):
    return gate_test.RUNS.get(count, **change)


def wait_until(condition, what, timeout=30):
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.02)


def parsed_metrics(text):
    """Samples of Prometheus' text format: {(name, labels): value}; raises ValueError for a line that is none of it."""
    label = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"'
    samples, types, helps = {}, {}, set()
    if not text.endswith("\n"):
        raise ValueError("the last line has no end")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name = line.split(" ", 3)[2]
            if name in helps:
                raise ValueError("two HELP of " + name)
            helps.add(name)
        elif line.startswith("# TYPE "):
            name, kind = line.split(" ")[2:]
            if kind not in ("counter", "gauge") or name in types or any(key[0] == name for key in samples):
                raise ValueError(line)
            types[name] = kind
        else:
            found = re.fullmatch(r"([a-zA-Z_:][a-zA-Z0-9_:]*)\{(%s(?:,%s)*)\} (\S+)" % (label, label), line)
            if not found:
                raise ValueError(line)
            labels = {key: re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), value)
                      for key, value in re.findall(label, found[2])}
            key = found[1], tuple(sorted(labels.items()))
            if key in samples or found[1] not in types or found[1] not in helps:
                raise ValueError(line)
            samples[key] = float(found[found.lastindex])
            if types[found[1]] == "counter" and not found[1].endswith("_total"):
                raise ValueError(line)
    return samples


class WatchedFolder:
    """A folder that the program watches, from start to stop or kill."""

    def __init__(self, folder, output=None):
        self.folder = folder
        self.output = output or os.path.join(folder, "cgpu-watch")
        self.process = None
        self.errors = ""

    def start(self, *options):
        self.printed, self.log = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.process = subprocess.Popen([tool.binary(), "watch", self.folder, "-o", self.output, *quick(*options)],
                                        stdin=subprocess.DEVNULL, stdout=self.printed, stderr=self.log)
        return self

    def end(self, number=signal.SIGTERM):
        """Exit status and what it printed."""
        self.process.send_signal(number)
        self.process.wait(timeout=30)
        texts = []
        for file in (self.printed, self.log):
            with file:
                file.seek(0)
                texts.append(file.read().decode("utf-8", "replace"))
        self.errors = texts[1]
        return self.process.returncode, texts[0]

    def once(self, *options):
        """Exit status, the lines that it printed, and its messages."""
        done = tool.run(["watch", self.folder, "-o", self.output, "--once", *quick(*options)])
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode("utf-8", "replace")

    def put(self, source, name, modified=None):
        """As a program that writes a file beside and renames it."""
        hidden = os.path.join(self.folder, "." + name)
        shutil.copyfile(source, hidden)
        if modified:
            os.utime(hidden, (modified, modified))
        os.rename(hidden, os.path.join(self.folder, name))

    def lines(self):
        path = os.path.join(self.output, "verdicts.jsonl")
        if not os.path.exists(path):
            return []
        return [json.loads(line) for line in tool.read(path).split(b"\n")[:-1]]

    def wait_for(self, count):
        def is_there():
            if self.process.poll() is not None:
                raise RuntimeError("ended with %d" % self.process.returncode)
            return len(self.lines()) >= count
        wait_until(is_there, "%d lines" % count)

    def metrics(self):
        return parsed_metrics(tool.read(os.path.join(self.output, "cgpu.prom")).decode())

    def metric(self, name, **labels):
        labels["folder"] = os.path.abspath(self.folder)
        return self.metrics().get(("cgpu_watch_" + name, tuple(sorted(labels.items()))))

    def history(self):
        """How often each summary is in the history of the output folder."""
        document = json.loads(tool.must_run("history", self.output, "--format", "json").stdout)
        return collections.Counter(os.path.basename(row["input"]) for row in tool.rows_of(document)["history"])


@contextlib.contextmanager
def watched(**where):
    with tempfile.TemporaryDirectory() as folder:
        one = WatchedFolder(folder, **where)
        try:
            yield one
        finally:
            if one.process and one.process.poll() is None:
                one.process.kill()
                one.process.wait()


def with_example(text):
    """The page with what the program says of the example."""
    with watched() as watch:
        for number, path in enumerate((runs(1, first=50)[0], runs(1, first=200, gemm=1.4)[0])):
            watch.put(path, "night%d.json" % (number + 1), modified=1_800_000_000 + 86400 * number)
        _, lines, _ = watch.once("--baseline", *runs(4))
    shown = ["```", "$ cgpu watch profiles/ --baseline good/*.cgpu --once"]
    for line in lines:
        line["took_ns"] = line["judged_unix_ns"] = 0
        shown.append(json.dumps(line, separators=(",", ":")))
    return docs.with_part(text, *MARKS, "\n".join([*shown, "```", ""]))


class Verdicts(unittest.TestCase):
    def test_runs_that_appear_one_after_another_are_judged(self):
        with watched() as watch:
            watch.start("--baseline", *runs(4))
            for number, path in enumerate(runs(3, first=50)):
                watch.put(path, "night%d.json" % number)
                watch.wait_for(number + 1)
            watch.put(runs(1, first=200, gemm=1.4)[0], "slow.json")
            watch.wait_for(4)
            wait_until(lambda: watch.metric("runs_total", outcome="regression") == 1, "the metric")
            status, printed = watch.end()
            self.assertEqual(status, 0, watch.errors)
            lines = watch.lines()
            self.assertEqual([json.loads(line) for line in printed.splitlines()], lines)
            self.assertEqual([line["profile"] for line in lines],
                             ["night0.json", "night1.json", "night2.json", "slow.json"])
            self.assertEqual([line["outcome"] for line in lines], ["pass"] * 3 + ["regression"])
            self.assertIn("step_time", lines[3]["headline"])
            slow = lines[3]
            status = os.stat(os.path.join(watch.folder, "slow.json"))
            self.assertEqual((slow["size_bytes"], slow["modified_unix_ns"]), (status.st_size, status.st_mtime_ns))
            self.assertEqual(slow["peak_bytes"], 1 << 30)
            self.assertEqual(slow["waiting"], 0)
            self.assertLess(abs(slow["judged_unix_ns"] / 1e9 - time.time()), 60)
            # As the verbs say it of the same run.
            summary = os.path.join(watch.output, slow["summary"])
            row, = tool.rows_of(json.loads(tool.must_run("history", summary, "--format", "json").stdout))["history"]
            self.assertEqual((row["step_ns"], row["peak_bytes"]), (slow["step_ns"], slow["peak_bytes"]))
            checked = gate_test.check(runs(4), [os.path.join(watch.folder, "slow.json")])
            self.assertEqual(checked.returncode, REGRESSION)
            self.assertIn(slow["headline"].split(",")[0], " ".join(checked.stdout.decode().split()))
            self.assertEqual(sum(watch.history().values()), 4)
            self.assertEqual(watch.metric("runs_total", outcome="pass"), 3)
            self.assertEqual(watch.metric("waiting_runs"), 0)
            self.assertAlmostEqual(watch.metric("last_step_seconds"), slow["step_ns"] / 1e9)
            self.assertEqual(watch.metric("last_peak_memory_bytes"), 1 << 30)
            self.assertAlmostEqual(watch.metric("last_verdict_timestamp_seconds"), slow["judged_unix_ns"] / 1e9, delta=0.01)
            self.assertAlmostEqual(watch.metric("last_verdict_duration_seconds"), slow["took_ns"] / 1e9)

    def test_once_ends_with_the_worst_verdict_and_does_nothing_twice(self):
        with watched() as watch:
            good, slow, other = runs(1, first=50)[0], runs(1, first=200, gemm=1.4)[0], runs(1, first=60, steps=6)[0]
            baseline = ["--baseline", *runs(4)]
            self.assertEqual(watch.once(*baseline)[:2], (PASS, []))
            watch.put(good, "b.json", modified=1000)
            watch.put(good, "a.json", modified=2000)
            status, lines, _ = watch.once(*baseline)
            self.assertEqual((status, [line["profile"] for line in lines]), (PASS, ["b.json", "a.json"]))
            self.assertEqual([line["waiting"] for line in lines], [1, 0])
            watch.put(other, "other.json")
            self.assertEqual(watch.once(*baseline)[0], NOT_COMPARABLE)
            with open(os.path.join(watch.folder, "broken.json"), "w") as broken:
                broken.write('{"traceEvents": [ nonsense')
            status, lines, _ = watch.once(*baseline)
            self.assertEqual((status, [line["outcome"] for line in lines]), (UNREADABLE, ["error"]))
            watch.put(slow, "slow.json")
            watch.put(other, "other2.json")
            self.assertEqual(watch.once(*baseline)[0], REGRESSION)
            self.assertEqual(watch.once(*baseline)[:2], (PASS, []))
            self.assertEqual(len(watch.lines()), 6)

    def test_options_of_the_check(self):
        with watched() as watch:
            watch.put(runs(1, first=200, gemm=1.4)[0], "slow.json")
            for number, (options, expected) in enumerate([
                    (["--tolerance", "50%"], PASS), (["--floor", "10ms"], PASS), ([], REGRESSION)]):
                watch.output = watch.folder + "-out%d" % number
                self.addCleanup(shutil.rmtree, watch.output)
                self.assertEqual(watch.once("--baseline", *runs(4), *options)[0], expected, options)
            watch.put(runs(1, noise="heavy")[0], "heavy.json")
            heavy = ["--baseline", *runs(1, first=100, noise="heavy"), "--tolerance", "1%", "--floor", "0"]
            os.remove(os.path.join(watch.folder, "slow.json"))
            found = []
            for inconclusive in ("report", "pass", "fail"):
                shutil.rmtree(watch.output)
                status, (line,), _ = watch.once(*heavy, "--inconclusive", inconclusive)
                found.append((line["outcome"], status))
            self.assertEqual(found, [("inconclusive", INCONCLUSIVE), ("inconclusive", PASS), ("inconclusive", REGRESSION)])

    def test_the_example_of_the_page(self):
        with open(DOCS, encoding="utf-8") as handle:
            text = handle.read()
        self.assertEqual(with_example(text), text, "tests/watch_test.py --write-docs writes it anew")

    def test_a_metric_of_call_trees(self):
        def write(path, flops):
            with open(path, "w") as caliper:
                json.dump({"data": [[1.0, 100, 0], [5.0, flops, 1]], "columns": ["time", "flops", "path"],
                           "column_metadata": [{"is_value": True}, {"is_value": True}, {"is_value": False}],
                           "nodes": [{"label": "main", "column": "path"},
                                     {"label": "solve", "column": "path", "parent": 0}]}, caliper)

        with watched() as watch, tempfile.TemporaryDirectory() as place:
            baseline, kept = (os.path.join(place, name) for name in ("good.json", "good.cgpu"))
            write(baseline, 1000)
            write(os.path.join(watch.folder, "more.json"), 4000)
            tool.must_run("summarize", baseline, "-o", kept)
            _, (line,), _ = watch.once("--baseline", baseline, "--metric", "flops")
            self.assertEqual(line["outcome"], "inconclusive")  # one run a side
            self.assertRegex(line["headline"], "^flops: 1,100 to 4,100")
            self.assertEqual((line["step_ns"], line["peak_bytes"]), (None, None))
            status, _, errors = watch.once("--baseline", kept, "--metric", "flops")
            self.assertEqual(status, 2)
            self.assertIn("is a summary, which has of its call tree the metric 'time' alone", errors)

    def test_without_a_baseline_runs_are_kept(self):
        with watched() as watch:
            watch.put(runs()[0], "a.json")
            status, (line,), _ = watch.once()
            self.assertEqual((status, line["outcome"], line["headline"], line["error"]), (PASS, "no baseline", None, None))
            self.assertGreater(line["step_ns"], 0)
            self.assertEqual(watch.metric("runs_total", outcome="no baseline"), 1)

    def test_ranks_and_summaries_in_a_folder_are_one_run(self):
        with watched() as watch:
            ranks, = runs(1, ranks=2)
            shutil.copytree(ranks, os.path.join(watch.folder, "profiles"))
            os.mkdir(os.path.join(watch.folder, "kept"))
            for name in os.listdir(ranks):
                tool.must_run("summarize", os.path.join(ranks, name), "-o",
                              os.path.join(watch.folder, "kept", name + ".cgpu"))
            shutil.copyfile(os.path.join(watch.folder, "kept", "rank0.json.cgpu"),
                            os.path.join(watch.folder, "single.cgpu"))
            os.mkdir(os.path.join(watch.folder, "empty"))
            status, lines, errors = watch.once("--baseline", ranks)
            self.assertEqual(status, NOT_COMPARABLE, lines)
            self.assertEqual({line["profile"]: (line["outcome"], line["summary"]) for line in lines},
                             {"profiles": ("pass", "profiles.cgpu"), "kept": ("pass", "kept.cgpu"),
                              "single.cgpu": ("not comparable", "single.cgpu")})
            self.assertIn("empty: holds no profile (left out)", errors)
            by_name = {line["profile"]: line for line in lines}
            self.assertEqual(by_name["profiles"]["step_ns"], by_name["kept"]["step_ns"])


class Files(unittest.TestCase):
    def test_a_file_that_grows_is_not_taken_before_it_has_settled(self):
        text = tool.read(runs()[0])
        with watched() as watch:
            watch.start("--interval", "50ms", "--settle", "600ms")
            with open(os.path.join(watch.folder, "grows.json"), "wb") as grows:
                for part in range(12):
                    grows.write(text[part * len(text) // 12:(part + 1) * len(text) // 12])
                    grows.flush()
                    time.sleep(0.15)
                    self.assertEqual(watch.lines(), [])
            watch.wait_for(1)
            status, _ = watch.end(signal.SIGINT)
            self.assertEqual(status, 0)
            line, = watch.lines()
            self.assertEqual((line["size_bytes"], line["error"], line["warnings"]), (len(text), None, []))

    def test_what_cannot_be_read_is_an_error_until_it_changes(self):
        with watched() as watch:
            path = os.path.join(watch.folder, "a.json")
            watch.put(runs()[0], "a.json")
            os.truncate(path, 40)
            status, (line,), _ = watch.once()
            self.assertEqual((status, line["outcome"], line["summary"]), (UNREADABLE, "error", None))
            self.assertIn("a.json: ", line["error"])
            self.assertEqual(watch.once()[:2], (PASS, []))
            watch.put(runs()[0], "a.json")
            status, (line,), _ = watch.once()
            self.assertEqual((status, line["outcome"], line["error"]), (PASS, "no baseline", None))
            # Damage that leaves something to read.
            whole = tool.read(runs()[0])
            with open(path, "wb") as half:
                half.write(whole[:len(whole) // 2])
            _, (line,), _ = watch.once()
            self.assertIn("the file ends inside an event", " ".join(line["warnings"]))
            self.assertEqual(len(watch.history()), 2)

    def test_what_is_no_profile_is_named_once(self):
        with watched() as watch:
            for name in ("notes.txt", ".hidden.json", "manifest.jsonl"):
                with open(os.path.join(watch.folder, name), "w") as other:
                    other.write("hello")
            os.mkfifo(os.path.join(watch.folder, "pipe"))
            with open(os.path.join(os.fsencode(watch.folder), b"bad\xff.json"), "w") as other:
                other.write("{}")
            watch.start()
            watch.put(runs()[0], "a.json")
            watch.wait_for(1)
            time.sleep(0.3)
            with open(os.path.join(watch.folder, "notes.txt"), "a") as other:
                other.write("hello again")
            time.sleep(0.5)
            watch.put(runs()[0], "b.json")
            watch.wait_for(2)
            watch.end()
            self.assertEqual([line["profile"] for line in watch.lines()], ["a.json", "b.json"])
            self.assertEqual(watch.errors.count("notes.txt: is not a profile"), 1, watch.errors)
            self.assertEqual(watch.errors.count("UTF-8"), 1, watch.errors)
            self.assertEqual(len(watch.errors.splitlines()), 2, watch.errors)
            # It is a profile now.
            watch.put(runs()[0], "notes.txt")
            self.assertEqual([line["profile"] for line in watch.once()[1]], ["notes.txt"])

    @unittest.skipIf(os.geteuid() == 0 and not shutil.which("setpriv"), "root may read everything")
    def test_a_file_that_may_not_be_read_is_taken_once_it_may(self):
        as_nobody = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        with watched() as watch, tempfile.TemporaryDirectory() as place:
            copy = os.path.join(place, "cgpu")
            shutil.copy(tool.binary(), copy)
            for folder in (place, watch.folder):
                os.chmod(folder, 0o777)
            watch.put(runs()[0], "a.json")
            path = os.path.join(watch.folder, "a.json")
            os.chmod(path, 0)
            with tempfile.TemporaryFile() as errors:
                watch.process = subprocess.Popen([*as_nobody, copy, "watch", watch.folder, *quick()],
                                                 stdout=subprocess.DEVNULL, stderr=errors)
                time.sleep(0.6)
                self.assertEqual(watch.lines(), [])
                os.chmod(path, 0o644)
                watch.wait_for(1)
                watch.process.terminate()
                self.assertEqual(watch.process.wait(), 0)
                errors.seek(0)
                self.assertRegex(errors.read().decode(), r"^cgpu: \S+a.json: cannot be read: [^\n]+\(left out\)\n$")

    def test_the_output_of_another_watch_is_no_run(self):
        with watched() as watch:
            watch.put(runs()[0], "a.json")
            watch.once()
            first, watch.output = watch.output, os.path.join(watch.folder, "other")
            self.assertEqual([line["profile"] for line in watch.once()[1]], ["a.json"])
            watch.output = first
            _, lines, errors = watch.once()
            self.assertEqual(lines, [])
            self.assertIn("other: is the output of a watch", errors)

    def test_a_file_that_is_overwritten_is_a_new_run(self):
        with watched() as watch:
            watch.put(runs()[0], "latest.json", modified=1000)
            self.assertEqual(len(watch.once()[1]), 1)
            watch.put(runs(1, gemm=1.4)[0], "latest.json", modified=2000)
            first, second = watch.once()[1] and watch.lines()
            self.assertEqual((first["summary"], second["summary"]), ("latest.json.cgpu", "latest.json.2.cgpu"))
            self.assertLess(first["step_ns"], second["step_ns"])
            self.assertEqual(dict(watch.history()), {"latest.json.cgpu": 1, "latest.json.2.cgpu": 1})


class Service(unittest.TestCase):
    def test_killed_at_any_moment_each_run_is_judged_once_and_the_memory_stays(self):
        chance = random.Random(35)
        sources = runs(4, first=50)
        count, kills = 200, 4
        names = ["run%03d.json" % number for number in range(count)]
        peaks = {}

        def peak():
            with open("/proc/%d/status" % watch.process.pid) as status:
                return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))

        with watched() as watch:
            options = ["--baseline", *runs(4), "--threads", "2"]
            kill_after = sorted(chance.sample(range(5, 60), kills))
            watch.start(*options)
            for number, name in enumerate(names):
                watch.put(sources[number % len(sources)], name)
                if number in kill_after:
                    time.sleep(chance.uniform(0.1, 0.3))
                    watch.end(signal.SIGKILL)
                    if number == kill_after[0]:  # as a power failure leaves it
                        with open(os.path.join(watch.output, "verdicts.jsonl"), "a") as torn:
                            torn.write('{"schema":"cgpu/1","profile":"run')
                    watch.start(*options)
                if number == 80:
                    watch.wait_for(81)
                    peaks["early"] = peak()
                time.sleep(0.01)
            watch.wait_for(count)
            time.sleep(0.2)
            peaks["late"] = peak()
            self.assertEqual(watch.end()[0], 0, watch.errors)
            lines = watch.lines()
            self.assertEqual(sorted(line["profile"] for line in lines), names)
            self.assertEqual({line["outcome"] for line in lines}, {"pass"})
            self.assertEqual(dict(watch.history()), {name + ".cgpu": 1 for name in names})
            self.assertEqual(watch.metric("runs_total", outcome="pass"), count)
            self.assertEqual([name for name in os.listdir(watch.output) if name.endswith(".part")], [])
            self.assertLess(peaks["late"], peaks["early"] * 1.1 + 2048, peaks)  # kB

    def test_a_run_that_ends_the_program_again_and_again_is_given_up(self):
        with watched() as watch:
            watch.put(runs()[0], "a.json")
            status = os.stat(os.path.join(watch.folder, "a.json"))
            os.makedirs(watch.output)
            with open(os.path.join(watch.output, ".reading"), "w") as reading:  # as a process that was killed leaves it
                reading.write("3 %d %d a.json" % (status.st_size, status.st_mtime_ns))
            watch.put(runs()[0], "b.json")
            code, lines, _ = watch.once()
            self.assertEqual(code, UNREADABLE)
            self.assertEqual({line["profile"]: line["outcome"] for line in lines},
                             {"a.json": "error", "b.json": "no baseline"})
            watch.put(runs()[0], "a.json")
            self.assertEqual(watch.once()[0], PASS)

    def test_what_falls_behind_says_so_once(self):
        with watched() as watch:
            for number in range(60):
                watch.put(runs()[0], "run%d.json" % number)
            watch.start("--interval", "1ms", "--settle", "0s")
            watch.wait_for(60)
            wait_until(lambda: watch.metric("waiting_runs") == 0, "the end")
            time.sleep(0.1)
            watch.end()
            self.assertEqual(len(re.findall("falls behind: [0-9]+ runs wait", watch.errors)), 1, watch.errors)
            self.assertEqual(watch.errors.count("has caught up"), 1, watch.errors)
            self.assertEqual(watch.lines()[0]["waiting"], 59)

    def test_the_age_of_the_metrics_says_whether_it_runs(self):
        with watched() as watch:
            watch.start()
            path = os.path.join(watch.output, "cgpu.prom")
            wait_until(lambda: os.path.exists(path), "the metrics")
            before = os.stat(path).st_mtime_ns
            wait_until(lambda: os.stat(path).st_mtime_ns > before, "that they are written again")

    def test_one_at_a_time_and_wrong_calls(self):
        def refused(expected, *arguments):
            done = tool.run(["watch", *arguments])
            self.assertEqual(done.returncode, 2)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(expected, done.stderr.decode())

        with watched() as watch:
            watch.start()
            wait_until(lambda: os.path.exists(os.path.join(watch.output, "cgpu.prom")), "the metrics")
            refused("another `cgpu watch` writes there", watch.folder, "-o", watch.output)
            refused("is no folder", os.path.join(watch.folder, "none"))
            refused("is a run of the watched folder", watch.folder, "-o", watch.folder)
            refused("or lies in one", watch.folder, "-o", os.path.join(watch.folder, "run", "out"))
            refused("or lies in one", watch.folder, "-o", os.path.relpath(os.path.join(watch.folder, "new", "out")))
            refused("--interval", watch.folder, "--interval", "0")
            refused("--settle", watch.folder, "--settle", "soon")
            refused("--tolerance", watch.folder, "--tolerance", "0.5")
            refused("none.cgpu", watch.folder, "--baseline", "none.cgpu")
            watch.end()
            shutil.rmtree(watch.output)
            with open(watch.output, "w"):
                refused("cgpu-watch", watch.folder)

    def test_a_full_disk_ends_it_and_the_next_start_goes_on(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit.bytes, limit.bytes))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        with watched() as watch:
            watch.put(runs()[0], "a.json")
            for limit.bytes in (4096, 400):  # the summary, the metrics
                done = subprocess.run([tool.binary(), "watch", watch.folder, "-o", watch.output, "--once", *quick()],
                                      preexec_fn=limit, capture_output=True)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr.decode(), r"^cgpu: \S+: cannot be written: .+\n$")
                self.assertEqual(watch.lines(), [])
            self.assertEqual([line["outcome"] for line in watch.once()[1]], ["no baseline"])
            self.assertEqual(dict(watch.history()), {"a.json.cgpu": 1})

    def test_standard_output_that_cannot_be_written(self):
        with watched() as watch, open("/dev/full", "w") as full:
            watch.put(runs()[0], "a.json")
            done = subprocess.run([tool.binary(), "watch", watch.folder, "--once", *quick()], stdout=full,
                                  stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"standard output", done.stderr)


if __name__ == "__main__":
    docs.main(DOCS, with_example)
