#!/usr/bin/env python3
"""Findings against what removing their cause really gave, and comparisons whose change is known: runs on an H100 that differ in one thing each, recorded and timed
(examples/h100, examples/record/gpu_pairs.py).

docs/diagnosis.md holds the table; --write-docs writes it anew.

Environment: CGPU (the binary).
"""
import json
import os
import statistics
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import docs, tool  # noqa: E402

RUNS = os.path.join(tool.ROOT, "examples", "h100")
DOCS = os.path.join(tool.ROOT, "docs", "diagnosis.md")
with open(os.path.join(RUNS, "times.json"), encoding="utf-8") as handle:
    UNPROFILED = json.load(handle)  # ms a step

# (what the run does, the run, the rule of its first finding, the same run without it)
PAIRS = [
    ("the main process loads the data, 4 ms a text; then eight workers do", "workers_0", "data_loading", "workers_8"),
    ("20 ms of Python before each step that reads the loss", "host_stall", "host_stall", "loss_read"),
    ("gc.collect() in each such step", "garbage_collected", "host_stall", "loss_read"),
    ("empty_cache() in each step", "cache_emptied", "allocation", "training"),
    ("256 MiB of pageable memory to the device; then page-locked on a stream of its own", "copies_pageable",
     "pageable_copies", "copies_beside"),
    ("the same, page-locked, in the stream of the products", "copies_pinned", "exposed_copies", "copies_beside"),
    ("products in fp32; then in TF32", "fp32", "tensor_cores_unused", "tf32"),
    ("activation checkpointing of every layer", "recomputed", "recompute", "training"),
    ("a small model op by op; then as a CUDA graph", "op_by_op", "launch_bound", "graph"),
]


# (run A, run B, what the words of `cgpu compare A B` say of what was changed)
CHANGES = [
    ("workers_8", "workers_0", ["+24.8 ms", "idle, data_loading"]),
    ("loss_read", "host_stall", ["(+20.6 ms)", "+20.7 ms", "idle, host_code, most of it with nothing recorded before aten::embedding"]),
    ("training", "cache_emptied", ["idle, allocation"]),
    ("copies_beside", "copies_pageable", ["Memcpy HtoD (Pinned -> Device) -> Memcpy HtoD (Pageable -> Device)",
                                          "Waits of the host in cudaStreamSynchronize: 0 -> 1 an iteration."]),
    ("fp32", "tf32", ["(-135.3 ms)", "Precision of matrix products: fp32 on vector units -> TF32."]),
    ("tf32", "training", ["Precision of matrix products: TF32 -> bf16."]),
    ("training", "recomputed", ["In its backward pass B does again what is in its forward pass"]),
    ("training", "more_layers", ["Layers: 3 -> 4."]),
    ("training", "loop_optimizer", ["aten::_fused_adamw_", "41 x aten::lerp_"]),
    ("op_by_op", "graph", ["Launches of device ops an iteration: 47 -> 1 of a graph"]),
    ("convolutions_nhwc", "convolutions_nchw", ["nchwToNhwcKernel is new (a layout change)", "aten::native_batch_norm_backward"]),
]


def path_of(run):
    return os.path.join(RUNS, run + ".json.gz")


def steps(run):
    return [row["duration_ns"] for row in tool.table(path_of(run), "steps")]


def told(run):
    return [row for row in tool.table(path_of(run), "findings") if row["severity"] != "info"]


class Pair:
    """In ms a step: what the finding says, what the recorded runs differ by, and the same two without a profiler."""

    def __init__(self, run, rule, without):
        self.first = told(run)[0]
        durations = steps(run)
        self.with_it, self.without = statistics.mean(durations) / 1e6, statistics.median(steps(without)) / 1e6
        self.predicted = self.first["recoverable_ns"] / len(durations) / 1e6
        self.measured = self.with_it - self.without
        self.unprofiled = UNPROFILED[run] - UNPROFILED[without]
        self.error = self.predicted / self.measured - 1


class RealPairs(unittest.TestCase):
    def test_what_was_done_is_the_first_finding_and_gives_back_what_it_says(self):
        errors = []
        for what, run, rule, without in PAIRS:
            with self.subTest(what):
                pair = Pair(run, rule, without)
                self.assertEqual(pair.first["rule"], rule)
                self.assertLess(abs(pair.error), 0.2)
                errors.append(abs(pair.error))
        self.assertLess(statistics.median(errors), 0.05)

    def test_the_words_of_a_comparison_name_what_was_changed(self):
        for a, b, expected in CHANGES:
            words = tool.run(["compare", path_of(a), path_of(b)]).stdout.decode()
            for text in expected:
                with self.subTest("%s, %s: %s" % (a, b, text)):
                    self.assertIn(text, words)

    def test_no_cause_is_told_of_the_runs_without_one(self):
        """What is left to gain of a run that is busy: fusing. Read by hand: 14 % of the training are passes over memory
        between products (casts of autocast, activation, optimizer), which torch.compile fuses; the casts are device_copies."""
        for run in ("training", "more_layers", "tf32", "copies_beside", "workers_8"):
            with self.subTest(run):
                self.assertLessEqual({row["rule"] for row in told(run)}, {"fusable_kernels", "device_copies"})

    def test_a_step_is_as_long_as_the_run_without_the_profiler_says(self):
        """Of runs that the device bounds; a profiler lengthens what the host does (op_by_op: 1.7 times)."""
        for run in ("training", "more_layers", "recomputed", "fp32", "tf32", "copies_beside", "convolutions_nhwc"):
            with self.subTest(run):
                self.assertAlmostEqual(statistics.median(steps(run)) / 1e6 / UNPROFILED[run], 1, delta=0.03)

    def test_each_step_is_predicted_where_the_host_is_behind_and_where_it_is_ahead(self):
        """Nothing of a host that bounds: each step takes what the graph of the same kernels takes. Faster products of a
        host that is a step ahead: each step takes what it takes with TF32."""
        free = ["--free", "host_code", "--free", "launch_overhead"]
        graph = statistics.median(steps("graph"))
        rows = tool.table(path_of("op_by_op"), "whatif", *free)
        self.assertEqual(len(rows), len(steps("op_by_op")))
        for row in rows:
            self.assertAlmostEqual(row["predicted_ns"] / graph, 1, delta=0.1)
        fast = 67 / 494.7
        scaled = ["--scale", "*gemm_f32f32_f32f32*=%s" % fast, "--scale", "*simt_sgemm*=%s" % fast]
        rows = tool.table(path_of("fp32"), "whatif", *scaled)
        for row in rows:
            self.assertAlmostEqual(row["predicted_ns"] / statistics.median(steps("tf32")), 1, delta=0.2)

    def test_products_of_32_bit_floats_count_by_what_their_kernels_say(self):
        """The large products of a perceptron, 2 x 8192 x 2048 x 8192 FLOP each, against 67 TFLOP/s of the vector units and
        494.7 of TF32; cuBLAS reaches three quarters of both."""
        for run, peak in (("fp32", 67e12), ("tf32", 494.7e12)):
            row, = [row for row in tool.table(path_of(run), "op_shapes") if row["name"] == "aten::addmm" and
                    row["shapes"].startswith("[[8192], [8192, 2048], [2048, 8192]") and row["on_device"] > 3]
            rate = 2 * 8192 * 2048 * 8192 * row["on_device"] / row["device_total_ns"] * 1e9
            self.assertAlmostEqual(row["flops_pct"], 100 * rate / peak, places=6)
            self.assertTrue(65 < row["flops_pct"] < 85, row["flops_pct"])
            mfu, = tool.table(path_of(run), "mfu")
            self.assertGreater(mfu["mfu_pct"], 30)

    def test_the_shape_of_a_program_is_found(self):
        """By shapes and sequences of device ops alone: no modules were recorded."""
        for row in tool.table(path_of("denoising"), "loops"):
            self.assertEqual(row["what"], "6 passes of 3 layers")
        self.assertEqual(len(tool.table(path_of("denoising"), "loops")), 3)
        streams = tool.table(path_of("two_streams"), "micro_batches")
        self.assertEqual([row["turns"] for row in streams], [15, 15])
        self.assertEqual(tool.table(path_of("one_stream"), "micro_batches"), [])
        for run, least, most in (("experts_even", 1, 1.5), ("experts_skewed", 3.5, 4)):
            layers = {row["layer"]: row["imbalance"] for row in tool.table(path_of(run), "experts")}
            self.assertEqual(sorted(layers), [0, 1])
            for imbalance in layers.values():
                self.assertTrue(least <= imbalance <= most, (run, imbalance))
        moved = {row["kind"]: row["bytes"] for row in tool.table(path_of("cache_to_host"), "transfer_overlap")}
        self.assertEqual((moved["DtoH"], moved["HtoD"]), (3 << 26, 3 << 26))
        for run in ("training", "fp32", "convolutions_nchw"):
            for table in ("experts", "loops", "micro_batches"):
                self.assertEqual(tool.table(path_of(run), table), [], (run, table))

    def test_the_docs_say_what_comes_out(self):
        with open(DOCS, encoding="utf-8") as handle:
            text = handle.read()
        self.assertEqual(with_results(text), text, "tests/real_pairs_test.py --write-docs")


def results():
    lines = ["| run | a step | first finding | potential saving | saved | error | without the profiler |",
             "|---|---|---|---|---|---|---|"]
    for what, run, rule, without in PAIRS:
        pair = Pair(run, rule, without)
        lines.append("| %s | %.2f ms | %s | %.2f ms | %.2f ms | %+.1f %% | %.2f ms |" % (
            what, pair.with_it, pair.first["rule"], pair.predicted, pair.measured, 100 * pair.error, pair.unprofiled))
    return "\n".join(lines)


def with_results(text):
    begin, end = "<!-- pairs: tests/real_pairs_test.py --write-docs -->\n", "\n<!-- end of pairs -->"
    return docs.with_part(text, begin, end, results())


if __name__ == "__main__":
    docs.main(DOCS, with_results)
