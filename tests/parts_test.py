#!/usr/bin/env python3
"""Every table of a part of what was recorded, and of profiles with times that cannot be: an answer or a refusal in a
line, never a crash. Meant for a binary with the sanitizers too (CGPU); src/session/part_tables_test.cpp asks the same
of the library.

Environment: CGPU (the binary).
"""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402


def setUpModule():
    tool.must_exist()


def slice_of(category, name, thread, start, duration, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": 0 if thread == 7 else 1, "tid": thread, "ts": start,
            "dur": duration, "args": args}


def short_kernels(rank):
    """Many short kernels with gaps between them, all launched before the first one runs."""
    events = []
    for i in range(400):
        events.append(slice_of("cuda_runtime", "cudaLaunchKernel", 1, 1000 + 2 * i, 1, correlation=i + 1))
        events.append(slice_of("kernel", "elementwise_kernel", 7, 3000 + 10 * i, 4, correlation=i + 1, device=0,
                               stream=7))
    return {"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 3}, "traceEvents": events}


class Parts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, document):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(document if isinstance(document, str) else json.dumps(document))
        return path

    def answers(self, *arguments):
        with self.subTest(arguments=arguments):
            done = tool.run(arguments)
            text = done.stderr.decode()
            self.assertIn(done.returncode, (0, 2), text)
            if done.returncode == 2:
                self.assertEqual(text.count("\n"), 1, text)

    def tables(self):
        done = tool.run(["table", "--list", "--format", "json"])
        self.assertEqual(done.returncode, 0, done.stderr)
        names = [row["name"] for row in tool.rows_of(json.loads(done.stdout))["tables"]]
        self.assertGreater(len(names), 30)
        return names

    def test_every_table_of_a_part(self):
        for rank in range(3):
            self.write("ranks/rank%d.json" % rank, short_kernels(rank))
        ranks = os.path.join(self.folder, "ranks")
        for part in (["--rank", "2"], ["--from", "1ms", "--to", "4ms"]):
            self.answers("diagnose", ranks, *part)
            for name in self.tables():
                self.answers("table", ranks, name, *part, "--format", "csv")

    def test_a_slice_of_more_than_a_week_around_another(self):
        events = [slice_of("cpu_op", "outer", 1, 0, 700000000000), slice_of("cpu_op", "inner", 1, 2, 3),
                  slice_of("kernel", "k", 7, 5, 9, device=0, stream=7, correlation=1)]
        path = self.write("week.json", {"traceEvents": events})
        for command in (["table", path, "call_tree"], ["diagnose", path], ["compare", path, path],
                        ["table", path, "call_tree", "--apart", "threads"],
                        ["report", path, "-o", os.path.join(self.folder, "report.html")]):
            done = tool.run(command)
            self.assertEqual(done.returncode, 0, (command, done.stderr))
        for apart in ("ranks", "threads"):
            for row in tool.table(path, "call_tree", "--apart", apart):
                for column, value in row.items():
                    if isinstance(value, (int, float)) and "time" in column:
                        self.assertGreaterEqual(value, 0, (column, row))

    def test_a_measured_kernel_of_no_time(self):
        path = self.write("none.csv", '"ID","Process ID","Kernel Name","gpu__time_duration.sum"\n'
                                      '"1","5","a(int)","0.1"\n"2","5","b(int)","1.3"\n')
        done = tool.run(["diagnose", path])
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
