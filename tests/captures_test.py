#!/usr/bin/env python3
"""Replays of graphs have the op, module and shapes of their capture: on traces written here, whose truth is known.

Environment: CGPU (the binary).
"""
import json
import os
import random
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

# op, kernel, shapes of its inputs; one layer
LAYER = [("aten::mm", "gemm_64x64", [[32, 64], [64, 128]]), ("aten::add", "add_kernel<float>", [[32, 128], [32, 128]]),
         ("aten::softmax", "softmax_forward<float>", [[32, 128]]), ("aten::mm", "gemm_64x64", [[32, 128], [128, 64]]),
         ("aten::copy_", None, [[32, 64], [32, 64]])]
LAYERS = 6


def event(name, category, start, duration, process=1, thread=1, **arguments):
    return {"ph": "X", "name": name, "cat": category, "ts": start, "dur": duration, "pid": process, "tid": thread,
            "args": arguments}


def capture(graphs=1, names=True, vendor="hip"):
    """A trace of the capture of a model, as one graph or as one for each of `graphs` equal parts of its layers."""
    events, now, correlation = [], 1000, 10
    per_graph = LAYERS // graphs
    for layer in range(LAYERS):
        if layer % per_graph == 0:
            events.append(event(vendor + "StreamBeginCapture", "cuda_runtime", now, 1, correlation=correlation))
            now += 2
        begin = now
        for op, kernel, shapes in LAYER:
            correlation += 1
            events.append(event(op, "cpu_op", now, 10, **{"Input Dims": shapes, "Input type": ["float"] * len(shapes)}))
            call = vendor + ("LaunchKernel" if kernel else "MemcpyAsync")
            arguments = {"kernel": kernel} if kernel and names else {}
            events.append(event(call, "cuda_runtime", now + 2, 3, correlation=correlation, **arguments))
            now += 11
        events.append(event("nn.Module: Block_%d" % layer, "python_function", begin, now - begin))
        if layer % per_graph == per_graph - 1:
            events.append(event(vendor + "StreamEndCapture", "cuda_runtime", now, 1, correlation=correlation + 1))
            now += 2
            correlation += 2
    events.append(event("nn.Module: Model_0", "python_function", 990, now - 980))
    return {"schemaVersion": 1, "traceEvents": events}


def replay(graphs=1, times=3, vendor="hip", change=lambda ops: ops, nodes=False):
    """A trace in which the graphs are launched, and the truth: ns by (op, module) over all launches."""
    events, truth, now, correlation, ns = [], {}, 5000, 900, 1000
    ops = [(layer, op, kernel) for layer in range(LAYERS) for op, kernel, _ in LAYER]
    for _ in range(times):
        for graph in range(graphs):
            correlation += 1
            events.append(event(vendor + "GraphLaunch", "cuda_runtime", now, 5, correlation=correlation))
            part = ops[graph * len(ops) // graphs:(graph + 1) * len(ops) // graphs]
            for number, (layer, op, kernel) in change(list(enumerate(part))):
                ns += 1000
                name, category = (kernel, "kernel") if kernel else ("Memcpy DtoD (Device -> Device)", "gpu_memcpy")
                node = {"graph node id": 70 + number} if nodes else {}
                events.append(event(name, category, now + 10, ns / 1000, 0, 7, correlation=correlation, device=0, stream=7, **node))
                now += ns / 1000 + 1
                key = (op, "Model_0.Block_%d" % layer)
                truth[key] = truth.get(key, 0) + ns
            now += 20
    return {"schemaVersion": 1, "traceEvents": events}, truth


class Captures(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, document):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            json.dump(document, out)
        return path

    def note(self, path, code, *options):
        return next((row for row in tool.table(path, "notes", *options) if row["code"] == code), None)

    def check(self, path, truth, *options):
        by_op, by_module = {}, {}
        for (op, module), ns in truth.items():
            by_op[op] = by_op.get(op, 0) + ns
            by_module[module] = by_module.get(module, 0) + ns
        whole = sum(truth.values())
        ops = {row["name"]: row for row in tool.table(path, "ops", *options)}
        self.assertEqual({name: row["device_self_ns"] for name, row in ops.items() if row["device_self_ns"]}, by_op)
        self.assertEqual({name: row["device_total_ns"] for name, row in ops.items() if row["device_total_ns"]}, by_op)
        modules = {row["name"]: row for row in tool.table(path, "modules", *options)}
        self.assertEqual({name: row["device_self_ns"] for name, row in modules.items() if row["device_self_ns"]}, by_module)
        self.assertEqual(modules["Model_0"]["device_total_ns"], whole)
        shapes = tool.table(path, "op_shapes", *options)
        self.assertEqual(sum(row["device_self_ns"] for row in shapes), whole)
        return ops, shapes

    def test_a_named_capture(self):
        trace, truth = replay()
        path, beside = self.file("replay.json", trace), self.file("elsewhere/capture.json", capture())
        self.assertEqual(tool.table(path, "ops"), [])
        _, shapes = self.check(path, truth, "--capture", beside)
        first = next(row for row in shapes if row["shapes"] == "[[32, 64], [64, 128]]")
        self.assertEqual((first["count"], first["on_device"]), (0, LAYERS * 3))
        self.assertEqual(first["flops"], 2 * 32 * 64 * 128)
        note = self.note(path, "captured_ops", "--capture", beside)
        self.assertEqual(note["count"], 3 * LAYERS * len(LAYER))
        self.assertIn("100.00% of the time of replays", note["text"])
        self.assertIsNone(self.note(path, "uncaptured_ops", "--capture", beside))

    def test_captures_beside_the_replay_are_found_by_rank(self):
        trace, truth = replay(graphs=3)
        trace["distributedInfo"] = {"rank": 1, "world_size": 2}
        path = self.file("replay.json", trace)
        self.file("capture_traces/bs_32_rank1.json", capture(graphs=3))
        self.file("capture_traces/bs_32_rank0.json", {"traceEvents": []})
        self.file("capture_traces/execution_details.json", [{"file": "bs_32_rank1.json"}])
        self.check(path, truth)
        # Of a folder with both, the captures are no ranks.
        self.check(self.folder.name, truth)
        self.assertEqual(len(tool.table(self.folder.name, "gpu_time")), 1)

    def test_the_run_itself_may_hold_the_capture(self):
        trace, truth = replay(vendor="cuda")
        trace["traceEvents"] = capture(vendor="cuda")["traceEvents"] + trace["traceEvents"]
        path = self.file("run.json", trace)
        ops, _ = self.check(path, truth)
        self.assertEqual(ops["aten::mm"]["count"], 2 * LAYERS)

    def test_a_part_has_the_captures_of_the_whole(self):
        trace, truth = replay(vendor="cuda", times=1)
        trace["traceEvents"] = capture(vendor="cuda")["traceEvents"] + trace["traceEvents"]
        path = self.file("run.json", trace)
        self.check(path, truth, "--from", "3ms")

    def test_kernels_without_names_go_by_place(self):
        trace, truth = replay(vendor="cuda")
        beside = self.file("c/capture.json", capture(names=False, vendor="cuda"))
        self.check(self.file("replay.json", trace), truth, "--capture", beside)
        text = self.note(os.path.join(self.folder.name, "replay.json"), "captured_ops", "--capture", beside)["text"]
        self.assertIn("%d of them by place" % (3 * LAYERS * len(LAYER)), text)

    def test_branches_in_another_order(self):
        """By their graph node ids, whatever the order of their starts; by names, where names tell."""
        shuffled = random.Random(5)

        def swap(ops):
            shuffled.shuffle(ops)
            return ops
        trace, truth = replay(change=swap, nodes=True)
        beside = self.file("c/capture.json", capture())
        self.check(self.file("nodes.json", trace), truth, "--capture", beside)

    def test_other_kernels_go_by_class_or_to_nobody(self):
        """A version of a library with other names of kernels; and a kernel that was never captured."""
        def change(ops):
            return [(i, (layer, op, "gemm_128x32" if kernel == "gemm_64x64" and layer == 2 else kernel))
                    for i, (layer, op, kernel) in ops]
        trace, truth = replay(change=change)
        trace["traceEvents"].append(event("never_captured", "kernel", 9e6, 5, 0, 7, correlation=901, device=0, stream=7))
        beside = self.file("c/capture.json", capture())
        path = self.file("replay.json", trace)
        options = ("--capture", beside)
        self.assertEqual(sum(row["device_self_ns"] for row in tool.table(path, "ops", *options)), sum(truth.values()))
        self.assertIn("6 of them by class", self.note(path, "captured_ops", *options)["text"])
        self.assertEqual(self.note(path, "uncaptured_ops", *options)["count"], 1)

    def test_a_capture_of_something_else_is_no_capture(self):
        trace, _ = replay()
        other = capture()
        for one in other["traceEvents"]:
            if "kernel" in one["args"]:
                one["args"]["kernel"] = "other_" + str(hash(one["args"]["kernel"]))
        path = self.file("replay.json", trace)
        beside = self.file("c/capture.json", other)
        self.assertEqual(self.note(path, "uncaptured_ops", "--capture", beside)["count"], 3 * LAYERS * len(LAYER))
        self.assertEqual(tool.table(path, "ops", "--capture", beside), [])

    def test_a_capture_that_cannot_be_read(self):
        trace, _ = replay()
        done = tool.run(["table", self.file("replay.json", trace), "ops", "--capture", "/nowhere.json"])
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"/nowhere.json", done.stderr)


if __name__ == "__main__":
    tool.must_exist()
    unittest.main()
