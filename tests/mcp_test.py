#!/usr/bin/env python3
"""`cgpu-mcp`: asked by the official SDK's own client over standard input and output and over HTTP, in conversations whose
answers are known from elsewhere (the raw files, truth facts, other commands); how long answers are; what is refused; and
the protocol's conformance tests, where npm has them (scripts/mcp-conformance).

Environment: CGPU (the binary in its build folder).
"""
import base64
import collections
import concurrent.futures
import contextlib
import csv
import http.client
import importlib
import io
import json
import os
import pathlib
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import causes, kineto, machine, tokens, tool  # noqa: E402
from oracle.python_package import PROGRAM, ROOT, installed  # noqa: E402

EXAMPLES = ROOT / "examples"
GENERATED = str(EXAMPLES / "generated_training.json.gz")
WORKERS_0, WORKERS_4 = str(EXAMPLES / "cnn_workers0.json.gz"), str(EXAMPLES / "cnn_workers4.json.gz")
LLM = str(EXAMPLES / "llm_decode.json.gz")
CORPUS, TRUTH = pathlib.Path(tool.shared("corpus")), pathlib.Path(tool.shared("truth"))
TOOLS = {"open", "diagnose", "explain", "compare", "table", "sql", "find", "timeline"}
MOST = 2000  # tokens
ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}

anyio = mcp = from_thread = None
server_program = None
count_tokens = estimated_tokens = None  # the first where its package can be had


def setUpModule():
    global anyio, mcp, from_thread, server_program, count_tokens, estimated_tokens
    tool.must_exist()
    extra = re.search(r"^mcp = \[(.*)\]$", (ROOT / "python/pyproject.toml").read_text(), re.M)[1]
    environment, _ = installed("python-mcp", [one.split(";")[0] for one in re.findall(r'"([^"]+)"', extra)])
    anyio, mcp, from_thread = (importlib.import_module(name) for name in ("anyio", "mcp", "anyio.from_thread"))
    server_program = str(environment / "bin/cgpu-mcp")
    estimated_tokens = importlib.import_module("cgpu.agents.tokens").estimated_tokens
    count_tokens = tokens.counter()


def tokens_of(text):
    """As they are counted, or, where they cannot be, estimated: which is at most a twentieth less."""
    return count_tokens(text) if count_tokens else round(estimated_tokens(text) / 0.95)


class Talk:
    """A client in a conversation with a server: a target of the SDK's Client."""

    def __init__(self, test, target, **options):
        self._test = test
        self._portal = test.enterContext(from_thread.start_blocking_portal())
        self.client = test.enterContext(self._portal.wrap_async_context_manager(mcp.Client(target, **options)))

    def call(self, tool_name, /, **arguments):
        """The result. from_ is "from"."""
        given = {key.rstrip("_"): value for key, value in arguments.items()}
        return self._portal.call(self.client.call_tool, tool_name, given)

    def tools(self):
        return self._portal.call(self.client.list_tools).tools

    def ask(self, tool_name, /, **arguments):
        """The text of an answer, which has to be short and to end with a command."""
        result = self.call(tool_name, **arguments)
        text = result.content[-1].text
        self._test.assertFalse(result.is_error, text)
        self._test.assertLessEqual(tokens_of(text), MOST)
        self._test.assertRegex(text.splitlines()[-1], r"^In full: (cgpu|ls) ")
        return text

    def open(self, *paths, **options):
        """The handle of a run."""
        return self.ask("open", paths=[str(path) for path in paths], **options).split(" ", 1)[0]

    def refused(self, tool_name, /, **arguments):
        """The line of an error."""
        result = self.call(tool_name, **arguments)
        text = result.content[0].text
        self._test.assertTrue(result.is_error, text)
        self._test.assertLessEqual(len(text), 2000)
        self._test.assertNotIn("Traceback", text)
        return text


def by_stdio(*folders):
    from mcp.client.stdio import StdioServerParameters  # pylint: disable=import-outside-toplevel

    return StdioServerParameters(command=server_program, args=[str(folder) for folder in folders])


@contextlib.contextmanager
def serving(*folders):
    """A server by HTTP; its port."""
    with subprocess.Popen([server_program, "--http", "--port", "0", *map(str, folders)], stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as process:
        try:
            line = process.stderr.readline()
            port = int(re.match(r"http://127\.0\.0\.1:(\d+)/mcp", line)[1])
            wait_for(port)
            yield port
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
    if process.returncode not in (0, -signal.SIGINT, 130):
        raise AssertionError("the server ended with %d" % process.returncode)


def wait_for(port):
    for _ in range(200):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("nobody listens on port %d" % port)


def rows_in(text):
    """The CSV of an answer, rows as dicts: from the line with most commas on, which is a heading or a row."""
    lines = [line for line in text.splitlines() if not re.match(r"(Left out|In full): |\(no rows", line)]
    begin = next(at for at, line in enumerate(lines) if re.fullmatch(r"[\w.]+( \[[^]]+\])?(,[\w.]+( \[[^]]+\])?)+", line))
    return list(csv.DictReader(io.StringIO("\n".join(lines[begin:]))))


def command_in(text):
    """The output of the command that an answer ends with. Fails where it does not run."""
    command = text.splitlines()[-1].removeprefix("In full: ")
    done = in_a_shell(command)
    if done.returncode:
        raise AssertionError("%s: exit %d: %s" % (command, done.returncode, done.stderr.decode()))
    return done.stdout.decode()


def in_a_shell(command):
    return subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120, check=False,
                          env=dict(os.environ, NO_COLOR="1", PATH="%s:%s" % (PROGRAM.parent, os.environ["PATH"])))


def kernels_of(path, window=None):
    """{name: time}, of a raw trace; clipped to a window from the start."""
    trace = kineto.load(path)
    zero = min(one.start for one in trace.slices if one.category != "Trace")
    low, high = (zero + at for at in window) if window else (zero, 2**63)
    times = collections.Counter()
    for op in trace.device_ops:
        length = min(op.end, high) - max(op.start, low)
        if op.kind == "kernel" and length > 0:
            times[op.name] += length
    return times


def facts(name, table, kind="row"):
    """What ../shared/truth says of a profile: its path, and the facts about a table."""
    if not TRUTH.exists() or not CORPUS.exists():
        raise unittest.SkipTest("no corpus beside the repository")
    document = json.loads((TRUTH / (name + ".json")).read_text())
    return CORPUS / document["file"], [fact for fact in document["facts"] if fact["table"] == table and fact["kind"] == kind]


class OnExamples(unittest.TestCase):
    """What an engineer asks, about profiles that everybody has."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.talk = Talk(self, by_stdio(EXAMPLES, self.folder))

    def test_why_is_the_gpu_idle(self):
        run = self.talk.open("generated_training.json.gz")
        idle = tool.table(GENERATED, "idle")
        total = sum(row["total_ns"] for row in idle)
        most = max(idle, key=lambda row: row["total_ns"])
        text = self.talk.ask("diagnose", run=run)
        self.assertIn("%s %.1f%%" % (most["cause"], 100 * most["total_ns"] / total), text)
        rows = rows_in(self.talk.ask("table", run=run, table="idle", sort="total_ns"))
        self.assertEqual([(row["cause"], int(row["total_ns"])) for row in rows],
                         [(row["cause"], row["total_ns"]) for row in sorted(idle, key=lambda row: -row["total_ns"])])

    def test_why_is_it_slow(self):
        """The first answer: short, what the program finds, and what to do."""
        run = self.talk.open("generated_training.json.gz")
        text = self.talk.ask("diagnose", run=run)
        first = tool.table(GENERATED, "findings")[0]
        self.assertLess(len(text), 4000)
        self.assertIn("1. %s: %s" % (first["severity"], first["title"]), text)
        self.assertIn("try: " + first["suggestion"], text)
        more = re.search(r'more: table\(run="(r\d+)", table="(\w+)"', text)
        self.talk.ask("table", run=more[1], table=more[2])  # what it leads to is there

    def test_why_is_a_run_without_a_device_slow(self):
        run = self.talk.open("llm_decode.json.gz")
        text = self.talk.ask("diagnose", run=run)
        own = max(tool.table(LLM, "ops"), key=lambda row: row["cpu_self_ns"])
        self.assertIn(own["name"], text)

    def test_which_kernel_costs_most(self):
        run = self.talk.open("generated_training.json.gz")
        text = self.talk.ask("table", run=run, table="kernels", sort="total_ns", top=1)
        ((name, time_of_it),) = kernels_of(GENERATED).most_common(1)
        self.assertEqual([(row["name"], int(row["total_ns"])) for row in rows_in(text)], [(name, time_of_it)])
        self.assertIn("rows 1 to 1 of 17", text)
        (row,) = rows_in(self.talk.ask("table", run=run, table="kernels", sort="total_ns", top=1, skip=1))
        self.assertNotEqual(row["name"], name)

    def test_what_changed_between_two_runs(self):
        a, b = self.talk.open("cnn_workers0.json.gz"), self.talk.open("cnn_workers4.json.gz")
        text = self.talk.ask("compare", a=a, b=b)
        told = tool.run(["compare", WORKERS_0, WORKERS_4]).stdout.decode()
        self.assertIn(told.splitlines()[0], text)
        (change,) = [float(row["delta"]) for row in rows_in(self.talk.ask("compare", a=a, b=b, table="summary", top=1000))
                     if row["name"] == "time_ns"]
        parts, skip = 0, 0
        while rows := rows_in(self.talk.ask("compare", a=a, b=b, table="causes", where="delta_ns != 0", top=1000, skip=skip)):
            parts += sum(int(row["delta_ns"]) for row in rows)
            skip += len(rows)
        self.assertAlmostEqual(parts, change, delta=skip)  # each is rounded to whole ns
        self.assertLess(change, -5_000_000)

    def test_which_rank_is_slow(self):
        machines = machine.run(causes.training(("slow device", 3000, True)), 3)
        machine.write(machines, self.folder)
        run = self.talk.open(self.folder)
        text = self.talk.ask("diagnose", run=run)
        self.assertRegex(text, r"1\. \w+: .*\[straggler\]")
        self.assertRegex(text, r"where: rank 2")

    def test_what_happens_between_two_times(self):
        run = self.talk.open("generated_training.json.gz")
        text = self.talk.ask("explain", run=run, from_="20ms", to=25_000_000)
        ((name, time_of_it),) = kernels_of(GENERATED, (20_000_000, 25_000_000)).most_common(1)
        self.assertRegex(text, r"(?m)^  %s, 11 x .* %s$" % (re.escape("%.3g ms" % (time_of_it / 1e6)), re.escape(name)))
        self.assertIn("synchronization", text)

    def test_what_an_op_is(self):
        run = self.talk.open("llm_decode.json.gz")
        text = self.talk.ask("explain", run=run, name="aten::mm")
        slices = kineto.load(LLM).slices
        own = [one for one in slices if one.name == "aten::mm"]
        self.assertIn("%d of them, together %d ns" % (len(own), sum(one.duration for one in own)), text)
        longest = max(own, key=lambda one: one.duration)
        zero = min(one.start for one in slices if one.category != "Trace")
        self.assertIn("from %d to %d ns" % (longest.start - zero, longest.end - zero), text)
        self.assertIn("inside of: aten::matmul", text)

    def test_who_launches_a_kernel(self):
        run = self.talk.open("generated_training.json.gz")
        text = self.talk.ask("explain", run=run, name="fused_moe_kernel")
        self.assertIn("launched by: moe::experts 64 x", text)
        self.assertIn("class moe_gemm", text)

    def test_longest_slices_of_a_name(self):
        run = self.talk.open("llm_decode.json.gz")
        rows = rows_in(self.talk.ask("find", run=run, name="^aten::(mm|mul)$", longer_than="1ms", top=5))
        own = sorted((one.duration for one in kineto.load(LLM).slices if one.name in ("aten::mm", "aten::mul")), reverse=True)
        self.assertEqual([int(row["duration_ns"]) for row in rows], own[:5])
        inside = rows_in(self.talk.ask("find", run=run, from_="100ms", to="101ms", order="time", top=1000))
        self.assertTrue(all(int(row["start_ns"]) < 101_000_000 and int(row["start_ns"]) + int(row["duration_ns"]) > 100_000_000
                            for row in inside))

    def test_a_question_in_sql_over_two_runs(self):
        a, b = self.talk.open("cnn_workers0.json.gz"), self.talk.open("cnn_workers4.json.gz")
        text = self.talk.ask("sql", runs=[a, b], query="SELECT (SELECT count(*) FROM %s.slices) AS a, (SELECT count(*) FROM "
                             "%s.slices) AS b" % (a, b))
        (row,) = rows_in(text)
        self.assertEqual((int(row["a"]), int(row["b"])), tuple(len(kineto.load(path).slices) for path in (WORKERS_0, WORKERS_4)))
        self.assertIn(row["a"], command_in(text).replace(",", ""))

    def test_runs_have_the_names_that_they_are_given(self):
        a, b = self.talk.open("cnn_workers0.json.gz"), self.talk.open("cnn_workers4.json.gz")
        query = "SELECT (SELECT count(*) FROM before.slices) AS before, (SELECT count(*) FROM after.slices) AS after"
        text = self.talk.ask("sql", runs={"before": a, "after": b}, query=query)
        (row,) = rows_in(text)
        self.assertEqual((int(row["before"]), int(row["after"])), tuple(len(kineto.load(path).slices) for path in (WORKERS_0, WORKERS_4)))
        self.assertIn(row["before"], command_in(text).replace(",", ""))
        one = self.talk.ask("sql", runs={"only": a}, query="SELECT count(*) AS n FROM only.slices")
        self.assertEqual(one.splitlines()[1], row["before"])

    def test_a_run_is_found_by_its_file(self):
        run = self.talk.open("cnn_workers0.json.gz")
        for name in ("cnn_workers0.json.gz", WORKERS_0):
            self.assertEqual(self.talk.ask("table", run=name, table="ops", top=3), self.talk.ask("table", run=run, table="ops", top=3))
        part = self.talk.open("cnn_workers0.json.gz", from_="50ms")
        self.assertIn("name one of %s, %s" % (run, part), self.talk.refused("diagnose", run="cnn_workers0.json.gz"))
        self.assertIn("no run has this handle", self.talk.refused("diagnose", run="llm_decode.json.gz"))

    def test_what_a_cause_of_idle_time_is(self):
        run = self.talk.open("h100/workers_0.json.gz")
        path = str(EXAMPLES / "h100/workers_0.json.gz")
        (row,) = [row for row in tool.table(path, "idle") if row["cause"] == "data_loading"]
        gaps = [gap for gap in tool.table(path, "idle_gaps") if gap["cause"] == "data_loading"]
        self.assertEqual(sum(gap["duration_ns"] for gap in gaps), row["total_ns"])
        for name in ("data_loading", "Data loading", "data-loading"):
            text = self.talk.ask("explain", run=run, name=name)
            self.assertIn("%d ns in %d parts of gaps, the longest %d ns; %.2f %% of its idle time"
                          % (row["total_ns"], row["count"], row["max_ns"], row["pct"]), text)
            self.assertIn(" at %d ns, rank 0, device 0" % max(gaps, key=lambda gap: gap["duration_ns"])["start_ns"], text)
            self.assertIn("enumerate(DataLoader)", text)
        self.assertEqual(len(list(csv.DictReader(io.StringIO(command_in(text))))), len(gaps))
        self.assertIn("causes of idle time are data_loading, ", self.talk.refused("explain", run=run, name="compilation"))

    def test_steps_that_a_part_cuts_are_not_counted(self):
        run = self.talk.open("generated_training.json.gz")
        steps = tool.table(GENERATED, "steps")
        for begin, end in ((20, 25), (10, 60), (0, 100)):
            low, high = begin * 1_000_000, end * 1_000_000
            text = self.talk.ask("explain", run=run, from_="%dms" % begin, to="%dms" % end)
            self.assertNotRegex(text, r"a step \(|\* \d+ steps? of ")
            line = next(line for line in text.splitlines() if line.startswith("Steps: "))
            ends = {row["step"]: (row["start_ns"], row["start_ns"] + row["duration_ns"]) for row in steps}
            whole = [step for step, (first, last) in ends.items() if low <= first and last <= high]
            cut = {step: round(100 * (min(last, high) - max(first, low)) / (last - first))
                   for step, (first, last) in ends.items() if step not in whole and first < high and last > low}
            self.assertEqual(re.findall(r"(\d+) whole", line), [str(len(whole))] if whole else [])
            self.assertEqual({int(step): int(share) for step, share in re.findall(r"(\d+) \((\d+) % of it\)", line)}, cut)

    def test_findings_that_changed_are_said_once(self):
        a, b = self.talk.open("h100/copies_pageable.json.gz"), self.talk.open("h100/copies_pinned.json.gz")
        text = self.talk.ask("compare", a=a, b=b)
        self.assertEqual(text.count("Findings that changed"), 1)
        self.assertEqual(text.count("pageable_copies (gone)"), 1)

    def test_what_it_looks_like(self):
        run = self.talk.open("generated_training.json.gz")
        result = self.talk.call("timeline", run=run, from_="20ms", to="25ms")
        picture, text = result.content
        self.assertEqual((picture.type, picture.mime_type, text.type), ("image", "image/png", "text"))
        data = base64.b64decode(picture.data)
        self.assertTrue(data.startswith(b"\x89PNG\r\n\x1a\n"))
        self.assertEqual(int.from_bytes(data[16:20], "big"), 1200)
        self.assertLess(len(data), 200_000)
        self.assertIn("cgpu view", text.text)

    def test_what_there_is(self):
        text = self.talk.ask("open")  # of each folder the first names
        for path in (GENERATED, WORKERS_0):
            self.assertIn(os.path.basename(path), text)
        run = self.talk.open("generated_training.json.gz")
        self.assertIn("%s is open" % run, self.talk.ask("open"))
        self.assertEqual(self.talk.open(GENERATED), run)  # the same again
        self.assertNotEqual(self.talk.open(GENERATED, from_="1ms"), run)
        named = {row["table"] for row in rows_in(self.talk.ask("table", run=run))}
        self.assertLessEqual(named, {row["name"] for row in tool.rows_of(json.loads(
            tool.run(["table", "--list", "--format", "json"]).stdout))["tables"]})
        columns = rows_in(self.talk.ask("table", run=run, table="kernels", describe=True))
        self.assertIn({"column": "total_ns", "unit": "ns", "meaning": "sum of the durations"}, columns)


class OnTheCorpus(unittest.TestCase):
    """The same about profiles of real programs, against what was computed elsewhere."""

    def setUp(self):
        if not CORPUS.exists() or not TRUTH.exists():
            self.skipTest("no corpus beside the repository")
        self.talk = Talk(self, by_stdio(CORPUS))

    def test_why_is_the_gpu_idle(self):
        path, (fact, *_) = facts("kineto_b200", "gpu_time")
        run = self.talk.open(path)
        text = self.talk.ask("diagnose", run=run)
        self.assertIn("idle %.1f%%" % (100 * fact["expect"]["idle_ns"] / fact["expect"]["span_ns"]), text)
        self.assertIn("[launch_bound]", text)
        self.assertIn("CUDA graphs", text)

    def test_which_kernel_costs_most(self):
        path, rows = facts("kineto_resnet50_4", "kernels")
        most = max(rows, key=lambda fact: fact["expect"].get("total_ns", 0))
        run = self.talk.open(path)
        (row,) = rows_in(self.talk.ask("table", run=run, table="kernels", sort="total_ns", top=1,
                                       columns=["total_ns", "count"]))
        self.assertEqual((int(row["total_ns"]), int(row["count"])), (most["expect"]["total_ns"], most["expect"]["count"]))
        _, (whole,) = facts("kineto_resnet50_4", "kernels", "sum")
        self.assertIn(str(whole["expect"]["sum(total_ns)"]),
                      self.talk.ask("sql", runs=[run], query="SELECT sum(total_ns) AS total_ns FROM kernels"))

    def test_what_happens_between_two_times(self):
        path, _ = facts("kineto_resnet50_4", "kernels")
        text = self.talk.ask("explain", run=self.talk.open(path), from_="100ms", to="150ms")
        ((name, time_of_it),) = kernels_of(str(path), (100_000_000, 150_000_000)).most_common(1)
        self.assertRegex(text, r"(?m)^  %.3g ms, .* kernel time: %s" % (time_of_it / 1e6, re.escape(name[:90])))

    def test_what_changed(self):
        before, _ = facts("nsys_mfu_before", "gpu_time")
        after, _ = facts("nsys_mfu_after", "gpu_time")
        text = self.talk.ask("compare", a=self.talk.open(before), b=self.talk.open(after))
        self.assertIn(tool.run(["compare", before, after]).stdout.decode().splitlines()[0], text)

    def test_longest_copies(self):
        path, _ = facts("nsys_power_iteration", "gpu_time")
        with contextlib.closing(sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True)) as database:
            want = [row[0] for row in database.execute(
                "SELECT end - start FROM CUPTI_ACTIVITY_KIND_MEMCPY ORDER BY 1 DESC LIMIT 4")]
        rows = rows_in(self.talk.ask("find", run=self.talk.open(path), kind="memcpy", top=4))
        self.assertEqual([int(row["duration_ns"]) for row in rows], want)

    def test_which_function_costs_most(self):
        path, (fact,) = facts("hpc_loops_cputime", "call_tree", "tree")
        run = self.talk.open(path)
        first = fact["top"][0]
        text = self.talk.ask("diagnose", run=run)
        self.assertIn(first["function"], text)
        rows = rows_in(self.talk.ask("sql", runs=[run], query='SELECT name, "CPUTIME.exclusive" FROM functions '
                                     "ORDER BY 2 DESC", top=5))
        self.assertEqual([row["name"] for row in rows], [one["function"] for one in fact["top"]])
        self.assertAlmostEqual(float(rows[0]["CPUTIME.exclusive [sec]"]), first["exclusive"], 5)

    def test_how_long_a_measured_kernel_took(self):
        path, launches = facts("ncu_mistic", "launch_metrics", "launch")
        text = self.talk.ask("explain", run=self.talk.open(path), name="distanceCalculations")
        self.assertIn("duration_ns: %d" % launches[0]["expect"]["duration_ns"], text)

    def test_how_much_is_communication(self):
        path, (fact, *_) = facts("ascend_text_level1_rank0", "gpu_time")
        (row,) = rows_in(self.talk.ask("table", run=self.talk.open(path), table="gpu_time"))
        self.assertAlmostEqual(int(row["comm_ns"]), fact["expect"]["comm_ns"], delta=fact["tolerance"])

    def test_how_busy_each_device_is(self):
        path, rows = facts("nsys_h100", "gpu_time")
        told = {row["device"]: row for row in rows_in(self.talk.ask("table", run=self.talk.open(path), table="gpu_time"))}
        busy = [fact for fact in rows if isinstance(fact["expect"].get("busy_ns"), int)]
        self.assertTrue(busy)
        for fact in busy:
            self.assertEqual(int(told[fact["key"]["device"]]["busy_ns"]), fact["expect"]["busy_ns"])

    def test_how_often_it_launches(self):
        path, rows = facts("kineto_bert_h100", "api")
        run = self.talk.open(path)
        self.assertTrue(rows)
        for fact in rows:
            with self.subTest(fact["key"]):
                own = rows_in(self.talk.ask("sql", runs=[run], query="SELECT name, count FROM api WHERE name = '%s'"
                                            % fact["key"]["name"]))
                self.assertEqual([int(row["count"]) for row in own], [fact["expect"]["count"]])

    def test_answers_about_every_format(self):
        """Each tool, of one profile a format: an answer or a line, short, and its command runs."""
        chosen = [sorted(folder.iterdir())[0] for folder in sorted(CORPUS.iterdir()) if folder.is_dir()]
        answered = 0
        for path in chosen:
            result = self.talk.call("open", paths=[str(path)])
            self.assertLessEqual(tokens_of(result.content[0].text), MOST)
            if result.is_error:
                continue
            run = result.content[0].text.split(" ", 1)[0]
            for name, arguments in (("diagnose", {}), ("explain", {"name": "a"}), ("explain", {"from": 0, "to": "1ms"}),
                                    ("find", {}), ("table", {}), ("table", {"table": "info"}), ("timeline", {}),
                                    ("table", {"table": "notes", "top": 1000})):
                with self.subTest(path=path.name, tool=name, **arguments):
                    result = self.talk.call(name, run=run, **arguments)
                    text = result.content[-1].text
                    self.assertLessEqual(tokens_of(text), MOST)
                    answered += not result.is_error
                    self.assertNotIn("Traceback", text)
        self.assertGreater(answered, 50)


class Answers(unittest.TestCase):
    """Of every kind: short, complete about what they leave out, and repeated by their command."""

    def setUp(self):
        self.talk = Talk(self, by_stdio(EXAMPLES))

    def test_every_table_of_every_example(self):
        cut = 0
        for path in sorted(EXAMPLES.glob("*.json.gz")):
            run = self.talk.open(path)
            for row in rows_in(self.talk.ask("table", run=run)):
                with self.subTest(path=path.name, table=row["table"]):
                    text = self.talk.ask("table", run=run, table=row["table"], top=1000)
                    shown = text.count("\n") - text.count("Left out") - 2
                    if found := re.search(r"rows 1 to (\d+) of ([\d,]+)", text):
                        self.assertEqual(int(found[1]), shown)
                        self.assertLess(shown, int(found[2].replace(",", "")))
                        cut += 1
        self.assertGreater(cut, 0)

    def test_estimated_tokens_are_about_those_of_a_vocabulary(self):
        """Neither over the limit, nor much shorter than they may be."""
        if not count_tokens:
            self.skipTest(tokens.PACKAGE + " cannot be installed")
        run = self.talk.open("generated_training.json.gz")
        for table, top in (("memory_events", 1000), ("slices", 1000), ("call_tree", 1000), ("kernels", 5), ("notes", 20)):
            with self.subTest(table):
                text = self.talk.ask("table", run=run, table=table, top=top)
                ratio = estimated_tokens(text) / count_tokens(text)
                self.assertGreater(ratio, 0.95)
                self.assertLess(ratio, 1.5)
                if top == 1000:
                    self.assertGreater(count_tokens(text), 0.6 * MOST)

    def test_pages_join(self):
        """Rows asked for page by page are all rows, in order."""
        run = self.talk.open("generated_training.json.gz")
        want = [str(row["slice"]) for row in tool.table(GENERATED, "slices", "--where", "duration_ns > 300us")]
        got = []
        while True:
            text = self.talk.ask("table", run=run, table="slices", where="duration_ns > 300us", top=1000, skip=len(got),
                                 columns=["slice", "name", "start_ns", "thread"])
            rows = rows_in(text)
            got += [row["slice"] for row in rows]
            more = re.search(r"of [\d,]+; the next with skip=(\d+)", text)
            if not more:
                break
            self.assertEqual(int(more[1]), len(got))
        self.assertIn("no rows after the first 5000", self.talk.ask("table", run=run, table="kernels", skip=5000))
        self.assertEqual(got, want)
        self.assertGreater(len(got), 40)

    def test_commands_run_and_say_the_same(self):
        runs = [self.talk.open("cnn_workers0.json.gz"), self.talk.open("generated_training.json.gz", from_="1ms", to="60ms")]
        a, b = runs
        for run in runs:
            for name, arguments in [("diagnose", {}), ("explain", {"name": "aten::add"}), ("explain", {"from": "5ms", "to": "9ms"}),
                                    ("find", {"name": "it's"}), ("find", {"name": "aten::mul$", "top": 3}),
                                    ("table", {}), ("table", {"table": "ops", "where": "count > 3", "sort": "+name"}),
                                    ("table", {"table": "kernels", "options": {"names": "base"}}),
                                    ("table", {"table": "ops", "describe": True}),
                                    ("sql", {"runs": [run], "query": "SELECT name, 'it''s' AS t FROM ops"}),
                                    ("sql", {"runs": [run], "query": "SELECT 'a\\''$x' -- why\n, count(*)\nFROM ops"})]:
                with self.subTest(run=run, tool=name, **arguments):
                    text = self.talk.ask(name, **({} if "runs" in arguments else {"run": run}), **arguments)
                    self.assertTrue(command_in(text))
        text = self.talk.ask("table", run=b, table="kernels", sort="total_ns")
        told = list(csv.DictReader(io.StringIO(command_in(text))))
        self.assertEqual([row["total_ns"] for row in rows_in(text)], [row["total_ns"] for row in told])
        for arguments in ({}, {"table": "ops", "top": 3}, {"table": "kernels", "by": "class"}, {"table": "list"}):
            with self.subTest(**arguments):
                self.assertTrue(command_in(self.talk.ask("compare", a=a, b=a, **arguments)))
        self.assertTrue(command_in(self.talk.ask("diagnose", run=a, against=a)))

    def test_long_texts_are_cut_and_say_so(self):
        run = self.talk.open("generated_training.json.gz")
        text = self.talk.ask("sql", runs=[run], query="SELECT printf('%.*c', 100000, 'x') AS long FROM kernels")
        self.assertIn("texts are cut", text)
        text = self.talk.ask("sql", runs=[run], query="SELECT " + ", ".join("'%099d' AS c%d" % (at, at) for at in range(150)))
        self.assertLessEqual(tokens_of(text), MOST)


class Refusals(unittest.TestCase):
    """One line each that says what to do, as an error of the tool; and the server goes on."""

    def setUp(self):
        outside = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.secret = outside / "secret.json"
        self.secret.write_text(pathlib.Path(self._trace()).read_text())
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        self.talk = Talk(self, by_stdio(self.folder))

    def _trace(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
            json.dump({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 2,
                                        "args": {"device": 0, "stream": 7}}]}, file)
        self.addCleanup(os.unlink, file.name)
        return file.name

    def put(self, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.secret.read_text())
        return path

    def test_what_lies_outside(self):
        self.put("run/a.json")
        (self.folder / "link.json").symlink_to(self.secret)
        self.put("linked/b.json")
        (self.folder / "linked" / "deep").mkdir()
        (self.folder / "linked" / "deep" / "c.json").symlink_to(self.secret)
        self.put("folder_link/d.json")
        (self.folder / "folder_link" / "more").symlink_to(self.secret.parent, target_is_directory=True)
        self.put("captured/e.json")
        (self.folder / "captured" / "capture_traces").symlink_to(self.secret.parent, target_is_directory=True)
        for path in (str(self.secret), str(self.secret.parent), "/etc/passwd", "/nothing/there", "link.json",
                     "linked", "linked/deep/c.json", "folder_link", "folder_link/more/secret.json", "captured/e.json",
                     "linked/deep/*.json", "/proc/self/environ", "//etc/passwd"):
            with self.subTest(path):
                self.assertRegex(self.talk.refused("open", paths=[path]), "outside of the folders|leaves the folders")
        for path in ("../secret.json", "run/../../secret.json", str(self.folder / "run/../run/a.json"),
                     os.path.relpath(self.secret, self.folder)):
            with self.subTest(path):
                self.assertIn("..", self.talk.refused("open", paths=[path]))
        # The same words for what is there and what is not.
        for there, missing in (("/etc/passwd", "/etc/nothing"), ("folder_link/more/secret.json", "folder_link/more/none.json"),
                               ("folder_link/more/*.json", "folder_link/more/*.none"), ("*/more/sec*", "*/more/non*"),
                               ("/etc/pass*", "/etc/none*")):
            with self.subTest(there):
                self.assertEqual(self.talk.refused("open", paths=[there]).replace(there, ""),
                                 self.talk.refused("open", paths=[missing]).replace(missing, ""))
        self.talk.open("run")  # and what lies inside is read

    def test_a_link_that_leads_out_hides_no_other_file_of_a_list(self):
        self.put("run/a.json")
        (self.folder / "run" / "out.json").symlink_to(self.secret)
        for text in (self.talk.ask("open"), self.talk.ask("open", folder="run")):
            self.assertIn("a.json", text)
            self.assertNotIn("out.json", text)
            self.assertIn("links that leave the folders that may be read: 1", text)
        (self.folder / "away").symlink_to(self.secret.parent, target_is_directory=True)
        for name in ("away", "/etc", str(self.secret.parent), "nothing"):
            self.talk.refused("open", folder=name)

    def test_only_what_can_be_opened_is_listed(self):
        self.put("run/a.json")
        (self.folder / "run" / "times.json").write_text('{"step": 3}')
        (self.folder / "run" / "notes.md").write_text("nothing")
        (self.folder / "empty.json").write_text("")
        subprocess.run([PROGRAM, "summarize", self.folder / "run/a.json", "-o", self.folder / "a.cgpu"], check=True)
        text = self.talk.ask("open")
        self.assertIn("2 profiles can be opened", text)
        for name in ("a.json", "a.cgpu"):
            self.assertIn(name, text)
        for name in ("times.json", "notes.md", "empty.json"):
            self.assertNotIn(name, text)
        self.assertIn("3 files that are no profiles", text)
        (self.folder / "bare").mkdir()
        self.assertIn("no profile that can be opened", self.talk.ask("open", folder="bare"))

    def test_links_inside_are_followed(self):
        self.put("run/a.json")
        (self.folder / "inside.json").symlink_to(self.folder / "run" / "a.json")
        self.talk.open("inside.json")

    def test_a_folder_that_is_named_by_a_link(self):
        path = self.put("run/a.json")
        with tempfile.TemporaryDirectory() as elsewhere:
            link = os.path.join(elsewhere, "link")
            os.symlink(self.folder, link)
            folders = importlib.import_module("cgpu.agents.folders").Folders([link])
            for name in (link, str(self.folder)):
                self.assertEqual(folders.inputs(name), [str(self.folder)])
            for name in (link + "/run/a.json", str(path), "run/a.json", link + "/run/*"):
                self.assertEqual(folders.inputs(name), [str(path)])

    def test_a_link_that_comes_later(self):
        path = self.put("a.json")
        run = self.talk.open(path)
        path.unlink()
        path.symlink_to(self.secret)
        self.assertIn("outside of the folders", self.talk.refused("explain", run=run, from_=0, to="1s"))
        self.assertIn("outside of the folders", self.talk.refused("open", paths=["a.json"]))

    def test_files_of_options(self):
        run = self.talk.open(self.put("run/a.json"))
        for name, arguments in [("open", {"paths": ["run/a.json"], "capture": str(self.secret)}),
                                ("open", {"paths": ["run/a.json"], "kernel_rules": "/etc/passwd"}),
                                ("diagnose", {"run": run, "rules": "/etc/passwd"}),
                                ("table", {"run": run, "table": "findings", "options": {"rules": "/etc/passwd"}}),
                                ("table", {"run": run, "table": "findings", "options": {"rules": ["/etc/passwd"]}}),
                                ("open", {"paths": ["a=" + str(self.secret)]}), ("open", {"folder": "/etc"})]:
            with self.subTest(name, **arguments):
                self.assertRegex(self.talk.refused(name, **arguments), "outside of the folders|no such file")
        self.assertRegex(self.talk.refused("sql", runs=[run], query="ATTACH '/etc/passwd' AS x"), "only reading")

    def test_what_is_no_profile(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "empty.json").touch()
        (self.folder / "text.txt").write_text("nothing of that kind")
        for path in ("pipe", "empty.json", "text.txt", "-", "", "a\0b", "no/such.json", "x" * 4000, "*.nothing", "\udcff"):
            with self.subTest(path):
                self.talk.refused("open", paths=[path.encode("utf-8", "replace").decode()])

    def test_handles(self):
        run = self.talk.open(self.put("a.json"))
        self.assertIn("open are: %s" % run, self.talk.refused("diagnose", run="r99"))
        self.talk.ask("open", close=run)
        for name, arguments in (("diagnose", {"run": run}), ("table", {"run": run}), ("find", {"run": run}),
                                ("sql", {"runs": [run], "query": "SELECT 1"}), ("compare", {"a": run, "b": run}),
                                ("timeline", {"run": run}), ("explain", {"run": run, "name": "k"}), ("open", {"close": run})):
            with self.subTest(name):
                self.assertIn("is closed", self.talk.refused(name, **arguments))
        again = self.talk.open("a.json")
        self.assertNotEqual(again, run)
        for at in range(9):  # more than may be open
            self.talk.open(self.put("run%d.json" % at))
        self.assertIn("at most 8", self.talk.refused("diagnose", run=again))

    def test_bad_questions(self):
        run = self.talk.open(self.put("a.json"))
        for name, arguments, want in [
                ("sql", {"runs": [run], "query": "SELEC 1"}, "syntax error"),
                ("sql", {"runs": [run], "query": "SELECT * FROM nothing_there"}, "no such table"),
                ("sql", {"runs": [run], "query": ""}, "no statement"),
                ("sql", {"runs": [run], "query": "SELECT 1; SELECT 2"}, "one statement"),
                ("sql", {"runs": [run], "query": "DELETE FROM kernels"}, "may not be modified"),
                ("sql", {"runs": [], "query": "SELECT 1"}, "runs"),
                ("table", {"run": run, "table": "nothing_there"}, "no table is called"),
                ("table", {"run": run, "table": "kernels", "where": "a ="}, "where: expected a value"),
                ("table", {"run": run, "table": "kernels", "sort": "nothing"}, "nothing"),
                ("table", {"run": run, "table": "kernels", "columns": ["nothing"]}, "no column nothing"),
                ("table", {"run": run, "table": "kernels", "top": 0}, "top"),
                ("table", {"run": run, "table": "kernels", "options": {"nothing": 1}}, "nothing"),
                ("table", {"run": run, "tabel": "kernels"}, "takes no tabel"),
                ("find", {"run": run, "name": "(("}, "regexp"),
                ("find", {"run": run, "from": "soon"}, "a time was expected"),
                ("explain", {"run": run}, "give a name"),
                ("explain", {"run": run, "name": "nothing_there"}, "nothing in the profile has this name"),
                ("explain", {"run": run, "from": 9, "to": 3}, "from=9 is not before to 3"),
                ("explain", {"run": run, "from": "soon"}, "from=soon: a time was expected"),
                ("sql", {"runs": {"a b": run}, "query": "SELECT 1"}, "a name of letters, digits and _"),
                ("sql", {"runs": {"a": "r99"}, "query": "SELECT 1"}, "no run has this handle"),
                ("sql", {"runs": 3, "query": "SELECT 1"}, "sql: runs: "),
                ("timeline", {"run": run, "from": "1s"}, "must come after"),
                ("timeline", {"run": run, "width": 5}, "width"),
                ("compare", {"a": run, "b": run, "table": "nothing_there"}, "nothing_there"),
                ("diagnose", {}, "run"), ("diagnose", {"run": 3}, "run"), ("nothing_there", {}, "no such tool")]:
            with self.subTest(name, **arguments):
                self.assertIn(want, self.talk.refused(name, **arguments))
        self.assertIn("cgpu table", self.talk.ask("table", run=run, table="kernels"))

    def test_huge_arguments(self):
        run = self.talk.open(self.put("a.json"))
        huge = "x" * 3_000_000
        for name, arguments in (("sql", {"runs": [run], "query": "SELECT '%s'" % huge}), ("find", {"run": run, "name": huge}),
                                ("table", {"run": run, "table": huge}), ("table", {"run": run, "table": "kernels", "where": huge}),
                                ("open", {"paths": [huge]}), ("open", {"paths": ["a.json"] * 10000}),
                                ("explain", {"run": run, "name": huge}), ("diagnose", {"run": huge}),
                                ("table", {"run": run, "table": "kernels", "options": {huge: "1"}}),
                                ("sql", {"runs": [run] * 1000, "query": "SELECT 1"}), (huge[:100_000], {})):
            with self.subTest(name[:20]):
                self.talk.refused(name, **arguments)
        self.talk.ask("diagnose", run=run)

    def test_endless_sql_is_ended(self):
        run = self.talk.open(self.put("a.json"))
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT %s FROM n"
        text = self.talk.ask("sql", runs=[run], query=endless % "i", top=3)
        self.assertEqual([row for row in text.splitlines() if row.isdigit()], ["1", "2", "3"])

    def test_sql_that_needs_too_much_memory_is_refused(self):
        run = self.talk.open(self.put("a.json"))
        many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000) "
        for query, line in ((many + "SELECT count(*) FROM (SELECT i || hex(zeroblob(500000)) AS text FROM n ORDER BY text LIMIT 2999)",
                             "more than 1 GiB of memory"),
                            (many + "SELECT i || hex(zeroblob(500000)) FROM n", "longer than 16 MB"),
                            ("SELECT hex(zeroblob(1000000000))", "too big")):
            with self.subTest(query):
                self.assertIn(line, self.talk.refused("sql", runs=[run], query=query, top=1000))
        self.assertIn("In full", self.talk.ask("sql", runs=[run], query="SELECT 1 AS one"))

    def test_usage(self):
        for words in ([], [str(self.folder / "nothing")], [str(self.secret)], ["--port", "1", str(self.folder)],
                      ["--nothing", str(self.folder)]):
            with self.subTest(words):
                done = subprocess.run([server_program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertIn(b"cgpu-mcp: ", done.stderr)
                self.assertNotIn(b"Traceback", done.stderr)

    def test_lines_that_are_no_messages(self):
        done = subprocess.run([server_program, str(self.folder)], input=b"nothing\n{}\n[1, 2]\n\xff\n" + b"y" * 100_000 + b"\n",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())


class Transports(unittest.TestCase):
    """Both eras of the protocol, by every way there is."""

    def check(self, talk, version=None):
        tools = {one.name: one for one in talk.tools()}
        self.assertEqual(set(tools), TOOLS)
        for one in tools.values():
            self.assertTrue(one.annotations.read_only_hint)
            self.assertFalse(one.annotations.open_world_hint)
            self.assertFalse(one.annotations.destructive_hint)
            self.assertGreater(len(one.description), 40)
            self.assertFalse(one.input_schema["additionalProperties"])
        self.assertLess(len(json.dumps([one.model_dump(mode="json", exclude_none=True) for one in tools.values()])), 16_000)
        if version:
            self.assertEqual(talk.client.protocol_version, version)
        run = talk.open("generated_training.json.gz")
        self.assertIn("fused_moe_kernel", talk.ask("table", run=run, table="kernels", top=3))
        self.assertTrue(talk.call("diagnose", run="r99").is_error)

    def test_standard_input_and_output(self):
        for mode, version in ERAS.items():
            with self.subTest(mode):
                self.check(Talk(self, by_stdio(EXAMPLES), mode=mode), version)

    def test_http(self):
        with serving(EXAMPLES) as port:
            for mode, version in ERAS.items():
                with self.subTest(mode):
                    case = unittest.TestCase()
                    self.check(Talk(case, "http://127.0.0.1:%d/mcp" % port, mode=mode), version)
                    case.doCleanups()

    def test_events_of_the_first_revision(self):
        from mcp.client.sse import sse_client  # pylint: disable=import-outside-toplevel

        with serving(EXAMPLES) as port:
            case = unittest.TestCase()
            self.check(Talk(case, sse_client("http://127.0.0.1:%d/sse" % port), mode="legacy"))
            case.doCleanups()

    def test_two_clients_at_once(self):
        """They see the same runs, and get the same answers as one alone."""
        with serving(EXAMPLES) as port:
            case = unittest.TestCase()
            talks = [Talk(case, "http://127.0.0.1:%d/mcp" % port, mode=mode) for mode in ERAS]
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                opened = list(pool.map(lambda talk: talk.open("generated_training.json.gz"), talks * 4))
                self.assertEqual(set(opened), {"r1"})
                calls = [(talk, name, arguments) for talk in talks for name, arguments in (
                    ("table", {"table": "kernels"}), ("diagnose", {}), ("find", {"name": "gemm"}), ("table", {"table": "idle"}),
                    ("explain", {"name": "fused_moe_kernel"}), ("explain", {"from": "20ms", "to": "25ms"}))] * 3
                answers = collections.defaultdict(set)
                for (_, name, arguments), text in zip(calls, pool.map(
                        lambda one: one[0].ask(one[1], run="r1", **one[2]), calls)):
                    answers[name, str(arguments)].add(text)
            self.assertEqual({len(texts) for texts in answers.values()}, {1})
            talks[0].ask("open", close="r1")
            self.assertIn("is closed", talks[1].refused("diagnose", run="r1"))
            case.doCleanups()

    def test_only_this_machine_and_no_pages(self):
        with serving(EXAMPLES) as port:
            def status(path="/mcp", method="POST", **headers):
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
                body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
                connection.putrequest(method, path, skip_host="Host" in headers)
                for name, value in dict({"Content-Type": "application/json", "Content-Length": str(len(body)),
                                         "Accept": "application/json, text/event-stream"}, **headers).items():
                    connection.putheader(name, value)
                connection.endheaders(body.encode())
                found = connection.getresponse().status
                connection.close()
                return found

            self.assertEqual(status(), 200)
            self.assertEqual(status(Host="localhost:%d" % port), 200)
            self.assertEqual(status(Origin="http://localhost:%d" % port), 200)
            for headers in ({"Host": "example.com"}, {"Host": "example.com:%d" % port}, {"Host": "127.0.0.1"},
                            {"Host": "127.0.0.1:%d.example.com" % port}, {"Origin": "http://example.com"}, {"Origin": "null"},
                            {"Origin": "http://127.0.0.1:%d.example.com" % port}, {"Origin": "http://127.0.0.1:1"}):
                with self.subTest(**headers):
                    self.assertIn(status(**headers), (403, 421))
                    self.assertIn(status("/sse", "GET", **headers), (403, 421))
            addresses = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
            bound = {line.split()[1] for line in addresses if line.split()[3] == "0A"}
            self.assertIn("0100007F:%04X" % port, bound)
            self.assertNotIn("00000000:%04X" % port, bound)
            self.assertEqual(status("/nothing"), 404)

    def test_a_port_that_is_taken(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            done = subprocess.run([server_program, "--http", "--port", str(taken.getsockname()[1]), str(EXAMPLES)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--port names another", done.stderr)


class Documents(unittest.TestCase):
    def test_commands_of_the_skill_run(self):
        text = (EXAMPLES / "agents/SKILL.md").read_text()
        commands = [one.replace("\\|", "|") for one in re.findall(r"`(cgpu [^`]+)`", text)]
        commands += re.findall(r"(?m)^cgpu .*$", text)
        self.assertGreater(len(commands), 20)
        with tempfile.TemporaryDirectory() as folder:
            machine.write(machine.run(causes.training(("slow device", 3000, True)), 2), folder)
            given = {"FILE": GENERATED, "FOLDER": folder, "OLD": WORKERS_0, "NEW": WORKERS_4, "A...": WORKERS_0,
                     "B...": WORKERS_0, '"SELECT ..."': "'SELECT 1'", '"SELECT ...; SELECT ..."': "'SELECT 1; SELECT 2'",
                     "run.cgpu": os.path.join(folder, "run.cgpu")}
            for command in commands:
                with self.subTest(command):
                    for word, value in given.items():
                        command = re.sub(r"(?<![\w\"])%s(?!\w)" % re.escape(word), lambda _: value, command)
                    done = in_a_shell(command)
                    self.assertIn(done.returncode, (0, 3), done.stderr.decode())  # 3: a check of so few runs is not sure
                    self.assertTrue(done.stdout or "-o " in command)

    def test_examples_of_the_page_are_what_is_answered(self):
        """Each line of an example, but for the ends that are left out there."""
        text = (ROOT / "docs/agents.md").read_text()
        examples = re.findall(r"`(\w+) (\{.*?\})`.*?\n\n```\n(.*?)```", text, re.S)
        self.assertEqual([tool for tool, _, _ in examples], ["open", "diagnose", "table"])
        talk = Talk(self, by_stdio(EXAMPLES))
        for name, arguments, shown in examples:
            answer = talk.ask(name, **json.loads(arguments)).replace(str(EXAMPLES), "/home/me/profiles")
            for line in shown.splitlines():
                with self.subTest(name, line=line):
                    self.assertIn(line.removesuffix("..."), answer)


class Conformance(unittest.TestCase):
    """The protocol's own tests of servers: those that need no tools made for them."""

    SCENARIOS = ("server-initialize", "server-session-lifecycle", "server-stateless", "ping", "tools-list", "tools-call-error",
                 "server-sse-multiple-streams", "dns-rebinding-protection", "http-header-validation",
                 "input-required-result-unsupported-methods")
    # Only a server with a tool that is made for the test can be asked for these.
    NOT_APPLICABLE = {"sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"}

    def test_scenarios(self):
        found = subprocess.run([str(ROOT / "scripts/mcp-conformance")], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, check=False)
        if found.returncode:
            self.skipTest("the conformance tests cannot be installed: " + found.stderr.strip())
        programs = os.path.join(found.stdout.strip(), "node_modules", ".bin")
        with serving(EXAMPLES) as port:
            for scenario in self.SCENARIOS:
                with self.subTest(scenario):
                    done = subprocess.run(
                        [os.path.join(programs, "conformance"), "server", "--url", "http://127.0.0.1:%d/mcp" % port, "--scenario",
                         scenario], env=dict(os.environ, PATH=programs + os.pathsep + os.environ["PATH"]),
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
                    text = re.sub(r"\x1b\[\d*m", "", done.stdout)
                    checks = collections.defaultdict(set)
                    for name, outcome in re.findall(r"(?m)^\S+Z \[([\w-]+) *\] (\w+)", text):
                        checks[outcome].add(name)
                    self.assertTrue(checks["SUCCESS"], text[-2000:])
                    self.assertLessEqual(checks["FAILURE"], self.NOT_APPLICABLE, text[-2000:])


if __name__ == "__main__":
    unittest.main()
