#!/usr/bin/env python3
"""Summaries that earlier versions of the program made open and gate: tests/summaries/ keeps a folder of them for each version
of the file. They give the tables that a summary of the same runs gives today, merge with it, and are baselines for it.

After a change that means to change what a table says, leave that table out here for the versions before it, with the reason.

Environment: CGPU (the binary), CGPU_BUILDER (the trace builder).
"""
import csv
import io
import json
import math
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import built, tool  # noqa: E402
from ranks_test import build_job  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
KEPT = HERE / "summaries"
TRAINING = HERE.parent / "examples" / "generated_training.json.gz"
STACKS = "main;init 3\nmain;step;gemm 20\nmain;step;reduce 7\nmain;step 2\n"
# By version: tables that say something else today, and why. Findings are what the rules of the program say that wrote the file:
# the rules judge other time now, and more ops. On a critical path a delay inside a launch call is what that call did, and a
# stream that is ordered behind another has an edge.
PATHS = {"critical_path", "critical_path_trace"}
CHANGED = {"v9": {"findings", "op_dependencies", "replay"} | PATHS, "v10": {"findings", "op_dependencies", "replay"} | PATHS}


def setUpModule():
    tool.must_exist()


def run(*arguments):
    done = tool.run([str(each) for each in arguments])
    assert done.returncode == 0, (arguments, done.stderr.decode())
    return done.stdout.decode()


def table(path, name):
    """Exit status, and the rows as {column: value}."""
    done = tool.run(["table", str(path), name, "--format", "csv"])
    return done.returncode, list(csv.DictReader(io.StringIO(done.stdout.decode())))


def same(a, b):
    """Whether two cells are, within what the last digits of a quantile depend on the library of statistics."""
    return a == b or ("." in a and math.isclose(float(a), float(b), rel_tol=1e-5))


def names_of_tables():
    rows = json.loads(run("table", "--list", "--format", "json"))["tables"]["tables"]["rows"]
    return [row[0] for row in rows]


class Kept(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        folder = pathlib.Path(cls.folder.name)
        stacks = folder / "stacks.folded"
        stacks.write_text(STACKS)
        job = folder / "job"
        job.mkdir()
        cls.ranks = []
        for path in built.files(build_job(str(job))):
            cls.ranks.append(folder / ("rank_%d.cgpu" % len(cls.ranks)))
            run("summarize", path, "-o", cls.ranks[-1])
        cls.today = {name: folder / (name + ".cgpu") for name in ("training", "stacks", "rank_1")}
        run("summarize", TRAINING, "-o", cls.today["training"])
        run("summarize", stacks, "-o", cls.today["stacks"])

    def versions(self):
        kept = sorted(KEPT.glob("v*"))
        self.assertIn(KEPT / "v9", kept)
        for folder in kept:
            self.assertEqual({path.stem for path in folder.glob("*.cgpu")}, set(self.today), folder)
            yield folder

    def same_tables(self, kept_path, today, version):
        """Compares all tables; how many have rows."""
        with_rows = 0
        for name in names_of_tables():
            if name == "info" or name in CHANGED.get(version, ()):
                continue
            code, expected = table(today, name)
            kept_code, kept = table(kept_path, name)
            if kept_code and not code:
                continue  # a table that there was not yet
            self.assertEqual(kept_code, code, (version, kept_path.name, name))
            if kept:
                expected = [{column: row[column] for column in kept[0]} for row in expected]
            self.assertEqual(len(kept), len(expected), (version, kept_path.name, name))
            for row, today_row in zip(kept, expected):
                for column, value in row.items():
                    self.assertTrue(same(value, today_row[column]), (version, kept_path.name, name, column, value, today_row))
            with_rows += bool(kept)
        return with_rows

    def test_tables_are_those_of_today(self):
        for folder in self.versions():
            with_rows = sum(self.same_tables(folder / path.name, path, folder.name) for path in self.today.values())
            self.assertGreater(with_rows, 60, folder.name)

    def test_they_are_baselines_and_reports(self):
        for folder in self.versions():
            for name, today in self.today.items():
                self.assertIn("PASS", run("check", "--baseline", folder / today.name, "--candidate", today))
                self.assertIn("PASS", run("check", "--baseline", today, "--candidate", folder / today.name))
                self.assertEqual(json.loads(run("report", folder / today.name, "--format", "json"))["tables"].keys(),
                                 json.loads(run("report", today, "--format", "json"))["tables"].keys(), name)

    def test_they_merge_with_those_of_today(self):
        today = pathlib.Path(self.folder.name) / "today.cgpu"
        merged = pathlib.Path(self.folder.name) / "merged.cgpu"
        run("merge", *self.ranks, "-o", today)
        for folder in self.versions():
            others = [path for path in self.ranks if path.name != "rank_1.cgpu"]
            run("merge", folder / "rank_1.cgpu", *others, "-o", merged)
            again = pathlib.Path(self.folder.name) / "again.cgpu"
            run("merge", merged, self.ranks[0], "-o", again)
            self.assertEqual(again.read_bytes(), merged.read_bytes())
            self.assertGreater(self.same_tables(again, today, folder.name), 40, folder.name)


if __name__ == "__main__":
    unittest.main()
