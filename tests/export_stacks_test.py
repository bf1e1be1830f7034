#!/usr/bin/env python3
"""`cgpu export` of stacks (.folded, .pprof): against stacks that are counted here, a decoder of pprof's format in a few lines,
and `go tool pprof` where it is installed.

Environment: CGPU (the binary).
"""
import collections
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from oracle.tool import export  # noqa: E402
from oracle.protobuf import fields  # noqa: E402

EXAMPLE = os.path.join(tool.ROOT, "examples", "generated_training.json.gz")
RECORDED = tool.shared(os.path.join("corpus_more", "hpctoolkit_recorded"))


def setUpModule():
    tool.must_exist()


def folded(data):
    """Stack -> count."""
    stacks = {}
    for line in data.decode().splitlines():
        stack, count = line.rsplit(" ", 1)
        assert stack not in stacks, "twice: " + stack
        stacks[stack] = int(count)
    return stacks


class Profile:
    """What a profile of pprof says."""

    def __init__(self, data):
        by_number = collections.defaultdict(list)
        for number, value in fields(data):
            by_number[number].append(value)
        self.texts = [text.decode() for text in by_number[6]]
        assert self.texts[0] == ""
        self.types = [(self.texts[t[1]], self.texts[t[2]]) for t in map(dict, map(fields, by_number[1]))]
        self.first_type = self.texts[by_number[14][0]]
        functions = {f[1]: f for f in map(dict, map(fields, by_number[5]))}
        self.mappings = {m[1]: self.texts[m[5]] for m in map(dict, map(fields, by_number[3]))}
        self.locations = {}
        for place in map(dict, map(fields, by_number[4])):
            line = dict(fields(place[4]))
            function = functions[line[1]]
            self.locations[place[1]] = (self.texts[function[2]], self.texts[function[4]], line.get(2, 0),
                                        self.mappings.get(place.get(2)))
        self.samples = []  # stack from the innermost one out, values, rank
        for sample in by_number[2]:
            parts = list(fields(sample))
            labels = [dict(fields(value)) for number, value in parts if number == 3]
            rank = next((label.get(3, 0) for label in labels if self.texts[label[1]] == "rank"), None)
            self.samples.append(([self.locations[value] for number, value in parts if number == 1],
                                 [value for number, value in parts if number == 2], rank))
            assert len(self.samples[-1][1]) == len(self.types)

    def folded(self, metric):
        at = [name for name, _ in self.types].index(metric)
        stacks = collections.Counter()
        for stack, values, rank in self.samples:
            names = [place[0].replace(";", ",") for place in reversed(stack)]
            if values[at]:
                stacks[";".join(names if rank is None else ["rank %d" % rank, *names])] += values[at]
        return dict(stacks)


def trace(rank, launches):
    """A loop that launches from an op, in a step: launches: (op, kernel, ns on the host, ns on the device)."""
    events, now = [], 0
    for number, (op, kernel, host, device) in enumerate(launches):
        at = {"pid": 1, "tid": 1, "ph": "X"}
        events += [dict(at, cat="cpu_op", name=op, ts=now, dur=host / 1000),
                   dict(at, cat="cuda_runtime", name="cudaLaunchKernel", ts=now + 1, dur=2, args={"correlation": number + 1}),
                   dict(at, cat="kernel", name=kernel, pid=0, tid=7, ts=now + 4, dur=device / 1000,
                        args={"correlation": number + 1, "device": 0, "stream": 7})]
        now += 100
    return {"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": events,
            "deviceProperties": [{"id": 0, "name": "GPU"}]}


class Stacks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, content):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def test_folded_stacks_come_back_as_they_were(self):
        lines = {"main;a;b": 3, "main;a": 4, "main;b;a;b": 1, "other": 20}
        source = self.write("in.folded", "".join("%s %d\n" % item for item in lines.items()))
        self.assertEqual(folded(export(source, ".folded")), lines)
        self.assertEqual(Profile(export(source, ".pprof")).folded("samples"), lines)

    def test_a_timeline_is_folded_by_nesting(self):
        source = self.write("run.json", trace(0, [("aten::mm", "gemm", 10000, 5000), ("aten::mm", "gemm", 12000, 7000),
                                                  ("aten::add", "add<int; float>", 8000, 900)]))
        self.assertEqual(folded(export(source, ".folded")),
                         {"aten::mm;cudaLaunchKernel;gemm": 12000, "aten::add;cudaLaunchKernel;add<int, float>": 900})
        self.assertEqual(folded(export(source, ".folded", "--metric", "cpu_time")),
                         {"aten::mm": 10000 + 12000 - 4000, "aten::mm;cudaLaunchKernel": 4000, "aten::add": 6000,
                          "aten::add;cudaLaunchKernel": 2000})
        profile = Profile(export(source, ".pprof"))
        self.assertEqual(profile.types, [("device_time", "nanoseconds"), ("cpu_time", "nanoseconds"), ("count", "count")])
        self.assertEqual(profile.first_type, "device_time")
        for metric in ("device_time", "cpu_time", "count"):
            self.assertEqual(profile.folded(metric), folded(export(source, ".folded", "--metric", metric)))
        self.assertEqual(Profile(export(source, ".pprof", "--metric", "count")).first_type, "count")

    def test_ranks_are_apart(self):
        for rank in (0, 1):
            self.write("rank%d.json" % rank, trace(rank, [("aten::mm", "gemm", 9000, 1000 * (rank + 1))]))
        expected = {"rank 0;aten::mm;cudaLaunchKernel;gemm": 1000, "rank 1;aten::mm;cudaLaunchKernel;gemm": 2000}
        self.assertEqual(folded(export(self.folder.name, ".folded")), expected)
        self.assertEqual(Profile(export(self.folder.name, ".pprof")).folded("device_time"), expected)

    def test_a_part_of_the_time_has_its_own(self):
        source = self.write("run.json", trace(0, [("aten::mm", "gemm", 10000, 5000), ("aten::add", "add", 8000, 900)]))
        self.assertEqual(folded(export(source, ".folded", "--from", "50us")), {"aten::add;cudaLaunchKernel;add": 900})

    def test_sums_are_those_of_the_call_tree(self):
        root = tool.table(EXAMPLE, "call_tree", "--apart", "nothing", "--metric", "device_time,cpu_time,count")[0]
        profile = Profile(gzip.decompress(export(EXAMPLE, ".pprof.gz")))
        for metric in ("device_time", "cpu_time", "count"):
            stacks = folded(gzip.decompress(export(EXAMPLE, ".folded.gz", "--metric", metric)))
            self.assertEqual(sum(stacks.values()), root[metric + ".inclusive"], metric)
            self.assertEqual(profile.folded(metric), stacks)

    def test_what_it_reads_it_wrote(self):
        path = os.path.join(self.folder.name, "again.folded")
        with open(path, "wb") as file:
            file.write(export(EXAMPLE, ".folded"))
        again = {row["name"]: row["samples.exclusive"] for row in tool.table(path, "functions") if row["samples.exclusive"]}
        self.assertEqual(again["fused_moe_kernel"],
                         sum(row["total_ns"] for row in tool.table(EXAMPLE, "kernels") if row["name"] == "fused_moe_kernel"))

    def test_mistakes_are_said(self):
        source = self.write("run.folded", "a;b 1\na;c 2\n")
        cases = [(["-o", "x.pftrace"], "has no timeline"), (["-o", "x.folded", "--metric", "nonsense"], "nonsense"),
                 (["-o", "x.json", "--metric", "samples"], "--metric is of stacks"), (["-o", "x.txt"], ".pprof")]
        for options, words in cases:
            options = [os.path.join(self.folder.name, one) if one.startswith("x.") else one for one in options]
            done = tool.run(["export", source, *options])
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(words, done.stderr.decode())
        self.assertEqual(os.listdir(self.folder.name), ["run.folded"])

    def test_lines_of_recorded_functions(self):
        database = os.path.join(RECORDED, "base.d")
        if not os.path.isdir(database):
            self.skipTest("no databases in %s" % RECORDED)
        profile = Profile(export(database, ".pprof"))
        rows = tool.table(database, "functions", "--metric", "CPUTIME")
        expected = {row["name"]: row["CPUTIME.exclusive"] for row in rows if row["CPUTIME.exclusive"]}
        at = [name for name, _ in profile.types].index("CPUTIME")
        found = collections.Counter()
        places = collections.defaultdict(set)
        for stack, values, _ in profile.samples:
            found[stack[0][0]] += values[at]
            places[stack[0][0]].add(stack[0][1:])
        for name, value in expected.items():
            self.assertAlmostEqual(found[name] / 1e9, value, delta=1e-6, msg=name)
        self.assertTrue(any(line for _, line, _ in places["burn(long, double)"]), "functions have the lines that cost")

    def test_pprofs_own_tool_reads_it(self):
        if not shutil.which("go"):
            self.skipTest("go is not installed")
        path = os.path.join(self.folder.name, "run.pprof.gz")
        with open(path, "wb") as file:
            file.write(export(EXAMPLE, ".pprof.gz"))
        done = subprocess.run(["go", "tool", "pprof", "-top", "-unit=ns", "-nodecount=1", path], capture_output=True, check=False,
                              env=dict(os.environ, PPROF_TMPDIR=self.folder.name), timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        top = done.stdout.decode().splitlines()[-1].split()
        total = sum(row["total_ns"] for row in tool.table(EXAMPLE, "kernels") if row["name"] == "fused_moe_kernel")
        self.assertEqual((top[0], top[-1]), ("%dns" % total, "fused_moe_kernel"))


if __name__ == "__main__":
    unittest.main()
