#!/usr/bin/env python3
"""What `compare` takes for the same work although its name differs: names with addresses, kernels that took over from
each other, launches of Nsight Compute whose names hold a file and a hash. And that what is certain comes first.

Environment: CGPU (the binary), CGPU_CORPUS (a folder of Kineto traces, which is not needed here).
"""
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import machine, ncu_report, tool  # noqa: E402
from oracle.comparison import Pair, compared, words  # noqa: E402
from oracle.programs import NORM, launch, ops_program  # noqa: E402

HEADLINE = re.compile(r"\A[^\n]*")
LOADING = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


def setUpModule():
    tool.must_exist()


class CertainFirst(unittest.TestCase):
    """Iterations whose device waits for data and, now and then, for a host that is late by chance."""

    def loading(self, wait, late, steps=6):
        def run(m):
            for step in range(steps):
                with m.step(step):
                    with m.within(LOADING, "user_annotation"):
                        m.quiet(wait(step))
                    m.host("model.py(1): prepare", late(step))
                    launch(m, "aten::mm", machine.GEMM, 5000)
                    m.synchronize()
            yield from ()
        return run

    def headline(self, a, b):
        return HEADLINE.match(Pair(a, b).words)[0]

    def test_a_cause_that_is_certain_leads(self):
        late = (0, 90000, 3000, 150000, 0, 40000)
        line = self.headline(self.loading(lambda step: 60000, lambda step: late[step % 6]),
                             self.loading(lambda step: 2000, lambda step: late[(step + 2) % 6] * 1.1))
        self.assertRegex(line, r"^An iteration: idle \(data_loading\) -58\.\d ms; certain\. On average [\d.]+ ms -> [\d.]+ ms, "
                         r"-[\d.]+ % \(-[\d.]+ ms\); within noise\.$")

    def test_an_outlier_leaves_the_median_certain(self):
        line = self.headline(self.loading(lambda step: 177000 + 100 * step, lambda step: 0, 12),
                             self.loading(lambda step: 123000 + 100 * step, lambda step: 700000 if step == 5 else 0, 12))
        self.assertRegex(line, r"^An iteration: idle \(data_loading\) -54\.0 ms; the median 18\d\.\d ms -> 12\d\.\d ms, "
                         r"-29\.\d % \(-5\d\.\d ms\); certain\. On average .* \([-+][\d.]+ ms\); within noise\.$")

    def test_nothing_that_is_certain(self):
        late = (0, 90000, 3000, 150000, 0, 40000)
        line = self.headline(self.loading(lambda step: 60000, lambda step: late[step % 6]),
                             self.loading(lambda step: 60000, lambda step: late[(step + 2) % 6] * 1.1))
        self.assertRegex(line, r"^An iteration: [\d.]+ ms -> [\d.]+ ms, [-+][\d.]+ % \([-+][\d.]+ [um]s\); within noise\.$")


class Addresses(unittest.TestCase):
    OPS = ("<bound method step of <model.Net object at 0x7f%s>>", "[unknown 0x55%s]", "libfoo.so+0x7f%s", "0x7f%s")

    def program(self, base, slower=1.0):
        def ops(_):
            return [(name % ("%010x" % (base + 64 * number)), machine.GEMM, 300 * slower, None)
                    for number, name in enumerate(self.OPS)]
        return ops_program(ops)

    def test_they_are_no_part_of_a_name(self):
        pair = Pair(self.program(0x1234567890), self.program(0x9abcdef012))
        self.assertEqual({c["kind"] for c in pair.causes if c["kind"] != "idle"}, {"op"})
        self.assertEqual({row["status"] for row in pair.tables["compare_ops"]}, {"both"})
        self.assertIn("An iteration: ", pair.words)
        for word in ("is gone", "is new", "0x7f", "0x55"):
            self.assertNotIn(word, pair.words)

    def call_tree(self, *sides):
        """The rows of two folded profiles; a side is the names of two functions."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, side + ".folded") for side in "ab"]
            for path, names in zip(paths, sides):
                with open(path, "w", encoding="utf-8") as file:
                    file.write("main;run;%s 60\nmain;run;%s 30\nmain;run;solve 40\n" % names)
            return compared(*paths, "--table", "call_tree")["compare_call_tree"]

    def test_call_trees(self):
        rows = self.call_tree(("0x7f1234567890", "[unknown 0x55d012345678]"), ("0x7fabcdef0120", "[unknown 0x561112345678]"))
        self.assertEqual({(row["status"], row["delta"]) for row in rows}, {("both", 0)})
        rows = self.call_tree(("0x7f1234567890", "0x7f1234567abc"), ("0x7fabcdef0120", "0x7fabcdef0abc"))
        self.assertEqual({(row["status"], row["delta"]) for row in rows}, {("both", 0)})

    def test_offsets_in_a_library_are(self):
        rows = self.call_tree(("libm.so+0x1234", "libm.so+0x5678"), ("libm.so+0x5678", "libm.so+0x1234"))
        self.assertEqual({(row["name"], row["delta"]) for row in rows if row["delta"]},
                         {("libm.so+0x1234", -30), ("libm.so+0x5678", 30)})


class MovedWork(unittest.TestCase):
    """Kernels of an op that are launched in its place, as often and as long in all."""

    def program(self, first, second, op="aten::mm", name="%s", times=(100, 100)):
        """An iteration of 12 launches, of the kernel 0 or 1 as the lists say."""
        kernels = ("volta_sgemm_tn", "volta_sgemm_nn")
        def ops(_):
            return [(op, name % kernels[which], times[which], [[64, 64], [64, 64]]) for which in first + second]
        return ops_program(ops)

    def test_two_kernels_that_change_places(self):
        a, b = [0, 0, 1, 0, 1, 0], [1, 1, 0, 1, 0, 1]
        pair = Pair(self.program(a, b, times=(100, 160)), self.program(b, a, times=(100, 160)))
        self.assertNotIn("volta", pair.words)
        self.assertIn("An iteration: ", pair.words)

    def test_one_that_takes_over_and_costs_more(self):
        """The names trade places, and one of them became slower: one line says what the exchange costs."""
        a, b = [0, 0, 1, 0, 1, 0], [1, 1, 0, 1, 0, 1]
        pair = Pair(self.program(a, b, times=(100, 160)), self.program(b, a, times=(100, 190)))
        said = [line for line in pair.words.splitlines() if "volta" in line and line.startswith(" ")]
        self.assertEqual(len(said), 1, pair.words)
        self.assertRegex(said[0], r"^ +\+180\.0 us .* aten::mm: volta_sgemm_nn <-> volta_sgemm_tn, the same work under other names, "
                         r"12 device ops an iteration, 130\.0 us -> 145\.0 us each \(\+11\.5 %\)$")

    def test_variants_of_one_kernel(self):
        """Tiles and template arguments are no part of a name; neither is whether it is mangled."""
        for first, second in (("gemm_128x64_tn", "gemm_128x128_tn"), ("void f<1, 2>(int)", "void f<4, 8>(int)"),
                              ("_Z4gemmPfi", "gemm(float*, int)")):
            def program(counts):
                return ops_program(lambda _: [("aten::mm", kernel, 100, None) for kernel, count in
                                              zip((first, second), counts) for _ in range(count)])
            pair = Pair(program((10, 5)), program((5, 10)))
            self.assertEqual({c["delta_ns"] for c in pair.causes}, {0}, first)

    def test_a_kernel_that_replaces_another_is_said_as_that(self):
        pair = Pair(self.program([0] * 6, [0] * 6), self.program([1] * 6, [1] * 6, times=(100, 50)))
        self.assertRegex(pair.words, r"aten::mm: volta_sgemm_tn -> volta_sgemm_nn, 12 device ops an iteration")
        self.assertNotIn("under other names", pair.words)


class NamesOfBuilds(unittest.TestCase):
    """Reports of Nsight Compute of two builds."""

    NAMES = ("_GLOBAL__N__%s_9_kernel_cu_%s::copy(int *)", "_INTERNAL_%s_9_kernel_cu_%s::scale(int *)",
             "__nv_static_30__%s_9_kernel_cu_%s__Z3addPi", "void run<lambda at /home/%s/%s.cu:12:3>(int)",
             "void run<(lambda at /home/%s/%s.cu:12:3)>(int)", "cudapy::scan[abi:v1,cw%s%s](Array<float, 1>)")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.a, self.b = (os.path.join(folder.name, side + ".csv") for side in "ab")

    def reports(self, slower=1):
        for path, hashes, factor in ((self.a, ("8a3c2f1b", "1a2b3c4d"), 1), (self.b, ("00112233", "44556677"), slower)):
            ncu_report.write(path, [(name % hashes, 1000 * (number + 1) * factor, 50, 50, 50)
                                    for number, name in enumerate(self.NAMES)])

    def test_values(self):
        self.reports(2)
        rows = compared(self.a, self.b, "--table", "launches")["compare_launches"]
        self.assertEqual([(row["id_a"], row["id_b"], row["speedup"]) for row in rows], [(i, i, 0.5) for i in range(6)])
        for row in rows[:3]:
            self.assertNotIn("8a3c2f1b", row["kernel"])

    def test_words(self):
        self.reports()
        text = words(self.a, self.b)
        self.assertIn("Of 6 launches measured in A and 6 in B, 6 are the same kernel in the same order.\n", text)
        self.assertIn("Each by itself, they take 21.0 us in both.\n", text)


if __name__ == "__main__":
    unittest.main()
