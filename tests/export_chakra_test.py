#!/usr/bin/env python3
"""`cgpu export -o run.et` (Chakra's execution traces): what it writes, decoded here without the schema (oracle/chakra.py), against
traces whose graph is known, against laws, and read back by the tool itself.

Environment: CGPU (the binary).
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
from oracle.chakra import COLLECTIVE, COMPUTE, METADATA, RECEIVE, SEND, ExecutionTrace  # noqa: E402
from oracle.tool import export  # noqa: E402

EXAMPLES = os.path.join(tool.ROOT, "examples")
EXAMPLE = os.path.join(EXAMPLES, "generated_training.json.gz")
RECORDED = [os.path.join(EXAMPLES, "h100", name + ".json.gz")
            for name in ("training", "two_streams", "copies_pageable", "convolutions_nhwc", "host_stall", "workers_8")]
RING = os.path.join(EXAMPLES, "h100_ranks", "ring")


def setUpModule():
    tool.must_exist()


class Trace:
    """Events of a trace in whole us: a host thread 1 of process 1, and streams of device 0."""

    def __init__(self, rank=None, groups=()):
        self.events, self.correlation = [], 0
        self.rank, self.groups = rank, groups

    def host(self, name, start, end, category="cpu_op", thread=1, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": thread, "ts": start, "dur": end - start,
                            "args": args})

    def launch(self, start, end, kernel, op_start, op_end, stream=7, thread=1, category="kernel", name="cudaLaunchKernel", **args):
        self.correlation += 1
        self.host(name, start, end, "cuda_runtime", thread, correlation=self.correlation)
        self.events.append({"ph": "X", "cat": category, "name": kernel, "pid": 0, "tid": stream, "ts": op_start,
                            "dur": op_end - op_start,
                            "args": dict(args, correlation=self.correlation, device=0, stream=stream)})

    def text(self):
        distributed = {} if self.rank is None else {"distributedInfo": {"backend": "nccl", "rank": self.rank, "world_size": 2,
                                                                        "pg_config": list(self.groups)}}
        return json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": self.events,
                           **distributed})


class Chakra(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def written(self, trace):
        return ExecutionTrace(export(self.write("run.json", trace.text()), ".et"))

    def graph(self, trace):
        """{name: names of what it waits for} and {name: duration}, of names that are there once."""
        written = self.written(trace)
        names = [node.name for node in written.nodes]
        self.assertEqual(len(set(names)), len(names), names)
        return ({node.name: {written.by_id[on].name for on in node.dependencies} for node in written.nodes},
                {node.name: node.duration for node in written.nodes})

    def test_launches_streams_and_host_order(self):
        trace = Trace()
        trace.host("aten::mm", 0, 30)
        trace.launch(10, 14, "gemm", 100, 300, name="cudaLaunchKernelExC")
        trace.host("aten::add", 50, 70)
        trace.launch(55, 60, "add", 301, 401)
        waits, durations = self.graph(trace)
        self.assertEqual(durations, {"aten::mm": 10, "cudaLaunchKernelExC": 4, "aten::mm (continued)": 16, "host code": 20,
                                     "aten::add": 5, "cudaLaunchKernel": 5, "aten::add (continued)": 10, "gemm": 200, "add": 100})
        self.assertEqual(waits, {"aten::mm": set(), "cudaLaunchKernelExC": {"aten::mm"},
                                 "aten::mm (continued)": {"cudaLaunchKernelExC"}, "host code": {"aten::mm (continued)"},
                                 "aten::add": {"host code"}, "cudaLaunchKernel": {"aten::add"},
                                 "aten::add (continued)": {"cudaLaunchKernel"}, "gemm": {"cudaLaunchKernelExC"},
                                 "add": {"gemm", "cudaLaunchKernel"}})

    def test_a_wait_takes_only_the_time_after_what_it_waits_for(self):
        trace = Trace()
        trace.launch(0, 5, "slow", 10, 1010)
        trace.host("cudaDeviceSynchronize", 20, 1030, "cuda_runtime")
        trace.host("aten::next", 1030, 1040)
        waits, durations = self.graph(trace)
        self.assertEqual(durations["cudaDeviceSynchronize"], 20)
        self.assertEqual(waits["cudaDeviceSynchronize"], {"host code", "slow"})
        self.assertEqual(waits["aten::next"], {"cudaDeviceSynchronize"})

    def test_a_call_that_launches_what_it_waits_for_is_two_nodes(self):
        trace = Trace()
        trace.launch(0, 500, "Memcpy DtoH (Device -> Pageable)", 10, 490, category="gpu_memcpy", name="cudaMemcpy", bytes=4096)
        trace.host("aten::next", 500, 510)
        waits, durations = self.graph(trace)
        copy = "Memcpy DtoH (Device -> Pageable)"
        self.assertEqual(waits, {"cudaMemcpy": set(), copy: {"cudaMemcpy"}, "cudaMemcpy (continued)": {"cudaMemcpy", copy} - {"cudaMemcpy"},
                                 "aten::next": {"cudaMemcpy (continued)"}})
        self.assertEqual(durations, {"cudaMemcpy": 0, copy: 480, "cudaMemcpy (continued)": 10, "aten::next": 10})
        written = {node.name: node for node in self.written(trace).nodes}
        self.assertEqual(written[copy].attributes["tensor_size"], 4096)
        self.assertEqual(written[copy].type, COMPUTE)

    def test_part_of_a_call_after_its_op_began_is_beside_it(self):
        trace = Trace()
        trace.launch(0, 1000, "kernel", 400, 2000)
        waits, durations = self.graph(trace)
        self.assertEqual(durations, {"cudaLaunchKernel": 400, "kernel": 1600, "cudaLaunchKernel (continued)": 600})
        self.assertEqual(waits["kernel"], {"cudaLaunchKernel"})

    def test_frames_and_threads_without_device_work_are_left_out(self):
        trace = Trace()
        trace.host("step", 0, 100, "user_annotation")
        trace.host("frame", 10, 90, "python_function")
        trace.launch(40, 45, "kernel", 50, 60)
        trace.host("aten::loader", 0, 50, thread=2)
        done = tool.must_run("export", self.write("run.json", trace.text()), "-o", self.path("run.et"))
        written = ExecutionTrace(tool.read(self.path("run.et")))
        self.assertEqual([(node.name, node.duration) for node in written.host_nodes()],
                         [("step", 40), ("cudaLaunchKernel", 5), ("step (continued)", 55)])
        self.assertIn("neither launch nor wait for device work: 1\n", done.stderr.decode())
        self.assertEqual(done.stdout, b"")

    def test_whole_microseconds_add_up(self):
        trace = Trace()
        for i in range(100):
            trace.launch(10 * i, 10 * i + 1.4, "kernel", 10 * i + 2, 10 * i + 3.4)
        written = self.written(trace)
        self.assertEqual(sum(node.duration for node in written.device_nodes()), 140)
        self.assertEqual({node.duration for node in written.device_nodes()}, {1, 2})
        self.assertEqual(sum(node.duration for node in written.host_nodes()), 991, "of the thread, from 0 to 991.4 us")

    def check_laws(self, source):
        done = tool.must_run("export", source, "-o", self.path("run.et"))
        written = ExecutionTrace(tool.read(self.path("run.et")))
        ops = tool.table(source, "device_trace")
        # Every device op is a node, by name; the times of a stream differ by less than 1 us in all.
        self.assertEqual(collections.Counter(node.name for node in written.device_nodes()),
                         collections.Counter(op["name"] for op in ops))
        wanted, found = collections.Counter(), collections.Counter()
        for op in ops:
            wanted[op["device"], op["stream"]] += op["duration_ns"]
        for node in written.device_nodes():
            found[node.attributes["device"], node.attributes["stream"]] += node.duration
        for stream, ns in wanted.items():
            self.assertLess(abs(ns / 1000 - found[stream]), 1, stream)
        # Every op of a host thread that has nodes is one, and no node is of anything else.
        threads = {node.attributes["tid"] for node in written.host_nodes()}
        slices = tool.table(source, "slices")
        host = [s for s in slices if s["kind"] in ("framework_op", "annotation", "runtime_call", "driver_call")]
        host = [s for s in host if s["thread"] in map(str, threads)]
        self.assertEqual(collections.Counter(node.name for node in written.host_nodes()
                                             if node.name != "host code" and not node.name.endswith(" (continued)")),
                         collections.Counter(s["name"] for s in host))
        # Dependencies come first, so that there is no cycle; none follows from the others.
        seen = set()
        reached = written.followers()
        place = {node.id: i for i, node in enumerate(written.all)}
        for node in written.all:
            self.assertLessEqual(set(node.dependencies) | set(node.callers), seen)
            seen.add(node.id)
            for on in node.dependencies:
                others = [other for other in node.dependencies if other != on]
                self.assertFalse(any(reached[other] >> place[on] & 1 for other in others), (node.id, on))
        # Device ops are controlled by the calls that launched them.
        calls = {s["correlation"]: s["name"] for s in slices if s["kind"] in ("runtime_call", "driver_call")}
        self.assertEqual(collections.Counter((op["name"], calls.get(op["correlation"])) for op in ops),
                         collections.Counter((node.name, written.by_id[node.callers[0]].name if node.callers else None)
                                             for node in written.device_nodes()))
        # A replay takes about as long as the run: gaps and latencies are all that is missing.
        measured = max(n.start + n.duration for n in written.nodes) - min(n.start for n in written.nodes)
        replayed = max(written.ends().values())
        self.assertLess(replayed, 1.02 * measured)
        self.assertGreater(replayed, 0.95 * measured)
        self.assertIn("Where each begins as soon as it can", done.stderr.decode())
        return written

    def test_laws_of_a_generated_run(self):
        self.check_laws(EXAMPLE)

    def test_laws_of_recorded_runs(self):
        for path in RECORDED:
            with self.subTest(os.path.basename(path)):
                self.check_laws(path)

    def test_flops_and_bytes_are_those_of_mfu(self):
        written = ExecutionTrace(export(RECORDED[0], ".et"))
        row, = tool.table(RECORDED[0], "mfu")
        self.assertEqual(sum(node.attributes.get("num_ops", 0) for node in written.nodes), row["flops"])
        kernels = [node.attributes for node in written.device_nodes() if not node.name.startswith("Mem")]
        sizes = sum(has.get("tensor_size", 0) for has in kernels)
        self.assertTrue(0.9 * row["bytes"] < sizes <= row["bytes"], "less those of copies, which have the bytes of the copy")
        copies = sum(op["bytes"] for op in tool.table(RECORDED[0], "device_trace") if op["bytes"] is not None)
        self.assertEqual(sum(node.attributes["tensor_size"] for node in written.device_nodes() if node.name.startswith("Mem")), copies)
        plain = ExecutionTrace(export(RECORDED[0], ".et", "--no-args"))
        self.assertFalse(any("num_ops" in node.attributes for node in plain.nodes))

    def test_read_back_by_the_tool(self):
        path = self.path("run.et")
        tool.must_run("export", EXAMPLE, "-o", path)
        written = ExecutionTrace(tool.read(path))
        rows = tool.table(path, "et_ops")
        found = collections.defaultdict(collections.Counter)
        for node in written.all:
            found[node.name].update(count=1, total_ns=1000 * node.duration, dependencies=len(node.dependencies),
                                    communicated_bytes=node.attributes.get("comm_size", 0))
        read = collections.defaultdict(collections.Counter)
        for row in rows:
            read[row["name"]].update({key: row[key] or 0 for key in ("count", "total_ns", "dependencies", "communicated_bytes")})
        self.assertEqual({k: +v for k, v in found.items()}, {k: +v for k, v in read.items()})
        self.assertEqual({row["collective"] for row in rows if row["kind"] == "collective"}, {"all_reduce", "all_to_all"})
        ours = {row["name"]: (row["count"], row["total_ns"]) for row in tool.table(EXAMPLE, "kernels")}
        theirs = {row["name"]: (row["count"], row["total_ns"]) for row in tool.table(path, "kernels")}
        self.assertEqual({k: v[0] for k, v in ours.items()}, {k: v[0] for k, v in theirs.items()})
        for name, (count, ns) in ours.items():
            self.assertLess(abs(theirs[name][1] - ns), 1000 * count, name)

    def collective(self, name, elements_in, elements_out, group="0", kind="Float", **more):
        return {"Collective name": name, "In msg nelems": elements_in, "Out msg nelems": elements_out, "dtype": kind,
                "Process Group Name": group, "Group size": 2, **more}

    def test_collectives(self):
        groups = [{"pg_name": "0", "pg_desc": "default_pg", "ranks": [], "pg_size": 2},
                  {"pg_name": "tensor_parallel", "pg_desc": "", "ranks": [0, 1], "pg_size": 2},
                  {"pg_name": "5", "pg_desc": "data", "ranks": [0, 1], "pg_size": 2}]
        cases = [("allreduce", (100, 100), 0, 400, "0"), ("_allgather_base", (50, 100), 2, 200, "6"),
                 ("reduce_scatter_tensor_coalesced", (100, 50), 7, 400, "5"), ("all_to_allv", (100, 80), 6, 400, "6"),
                 ("broadcast", (100, 100), 5, 400, "0"), ("barrier", (1, 1), 9, 4, "0"), ("gather", (7, 14), 3, 28, "0"),
                 ("reduce", (10, 10), 1, 40, "0"), ("scatter", (20, 10), 4, 80, "0")]
        trace = Trace(0, groups)
        names = {"6": "tensor_parallel"}
        for i, (name, elements, _, _, group) in enumerate(cases):
            trace.launch(100 * i, 100 * i + 5, "ncclDevKernel_%d" % i, 100 * i + 10, 100 * i + 60,
                         **self.collective(name, *elements, group=names.get(group, group)))
        trace.launch(2000, 2005, "ncclDevKernel_AllReduce_Sum_f32", 2010, 2060)
        trace.launch(2100, 2105, "ncclDevKernel_Unknown", 2110, 2160)
        done = tool.must_run("export", self.write("run.json", trace.text()), "-o", self.path("run.et"))
        written = ExecutionTrace(tool.read(self.path("run.et")))
        by_name = {node.name: node for node in written.nodes}
        for i, (name, _, comm_type, size, group) in enumerate(cases):
            node = by_name["ncclDevKernel_%d" % i]
            self.assertEqual((node.type, node.duration), (COLLECTIVE, 50), name)
            self.assertEqual({key: node.attributes.get(key) for key in ("comm_type", "comm_size", "pg_name", "is_cpu_op")},
                             {"comm_type": comm_type, "comm_size": size, "pg_name": group, "is_cpu_op": 0}, name)
        self.assertEqual(by_name["ncclDevKernel_AllReduce_Sum_f32"].attributes["comm_type"], 0)
        self.assertNotIn("comm_size", by_name["ncclDevKernel_AllReduce_Sum_f32"].attributes)
        self.assertEqual(by_name["ncclDevKernel_Unknown"].type, COMPUTE)
        lines = done.stderr.decode()
        self.assertIn("without comm_size, whose elements the profile does not record: 1 of 11\n", lines)
        self.assertIn("written as computation: 1 of 11\n", lines)
        first = written.all[0]
        self.assertEqual((first.type, first.on_host), (METADATA, True))
        self.assertTrue(all(node.dependencies for node in written.nodes), "all wait for the groups")
        text = first.inputs[1]
        self.assertEqual([(g["pg_name"], g["pg_desc"], g["ranks"]) for g in json.loads(text[2:-2])],
                         [("0", "default_pg", []), ("6", "tensor_parallel", [0, 1]), ("5", "data", [0, 1])])

    def test_a_file_a_rank(self):
        for ending, opened in ((".et", tool.read), (".et.gz", lambda path: gzip.decompress(tool.read(path)))):
            tool.must_run("export", RING, "-o", self.path("ring" + ending))
            names = ["ring.%d%s" % (rank, ending) for rank in range(3)]
            self.assertEqual(sorted(os.listdir(self.folder)), names)
            ranks = [ExecutionTrace(opened(self.path(name))) for name in names]
            self.assertEqual([trace.header["rank"] for trace in ranks], [0, 1, 2])
            sends, receives = [], []
            for rank, trace in enumerate(ranks):
                for node in trace.device_nodes():
                    has = node.attributes
                    if node.type == SEND:
                        self.assertEqual(has["comm_src"], rank)
                        sends.append((has["comm_src"], has["comm_dst"], has["comm_tag"], has["comm_size"]))
                    if node.type == RECEIVE:
                        self.assertEqual(has["comm_dst"], rank)
                        receives.append((has["comm_src"], has["comm_dst"], has["comm_tag"], has["comm_size"]))
            self.assertGreater(len(sends), 10)
            self.assertEqual(len(set(sends)), len(sends), "each has a tag of its own")
            self.assertEqual(sorted(sends), sorted(receives), "what one sends, another receives")
            # The ops of a batch are one op of the profile: one of its nodes has its time.
            ops = [op for op in tool.table(RING, "device_trace", "--rank", "0")]
            self.assertLess(abs(sum(op["duration_ns"] for op in ops) / 1000 - sum(n.duration for n in ranks[0].device_nodes())), 5)
            for name in names:
                os.remove(self.path(name))

    def test_one_rank_of_several_and_a_part_of_the_time(self):
        whole = ExecutionTrace(export(RING, ".et", "--rank", "1"))
        self.assertEqual(whole.header["rank"], 1)
        begin, = [row["start_ns"] for row in tool.table(RING, "steps", "--rank", "1")][1:2]
        part = ExecutionTrace(export(RING, ".et", "--rank", "1", "--from", "%dns" % begin))
        self.assertLess(len(part.nodes), len(whole.nodes))
        part.ends()

    def test_mistakes_are_said(self):
        host = Trace()
        host.host("aten::mm", 0, 10)
        only_host = self.write("host.json", host.text())
        graph = self.write("graph.json", json.dumps({"schema": "1.0.2-chakra.0.0.4", "pid": 1, "nodes": [
            {"id": 1, "name": "aten::mm", "ctrl_deps": 0, "inputs": {"values": [], "shapes": [], "types": []},
             "outputs": {"values": [], "shapes": [], "types": []}, "attrs": []}]}))
        for source, options, words in ((only_host, ["-o", self.path("x.et")], "has no device ops"),
                                       (graph, ["-o", self.path("x.et")], "export a profile of the run"),
                                       (RING, ["--to", "chakra", "-o", "-"], "has 3 ranks"),
                                       (EXAMPLE, ["-o", self.path("x.et"), "--metric", "count"], "--metric is of stacks")):
            done = tool.run(["export", source, *options])
            self.assertEqual((done.returncode, done.stdout), (2, b""), options)
            self.assertIn(words, done.stderr.decode())
        self.assertEqual(sorted(os.listdir(self.folder)), ["graph.json", "host.json"])

    def test_an_input_is_not_overwritten(self):
        for rank in (0, 1):
            tool.must_run("export", RING, "--rank", rank, "-o", self.path("run.%d.et" % rank))
        before = tool.read(self.path("run.0.et"))
        done = tool.run(["export", self.path("run.0.et"), self.path("run.1.et"), "-o", self.path("run.et")])
        self.assertEqual(done.returncode, 2)
        self.assertIn("would be overwritten", done.stderr.decode())
        self.assertEqual(tool.read(self.path("run.0.et")), before)

    def test_to_standard_output_and_by_name(self):
        done = tool.must_run("export", EXAMPLE, "--to", "chakra", "-o", "-")
        self.assertEqual(done.stdout, export(EXAMPLE, ".bin", "--to", "chakra"))
        self.assertEqual(done.stdout, gzip.decompress(export(EXAMPLE, ".et.gz")))


if __name__ == "__main__":
    unittest.main()
