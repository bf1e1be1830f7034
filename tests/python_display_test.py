#!/usr/bin/env python3
"""What the Python package (python/) shows people: tables in text and HTML, pictures of the timeline, the viewer's page, and
the progress of opening.

Environment: CGPU (the binary in its build folder).
"""
import base64
import contextlib
import gzip
import importlib
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle.python_package import EXAMPLE, PROGRAM, ROOT, USE, imported, opened, run, site_packages, write_large  # noqa: E402

os.environ["CGPU_ENGINE_PAGE"] = "none"  # copies have recorded answers, also where the page with the engine was built

cgpu = None


def setUpModule():
    global cgpu
    (cgpu,) = imported("cgpu")


class Tables(unittest.TestCase):
    def test_what_people_see(self):
        session = opened(EXAMPLE)
        self.addCleanup(session.close)
        table = session.table("kernels")
        text, page = repr(table), table._repr_html_()
        self.assertIn("fused_moe_kernel", text)
        self.assertIn("ms", page)
        self.assertIn('<table class="cgpu-table" data-table="kernels">', page)
        self.assertEqual(page.count("<tr>"), 1 + min(20, len(table)) + page.count("<tfoot>"))
        self.assertIn("<table", session._repr_html_())
        self.assertIn("generated_training", repr(session))
        self.assertEqual(table[0], next(iter(table)))
        self.assertEqual(table[-1], table.to_dicts()[-1])
        self.assertEqual(table["name"], [row["name"] for row in table])
        self.assertRaises(IndexError, lambda: table[len(table)])
        self.assertRaises(KeyError, lambda: table["nothing"])
        self.assertRaises(TypeError, lambda: table[1.5])


class Timelines(unittest.TestCase):
    def boxes(self, svg):
        """(text beside the mouse, x, y, width, fill) of each rectangle that draws slices."""
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
""", EXAMPLE, *site_packages(USE)).stdout.decode().split()
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
                    words = [sys.executable, "-c", program, self.large, asked, *site_packages(USE)]
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


if __name__ == "__main__":
    unittest.main()
