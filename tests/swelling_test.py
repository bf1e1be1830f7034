#!/usr/bin/env python3
"""Input without an end, and input that swells: refused or read in bounded time, memory and temporary space.

Environment: CGPU (the binary).
"""
import gzip
import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from oracle.protobuf import encode  # noqa: E402

MB = 1 << 20
SECONDS = 60  # of processor time, with room for a slow machine


def swollen(head, unit, size):
    """gzip of `head` and then `unit` over and over, `size` bytes in all."""
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    out = [packer.compress(head)]
    unit *= max(1, MB // len(unit))
    out += [packer.compress(unit) for _ in range(size // len(unit))]
    return b"".join(out) + packer.flush()


def database():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.sqlite")
        base = sqlite3.connect(path)
        base.executescript("""
            CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
            CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER, globalTid INTEGER,
                                      endGlobalTid INTEGER, textId INTEGER, text TEXT, domainId INTEGER);
            INSERT INTO NVTX_EVENTS VALUES (1, 50, 59, NULL, 9, NULL, NULL, 'range', 0);""")
        base.commit()
        base.close()
        with open(path, "rb") as file:
            return file.read()


class Swelling(unittest.TestCase):
    def setUp(self):
        tool.must_exist()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.temporary = os.path.join(self.folder.name, "tmp")
        os.mkdir(self.temporary)

    def file(self, name, content):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def start(self, *words, stdin=subprocess.DEVNULL, file_size=None):
        def limit():
            for number in (signal.SIGINT, signal.SIGHUP):  # what a shell's background jobs, and nohup, ignore
                signal.signal(number, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            if file_size is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
        return subprocess.Popen([tool.binary(), *words], stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                preexec_fn=limit, env=dict(os.environ, TMPDIR=self.temporary, NO_COLOR="1"))

    def run_within(self, *words, memory=1024 * MB, **more):
        """What it says on stderr, and its exit status."""
        process = self.start(*words, **more)
        errors = process.stderr.read().decode()
        process.stderr.close()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = 0
        self.assertLess(used.ru_maxrss * 1024, memory, words)
        self.assertTrue(os.WIFEXITED(status), "%s ended by signal %d" % (words, status))
        self.assertEqual(os.listdir(self.temporary), [])
        return errors, os.WEXITSTATUS(status)

    def test_devices_and_pipes_without_an_end(self):
        for words in (("report", "/dev/zero"), ("table", "/dev/zero", "info"),
                      ("report", os.path.join(tool.ROOT, "examples", "generated_training.json.gz"), "--kernel-rules",
                       "/dev/zero")):
            errors, status = self.run_within(*words, memory=300 * MB, file_size=64 * MB)
            self.assertEqual(status, 2, words)
            self.assertIn("/dev/zero", errors)
        yes = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
        errors, status = self.run_within("report", "-", stdin=yes.stdout, memory=100 * MB, file_size=MB)
        yes.kill()
        yes.stdout.close()
        yes.wait()
        self.assertEqual(status, 2)
        self.assertIn("is not a profile in a format that cgpu knows", errors)

    def test_a_profile_without_an_end_is_copied_as_far_as_it_is_read(self):
        process = self.start("report", "-", stdin=subprocess.PIPE)
        process.stdin.write(b'{"traceEvents":[' + b'{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},' * 100000)
        process.stdin.flush()
        self.assertIsNone(process.poll())
        self.assertEqual(os.listdir(self.temporary), [], "the copy has no name")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(20), -signal.SIGTERM)
        process.stdin.close()
        process.stderr.close()

    def test_a_pipe_is_read_whole_where_it_ends(self):
        path = os.path.join(tool.ROOT, "examples", "generated_training.json.gz")
        cat = subprocess.Popen(["cat", path], stdout=subprocess.PIPE)
        done = subprocess.run([tool.binary(), "table", "-", "info", "--format", "json"], stdin=cat.stdout,
                              capture_output=True, env=dict(os.environ, TMPDIR=self.temporary))
        cat.stdout.close()
        cat.wait()
        values = {row[0]: row[1] for row in json.loads(done.stdout)["tables"]["info"]["rows"]}
        self.assertEqual(values["slices"], str(tool.info(path)["slices"]))
        self.assertEqual(values["input_bytes"], str(os.path.getsize(path)))
        self.assertEqual(os.listdir(self.temporary), [])

    def test_where_every_event_is_broken(self):
        with gzip.open(os.path.join(tool.ROOT, "examples", "generated_training.json.gz")) as file:
            text = file.read()
        choice = random.Random(1)

        def event():  # as behind an error in compressed data: pieces of others
            starts = [choice.randrange(len(text)) for _ in range(12)]
            return b'{\n    "ph": "X", ' + b"".join(text[at:at + choice.randrange(5, 40)] for at in starts)
        path = self.file("broken.json", b'{"traceEvents": [\n' + b"},\n".join(event() for _ in range(60000)) + b"}]}")
        before = os.times().children_user
        errors, status = self.run_within("table", path, "info", memory=300 * MB)
        self.assertEqual(status, 0)
        self.assertIn("events that are not JSON were left out", errors)
        self.assertLess(os.times().children_user - before, SECONDS / 4)

    def test_texts_that_swell(self):
        event = b'{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},'
        cases = {"zeros": (b"", b"\0"), "name.json": (b'{"traceEvents":[{"ph":"X","name":"', b"x"), "space.json": (b"{", b" "),
                 "key.json": (b'{"a', b"x"), "value.json": (b'{"a":"', b"x"), "lists.json": (b'{"traceEvents":', b"["),
                 "events.json": (b'{"traceEvents":[', event), "behind.json": (b'{"traceEvents":[],"a":"', b"x"),
                 "records.cali": (b"__rec=node,id=1,attr=8,data=", b"x"), "pickle": (b"\x80\x04", b"]"),
                 "tree.xml": (b'<?xml version="1.0"?><!DOCTYPE HPCToolkitExperiment [', b" "),
                 "frames.json": (b'{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[',
                                 b'{"name":"a"},'),
                 "lines.txt": (b"a 1/1 [000] 1.0: 1 cycles:\n", b"\t1 f (x)\n"), "rows.csv": (b'"ID","Kernel Name"\n"', b"x")}
        for name, (head, unit) in cases.items():
            with self.subTest(name):
                path = self.file(name + ".gz", swollen(head, unit, 500 * MB))
                _, status = self.run_within("table", path, "info", memory=2500 * MB)
                self.assertIn(status, (0, 2))
                os.unlink(path)

    def test_many_threads_take_no_more_for_what_they_did_over_time(self):
        events = [{"ph": "X", "name": "f", "pid": 1, "tid": i, "ts": 10 * i, "dur": 5} for i in range(40000)]
        path = self.file("threads.json", json.dumps(events).encode())
        for words in (("summarize", path, "-o", self.folder.name + "/x.cgpu"), ("table", path, "thread_utilization"),
                      ("export", path, "-o", self.folder.name + "/x.sqlite")):
            errors, status = self.run_within(*words, memory=450 * MB)
            self.assertEqual(status, 0, errors)

    def test_what_is_swollen_is_said(self):
        event = b'{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},'
        path = self.file("events.json.gz", swollen(b'{"traceEvents":[', event, 600 * MB))
        errors, status = self.run_within("table", path, "info", memory=2500 * MB)
        self.assertEqual(status, 0)
        self.assertIn("decompresses to more than 200 times its size", errors)

    def test_a_database_is_copied_no_further_than_it_is_long(self):
        whole = database()
        path = self.file("x.sqlite.gz", swollen(whole, b"\0", 600 * MB))
        errors, status = self.run_within("table", path, "ranges", memory=200 * MB, file_size=len(whole))
        self.assertEqual((status, errors), (0, ""))

    def test_signals_remove_temporary_files(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start("report", "-", stdin=subprocess.PIPE)
            beginning = bytearray((database() + b"\0" * 65536)[:65536])
            beginning[28:32] = (1 << 16).to_bytes(4, "big")  # pages: more than ever come
            process.stdin.write(beginning)
            process.stdin.flush()
            until = time.time() + 20
            while not os.listdir(self.temporary) and time.time() < until and process.poll() is None:
                time.sleep(0.02)
            process.send_signal(number)
            self.assertEqual(process.wait(20), -number)
            self.assertEqual(os.listdir(self.temporary), [])
            for stream in (process.stdin, process.stderr):
                stream.close()

    def test_packets_that_swell(self):
        slices = b"".join(encode((1, encode((8, 1000 + i), (10, 1), (11, encode((9, i % 2 + 1), (11, 1), (23, b"a"))))))
                          for i in range(2)) * 200000
        block = encode((1, encode((50, zlib.compress(slices, 9)))))
        path = self.file("x.pftrace", block * 40)
        errors, status = self.run_within("table", path, "info", memory=2000 * MB)
        self.assertEqual(status, 0)
        self.assertIn("200 times their size", errors)

    def test_a_name_of_a_hundred_megabytes(self):
        name = (b"void f<int, token=4>(a::b, x:y) --p " * (3 * MB))[:100 * MB]
        packets = b"".join(encode((1, encode((8, at), (10, 1), (11, encode((9, kind), (11, 1), (23, name))))))
                           for at, kind in ((1000, 1), (2000, 2)))
        for path in (self.file("name.pftrace", packets),
                     self.file("name.json", b'{"traceEvents":[{"ph":"X","cat":"kernel","pid":0,"tid":7,"ts":1,"dur":1,'
                               b'"args":{"device":0,"stream":7},"name":"' + name[:50 * MB] + b'"}]}')):
            for words in (("table", path, "slices"), ("report", path)):
                _, status = self.run_within(*words, memory=4000 * MB)
                self.assertEqual(status, 0)


if __name__ == "__main__":
    unittest.main()
