#!/usr/bin/env python3
"""What `compare` makes of the iterations of two runs: which are compared, what is within what they differ by, and whose time
is whose where device ops overlap. And what it says of changes that real programs have: activations computed again, layers,
precision.

Environment: CGPU (the binary).
"""
import contextlib
import json
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import machine, tool  # noqa: E402
from oracle.comparison import check_books, compared, figures, pair_of, words  # noqa: E402
from oracle.programs import NORM, launch, ops_program  # noqa: E402

SOFTMAX = "softmax_warp_forward"


def setUpModule():
    tool.must_exist()


class Pair:
    """Two programs compared: the words, and the tables."""

    def __init__(self, a, b):
        with tempfile.TemporaryDirectory() as folder:
            paths = pair_of(folder, (a, b))
            self.words, self.tables = words(*paths), compared(*paths)
            self.many = compared(*paths, "--table", "runs")["compare_runs"]
        self.figures = figures(self.tables)
        self.causes = {c["key"]: c for c in self.tables["compare_causes"]}

    def lines_below(self, heading):
        """Of a list in the words."""
        found = re.search(re.escape(heading) + r"[^\n]*\n((?: +[-+]\d[^\n]*\n)*)", self.words)
        return found[1].splitlines() if found else []


def busy_program(steps=8, earlier=0, host=lambda step: 0, batch=1):
    """Iterations of products and norms that the device takes 2 ms for; the host is `host(step)` us late with them. The device
    is at work for `earlier` us of what was launched before the recording."""
    def run(m):
        if earlier:
            m.launch(NORM, earlier, traced=False)
        for step in range(steps):
            with m.step(step):
                m.host("model.py(1): prepare", host(step))
                for number in range(10):
                    launch(m, "aten::mm", machine.GEMM, 150 * batch)
                    launch(m, "aten::layer_norm", NORM, 50 * batch)
                m.synchronize()
        yield from ()
    return run


class Iterations(unittest.TestCase):
    def test_a_first_one_with_earlier_work_is_left_out(self):
        """Of both: they marked the same steps."""
        pair = Pair(busy_program(), busy_program(earlier=700))
        self.assertEqual([pair.figures["iterations"][side] for side in "ab"], [7, 7])
        self.assertEqual([pair.figures["warm_up_iterations"][side] for side in "ab"], [1, 1])
        self.assertEqual(pair.figures["time_ns"]["delta"], 0)
        # Before the very first launch there is nothing that was launched.
        self.assertEqual([c for c in pair.causes.values() if abs(c["delta_ns"]) > (1000 if c["kind"] == "idle" else 0)], [])
        self.assertEqual([row["iterations"] for row in pair.many], [8, 7])
        check_books(self, pair.tables)

    def test_steps_that_only_one_side_leaves_out(self):
        """The last of four steps is far longer than the others in both; in B it was cut short."""
        def program(steps, last):
            def run(m):
                for step in range(steps):
                    with m.step(step):
                        for number in range(last if step + 1 == steps else 10):
                            launch(m, "aten::mm", machine.GEMM, 900 if step + 1 == steps else 150)
                        m.synchronize()
                yield from ()
            return run
        same = Pair(program(4, 10), program(4, 5))
        self.assertEqual([same.figures["iterations"][side] for side in "ab"], [3, 3])
        self.assertEqual(same.figures["time_ns"]["delta"], 0)
        check_books(self, same.tables)
        other = Pair(program(4, 10), program(5, 5))  # not the same steps
        self.assertEqual([other.figures["iterations"][side] for side in "ab"], [4, 4])

    def test_as_one_of_two_it_stays(self):
        pair = Pair(busy_program(steps=2), busy_program(steps=2, earlier=700))
        self.assertEqual([pair.figures["iterations"][side] for side in "ab"], [2, 2])
        self.assertEqual({cause["certain"] for cause in pair.causes.values()}, {None})
        self.assertGreater(pair.figures["time_ns"]["delta"], 0)

    def test_launches_that_are_missing_everywhere_are_no_earlier_work(self):
        def program(m):
            for step in range(6):
                with m.step(step):
                    m.launch(machine.GEMM, 300, traced=False)
                    m.launch(NORM, 100)
                    m.synchronize()
            yield from ()
        pair = Pair(program, program)
        self.assertEqual([pair.figures["iterations"][side] for side in "ab"], [6, 6])

    def test_slow_ones_are_named(self):
        pair = Pair(busy_program(), busy_program(host=lambda step: 20000 if step in (2, 5) else 0))
        usual, slow = 2050, 22050
        self.assertRegex(pair.words, r"In B, 2 of 8 iterations take far longer than the others: 2\d\.\d ms in number 2, "
                         r"2\d\.\d ms in number 5\.\n")
        said = re.search(r"The median iteration: ([\d.]+) ms -> ([\d.]+) ms, [-+]\d+\.\d %\.", pair.words)
        self.assertAlmostEqual(float(said[1]) * 1000, usual, delta=60)
        self.assertAlmostEqual(float(said[2]) * 1000, usual, delta=60)
        self.assertAlmostEqual(pair.figures["time_ns"]["delta"] / 1000, 2 * (slow - usual) / 8, delta=30)
        again = Pair(busy_program(), busy_program(host=lambda step: 20000 if step % 2 else 0))
        self.assertNotIn("far longer than the others", again.words)  # every other one is the rule


class Noise(unittest.TestCase):
    """A host that is late by chance: the same times in another order, so that a device that waits for it differs by chance, too."""
    LATE = (0, 9000, 300, 31000, 0, 4000, 700, 12000)

    def late(self, shift):
        return lambda step: self.LATE[(step * 3 + shift) % 8] + 100 * shift

    def test_the_same_program_again(self):
        pair = Pair(busy_program(host=self.late(0)), busy_program(host=self.late(1)))
        self.assertIn("That is within what iterations differ by themselves", pair.words)
        self.assertNotIn("for sure", pair.words)
        self.assertNotIn("What explains it", pair.words)
        self.assertNotIn("What changed by more", pair.words)
        for line in pair.lines_below("Within what iterations differ by themselves:"):
            self.assertRegex(line, "idle, |everything else$")
        self.assertNotRegex(pair.words, r"(?m)^  \w+ \((new|gone|grown|shrunk)\)")

    def test_more_work_shows_through_it(self):
        pair = Pair(busy_program(host=self.late(0)), busy_program(host=self.late(1), batch=2))
        self.assertRegex(pair.words, r"That is within what iterations differ by themselves \([\d.]+ ms either way\), since their "
                         r"idle time varies; but work takes 2\.00 ms more for sure \(0 ns either way\)\.\n")
        self.assertRegex(pair.words, r"The device: busy 2\.00 ms -> 4\.00 ms \(2\.00 times\)")
        said = pair.lines_below("What changed by more than iterations differ by")
        self.assertEqual(len(said), 2, pair.words)
        self.assertRegex(said[0], r"\+1\.50 ms .* aten::mm: ")
        self.assertRegex(said[1], r"\+500\.0 us .* aten::layer_norm: ")
        self.assertRegex(pair.lines_below("Within what iterations differ by themselves:")[0], "idle, host_code")
        certain = {cause["kind"]: set() for cause in pair.causes.values()}
        for cause in pair.causes.values():
            certain[cause["kind"]].add(cause["certain"])
        self.assertEqual(certain["op"], {1})
        self.assertIn(0, certain["idle"])

    def test_findings_within_it_are_counted(self):
        pair = Pair(busy_program(host=self.late(0)), busy_program(host=lambda step: 4000 if step < 2 else 1000))
        changed = [r for r in pair.tables["compare_findings"] if abs(r["delta_pct"] or 0) >= 3]
        self.assertTrue(changed)
        self.assertIn("That is within what", pair.words)
        self.assertIn("  %d changed by less than iterations differ by themselves (--table findings)" % len(changed), pair.words)

    def test_findings_are_compared_by_their_time(self):
        """A cause that takes half as long in a run that has less else to do has a larger share, and has shrunk."""
        pair = Pair(busy_program(host=lambda step: 2000, batch=4), busy_program(host=lambda step: 1000))
        stall, = [r for r in pair.tables["compare_findings"] if r["rule"] == "host_stall"]
        self.assertEqual(stall["change"], "shrunk")
        self.assertLess(stall["recoverable_a_pct"], stall["recoverable_b_pct"])
        for side, us in (("a", 2000), ("b", 1000)):
            self.assertAlmostEqual(stall["recoverable_%s_ns" % side], 1000 * us, delta=150e3)
        of_a = pair.figures["time_ns"]["a"]
        self.assertAlmostEqual(stall["delta_pct"], 100 * (stall["recoverable_b_ns"] - stall["recoverable_a_ns"]) / of_a,
                               places=6)
        self.assertRegex(pair.words, r"(?m)^  host_stall \(shrunk, 2\.\d+ ms -> 1\.\d+ ms\): ")


class Overlap(unittest.TestCase):
    def test_a_copy_that_compute_hides_takes_no_time(self):
        """The same copy before the products, and on a stream of its own beside them."""
        def program(stream):
            def run(m):
                for step in range(6):
                    with m.step(step):
                        with m.within("aten::to"):
                            m.quiet(1)
                            m.copy("HtoD", 10_000_000, stream=stream)  # 402 us
                        for _ in range(10):
                            launch(m, "aten::mm", machine.GEMM, 300)
                        m.synchronize()
                yield from ()
            return run

        pair = Pair(program(machine.MAIN_STREAM), program(machine.COPY_STREAM))
        first = pair.tables["compare_causes"][0]
        self.assertEqual((first["kind"], first["key"].split(":")[-1].strip()), ("op", "Memcpy HtoD (Pinned -> Device)"))
        # The products begin 17 us into the copy.
        exposed = pair.figures["exposed_memory_ns"]
        self.assertEqual((first["a_ns"], first["b_ns"]), (exposed["a"], exposed["b"]))
        self.assertEqual(exposed["a"], 402_000)
        self.assertLess(exposed["b"], 20_000)
        for cause in pair.causes.values():
            if cause["kind"] != "idle" and cause is not first and "Memcpy" not in cause["key"]:
                self.assertEqual(cause["delta_ns"], 0, cause)
        self.assertRegex(pair.words, r"Memcpy HtoD \(Pinned -> Device\), 1 device op an iteration, 0 % -> 9\d % of that "
                         r"beside other work\n")
        self.assertNotIn("each (", pair.words)
        check_books(self, pair.tables)


def product_types(kernel, type_name):
    shape = [[128, 512], [512, 256]]

    def run(m):
        for step in range(6):
            with m.step(step):
                for _ in range(4):
                    launch(m, "aten::mm", kernel, 100, **{"Input Dims": shape, "Input type": [type_name] * 2})
                    launch(m, "aten::layer_norm", NORM, 20)
                m.synchronize()
        yield from ()
    return run


class Changes(unittest.TestCase):
    def test_precision(self):
        tf32 = "sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x32_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas"
        fp32 = "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas"
        single = product_types(fp32, "float")
        self.assertIn("Precision of matrix products: fp32 on vector units -> bf16.\n",
                      Pair(single, product_types(machine.GEMM, "c10::BFloat16")).words)
        self.assertIn("Precision of matrix products: fp32 on vector units -> TF32.\n",
                      Pair(single, product_types(tf32, "float")).words)
        unknown = product_types(machine.GEMM, "float")  # its kernel does not say
        self.assertIn("Precision of matrix products: fp32 -> bf16.\n",
                      Pair(unknown, product_types(machine.GEMM, "c10::BFloat16")).words)
        self.assertNotIn("multiplied", Pair(unknown, product_types(tf32, "float")).words)
        self.assertNotIn("multiplied", Pair(single, single).words)

    def test_a_result_given_as_an_input_is_no_other_shape(self):
        def program(more):
            shapes = [[128, 512], [512, 256]] + more
            return ops_program(lambda step: [("aten::addmm", machine.GEMM, 300, shapes), ("aten::softmax", SOFTMAX, 50, None)])
        self.assertNotIn("other shapes", Pair(program([]), program([[128, 256]])).words)
        self.assertIn("other shapes", Pair(program([]), ops_program(lambda step: [
            ("aten::addmm", machine.GEMM, 300, [[64, 512], [512, 256]]), ("aten::softmax", SOFTMAX, 50, None)])).words)

    def backward(self, name, inside):
        """Forward layers, then the backward of each, in which `inside` is done besides."""
        def run(m):
            shape = {"Input Dims": [[128, 512], [512, 256]], "Input type": ["float"] * 2}

            def work(op):
                kernel = {"aten::linear": machine.GEMM, "aten::layer_norm": NORM,
                          "aten::to": "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda>(int)"}[op]
                if op == "aten::to":
                    with m.within(op, **shape):
                        m.quiet(1)
                        launch(m, "aten::copy_", kernel, 100)
                else:
                    launch(m, op, kernel, 100, **shape)

            for step in range(6):
                with m.step(step):
                    for _ in range(4):
                        for op in ("aten::to", "aten::layer_norm", "aten::linear"):
                            work(op)
                    for _ in range(4):
                        with m.within("autograd::engine::evaluate_function: AddmmBackward0"):
                            m.quiet(1)
                            with m.within("AddmmBackward0"):
                                m.quiet(1)
                                for op in inside:
                                    work(op)
                                launch(m, "aten::mm", machine.GEMM, 200, **shape)
                    m.synchronize()
            yield from ()
        return run

    def test_activations_that_are_computed_again(self):
        plain = self.backward("plain", ())
        pair = Pair(plain, self.backward("checkpointed", ("aten::layer_norm", "aten::linear")))
        self.assertIn("In its backward pass B does again what is in its forward pass, A does not: 8 device ops an iteration, "
                      "800.0 us (as checkpoints of activations do, which save memory).\n", pair.words)
        self.assertEqual(pair.causes["AddmmBackward0: aten::linear"]["delta_ns"], 400_000)
        self.assertEqual(pair.causes["AddmmBackward0: aten::layer_norm"]["delta_ns"], 400_000)
        self.assertEqual(pair.causes["AddmmBackward0: aten::linear"]["kind"], "added")
        mirrored = Pair(self.backward("checkpointed", ("aten::layer_norm", "aten::linear")), plain)
        self.assertIn("In its backward pass A does again what is in its forward pass, B does not: 8 device ops", mirrored.words)
        # Gradients are cast as activations are; that computes nothing again.
        self.assertNotIn("does again", Pair(plain, self.backward("cast", ("aten::to",))).words)

    def test_more_layers(self):
        def program(layers):
            def ops(step):
                yield "aten::embedding", "indexSelectLargeIndex", 40, None
                for _ in range(layers):
                    yield "aten::layer_norm", NORM, 20, None
                    yield "aten::scaled_dot_product_attention", "flash_fwd_kernel", 90, None
                    yield "aten::linear", machine.GEMM, 200, None
                    yield "aten::gelu", machine.ELEMENTWISE, 30, None
                yield "aten::softmax", SOFTMAX, 60, None
            return ops_program(ops, steps=6)
        self.assertIn("Layers: 12 -> 14.\n", Pair(program(12), program(14)).words)
        self.assertIn("Layers: 14 -> 12.\n", Pair(program(14), program(12)).words)
        self.assertNotIn("Layers:", Pair(program(12), program(12)).words)
        self.assertIn("aten::linear is done more often, by 2 device ops an iteration", Pair(program(12), program(14)).words)
        self.assertIn("aten::linear is done less often, by 2 device ops an iteration", Pair(program(14), program(12)).words)

    def test_what_one_side_alone_does_all_its_work_in(self):
        def program(around):
            def run(m):
                for step in range(6):
                    with m.step(step):
                        with contextlib.ExitStack() as region:
                            for name in around:
                                region.enter_context(m.within(name, "user_annotation" if name.startswith("##") else "cpu_op"))
                                m.quiet(1)
                            launch(m, "aten::mm", machine.GEMM, 300)
                            launch(m, "aten::softmax", SOFTMAX, 60)
                        m.synchronize()
                yield from ()
            return run
        region, call = "Torch-Compiled Region: 0/0", "## Call CompiledFxGraph f3fij%sbavx ##"
        said = "100 %% of the device work of %s lies in Torch-Compiled Region: 0/0, which %s does not have.\n"
        self.assertIn(said % ("B", "A"), Pair(program(()), program((region, call % 1))).words)
        self.assertIn(said % ("A", "B"), Pair(program((region, call % 1)), program(())).words)
        self.assertNotIn("does not have", Pair(program((region, call % 1)), program((region, call % 2))).words)

    def test_graphs(self):
        def program(graph):
            def run(m):
                for step in range(6):
                    with m.step(step):
                        if graph:
                            m.launch_graph([(machine.GEMM, 300), (NORM, 60)] * 4)
                        else:
                            for _ in range(4):
                                launch(m, "aten::mm", machine.GEMM, 300)
                                launch(m, "aten::layer_norm", NORM, 60)
                        m.synchronize()
                yield from ()
            return run
        self.assertIn("Launches of device ops an iteration: 8 -> 1 of a graph.\n",
                      Pair(program(False), program(True)).words)
        self.assertIn("Launches of device ops an iteration: 1 of a graph -> 8.\n",
                      Pair(program(True), program(False)).words)

    def test_what_replaces_ops_is_counted_by_name(self):
        def program(fused):
            def ops(step):
                yield "aten::mm", machine.GEMM, 300, None
                for _ in range(5 if not fused else 0):
                    yield "aten::mul_", "mul_kernel", 20, None
                    yield "aten::addcmul_", "addcmul_kernel", 30, None
                if fused:
                    yield "aten::_fused_adamw_", "multi_tensor_apply_kernel", 60, None
            return ops_program(ops)
        self.assertIn("aten::_fused_adamw_ -> 5 x aten::mul_ + 5 x aten::addcmul_, 1 -> 10 device ops an iteration",
                      Pair(program(True), program(False)).words)


def unmarked(repetitions, product):
    """What repeats without a mark of it, with a begin and an end that do not."""
    def run(m):
        launch(m, "aten::embedding", "indexSelectLargeIndex", 77)
        for _ in range(repetitions):
            launch(m, "aten::mm", machine.GEMM, product)
            launch(m, "aten::layer_norm", NORM, 50)
            launch(m, "aten::softmax", SOFTMAX, 40)
            m.host("model.py(1): prepare", 30)
        launch(m, "aten::sort", "radix_sort_kernel", 200)
        m.synchronize()
        yield from ()
    return run


class Unmarked(unittest.TestCase):
    """Summaries of runs without marks of iterations compare by what repeats, as their timelines do."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def summaries(self, programs, ranks=1):
        """The traces (of several ranks folders), and the summaries."""
        traces = pair_of(self.folder.name, programs, ranks)
        kept = [trace + ".cgpu" for trace in traces]
        for trace, path in zip(traces, kept):
            done = tool.run(["summarize", trace, "-o", path])
            self.assertEqual(done.returncode, 0, done.stderr)
        return traces, kept

    def check_same(self, traces, kept, times):
        here, said = compared(*traces), words(*kept)
        there = tool.rows_of(json.loads(tool.run(["compare", *kept, "--format", "json"]).stdout))
        runs = there["compare_runs"]
        self.assertEqual([run["iterations"] for run in runs], times)
        self.assertEqual([run["step_ns"] for run in runs], [figures(here)["time_ns"][side] for side in "ab"])
        self.assertEqual([run["busy_ns"] / run["step_ns"] for run in runs],
                         [figures(here)["busy_ns"][side] / figures(here)["time_ns"][side] for side in "ab"])
        self.assertIn("There are no marks of iterations: an iteration is what repeats on the device, %d to %d times a run\n"
                      % (min(times), max(times)), said)
        self.assertIn("an iteration takes", said)
        self.assertNotIn("is not like", said)
        of_op = {(row["name"], os.path.basename(row["group"])): row["median"] for row in there["compare_statistics"]
                 if row["kind"] == "op"}
        for row in here["compare_ops"]:
            for side in "ab":
                self.assertEqual(of_op[row["key"], side + ".cgpu"], row["device_%s_ns" % side], row)
        self.assertEqual({name for name, _ in of_op}, {row["key"] for row in here["compare_ops"]})

    def test_as_the_traces(self):
        traces, kept = self.summaries((unmarked(12, 300), unmarked(9, 390)))
        self.assertIn("an iteration is what repeats on the device, 11 times in A and 8 times in B", words(*traces))
        self.check_same(traces, kept, [11, 8])

    def test_where_both_repeat_equally_often_all_of_both_is_compared(self):
        traces, kept = self.summaries((unmarked(12, 300), unmarked(12, 390)))
        for inputs in (traces, kept):
            self.assertNotIn("There are no marks of iterations", words(*inputs))
        self.assertIn("the whole takes", words(*kept))
        self.assertIn("The whole: ", words(*traces))

    def test_ranks_that_do_not_all_repeat_are_compared_as_a_whole(self):
        def program(repetitions):
            def run(m):
                inner = unmarked(repetitions if m.number == 0 else 1, 300)
                yield from inner(m)
            return run
        _, kept = self.summaries((program(12), program(9)), ranks=2)
        self.assertIn("the whole takes", words(*kept))

    def test_marks_come_before_what_repeats(self):
        _, kept = self.summaries((busy_program(), unmarked(9, 390)))
        self.assertNotIn("There are no marks of iterations", words(*kept))

    def test_merged_in_any_order(self):
        def program(repetitions):
            def run(m):
                yield from unmarked(repetitions, 300 + 30 * m.number)(m)
            return run
        traces, _ = self.summaries((program(12), program(9)), ranks=3)
        merged = []
        for trace in traces:
            parts = []
            for name in sorted(os.listdir(trace)):
                parts.append(os.path.join(trace, name) + ".cgpu")
                self.assertEqual(tool.run(["summarize", os.path.join(trace, name), "-o", parts[-1]]).returncode, 0)
            for order in (parts, parts[::-1]):
                merged.append("%s_%d.cgpu" % (trace, len(merged)))
                self.assertEqual(tool.run(["merge", *order, "-o", merged[-1]]).returncode, 0)
        self.assertIn("an iteration takes", words(merged[0], merged[2]))
        said = [words(merged[a], merged[b]).replace("_0.", "_.").replace("_1.", "_.").replace("_2.", "_.").replace("_3.", "_.")
                for a, b in ((0, 2), (1, 3))]
        self.assertEqual(*said)


if __name__ == "__main__":
    unittest.main()
