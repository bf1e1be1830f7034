#!/usr/bin/env python3
"""What the Python package (python/) answers, held against the program: tables, selections, comparisons, diagnoses, reports,
exports, summaries and checks. SQL: python_sql_test.py; several runs: python_runs_test.py; the viewer's page:
python_display_test.py.

Environment: CGPU (the binary in its build folder), CGPU_CORPUS_ALL=1: every table of every profile of the corpus.
"""
import contextlib
import glob
import json
import os
import pathlib
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import captures_test  # noqa: E402
from oracle.python_package import (BUILD, EXAMPLE, OTHER, PROGRAM, ROOT, built, imported, opened, rows_of, run,  # noqa: E402
                                   told)

CORPUS = ROOT.parent / "shared/corpus"

# A call tree of two ranks, as Caliper writes it.
CALL_TREE = {"data": [[4, 0, 1], [6, 1, 1]], "columns": ["sum#time.duration", "mpi.rank", "path"],
             "column_metadata": [{"is_value": True}, {"is_value": True}, {"is_value": False}],
             "nodes": [{"label": "main", "column": "path"}, {"label": "solve", "column": "path", "parent": 0}]}

cgpu = None


def setUpModule():
    global cgpu
    (cgpu,) = imported("cgpu")


def size_of(profile):
    return sum(path.stat().st_size for path in (profile.rglob("*") if profile.is_dir() else [profile]) if path.is_file())


def profiles_of(folder, everything):
    """The profiles of a format: all of them, or a small one, one of the middle and a larger one."""
    paths = sorted(folder.iterdir(), key=lambda path: (size_of(path), path))
    if everything or len(paths) <= 3:
        return paths
    return [paths[round(share * (len(paths) - 1))] for share in (0, 0.375, 0.75)]


def in_python(error):
    """A line of the program, with arguments in the place of options."""
    def argument(name):
        return {"from": "from_"}.get(name, name.replace("-", "_"))

    error = error.replace("cgpu table --list", "cgpu.tables()")
    error = re.sub(r"^--([a-z-]+) ", lambda found: argument(found[1]) + "=", error)
    return re.sub(r"--([a-z][a-z-]*)", lambda found: argument(found[1]), error)


class EqualToTheProgram(unittest.TestCase):
    def compare(self, path, session, name, *words, **options):
        document, error = told("table", path, name, *words)
        if error:
            with self.assertRaises(cgpu.Error) as raised:
                session.table(name, **options)
            self.assertEqual(str(raised.exception), in_python(error))
            return
        (want,) = document["tables"].values()
        table = session.table(name, **options)
        self.assertEqual(table.about, want["about"])
        self.assertEqual(table.per, want.get("per", ""))
        self.assertEqual([(c.name, c.type, c.unit, c.about) for c in table.columns],
                         [(c["name"], c["type"], c["unit"] or "", c["about"]) for c in want["columns"]])
        self.assertEqual(len(table), len(want["rows"]))
        self.assertEqual(rows_of(table), want["rows"])

    def test_every_table(self):
        for path in (EXAMPLE, OTHER):
            with opened(path) as session:
                for name in cgpu.tables()["name"]:
                    with self.subTest(path=path, table=name):
                        self.compare(path, session, name)

    def test_options_and_choices(self):
        cases = [("kernels", {"names": "base"}, ("--names", "base")),
                 ("kernels", {"where": "total_ns > 1ms and name ~ gemm", "sort": "+name", "top": 3},
                  ("--where", "total_ns > 1ms and name ~ gemm", "--sort", "+name", "--top", "3")),
                 ("slices", {"args": True, "top": 50}, ("--args", "--top", "50")),
                 ("slices", {"where": "duration_ns > 100us", "sort": "duration_ns"},
                  ("--where", "duration_ns > 100us", "--sort", "duration_ns")),
                 ("slices", {"sort": "-name", "top": 70000}, ("--sort", "-name", "--top", "70000")),
                 ("kernels", {"where": "total_ns >"}, ("--where", "total_ns >")),
                 ("kernels", {"where": "nothing = 1"}, ("--where", "nothing = 1")),
                 ("kernels", {"sort": "nothing"}, ("--sort", "nothing")),
                 ("slices", {"where": "nothing = 1"}, ("--where", "nothing = 1")),
                 ("kernels", {"names": "short"}, ("--names", "short")),
                 ("gpu_time", {"names": "base"}, ("--names", "base")),
                 ("kernel", {}, ())]
        with opened(EXAMPLE) as session:
            for name, options, words in cases:
                with self.subTest(table=name, options=options):
                    self.compare(EXAMPLE, session, name, *words, **options)

    def test_selections(self):
        cases = [({"from_": "5ms", "to": 20_000_000}, ("--from", "5ms", "--to", "20000000")),
                 ({"step": 4}, ("--step", "4")), ({"step": "4-5"}, ("--step", "4-5")),
                 ({"rank": [0]}, ("--rank", "0")), ({"device": range(1)}, ("--device", "0")),
                 ({"threads": 1}, ("--threads", "1")), ({"input_format": "kineto"}, ("--input-format", "kineto"))]
        for options, words in cases:
            with self.subTest(options), opened(EXAMPLE, **options) as session:
                for name in ("kernels", "idle", "steps", "device_trace"):
                    self.compare(EXAMPLE, session, name, *words)
        for options, words in [({"from_": "soon"}, ("--from", "soon")), ({"rank": 7}, ("--rank", "7")),
                               ({"step": "99"}, ("--step", "99")), ({"device": "x"}, ("--device", "x")),
                               ({"from_": 9, "to": 3}, ("--from", "9", "--to", "3")), ({"peak": "fast"}, ("--peak", "fast")),
                               ({"kernel_rules": "/no/rules"}, ("--kernel-rules", "/no/rules")),
                               ({"input_format": "none"}, ("--input-format", "none"))]:
            with self.subTest(options), self.assertRaises(cgpu.Error) as raised:
                cgpu.open(EXAMPLE, **options)
            self.assertEqual(str(raised.exception), in_python(told("table", EXAMPLE, "kernels", *words)[1]))

    def test_what_is_told_beside_the_profile(self):
        """Each option changes what is said, and to the same."""
        with tempfile.TemporaryDirectory() as folder:
            rules, replayed, captured, call_tree = (os.path.join(folder, name) for name in
                                                    ("rules.txt", "replay.json", "capture.json", "call_tree.json"))
            pathlib.Path(rules).write_text("attention name .\n")
            pathlib.Path(replayed).write_text(json.dumps(captures_test.replay()[0]))
            pathlib.Path(captured).write_text(json.dumps(captures_test.capture()))
            pathlib.Path(call_tree).write_text(json.dumps(CALL_TREE))
            for path, name, options, words in (
                    (EXAMPLE, "kernels", {"kernel_rules": pathlib.Path(rules)}, ("--kernel-rules", rules)),
                    (EXAMPLE, "devices", {"peak": "bf16=400TFLOP/s,memory=2TB/s"}, ("--peak", "bf16=400TFLOP/s,memory=2TB/s")),
                    (replayed, "ops", {"capture": captured}, ("--capture", captured)),
                    (call_tree, "call_tree", {"profile": 1}, ("--profile", "1"))):
                with self.subTest(options), opened(path) as without, opened(path, **options) as session:
                    self.compare(path, session, name, *words)
                    self.assertNotEqual(rows_of(session.table(name)), rows_of(without.table(name)))

    def test_summaries(self):
        with tempfile.TemporaryDirectory() as folder:
            summary = os.path.join(folder, "run.cgpu")
            run(PROGRAM, "summarize", EXAMPLE, "-o", summary)
            with opened(summary) as session:
                for name in ("info", "kernels", "idle", "slices", "findings"):
                    with self.subTest(name):
                        if name == "slices":
                            self.assertRaisesRegex(cgpu.Error, "summary", session.table, name)
                        else:
                            self.compare(summary, session, name)
                self.assertIn("kernels", session.tables()["name"])
                self.assertRaisesRegex(cgpu.Error, "an export needs the profile", session.export, summary + ".json")
                self.assertIn("GPU utilization", session.report().to_text())
                with self.assertRaisesRegex(cgpu.Error, "is a summary of a run"):
                    cgpu.compare(session, EXAMPLE)

    def test_several_ranks(self):
        with tempfile.TemporaryDirectory() as parent:
            folder = built(parent, "ranks", "--model", "moe", "--steps", 3, "--ranks", 2)
            paths = sorted(glob.glob(folder + "/*"))
            self.assertEqual(len(paths), 2)
            with opened(folder) as whole, opened(paths) as listed:
                for name in ("info", "gpu_time", "collectives", "stragglers", "idle", "kernels"):
                    with self.subTest(name):
                        self.compare(folder, whole, name)
                        if name != "info":  # which has the names that were given
                            self.assertEqual(rows_of(listed.table(name)), rows_of(whole.table(name)))

    def test_ranks_that_deviate(self):
        with tempfile.TemporaryDirectory() as folder:
            run(BUILD / "job_builder", folder, "--ranks", "40")
            summaries = os.path.join(folder, "summaries")
            with opened(summaries) as session:
                for name in ("rank_outliers", "rank_path"):
                    self.compare(summaries, session, name)
                    self.assertGreater(len(rows_of(session.table(name))), 1)

    def test_corpus(self):
        if not CORPUS.exists():
            self.skipTest("no corpus beside the repository")
        everything = os.environ.get("CGPU_CORPUS_ALL") == "1"
        profiles = sorted((path for folder in CORPUS.iterdir() if folder.is_dir() for path in profiles_of(folder, everything)),
                          key=lambda path: (size_of(path), path))  # so that most tables are met where they are small
        names = cgpu.tables()["name"]
        chosen = random.Random(1)
        top = {} if everything else {"top": 3000}
        compared = set()
        for path in profiles:
            short = os.path.relpath(path, CORPUS)
            try:
                session = opened(path)
            except cgpu.Error as error:
                with self.subTest(short):
                    self.assertEqual(str(error), told("table", path, "info")[1])
                continue
            with session:
                here = [name for name in session.tables(all=True)["name"] if name in names]
                asked = here if everything else sorted(set(here) - compared) or chosen.sample(here, 1)
                for name in asked:
                    with self.subTest(profile=short, table=name):
                        self.compare(path, session, name, *(("--top", "3000") if top else ()), **top)
                compared.update(asked)
        self.assertEqual(set(names) - compared, {"stragglers", "rank_outliers", "rank_path"})  # of several ranks

    def test_comparison(self):
        with tempfile.TemporaryDirectory() as folder:
            other = built(folder, "other.json", "--model", "moe", "--steps", 4, "--idle", "allocation")
            document, _ = told("compare", EXAMPLE, other)
            compared = cgpu.compare(EXAMPLE, other)
            for full in document["tables"]:
                with self.subTest(full):
                    table = compared.table(full.removeprefix("compare_"))
                    self.assertEqual(rows_of(table), document["tables"][full]["rows"])
                    self.assertIn(full, compared.tables()["name"])
            self.assertGreater(len(compared.table("causes")), 3)
            text = run(PROGRAM, "compare", EXAMPLE, other).stdout.decode()
            for line in compared.words.splitlines():  # text has the table of figures between them
                self.assertIn(line + "\n", text)
            self.assertIn("<table", compared._repr_html_())
            by_class, _ = told("compare", EXAMPLE, other, "--table", "kernels", "--by", "class")
            self.assertEqual(rows_of(compared.table("kernels", by="class")),
                             by_class["tables"]["compare_kernels"]["rows"])
            one, _ = told("compare", EXAMPLE, other, "--table", "summary", "--step", "3")
            with opened(EXAMPLE) as a, opened(other) as b:
                of_steps = cgpu.compare(a, b, step=3)
            self.assertEqual(rows_of(of_steps.table("summary")),  # its sessions are closed
                             one["tables"]["compare_summary"]["rows"])
            self.assertRaisesRegex(cgpu.Error, "nothing", compared.table, "nothing")
            self.assertRaisesRegex(cgpu.Error, "step", cgpu.compare, EXAMPLE, other, step=99)

    def test_diagnosis(self):
        with tempfile.TemporaryDirectory() as folder, opened(EXAMPLE) as session:
            other = built(folder, "other.json", "--model", "moe", "--steps", 4)
            text = run(PROGRAM, "diagnose", EXAMPLE).stdout.decode()
            self.assertEqual(session.diagnose().to_text(100), text)
            against = session.diagnose(against=other)
            self.assertEqual(against.to_text(100), run(PROGRAM, "diagnose", EXAMPLE, "--against", other).stdout.decode())
            self.assertEqual(rows_of(against.findings), told("diagnose", EXAMPLE)[0]["tables"]["findings"]["rows"])
            self.assertTrue(against.changes)
            summary = os.path.join(folder, "other.cgpu")
            run(PROGRAM, "summarize", other, "-o", summary)
            self.assertEqual(session.diagnose(against=summary).changes, against.changes)
            with opened(summary) as baseline:
                self.assertEqual(session.diagnose(against=baseline).changes, against.changes)

    def test_a_report_of_several_ranks_is_that_of_the_program(self):
        with tempfile.TemporaryDirectory() as parent:
            folder = built(parent, "ranks", "--model", "moe", "--steps", 3, "--ranks", 2)
            with opened(folder) as session:
                text = session.report().to_text(100)
            self.assertEqual(text, run(PROGRAM, "report", folder).stdout.decode())
            self.assertIn("Findings", text)

    def test_report(self):
        with opened(EXAMPLE) as session:
            report = session.report()
            self.assertEqual(report.to_text(100), run(PROGRAM, "report", EXAMPLE).stdout.decode())
            self.assertEqual(report.to_markdown(), run(PROGRAM, "report", EXAMPLE, "--format", "md").stdout.decode())
            self.assertEqual(report.to_html(), run(PROGRAM, "report", EXAMPLE, "--format", "html").stdout.decode())
            self.assertIn("srcdoc=", report._repr_html_())
            self.assertRaises(cgpu.Error, session.report, names="short")
            with tempfile.TemporaryDirectory() as folder:
                report.save(os.path.join(folder, "page.html"))
                self.assertGreater(os.path.getsize(os.path.join(folder, "page.html")), 10_000)


class Export(unittest.TestCase):
    def test_is_that_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder, opened(EXAMPLE) as session:
            for name, words, options in (("a.json", (), {}), ("a.pftrace", (), {}), ("a.json.gz", ("--no-args",), {"arguments": False}),
                                         ("a.bin", ("--to", "json"), {"format": "json"}), ("a.et", (), {})):
                with self.subTest(name):
                    ours, theirs = os.path.join(folder, "ours" + name), os.path.join(folder, "theirs" + name)
                    session.export(pathlib.Path(ours), **options)
                    run(PROGRAM, "export", EXAMPLE, "-o", theirs, *words)
                    self.assertEqual(pathlib.Path(ours).read_bytes(), pathlib.Path(theirs).read_bytes())
            database = os.path.join(folder, "run.sqlite")
            session.export(database)
            with contextlib.closing(sqlite3.connect(database)) as tables:
                self.assertEqual(tables.execute("SELECT sum(total_ns) FROM kernels").fetchone()[0],
                                 sum(session.table("kernels")["total_ns"]))
            for path, options, line in (("a.foo", {}, "names no format"), ("a.foo", {"format": "bar"}, "format bar: is none of"),
                                        ("none/a.json", {}, "cannot be written")):
                with self.subTest(path), self.assertRaisesRegex(cgpu.Error, line):
                    session.export(os.path.join(folder, path), **options)
                self.assertFalse(os.path.exists(os.path.join(folder, path)))


class Summaries(unittest.TestCase):
    """Against the program."""

    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.folder = pathlib.Path(work.name)
        self.traces = self.folder / "traces"
        run(BUILD / "trace_builder", self.traces, "--ranks", "5", "--model", "moe", "--steps", "2", "--seed", "7")
        self.files = sorted(self.traces.iterdir())
        self.summaries = self.folder / "summaries"
        self.summaries.mkdir()

    def program(self, verb, *inputs):
        run(PROGRAM, verb, *inputs, "-o", self.folder / "out.cgpu")
        return (self.folder / "out.cgpu").read_bytes()

    def test_bytes_are_those_of_the_program(self):
        self.assertEqual(cgpu.summarize(self.files[0]), self.program("summarize", self.files[0]))
        self.assertEqual(cgpu.summarize(self.files), self.program("summarize", self.traces))
        self.assertEqual(cgpu.summarize(self.traces, rank=3, with_host=True),
                         self.program("summarize", self.traces, "--rank", "3", "--with-host"))

    def test_merged_in_any_grouping(self):
        parts = [cgpu.summarize(path) for path in self.files]
        for path, part in zip(self.files, parts):
            (self.summaries / (path.name + ".cgpu")).write_bytes(part)
        expected = self.program("merge", self.summaries)
        self.assertEqual(cgpu.merge(parts), expected)
        self.assertEqual(cgpu.merge([cgpu.merge(parts[3:]), parts[1], cgpu.merge([parts[2], parts[0]])]), expected)
        self.assertEqual(cgpu.merge(self.summaries), expected)
        self.assertEqual(cgpu.merge([self.summaries, memoryview(parts[0])]), expected)
        merged = self.folder / "merged.cgpu"
        merged.write_bytes(expected)
        self.assertEqual(rows_of(cgpu.open(merged).table("kernels")), rows_of(cgpu.open(self.traces).table("kernels")))

    def test_what_is_wrong_is_said(self):
        part = cgpu.summarize(self.files[0])
        for wrong, words in (([part, b"no summary"], "summary 1"), ([part[:-20]], "summary 0"), ([b""], "summary 0"),
                             ([], "no summary"), ([self.files[0]], "is no summary"), ([self.folder / "none"], "none")):
            with self.assertRaises(cgpu.Error) as raised:
                cgpu.merge(wrong)
            self.assertIn(words, str(raised.exception))
        with self.assertRaises(cgpu.Error):
            cgpu.summarize(self.folder / "none.json")

    def test_damaged_and_lost_ones_are_left_out_where_that_is_allowed(self):
        parts = [cgpu.summarize(path) for path in self.files]
        lost = self.folder / "lost.cgpu"
        given = [parts[0], parts[1][:-20], parts[2], lost]
        for allowed in (0, 1):
            with self.assertRaises(cgpu.Error) as raised:
                cgpu.merge(given, allow_missing=allowed)
            for words in ("summary 1: ", str(lost), "allow_missing=2 merges the others"):
                self.assertIn(words, str(raised.exception))
        with self.assertWarns(cgpu.DamagedProfile) as warned:
            merged = cgpu.merge(given, allow_missing=2)
        self.assertEqual(len(warned.warnings), 2)
        (self.folder / "some.cgpu").write_bytes(merged)
        notes = {row["code"]: row["count"] for row in cgpu.open(self.folder / "some.cgpu").table("notes").to_dicts()}
        self.assertEqual(notes["damaged_input"], 2)
        with self.assertRaises(cgpu.Error):
            cgpu.merge([merged, parts[3]])  # what an earlier merge left out counts
        self.assertTrue(cgpu.merge([merged, parts[3]], allow_missing=2))
        for wrong in (-1, True, "2", 2.5):
            with self.assertRaises(cgpu.Error):
                cgpu.merge(parts, allow_missing=wrong)


class Check(unittest.TestCase):
    """Against the program."""
    NAMES = ("cnn_workers4", "cnn_workers0", "generated_training")

    def program(self, *words):
        done = subprocess.run([str(PROGRAM), "check", *map(str, words), "--format", "json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60, check=False)
        return done.returncode, json.loads(done.stdout)["tables"] if done.stdout else done.stderr.decode()

    def test_verdicts_and_tables_are_those_of_the_program(self):
        files = [ROOT / "examples" / (name + ".json.gz") for name in self.NAMES]
        seen = set()
        for before in files:
            for after in files:
                code, tables = self.program("--baseline", before, "--candidate", after)
                checked = cgpu.check(before, [after])
                self.assertEqual(checked.exit_code, code)
                self.assertEqual(bool(checked), code == 0)
                self.assertEqual({table.name: rows_of(table) for table in checked.tables()},
                                 {name: table["rows"] for name, table in tables.items()})
                self.assertEqual(checked.outcome, {0: "pass", 1: "regression", 3: "inconclusive", 4: "not comparable"}[code])
                self.assertIn(checked.headline, checked.to_markdown())
                self.assertTrue(str(checked).strip() and checked._repr_html_())
                seen.add(code)
        self.assertEqual({0, 3, 4}, seen)

    def test_options_are_those_of_the_program(self):
        files = [str(ROOT / "examples" / (name + ".json.gz")) for name in self.NAMES]
        self.assertTrue(cgpu.check(files[0], files[1], tolerance=90))
        for inconclusive in ("report", "pass", "fail"):
            code, _ = self.program("--baseline", files[0], "--candidate", files[1], "--inconclusive", inconclusive)
            self.assertEqual(cgpu.check(files[0], files[1], inconclusive=inconclusive).exit_code, code)
        code, tables = self.program("--baseline", files[0], "--candidate", files[1], "--step", "6-7", "--floor", "1s")
        checked = cgpu.check(files[0], files[1], step="6-7", floor="1s")
        self.assertEqual((checked.exit_code, rows_of(checked.table("check_times"))), (code, tables["check_times"]["rows"]))
        pattern = str(ROOT / "examples/cnn_workers?.json.gz")
        self.assertEqual(len(cgpu.check(pattern, pattern).table("check_runs")), 4)
        for baseline, options, line in ((files[0], {"tolerance": 0.03}, "Write 3% or 0.03%"),
                                        (files[0], {"tolerance": "much"}, "tolerance=much: a percentage"),
                                        (files[0], {"floor": "soon"}, "floor=soon: a time"), ([], {}, "no run was given"),
                                        (files[0], {"allow": ["dogs"]}, "allow=dogs: is none of"),
                                        (files[0], {"inconclusive": "maybe"}, "inconclusive=maybe: is none of"),
                                        ("no*thing", {}, "no file or folder matches"), ("nothing", {}, "no such file")):
            with self.assertRaises(cgpu.Error) as raised:
                cgpu.check(baseline, files[1], **options)
            self.assertIn(line, str(raised.exception))
        with self.assertRaises(cgpu.Error):
            cgpu.check(files[0], files[0]).table("kernels")


if __name__ == "__main__":
    unittest.main()
