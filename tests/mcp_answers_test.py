#!/usr/bin/env python3
"""The text of the answers of `cgpu-mcp`: it is short, says what it leaves out, is what the command at its end prints, and
is as docs/agents.md shows it. The commands of the skill for agents (examples/agents/SKILL.md) run.

Environment: CGPU (the binary in its build folder).
"""
import csv
import io
import json
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import causes, machine, mcp_client, tokens, tool  # noqa: E402
from oracle.mcp_client import (EXAMPLES, GENERATED, MOST, WORKERS_0, WORKERS_4, Talk, by_stdio, command_in,  # noqa: E402
                               in_a_shell, rows_in, tokens_of)
from oracle.python_package import ROOT  # noqa: E402


def setUpModule():
    mcp_client.set_up()


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
        if not mcp_client.count_tokens:
            self.skipTest(tokens.PACKAGE + " cannot be installed")
        run = self.talk.open("generated_training.json.gz")
        for table, top in (("memory_events", 1000), ("slices", 1000), ("call_tree", 1000), ("kernels", 5), ("notes", 20)):
            with self.subTest(table):
                text = self.talk.ask("table", run=run, table=table, top=top)
                ratio = mcp_client.estimated_tokens(text) / mcp_client.count_tokens(text)
                self.assertGreater(ratio, 0.95)
                self.assertLess(ratio, 1.5)
                if top == 1000:
                    self.assertGreater(mcp_client.count_tokens(text), 0.6 * MOST)

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


if __name__ == "__main__":
    unittest.main()
