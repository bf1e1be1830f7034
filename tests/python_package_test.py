#!/usr/bin/env python3
"""The Python package (python/): a wheel is made from the build folder, installed into a clean virtual environment, and
held against the program and against pyarrow, pandas and polars. Bad use: python_bad_use_test.py.

Environment: CGPU (the binary in its build folder), CGPU_CORPUS_ALL=1: every table of every profile of the corpus.
"""
import base64
import contextlib
import glob
import gzip
import importlib
import json
import os
import pathlib
import pickle
import pty
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle.arrow_addresses import buffer_addresses  # noqa: E402
from oracle.python_package import (BUILD, EXAMPLE, OTHER, PROGRAM, ROOT, installed, opened, rows_of, run,  # noqa: E402
                                   told, write_large, write_many_events)
import captures_test  # noqa: E402

CLEAN = BUILD / "python-use"
LIBRARIES = ["pyarrow==17.0.0", "pandas==2.2.3", "polars==1.44.2"]
CORPUS = ROOT.parent / "shared/corpus"
EVENTS = "slices"

# A call tree of two ranks, as Caliper writes it.
CALL_TREE = {"data": [[4, 0, 1], [6, 1, 1]], "columns": ["sum#time.duration", "mpi.rank", "path"],
             "column_metadata": [{"is_value": True}, {"is_value": True}, {"is_value": False}],
             "nodes": [{"label": "main", "column": "path"}, {"label": "solve", "column": "path", "parent": 0}]}

cgpu = pyarrow = pandas = polars = None


def setUpModule():
    global cgpu, pyarrow, pandas, polars
    _, Wheel.name = installed(CLEAN.name, LIBRARIES)
    cgpu, pyarrow, pandas, polars = (importlib.import_module(name) for name in ("cgpu", "pyarrow", "pandas", "polars"))


def built(folder, name, *options):
    """A trace of tests/builder."""
    path = os.path.join(folder, name)
    run(BUILD / "trace_builder", path, *options)
    return path


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


class Wheel(unittest.TestCase):
    name = ""

    def test_tags_say_what_holds(self):
        version = re.search(r"project\(cgpu VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        python = "cp%d%d" % sys.version_info[:2]
        tags = "cp312-abi3" if sys.version_info >= (3, 12) else "%s-%s" % (python, python)
        self.assertTrue(self.name.startswith("cgpu-%s-%s-linux" % (version, tags)), self.name)
        self.assertEqual(cgpu.__version__, version)

    def test_has_nothing_of_the_program_that_is_installed(self):
        (record,) = CLEAN.glob("lib/python*/site-packages/cgpu-*.dist-info/RECORD")
        files = [line.split(",")[0] for line in record.read_text().splitlines()]
        self.assertIn("cgpu/__init__.py", files)
        self.assertEqual({name for name in files if not name.startswith(("cgpu/", record.parent.name + "/"))},
                         {"../../../bin/cgpu-mcp"})

    def test_brings_the_libraries_that_not_every_linux_has_with_their_licences(self):
        (package,) = CLEAN.glob("lib/python*/site-packages/cgpu")
        (module,) = package.glob("_cgpu*.so")
        needed = set(re.findall(r"NEEDED +(\S+)", run("objdump", "-p", module).stdout.decode()))
        everywhere = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
        libraries = {path.name: path for path in (package / "libraries").iterdir()}
        self.assertEqual(set(libraries), needed - everywhere)
        licences = {path.name: path.read_text() for path in package.parent.glob("cgpu-*.dist-info/licenses/*")}
        for name, path in libraries.items():
            self.assertLessEqual(set(re.findall(r"NEEDED +(\S+)", run("objdump", "-p", path).stdout.decode())), everywhere, name)
            owners = {line.split(":")[0] for line in run("dpkg", "-S", "*/" + name).stdout.decode().splitlines()}
            self.assertTrue(owners & set(licences), name)
        self.assertIn("Apache License", licences["LICENSE"])
        for other in ("xxHash", "protozero", "Boost", "nanobind", "robin-map"):  # compiled in
            self.assertRegex(licences["copyright"], r"\n%s[^\n]*:\n\n[^\n]*\S" % other)

    def test_works_without_other_packages(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in glob.glob(str(CLEAN / "lib/python*/site-packages/cgpu")):
                shutil.copytree(path, os.path.join(folder, "cgpu"))
            done = run(sys.executable, "-S", "-E", "-c", """
import sys
sys.path.insert(0, sys.argv[2])
import cgpu
table = cgpu.open(sys.argv[1]).table("kernels")
print(len(table), table[0]["name"], "pyarrow" in sys.modules)
try:
    table.to_pandas()
except ImportError as error:
    print(error)
""", EXAMPLE, folder)
        text = done.stdout.decode()
        self.assertIn("fused_moe_kernel", text)
        self.assertIn("False\n", text)
        self.assertIn("to_pandas needs pandas, which is not installed: pip install pandas pyarrow", text)

    def test_the_server_for_agents_says_what_it_needs(self):
        done = subprocess.run([str(CLEAN / "bin/cgpu-mcp"), str(ROOT / "examples")], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"pip install 'cgpu[mcp]'", done.stderr)

    def test_types_of_the_module_are_those_of_its_stub(self):
        """What the stub declares is there, and the other way round."""
        stub = {}
        scope = None
        for line in (ROOT / "python/cgpu/_cgpu.pyi").read_text().splitlines():
            if found := re.match(r"class (\w+)", line):
                scope = stub.setdefault(found[1], set())
            elif found := re.match(r"    def (\w+)", line):
                scope.add(found[1])
            elif found := re.match(r"(?:def )?(\w+)[(:]", line):
                stub[found[1]] = None
        module = cgpu._cgpu
        there = {name for name in vars(module) if not name.startswith("_")}
        self.assertEqual({name for name in stub if not name.startswith("_")}, there)
        for name, methods in stub.items():
            if methods:
                own = {each for each in vars(getattr(module, name)) if not each.startswith("_") or each == "__len__"}
                self.assertEqual(methods - {"__init__"}, own, name)


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


class Progress(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.large = os.path.join(cls.folder.name, "large.json.gz")
        write_large(cls.large, 150)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_a_callable_hears_of_increasing_shares(self):
        told = []
        opened(self.large, threads=1, progress=lambda *words: told.append(words)).close()
        self.assertEqual([phase for phase, _ in told], sorted((phase for phase, _ in told), reverse=True))  # reading, linking
        shares = [share for phase, share in told if phase == "reading"]
        self.assertGreater(len(shares), 2)
        self.assertEqual(shares, sorted(set(shares)))
        self.assertGreater(shares[0], 0)
        self.assertLessEqual(shares[-1], 1)
        self.assertGreater(shares[-1], 0.5)
        self.assertLessEqual({phase for phase, _ in told}, {"reading", "linking"})

    def test_a_terminal_shows_a_bar_where_it_was_asked_for(self):
        program = """
import sys
sys.path[:0] = sys.argv[3:]
import cgpu, cgpu._progress
cgpu._progress.SHOWN_AFTER_S = 0
cgpu.open(sys.argv[1], threads=1, **{"asked": {"progress": True}, "not asked": {}}[sys.argv[2]])
"""
        for asked in ("asked", "not asked"):
            for on_terminal in (True, False):
                with self.subTest(asked, on_terminal=on_terminal):
                    words = [sys.executable, "-c", program, self.large, asked, *glob.glob(str(CLEAN / "lib/python*/site-packages"))]
                    text = self.on_a_terminal(words) if on_terminal else run(*words).stderr.decode()
                    if asked == "asked" and on_terminal:
                        self.assertRegex(text, r"\x1b\[Kreading large\.json\.gz \[#+\.+\] +\d+ %\r\x1b\[K")
                        self.assertTrue(text.endswith("\r\x1b[K"), text[-100:])
                    else:
                        self.assertEqual(text, "")

    def on_a_terminal(self, words):
        """What a program says on a stderr that is one."""
        ours, its = pty.openpty()
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=its) as process:
            os.close(its)
            text = b""
            with contextlib.suppress(OSError):  # the end
                while piece := os.read(ours, 65536):
                    text += piece
            os.close(ours)
        self.assertEqual(process.returncode, 0, text)
        return text.decode()


class Libraries(unittest.TestCase):
    def setUp(self):
        self.session = opened(EXAMPLE)
        self.addCleanup(self.session.close)

    def test_arrow(self):
        for name in ("kernels", "idle", "memory", EVENTS):
            with self.subTest(name):
                table = self.session.table(name)
                arrow = table.to_arrow()
                arrow.validate(full=True)
                self.assertEqual([list(row.values()) for row in arrow.to_pylist()], rows_of(table))
                self.assertEqual(arrow.schema.metadata[b"name"].decode(), name)
                for column, field in zip(table.columns, arrow.schema):
                    self.assertEqual(field.metadata, {b"unit": column.unit.encode(), b"about": column.about.encode(),
                                                      b"role": column.role.encode()})
                self.assertEqual(pyarrow.schema(table), arrow.schema)

    def test_pandas_is_exact(self):
        for name in ("kernels", "idle", "memory", "device_trace", EVENTS):
            with self.subTest(name):
                table = self.session.table(name)
                frame = table.to_pandas()
                self.assertEqual(list(frame.columns), table.column_names)
                rows = rows_of(table)
                for at, column in enumerate(table.columns):
                    want = [row[at] for row in rows]
                    got = [None if value is pandas.NA or value != value else value for value in frame[column.name]]
                    self.assertEqual(got, want, column.name)
                    if column.type == "int":
                        self.assertIn(str(frame[column.name].dtype), ("int64", "Int64"))
                self.assertEqual(frame.attrs["units"], {c.name: c.unit for c in table.columns if c.unit})

    def test_pandas_has_the_categories_that_occur(self):
        table = self.session.table("slices", where="kind = kernel")
        frame = table.to_pandas()
        for column in (column.name for column in table.columns if column.type == "text"):
            self.assertEqual(set(frame[column].cat.categories), {value for value in table[column] if value is not None}, column)
        self.assertEqual(len(frame.groupby("kind", observed=False)), 1)

    def test_tables_are_pickled_with_all_they_have(self):
        compared = cgpu.compare(self.session, OTHER).table("summary")
        tables = [self.session.table(name) for name in ("kernels", "idle", "memory", EVENTS)]
        tables += [compared, cgpu.tables(), self.session.sql("SELECT 1 i, 1.5 r, 'x' t, NULL n"), self.session.table("kernels", top=0, where="count < 0")]
        for table in tables:
            with self.subTest(table.name):
                again = pickle.loads(pickle.dumps(table))
                self.assertEqual((again.name, again.about, again.per, again.columns), (table.name, table.about, table.per, table.columns))
                self.assertEqual(rows_of(again), rows_of(table))
                self.assertEqual(repr(again), repr(table))
                self.assertTrue(again.to_arrow().equals(pickle.loads(pickle.dumps(again)).to_arrow()))

    def test_worker_processes_return_tables(self):
        program = """
import sys, multiprocessing
sys.path[:0] = sys.argv[2:]
import cgpu

def kernels(path):
    with cgpu.open(path) as session:
        return session.table("kernels")

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print([len(table) for table in pool.map(kernels, [sys.argv[1]] * 3)])
"""
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(program)
            file.flush()
            text = run(sys.executable, file.name, EXAMPLE, *glob.glob(str(CLEAN / "lib/python*/site-packages"))).stdout.decode()
        self.assertEqual(text, "%s\n" % ([len(self.session.table("kernels"))] * 3))

    def test_tables_that_are_listed_have_rows(self):
        for path in (EXAMPLE, OTHER):
            with opened(path) as session:
                listed = session.tables()["name"]
                some = session.tables(all=True)["name"]
                self.assertEqual(listed, [name for name in some if len(session.table(name)) > 0])
                self.assertLess(len(listed), len(some))

    def test_pandas_without_pyarrow(self):
        for name in ("kernels", "idle", "device_trace"):
            table = self.session.table(name)
            pandas.testing.assert_frame_equal(table._to_pandas_by_values(pandas), table.to_pandas(),
                                              check_categorical=False)

    def test_polars(self):
        for name in ("kernels", "idle", EVENTS):
            table = self.session.table(name)
            frame = table.to_polars()
            self.assertEqual([list(row) for row in frame.rows()], rows_of(table))

    def test_numbers_are_not_copied(self):
        """The addresses in the structures that the stream hands out are those that pyarrow, numpy and polars see."""
        table = self.session.table("kernels")
        own = buffer_addresses(table)
        batch = pyarrow.RecordBatchReader.from_stream(table).read_next_batch()
        arrow = table.to_arrow()
        frame = table.to_pandas()
        by_polars = table.to_polars()
        numbers = 0
        for at, column in enumerate(table.columns):
            if column.type == "text":
                continue
            numbers += 1
            self.assertEqual(batch.column(at).buffers()[1].address, own[at])
            self.assertEqual(arrow.column(at).chunk(0).buffers()[1].address, own[at])
            if arrow.column(at).null_count == 0:
                values = frame[column.name].to_numpy()
                self.assertEqual(values.__array_interface__["data"][0], own[at], column.name)
                self.assertEqual(by_polars[column.name]._get_buffer_info()[0], own[at], column.name)
        self.assertGreater(numbers, 5)

    def test_events_come_in_batches(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "many.json")
            write_many_events(path, 150_000)
            with opened(path) as session:
                table = session.table(EVENTS)
                sizes = [batch.num_rows for batch in pyarrow.RecordBatchReader.from_stream(table)]
                self.assertEqual(sizes, [65536, 65536, 150_000 - 2 * 65536])
                self.assertEqual(len(table), 150_000)
                first = pyarrow.RecordBatchReader.from_stream(table)
                second = pyarrow.RecordBatchReader.from_stream(table)  # each reader sees all rows
                for _ in range(3):
                    self.assertTrue(first.read_next_batch().equals(second.read_next_batch()))
                chosen = session.table(EVENTS, where="duration_ns > 5us", sort="start_ns", top=100_000)
                self.assertEqual(len(chosen), len(chosen.to_arrow()))
                self.assertLess(len(chosen), 150_000)
                self.assertIn("more rows", chosen._repr_html_())
                self.assertEqual(table[149_999], list(table)[-1])

    def test_what_people_see(self):
        table = self.session.table("kernels")
        text, page = repr(table), table._repr_html_()
        self.assertIn("fused_moe_kernel", text)
        self.assertIn("ms", page)
        self.assertIn('<table class="cgpu-table" data-table="kernels">', page)
        self.assertEqual(page.count("<tr>"), 1 + min(20, len(table)) + page.count("<tfoot>"))
        self.assertIn("<table", self.session._repr_html_())
        self.assertIn("generated_training", repr(self.session))
        self.assertEqual(table[0], next(iter(table)))
        self.assertEqual(table[-1], table.to_dicts()[-1])
        self.assertEqual(table["name"], [row["name"] for row in table])
        self.assertRaises(IndexError, lambda: table[len(table)])
        self.assertRaises(KeyError, lambda: table["nothing"])
        self.assertRaises(TypeError, lambda: table[1.5])


class Sql(unittest.TestCase):
    def ask(self, statement, *words):
        document, error = told("sql", EXAMPLE, statement, "--top", "0", *words)
        if error:
            return None, error
        (table,) = document["tables"].values()
        return table, None

    def test_is_that_of_the_program(self):
        with opened(EXAMPLE) as session:
            for statement in ("SELECT name, total_ns, pct FROM kernels ORDER BY total_ns DESC", "SELECT * FROM slices",
                              "SELECT 1 i, 1.5 r, 'x' t, NULL n", "SELECT name FROM ops WHERE 0",
                              "SELECT span_union(start_ns, start_ns + duration_ns) AS busy_ns FROM device_slices;",
                              "SELECT key, count(*) FROM arguments GROUP BY key", "SELECT nothing FROM ops", "SELECT 1 +",
                              "DROP TABLE kernels"):
                with self.subTest(statement):
                    want, error = self.ask(statement)
                    if error:
                        with self.assertRaises(cgpu.Error) as raised:
                            session.sql(statement)
                        self.assertEqual(str(raised.exception), error)
                        continue
                    got = session.sql(statement)
                    self.assertEqual([(c.name, c.type, c.unit) for c in got.columns],
                                     [(c["name"], c["type"], c["unit"] or "") for c in want["columns"]])
                    self.assertEqual(rows_of(got), want["rows"])
            self.assertEqual(len(session.sql("SELECT * FROM slices", top=7)), 7)
            self.assertGreater(len(session.sql("SELECT * FROM kernels").to_pandas()), 3)

    def test_of_a_part_and_of_several_runs(self):
        with opened(EXAMPLE, from_="5ms", to="9ms") as part, opened(OTHER) as other:
            want, _ = self.ask("SELECT count(*), sum(duration_ns) FROM slices", "--from", "5ms", "--to", "9ms")
            self.assertEqual(rows_of(part.sql("SELECT count(*), sum(duration_ns) FROM slices")), want["rows"])
            both = cgpu.sql("SELECT (SELECT count(*) FROM a.slices), (SELECT count(*) FROM b.slices)", {"a": part, "b": other})
            self.assertEqual(rows_of(both), [[want["rows"][0][0], len(other.table("slices"))]])

    def test_of_a_summary(self):
        with tempfile.TemporaryDirectory() as folder:
            summary = os.path.join(folder, "run.cgpu")
            run(PROGRAM, "summarize", EXAMPLE, "-o", summary)
            with opened(summary) as session, opened(EXAMPLE) as whole:
                self.assertEqual(rows_of(session.sql("SELECT * FROM kernels")), rows_of(whole.sql("SELECT * FROM kernels")))
                self.assertRaisesRegex(cgpu.Error, "slices", session.sql, "SELECT * FROM slices")


    def test_parameters_are_values_whatever_is_in_them(self):
        values = ["it's", "?", ":a -- ", 3, -2**62, 1.5e-300, None, True, b"\x00\xff", "x" * 5000]
        with opened(EXAMPLE) as session:
            table = session.sql("SELECT " + ", ".join("? AS v%d" % at for at in range(len(values))), values)
            want = [*values[:7], 1, "x'00ff'", values[9]]
            self.assertEqual(list(table[0].values()), want)
            table = session.sql("SELECT ?2 AS a, '?' AS \"b?\", :ignored /* ? */ AS c -- ? :x\n, [name] AS d FROM kernels "
                                "LIMIT ?1".replace(":ignored", "?3"), [1, 2, 3])
            self.assertEqual(list(table[0].values())[:3], [2, "?", 3])
            for name, count in (("gemm", None), ("nothing' OR 1 --", 0)):
                ours = session.sql("SELECT count(*) AS n FROM kernels WHERE class = :c", {"c": name})[0]["n"]
                self.assertEqual(ours, sum(row["class"] == name for row in session.table("kernels")) if count is None else count)
            for statement, parameters, line in (
                    ("SELECT ?", [], "no value was given for the parameter ?"), ("SELECT 1", [1], "no parameter for the value of number 1"),
                    ("SELECT :a", {"b": 1}, "no value was given for the parameter :a"), ("SELECT :a", [1], ":a"),
                    ("SELECT :a", {"a": 1, "b": 2}, "the value of b"), ("SELECT ?", [object()], "is no value of a parameter"),
                    ("SELECT ?", [float("nan")], "is no value"), ("SELECT ?", ["a\0b"], "is no value"),
                    ("SELECT ?", [2**63], "is no value"), ("SELECT ?", "x", "a list, or a dict by name")):
                with self.subTest(statement, parameters=parameters), self.assertRaises(cgpu.Error) as raised:
                    session.sql(statement, parameters)
                self.assertIn(line, str(raised.exception))

    def test_paths_are_opened_for_a_statement(self):
        count = "SELECT count(*) AS n FROM %s"
        with opened(EXAMPLE) as session, opened(OTHER) as other:
            slices = [len(one.table("slices")) for one in (session, other)]
            self.assertEqual(cgpu.sql(count % "slices", EXAMPLE)[0]["n"], slices[0])
            self.assertEqual(cgpu.sql(count % "slices", session)[0]["n"], slices[0])
            both = cgpu.sql("SELECT (%s) AS a, (%s) AS b" % (count % "a.slices", count % "b.slices"), {"a": session, "b": OTHER})
            self.assertEqual(list(both[0].values()), slices)
        with tempfile.TemporaryDirectory() as parent:
            folder = built(parent, "ranks", "--model", "moe", "--steps", 3, "--ranks", 2)
            paths = sorted(glob.glob(folder + "/*"))
            self.assertEqual(rows_of(cgpu.sql("SELECT DISTINCT rank FROM slices", {"job": paths})), [[0], [1]])
        self.assertRaisesRegex(cgpu.Error, "give a run", cgpu.sql, "SELECT 1", {})


class Export(unittest.TestCase):
    def test_is_that_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder, opened(EXAMPLE) as session:
            for name, words, options in (("a.json", (), {}), ("a.pftrace", (), {}), ("a.json.gz", ("--no-args",), {"arguments": False}),
                                         ("a.bin", ("--to", "json"), {"format": "json"})):
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


class ManyRuns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.paths = {}
        for number, options in enumerate(((), ("--seed", 2), ("--idle", "allocation"), ("--idle", "allocation", "--seed", 2))):
            cls.paths["run%d" % number] = built(cls.folder, "%d.json" % number, "--model", "moe", "--steps", 4, *options)

    def runs(self):
        return cgpu.runs(self.paths, metadata=lambda name: {"slow": int(name[-1]) // 2, "note": "n" + name[-1]})

    def test_metadata_selections_and_groups(self):
        runs = self.runs()
        rows = runs.metadata.to_dicts()
        self.assertEqual([(row["run"], row["slow"], row["note"]) for row in rows],
                         [("run%d" % at, at // 2, "n%d" % at) for at in range(4)])
        for row, path in zip(rows, self.paths.values()):  # what they say themselves, with numbers as numbers
            info = {key: value for key, value, *_ in told("table", path, "info")[0]["tables"]["info"]["rows"]}
            self.assertEqual(str(row["slices"]), str(info["slices"]))
            self.assertIsInstance(row["slices"], int)
            self.assertEqual(row["device_names"], info["device_names"])
        self.assertEqual(runs.filter(slow=1).names, ["run2", "run3"])
        self.assertEqual(runs.filter(lambda row: row["note"] > "n1", slow=1).filter(note="n3").names, ["run3"])
        self.assertEqual({value: group.names for value, group in runs.groupby("slow").items()},
                         {0: ["run0", "run1"], 1: ["run2", "run3"]})
        self.assertEqual(len(runs.filter(lambda _: False)), 0)
        self.assertEqual(len(runs.filter(lambda _: False).metadata), 0)
        for bad in (lambda: runs.filter(nothing=1), lambda: runs.groupby("nothing"), lambda: runs.compare("nothing"),
                    lambda: runs.table("kernels", metadata=["nothing"])):
            self.assertRaisesRegex(cgpu.Error, "nothing: no run says that of itself; they say .*slow", bad)
        self.assertRaisesRegex(cgpu.Error, "no run is left", runs.filter(lambda _: False).compare)
        self.assertRaisesRegex(KeyError, "run0, run1", lambda: runs["none"])
        self.assertRaisesRegex(cgpu.Error, "metadata: no run is called x", cgpu.runs, self.paths, metadata={"x": {}})
        with runs["run1"] as session:
            self.assertEqual(session.inputs, [self.paths["run1"]])

    def test_names_without_a_dict(self):
        pattern = os.path.join(self.folder, "*.json")
        self.assertEqual(cgpu.runs(pattern).names, sorted(self.paths.values()))
        runs = cgpu.runs(list(self.paths.values()), step="3-4", metadata={self.paths["run0"]: {"first": "yes"}})
        self.assertEqual(runs.filter(first="yes").names, [self.paths["run0"]])
        self.assertEqual([group.names for group in runs.groupby("first").values()],
                         [[self.paths["run0"]], list(self.paths.values())[1:]])  # those without come last
        self.assertEqual(set(runs.table("steps")["step"]), {3, 4})

    def test_tables_below_each_other(self):
        table = self.runs().table("kernels", metadata=["slow"], where="total_ns > 1ms", top=3)
        want = []
        for number, path in enumerate(self.paths.values()):
            rows = told("table", path, "kernels", "--where", "total_ns > 1ms", "--top", "3")[0]["tables"]["kernels"]["rows"]
            want += [["run%d" % number, number // 2, *row] for row in rows]
        self.assertEqual(rows_of(table), want)
        self.assertEqual(table.column_names[:3], ["run", "slow", "name"])
        units = {column.name: column.unit for column in table.columns}
        self.assertEqual(units["total_ns"], "ns")
        means = table.to_pandas().groupby("slow", observed=True)["total_ns"].mean()
        self.assertEqual(means[0], statistics.mean(row[4 + 1] for row in want if row[1] == 0))

    def test_statistics_are_those_of_the_program(self):
        paths = list(self.paths.values())
        document, _ = told("compare", *paths, "--by", "file")
        names = cgpu.runs(paths)
        compared = names.compare(by="file")
        for table in (compared.runs, compared.groups, compared.statistics):
            self.assertEqual(rows_of(table), document["tables"][table.name]["rows"], table.name)
        text = run(PROGRAM, "compare", *paths, "--by", "file").stdout.decode()
        for line in compared.words:
            self.assertIn(line.strip(), text)
        self.assertEqual(self.runs().compare().runs["input"], list(self.paths))  # as they are called
        by_slow = self.runs().statistics(by="slow")
        step = [row for row in by_slow if row["name"] == "step_time"]
        self.assertEqual([(row["group"], row["n"]) for row in step], [("0", 2), ("1", 2)])
        self.assertGreater(step[1]["median"], step[0]["median"])
        self.assertIn("groups by slow", str(self.runs().compare("slow")))

    def test_history(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, path in self.paths.items():
                run(PROGRAM, "summarize", path, "-o", os.path.join(folder, name + ".cgpu"))
            document, _ = told("history", folder)
            history = cgpu.history(folder)
            for table in (history.runs, history.changes):
                self.assertEqual(rows_of(table), document["tables"][table.name]["rows"], table.name)
            self.assertIn(history.words[0], " ".join(run(PROGRAM, "history", folder).stdout.decode().split()))
            self.assertIn(history.words[0][:40], str(history))
            with tempfile.TemporaryDirectory() as empty:
                self.assertRaisesRegex(cgpu.Error, "has no summaries in it", cgpu.history, empty)


class Timelines(unittest.TestCase):
    def boxes(self, svg):
        """(text beside the mouse, x, y, width, fill) of what stands for slices."""
        found = []
        for rect in xml.etree.ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}rect"):
            title = rect.find("{http://www.w3.org/2000/svg}title")
            if title is not None:
                found.append((title.text, float(rect.get("x")), float(rect.get("y")), float(rect.get("width")),
                              rect.get("fill")))
        return found

    def test_every_slice_of_the_window_stands_in_it(self):
        """Alone, or counted in one of those that are narrower than a pixel; where it belongs."""
        with opened(EXAMPLE) as session:
            for low, high in ((0, 73_487_741), (20_000_000, 25_000_000), (20_000_000, 20_010_000)):
                picture = session.timeline(low, high, width=4000, most_tracks=1000)
                boxes = self.boxes(picture.to_svg())
                shown = sum(int((re.match(r"(\d+) slices, ", text) or [0, 1])[1]) for text, *_ in boxes)
                deeper = sum(int(re.match(r"(\d+) slices", line)[1]) for line in picture.left_out if "deeper" in line)
                rows = [row for row in session.table("slices") if row["start_ns"] < high
                        and (row["start_ns"] + row["duration_ns"] > low or row["start_ns"] >= low)]
                around = 0  # what covers the window, but for the innermost of each thread
                for track in {row["track"] for row in rows}:
                    covering = [row for row in rows if row["track"] == track and row["depth"] is not None
                                and row["start_ns"] <= low and row["start_ns"] + row["duration_ns"] >= high]
                    around += max(0, len(covering) - 1)
                self.assertEqual(shown + deeper + around, len(rows), (low, high))
                self.assertGreater(len(boxes), 3)
                for text, x, _, width, _ in boxes:
                    self.assertGreaterEqual(x, 0)
                    self.assertLessEqual(x + width, 4000.01, text)

    def test_places_are_times(self):
        with opened(EXAMPLE) as session:
            low, high = 20_000_000, 25_000_000
            longest = session.sql("SELECT * FROM slices WHERE kind = 'kernel' AND start_ns > %d AND start_ns + duration_ns < %d "
                                  "ORDER BY duration_ns DESC LIMIT 1" % (low, high))[0]
            svg = session.timeline(low, "25ms", width=2000).to_svg()
            (box,) = [box for box in self.boxes(svg) if box[0].startswith(longest["name"] + ", ")
                      and box[0].endswith("from %s ms" % ("%.6f" % (longest["start_ns"] / 1e6)).rstrip("0"))]
            left, right = 210, 1992
            self.assertAlmostEqual(box[1], left + (longest["start_ns"] - low) * (right - left) / (high - low), delta=0.01)
            self.assertAlmostEqual(box[3], longest["duration_ns"] * (right - left) / (high - low), delta=0.51)

    def test_colours_are_those_of_the_viewer(self):
        text = (ROOT / "web/src/timeline/colours.ts").read_text()
        timeline = importlib.import_module("cgpu._timeline")
        for name, own in (("CLASSES", timeline.CLASSES), ("KINDS", timeline.KINDS)):
            block = re.search(r"const %s: Record<string, Fill> = \{(.*?)\n\};" % name, text, re.S)[1]
            theirs = {key: tuple(map(float, value.split(","))) for key, value in
                      re.findall(r"(\w+): \[([\d., ]+)\]", block)}
            self.assertGreater(len(own), 10)
            self.assertEqual({key: tuple(map(float, value)) for key, value in own.items()},
                             {key: value for key, value in theirs.items() if key in own})


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


class View(unittest.TestCase):
    @staticmethod
    def parts(page):
        """The page without what was recorded, and that, without the name that each start of the program has."""
        (recorded,) = re.findall(rb">([A-Za-z0-9+/=\s]{1000,})<", page)
        answers = gzip.decompress(base64.b64decode(recorded))
        return page.replace(recorded, b""), re.sub(rb'"session":"[0-9a-f]{16}"', b"", answers)

    def test_the_page_is_that_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            for words, options in (([], {}), (["--no-args"], {"arguments": False})):
                written = pathlib.Path(folder, "program.html")
                run(PROGRAM, "view", EXAMPLE, "-o", written, *words)
                view = cgpu.open(EXAMPLE).view(**options)
                view.save(pathlib.Path(folder, "own.html"))
                page = pathlib.Path(folder, "own.html").read_bytes()
                self.assertTrue(page == view.to_html().encode())
                for own, program in zip(self.parts(page), self.parts(written.read_bytes())):
                    self.assertTrue(own == program)
                    self.assertGreater(len(own), 10000)
        self.assertIn("generated_training.json.gz", repr(view))
        self.assertRegex(view._repr_html_()[:200], r'^<iframe [^>]*sandbox="allow-scripts" srcdoc="&lt;!doctype html&gt;')

    def test_a_part_is_smaller(self):
        whole, part = (len(cgpu.open(EXAMPLE, **options).view().to_html()) for options in ({}, {"to": "10ms"}))
        self.assertLess(part, whole)

    def test_open_hands_a_file_to_the_browser(self):
        done = run(sys.executable, "-c", """
import sys, urllib.parse, urllib.request, webbrowser
sys.path[:0] = sys.argv[2:]
import cgpu
webbrowser.open = lambda url: print(url) or print(len(urllib.request.urlopen(url).read()) > 100000)
cgpu.open(sys.argv[1]).view().open()
""", EXAMPLE, *CLEAN.glob("lib/python*/site-packages")).stdout.decode().split()
        self.assertRegex(done[0], r"^file:///.*/view\.html$")
        self.assertEqual(done[1], "True")
        self.assertFalse(os.path.exists(done[0].removeprefix("file://")), "gone with the program")

    def test_what_cannot_be_shown(self):
        session = cgpu.open(EXAMPLE)
        for size in (0, -1, "50", True, 10**6):
            with self.assertRaises(cgpu.Error):
                session.view(size_limit=size)
        with tempfile.TemporaryDirectory() as folder:
            summary = os.path.join(folder, "run.cgpu")
            run(PROGRAM, "summarize", EXAMPLE, "-o", summary)
            with self.assertRaisesRegex(cgpu.Error, "the viewer needs the profile"):
                cgpu.open(summary).view()
        session.close()
        with self.assertRaises(cgpu.Error):
            session.view()


if __name__ == "__main__":
    unittest.main()
