#!/usr/bin/env python3
"""`cgpu export`: what it writes, read by an independent walk over the bytes, and read back by the tool itself.

Environment: CGPU (the binary), CGPU_CORPUS (the folder of PyTorch traces).
"""
import collections
import gzip
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from oracle.tool import export  # noqa: E402
from oracle.perfetto_walk import Walk  # noqa: E402

EXAMPLE = os.path.join(tool.ROOT, "examples", "generated_training.json.gz")
CORPUS_TRACES = ["AMD-AGI_TraceLens__b200__eager_trace.json.gz",
                 "AMD-AGI_TraceLens__mi300__ddp_resnet18_no_pool__train_resnet18.json.gz",
                 "pytorch_kineto__samples__resnet50_num_workers_4__worker0.1623212756351.pt.trace.json.gz"]
TABLES = ["kernels", "kernel_classes", "gpu_time", "ops", "api", "transfers", "launches", "queue", "idle",
          "idle_streams", "ranges", "collectives", "steps", "memory", "streams", "devices"]
DERIVED = "cgpu."  # begins the category of slices that cgpu derives


def rows(source, table):
    """Rows in any order, absent columns apart."""
    return sorted(json.dumps(row, sort_keys=True) for row in tool.table(source, table))


class Perfetto(unittest.TestCase):
    def check_against_the_source(self, source):
        slices = tool.table(source, "slices", "--args")
        walk = Walk(export(source, ".pftrace"))
        self.assertEqual(walk.open, 0, "every begin has its end")
        zero = int(tool.info(source)["start_ns"])
        self.assertIn(walk.realtime, (0, None))

        self.assertEqual(collections.Counter((s["name"], s["start_ns"] + zero, s["duration_ns"]) for s in slices),
                         collections.Counter((s["name"], s["start"], s["duration"]) for s in walk.slices
                                             if not s["category"].startswith(DERIVED)))
        return slices, walk

    def check_launches(self, slices, walk):
        """The pairs of call and device op are those of the correlation ids, counted here."""
        calls = collections.defaultdict(list)
        for s in slices:
            if s["kind"] in ("runtime_call", "driver_call") and s["correlation"] is not None:
                calls[s["correlation"]].append(s["name"])
        launched = set()
        for begin, end in walk.flows:
            op, call = walk.slices[end], walk.slices[begin]
            if op["category"] not in ("kernel", "gpu_memcpy", "gpu_memset", "collective_comm"):
                continue
            self.assertNotIn(end, launched, "an op has one launch")
            launched.add(end)
            correlation = op["arguments"]["correlation"]
            self.assertIn(call["name"], calls[correlation])
            self.assertEqual(call["arguments"]["correlation"], correlation)
        self.assertEqual(len(launched),
                         sum(1 for s in slices if s["device"] is not None and calls.get(s["correlation"])))

    def test_generated_training(self):
        slices, walk = self.check_against_the_source(EXAMPLE)
        self.check_launches(slices, walk)
        for begin, end in walk.flows:
            self.assertIsNotNone(begin, "a flow ends that has begun")
            self.assertIsNotNone(end)
        threads = {(s["process"], s["thread"]) for s in slices if s["kind"] in ("cpu_op", "runtime_call")}
        described = {(str(t["pid"]), str(t["tid"])) for t in walk.tracks.values() if t["tid"]}
        self.assertLessEqual(threads, described)

    def test_streams_stand_with_their_device(self):
        walk = Walk(export(EXAMPLE, ".pftrace"))
        device = next(uuid for uuid, t in walk.tracks.items() if t["name"].startswith("GPU 0"))
        names = {t["name"] for t in walk.tracks.values() if t["parent"] == device}
        self.assertLessEqual({"busy", "idle", "exposed communication", "stream 7"}, names)
        self.assertEqual(walk.gpus, [r["name"] for r in tool.table(EXAMPLE, "devices")])

    def test_derived_lanes_are_the_tables(self):
        walk = Walk(export(EXAMPLE, ".pftrace"))
        sums = collections.Counter()
        for s in walk.slices:
            if s["category"].startswith(DERIVED):
                sums[s["category"], s["name"]] += s["duration"]
        time = collections.Counter()
        for row in tool.table(EXAMPLE, "gpu_time"):
            time.update({k: v for k, v in row.items() if k.endswith("_ns")})
        self.assertEqual(sums["cgpu.busy", "compute"], time["compute_ns"])
        self.assertEqual(sums["cgpu.busy", "communication"], time["exposed_comm_ns"])
        self.assertEqual(sums["cgpu.busy", "memory"], time["exposed_memory_ns"])
        self.assertEqual(sum(v for (c, _), v in sums.items() if c == "cgpu.idle"), time["idle_ns"])
        self.assertEqual(sum(v for (c, _), v in sums.items() if c == "cgpu.exposed"), time["exposed_comm_ns"])

    def test_arguments_can_be_left_out(self):
        full, brief = Walk(export(EXAMPLE, ".pftrace")), Walk(export(EXAMPLE, ".pftrace", "--no-args"))
        self.assertEqual(len(full.slices), len(brief.slices))
        self.assertEqual([s["arguments"].get("correlation") for s in brief.slices],
                         [s["arguments"].get("correlation") for s in full.slices])
        self.assertGreater(sum(len(s["arguments"]) for s in full.slices), sum(len(s["arguments"]) for s in brief.slices))

    def test_overlap_without_nesting_keeps_both(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "overlap.json")
            events = [{"ph": "X", "cat": "cpu_op", "name": n, "pid": 1, "tid": 1, "ts": t, "dur": d}
                      for n, t, d in (("a", 0, 10), ("b", 5, 10), ("c", 6, 2), ("d", 10, 0), ("e", 20, 1))]
            with open(path, "w") as file:
                json.dump({"traceEvents": events}, file)
            walk = Walk(export(path, ".pftrace"))
        got = {s["name"]: (s["start"], s["duration"]) for s in walk.slices if not s["category"].startswith(DERIVED)}
        self.assertEqual(got, {"a": (0, 10000), "b": (5000, 10000), "c": (6000, 2000), "d": (10000, 0),
                               "e": (20000, 1000)})

    def test_corpus(self):
        found = [t for t in CORPUS_TRACES if os.path.exists(os.path.join(tool.corpus(), t))]
        if not found:
            self.skipTest("no ../shared/corpus")
        for trace in found:
            with self.subTest(trace):
                self.check_against_the_source(os.path.join(tool.corpus(), trace))


class RoundTrip(unittest.TestCase):
    def check(self, source):
        for ending in (".json", ".json.gz", ".pftrace", ".pftrace.gz"):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "out" + ending)
                self.assertEqual(tool.run(["export", source, "-o", path]).returncode, 0)
                for table in TABLES:
                    with self.subTest(source=os.path.basename(source), ending=ending, table=table):
                        self.assertEqual(rows(source, table), rows(path, table))

    def test_examples(self):
        for name in ("generated_training.json.gz", "dlrm.json.gz"):
            self.check(os.path.join(tool.ROOT, "examples", name))

    def test_corpus(self):
        found = [t for t in CORPUS_TRACES if os.path.exists(os.path.join(tool.corpus(), t))]
        if not found:
            self.skipTest("no ../shared/corpus")
        self.check(os.path.join(tool.corpus(), found[0]))

    def test_nsys(self):
        folder = tool.shared(os.path.join("corpus", "nsys_sqlite"))
        if not os.path.isdir(folder):
            self.skipTest("no ../shared/corpus")
        self.check(next(os.path.join(folder, f) for f in sorted(os.listdir(folder)) if "before" in f))


class Chrome(unittest.TestCase):
    def test_times_are_exact_and_flows_pair(self):
        slices = tool.table(EXAMPLE, "slices")
        trace = json.loads(gzip.decompress(export(EXAMPLE, ".json.gz")), parse_float=str)
        events = trace["traceEvents"]

        def ns(text):
            whole, _, part = str(text).partition(".")
            return int(whole) * 1000 + int(part.ljust(3, "0"))
        got = collections.Counter((e["name"], ns(e["ts"]), ns(e["dur"])) for e in events if e["ph"] == "X")
        self.assertEqual(got, collections.Counter((s["name"], s["start_ns"], s["duration_ns"]) for s in slices))
        ends = collections.Counter(e["id"] for e in events if e["ph"] == "f")
        self.assertEqual(collections.Counter(e["id"] for e in events if e["ph"] == "s"), ends)
        self.assertEqual(set(ends.values()), {1})


class CommandLine(unittest.TestCase):
    def refused(self, *arguments):
        done = tool.run(["export", EXAMPLE, *arguments])
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, b"")
        message = done.stderr.decode()
        self.assertEqual(message.count("\n"), 1, message)
        return message

    def test_where_to_is_asked_for(self):
        self.assertIn("-o", self.refused())

    def test_unknown_ending(self):
        self.assertIn(".pftrace", self.refused("-o", "trace.txt"))

    def test_folder_that_is_not_there(self):
        self.assertIn("cannot be written", self.refused("-o", "/nonexistent/trace.json"))

    def test_to_stdout_in_a_named_format(self):
        done = tool.run(["export", EXAMPLE, "-o", "-", "--to", "json"])
        self.assertEqual(done.returncode, 0)
        self.assertIn("traceEvents", json.loads(done.stdout))

    def test_a_window(self):
        part = Walk(export(EXAMPLE, ".pftrace", "--from", "0", "--to", "5ms"))
        whole = Walk(export(EXAMPLE, ".pftrace"))
        self.assertTrue(0 < len(part.slices) < len(whole.slices))


if __name__ == "__main__":
    unittest.main()
