#!/usr/bin/env python3
"""Colours of a terminal: they mark the severity of findings and the direction of a change, change no letter, and are
nowhere else: not in a pipe, not in a file, not with NO_COLOR.

Environment: CGPU (the binary).
"""
import os
import pty
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples")
TRAINING = os.path.join(EXAMPLES, "generated_training.json.gz")
BEFORE = os.path.join(EXAMPLES, "cnn_workers0.json.gz")
AFTER = os.path.join(EXAMPLES, "cnn_workers4.json.gz")
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
RED, GREEN, YELLOW, PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"


def setUpModule():
    tool.must_exist()


def environment(**more):
    base = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    return dict(base, COLUMNS="100", **more)


def piped(*words):
    return subprocess.run([tool.binary(), *words], capture_output=True, text=True, check=True, env=environment()).stdout


def on_terminal(*words, **more):
    """What the program writes to a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([tool.binary(), *words], stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL,
                          env=environment(**more)) as child:
        os.close(theirs)
        written = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            written += part
        os.close(ours)
    assert child.returncode == 0, written
    return written.decode().replace("\r\n", "\n")


CALLS = (("diagnose", TRAINING), ("report", TRAINING), (TRAINING,), ("compare", BEFORE, AFTER),
         ("diagnose", BEFORE, "--against", TRAINING))


class Colours(unittest.TestCase):
    def test_they_change_no_letter(self):
        for words in CALLS:
            with self.subTest(words=words):
                shown = on_terminal(*words)
                self.assertIn("\x1b[", shown)
                self.assertEqual(shown.count("\x1b[") % 2, 0)
                self.assertEqual(ESCAPE.sub("", shown).split(), piped(*words).split())

    def test_lines_fit_the_terminal(self):
        for words in CALLS:
            for line in ESCAPE.sub("", on_terminal(*words)).splitlines():
                if words[0] != "diagnose" or len(words) == 2:  # what a baseline did not have is not wrapped
                    self.assertLessEqual(len(line), 100, line)

    def test_none_with_no_color_in_a_pipe_and_in_a_file(self):
        for words in CALLS:
            with self.subTest(words=words):
                self.assertNotIn("\x1b", on_terminal(*words, NO_COLOR="1"))
                self.assertNotIn("\x1b", piped(*words))
        with tempfile.TemporaryDirectory() as folder:
            for number, words in enumerate(CALLS):
                if len(words) == 1:
                    continue  # has no -o
                path = os.path.join(folder, "%d.txt" % number)
                on_terminal(*words, "-o", path)
                with open(path, encoding="utf-8") as handle:
                    self.assertNotIn("\x1b", handle.read())

    def test_the_severity_of_a_finding(self):
        for words in (("diagnose", TRAINING), ("report", TRAINING), (TRAINING,)):
            shown = on_terminal(*words)
            colours = {"critical": RED, "warning": YELLOW, "info": "\x1b[36m"}
            found = re.findall(r"^\d+\. (.*?)(critical|warning|info)(.*?):", shown, re.M)
            self.assertTrue(found, shown)
            for before, severity, behind in found:
                self.assertEqual((before, behind), (colours[severity], PLAIN))
            bars = re.findall(r"\[(\x1b\[\d+m)\u2588+\x1b\[0m", shown)
            self.assertEqual(bars, [colours[severity] for _, severity, _ in found][:len(bars)])
            self.assertTrue(bars)

    def test_the_direction_of_a_change(self):
        less = on_terminal("compare", BEFORE, AFTER)
        more = on_terminal("compare", AFTER, BEFORE)
        self.assertRegex(less, r"-> 29\.7 ms, \x1b\[32m-20\.4 %\x1b\[0m")
        self.assertRegex(more, r"-> 37\.3 ms, \x1b\[31m\+\d+\.\d %\x1b\[0m")
        self.assertRegex(less, r"(?m)^ +\x1b\[32m-10\.1 ms +-27\.0 %\x1b\[0m")
        self.assertRegex(less, r"(?m)^ +\x1b\[31m\+1\.18 ms +\+3\.2 %\x1b\[0m")
        self.assertRegex(less, r"(?m)^time .*\x1b\[32m-7\.61 ms")
        self.assertRegex(less, r"(?m)^idle data loading .*\x1b\[31m1\.02 ms")
        self.assertRegex(less, r"(?m)^flops per s .*\x1b\[32m15\.1 GFLOP/s", "a rate: more is better")
        self.assertNotRegex(less, r"(?m)^device ops .*\x1b\[3[12]m", "neither way is better")


if __name__ == "__main__":
    unittest.main()
