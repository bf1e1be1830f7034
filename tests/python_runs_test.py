#!/usr/bin/env python3
"""Many runs in the Python package (python/): metadata, selections and groups, tables below each other, statistics, history.

Environment: CGPU (the binary in its build folder).
"""
import os
import statistics
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle.python_package import PROGRAM, built, imported, rows_of, run, told  # noqa: E402

cgpu = None


def setUpModule():
    global cgpu
    (cgpu,) = imported("cgpu")


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
            for table in (history.runs, history.changes, history.change_points, history.parts, history.latest):
                self.assertEqual(rows_of(table), document["tables"][table.name]["rows"], table.name)
            self.assertIn(history.words[0], " ".join(run(PROGRAM, "history", folder).stdout.decode().split()))
            self.assertIn(history.words[0][:40], str(history))
            with tempfile.TemporaryDirectory() as empty:
                self.assertRaisesRegex(cgpu.Error, "has no summaries in it", cgpu.history, empty)


if __name__ == "__main__":
    unittest.main()
