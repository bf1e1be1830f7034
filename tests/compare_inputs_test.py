#!/usr/bin/env python3
"""What `compare` and `diagnose --against` can hold against each other: profiles, summaries, ranks of one run; and what they say
of inputs that they cannot.

Environment: CGPU (the binary).
"""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import machine, tool  # noqa: E402
from oracle.comparison import pair_of  # noqa: E402
from oracle.programs import model  # noqa: E402


def setUpModule():
    tool.must_exist()


class Inputs(unittest.TestCase):
    def test_what_cannot_be_compared_is_said(self):
        for arguments, said in ((["one.json"], "give two inputs"), (["a", "b", "c"], "a: no such file"),
                                (["a", "b", "c", "--table", "ops"], "there are compare_runs, compare_groups"),
                                (["a", "b", "--metric", "x"], "name it with --table"),
                                (["a", "b", "--by", "class"], "name it with --table"),
                                (["a", "--with-rank", "1"], "say the other with --rank"),
                                (["a", "b", "--table", "none"], "there are compare_summary")):
            done = tool.run(["compare"] + arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr.decode())

    def test_findings_against_a_baseline(self):
        with tempfile.TemporaryDirectory() as folder:
            sides = pair_of(folder, (model(), model(wait=True)))
            for a, b, change in ((*sides, "new"), (*sides[::-1], "gone")):
                text = tool.run(["diagnose", b, "--against", a]).stdout.decode()
                self.assertIn("synchronization (%s)" % change, text)
            same = tool.run(["diagnose", sides[0], "--against", sides[0]]).stdout.decode()
            self.assertIn("no finding came, went, or changed", same)
            # A summary keeps them: the same is said of it, on either side.
            for side in sides:
                self.assertEqual(tool.run(["summarize", side, "-o", side + ".cgpu"]).returncode, 0)
            for options in ([], ["--format", "json"]):
                of_profile = tool.run(["diagnose", sides[1], "--against", sides[0], *options])
                for b, a in ((sides[1], sides[0] + ".cgpu"), (sides[1] + ".cgpu", sides[0] + ".cgpu")):
                    of_summary = tool.run(["diagnose", b, "--against", a, *options])
                    self.assertEqual(of_summary.returncode, 0, of_summary.stderr.decode())
                    said, expected = (done.stdout.decode() for done in (of_summary, of_profile))
                    if options:
                        said, expected = json.loads(said)["tables"], json.loads(expected)["tables"]
                    self.assertEqual(said, expected)

    def test_findings_against_those_of_ranks_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = machine.write(machine.run(model(comm=400), 2), folder)
            kept = []
            for path in paths:
                kept.append(path + ".cgpu")
                self.assertEqual(tool.run(["summarize", path, "-o", kept[-1]]).returncode, 0)
            merged = os.path.join(folder, "all.cgpu")
            self.assertEqual(tool.run(["merge", *kept, "-o", merged]).returncode, 0)
            done = tool.run(["diagnose", *paths, "--against", merged])
            self.assertEqual(done.returncode, 2)
            said = done.stderr.decode()
            self.assertEqual(said.count("\n"), 1, said)
            self.assertIn("the baseline is several summaries, for which only rules over ranks are judged", said)
            self.assertEqual(tool.run(["diagnose", merged, "--against", *paths[:1]]).returncode, 2)
            self.assertEqual(tool.run(["diagnose", merged, "--against", merged]).returncode, 0)
            done = tool.run(["diagnose", merged, "--against", merged, "--rank", "1"])
            self.assertEqual(done.returncode, 2)
            self.assertIn("all.cgpu: is a summary, which has no table findings", done.stderr.decode())
            self.assertIn("summarize", done.stderr.decode())

    def test_ranks_of_one_run(self):
        with tempfile.TemporaryDirectory() as folder:
            machine.write(machine.run(model(comm=400, slow_rank=1), 2), folder)
            done = tool.run(["compare", folder, "--rank", "0", "--with-rank", "1", "--format", "json"])
            self.assertEqual(done.returncode, 0, done.stderr)
            tables = json.loads(done.stdout.decode())["tables"]
            keys = [row[2] for row in tables["compare_causes"]["rows"][:2]]
            self.assertTrue(any("aten::linear" in key for key in keys), keys)


if __name__ == "__main__":
    unittest.main()
