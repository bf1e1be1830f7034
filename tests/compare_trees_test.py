#!/usr/bin/env python3
"""Call trees compared: which function is which, whatever the order of siblings, the lines of the source and the digits in names.

The laws are held over random folded stacks, and over the recorded call trees of the corpus where it is there.
"""
import json
import os
import pathlib
import random
import tempfile
import unittest

from oracle import tool

SHARED = pathlib.Path(__file__).resolve().parent.parent.parent / "shared"
RECORDED = SHARED / "corpus_more" / "hpctoolkit_recorded"


def rows_of(a, b, *options):
    done = tool.run(["compare", a, b, "--table", "compare_call_tree", "--format", "json", *options])
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return tool.rows_of(json.loads(done.stdout))["compare_call_tree"]


def words_of(a, b):
    done = tool.run(["compare", a, b])
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return done.stdout.decode()


def what_each_row_says(rows, mirrored=False):
    """The rows as a set, without their order; of B against A as of A against B."""
    a, b = ("b", "a") if mirrored else ("a", "b")
    turned = {"only_a": "only_b", "only_b": "only_a"}
    return sorted((row["rank"], row["depth"], row["kind"], turned.get(row["status"], row["status"]) if mirrored else row["status"],
                   row[a], row[b], row["exclusive_" + a], row["exclusive_" + b]) for row in rows)


class Folded(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, stacks):
        path = self.folder / (name + ".folded")
        path.write_text("".join("%s %d\n" % (";".join(stack), count) for stack, count in stacks))
        return path

    def draw(self, seed):
        source = random.Random(seed)
        stacks = {}
        for _ in range(30):
            stack = ("main",) + tuple("stage%d" % source.randrange(4) for _ in range(source.randrange(1, 5)))
            stacks[stack] = stacks.get(stack, 0) + source.randrange(1, 50)
        stacks = list(stacks.items())
        source.shuffle(stacks)
        return stacks

    def test_digits_of_a_name_are_part_of_it(self):
        a = self.write("a", [(("main", "stage1"), 100), (("main", "stage2"), 200), (("main", "stage3"), 300)])
        b = self.write("b", [(("main", "stage3"), 300), (("main", "stage1"), 100), (("main", "stage2"), 260)])
        changed = [(row["name"], row["a"], row["b"]) for row in rows_of(a, b) if row["delta"] != 0 and row["depth"] > 1]
        self.assertEqual(changed, [("stage2", 200, 260)])
        text = words_of(a, b).split("\n\n")[0]
        self.assertIn("stage2", text)
        self.assertNotIn("stage1", text)
        self.assertNotIn("stage3", text)

    def test_the_path_of_a_new_call_is_named(self):
        a = self.write("a", [(("main", "alpha", "work"), 9000), (("main", "beta"), 5000)])
        b = self.write("b", [(("main", "alpha", "work"), 9000), (("main", "beta"), 5000), (("main", "gamma", "work"), 4000)])
        self.assertIn("100 % of the change is in main > gamma, a call that only B has", words_of(a, b))
        self.assertIn("100 % of the change is in main > gamma, a call that only A has", words_of(b, a))

    def test_a_caller_with_little_of_its_own_does_not_separate_what_it_calls(self):
        """B has one more level, and a slower function below it."""
        a = self.write("a", [(("main", "solve", "spmv"), 1000), (("main", "solve", "dot"), 300), (("main", "read"), 50)])
        b = self.write("b", [(("main", "stage", "solve", "spmv"), 1500), (("main", "stage", "solve", "dot"), 300),
                             (("main", "stage"), 4), (("main", "read"), 50)])
        rows = {row["name"]: row for row in rows_of(a, b)}
        self.assertEqual({name: row["status"] for name, row in rows.items() if row["status"] != "both"}, {"stage": "only_b"})
        self.assertEqual((rows["stage"]["b"], rows["stage"]["exclusive_b"]), (4, 4))
        self.assertEqual((rows["spmv"]["a"], rows["spmv"]["b"]), (1000, 1500))
        self.assertIn("99 % of the change is in main > solve > spmv.", words_of(a, b))

    def test_a_call_that_moved_is_not_more_than_the_whole_change(self):
        a = self.write("a", [(("main", "solve", "precond"), 1100), (("main", "jacobi"), 300)])
        b = self.write("b", [(("main", "setup", "precond"), 1100), (("main", "jacobi"), 900), (("main", "setup"), 1)])
        self.assertNotRegex(words_of(a, b), r"[2-9]\d\d % of the change")

    def test_hashes_of_a_compiler_and_binaries_are_no_names(self):
        a = self.write("a", [(("main", "core::write::h0123456789abcdef"), 500), (("main", "sin [libm.so.6]"), 100)])
        b = self.write("b", [(("main", "core::write::hfedcba9876543210"), 900), (("main", "sin"), 100)])
        words = words_of(a, b)
        self.assertIn("core::write\n", words)
        self.assertNotIn("sin", words.split("the call trees of both")[0])

    def test_units_are_converted_or_refused(self):
        def speedscope(name, unit, values):
            path = self.folder / (name + ".speedscope.json")
            path.write_text(json.dumps({
                "$schema": "https://www.speedscope.app/file-format-schema.json",
                "shared": {"frames": [{"name": "main"}, {"name": "work"}]},
                "profiles": [{"type": "sampled", "name": name, "unit": unit, "startValue": 0, "endValue": sum(values),
                              "samples": [[0], [0, 1]], "weights": values}]}))
            return path
        a = speedscope("a", "milliseconds", [10, 500])
        b = speedscope("b", "seconds", [0.01, 1])
        root = rows_of(a, b)[0]
        self.assertAlmostEqual(root["b"] / root["a"], 1010 / 510)
        none = speedscope("c", "none", [10, 500])
        self.assertEqual(rows_of(a, none), [])
        self.assertIn("no metric in common that can be compared", words_of(a, none))

    def test_by_function(self):
        """A function counts once in a stack, however often it is in it; its own samples are those of stacks that end there."""
        for seed in range(6):
            drawn = [self.draw(seed), self.draw(100 + seed)]
            expected = {}
            for side, stacks in enumerate(drawn):
                for stack, count in stacks:
                    for name in {*stack, "<root>"}:
                        expected.setdefault(name, [0, 0, 0, 0])[side] += count
                    expected[stack[-1]][2 + side] += count
            rows = rows_of(self.write("a", drawn[0]), self.write("b", drawn[1]), "--by", "function")
            self.assertEqual({row["name"]: [row[each] for each in ("a", "b", "exclusive_a", "exclusive_b")] for row in rows},
                             expected)
            self.assertEqual({row["depth"] for row in rows if row["name"] != "<root>"}, {1})
            self.assertEqual(rows[0]["name"], "<root>")
            changes = [abs(row["delta"]) for row in rows[1:]]
            self.assertEqual(changes, sorted(changes, reverse=True))

    def test_what_changed_is_on_a_narrow_screen(self):
        a = self.write("a", [(("main", "a_function_of_a_name_that_is_as_long_as_names_are"), 100)])
        b = self.write("b", [(("main", "a_function_of_a_name_that_is_as_long_as_names_are"), 150)])
        done = tool.run(["compare", a, b, "--table", "call_tree"])
        self.assertRegex(done.stdout.decode(), r"name +a +b +delta +ratio")

    def test_laws(self):
        for seed in range(12):
            stacks = self.draw(seed)
            shuffled = stacks[::-1]
            a, same, b = self.write("a", stacks), self.write("same", shuffled), self.write("b", self.draw(seed + 1000))
            for row in rows_of(a, same):
                self.assertEqual((row["status"], row["delta"]), ("both", 0))
            rows = rows_of(a, b)
            self.assertEqual(what_each_row_says(rows), what_each_row_says(rows_of(same, b)))
            self.assertEqual(what_each_row_says(rows), what_each_row_says(rows_of(b, a), mirrored=True))
            for side, stacks_of in (("a", stacks), ("b", self.draw(seed + 1000))):
                by_path = {}
                for stack, count in stacks_of:
                    for depth in range(1, len(stack) + 1):
                        by_path[stack[:depth]] = by_path.get(stack[:depth], 0) + count
                got = sorted(row[side] for row in rows if row["depth"] > 0 and row["status"] != {"a": "only_b", "b": "only_a"}[side])
                self.assertEqual(got, sorted(by_path.values()), "every path of %s once, with its own value" % side)


class Ranges(unittest.TestCase):
    """Functions on a timeline without a device, again and again."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, stages):
        events, now = [], 0
        for _ in range(6):
            for stage, duration in stages:
                events.append({"ph": "X", "cat": "function", "name": stage, "ts": now, "dur": duration, "pid": 1, "tid": 1})
                now += duration
            now += 5
        path = self.folder / (name + ".json")
        path.write_text(json.dumps({"traceEvents": events}))
        return path

    def test_what_is_gone_makes_nothing_slower(self):
        a = self.write("a", [("stage1", 1000), ("stage2", 2000), ("stage3", 3000)])
        b = self.write("b", [("stage2", 2000), ("stage3", 3000)])
        text = words_of(a, b)
        self.assertIn("stage1 is gone, 6 ops", text)
        self.assertNotIn("stage2", text)
        self.assertNotIn("*", text)

    def test_what_is_slower_is_named_whatever_the_order(self):
        a = self.write("a", [("stage1", 1000), ("stage2", 2000), ("stage3", 3000)])
        b = self.write("b", [("stage3", 3000), ("stage1", 1000), ("stage2", 2600)])
        text = words_of(a, b)
        self.assertIn("stage2, 6 ops, 2.00 ms -> 2.60 ms each (+30.0 %)", text)
        self.assertNotIn("stage1", text)
        self.assertNotIn("stage3", text)


@unittest.skipUnless(RECORDED.is_dir(), "no recorded call trees beside the checkout")
class Recorded(unittest.TestCase):
    def test_a_call_of_a_function_that_is_new_is_the_change(self):
        rows = rows_of(RECORDED / "base.d", RECORDED / "slow1.d")
        gamma = [row for row in rows if row["name"] == "gamma_step(long)" and row["status"] == "only_b"]
        self.assertEqual(len(gamma), 1)
        self.assertAlmostEqual(gamma[0]["b"], 0.331, delta=0.001)
        alpha = [row for row in rows if row["name"] == "alpha_step(long)"]
        self.assertEqual([row["status"] for row in alpha], ["both"])
        self.assertAlmostEqual(alpha[0]["a"], alpha[0]["b"], delta=0.02)
        self.assertIn("of the change is in main > gamma_step(long), a call that only B has", words_of(RECORDED / "base.d", RECORDED / "slow1.d"))

    def test_one_program_twice(self):
        functions = [row for row in rows_of(RECORDED / "base.d", RECORDED / "base2.d") if row["kind"] == "function"]
        self.assertTrue(functions)
        for row in functions:
            self.assertLess(abs(row["delta"]), 0.06, row["name"])

    def test_laws(self):
        databases = sorted(path for path in RECORDED.iterdir() if path.suffix == ".d")
        self.assertGreater(len(databases), 5)
        databases += sorted(path.parent for path in (SHARED / "corpus" / "hpctoolkit_v4").rglob("meta.db"))
        held = 0
        for database in databases:
            rows = rows_of(database, database)
            for row in rows:
                self.assertEqual((row["status"], row["a"], row["exclusive_a"]), ("both", row["b"], row["exclusive_b"]), (database, row))
            held += len(rows) > 0
        self.assertGreater(held, 10)
        for a, b in (("base.d", "slow1.d"), ("base.d", "base.s.d"), ("ph1.d", "ph2.d"), ("base.d", "mpi.d")):
            there = rows_of(RECORDED / a, RECORDED / b)
            self.assertEqual(what_each_row_says(there), what_each_row_says(rows_of(RECORDED / b, RECORDED / a), mirrored=True))
            for side in "ab":
                self.assertAlmostEqual(sum(row["exclusive_" + side] for row in there), there[0][side], delta=1e-9)


if __name__ == "__main__":
    unittest.main()
