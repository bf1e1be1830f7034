#!/usr/bin/env python3
"""`cgpu scale`: runs of a simulated machine (oracle/machine.py) whose ops take a planted law of the size, against the planted
laws and against a second computation of every law, interval and choice; a program whose work is counted; Caliper's series of
LULESH in the corpus.

Environment: CGPU (the binary).
"""
import json
import math
import os
import random
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import docs, machine, tool  # noqa: E402

DOCS = os.path.join(tool.ROOT, "docs", "scaling.md")
MARKS = ("<!-- built: written by tests/scale_test.py --write-docs -->\n", "<!-- end of built -->\n")

USAGE = 2
SIZES = [2, 4, 8, 16, 32, 64]
# name of the op, its time in us, its term as the program writes it
PLANTED = {
    "constant": (lambda p: 4000, "1"),
    "log": (lambda p: 2000 + 900 * math.log2(p), "log2(p)"),
    "linear": (lambda p: 1500 + 120 * p, "p"),
    "n_log_n": (lambda p: 1800 + 25 * p * math.log2(p), "p log2(p)"),
    "quadratic": (lambda p: 1200 + 3 * p * p, "p^2"),
}
STEPS = 6


def program(size, noise=0.0, seed=1):
    """Steps in which each op takes what its law says, on a run that is slower or faster as a whole by its noise."""
    def run(m):
        rng = random.Random(seed * 1000 + size)
        took = {name: max(1, round(law(size) * (1 + noise * rng.gauss(0, 1)))) for name, (law, _) in PLANTED.items()}
        for step in range(STEPS):
            with m.step(step):
                for name, duration in took.items():
                    with m.within("op::" + name):
                        m.host("prepare", 3)
                        m.launch(name + "_kernel", duration)
                m.synchronize()
        return ()
    return run


def distributed(noise, seed):
    """A step of compute that stays the same and of an all-reduce that takes longer on more ranks."""
    def run(m):
        rng = random.Random(seed * 100 + m.ranks)
        compute, reduce = (round(us * (1 + noise * rng.gauss(0, 1))) for us in (20000, 3000 * math.sqrt(m.ranks)))
        for step in range(STEPS):
            with m.step(step):
                with m.within("aten::mm"):
                    m.host("prepare", 3)
                    m.launch(machine.GEMM, compute)
                m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
                with m.within("c10d::allreduce_"):
                    m.host("prepare", 3)
                    work = m.collective("allreduce", reduce)
                yield work
                m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
                m.synchronize()
    return run


def runs_on_ranks(folder, sizes, noise=0.01, seed=1):
    runs = []
    for size in sizes:
        runs.append(os.path.join(folder, "r%d" % size))
        os.mkdir(runs[-1])
        machine.write(machine.run(distributed(noise, seed), size), runs[-1])
    return runs


def with_example(text):
    """The page with what the program says of the example."""
    sizes = [2, 4, 8, 16]
    with tempfile.TemporaryDirectory() as folder:
        lines = words(runs_on_ranks(folder, sizes))
    shown = "\n".join(["```", "$ cgpu scale %s" % " ".join("runs/r%d" % size for size in sizes), *lines, "```", ""])
    return docs.with_part(text, *MARKS, shown)


def scaled(runs, *options):
    done = tool.run(["scale", *runs, "--format", "json", *options])
    assert done.returncode == 0, done.stderr.decode()
    return tool.rows_of(json.loads(done.stdout))


def words(runs, *options):
    done = tool.run(["scale", *runs, *options])
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


def by_name(rows):
    return {row["name"]: row for row in rows}


# The second computation: of means of one run a size.

TERMS = [(a, b) for a in (0, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 1, 3 / 2, 2, 5 / 2, 3) for b in (0, 1, 2)] + \
        [(-a, 0) for a in (1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 1)]


def t_quantile(freedom):
    """The 97.5 % quantile of Student's t, by Simpson's rule over the density and bisection."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)

    def share(t, steps=4000):
        density = [scale * (1 + (t * i / steps) ** 2 / freedom) ** (-(freedom + 1) / 2) for i in range(steps + 1)]
        return 0.5 + t / steps / 3 * (density[0] + density[-1] + 4 * sum(density[1:-1:2]) + 2 * sum(density[2:-1:2]))
    low, high = 1.0, 15.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if share(middle) < 0.975 else (low, middle)
    return low


def solve(points, weights):
    """c0, c1 and the inverse of the normal matrix of y = c0 + c1 x."""
    s0 = sum(weights)
    s1 = sum(w * x for w, (x, _) in zip(weights, points))
    s2 = sum(w * x * x for w, (x, _) in zip(weights, points))
    y0 = sum(w * y for w, (_, y) in zip(weights, points))
    y1 = sum(w * x * y for w, (x, y) in zip(weights, points))
    if len({x for x, _ in points}) == 1:
        return y0 / s0, 0.0, ((1 / s0, 0), (0, 0))
    det = s0 * s2 - s1 * s1
    inverse = ((s2 / det, -s1 / det), (-s1 / det, s0 / det))
    return inverse[0][0] * y0 + inverse[0][1] * y1, inverse[1][0] * y0 + inverse[1][1] * y1, inverse


class Law:
    def __init__(self, term, sizes, values):
        self.term = term
        self.points = [(self.x(size), value) for size, value in zip(sizes, values)]
        weights = [1 / (value * value) for value in values]
        for _ in range(60):
            self.c0, self.c1, self.inverse = solve(self.points, weights)
            fitted = [self.c0 + self.c1 * x for x, _ in self.points]
            if min(fitted) <= 0:
                break
            weights = [1 / (value * value) for value in fitted]
        grows = term[0] > 0 or term[1] > 0
        adds = abs(self.c1 * (self.points[-1][0] - self.points[0][0])) >= 5e-4 * max(fitted) or term == (0, 0)
        self.possible = min(fitted) > 0 and (self.c1 > 0 or not grows) and adds
        if self.possible:
            self.squares = sum(math.log(y / f) ** 2 for (_, y), f in zip(self.points, fitted))

    def x(self, size):
        return 0.0 if self.term == (0, 0) else size ** self.term[0] * math.log2(size) ** self.term[1]

    def value(self, size):
        return self.c0 + self.c1 * self.x(size)

    def half(self, size):
        x, m = self.x(size), self.inverse
        return math.sqrt(m[0][0] + 2 * x * m[0][1] + x * x * m[1][1])


class Laws:
    """All laws of one figure."""

    def __init__(self, sizes, values):
        laws = [law for law in (Law(term, sizes, values) for term in TERMS) if law.possible]
        least = min(law.squares for law in laws)
        freedom = len(sizes) - 2
        self.noise = math.sqrt(least / freedom)
        if self.noise < 0.01:
            self.noise, freedom = 0.01, max(freedom, 4)
        region = freedom / 2 * (0.05 ** (-2 / freedom) - 1)  # F(2, freedom) at 95 %
        self.left = [law for law in laws if law.squares <= least + 2 * region * self.noise ** 2]
        self.t = t_quantile(freedom)

    def interval(self, size):
        return (max(0, min(law.value(size) - self.t * self.noise * law.half(size) for law in self.left)),
                max(law.value(size) + self.t * self.noise * law.half(size) for law in self.left))


class Scale(unittest.TestCase):
    def setUp(self):
        tool.must_exist()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def series(self, sizes=SIZES, noise=0.0, repetitions=1):
        """SIZE=RUN of planted laws."""
        runs = []
        for size in sizes:
            for seed in range(repetitions):
                path = os.path.join(self.folder, "run%d_%d_%g" % (size, seed, noise))
                os.mkdir(path)
                machine.write(machine.run(program(size, noise, seed)), path)
                runs.append("%d=%s" % (size, path))
        return runs

    def ranks(self, sizes):
        return runs_on_ranks(self.folder, sizes)

    def refused(self, *arguments):
        done = tool.run(["scale", *arguments])
        self.assertEqual(done.returncode, USAGE, done.stdout.decode())
        self.assertEqual(len(done.stderr.decode().splitlines()), 1)
        return done.stderr.decode().strip()

    def test_planted_laws_without_noise_are_found_exactly(self):
        rows = by_name(scaled(self.series(), "--at", "256")["scale"])
        for name, (law, term) in PLANTED.items():
            row = rows["op::" + name]
            self.assertEqual(row["term"], term, name)
            self.assertEqual(row["verdict"], "constant within noise" if term == "1" else "grows", name)
            # The machine rounds durations to us.
            self.assertAlmostEqual(row["predicted"] / (1000 * law(256)), 1, delta=1e-3, msg=name)
            self.assertAlmostEqual(row["last"], 1000 * round(law(64)), msg=name)
            self.assertAlmostEqual(row["held_out_error_pct"], 0, delta=0.2, msg=name)
        growing = [row["name"] for row in scaled(self.series(noise=1e-9), "--by", "op")["scale"] if row["kind"] == "op"]
        self.assertEqual(growing, ["op::" + name for name in ("quadratic", "n_log_n", "linear", "log", "constant")])

    def test_planted_laws_with_noise_lie_in_their_intervals(self):
        tables = scaled(self.series(noise=0.03, repetitions=4))
        rows = by_name(tables["scale"])
        held_out = 0
        for name, (law, term) in PLANTED.items():
            row = rows["op::" + name]
            self.assertTrue(row["low"] <= 1000 * law(128) <= row["high"], (name, row, law(128)))
            held_out += row["held_out_low"] <= row["held_out"] <= row["held_out_high"]
            self.assertEqual(row["verdict"], "constant within noise" if term == "1" else "grows", name)
            self.assertEqual((row["sizes"], row["at"], row["held_out_size"]), (6, 128, 64))
            self.assertTrue(1 <= row["noise_pct"] < 6, row["noise_pct"])
        self.assertGreaterEqual(held_out, 4, "of five intervals of 95 %")
        of_sizes = [row for row in tables["scale_sizes"] if row["name"] == "op::linear"]
        self.assertEqual([(row["size"], row["runs"]) for row in of_sizes], [(size, 4) for size in SIZES] + [(128, 0)])
        self.assertEqual(len(tables["scale_runs"]), 24)

    def test_every_law_and_interval_computed_again(self):
        tables = scaled(self.series(noise=0.04), "--at", "200", "--by", "op")
        checked = 0
        for row in tables["scale"]:
            at_sizes = [one for one in tables["scale_sizes"] if (one["kind"], one["name"]) == (row["kind"], row["name"])]
            sizes = [one["size"] for one in at_sizes if one["runs"]]
            values = [one["measured"] for one in at_sizes if one["runs"]]
            if not row["verdict"]:
                self.assertLess(sum(value > 0 for value in values), 3)
                continue
            laws = Laws(sizes, values)
            (law,) = [one for one in laws.left if abs(one.term[0] - row["exponent"]) < 1e-12 and one.term[1] == row["log_exponent"]]
            scale = max(values)
            self.assertAlmostEqual(row["constant"] / scale, law.c0 / scale, 6)
            self.assertAlmostEqual(row["coefficient"] * law.x(200) / scale, law.c1 * law.x(200) / scale, 5)
            self.assertAlmostEqual(row["noise_pct"], 100 * laws.noise, 6)
            for one in at_sizes:
                low, high = laws.interval(one["size"])
                self.assertAlmostEqual(one["predicted"] / scale, law.value(one["size"]) / scale, 5)
                self.assertAlmostEqual(one["low"] / scale, low / scale, 4, (row["name"], one))
                self.assertAlmostEqual(one["high"] / high, 1, 4, (row["name"], one))
            held = Laws(sizes[:-1], values[:-1])
            self.assertIn(True, [abs(one.value(64) - row["held_out_predicted"]) < 1e-5 * scale for one in held.left])
            self.assertAlmostEqual(row["held_out"], values[-1])
            if any(one.term == (0, 0) for one in laws.left):
                self.assertEqual(row["verdict"], "constant within noise", row["name"])
            checked += 1
        self.assertGreaterEqual(checked, 8)

    def test_numbers_of_ranks_are_the_sizes(self):
        runs = self.ranks([2, 4, 8, 16])
        tables = scaled(runs)
        rows = by_name(tables["scale"])
        self.assertEqual([row["size"] for row in tables["scale_runs"]], [2, 4, 8, 16])
        self.assertEqual([row["input"] for row in tables["scale_runs"]], runs)
        reduce = rows["c10d::allreduce_"]
        self.assertEqual(reduce["verdict"], "grows")
        self.assertTrue(reduce["low"] <= 3e6 * math.sqrt(32) <= reduce["high"], reduce)
        self.assertEqual(rows["aten::mm"]["verdict"], "constant within noise")
        self.assertGreater(reduce["share_pct"], 90)
        first = words(runs)[0]
        self.assertRegex(first, r"^Step time 24\.\d ms -> 3\d\.\d ms from 2 to 16 ranks: c10d::allreduce_ grows as p\^\S+, (\d+ % of the growth|\d\.\d+ ms more); "
                                r"at 32 ranks \d+\.\d ms \(\d+\.\d ms to \d+\.\d ms\)$")
        self.assertEqual(scaled(runs[::-1])["scale"], tables["scale"], "the order of the runs does not matter")

    def test_the_page_has_what_comes_out(self):
        with open(DOCS, encoding="utf-8") as handle:
            text = handle.read()
        self.assertEqual(with_example(text), text, "tests/scale_test.py --write-docs writes it anew")

    def test_summaries_say_the_same(self):
        runs = self.ranks([2, 4, 8])
        kept = []
        for run in runs:
            kept.append(run + ".cgpu")
            self.assertEqual(tool.run(["summarize", run, "-o", kept[-1]]).returncode, 0)
        self.assertEqual(scaled(runs)["scale"], scaled(kept)["scale"])

    def test_sizes_in_each_way(self):
        runs = self.series([2, 4, 8])
        paths = [run.split("=", 1)[1] for run in runs]
        expected = scaled(runs)
        self.assertEqual(scaled(paths, "--sizes", "2,4,8"), expected)
        self.assertEqual([row["input"] for row in expected["scale_runs"]], paths)
        for line in words(paths, "--sizes", "2,4,8", "--parameter", "batch")[:1]:
            self.assertIn(" from batch 2 to 8: ", line)
            self.assertIn("; at batch 16 ", line)
        both = ["2=" + os.path.join(self.folder, "run2_*"), *runs[1:]]
        self.assertEqual([row["size"] for row in scaled(both)["scale_runs"]], [2, 4, 8])
        self.assertIn("--sizes has 2 sizes for 3 runs", self.refused(*paths, "--sizes", "2,4"))
        self.assertIn("'x' is no number", self.refused(*paths, "--sizes", "2,4,x"))
        self.assertIn("give the sizes of all runs in one way", self.refused(*runs[:2], paths[2]))
        self.assertIn("all 3 runs are of 1 rank: give runs of at least three sizes, or say what their sizes are: --sizes",
                      self.refused(*paths))
        self.assertIn("does not say what its mesh is; it says ", self.refused(*paths, "--parameter", "mesh"))
        self.assertIn("its format is 'kineto', which is no number", self.refused(*paths, "--parameter", "format"))

    def test_guard_rails(self):
        runs = self.series([2, 4])
        self.assertIn("two sizes (2 and 4), and any law goes through two points", self.refused(*runs))
        self.assertIn("give runs of at least three sizes", self.refused())
        runs += self.series([8, 16])
        self.assertIn("--leave-out 5: no run is of that size; there are 2, 4, 8, 16", self.refused(*runs, "--leave-out", "5"))
        self.assertIn("without that size there are two", self.refused(*runs[:3], "--leave-out", "4"))
        self.assertEqual({row["held_out_size"] for row in scaled(runs, "--leave-out", "4")["scale"]}, {4})
        self.assertEqual({row["extrapolation"] for row in scaled(runs, "--at", "64")["scale"]}, {None})
        self.assertEqual({row["extrapolation"] for row in scaled(runs, "--at", "65")["scale"]}, {"far"})
        self.assertTrue(any(line.startswith("Extrapolated far: size 65 is more than 4 times the largest size") for line in words(runs, "--at", "65")))
        for at in ("0.5", "nan", "inf", "1e300"):
            self.assertIn("is no size: sizes are numbers from 1 to", self.refused(*runs, "--at", at))
        self.assertIn("--at: 'x' is no number", self.refused(*runs, "--at", "x"))
        self.assertIn("--by layer: the runs have none", self.refused(*runs, "--by", "layer"))
        self.assertIn("--per-rank: the sizes are of size, not of ranks", self.refused(*runs, "--per-rank"))
        self.assertIn("there is no table x; there are scale, scale_sizes, scale_runs", self.refused(*runs, "--table", "x"))
        self.assertIn("--where and --sort are of one table", self.refused(*runs, "--where", "share_pct > 5"))
        self.assertIn("no such file", self.refused(*runs[:2], "8=nothing.json").lower())
        self.assertIn("0 is no size: sizes are numbers from 1 to 1e+12", self.refused(*runs[:2], "0=" + runs[2].split("=")[1]))

    def test_tables_as_all_others(self):
        runs = self.series([2, 4, 8, 16])
        rows = scaled(runs, "--table", "scale", "--where", "kind = op and verdict = grows", "--sort", "-growth", "--top", "2")
        self.assertEqual(list(rows), ["scale"])
        self.assertEqual([row["name"] for row in rows["scale"]], ["op::log", "op::linear"])
        csv = tool.run(["scale", *runs, "--table", "sizes", "--format", "csv"]).stdout.decode().splitlines()
        self.assertEqual(csv[0], "kind,name,size,runs,unit,measured,predicted,low,high,error_pct")
        page = os.path.join(self.folder, "scale.html")
        self.assertEqual(tool.run(["scale", *runs, "-o", page]).returncode, 0)
        self.assertIn("op::quadratic", tool.read(page).decode())
        markdown = tool.run(["scale", *runs, "--format", "md"]).stdout.decode()
        self.assertTrue(markdown.startswith("# How it scales\n"), markdown[:80])
        for kind in ("op", "kernel", "class"):
            self.assertIn(kind, {row["kind"] for row in scaled(runs, "--by", kind)["scale"]})
        listed = json.loads(tool.run(["scale", "--list", "--format", "json"]).stdout)
        self.assertEqual({row[0] for row in listed["tables"]["tables"]["rows"]}, {"scale", "scale_sizes", "scale_runs"})

    def test_a_program_whose_work_is_counted(self):
        """A merge sort and a search for pairs that really run; what they do is counted, at random inputs."""
        runs = []
        for size in (32, 64, 128, 256, 512):
            rng = random.Random(size)
            values = [rng.random() for _ in range(size)]
            compared = [0]

            def merge_sort(part):
                if len(part) < 2:
                    return part
                a, b = merge_sort(part[:len(part) // 2]), merge_sort(part[len(part) // 2:])
                merged = []
                while a and b:
                    compared[0] += 1
                    merged.append((a if a[0] < b[0] else b).pop(0))
                return merged + a + b
            self.assertEqual(merge_sort(values), sorted(values))
            pairs = sum(1 for i in range(size) for j in range(i) if values[i] != values[j])
            path = os.path.join(self.folder, "%d.folded" % size)
            with open(path, "w", encoding="utf-8") as handle:
                handle.write("main;sort;merge %d\nmain;all_pairs %d\nmain;read 500\n" % (compared[0], pairs))
            runs.append("%d=%s" % (size, path))
        rows = by_name(scaled(runs, "--at", "1024")["scale"])
        self.assertEqual((rows["all_pairs"]["kind"], rows["all_pairs"]["term"]), ("function", "p^2"))
        self.assertEqual(rows["merge"]["term"], "p log2(p)")
        self.assertEqual(rows["read"]["verdict"], "constant within noise")
        self.assertAlmostEqual(rows["all_pairs"]["predicted"] / (1024 * 1023 / 2), 1, delta=0.02)
        self.assertLessEqual(abs(rows["merge"]["held_out_error_pct"]), 3)
        self.assertIn("all_pairs grows as p^2, ", words(runs)[0])

    def test_lulesh(self):
        """Weak scaling on up to 512 ranks, as Caliper recorded it."""
        folder = tool.shared(os.path.join("corpus", "caliper"))
        runs = [os.path.join(folder, "LLNL_hatchet-tutorial__lulesh-scaling__lulesh-annotation-profile-%d%s.json"
                             % (ranks, "core" if ranks == 1 else "cores")) for ranks in (1, 8, 27, 64, 125, 216, 343, 512)]
        if not all(os.path.isfile(run) for run in runs):
            self.skipTest("no corpus")
        tables = scaled(runs, "--per-rank")
        total = tables["scale"][0]
        self.assertEqual([row["size"] for row in tables["scale_runs"]], [1, 8, 27, 64, 125, 216, 343, 512])
        self.assertEqual((total["kind"], total["verdict"]), ("total", "levels off"))
        self.assertLess(abs(total["held_out_error_pct"]), 1)
        self.assertTrue(total["held_out_low"] <= total["held_out"] <= total["held_out_high"])
        self.assertIn("from 1 to 512 ranks: MPI_Allreduce levels off", words(runs, "--per-rank")[0])
        sums = by_name(scaled(runs)["scale"])
        self.assertEqual(sums["CalcKinematicsForElems"]["term"], "p", "over all ranks, of which each has as much work")
        self.assertTrue(any("--per-rank divides it" in line for line in words(runs)))


if __name__ == "__main__":
    docs.main(DOCS, with_example)
