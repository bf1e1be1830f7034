#!/usr/bin/env python3
"""What an engineer asks `cgpu-mcp` about a profile, in conversations whose answers are known from elsewhere: the raw files, truth
facts, other commands. The profiles are the examples and the corpus.

Environment: CGPU (the binary in its build folder).
"""
import base64
import collections
import contextlib
import csv
import io
import json
import os
import pathlib
import re
import sqlite3
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import causes, kineto, machine, mcp_client, tool  # noqa: E402
from oracle.mcp_client import (EXAMPLES, GENERATED, MOST, WORKERS_0, WORKERS_4, Talk, by_stdio, command_in,  # noqa: E402
                               rows_in, tokens_of)

LLM = str(EXAMPLES / "llm_decode.json.gz")
CORPUS, TRUTH = pathlib.Path(tool.shared("corpus")), pathlib.Path(tool.shared("truth"))


def setUpModule():
    mcp_client.set_up()


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


if __name__ == "__main__":
    unittest.main()
