#!/usr/bin/env python3
"""Damaged profiles for the whole program (fuzz/whole_program.py): a short run, and that it would find what is wrong.

Environment: CGPU (the binary).
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fuzz"))
import mutations  # noqa: E402
import trace_event_seeds  # noqa: E402
from oracle import tool  # noqa: E402

SCRIPT = os.path.join(tool.ROOT, "fuzz", "whole_program.py")


class WholeProgram(unittest.TestCase):
    def setUp(self):
        tool.must_exist()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fuzz(self, *options):
        return subprocess.run([sys.executable, SCRIPT, "--found", self.folder / "found", *map(str, options)],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)

    def program(self, body):
        """A program that lists the tables, and does else what the shell is told."""
        path = self.folder / "program"
        path.write_text('#!/bin/bash\n[ "$1 $2" = "table --list" ] && exec %s "$@"\n%s\n' % (tool.binary(), body))
        path.chmod(0o755)
        return path

    def summary(self):
        """One of a run with collectives, with finished tables."""
        profile = self.folder / "a.json"
        profile.write_bytes(dict(trace_event_seeds.seeds())["today.json"])
        path = self.folder / "a.cgpu"
        self.assertEqual(0, tool.run(["summarize", profile, "-o", path]).returncode)
        return path.read_bytes()

    def test_no_damage_is_too_much(self):
        done = self.fuzz("--runs", 80, "--program", tool.binary())
        self.assertEqual(0, done.returncode, done.stdout.decode() + done.stderr.decode())
        self.assertRegex(done.stdout.decode(), "80 runs of .* 0 faults")

    def test_calls_of_a_server_are_those_of_the_program(self):
        server = os.path.join(os.path.dirname(tool.binary()), "call_server")
        if not os.path.exists(server):
            self.skipTest("not built: call_server")
        sys.path.insert(0, os.path.dirname(SCRIPT))
        import whole_program  # noqa: E402
        program = whole_program.Program(tool.binary(), 10, 2048)
        forked = whole_program.CallServer(tool.binary(), 10, 2048, server)
        (self.folder / "a.json").write_bytes(dict(trace_event_seeds.seeds())["today.json"])
        for words in (["report", "a.json", "--format", "json"], ["table", "a.json", "gpu_time"], ["info", "missing"],
                      ["export", "a.json", "-o", "-"], ["no verb"], ["sql", "a.json", "SELECT ''"]):
            self.assertEqual(forked.run(words, self.folder), program.run(words, self.folder), words)
        forked.close()
        killed = whole_program.CallServer(tool.binary(), 1, 2048, server)
        os.mkfifo(self.folder / "never")
        self.assertEqual(killed.run(["info", "never"], self.folder).code, None)
        killed.close()

    def test_what_is_wrong_is_found_and_kept(self):
        for body, fault in (("kill -SEGV $$", "signal SIGSEGV"), ("exit 7", "exit status 7"), ("exit 2", "no line of error"),
                            ("sleep 1", "hang"), ("echo 'a.cpp:1: runtime error: overflow' >&2", "sanitizer"),
                            ("echo 'cgpu: out of memory' >&2; exit 2", "memory")):
            done = self.fuzz("--runs", 3, "--seconds", 0.2, "--program", self.program(body))
            self.assertEqual(1, done.returncode, done.stderr.decode())
            self.assertIn(fault, done.stdout.decode())
            kept = self.folder / "found" / "1-0"
            self.assertIn(fault, (kept / "command").read_text())
            self.assertTrue(any((kept / "a").iterdir()))

    def test_the_same_seed_gives_the_same_damage(self):
        seed = dict(trace_event_seeds.seeds())["today.json.gz"]
        for number in range(50):
            self.assertEqual(mutations.mutate(seed, random.Random(number), b"other"),
                             mutations.mutate(seed, random.Random(number), b"other"))

    @unittest.skipUnless(mutations.ZSTD and mutations.XXHASH, "the libraries of zstd and xxHash are not here")
    def test_damage_in_a_summary_is_behind_its_checksums(self):
        whole = self.summary()
        again = self.folder / "again.cgpu"
        again.write_bytes(mutations.write_summary(mutations.read_summary(whole)))
        self.assertEqual(tool.table(str(self.folder / "a.cgpu"), "info"),
                         [dict(row, value="a.cgpu") if row["value"] == "again.cgpu" else row
                          for row in tool.table(str(again), "info")])
        self.assertEqual(mutations.read_summary(whole), mutations.read_summary(again.read_bytes()))
        read = refused = by_checksum = 0
        for number in range(60):
            again.write_bytes(mutations.mutate_summary(whole, random.Random(number), b"other"))
            done = tool.run(["report", again])
            self.assertIn(done.returncode, (0, 2))
            read += done.returncode == 0
            refused += done.returncode == 2
            by_checksum += any(word in done.stderr for word in (b"checksum", b"decompress"))
        self.assertGreater(read, 5)
        self.assertGreater(refused, 5)
        self.assertLess(by_checksum, 6)  # where a number of the index becomes longer, what follows is read as another


if __name__ == "__main__":
    unittest.main()
