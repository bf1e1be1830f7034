#!/usr/bin/env python3
"""Findings about what kernels reach of what is attainable, of traces that are written here: the time of each op is computed
from a share of the attainable rate by the test's own formulas.

Environment: CGPU (the binary).
"""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

# AMD Instinct MI300X: the best that was measured for products in bf16, and 80 % of the memory's peak.
FLOPS, MEMORY = 668.4e12, 0.8 * 5.3e12
MODEL = "AMD Instinct MI300X"


def setUpModule():
    tool.must_exist()


class Op:
    """An op with one kernel."""

    def __init__(self, name, shapes, types, values, kernel, us):
        self.name, self.shapes, self.types, self.values, self.kernel, self.us = name, shapes, types, values, kernel, us


def product(m, n, k, us, kernel="Cijk_Ailk_Bljk_BBS_BH_MT256x128x64", dtype="c10::BFloat16"):
    return Op("aten::mm", [[m, k], [k, n]], [dtype] * 2, ["", ""], kernel, us)


def addition(count, us, kernel="void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>(int)"):
    return Op("aten::add", [[count], [count], []], ["float", "float", "Scalar"], ["", "", "1"], kernel, us)


def attention(batch, heads, tokens, size, us):
    shape = [batch, heads, tokens, size]
    return Op("aten::_scaled_dot_product_flash_attention", [shape] * 3 + [[], [], [], []],
              ["c10::BFloat16"] * 3 + ["Scalar"] * 4, ["", "", "", "0.", "False", "False", ""], "attn_fwd", us)


def convolution(shape, weight, groups, us, lists="[%d, %d]"):
    numbers = [lists % (1, 1), lists % (weight[2] // 2, weight[3] // 2), lists % (1, 1), "False", lists % (0, 0), str(groups)]
    return Op("aten::convolution", [shape, weight, [], [], [], [], [], [], []],
              ["c10::BFloat16"] * 2 + ["", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"],
              ["", "", ""] + numbers, "igemm_fwd_gtcx_nhwc_bf16", us)


def experts(tokens, width, inner, count, each, us):
    return Op("vllm::rocm_aiter_fused_moe", [[tokens, width], [count, 2 * inner, width], [count, width, inner], [tokens, each]],
              ["c10::BFloat16"] * 3 + ["float"], [""] * 4, "aiter_fused_moe_kernel", us)


def trace(folder, ops, model=MODEL, sm_count=304):
    """The ops one after another, ten times; the host is ahead of the device, and waits for it at the end."""
    events, ends, number = [], 100.0, 0
    host = 0.0

    def event(category, name, start, duration, tid, **arguments):
        events.append({"ph": "X", "cat": category, "name": name, "ts": start, "dur": duration, "pid": 0 if tid == 7 else 1,
                       "tid": tid, "args": arguments})
    for _ in range(10):
        for op in ops:
            number += 1
            event("cpu_op", op.name, host, 3, 1, **{"Input Dims": op.shapes, "Input type": op.types, "Concrete Inputs": op.values})
            event("cuda_runtime", "hipLaunchKernel", host + 1, 1, 1, correlation=number)
            event("kernel", op.kernel, ends, op.us, 7, correlation=number, device=0, stream=7)
            host, ends = host + 4, ends + op.us + 0.5
    event("cuda_runtime", "hipDeviceSynchronize", host, max(ends - host, 1), 1, correlation=number + 1)
    path = os.path.join(folder, "trace.json")
    devices = [{"id": 0, "name": model, "numSms": sm_count}] if model else []
    with open(path, "w", encoding="utf-8") as handle:
        json.dump({"schemaVersion": 1, "deviceProperties": devices, "traceEvents": events}, handle)
    return path


def us_at(share, flops=0, size=0, rate=FLOPS):
    return max(flops / rate, size / MEMORY) / share * 1e6


# A kind of op at a share of what is attainable: (make(us), us at a share, what binds, a word of the reason).
KINDS = {
    "product of few tiles": (lambda us: product(256, 512, 131072, us),
                             lambda share: us_at(share, 2 * 256 * 512 * 131072, 2 * 131072 * 768), "compute", "4 tiles of 256x128"),
    "tall product": (lambda us: product(1 << 20, 32, 32, us),
                     lambda share: us_at(share, 2 * 32 * 32 << 20, (2 << 20) * 64), "memory", "tall and skinny"),
    "odd product": (lambda us: product(8191, 8191, 8191, us), lambda share: us_at(share, 2 * 8191 ** 3), "compute", "multiples of 8"),
    "addition": (lambda us: addition(1 << 26, us), lambda share: us_at(share, 0, 12 << 26), "memory", ""),
    "long attention": (lambda us: attention(1, 32, 16384, 128, us),
                       lambda share: us_at(share, 4 * 32 * 16384 ** 2 * 128, rate=0.8 * FLOPS), "compute", "long sequences"),
    "short attention": (lambda us: attention(64, 32, 128, 128, us), lambda share: us_at(share, 0, 8 * 64 * 32 * 128 * 128), "memory",
                        "short sequences"),
    "few channels": (lambda us: convolution([1, 3, 2048, 2048], [64, 3, 7, 7], 1, us),
                     lambda share: us_at(share, 2 * 64 * 147 << 22, 2 * (67 << 22)), "memory", "few channels"),
    "depthwise": (lambda us: convolution([8, 1024, 64, 64], [1024, 1, 3, 3], 1024, us, "(%d,%d)"),
                  lambda share: us_at(share, 0, 4 * 8 * 1024 * 64 * 64), "memory", "depthwise"),
    "few tokens": (lambda us: experts(16, 4096, 11008, 64, 2, us),
                   lambda share: us_at(share, 0, 2 * 2 * 3 * 11008 * 4096), "memory", "16 tokens for 64 experts"),
}


class InefficientOps(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def findings(self, ops, *options, **facts):
        return tool.table(trace(self.folder.name, ops, **facts), "findings", *options)

    def test_what_reaches_a_quarter_is_named_first_with_what_binds_it(self):
        for kind, (make, us, bound, reason) in KINDS.items():
            with self.subTest(kind):
                op = make(us(0.25))
                first = self.findings([op])[0]
                self.assertEqual(first["rule"], "inefficient_ops", first)
                self.assertIn("%s reaches" % op.name, first["title"])
                self.assertIn("bound by %s" % bound, first["title"])
                self.assertIn(reason, first["evidence"])
                self.assertIn(MODEL, first["evidence"])
                # Three quarters of it, but for the 2 us that a kernel takes at least; never more than the op's own time.
                self.assertLess(first["recoverable_ns"], 10 * 1000 * op.us)
                self.assertAlmostEqual(first["recoverable_ns"] / (9 * 1000 * (0.75 * op.us - 2)), 1, delta=0.15)

    def test_what_is_well_tuned_is_not(self):
        for kind, (make, us, _, _) in KINDS.items():
            for share in (0.75, 1.0):
                with self.subTest(kind, share=share):
                    self.assertNotIn("inefficient_ops", [row["rule"] for row in self.findings([make(us(share))])])

    def test_an_op_whose_times_vary_is_judged_by_the_quicker_ones(self):
        """Half of them at 80 % of what is attainable, half at 57 %, as after a drop of the clock."""
        make, us = KINDS["long attention"][:2]
        rules = [row["rule"] for row in self.findings([make(us(0.8)), make(us(0.57)), make(us(0.57)), make(us(0.8))])]
        self.assertNotIn("inefficient_ops", rules)
        self.assertIn("inefficient_ops", [row["rule"] for row in self.findings([make(us(0.5)), make(us(0.4))])])

    def test_some_products_of_a_shape_that_take_far_longer_than_the_others(self):
        """A third of them take six times as long: the device shows itself what it can do."""
        us = us_at(0.8, 2 * 4096 ** 3)

        def rows(factor, kernel="gemm_b", make=product, times=1):
            usual = [make(4096, 4096, 4096, us, "gemm_a") for _ in range(2)]
            return self.findings(usual + [make(4096, 4096, 4096, factor * us, kernel)] * times)
        first = rows(6)[0]
        self.assertEqual(first["rule"], "uneven_ops", first)
        self.assertIn("10 of 30 aten::mm of one shape take 6.0 times as long as the others", first["title"])
        self.assertIn("they run gemm_b, the others gemm_a", first["evidence"])
        self.assertAlmostEqual(first["recoverable_ns"] / (9 * 5000 * us), 1, delta=0.02)  # but for the first repetition
        self.assertIn("all run gemm_a", rows(6, "gemm_a")[0]["evidence"])
        for other in (rows(1.8), rows(6, times=3),  # as noise may be; most of them
                      rows(6, make=lambda m, n, k, time, kernel: attention(1, 32, m, 128, time))):  # of other lengths
            self.assertNotIn("uneven_ops", [row["rule"] for row in other])

    def test_short_kernels_are_not_judged(self):
        self.assertNotIn("inefficient_ops", [row["rule"] for row in self.findings([addition(1000, 4)])])

    def test_a_benchmark_of_one_op_is_not_fused(self):
        rules = [row["rule"] for row in self.findings([addition(1 << 26, us_at(0.9, 0, 12 << 26))])]
        self.assertNotIn("fusable_kernels", rules)

    def test_a_device_that_is_not_named_is_one_that_its_kernels_name(self):
        us = KINDS["product of few tiles"][1](0.25)
        op = product(256, 512, 131072, us, "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_ISA942_IU1")
        first = self.findings([op], model=None)[0]
        self.assertEqual(first["rule"], "inefficient_ops")
        self.assertIn("gfx942", first["evidence"])
        self.assertIn("--device-model", first["evidence"])
        self.assertIn("228 multiprocessors", first["evidence"])  # of the smallest of them
        stated = self.findings([op], "--device-model", "MI300X", model=None)[0]
        self.assertIn("Attainable on " + MODEL, stated["evidence"])
        self.assertNotIn("--device-model", stated["evidence"])

    def test_without_any_sign_of_the_device_the_rates_are_said(self):
        op = addition(1 << 26, us_at(0.25, 0, 12 << 26))
        row = next(row for row in self.findings([op], model=None) if row["rule"] == "inefficient_ops")
        self.assertEqual(row["severity"], "info")
        self.assertIn("TB/s, bound by memory", row["title"])
        self.assertIn("--device-model", row["suggestion"])

    def test_of_an_unknown_device_products_are_judged_by_each_other(self):
        fast = product(8192, 8192, 8192, 5000, "gemm_a")
        slow = product(4096, 8192, 8192, 10000, "gemm_b")
        rows = [row for row in self.findings([fast, slow, addition(1 << 29, 4000)], model="A new device")
                if row["rule"] == "inefficient_ops"]
        self.assertEqual(len(rows), 1)
        self.assertIn("4096", rows[0]["evidence"])
        self.assertIn("other ops of the run", rows[0]["evidence"])
        self.assertEqual(rows[0]["confidence"], "low")

    def test_facts_that_cannot_be_are_those_of_the_model(self):
        path = trace(self.folder.name, [addition(1 << 26, 400)], sm_count=167936)
        self.assertEqual(tool.table(path, "devices")[0]["sm_count"], 304)
        self.assertIn("167936", " ".join(row["text"] for row in tool.table(path, "notes")))
        path = trace(self.folder.name, [addition(1 << 26, 400)], model="A new device", sm_count=167936)
        self.assertIsNone(tool.table(path, "devices")[0]["sm_count"])

    def test_a_model_that_is_not_known_is_refused(self):
        path = trace(self.folder.name, [addition(1 << 26, 400)])
        for model, said in (("H100", b"NVIDIA H100 PCIe"), ("Banana", b"no such device")):
            done = tool.run(["diagnose", path, "--device-model", model])
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(said, done.stderr)


SOFTMAX = "void softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 10, %s, false>(x)"


def kernel(name, us):
    return Op("aten::op", [], [], [], name, us)


class PassesOverMemory(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def rules(self, ops):
        return {row["rule"]: row for row in tool.table(trace(self.folder.name, ops), "findings") if row["severity"] != "info"}

    def test_attention_that_is_not_fused(self):
        mask = kernel("void at::native::vectorized_elementwise_kernel<4, MaskFunctor>(int)", 30)
        scale = kernel("void at::native::vectorized_elementwise_kernel<4, MulFunctor>(int)", 30)
        ops = [kernel("gemm_qk", 200), scale, mask, kernel(SOFTMAX % "false", 100), kernel("gemm_pv", 200)]
        found = self.rules(ops)
        self.assertIn("unfused_attention", found)
        self.assertAlmostEqual(found["unfused_attention"]["recoverable_high_ns"] / (9 * 160_000), 1, delta=0.15)
        logarithm = ops[:3] + [kernel(SOFTMAX % "true", 100)] + ops[4:]
        self.assertNotIn("unfused_attention", self.rules(logarithm))
        loss = ops[:3] + [kernel(SOFTMAX % "false", 100), kernel("nll_loss_forward_reduce_cuda_kernel_2d", 20)] + ops[4:]
        self.assertNotIn("unfused_attention", self.rules(loss))

    def test_kernels_that_only_copy(self):
        copy = kernel("void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(x)>(int)", 60)
        self.assertIn("device_copies", self.rules([kernel("gemm_a", 500), copy]))
        self.assertNotIn("device_copies", self.rules([kernel("gemm_a", 5000), copy]))


class NamesAreNoProof(unittest.TestCase):
    def test_a_kernel_that_is_faster_than_the_vector_units_runs_on_others(self):
        with tempfile.TemporaryDirectory() as folder:
            for tera, expected in ((219, False), (40, True)):
                us = 2 * 8192 ** 3 / tera / 1e6
                op = product(8192, 8192, 8192, us, "cutlass_80_simt_sgemm_128x256_8x4_nn_align1", "float")
                path = os.path.join(folder, "trace.json")
                trace(folder, [op], model="NVIDIA H100 80GB HBM3", sm_count=132)
                with open(path, encoding="utf-8") as handle:
                    document = json.load(handle)
                document["deviceProperties"][0].update(computeMajor=9, computeMinor=0)
                with open(path, "w", encoding="utf-8") as handle:
                    json.dump(document, handle)
                rules = [row["rule"] for row in tool.table(path, "findings")]
                self.assertEqual("tensor_cores_unused" in rules, expected, tera)


if __name__ == "__main__":
    unittest.main()
