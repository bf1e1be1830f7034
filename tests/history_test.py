#!/usr/bin/env python3
"""`cgpu history`: a hundred built nights with two planted regressions; what the text, JSON and the page say of them, and that
the page leads to the files of the runs.

Environment: CGPU (the binary).
"""
import html.parser
import json
import os
import random
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import machine, tool  # noqa: E402

NIGHTS, SLOWER_GEMM, NEW_KERNEL = 100, 37, 71
NEW = "void add_v2<float>(float*)"
STEPS, LAYERS, KERNEL = 10, 4, 400  # us


def setUpModule():
    tool.must_exist()


def night(day):
    """Training: from one night on its matrix products take 8 % more, from another one on it adds with a slower kernel, and needs
    a tenth more memory."""
    r = random.Random(day)
    level = 1 + 0.004 * r.gauss(0, 1)

    def run(m):
        m.now += day * 86400 * 1000000
        for step in range(STEPS):
            slow = level * (1 + 0.01 * r.gauss(0, 1))
            with m.step(step):
                for _ in range(LAYERS):
                    with m.within("aten::mm"):
                        m.quiet(1)
                        m.launch(machine.GEMM, round(KERNEL * slow * (1.08 if day >= SLOWER_GEMM else 1)))
                    with m.within("aten::add"):
                        m.quiet(1)
                        name, share = (NEW, 0.62) if day >= NEW_KERNEL else (machine.ELEMENTWISE, 0.5)
                        m.launch(name, round(KERNEL * slow * share))
                m.synchronize()
            peak = (1 << 30) if day < NEW_KERNEL else (11 << 30) // 10
            m.memory(peak, peak)
        return iter(())
    return run


class Links(html.parser.HTMLParser):
    """The addresses in a page, but those inside of it."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        address = dict(attributes).get("href", "")
        if address and not address.startswith("#"):
            self.found.append(address)


class HundredNights(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.store = os.path.join(cls.folder, "nightly")
        os.mkdir(cls.store)
        for day in range(NIGHTS):
            trace, = machine.write(machine.run(night(day)), cls.folder)
            tool.must_run("summarize", trace, "-o", os.path.join(cls.store, "%03d #&.cgpu" % day))
            os.remove(trace)

    def page(self, *path):
        path = os.path.join(self.folder, *path)
        tool.must_run("history", self.store, "-o", path)
        with open(path, encoding="utf-8") as file:
            return file.read()

    def test_both_regressions_are_named_and_nothing_else(self):
        found = tool.rows_of(json.loads(tool.must_run("history", self.store, "--format", "json").stdout))
        points = found["history_change_points"]
        self.assertEqual([(row["run"], row["before_run"], row["verdict"]) for row in points],
                         [(SLOWER_GEMM, SLOWER_GEMM - 1, "regression"), (NEW_KERNEL, NEW_KERNEL - 1, "regression")])
        moved = [{(row["name"], row["verdict"]) for row in found["history_parts"] if row["change_point"] == number}
                 for number in range(2)]
        self.assertEqual(moved[0], {("busy", "slower"), ("aten::mm", "slower"), ("gemm", "slower"), (machine.GEMM, "slower")})
        self.assertLessEqual({("busy", "slower"), ("aten::add", "slower"), (NEW, "new"), (machine.ELEMENTWISE, "gone")}, moved[1])
        self.assertFalse({name for name, _ in moved[1]} & {"aten::mm", "gemm", machine.GEMM})
        self.assertEqual({row["quantity"] for row in found["history_changes"] if row["change_point"] == 1},
                         {"step_time", "busy", "peak_allocated"})
        self.assertEqual(found["history_latest"][0]["verdict"], "pass")

    def test_text(self):
        text = " ".join(tool.must_run("history", self.store).stdout.decode().split())
        self.assertEqual(text.count("moved with it: "), 2)
        self.assertRegex(text, r"op aten::mm \+\d+\.\d us \(\+[78]\.\d%\)")
        self.assertRegex(text, r"Run 99 \(\S+/099 #&\.cgpu\), the last one, against the 20 runs of its level before it: pass; ")

    def test_the_page_leads_to_the_runs(self):
        for path in (["history.html"], ["nightly", "history.html"], ["nightly", "history.html"]):  # the last one is replaced
            page = self.page(*path)
            self.assertEqual(page.count('<svg class="chart"'), 2)
            self.assertEqual(page.count('class="step"'), 3)  # two changes of time, one of memory
            self.assertIn("2 changes of level in 100 runs. The last run, 099 #&amp;.cgpu, against", page)
            links = Links(page).found
            self.assertEqual(len(links), NIGHTS + 4)  # each run, and those around the changes
            for address in links:
                self.assertTrue(os.path.isfile(os.path.join(self.folder, *path[:-1], urllib.parse.unquote(address))), address)
            self.assertNotIn(self.folder, page)
        os.remove(os.path.join(self.store, "history.html"))

    def test_no_run_is_overwritten(self):
        run = os.path.join(self.store, "000 #&.cgpu")
        before = tool.read(run)
        self.assertEqual(tool.run(["history", self.store, "--format", "html", "-o", run]).returncode, 2)
        self.assertEqual(tool.read(run), before)


if __name__ == "__main__":
    unittest.main()
