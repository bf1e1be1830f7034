#!/usr/bin/env python3
"""Laws of `compare` that hold for any two profiles, over every pair of small real ones, whichever profilers wrote them: every
nanosecond of both sides is in one row, and B against A is the mirror image of A against B.

Environment: CGPU (the binary), CGPU_CORPUS (a folder of Kineto traces; those of other formats lie beside it).
"""
import concurrent.futures
import glob
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from compare_test import CORPUS, check_books, compared, figures  # noqa: E402
from compare_words_test import ops_program, pair_of  # noqa: E402
from oracle import machine, tool  # noqa: E402

FILES = ["kineto/*alexnet*", "kineto/*h100__gaunernst*", "kineto/*mi300__gaunernst*", "kineto/*h100__Falconsai*",
         "kineto/*mi300__Falconsai*", "kineto/*graph_execution*", "kineto/*mi210__gpu_only*", "kineto/*mi250_minitoy*",
         "kineto/*step_based_trace*", "kineto/*cupti_profiler*", "kineto/*event_sync_multi_stream*", "kineto/*simple_add__input*",
         "kineto/*torch_compile_triton*", "kineto/*trace_compare__test*", "nsys_sqlite/*Fuser__report1*", "nsys_sqlite/*mock*",
         "nsys_sqlite/*power_iteration__baseline*", "nsys_sqlite/*saxpy-mpi*", "ascend/*db_level1_rank1*",
         "xla/*jax08_attention*", "rocprof/*sdk__data__kernel_trace*", "hpctoolkit_v4/*2023_loops-cuda*",
         "hpctoolkit_v4/*2023_loops-hip*", "chrome_json/*big_trace*"]
OTHER = {"removed": "added", "added": "removed"}


def setUpModule():
    tool.must_exist()


class Built(unittest.TestCase):
    def test_what_rounding_gives_to_one_of_equal_causes_is_mirrored(self):
        """Two ops of one time, in three of seven iterations: 43,285.7 ns each an iteration, of which one gets 43,286 and the
        other 43,285, whichever comes first."""
        def program(names, last):
            def ops(step):
                yield "aten::mm", machine.GEMM, 300, None
                for name, kernel in names if step in (3, 5, 6) else ():
                    yield name, kernel, 101, None
                yield "aten::softmax", "softmax_warp_forward", last, None
            return ops_program(ops, steps=7)

        names = [("aten::sort", "radix_sort_kernel"), ("aten::topk", "gather_topk_kernel")]
        with tempfile.TemporaryDirectory() as folder:
            a, b = pair_of(folder, (program(names, 50), program(names[::-1], 60)))
            here, there = compared(a, b)["compare_causes"], compared(b, a)["compare_causes"]
        self.assertIn(43286, [c["a_ns"] for c in here], here)
        self.assertEqual({c["key"]: (c["a_ns"], c["b_ns"]) for c in here if c["kind"] == "op"},
                         {c["key"]: (c["b_ns"], c["a_ns"]) for c in there if c["kind"] == "op"})


@unittest.skipUnless(os.path.isdir(CORPUS), "no corpus")
class EveryPair(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = [found[0] for found in (sorted(glob.glob(os.path.join(CORPUS, part))) for part in FILES) if found]
        pairs = [(a, b) for a in cls.files for b in cls.files]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            # All tables of a pair one way, and what the laws need of it the other way.
            tables = pool.map(lambda pair: compared(*pair) if pair[0] <= pair[1] else
                              compared(*pair, "--table", "causes"), pairs)
            cls.tables = dict(zip(pairs, tables))

    def test_the_books_balance(self):
        self.assertGreater(len(self.files), 10)
        checked = 0
        for (a, b), tables in self.tables.items():
            if a > b or not figures(tables):
                continue
            with self.subTest(a=os.path.basename(a), b=os.path.basename(b)):
                check_books(self, tables)
                checked += 1
                if a == b:
                    self.assertEqual([c for c in tables["compare_causes"] if c["delta_ns"]], [])
                    self.assertEqual({r["status"] for r in tables["compare_ops"]} - {"both", "orphan"}, set())
                    self.assertEqual({r["change"] for r in tables["compare_findings"]} - {"same"}, set())
        self.assertGreater(checked, 50)

    def test_the_other_way_round_is_the_mirror_image(self):
        for (a, b), tables in self.tables.items():
            if a >= b:
                continue
            with self.subTest(a=os.path.basename(a), b=os.path.basename(b)):
                here = [(c["kind"], c["a_ns"], c["b_ns"]) for c in tables["compare_causes"]]
                there = [(OTHER.get(c["kind"], c["kind"]), c["b_ns"], c["a_ns"])
                         for c in self.tables[b, a]["compare_causes"]]
                self.assertEqual(sorted(here), sorted(there))


if __name__ == "__main__":
    unittest.main()
