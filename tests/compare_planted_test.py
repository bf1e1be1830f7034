#!/usr/bin/env python3
"""What `compare` says of two runs of a program on a simulated machine (oracle/machine.py), one of which has something planted in
it: that comes first, with what it costs, and little else.

docs/comparison.md holds what comes out; --write-docs writes that part anew.

Environment: CGPU (the binary).
"""
import functools
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import docs, tool  # noqa: E402
from oracle.comparison import Pair, check_books, figures  # noqa: E402
from oracle.programs import LAYERS, STEPS, model  # noqa: E402

DOCS = os.path.join(tool.ROOT, "docs", "comparison.md")
MARKS = ("<!-- planted: written by tests/compare_planted_test.py --write-docs -->\n", "<!-- end of planted -->\n")


def setUpModule():
    tool.must_exist()


# label, what differs, ranks; the first causes that are expected (kind, part of the key, us a step or None for the whole
# change); what the words must say.
PLANTED = [
    ("one kernel 30 % slower", {"gemm": 390}, 1, [("op", "aten::linear", 90 * LAYERS)], [" each (+30.0 %)"]),
    ("three ops fused into one", {"fused": True}, 1, [("replaced", "fused_mul_tanh_add", -70 * LAYERS)],
     ["aten::mul + aten::tanh + aten::add -> fused_mul_tanh_add"]),
    ("an op added to each layer", {"added": True}, 1, [("added", "aten::copy_", 70 * LAYERS)], ["aten::copy_ is new"]),
    ("two ops reordered", {"reordered": True}, 1, [], []),
    ("batch doubled", {"batch": 2}, 1, [("op", "aten::linear", 300 * LAYERS), ("op", "aten::", 60 * LAYERS),
                                        ("op", "aten::", 60 * LAYERS)], ["other shapes"]),
    ("an extra synchronization", {"wait": True}, 1, [("idle", "host_code: model.py(40): prepare", None)],
     ["Waits of the host in cudaDeviceSynchronize: 1 -> 3 an iteration.", "synchronization (new)"]),
    ("slower communication", {"comm": 800}, 2, [("op", "ncclDevKernel_AllReduce", 400)], [" each (2.00 times)"]),
    ("one slow rank", {"comm": 400, "slow_rank": 1}, 2, [("waiting", "ncclDevKernel_AllReduce", None)],
     ["on rank 1", "waits for rank 1"]),
    ("one iteration in three", {"every": 3}, 1, [("added", "aten::sort", 900 / 3)], ["in one of 3 iterations"]),
    ("unequal windows", {"steps": STEPS - 5}, 1, [], []),
    ("renamed kernels", {"renamed": True}, 1, [], []),
    ("eager to graph", {"graph": True}, 1, [], []),
    ("more memory", {"memory": 3 << 30}, 1, [], ["The peak of device memory: 2.00 GiB -> 3.00 GiB, +50.0 %."]),
    ("noise only", {"noise": 0.02, "seed": 2}, 1, [], ["within what iterations differ by themselves"]),
    ("many small changes", {"many": 1.5}, 1, [("op", "aten::", 20 * LAYERS)] * 3, []),
]
BASE = {"slower communication": {"comm": 400}, "one slow rank": {"comm": 400}, "more memory": {"memory": 2 << 30},
        "noise only": {"noise": 0.02}}


@functools.lru_cache(None)
def planted():
    pairs = {}
    for label, change, ranks, _, _ in PLANTED:
        base = BASE.get(label, {})
        pairs[label] = Pair(model(**base), model(**dict(base, **change)), ranks)
    return pairs


class Built(unittest.TestCase):
    def test_the_ranked_list_names_what_was_planted(self):
        for label, change, _, expected, said in PLANTED:
            with self.subTest(label):
                pair = planted()[label]
                self.assertLess(abs(pair.delta("time_ns") / 1000 - pair.change), 0.02 * abs(pair.change) + 3, pair.words)
                for place, (kind, key, cost) in enumerate(expected):
                    cause = pair.causes[place]
                    self.assertEqual(cause["kind"], kind, pair.words)
                    self.assertIn(key, cause["key"])
                    wanted = pair.change if cost is None else cost
                    if label != "one slow rank":
                        self.assertLess(abs(cause["delta_ns"] / 1000 - wanted), 0.05 * abs(wanted), cause)
                # Nothing besides: what is left is small against what was planted, or against the step.
                left = pair.causes[len(expected):]
                if label not in ("batch doubled", "noise only", "one slow rank", "unequal windows"):
                    time = figures(pair.tables)["time_ns"]["a"]
                    self.assertLess(max([abs(c["delta_ns"]) for c in left] or [0]), 0.02 * time, (label, left[:3]))
                for text in said:
                    self.assertIn(text, pair.words)

    def test_a_slow_rank_is_told_from_those_that_wait_for_it(self):
        pair = planted()["one slow rank"]
        slow = [c for c in pair.causes if c["kind"] == "op" and c["delta_ns"] > 50_000]
        self.assertTrue(slow)
        for cause in slow:
            self.assertIn("on rank 1", cause["text"])
        self.assertIn("on rank 0", pair.causes[0]["text"])
        # What one does longer is what the other waits for.
        self.assertAlmostEqual(sum(c["delta_ns"] for c in pair.causes if c["kind"] == "op"), pair.causes[0]["delta_ns"],
                               delta=0.02 * pair.causes[0]["delta_ns"])

    def test_the_other_way_round_is_the_mirror_image(self):
        other = {"removed": "added", "added": "removed"}
        for label, pair in planted().items():
            with self.subTest(label):
                here = sorted((c["kind"], c["a_ns"], c["b_ns"]) for c in pair.causes)
                there = sorted((other.get(c["kind"], c["kind"]), c["b_ns"], c["a_ns"])
                               for c in pair.mirrored["compare_causes"])
                self.assertEqual(here, there)
                for name, row in figures(pair.tables).items():
                    mirrored = figures(pair.mirrored)[name]
                    self.assertEqual((row["a"], row["b"]), (mirrored["b"], mirrored["a"]))

    def test_the_docs_say_what_comes_out(self):
        with open(DOCS, encoding="utf-8") as handle:
            text = handle.read()
        self.assertEqual(with_part(text), text, "tests/compare_planted_test.py --write-docs writes it anew")

    def test_the_books_balance(self):
        for label, pair in planted().items():
            with self.subTest(label):
                check_books(self, pair.tables)


def page_part():
    lines = ["| what is different in B | a step, measured | what comes first | ns a step | of what was planted |",
             "|---|---:|---|---:|---:|"]
    for label, _, _, expected, _ in PLANTED:
        pair = planted()[label]
        first = pair.causes[0] if expected else None
        cost = (expected[0][2] if expected[0][2] is not None else pair.change) if expected else None
        if label == "one slow rank":
            cost = None
        lines.append("| %s | %+.1f us | %s | %s | %s |" % (
            label, pair.change, "%s, `%s`" % (first["kind"], first["key"]) if first else "nothing above 2 % of a step",
            "%+d" % first["delta_ns"] if first else "", "%.1f %%" % (first["delta_ns"] / 10 / cost) if cost else ""))
    return "\n".join(lines) + "\n"


def with_part(text):
    return docs.with_part(text, *MARKS, page_part())


if __name__ == "__main__":
    docs.main(DOCS, with_part)
