#!/usr/bin/env python3
"""What `compare` says in words: that it names at least 95 % of a change, since when something is so, in which layers, whether
less work was done or memory only moved, and what changed between measured launches.

Environment: CGPU (the binary), CGPU_CORPUS (a folder of Kineto traces; those of other formats lie beside it).
"""
import html
import json
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import machine, ncu_report, tool  # noqa: E402
from oracle.comparison import Pair, compared, figures, pair_of, words  # noqa: E402
from oracle.programs import ops_program  # noqa: E402

CORPUS = os.path.dirname(tool.corpus())
NS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
LEFT = re.compile(r"^ +([-+])([\d.]+) (ns|us|ms|s) .*  everything else$", re.M)


def setUpModule():
    tool.must_exist()


def said_of(a, b):
    with tempfile.TemporaryDirectory() as folder:
        return words(*pair_of(folder, (a, b)))


def letters(number):
    return chr(97 + number // 26) + chr(97 + number % 26)


class Named(unittest.TestCase):
    def check_named(self, text, change):
        """Less than 5 % of the change is left to everything else, unless all is within noise."""
        if change == 0 or "That is within what" in text or "That is less than two runs" in text:
            return False
        left = LEFT.search(text)
        if left:
            self.assertLessEqual(float(left[2]) * NS[left[3]], 0.0502 * abs(change) + 1, text)
        listed = [line for line in text.splitlines() if re.match(r" +[-+]\d", line)]
        self.assertTrue(listed, text)
        self.assertLessEqual(len(listed), 10 + 10 + 7 + 1, text)
        return True

    def test_many_small_changes_are_put_together(self):
        def program(duration):
            def ops(step):
                for number in range(60):
                    yield "aten::small_" + letters(number), machine.ELEMENTWISE, duration, None
                for number in range(5):
                    yield "aten::norm_" + letters(number), "vectorized_layer_norm_kernel", 4 * duration, None
            return ops_program(ops)

        with tempfile.TemporaryDirectory() as folder:
            a, b = pair_of(folder, (program(100), program(104)))
            text = words(a, b)
            self.assertTrue(self.check_named(text, figures(compared(a, b))["time_ns"]["delta"]))
        self.assertRegex(text, r"\+240\.0 us .* 60 further ops with elementwise kernels, above all aten::small_\w\w.*, "
                         r"60 device ops an iteration, 100\.0 us -> 104\.0 us each \(\+4\.0 %\)")

    def test_what_came_and_went_is_put_together(self):
        def program(kind):
            def ops(step):
                yield "aten::mm", machine.GEMM, 20000, None
                for number in range(40):
                    yield "aten::%s_%s" % (kind, letters(number)), machine.ELEMENTWISE, 30 if kind == "old" else 10, None
                    yield "aten::softmax", "softmax_warp_forward", 20, None
            return ops_program(ops)

        with tempfile.TemporaryDirectory() as folder:
            a, b = pair_of(folder, (program("old"), program("new")))
            text = words(a, b)
            self.assertTrue(self.check_named(text, figures(compared(a, b))["time_ns"]["delta"]))
        self.assertRegex(text, r"40 further (ops|replacements)")

    @unittest.skipUnless(os.path.isdir(CORPUS), "no corpus")
    def test_pairs_of_real_profiles(self):
        named = 0
        for a, b in real_pairs():
            with self.subTest(a=os.path.basename(a), b=os.path.basename(b)):
                named += self.check_named(words(a, b), figures(compared(a, b))["time_ns"]["delta"])
        self.assertGreaterEqual(named, 4)

    @unittest.skipUnless(os.path.isdir(CORPUS), "no corpus")
    def test_pairs_of_real_profiles_mirrored(self):
        other = {"removed": "added", "added": "removed"}
        for a, b in real_pairs():
            with self.subTest(a=os.path.basename(a), b=os.path.basename(b)):
                here = compared(a, b, "--table", "causes")["compare_causes"]
                there = compared(b, a, "--table", "causes")["compare_causes"]
                self.assertEqual(sorted((c["kind"], c["a_ns"], c["b_ns"]) for c in here),
                                 sorted((other.get(c["kind"], c["kind"]), c["b_ns"], c["a_ns"]) for c in there))


def real_pairs():
    kineto = os.path.join(CORPUS, "kineto")
    for folder, first, second in ((kineto, "trace_diff__control", "trace_diff__test"),
                                  (kineto, "trace_compare__base", "trace_compare__test"),
                                  (kineto, "h100__gaunernst_bert", "mi300__gaunernst_bert"),
                                  (kineto, "h100__Falconsai", "mi300__Falconsai"),
                                  (kineto, "num_workers_0", "num_workers_4__worker0.1623212756351"),
                                  (kineto, "alexnet", "h100__Falconsai"),
                                  (os.path.join(CORPUS, "nsys_sqlite"), "mfu_2gpu_before", "mfu_2gpu_after")):
        found = [[os.path.join(folder, name) for name in sorted(os.listdir(folder)) if part in name]
                 for part in (first, second)] if os.path.isdir(folder) else [[], []]
        if found[0] and found[1]:
            yield found[0][0], found[1][0]


class When(unittest.TestCase):
    """A product takes longer in some iterations of B."""

    def said(self, slow):
        def program(longer):
            return ops_program(lambda step: [("aten::mm", machine.GEMM, 390 if step in longer else 300, None),
                                             ("aten::softmax", "softmax_warp_forward", 600, None)])
        return said_of(program(()), program(slow))

    def test_since_when_and_how_often(self):
        for slow, said in ((range(7, 12), ", since iteration 7\n"), ((5,), ", in 1 of 12 iterations (number 5)\n"),
                           (range(4, 7), ", from iteration 4 to 6\n"), ((1, 5, 9), ", in one of 4 iterations\n"),
                           ((1, 2, 8), ", in 3 of 12 iterations\n")):
            with self.subTest(said):
                self.assertIn(said, self.said(slow))
        always = self.said(range(12))
        self.assertIn(" each (+30.0 %)\n", always)  # in every iteration, which goes without saying
        for word in ("since iteration", " of 12 iterations", "from iteration"):
            self.assertNotIn(word, always)

    def test_what_became_faster(self):
        def program(longer):
            return ops_program(lambda step: [("aten::mm", machine.GEMM, 390 if step in longer else 300, None),
                                             ("aten::softmax", "softmax_warp_forward", 600, None)])
        self.assertIn("since iteration 7\n", said_of(program(range(12)), program(range(7))))


class Layers(unittest.TestCase):
    """A model of ten layers, one of whose ops is changed in some of them: the words say in which."""

    COUNT = 10

    def text_of(self, changed, more=0, modules=True):
        """The words of the largest cause where a product takes 130 us instead of 100 us in these layers, or `more` us of an
        op that A does not have are in them."""
        def program(layers):
            def run(m):
                def layer(number):
                    with m.within("aten::layer_norm"):
                        m.launch("vectorized_layer_norm_kernel", 20)
                    with m.within("aten::linear"):
                        m.launch(machine.GEMM, 130 if number in layers and not more else 100)
                    if more and number in layers:
                        with m.within("aten::sort"):
                            m.launch("radix_sort_kernel", more)
                    with m.within("aten::relu"):
                        m.launch("vectorized_elementwise_kernel", 10)

                for step in range(4):
                    with m.step(step):
                        for number in range(self.COUNT):
                            if modules:
                                with m.within("nn.Module: Model_0", "python_function"):
                                    with m.within("nn.Module: Block_%d" % number, "python_function"):
                                        layer(number)
                            else:
                                layer(number)
                        m.synchronize()
                    yield from ()
            return run

        return Pair(program(()), program(changed)).causes[0]["text"]

    def test_the_layers_that_changed(self):
        for changed, said in ((range(self.COUNT), "in each of the 10 layers"), ((7,), "in layer 7 of 10 only"),
                              ((3, 4, 5), "in layers 3 to 5 of 10"), ((0, 4, 8), "in 3 of 10 layers")):
            for more in (0, 50):
                with self.subTest(changed=changed, more=more):
                    self.assertIn(said, self.text_of(changed, more))

    def test_layers_by_what_repeats(self):
        self.assertIn("in each of the 10 layers", self.text_of(range(self.COUNT), modules=False))
        self.assertIn("in layer 7 of 10 only", self.text_of((7,), modules=False))
        # Where the sequence of one side is interrupted, its layers have no numbers, and nothing is said of them.
        self.assertNotIn("layer 7", self.text_of((7,), more=50, modules=False))


class Work(unittest.TestCase):
    def program(self, rows=4096, times=4, duration=200, shapes=True):
        shape = [[rows, 1024], [1024, 2048]] if shapes else None
        return ops_program(lambda step: [("aten::mm", machine.GEMM, duration, shape),
                                         ("aten::softmax", "softmax_warp_forward", 50, None)] * times)

    def test_less_and_more_work(self):
        flops = 2 * 4096 * 1024 * 2048 * 4
        less = said_of(self.program(), self.program(rows=2048, duration=110))
        self.assertRegex(less, r"Less work was done in what both do: %.1f GFLOP -> %.1f GFLOP an iteration, -50\.0 %%\. "
                         r"The compute time per FLOP: \+\d+\.\d %%\." % (flops / 1e9, flops / 2e9))
        more = said_of(self.program(), self.program(rows=8192, duration=400))
        self.assertRegex(more, r"More work was done in what both do: .*, 2\.00 times\. The compute time per FLOP: -[\d.]+ %\.")
        self.assertNotIn("work was done", said_of(self.program(), self.program(duration=260)))

    def test_without_shapes_how_often_ops_run(self):
        less = said_of(self.program(shapes=False), self.program(shapes=False, times=3))
        self.assertIn("Less work was done in what both do: 8 ops -> 6 ops an iteration, -25.0 %.", less)
        self.assertNotIn("work was done", said_of(self.program(shapes=False), self.program(shapes=False, duration=260)))


class MovesOfMemory(unittest.TestCase):
    def test_work_that_only_moves_memory_is_named_as_such(self):
        def program(more):
            def run(m):
                def copy(types):
                    with m.within("aten::copy_", **{"Input Dims": [[8, 8], [8, 8]], "Input type": types}):
                        m.quiet(1)
                        m.launch("void at::native::elementwise_kernel<128, 4, direct_copy_kernel_cuda>(int)", 50)

                def inside(names, types):
                    if not names:
                        return copy(types)
                    with m.within(names[0]):
                        inside(names[1:], types)

                def layer():
                    with m.within("aten::cudnn_convolution"):
                        m.quiet(1)
                        if more:
                            m.launch("void cudnn::ops::nchwToNhwcKernel<float>(int)", 40)
                        m.launch("sm90_xmma_fprop_implicit_gemm_f32f32", 100)
                    if not more:
                        return
                    inside(["aten::to", "aten::_to_copy"], ["c10::Half", "float"])
                    inside(["aten::contiguous", "aten::clone"], ["float", "float"])
                    with m.within("aten::zeros"):
                        m.quiet(1)
                        launched = m.now
                        m.run_op("gpu_memset", "Memset (Device)", m.begin_of(machine.MAIN_STREAM, launched), 30,
                                 machine.MAIN_STREAM, m.call("cudaMemsetAsync", 5), launched, bytes=1 << 20)
                    with m.within("aten::cumsum"):
                        m.quiet(1)
                        m.launch("tensor_kernel_scan_outer_dim", 60)

                for step in range(4):
                    with m.step(step):
                        layer()
                        m.synchronize()
                    yield from ()
            return run

        pair = Pair(program(False), program(True))
        said = {c["key"]: c["text"] for c in pair.causes if c["kind"] == "added"}
        self.assertEqual(len(said), 5)
        # Ops that copy do so in aten::copy_: where A has nothing of the kind, the outermost of B is named.
        for key, named in (("aten::to (a cast)", "aten::to is new (a cast), 1 device op an iteration"),
                           ("aten::contiguous (a layout change)", "aten::contiguous is new (a layout change), 1 device op"),
                           ("aten::zeros (a memset)", "aten::zeros is new (a memset)"),
                           ("aten::cudnn_convolution: cudnn::ops::nchwToNhwcKernel (a layout change)",
                            "nchwToNhwcKernel is new (a layout change)"),
                           ("aten::cumsum", "aten::cumsum is new, ")):
            self.assertIn(named, said[key])
        gone = [c["text"] for c in pair.mirrored["compare_causes"] if c["kind"] == "removed"]
        self.assertIn(" is gone (a cast)", " ".join(gone))


class NamesThatSayNothing(unittest.TestCase):
    def events(self, kernel, duration, count=10):
        return [{"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": 1000 + 1000 * i, "dur": duration,
                 "args": {"device": 0, "stream": 7}} for i in range(count)]

    def test_one_kernel_on_each_side_is_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, side + ".json") for side in "abc"]
            for path, events in zip(paths, (self.events("kernmain()", 100), self.events("<gpu kernel>", 300),
                                            self.events("<gpu kernel>", 300, 9))):
                with open(path, "w", encoding="utf-8") as handle:
                    json.dump({"schemaVersion": 1, "traceEvents": events}, handle)
            tables = compared(*paths[:2])
            self.assertEqual([(r["key"], r["status"], r["count_a"], r["count_b"], r["mean_a_ns"], r["mean_b_ns"])
                              for r in tables["compare_ops"]],
                             [("kernmain -> <gpu kernel>", "both", 10, 10, 100000, 300000)])
            self.assertIn("kernmain -> <gpu kernel>, 10 device ops, 100.0 us -> 300.0 us each (3.00 times)",
                          words(*paths[:2]))
            self.assertEqual({r["status"] for r in compared(paths[0], paths[2])["compare_ops"]}, {"only_a", "only_b"})

    @unittest.skipUnless(os.path.isdir(os.path.join(CORPUS, "hpctoolkit_v4")), "no corpus")
    def test_a_program_built_for_two_vendors(self):
        folder = os.path.join(CORPUS, "hpctoolkit_v4")
        for version in ("2023_loops", "dbase__loops"):
            a, b = (os.path.join(folder, "yuninxia_HPCToolkit__%s-%s-t.d" % (version, kind))
                    for kind in ("cuda-nvidia", "hip-amd"))
            self.assertEqual(figures(compared(a, b))["device_op_time_of_both_pct"]["b"], 100)
            text = words(a, b)
            self.assertRegex(text, r"kernmain -> <gpu kernel>, 100 device ops, .* each \(5\d\.\d+ times\)")
            self.assertRegex(text, r"GPUOP: [\d.]+ ms -> 1\.5\d+ s, ")  # of the call tree


class Screen(unittest.TestCase):
    """Text at 100 columns: the headline, the figures that differ, the causes; the tables on request."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        def program(duration):
            return ops_program(lambda step: [("aten::mm", machine.GEMM, duration, None),
                                             ("aten::softmax", "softmax_warp_forward", 600, None)])
        self.pair = pair_of(folder.name, (program(300), program(390)))

    def test_from_the_headline_to_the_causes(self):
        summary, table, causes, more = words(*self.pair).strip().split("\n\n")
        self.assertRegex(summary.splitlines()[0],
                         r"^An iteration: [\d.]+ [mu]s -> [\d.]+ [mu]s, \+[\d.]+ % \(\+[\d.]+ us\): aten::mm.* \+[\d.]+ us; certain\.$")
        lines = table.splitlines()
        self.assertRegex(lines[0], r"^name +a +b +delta +ratio$")
        self.assertRegex(lines[2], r"^time +[\d.]+ [mu]s +[\d.]+ [mu]s +[\d.]+ us +1\.\d\d$")
        self.assertRegex(lines[-1], r"^\d+ figures are the same in both\.$")
        rows = compared(*self.pair)["compare_summary"]
        self.assertEqual(len(lines) - 3, sum(row["a"] != row["b"] for row in rows))
        self.assertTrue(causes.startswith("What explains it"), causes)
        self.assertRegex(more, r"^Tables: --all, or --table NAME of summary, ops, kernels")

    def test_the_page_has_the_same_words(self):
        """As HTML: the headline by itself, and causes as a list below their heading."""
        summary, _, causes, _ = words(*self.pair).strip().split("\n\n")
        page = tool.run(["compare", *self.pair, "--format", "html"]).stdout.decode()
        verdict = html.unescape(re.search(r'<p class="verdict">(.*)</p>', page)[1])
        self.assertEqual(verdict, " ".join(summary.splitlines()[:1]))
        below = re.search(r"<li>What explains it[^\n]*:\n<ul>\n(.*?)</ul>", page, re.DOTALL)[1]
        listed = [html.unescape(re.sub("<[^>]*>", "", line)) for line in below.splitlines()]
        self.assertEqual(listed, [" ".join(line.split()) for line in causes.splitlines()[1:]])

    def test_all_tables_on_request(self):
        text = tool.run(["compare", *self.pair, "--all"]).stdout.decode()
        self.assertRegex(text, r"(?m)^key .* device b +delta +speedup")
        self.assertRegex(text, r"(?m)^time_ns +[\d.]+ [mu]s ")
        done = tool.run(["compare", *self.pair, "--all", "--table", "ops"])
        self.assertEqual((done.returncode, done.stderr), (2, b"cgpu: compare: --all and --table cannot be given together\n"))


class Launches(unittest.TestCase):
    """Two reports of Nsight Compute."""

    BEFORE = [("gemm", 40000, 85, 40, 60), ("add", 10000, 20, 90, 80), ("gemm", 42000, 85, 40, 60), ("old", 5000, 10, 20, 30)]
    AFTER = [("gemm", 20000, 50, 80, 45), ("add", 12000, 20, 90, 80), ("gemm", 21000, 50, 80, 45), ("new", 1000, 10, 20, 30)]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.a, self.b = (os.path.join(folder.name, side + ".csv") for side in "ab")
        ncu_report.write(self.a, self.BEFORE)
        ncu_report.write(self.b, self.AFTER)

    def test_values(self):
        rows = compared(self.a, self.b, "--table", "launches")["compare_launches"]
        self.assertEqual([(r["kernel"], r["status"], r["id_a"], r["id_b"]) for r in rows],
                         [("gemm", "both", 0, 0), ("add", "both", 1, 1), ("gemm", "both", 2, 2), ("old", "only_a", 3, None),
                          ("new", "only_b", None, 3)])
        for row in rows:
            for side, launches in (("a", self.BEFORE), ("b", self.AFTER)):
                number = row["id_" + side]
                expected = launches[number][1:] if number is not None else (None,) * 4
                self.assertEqual((row["duration_%s_ns" % side], row["compute_%s_pct" % side], row["memory_%s_pct" % side],
                                  row["achieved_occupancy_%s_pct" % side]), expected)
        first = rows[0]
        self.assertEqual((first["delta_ns"], first["speedup"], first["bound_a"], first["bound_b"]),
                         (-20000, 2, "compute", "memory"))
        self.assertEqual((rows[4]["delta_ns"], rows[4]["speedup"], rows[4]["bound_a"]), (None, None, None))

    def test_words(self):
        text = words(self.a, self.b).split("\n\n")[0]
        lines = text.splitlines()
        self.assertEqual(lines[0], "Of 4 launches measured in A and 4 in B, 3 are the same kernel in the same order.")
        self.assertEqual(lines[1], "Each by itself, they take 97.0 us -> 54.0 us, -44.3 %.")
        said = [line.split(None, 4)[4] for line in lines[3:]]
        self.assertEqual(said, [
            "gemm, 2 launches, 41.0 us -> 20.5 us each (-50.0 %), bound by compute -> memory, occupancy 60 % -> 45 %",
            "old is gone, 1 launch", "add, 1 launch, 10.0 us -> 12.0 us each (+20.0 %), bound by memory, "
            "occupancy 80 %", "new is new, 1 launch"])
        self.assertIn("Each by itself, they take 97.0 us in both.", words(self.a, self.a))

    @unittest.skipUnless(os.path.isdir(os.path.join(CORPUS, "ncu")), "no corpus")
    def test_real_reports(self):
        folder = os.path.join(CORPUS, "ncu")
        reports = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith((".ncu-rep", ".csv"))]
        for a in reports:
            for b in reports:
                with self.subTest(a=a, b=b):
                    text = words(a, b)
                    self.assertRegex(text, r"^Of \d+ launch(es)? measured in A and \d+ in B, ")
                    self.assertEqual("they take" in text and "in both" in text, a == b, text)


if __name__ == "__main__":
    unittest.main()
