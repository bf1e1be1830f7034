#!/usr/bin/env python3
"""Folders of ranks of which some cannot be read: each is named, counted in the notes and the headline, and exit status 2 under
--strict; what is plainly no profile is passed over; a limit on open files never makes ranks vanish.

Environment: CGPU (the binary).
"""
import gzip
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

UNREADABLE = {
    "empty": b"",
    "random": random.Random(5).randbytes(3000),
    "page": b"<!DOCTYPE html><html><body>404</body></html>\n",
    "empty gzip": gzip.compress(b""),
}


def setUpModule():
    tool.must_exist()


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as handle:
        handle.write(data)


def trace(rank, ranks):
    kernel = {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": 5,
              "args": {"device": 0, "stream": 7, "correlation": 1}}
    launch = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1, "dur": 2,
              "args": {"correlation": 1}}
    return json.dumps({"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": ranks},
                       "traceEvents": [launch, kernel]}).encode()


def add_ranks(folder, ranks, name):
    for rank in range(ranks):
        write(os.path.join(folder, name % rank), trace(rank, ranks))


class LostRanks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.ranks = os.path.join(self.folder.name, "ranks")

    def check_that_it_is_lost(self, path):
        kept = os.path.join(self.folder.name, "x.cgpu")
        for verb in (["report", self.ranks], ["table", self.ranks, "kernels"], ["table", self.ranks, "slices"],
                     ["summarize", self.ranks, "-o", kept]):
            done = tool.run(verb)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.decode().count(path), 1, (verb, done.stderr))
            if verb[0] == "report":
                self.assertIn(os.path.basename(path), done.stdout.decode().partition("\n\n")[0])
            done = tool.run(verb + ["--strict"])
            self.assertEqual(done.returncode, 2, (verb, done.stderr))
            self.assertIn(path, done.stderr.decode())
        for opened in (self.ranks, kept):
            counts = {row["code"]: row["count"] for row in tool.table(opened, "notes")}
            self.assertEqual((counts.get("lost_file"), counts.get("skipped_file")), (1, None), counts)

    def test_a_rank_that_cannot_be_read_is_named(self):
        for what, data in UNREADABLE.items():
            with self.subTest(what):
                add_ranks(self.ranks, 8, "rank%d.json")
                path = os.path.join(self.ranks, "rank3.json")
                write(path, data)
                self.check_that_it_is_lost(path)

    def test_in_a_folder_for_each_rank(self):
        add_ranks(self.ranks, 4, "rank_%d/trace.json")
        path = os.path.join(self.ranks, "rank_2", "trace.json")
        write(path, b"")
        self.check_that_it_is_lost(path)

    def test_beside_compressed_ones(self):
        add_ranks(self.ranks, 4, "rank%d.json")
        os.remove(os.path.join(self.ranks, "rank2.json"))
        path = os.path.join(self.ranks, "rank2.json.gz")
        write(path, UNREADABLE["empty gzip"])
        self.check_that_it_is_lost(path)

    def test_what_is_no_profile_is_passed_over(self):
        add_ranks(self.ranks, 3, "rank%d.json")
        for name in ("README", "notes.txt", "rank1.log", "rank2.txt", "config.json", "slurm-17.out"):
            write(os.path.join(self.ranks, name), b"text\n")
        done = tool.run(["report", self.ranks, "--strict"])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        counts = {row["code"]: row["count"] for row in tool.table(self.ranks, "notes")}
        self.assertEqual((counts.get("lost_file"), counts.get("skipped_file")), (None, 6))


class OpenFiles(unittest.TestCase):
    """More ranks than files may be open."""

    RANKS = 200

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        add_ranks(cls.folder.name, cls.RANKS, "rank%d.json")

    def run_with(self, soft, hard, *verb):
        return subprocess.run([tool.binary(), *verb], capture_output=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)))

    def check_that_all_are_there(self, done, verb):
        self.assertEqual((done.returncode, done.stderr), (0, b""), verb)
        (table,) = json.loads(done.stdout)["tables"].values()
        rows = [dict(zip((column["name"] for column in table["columns"]), row)) for row in table["rows"]]
        self.assertEqual(sum(row.get("count", 1) for row in rows if row["name"] == "gemm"), self.RANKS)

    def test_the_limit_is_raised(self):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        for name in ("kernels", "slices"):
            verb = ("table", self.folder.name, name, "--top", "0", "--format", "json")
            self.check_that_all_are_there(self.run_with(64, hard, *verb), verb)

    def test_where_it_cannot_be_raised_a_rank_takes_none(self):
        for limit in (24, 64):
            for name in ("kernels", "slices"):  # one by one, and all together
                verb = ("table", self.folder.name, name, "--top", "0", "--format", "json")
                self.check_that_all_are_there(self.run_with(limit, limit, *verb), verb)
            with tempfile.TemporaryDirectory() as to:
                done = self.run_with(limit, limit, "export", self.folder.name, "-o", os.path.join(to, "out.pftrace"))
            self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_where_there_is_no_room_for_any_it_says_so(self):
        done = self.run_with(5, 5, "table", self.folder.name, "slices")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"too many files are open", done.stderr)


if __name__ == "__main__":
    unittest.main()
