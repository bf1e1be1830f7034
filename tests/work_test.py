#!/usr/bin/env python3
"""op_shapes, overlap, utilization, rank_activity and occupancy of every real trace against an independent computation; published numbers.

Environment: CGPU (the binary), CGPU_CORPUS (a folder of Kineto traces).
"""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import hold, kineto, tool, work  # noqa: E402
from oracle.pool import Case, Pool  # noqa: E402


def wrong_in_corpus(name):
    path = os.path.join(tool.corpus(), name)
    with tempfile.TemporaryDirectory() as folder:
        files = kineto.unpack(path, folder)
        return work.wrong([path] if files == [path] else files, files)


def setUpModule():
    tool.must_exist()
    pool = Case.pool = Pool()
    for name in sorted(hold.corpus_files(), key=lambda n: -os.path.getsize(os.path.join(tool.corpus(), n))):
        pool.start(name, wrong_in_corpus, name)


def tearDownModule():
    if Case.pool:
        Case.pool.close()


class Corpus(Case):
    pass


for _name in hold.corpus_files():
    Corpus.add(_name, _name)


class Published(unittest.TestCase):
    def rows(self, part, **where):
        if not hold.corpus_files():
            self.skipTest("no traces in %s (set CGPU_CORPUS)" % tool.corpus())
        path = next(os.path.join(tool.corpus(), name) for name in hold.corpus_files() if part in name)
        return [row for row in tool.table(path, "op_shapes") if all(row[k] == v for k, v in where.items())]

    def test_products_as_tracelens_counts_them(self):
        row, = self.rows("h100__Qwen", name="aten::mm", shapes="[[8944, 1024], [1024, 2816]]")
        self.assertEqual((row["count"], row["flops"]), (48, 51581550592))
        row, = self.rows("h100__Qwen", name="aten::mm", shapes="[[8944, 2816], [2816, 1024]]")
        self.assertEqual((row["count"], row["flops"]), (24, 51581550592))

    def test_causal_attention_as_tracelens_counts_it(self):
        row, = self.rows("h100__Qwen", name="aten::scaled_dot_product_attention")
        self.assertEqual((row["settings"], row["flops"]), ("causal", 10239377408))

    def test_no_kernel_is_faster_than_its_device(self):
        for part in ("h100__Qwen", "mi300__Qwen", "h100__facebook_timesformer", "mi300__facebook_timesformer",
                     "torch_compile_triton", "ddp_resnet18"):
            rows = self.rows(part)
            self.assertTrue(any(row["flops_pct"] for row in rows), part)
            for row in rows:
                with self.subTest("%s %s %s" % (part, row["name"], row["shapes"])):
                    self.assertLess(row["flops_pct"] or 0, 100)


if __name__ == "__main__":
    unittest.main()
