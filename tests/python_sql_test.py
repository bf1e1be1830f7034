#!/usr/bin/env python3
"""SQL in the Python package (python/): answers are those of the program; parameters; several runs in one statement.

Environment: CGPU (the binary in its build folder).
"""
import glob
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle.python_package import EXAMPLE, OTHER, PROGRAM, built, imported, opened, rows_of, run, told  # noqa: E402

cgpu = None


def setUpModule():
    global cgpu
    (cgpu,) = imported("cgpu")


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


if __name__ == "__main__":
    unittest.main()
