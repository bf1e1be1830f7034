#!/usr/bin/env python3
"""What `compare` says of one program on unlike devices: of other makers, with other number formats, and a CPU against a GPU.
Shares of peaks and times of ops are computed here, from the shapes and the events that are written.

Environment: CGPU (the binary).
"""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from oracle.comparison import check_books, compared, figures, words  # noqa: E402


def setUpModule():
    tool.must_exist()


class UnlikeHardware(unittest.TestCase):
    """Two runs of one program on devices of other makers: shares of each one's own peak, computed here from the shapes."""

    H100, MI300 = ("NVIDIA H100 80GB HBM3", 989.4e12), ("AMD Instinct MI300X", 1307.4e12)
    M, N, K = 4096, 2048, 1024
    FLOPS = 2 * M * N * K

    def write(self, path, device, gemm_us, add_us, number=0, described=0):
        """Eight products of matrices and sums on a device that kernels call `number` and the profile describes as
        `described`."""
        events, now, correlation = [], 1000, 0
        for _ in range(8):
            for name, kernel, duration, shapes in (("aten::mm", "gemm", gemm_us, [[self.M, self.K], [self.K, self.N]]),
                                                   ("aten::add", "add", add_us, [[self.M, self.N], [self.M, self.N], []])):
                correlation += 1
                common = {"ph": "X", "pid": 1, "tid": 1}
                events += [dict(common, cat="cpu_op", name=name, ts=now, dur=20,
                                args={"Input Dims": shapes, "Input type": ["c10::BFloat16"] * 2 + [""] * (len(shapes) - 2)}),
                           dict(common, cat="cuda_runtime", name="cudaLaunchKernel", ts=now + 5, dur=5,
                                args={"correlation": correlation}),
                           {"ph": "X", "cat": "kernel", "name": kernel, "pid": number, "tid": 7, "ts": now + 30,
                            "dur": duration, "args": {"device": number, "stream": 7, "correlation": correlation}}]
                now += 30 + duration + 10
        with open(path, "w", encoding="utf-8") as handle:
            json.dump({"schemaVersion": 1, "deviceProperties": [{"id": described, "name": device}], "traceEvents": events},
                      handle)

    def test_shares_of_each_peak(self):
        with tempfile.TemporaryDirectory() as folder:
            a, b = (os.path.join(folder, side + ".json") for side in "ab")
            self.write(a, self.H100[0], 400, 200)
            self.write(b, self.MI300[0], 500, 100, number=3)  # ROCm counts the devices that it sees from 0
            rows = {row["name"]: row for row in compared(a, b, "--table", "shapes")["compare_shapes"]}
            product = rows["aten::mm"]
            self.assertEqual((product["status"], product["count_a"], product["count_b"]), ("both", 8, 8))
            self.assertEqual((product["mean_a_ns"], product["mean_b_ns"], product["speedup"]), (400000, 500000, 0.8))
            for side, (_, peak), ns in (("a", self.H100, 400000), ("b", self.MI300, 500000)):
                self.assertAlmostEqual(product["flops_%s_pct" % side], 100 * self.FLOPS / (ns * 1e-9) / peak, 6)
            self.assertIsNone(rows["aten::add"]["flops_a_pct"])
            words = tool.run(["compare", a, b]).stdout.decode()
            self.assertIn("A ran on %s (at most memory 3.35 TB/s, bf16 989.4 TFLOP/s), B on %s (at most memory 5.30 TB/s, "
                          "bf16 1.31 PFLOP/s)." % (self.H100[0], self.MI300[0]), words)
            self.assertIn("Ops of matrix units reach %.2f%% -> %.2f%% of the peak rate of their device" % (
                product["flops_a_pct"], product["flops_b_pct"]), words)
            self.assertIn("Most of the time of the devices is compute in both: ", words)
            peaks = {row["rate"]: row for row in compared(a, b, "--table", "peaks")["compare_peaks"]}
            self.assertEqual((peaks["bf16"]["a"], peaks["bf16"]["b"], peaks["bf16"]["unit"]), (989.4, 1307.4, "TFLOP/s"))
            self.assertEqual(peaks["memory bandwidth"]["model_b"], self.MI300[0])
            self.assertIn("data sheet", peaks["bf16"]["source_b"])

    def test_what_the_ops_computed_and_moved(self):
        with tempfile.TemporaryDirectory() as folder:
            a, b, bare = (os.path.join(folder, side + ".json") for side in ("a", "b", "bare"))
            self.write(a, self.H100[0], 400, 200)
            # In B each product lies in an op with the same inputs and the same formula: it counts once.
            self.write(b, self.MI300[0], 500, 100)
            with open(b, encoding="utf-8") as handle:
                document = json.load(handle)
            for event in list(document["traceEvents"]):
                if event["name"] == "aten::mm":
                    document["traceEvents"].append(dict(event, name="aten::matmul", ts=event["ts"] - 1,
                                                        dur=event["dur"] + 2))
            with open(b, "w", encoding="utf-8") as handle:
                json.dump(document, handle)
            rows = figures(compared(a, b))
            product, added = self.FLOPS, self.M * self.N
            bytes_moved = 2 * (self.M * self.K + self.K * self.N + self.M * self.N) + 2 * 3 * self.M * self.N
            for side, (_, peak), path in (("a", self.H100, a), ("b", self.MI300, b)):
                with open(path, encoding="utf-8") as handle:
                    kernels = [e for e in json.load(handle)["traceEvents"] if e["cat"] == "kernel"]
                seconds = 1e-6 * (max(e["ts"] + e["dur"] for e in kernels) - min(e["ts"] for e in kernels))
                self.assertEqual(rows["flops"][side], 8 * (product + added))
                self.assertAlmostEqual(rows["flops_per_s"][side] / (8 * (product + added) / seconds), 1, 9)
                self.assertAlmostEqual(rows["mfu_pct"][side], 100 * 8 * product / peak / seconds, 9)
                self.assertEqual(rows["op_bytes"][side], 8 * bytes_moved)
                self.assertAlmostEqual(rows["op_bytes_per_s"][side] / (8 * bytes_moved / seconds), 1, 9)
                self.assertEqual((rows["flops_known_pct"][side], rows["launches"][side]), (100, 16))
            # Without shapes nothing is known, and nothing is said.
            with open(bare, "w", encoding="utf-8") as handle:
                json.dump(dict(document, traceEvents=[dict(e, args={k: v for k, v in e["args"].items()
                                                                    if not k.startswith("Input")})
                                                      for e in document["traceEvents"]]), handle)
            known = {"flops", "flops_per_s", "mfu_pct", "op_bytes", "op_bytes_per_s", "flops_known_pct"}
            self.assertEqual(known & set(figures(compared(bare, bare))), set())
            self.assertIsNone(figures(compared(a, bare))["flops"]["b"])

    def test_other_precision(self):
        with tempfile.TemporaryDirectory() as folder:
            a, b = (os.path.join(folder, side + ".json") for side in "ab")
            self.write(a, self.H100[0], 40, 20)
            self.write(b, self.H100[0], 20, 20)
            with open(b, encoding="utf-8") as handle:
                text = handle.read().replace("c10::BFloat16", "c10::Float8_e4m3fn")
            with open(b, "w", encoding="utf-8") as handle:
                handle.write(text)
            rows = {row["name"]: row for row in compared(a, b, "--table", "shapes")["compare_shapes"]}
            self.assertEqual((rows["aten::mm"]["status"], rows["aten::mm"]["speedup"]), ("both", 2))
            self.assertNotEqual(rows["aten::mm"]["types_a"], rows["aten::mm"]["types_b"])
            self.assertNotIn("A ran on", tool.run(["compare", a, b]).stdout.decode())

    def test_the_bottleneck_moves(self):
        with tempfile.TemporaryDirectory() as folder:
            a, b = (os.path.join(folder, side + ".json") for side in "ab")
            self.write(a, self.H100[0], 400, 200)
            self.write(b, self.H100[0], 4, 2)
            words = tool.run(["compare", a, b]).stdout.decode()
            self.assertRegex(words, r"Most of the time of the devices: compute \(\d+\.\d+%\) -> idle")


class HostAgainstDevice(unittest.TestCase):
    """A run whose ops ran on the CPU: the time that each thread is in an op and in none inside of it, taken here from the
    events themselves, against the time of the device work of the same op."""

    STEPS, LAYERS = 3, 4
    # us of an op on the CPU, and of its kernel; None where no kernel is launched.
    COSTS = {"aten::addmm": (400, 40), "aten::relu": (60, 6), "aten::view": (2, None), "aten::native_layer_norm": (90, 5)}
    KERNELS = {"aten::addmm": "sm90_xmma_gemm_f32f32", "aten::relu": "vectorized_elementwise_kernel",
               "aten::native_layer_norm": "vectorized_layer_norm_kernel"}
    WRAPPER, GAP = 10, 7  # us in aten::linear besides what is in it; between ops

    def write(self, path, device=None, slower=1.0, backward=False, added=0):
        """`device`: its model, else on the CPU. `backward`: a second thread is in an op from the middle of each step on.
        `added`: us of an op on the CPU that the other has not."""
        events, self.now, self.correlation, self.busy_until = [], 1000, 0, 0

        def op(name, inside=()):
            begin = self.now
            if name == "aten::linear":
                self.now += self.WRAPPER
                for each in inside:
                    op(each)
            elif device is None:
                self.now += round(self.COSTS[name][0] * (slower if name == "aten::addmm" else 1))
            else:
                self.correlation += 1
                self.now += 10
                if self.COSTS[name][1] is not None:
                    events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                                   "ts": self.now - 5, "dur": 4, "args": {"correlation": self.correlation}})
                    start = max(self.now, self.busy_until)
                    self.busy_until = start + self.COSTS[name][1]
                    events.append({"ph": "X", "cat": "kernel", "name": self.KERNELS[name], "pid": 0, "tid": 7, "ts": start,
                                   "dur": self.COSTS[name][1],
                                   "args": {"device": 0, "stream": 7, "correlation": self.correlation}})
            events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": begin,
                           "dur": self.now - begin, "args": {"Input Dims": [[8, 8]]}})

        for step in range(self.STEPS):
            begin = self.now
            for _ in range(self.LAYERS):
                op("aten::linear", ["aten::view", "aten::addmm"])
                self.now += self.GAP
                op("aten::relu")
                op("aten::native_layer_norm")
            if added:
                events.append({"ph": "X", "cat": "cpu_op", "name": "aten::sort", "pid": 1, "tid": 1, "ts": self.now,
                               "dur": added, "args": {}})
                self.now += added
            if backward:
                middle = (begin + self.now) // 2
                events.append({"ph": "X", "cat": "cpu_op", "name": "MmBackward0", "pid": 1, "tid": 2, "ts": middle,
                               "dur": self.now - middle, "args": {}})
            if device is not None:
                self.now = max(self.now, self.busy_until) + 2
            events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % step, "pid": 1, "tid": 1,
                           "ts": begin, "dur": self.now - begin})
        document = {"schemaVersion": 1, "traceEvents": events}
        if device is not None:
            document["deviceProperties"] = [{"id": 0, "name": device}]
        with open(path, "w", encoding="utf-8") as handle:
            json.dump(document, handle)
        return events

    def exclusive(self, events):
        """{op: ns an iteration} from the events: what lies in an op of the same thread is not its own time."""
        ops = [e for e in events if e["cat"] == "cpu_op"]
        times = {}
        for one in ops:
            inside = [e for e in ops if e is not one and e["tid"] == one["tid"] and one["ts"] <= e["ts"]
                      and e["ts"] + e["dur"] <= one["ts"] + one["dur"]]
            direct = [e for e in inside if not any(o is not e and o["ts"] <= e["ts"]
                                                   and e["ts"] + e["dur"] <= o["ts"] + o["dur"] for o in inside)]
            own = one["dur"] - sum(e["dur"] for e in direct)
            times[one["name"]] = times.get(one["name"], 0) + own * 1000 / self.STEPS
        return times

    def test_the_ops_of_a_cpu_against_those_of_a_device(self):
        with tempfile.TemporaryDirectory() as folder:
            a, b = (os.path.join(folder, side + ".json") for side in "ab")
            on_cpu = self.exclusive(self.write(a))
            self.write(b, device="NVIDIA H100 80GB HBM3")
            tables = compared(a, b)
            check_books(self, tables)
            ops = {c["key"]: c for c in tables["compare_causes"] if c["kind"] == "op"}
            self.assertEqual(set(ops), set(self.COSTS) | {"aten::linear"})
            for name, (_, on_device) in self.COSTS.items():
                self.assertEqual(ops[name]["a_ns"], round(on_cpu[name]))
                self.assertEqual(ops[name]["b_ns"], (on_device or 0) * 1000 * self.LAYERS)
            self.assertEqual({c["kind"] for c in tables["compare_causes"]}, {"op", "idle"})
            rows = {r["key"]: r for r in tables["compare_ops"]}
            self.assertEqual({r["status"] for r in rows.values()}, {"both"})
            self.assertEqual(rows["aten::addmm"]["speedup"], 10)
            self.assertEqual(figures(tables)["device_op_time_ns"]["a"], round(sum(on_cpu.values())))
            text = words(a, b)
            self.assertIn("A ran its ops on the CPU, B on NVIDIA H100 80GB HBM3", text)
            self.assertIn("Top-level ops: %d -> %d, matched %d -> %d.\n" % ((3 * self.LAYERS,) * 4),
                          text)
            self.assertIn("aten::addmm, 1.60 ms on the CPU -> 160.0 us on the device (10.0 times as fast)", text)
            mirrored = compared(b, a)
            self.assertEqual(sorted((c["kind"], c["key"], c["a_ns"], c["b_ns"]) for c in tables["compare_causes"]),
                             sorted((c["kind"], c["key"], c["b_ns"], c["a_ns"]) for c in mirrored["compare_causes"]))

    def test_two_runs_on_cpus(self):
        with tempfile.TemporaryDirectory() as folder:
            a, b = (os.path.join(folder, side + ".json") for side in "ab")
            before = self.exclusive(self.write(a))
            after = self.exclusive(self.write(b, slower=1.3, added=50))
            tables = compared(a, b)
            check_books(self, tables)
            first, second = tables["compare_causes"][:2]
            self.assertEqual((first["kind"], first["key"]), ("op", "aten::addmm"))
            self.assertEqual(first["delta_ns"], round(after["aten::addmm"] - before["aten::addmm"]))
            self.assertEqual((second["kind"], second["key"], second["delta_ns"]), ("added", "aten::sort", 50000))
            self.assertEqual([c["delta_ns"] for c in tables["compare_causes"][2:]],
                             [0] * (len(tables["compare_causes"]) - 2))
            text = words(a, b)
            self.assertIn("Neither has device work: what is compared is the time that threads of the host spend in an op",
                          text)
            self.assertIn("aten::addmm, 4 ops an iteration, 400.0 us -> 520.0 us each (+30.0 %)", text)
            self.assertEqual([c for c in compared(a, a)["compare_causes"] if c["delta_ns"]], [])

    def test_threads_in_ops_at_once_share_the_time(self):
        with tempfile.TemporaryDirectory() as folder:
            a, b = (os.path.join(folder, side + ".json") for side in "ab")
            before = self.exclusive(self.write(a))
            after = self.exclusive(self.write(b, backward=True))
            tables = compared(a, b)
            check_books(self, tables)
            rows = {(r["key"], r["status"]): r for r in tables["compare_ops"]}
            # Each thread for itself, ...
            self.assertEqual(rows["MmBackward0", "only_b"]["device_b_ns"], round(after["MmBackward0"]))
            self.assertEqual(rows["aten::addmm", "both"]["device_b_ns"], round(before["aten::addmm"]))
            # ... and of the time of the iteration, which is as long as before, each its share.
            self.assertEqual(figures(tables)["time_ns"]["delta"], 0)
            added = [c for c in tables["compare_causes"] if c["kind"] == "added"]
            self.assertLess(added[0]["b_ns"], after["MmBackward0"])
            self.assertGreater(added[0]["b_ns"], after["MmBackward0"] / 2)

    def test_what_only_started_work_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            a, b = (os.path.join(folder, side + ".json") for side in "ab")
            self.write(a, device="NVIDIA H100 80GB HBM3")
            with open(a, encoding="utf-8") as handle:
                document = json.load(handle)
            document["traceEvents"] = [e for e in document["traceEvents"] if e["cat"] != "kernel"]
            with open(b, "w", encoding="utf-8") as handle:
                json.dump(document, handle)
            self.assertIn("B used a device without a record of its work", words(a, b))

    def test_functions_without_ops(self):
        events = [{"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur}
                  for name, ts, dur in (("main", 0, 1000), ("load", 100, 300), ("solve", 500, 400))]
        with tempfile.TemporaryDirectory() as folder:
            a, b = (os.path.join(folder, side + ".json") for side in "ab")
            for path, longer in ((a, 0), (b, 70)):
                events[0]["dur"], events[2]["dur"] = 1000 + longer, 400 + longer
                with open(path, "w", encoding="utf-8") as handle:
                    json.dump({"traceEvents": events}, handle)
            tables = compared(a, b)
            check_books(self, tables)
            first = tables["compare_causes"][0]
            self.assertEqual((first["kind"], first["key"], first["delta_ns"]), ("op", "solve", 70000))
            self.assertIn("spend in a function or range", words(a, b))


if __name__ == "__main__":
    unittest.main()
