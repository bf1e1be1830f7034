#!/usr/bin/env python3
"""What `cgpu-mcp` refuses: files outside of its folders, wrong handles and questions, statements and messages that are too large.
Each refusal is one line that says what to do, and the server goes on.

Environment: CGPU (the binary in its build folder).
"""
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import mcp_client  # noqa: E402
from oracle.mcp_client import Talk, by_stdio  # noqa: E402
from oracle.python_package import PROGRAM  # noqa: E402


def setUpModule():
    mcp_client.set_up()


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
                done = subprocess.run([mcp_client.server_program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertIn(b"cgpu-mcp: ", done.stderr)
                self.assertNotIn(b"Traceback", done.stderr)

    def test_lines_that_are_no_messages(self):
        done = subprocess.run([mcp_client.server_program, str(self.folder)], input=b"nothing\n{}\n[1, 2]\n\xff\n" + b"y" * 100_000 + b"\n",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
