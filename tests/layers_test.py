#!/usr/bin/env python3
"""experts, loops, micro_batches and transfer_overlap of traces that were written op by op, against what was written.

Environment: CGPU (the binary).
"""
import collections
import contextlib
import os
import random
import statistics
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from oracle.written import Trace  # noqa: E402

WIDTH, INNER = 64, 128
GEMM, POINTWISE = "nvjet_sm90_tst_64x80", "void at::native::vectorized_elementwise_kernel<4>"


def setUpModule():
    tool.must_exist()


def report(trace):
    """Its text, in one line."""
    with tempfile.TemporaryDirectory() as folder:
        done = tool.run(["report", trace.write(os.path.join(folder, "trace.json"))])
    return " ".join(done.stdout.decode().split())


def table(trace, name, *options):
    with tempfile.TemporaryDirectory() as folder:
        return tool.table(trace.write(os.path.join(folder, "trace.json")), name, *options)


class Mixture:
    """A model of layers with attention and experts, one of several ways to compute these, and what its tables must say."""

    def __init__(self, seed, way):
        self.random = random.Random(seed)
        self.way = way
        self.trace = Trace()
        self.experts = self.random.choice((4, 8))
        self.each = self.random.choice((1, 2))
        self.products = self.random.choice((2, 3))
        self.local = self.experts // 2 if way == "local" else self.experts
        self.rows = collections.defaultdict(lambda: [0, 0, 0, 0, 0])  # by layer and expert: passes, tokens, products, product us, us
        self.imbalance = collections.defaultdict(lambda: [0, 0.0])

    def product(self, rows, inputs, outputs):
        us = self.random.randint(5, 50) if rows else 0
        return self.trace.launched_op("aten::mm", [[rows, inputs], [inputs, outputs]], GEMM, us)

    def mlp(self, rows):
        for _ in range(self.products - 1):
            yield self.product(rows, WIDTH, INNER)
        yield self.product(rows, INNER, WIDTH)

    def share(self, tokens):
        """How many tokens each expert gets: k of each token's are different ones."""
        counts = [0] * self.experts
        weights = [self.random.choice((0, 1, 5)) + 0.001 for _ in range(self.experts)]
        for _ in range(tokens):
            left = list(range(self.experts))
            for _ in range(self.each):
                chosen = self.random.choices(left, [weights[i] for i in left])[0]
                left.remove(chosen)
                counts[chosen] += 1
        return counts

    def layer(self, number, tokens):
        trace = self.trace
        self.product(tokens, WIDTH, 3 * WIDTH)
        self.product(tokens, WIDTH, WIDTH)
        self.product(tokens, WIDTH, self.experts)
        trace.launched_op("aten::topk", [[tokens, self.experts], [], [], [], []], POINTWISE, 3, ["", str(self.each), "-1", "True", "True"])
        counts = self.share(tokens)[:self.local]
        # An expert that all tokens share. Before rows that were split, it could as well be the first of those.
        if self.random.random() < 0.5 and not (self.way == "split" and tokens in counts):
            list(self.mlp(tokens))
        if self.way == "grouped":
            us = self.product_of_all(tokens)
            self.note(number, None, [(self.each * tokens, us, us)], False)
            return
        if self.way == "split":
            trace.launched_op("aten::split_with_sizes", [[self.each * tokens, WIDTH], [], []], POINTWISE, 0)
            noted = []
            for rows in counts:
                us = sum(self.mlp(rows))
                noted.append((rows, us, us))
            trace.launched_op("aten::cat", [[[rows, WIDTH] for rows in counts], []], POINTWISE, 2)
        else:
            noted = [self.put_back(rows, tokens) for rows in counts if rows or self.way in ("all", "local")]
        complete = sum(counts) == self.each * tokens
        self.note(number, len(noted) == self.experts or not complete, noted, complete)

    def put_back(self, rows, tokens):
        trace = self.trace
        trace.launched_op("aten::nonzero", [[tokens, self.each]], POINTWISE, 2)
        gathered = trace.launched_op("aten::index", [[tokens, WIDTH], []], POINTWISE, 4)
        us = sum(self.mlp(rows))
        if self.way == "indices":
            added = trace.launched_op("aten::index_put_", [[tokens, WIDTH], [], [rows, WIDTH], []], POINTWISE, 5)
        else:
            added = trace.launched_op("aten::index_add_", [[tokens, WIDTH], [], [rows], [rows, WIDTH], []], POINTWISE, 5)
        return rows, us, gathered + us + added

    def product_of_all(self, tokens):
        rows, trace, us = self.each * tokens, self.trace, 0
        for place in range(self.products):
            inner = (INNER, WIDTH) if place == self.products - 1 else (WIDTH, INNER)
            us += trace.launched_op("aten::_grouped_mm", [[rows, inner[0]], [self.experts, inner[0], inner[1]], [self.experts], [], []],
                                    "grouped_gemm", self.random.randint(20, 60))
        return us

    def note(self, layer, known, noted, complete):
        sharing = self.experts if complete or known is None or len(noted) == self.experts else len(noted)
        for expert, (tokens, product_us, us) in enumerate(noted):
            row = self.rows[layer, expert if known else None]
            row[1] += tokens
            row[2] += self.products
            row[3] += product_us
            row[4] += us
        for key in {(layer, expert if known else None) for expert in range(len(noted))}:
            self.rows[key][0] += 1
        if known is not None:
            sums = self.imbalance[layer, known]
            sums[0] += max(tokens for tokens, _, _ in noted)
            sums[1] += sum(tokens for tokens, _, _ in noted) / sharing

    def run(self, steps, passes, layers):
        for step in range(steps):
            with self.trace.step(step + 1):
                for _ in range(passes):
                    tokens = self.random.randint(20, 300)
                    self.trace.launched_op("aten::embedding", [[1000, WIDTH], [1, tokens], [], [], []], "indexSelectSmallIndex", 3)
                    for layer in range(layers):
                        self.layer(layer, tokens)
                    self.product(tokens, WIDTH, 1000)
        return self

    def wrong(self):
        got = {(r["layer"], r["expert"]): r for r in table(self.trace, "experts")}
        out = []
        if set(got) != set(self.rows):
            out.append("rows %s, not %s" % (sorted(got, key=str), sorted(self.rows, key=str)))
        for (layer, expert), want in self.rows.items():
            row = got.get((layer, expert))
            if row is None:
                continue
            passes, tokens, products, product_us, us = want
            said = [row[c] for c in ("passes", "tokens", "products", "product_ns", "device_ns")]
            if said != [passes, tokens, products, product_us * 1000, us * 1000]:
                out.append("%s %s: %s, not %s" % (layer, expert, said, want))
            if (row["choices"], row["per_token"]) != (self.experts, self.each):
                out.append("%s of %s experts a token" % (row["per_token"], row["choices"]))
            if self.way == "grouped":
                if row["imbalance"] is not None or row["load"] is not None:
                    out.append("grouped products show no balance")
                continue
            largest, mean = self.imbalance[layer, expert is not None]
            if not mean:
                if row["imbalance"] is not None or row["load"] is not None:
                    out.append("nothing has no balance")
            elif abs(row["imbalance"] - largest / mean) > 1e-9 or (expert is not None and abs(row["load"] - tokens / mean) > 1e-9):
                out.append("%s %s: imbalance %s, not %s" % (layer, expert, row["imbalance"], largest / mean))
        return out


class Experts(unittest.TestCase):
    def check(self, way):
        for seed in range(12):
            with self.subTest(seed=seed):
                shape = random.Random(seed)
                self.assertEqual(Mixture(seed, way).run(2, shape.randint(1, 2), shape.randint(1, 3)).wrong(), [])

    def test_all_are_computed_with_no_tokens_too(self):
        self.check("all")

    def test_those_without_tokens_are_left_out(self):
        self.check("those with tokens")

    def test_results_are_put_into_places(self):
        self.check("indices")

    def test_of_other_ranks(self):
        self.check("local")

    def test_rows_are_split_and_joined(self):
        self.check("split")

    def test_grouped_products(self):
        self.check("grouped")

    def test_report_names_the_busiest(self):
        mixture = Mixture(3, "all").run(1, 1, 3)
        rows = table(mixture.trace, "experts")
        worst = max(rows, key=lambda row: row["imbalance"])
        self.assertIn("3 layers share their tokens among %d experts. The busiest expert of layer %d gets %.2f times the tokens"
                      % (mixture.experts, worst["layer"], worst["imbalance"]), report(mixture.trace))
        self.assertIn("does not show what each gets", report(Mixture(3, "grouped").run(1, 1, 1).trace))

    def test_models_without_experts_have_none(self):
        trace = Trace()
        for step in range(3):
            with trace.step(step):
                for rows in (512, 1, 1, 1):
                    for _ in range(4):
                        for outputs in (WIDTH, WIDTH, WIDTH, INNER, INNER):
                            trace.launched_op("aten::mm", [[rows, WIDTH], [WIDTH, outputs]], GEMM, 5)
                    # A token is drawn from the best of the vocabulary, keys and values are put into a cache.
                    trace.launched_op("aten::topk", [[rows, 1000], [], [], [], []], POINTWISE, 3, ["", "2", "-1", "True", "True"])
                    trace.launched_op("aten::index_put_", [[4096, WIDTH], [], [rows, WIDTH], []], POINTWISE, 5)
        self.assertEqual(table(trace, "experts"), [])


class Network:
    """Passes through layers, and when each began."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.trace = Trace()
        self.layers = self.random.randint(4, 9)
        self.first, self.last = 0, 0  # moments of the device
        self.us = 0

    def kernel(self, name, dims=(), op="aten::op"):
        if self.random.random() < 0.3:
            self.trace.now += self.random.randint(1, 40)  # the host is slower at times
        with self.trace.op(op, dims):
            us = self.random.randint(1, 30)
            start, self.last = self.trace.launch(name, us)
            self.us += us
        return start

    def through_layers(self, count, middle=()):
        for _ in range(count):
            for name in ("vectorized_layer_norm_kernel", GEMM, "flash_fwd_kernel", GEMM, POINTWISE) + tuple(middle) + ("vectorized_layer_norm_kernel", GEMM,
                         "gelu_kernel_elementwise", GEMM, POINTWISE):
                self.kernel(name)

    def lookup(self, tokens):
        return self.kernel("indexSelectSmallIndex", [[1000, 64], [4, tokens], [], [], []], "aten::embedding")

    def one_pass(self, tokens=None):
        """Returns when it began."""
        start = self.kernel("implicit_convolve_sgemm") if tokens is None else self.lookup(tokens)
        self.through_layers(self.layers)
        self.kernel("vectorized_layer_norm_kernel")
        self.kernel(GEMM)
        self.kernel("cunn_SoftMaxForward")
        if self.random.random() < 0.5:  # copies may come or not
            with self.trace.op("aten::copy_"):
                us = self.random.randint(1, 5)
                _, self.last = self.trace.launch("Memcpy DtoH (Device -> Pinned)", us, category="gpu_memcpy", bytes=8)
                self.us += us
        return start

    def loop(self, passes, tokens=None):
        """What the table must say of it."""
        self.us = 0
        starts = [self.one_pass(tokens) for _ in range(passes)]
        ends = starts[1:] + [self.last]
        times = [(end - start) * 1000 for start, end in zip(starts, ends)]
        return {"passes": passes, "layers": self.layers, "loop_ns": sum(times), "first_ns": times[0], "median_ns": statistics.median(times),
                "slowest_ns": max(times), "device_ns": self.us * 1000, "idle_ns": sum(times) - self.us * 1000,
                "what": "%d passes of %d layers" % (passes, self.layers)}


class Loops(unittest.TestCase):
    def check(self, rows, wanted):
        self.assertEqual([{key: row[key] for key in want} for row, want in zip(rows, wanted)], wanted)
        self.assertEqual(len(rows), len(wanted))
        for row in rows:
            self.assertEqual(row["before_ns"] + row["loop_ns"] + row["after_ns"], row["around_ns"])
            self.assertLessEqual(row["first_ns"], row["slowest_ns"])

    def test_denoising(self):
        for seed in range(10):
            with self.subTest(seed=seed):
                network, wanted, steps = Network(seed), [], seed % 3
                for step in range(max(steps, 1)):
                    with network.trace.step(step) if steps else contextlib.nullcontext():
                        network.kernel("distribution_elementwise_grid_stride_kernel")
                        network.through_layers(6, middle=("triton_poi_fused_0",))  # a text is encoded
                        network.kernel("distribution_elementwise_grid_stride_kernel")
                        wanted.append(dict(network.loop(network.random.randint(3, 20)), step=step if steps else None, loop=0, phase=None,
                                           before="6 layers", after=None))
                        network.kernel("batch_norm_kernel")
                        network.kernel(POINTWISE)
                self.check(table(network.trace, "loops"), wanted)

    def test_tokens_are_written(self):
        for seed in range(10):
            with self.subTest(seed=seed):
                network, wanted = Network(seed), []
                for step in range(2):
                    with network.trace.step(step):
                        network.one_pass(tokens=128)
                        network.kernel("where_kernel")
                        wanted.append(dict(network.loop(network.random.randint(3, 12), tokens=1), step=step, phase="decode",
                                           before="%d layers (prefill)" % network.layers))
                        network.kernel("batch_norm_kernel")
                self.check(table(network.trace, "loops"), wanted)

    def test_report_says_it(self):
        network = Network(4)
        with network.trace.step(1):
            network.one_pass(tokens=128)
            network.kernel("where_kernel")
            network.loop(7, tokens=1)
        self.assertIn("7 passes of %d layers (decode) are " % network.layers, report(network.trace))

    def test_batches_of_whole_sequences_are_no_decoding(self):
        network = Network(5)
        wanted = [dict(network.loop(5, tokens=128), phase=None, before=None, before_ns=0, after_ns=0, pct=100)]
        self.check(table(network.trace, "loops"), wanted)

    def test_layers_that_are_gone_through_once_are_no_loop(self):
        network = Network(1)
        for step in range(5):
            with network.trace.step(step):
                network.one_pass()
        self.assertEqual(table(network.trace, "loops"), [])
        network = Network(2)
        for _ in range(2):
            network.one_pass()
        self.assertEqual(table(network.trace, "loops"), [])

    def test_blocks_of_convolutions_are_no_passes(self):
        network = Network(3)
        for _ in range(16):  # bottlenecks of a residual network
            for _ in range(3):
                for name in ("implicit_convolve_sgemm", "cudnn::bn_fw_tr_1C11_kernel_NCHW", POINTWISE):
                    network.kernel(name)
            network.kernel(POINTWISE)
        self.assertEqual(table(network.trace, "loops"), [])


class MicroBatches(unittest.TestCase):
    NAMES = ("vectorized_layer_norm_kernel", GEMM, "flash_fwd_kernel", GEMM, POINTWISE)

    def written(self, seed, streams, steps, marks=True, memsets=0.2):
        """A trace, and by stream the microseconds in which something ran."""
        chance, trace = random.Random(seed), Trace()
        layers = chance.randint(4, 7)
        busy = {stream: set() for stream in streams}
        for step in range(steps):
            with trace.step(step) if marks else contextlib.nullcontext():
                trace.launched_op("aten::embedding", [[1000, 64], [4, 8], [], [], []], "indexSelectSmallIndex", 3)
                for _ in range(layers):
                    for stream in streams:
                        for name in self.NAMES:
                            trace.now += chance.choice((0, 0, 30))
                            start, end = trace.launch(name + "<%d>" % stream, chance.randint(2, 60), stream=stream)
                            busy[stream].update(range(start, end))
                            if chance.random() < memsets:
                                start, end = trace.launch("Memset (Device)", 2, stream=stream, category="gpu_memset", bytes=64)
                                busy[stream].update(range(start, end))
                trace.now = max([trace.now] + list(trace.free.values()))
                trace.launched_op("aten::mm", [[32, 64], [64, 1000]], GEMM, 9)
        return trace, busy, layers

    def test_halves_of_a_batch(self):
        for seed in range(10):
            with self.subTest(seed=seed):
                streams, steps = [11, 12, 20][:2 + seed % 2], 1 + seed % 3
                trace, busy, layers = self.written(seed, streams, steps, marks=seed % 4 != 0)
                rows = {row["stream"]: row for row in table(trace, "micro_batches")}
                self.assertEqual(sorted(rows), streams)
                together = [us for us in set().union(*busy.values()) if sum(us in of for of in busy.values()) > 1]
                for stream, row in rows.items():
                    others = set().union(*(of for other, of in busy.items() if other != stream))
                    self.assertEqual(row["beside"], ", ".join(str(other) for other in streams if other != stream))
                    self.assertEqual(row["busy_ns"], 1000 * len(busy[stream]))
                    self.assertEqual(row["hidden_ns"], 1000 * len(busy[stream] & others))
                    self.assertEqual(row["alone_ns"] + row["hidden_ns"], row["busy_ns"])
                    self.assertEqual(row["any_ns"], 1000 * len(busy[stream] | others))
                    self.assertEqual(row["together_ns"], 1000 * len(together))
                    self.assertEqual(row["steps"], steps if seed % 4 else 1)
                    if seed % 4:
                        self.assertEqual(row["turns"], steps * (layers * len(streams) - 1))
                self.assertEqual(sum(row["alone_ns"] for row in rows.values()) + 1000 * len(together), rows[11]["any_ns"])

    def test_report_says_it(self):
        trace, _, _ = self.written(2, [11, 12], 2)
        together = table(trace, "micro_batches")[0]["together_pct"]
        self.assertIn("Streams 11 and 12 of the GPU do the same in turn, as parts of a batch: in %.1f%% of the" % together, report(trace))

    def test_each_goes_through_all_layers(self):
        for seed in range(5):
            trace, _, layers = self.written(seed, [11, 12], 2, memsets=0)
            rows = [row for row in table(trace, "layers") if row["layer"] is not None]
            self.assertEqual({row["layer"] for row in rows}, set(range(layers)))
            self.assertEqual(sum(row["count"] for row in rows), 2 * 2 * layers * len(self.NAMES))

    def test_other_work_on_another_stream_is_no_micro_batch(self):
        trace = Trace()
        for step in range(3):
            with trace.step(step):
                for _ in range(6):
                    for name in self.NAMES:
                        trace.launch(name, 10, stream=7)
                    trace.launch(GEMM, 10, stream=8)  # gradients of weights
                    trace.launch("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 10, stream=9)
                    trace.launch("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 10, stream=10)
        self.assertEqual(table(trace, "micro_batches"), [])


class TransferOverlap(unittest.TestCase):
    RANGES = ("LMCacheEngine.store", "VLLMPagedMemGPUConnectorV2.to_gpu", "nixl_read", "_C_cache_ops::swap_blocks")
    LARGE = 4 << 20

    def test_time_beside_other_work(self):
        for seed in range(10):
            with self.subTest(seed=seed):
                chance, trace = random.Random(seed), Trace()
                wanted = collections.defaultdict(lambda: [0, 0, set()])  # by row: count, bytes, microseconds
                work = set()
                for _ in range(60):
                    trace.now += chance.choice((0, 0, 20))
                    if chance.random() < 0.5:
                        work.update(range(*trace.launch(chance.choice((GEMM, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL")), chance.randint(1, 60))))
                        continue
                    said_by, stream = chance.choice((None,) + self.RANGES), chance.choice((7, 20, 21))
                    if chance.random() < 0.2:
                        kind, size, said_by = "kernel", 0, "lmc::load_and_reshape_multi_layer_kernel<long, true>"
                        times = trace.launch(said_by, chance.randint(1, 40), stream=stream)
                    else:
                        kind, size = chance.choice(("HtoD", "DtoH")), chance.randint(1, 1 << 19)
                        memory = "(Pinned -> Device)" if kind == "HtoD" else "(Device -> Pinned)"
                        with trace.op(said_by or "aten::copy_", category="cpu_op" if said_by is None or "::" in said_by else "user_annotation"):
                            times = trace.launch("Memcpy %s %s" % (kind, memory), chance.randint(1, 40), stream=stream, category="gpu_memcpy",
                                                 call="cudaMemcpyAsync", bytes=size)
                    row = wanted[stream, kind, said_by]
                    row[0] += 1
                    row[1] += size
                    row[2].update(range(*times))
                rows = {(row["stream"], row["kind"], row["said_by"]): row for row in table(trace, "transfer_overlap")}
                self.assertEqual(set(rows), set(wanted))
                for key, (count, size, busy) in wanted.items():
                    row = rows[key]
                    self.assertEqual(row["purpose"], "KV cache" if key[2] else None)
                    self.assertEqual((row["count"], row["bytes"]), (count, size or None))
                    self.assertEqual((row["busy_ns"], row["hidden_ns"]), (1000 * len(busy), 1000 * len(busy & work)))
                    self.assertEqual(row["hidden_ns"] + row["exposed_ns"], row["busy_ns"])
                    self.assertEqual(row["returned_bytes"], 0 if size else None)

    def test_what_went_to_the_host_and_came_back(self):
        trace = Trace()

        def copy(kind, size, stream=20):
            memory = "(Pinned -> Device)" if kind == "HtoD" else "(Device -> Pinned)"
            trace.launch("Memcpy %s %s" % (kind, memory), 30, stream=stream, category="gpu_memcpy", call="cudaMemcpyAsync", bytes=size)

        copy("HtoD", self.LARGE)  # input: nothing went out before
        for _ in range(3):
            copy("DtoH", self.LARGE)
        for _ in range(2):
            copy("HtoD", self.LARGE)
        copy("HtoD", self.LARGE, stream=21)  # another stream
        copy("DtoH", 8)
        copy("HtoD", 8)
        rows = {(row["stream"], row["kind"]): row["returned_bytes"] for row in table(trace, "transfer_overlap")}
        self.assertEqual(rows, {(20, "DtoH"): 2 * self.LARGE, (20, "HtoD"): 2 * self.LARGE, (21, "HtoD"): 0})

    def test_all_of_it_is_the_exposed_memory_of_the_device(self):
        trace = Trace()
        for us in (10, 40, 25):
            trace.launch(GEMM, 30)
            trace.launch("Memcpy HtoD (Pinned -> Device)", us, stream=20, category="gpu_memcpy", bytes=64)
        row, = table(trace, "transfer_overlap")
        device, = table(trace, "gpu_time")
        self.assertEqual((row["busy_ns"], row["exposed_ns"]), (device["memory_ns"], device["exposed_memory_ns"]))


if __name__ == "__main__":
    unittest.main()
