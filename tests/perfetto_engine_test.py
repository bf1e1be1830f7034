#!/usr/bin/env python3
"""Perfetto's own trace processor reads what `cgpu export` writes: slices, threads, processes, flows, devices, ranks are
those of `cgpu table`. Skipped where the engine cannot be installed (scripts/perfetto-engine).

Environment: CGPU (the binary), CGPU_BUILDER (the trace builder), CGPU_PERFETTO_ENGINE (the folder of the engine).
"""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import built, tool  # noqa: E402
from oracle.perfetto_walk import Walk  # noqa: E402

EXAMPLE = os.path.join(tool.ROOT, "examples", "generated_training.json.gz")
CATEGORIES = {"cpu_op": "framework_op", "user_annotation": "annotation", "python_function": "python_function",
              "cuda_runtime": "runtime_call", "cuda_driver": "driver_call", "os_call": "os_call", "kernel": "kernel",
              "gpu_memcpy": "memcpy", "gpu_memset": "memset", "collective_comm": "device_collective",
              "gpu_user_annotation": "device_annotation", "cuda_sync": "synchronization", "overhead": "overhead",
              "Trace": "profiler_span"}
HOST = ("framework_op", "annotation", "runtime_call", "driver_call", "python_function", "os_call")
PROFILE = "category is not null and category not like 'cgpu.%'"  # no instants, nothing derived
engine = None


def setUpModule():
    global engine
    tool.must_exist()
    if not shutil.which("node"):
        raise unittest.SkipTest("no node to run Perfetto's engine")
    found = subprocess.run([os.path.join(tool.ROOT, "scripts", "perfetto-engine")], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, universal_newlines=True)
    if found.returncode:
        raise unittest.SkipTest("Perfetto's engine cannot be installed: " + found.stderr.strip())
    engine = found.stdout.strip()


def ask(trace, *queries):
    """The rows of each query."""
    script = os.path.join(tool.ROOT, "tests", "oracle", "perfetto_engine.mjs")
    done = subprocess.run(["node", script, engine, trace], input=json.dumps(queries), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True, timeout=300)
    if done.returncode:
        raise RuntimeError(done.stderr[-1000:])
    return [[tuple(row) for row in answer["rows"]] for answer in json.loads(done.stdout)]


class Engine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def export(self, inputs, ending):
        path = os.path.join(self.folder.name, "export" + ending)
        done = tool.run(["export"] + inputs + ["-o", path])
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return path

    def totals(self, slices, *columns):
        sums = collections.defaultdict(lambda: [0, 0])
        for s in slices:
            entry = sums[tuple(s[c] for c in columns)]
            entry[0] += 1
            entry[1] += s["duration_ns"]
        return sorted((*key, *values) for key, values in sums.items())

    def check(self, inputs, ending=".pftrace"):
        """What holds for every export; answers the slices and what the engine says of processes and devices."""
        path = self.export(inputs, ending)
        slices = tool.table(inputs, "slices")
        by_name, by_category, lost, gpus, early, flows = ask(
            path, "select name, count(*), sum(dur) from slice where %s group by name" % PROFILE,
            "select category, count(*) from slice where %s group by category" % PROFILE,
            "select name, value from stats where value > 0 and severity in ('error', 'data_loss')",
            "select name from gpu", "select count(*) from slice where ts < 0",
            "select count(*) from flow")
        self.assertEqual(sorted(by_name), self.totals(slices, "name"))
        self.assertEqual(lost, [])
        self.assertEqual(early, [(0,)])
        kinds = collections.Counter()
        for category, count in by_category:  # kinds that have no category of their own have the profile's
            kinds[CATEGORIES.get(category.split(",")[0], "other")] += count
        self.assertEqual(kinds, collections.Counter(s["kind"] for s in slices))
        if ending == ".pftrace":
            with open(path, "rb") as file:
                walk = Walk(file.read())
            # Perfetto draws no arrow to a slice that began before it, as a wait does that its call is recorded after.
            self.assertEqual(flows, [(sum(1 for begin, end in walk.flows if begin < end),)])
            self.assertEqual(len(gpus), len(tool.table(inputs, "devices")))
        return slices, path

    def check_threads(self, slices, path):
        """Of one rank: every host thread with its process, slices and total."""
        threads, = ask(path, "include perfetto module slices.with_context; "
                             "select cast(pid as text), cast(tid as text), count(*), sum(dur) from thread_slice "
                             "where %s group by 1, 2" % PROFILE)
        known = {thread[:2] for thread in threads}
        self.assertLessEqual({(s["process"], s["thread"]) for s in slices if s["kind"] in HOST}, known)
        self.assertEqual(sorted(threads), [t for t in self.totals(slices, "process", "thread") if t[:2] in known])

    def test_one_rank(self):
        slices, path = self.check([EXAMPLE])
        self.check_threads(slices, path)
        parents, = ask(path, "select t.name, p.name from track t join track p on t.parent_id = p.id "
                             "where p.name like 'GPU 0%'")
        self.assertLessEqual({"busy", "idle", "exposed communication", "stream 7", "stream 13"},
                             {name for name, _ in parents})

    def test_json(self):
        self.check([EXAMPLE], ".json")

    def check_ranks(self, inputs):
        slices, path = self.check(inputs)
        ranks = sorted({s["rank"] for s in slices})
        processes, headings = ask(
            path, "select name from process where name like 'rank %'",
            "select c.name from track t join track c on c.parent_id = t.id where t.parent_id is null "
            "and t.name like 'rank %' and (c.name like 'GPU%' or c.name like 'NPU%')")
        host = {(s["rank"], s["process"]) for s in slices if s["kind"] in ("framework_op", "runtime_call")}
        self.assertEqual(sorted(int(name.split()[1]) for name, in processes), sorted(rank for rank, _ in host))
        devices = {(s["rank"], s["device"]) for s in slices if s["device"] is not None}
        self.assertEqual(len(headings), len(devices))
        self.assertEqual(sorted({rank for rank, _ in devices}), ranks)
        pids, = ask(path, "select pid, count(*) from process where pid > 0 group by pid having count(*) > 1")
        self.assertEqual(pids, [], "a process of another rank has a number of its own")

    def test_built_ranks(self):
        trace, _ = built.build(self.folder.name, "--model", "dlrm", "--seed", 41, "--steps", 4, ranks=3)
        self.check_ranks([trace])

    def test_built_ranks_as_json(self):
        trace, _ = built.build(self.folder.name, "--model", "dlrm", "--seed", 42, "--steps", 4, ranks=3)
        slices, path = self.check([trace], ".json")
        threads, = ask(path, "include perfetto module slices.with_context; select process_name, count(*) from thread_slice "
                             "where %s and category = 'cpu_op' group by 1" % PROFILE)
        ops = collections.Counter("rank %d python3" % s["rank"] for s in slices if s["kind"] == "framework_op")
        self.assertEqual(sorted(threads), sorted(ops.items()))

    def test_overlap_and_times_before_the_start(self):
        path = os.path.join(self.folder.name, "overlap.json")
        events = [{"ph": "X", "cat": "cpu_op", "name": n, "pid": 1, "tid": 1, "ts": t, "dur": d}
                  for n, t, d in (("a", 0, 10), ("b", 5, 10), ("c", 6, 2), ("d", 10, 0), ("e", 20, 1))]
        events += [{"ph": "X", "cat": "Trace", "name": "span", "pid": "Spans", "tid": "Profiler", "ts": -7, "dur": 40}]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "traceEvents": events}, file)
        for ending in (".pftrace", ".json"):
            with self.subTest(ending):
                self.check([path], ending)

    def test_corpus(self):
        ascend = os.path.join(tool.shared("corpus"), "ascend", "Ascend_msinsight__pytorch_text_level1_rank%d_ascend_pt")
        nsys = os.path.join(tool.shared("corpus"), "nsys_sqlite", "GindaChen_nsys-ai__tests__fixtures__mock.sqlite")
        if not os.path.isdir(ascend % 0) or not os.path.exists(nsys):
            self.skipTest("no ../shared/corpus")
        self.check_ranks([ascend % 0, ascend % 1])
        self.check_threads(*self.check([nsys]))


if __name__ == "__main__":
    unittest.main()
