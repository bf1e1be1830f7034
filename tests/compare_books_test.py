#!/usr/bin/env python3
"""Laws of `compare` that hold for any two profiles, over every pair of small real ones, whichever profilers wrote them: every
nanosecond of both sides is in one row, and B against A is the mirror image of A against B.

Environment: CGPU (the binary), CGPU_CORPUS (a folder of Kineto traces; those of other formats lie beside it), CGPU_PAIRS=all
(every pair of everything in the corpus that can be compared, which takes half an hour).
"""
import concurrent.futures
import glob
import itertools
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import machine, tool  # noqa: E402
from oracle.comparison import check_books, compared, figures, pair_of  # noqa: E402
from oracle.programs import ops_program  # noqa: E402

CORPUS = os.path.dirname(tool.corpus())

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

    def test_a_metric_that_one_side_calls_otherwise(self):
        """Caliper calls the time "time" in one file and "Total time" in another: the same metric is compared either way round."""
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, name in enumerate(("time", "Total time")):
                paths.append(os.path.join(folder, "%d.json" % number))
                tree = {"data": [[4 + number, 0], [3 + number, 1]], "columns": ["sum#%d" % number, "path"],
                        "column_metadata": [{"is_value": True, "attribute.unit": "sec", "attribute.alias": name},
                                            {"is_value": False}],
                        "nodes": [{"label": "main", "column": "path"}, {"label": "solve", "column": "path", "parent": 0}]}
                with open(paths[-1], "w", encoding="utf-8") as file:
                    json.dump(tree, file)
            here, there = (compared(*pair, "--table", "call_tree")["compare_call_tree"] for pair in (paths, paths[::-1]))
        self.assertEqual([(r["name"], r["metric"]) for r in here], [(r["name"], r["metric"]) for r in there])
        self.assertEqual([(r["a"], r["b"]) for r in here], [(r["b"], r["a"]) for r in there])
        self.assertEqual({r["name"]: (r["a"], r["b"]) for r in here}["solve"], (3, 4))


def inputs():
    """Some small real profiles of every format; with CGPU_PAIRS=all everything in the corpus that can be compared."""
    if os.environ.get("CGPU_PAIRS") != "all":
        return [found[0] for found in (sorted(glob.glob(os.path.join(CORPUS, part))) for part in FILES) if found]
    paths = []
    for place, _, files in os.walk(os.path.dirname(os.path.normpath(CORPUS))):
        paths += [place] * bool(files) + [os.path.join(place, file) for file in files]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = pool.map(lambda path: tool.run(["compare", path, path]).returncode, paths)
        return sorted(path for path, code in zip(paths, done) if code == 0)


def check_pair(a, b):
    """Whether there was something to compare. Raises AssertionError where one does not, or is not mirrored."""
    laws = unittest.TestCase()
    tables = compared(a, b)
    if tables["compare_call_tree"]:
        here, there = (compared(*pair, "--table", "call_tree")["compare_call_tree"] for pair in ((a, b), (b, a)))
        laws.assertEqual(sorted((r["a"] or 0, r["b"] or 0, r["status"] == "both") for r in here),
                         sorted((r["b"] or 0, r["a"] or 0, r["status"] == "both") for r in there))
        if a == b:
            laws.assertEqual({r["status"] for r in here}, {"both"})
            laws.assertEqual([r for r in here if r["delta"]], [])
    if not figures(tables):
        return bool(tables["compare_call_tree"])
    check_books(laws, tables)
    if a == b:
        laws.assertEqual([c for c in tables["compare_causes"] if c["delta_ns"]], [])
        laws.assertEqual({r["status"] for r in tables["compare_ops"]} - {"both", "orphan"}, set())
        laws.assertEqual({r["change"] for r in tables["compare_findings"]} - {"same"}, set())
        return True
    mirrored = compared(b, a, "--table", "causes")["compare_causes"]
    laws.assertEqual(sorted((c["kind"], c["a_ns"], c["b_ns"]) for c in tables["compare_causes"]),
                     sorted((OTHER.get(c["kind"], c["kind"]), c["b_ns"], c["a_ns"]) for c in mirrored))
    return True


@unittest.skipUnless(os.path.isdir(CORPUS), "no corpus")
class EveryPair(unittest.TestCase):
    def test_the_books_balance_and_the_other_way_round_is_the_mirror_image(self):
        files = inputs()
        self.assertGreater(len(files), 10)

        def check(pair):
            try:
                return check_pair(*pair), None
            except (AssertionError, RuntimeError) as error:
                return True, error

        pairs = list(itertools.combinations_with_replacement(files, 2))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(check, pairs))
        for (a, b), (_, error) in zip(pairs, results):
            if error is not None:
                with self.subTest(a=os.path.basename(a), b=os.path.basename(b)):
                    raise error
        self.assertGreater(sum(something for something, _ in results), 50)


if __name__ == "__main__":
    unittest.main()
