#!/usr/bin/env python3
"""Inputs that belong together: ranks in folders of any shape, clocks that were moved on purpose, and a memory timeline
beside its trace.

Environment: CGPU (the binary), CGPU_BUILDER (the trace builder).
"""
import gzip
import json
import os
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import built, hold, tool  # noqa: E402

TABLES = ("gpu_time", "kernels", "collectives", "stragglers", "clocks", "idle", "steps", "streams")


def setUpModule():
    tool.must_exist()


def rewrite(path, host, shift_ns, target=None):
    """The trace of another machine, whose clock is `shift_ns` ahead."""
    with open(path, encoding="utf-8") as handle:
        text = handle.read()
    base = re.search(r'"baseTimeNanoseconds": (\d+)', text)
    text = text.replace(base.group(0), '"baseTimeNanoseconds": %d' % (int(base.group(1)) + shift_ns))
    text = re.sub(r'"host_name": "[^"]*"', '"host_name": "%s"' % host, text)
    with open(target or path, "w", encoding="utf-8") as handle:
        handle.write(text)


# A job on three machines whose clocks differ by milliseconds, by rank.
HOSTS = ("node-0", "node-0", "node-1", "node-1", "node-2")
SHIFTS = (0, 0, 3456789, 3456789, -4321098)  # ns that the clock of each is ahead


def build_job(folder):
    """The folder of its traces."""
    traces, _ = built.build(folder, "--model", "moe", "--steps", 3, "--seed", 3, ranks=len(HOSTS))
    for path, host, shift in zip(built.files(traces), HOSTS, SHIFTS):
        rewrite(path, host, shift)
    return traces


def elsewhere(rows):
    """Rows of a table without what follows from the machines that the ranks are on."""
    return [{name: value for name, value in row.items() if name not in ("hosts", "link_pct")} for row in rows]


class Clocks(unittest.TestCase):
    SHIFTS = (0, 0, 12345678901, -4321)  # of ranks 0 to 3; 0 and 1 share a machine
    HOSTS = ("node-0", "node-0", "node-1", "node-2")

    def test_planted_offsets_come_back_and_every_number_with_them(self):
        for model in ("moe", "dlrm"):
            with self.subTest(model=model), tempfile.TemporaryDirectory() as folder:
                trace, truth = built.build(folder, "--model", model, "--steps", 4, "--seed", 5, ranks=4)
                before = {name: tool.table(trace, name) for name in TABLES if name != "clocks"}
                for path, host, shift in zip(built.files(trace), self.HOSTS, self.SHIFTS):
                    rewrite(path, host, shift)
                rows = tool.table(trace, "clocks")
                self.assertEqual([row["offset_ns"] for row in rows], [-shift for shift in self.SHIFTS])
                self.assertEqual([row["method"] for row in rows], ["reference", "shared", "aligned", "aligned"])
                self.assertEqual([row["residual_ns"] for row in rows], [None, 0, 0, 0])
                for name, want in before.items():
                    self.assertEqual(elsewhere(tool.table(trace, name)), elsewhere(want), name)
                waited = {(row["name"], row["group"]): row["wait_ns"] for row in tool.table(trace, "collectives")}
                for row in truth["collectives"]:
                    self.assertEqual(waited[row["name"], row["group"]], row["wait_ns"])
                notes = [row for row in tool.table(trace, "notes") if row["code"] == "clock_residual"]
                self.assertEqual(len(notes), 2)
                self.assertEqual(hold.differences([trace], built.files(trace)), [])

    def test_clocks_that_agree_are_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            trace, _ = built.build(folder, "--model", "dlrm", "--steps", 2, ranks=2)
            rewrite(built.files(trace)[1], "", 2000)
            rows = tool.table(trace, "clocks")
            self.assertEqual([row["offset_ns"] for row in rows], [0, 0])
            self.assertEqual([row["residual_ns"] for row in rows], [None, 2000])
            self.assertEqual(rows[1]["method"], "shared")


class Folders(unittest.TestCase):
    def test_the_same_run_however_its_files_lie(self):
        with tempfile.TemporaryDirectory() as folder:
            trace, _ = built.build(folder, "--model", "dlrm", "--steps", 2, ranks=3)
            want = {name: tool.table(trace, name) for name in TABLES}
            shapes = {
                "sub-folders": ("a/x.json", "b/x.json", "c/x.json"),
                "tensorboard": ("plugins/profile/2026_01_01/h0.json", "plugins/profile/2026_01_01/h1.json",
                                "plugins/profile/2026_01_01/h2.json"),
                "mixed": ("x.json", "1/x.json", "1/2/x.json"),
            }
            for shape, places in shapes.items():
                with self.subTest(shape=shape):
                    root = os.path.join(folder, shape)
                    for source, place in zip(built.files(trace), places):
                        os.makedirs(os.path.dirname(os.path.join(root, place)), exist_ok=True)
                        shutil.copy(source, os.path.join(root, place))
                    with open(os.path.join(root, "notes.txt"), "w", encoding="utf-8") as handle:
                        handle.write("not a profile\n")
                    for name in TABLES:
                        self.assertEqual(tool.table(root, name), want[name], name)
                    skipped = [r["count"] for r in tool.table(root, "notes") if r["code"] == "skipped_file"]
                    self.assertEqual(skipped, [1])
            self.assertEqual(tool.table(os.path.join(folder, "sub-folders", "?"), "kernels"), want["kernels"])

    def test_ranks_in_names_of_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            for rank in (7, 2, 11):
                os.makedirs(os.path.join(folder, "rank_%d" % rank))
                with open(os.path.join(folder, "rank_%d" % rank, "trace.json"), "w", encoding="utf-8") as handle:
                    json.dump({"schemaVersion": 1, "traceEvents": [
                        {"ph": "X", "cat": "kernel", "name": "k%d" % rank, "pid": 0, "tid": 7, "ts": 10, "dur": rank,
                         "args": {"device": 0, "stream": 7}}]}, handle)
            rows = tool.table(folder, "gpu_time")
            self.assertEqual([(row["rank"], row["busy_ns"]) for row in rows], [(2, 2000), (7, 7000), (11, 11000)])

    def test_one_file_of_nsight_systems_a_node(self):
        corpus = os.path.join(tool.shared("corpus"), "nsys_sqlite")
        trace = os.path.join(corpus, "GindaChen_nsys-ai__tests__fixtures__mfu_2gpu_before.sqlite")
        if not os.path.isdir(corpus):
            self.skipTest("no " + corpus)
        with tempfile.TemporaryDirectory() as folder:
            for node in range(2):
                os.makedirs(os.path.join(folder, "node%d" % node))
                shutil.copy(trace, os.path.join(folder, "node%d" % node, "report.sqlite"))
            both = tool.table(folder, "gpu_time")
            alone = tool.table(trace, "gpu_time")
            for node in range(2):
                self.assertEqual([dict(row, rank=0) for row in both if row["rank"] == node], alone)
            other = os.path.join(corpus, "GindaChen_nsys-ai__tests__fixtures__mfu_2gpu_after.sqlite")
            with self.assertRaisesRegex(RuntimeError, "cannot be ranks of one run: the second begins 80 minutes after"):
                tool.table([trace, other], "gpu_time")


class MemoryTimeline(unittest.TestCase):
    def test_beside_a_trace_it_is_its_memory(self):
        folder = os.path.join(tool.shared("corpus"), "torch_memory_snapshot")
        names = [n for n in (os.listdir(folder) if os.path.isdir(folder) else []) if "memory_timeline.raw" in n]
        if not names:
            self.skipTest("no memory timeline in " + folder)
        path = os.path.join(folder, names[0])
        with gzip.open(path) as handle:
            rows = json.load(handle)
        total = peak = 0
        for _, action, size, _ in rows:
            if action != 3:
                total += size
                peak = max(peak, total)
        allocations = sum(1 for _, action, size, _ in rows if action in (1, 2) and size > 0)
        want = {"peak_allocated_bytes": peak, "peak_reserved_bytes": None, "allocations": allocations}

        def facts(inputs):
            (row,) = tool.table(inputs, "memory")
            return {key: row[key] for key in want}

        self.assertEqual(tool.info(path)["format"], "torch-memory")
        self.assertEqual(tool.info(path)["events"], len(rows))
        self.assertEqual(facts(path), want)
        with tempfile.TemporaryDirectory() as both:
            first = min(time for time, _, _, _ in rows if time > 0)
            trace = {"schemaVersion": 1, "traceEvents": [
                {"ph": "X", "cat": "kernel", "name": "k", "pid": 5, "tid": 7, "ts": first // 1000 - 10,
                 "dur": (rows[-1][0] - first) // 1000 + 20, "args": {"device": 5, "stream": 7}}]}
            with open(os.path.join(both, "trace.json"), "w", encoding="utf-8") as handle:
                json.dump(trace, handle)
            shutil.copy(path, both)
            info = tool.info(both)
            self.assertEqual((info["ranks"], info["format"], info["slices"]), (1, "kineto", 1))
            self.assertEqual(facts(both), want)
            self.assertEqual(tool.table(both, "memory")[0]["device"], 5)


if __name__ == "__main__":
    unittest.main()
