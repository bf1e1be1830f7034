#!/usr/bin/env python3
"""`cgpu sql` over several runs: the tables of all of them below each other, what they say of themselves, what changed
between two, and parameters. Held against the tables of each run.

Environment: CGPU (the binary), CGPU_BUILDER (the trace builder).
"""
import json
import os
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import built, tool  # noqa: E402
from sql_test import rows, sql  # noqa: E402

_FOLDER = tempfile.TemporaryDirectory(prefix="cgpu_sql_runs_")
EXAMPLES = os.path.join(tool.ROOT, "examples")


def path(name):
    return os.path.join(_FOLDER.name, name)


def setUpModule():
    for number, options in enumerate((["--steps", 2], ["--steps", 3], ["--model", "cnn", "--vendor", "amd", "--steps", 2])):
        trace, _ = built.build(_FOLDER.name, *options, "--seed", number)
        os.rename(trace, path("night-%d.json" % number))


def tearDownModule():
    _FOLDER.cleanup()


def nights():
    return [path("night-%d.json" % number) for number in range(3)]


class Stacked(unittest.TestCase):
    def test_tables_below_each_other(self):
        named = ["n%d=%s" % (number, night) for number, night in enumerate(nights())]
        for table in ("kernels", "steps", "info", "device_slices", "idle_gaps", "launches"):
            expected = []
            for number, night in enumerate(nights()):
                expected += [["n%d" % number, *row] for row in rows(night, "SELECT * FROM " + table)]
            self.assertTrue(expected, table)
            self.assertEqual(rows(named, "SELECT * FROM runs.%s" % table), expected, table)
        self.assertEqual(rows(named, "SELECT count(*) FROM runs.kernels WHERE run = 'n1'"),
                         rows(named, "SELECT count(*) FROM n1.kernels"))

    def test_what_runs_say(self):
        found = rows(["--apart", *nights()], "SELECT run, ranks, format, span_ns, devices FROM runs ORDER BY run")
        for number, night in enumerate(nights()):
            told = dict(rows(night, "SELECT key, value FROM info"))
            self.assertEqual(found[number], ["night_%d" % number, int(told["ranks"]), told["format"],
                                             int(told["span_ns"]), int(told["devices"])])

    def test_a_pattern_and_equal_names(self):
        for folder in ("x", "y"):
            os.makedirs(path(folder), exist_ok=True)
            shutil.copy(nights()[0], path(folder + "/trace.json"))
        found = rows(["--apart", path("?/trace.json")], "SELECT run FROM runs")
        self.assertEqual(found, [["trace"], ["trace_2"]])

    def test_more_runs_than_schemas(self):
        named = ["r%d=%s" % (number, nights()[number % 3]) for number in range(25)]
        self.assertEqual(rows(named, "SELECT count(DISTINCT run) FROM runs.steps"), [[25]])
        self.assertEqual(rows(named, "SELECT count(*) FROM r8.steps"), rows(nights()[2], "SELECT count(*) FROM steps"))
        done = sql(named, "SELECT * FROM r9.steps")
        self.assertEqual(done.returncode, 2)
        self.assertIn("runs.steps with run = 'r9'", done.stderr.decode())

    def test_summaries(self):
        summary = path("night.cgpu")
        self.assertEqual(tool.run(["summarize", nights()[0], "-o", summary]).returncode, 0)
        named = ["kept=" + summary, "whole=" + nights()[0]]
        self.assertEqual(*(rows(named, "SELECT name, total_ns FROM runs.kernels WHERE run = '%s'" % run)
                           for run in ("kept", "whole")))
        found = rows(named, "SELECT DISTINCT run FROM runs.device_slices")
        self.assertEqual(found, [["whole"]])


class Compared(unittest.TestCase):
    def test_tables_of_two_runs(self):
        a, b = nights()[:2]
        listed = json.loads(tool.run(["compare", "--list", "--format", "json"]).stdout)["tables"]["tables"]["rows"]
        names = [row[0] for row in listed if row[0] not in ("compare_runs", "compare_groups", "compare_statistics")]
        self.assertGreater(len(names), 8)
        for name in names:
            done = tool.run(["compare", a, b, "--table", name, "--format", "json"])
            self.assertEqual(done.returncode, 0, done.stderr)
            expected = json.loads(done.stdout)["tables"][name]["rows"]
            self.assertEqual(rows(["z=" + a, "b=" + b], "SELECT * FROM " + name), expected, name)

    def test_tables_of_a_check(self):
        a, b = (os.path.join(tool.ROOT, "examples", "h100", "workers_%d.json.gz" % workers) for workers in (0, 8))
        done = tool.run(["check", "--baseline", a, "--candidate", b, "--format", "json"])
        expected = {name: table["rows"] for name, table in json.loads(done.stdout)["tables"].items()}
        self.assertGreater(len(expected["check_parts"]), 5)
        self.assertLess({"check", "check_times", "check_runs"}, set(expected))
        for name in ("check", "check_times", "check_memory", "check_parts", "check_calls", "check_runs"):
            found = rows(["z=" + a, "b=" + b], 'SELECT * FROM "%s"' % name)
            if name == "check_runs":  # their inputs are the names
                self.assertEqual([row[:1] for row in found], [row[:1] for row in expected[name]])
            else:
                self.assertEqual(found, expected.get(name, []), name)
        self.assertEqual(rows(["z=" + a, "b=" + b], "SELECT * FROM gate.check_rules"), expected["check"])

    def test_tables_of_many_runs(self):
        done = tool.run(["compare", *nights(), "--format", "json"])
        self.assertEqual(done.returncode, 0, done.stderr)
        expected = {name: table["rows"] for name, table in json.loads(done.stdout)["tables"].items()}
        self.assertEqual(rows(["--apart", *nights()], "SELECT * FROM compare_statistics"), expected["compare_statistics"])
        found = rows(["--apart", *nights()], "SELECT * FROM runs.compare_runs")
        self.assertEqual(len(found), len(nights()))
        same = [[cell for cell in row if not isinstance(cell, str)] for row in expected["compare_runs"]]
        self.assertEqual([[cell for cell in row if not isinstance(cell, str)] for row in found], same)  # texts have their names

    def test_only_of_two_profiles(self):
        for inputs in (nights()[:1], ["--apart", *nights()]):
            done = sql(inputs, "SELECT * FROM compare_causes")
            self.assertEqual(done.returncode, 2)
            self.assertIn("no such table: compare_causes", done.stderr.decode())


class Parameters(unittest.TestCase):
    def ask(self, query, *parameters):
        words = [word for parameter in parameters for word in ("--param", parameter)]
        done = sql(nights()[0], query, *words, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["tables"]["result"]["rows"]

    def test_values(self):
        self.assertEqual(self.ask("SELECT :a, typeof(:a), $b, typeof(@b)", "a=12", "b=0.5"), [[12, "integer", 0.5, "real"]])
        self.assertEqual(self.ask("SELECT :a, :b", "a='12'", "b=it's; DROP TABLE x"), [["12", "it's; DROP TABLE x"]])
        self.assertEqual(self.ask("SELECT :a", "a=x=y"), [["x=y"]])
        self.assertEqual(self.ask("SELECT :a, typeof(:b)", "a=nan", "b=inf"), [["nan", "text"]])
        name = rows(nights()[0], "SELECT name FROM kernels LIMIT 1")[0][0]
        self.assertEqual(self.ask("SELECT count(*) FROM kernels WHERE name = :name", "name=" + name), [[1]])


if __name__ == "__main__":
    unittest.main()
