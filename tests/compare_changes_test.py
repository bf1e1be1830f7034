#!/usr/bin/env python3
"""What `compare` says of changes that lie in no single kernel: lower clocks, slower calls, a late rank, another number of ranks or
steps, a few slow iterations; and what it does not say where nothing changed. Programs of the machine (oracle/machine.py).

Environment: CGPU (the binary).
"""
import os
import random
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import machine, tool  # noqa: E402
from oracle.comparison import check_books, compared, figures, words, write_sides  # noqa: E402
from oracle.programs import NORM, STEPS, launch, model, ops_program  # noqa: E402
from simulated_jobs.cases import CASES  # noqa: E402

SOFTMAX = "softmax_warp_forward"


def setUpModule():
    tool.must_exist()


class Compared:
    """Two programs, of as many ranks or of (A, B): what `compare` and `check` say of them."""

    def __init__(self, a, b, ranks=1):
        ranks = ranks if isinstance(ranks, tuple) else (ranks, ranks)
        with tempfile.TemporaryDirectory() as folder:
            paths = write_sides(folder, [machine.run(program, count) for program, count in zip((a, b), ranks)])
            self.words, self.tables = words(*paths), compared(*paths)
            self.gate = tool.run(["check", "--baseline", paths[0], "--candidate", paths[1], "--tolerance", "3%"])
            self.first_rank = compared(*(os.path.join(path, "rank0.json") for path in paths))
        self.headline = self.words.split("\n")[0]
        self.figures = figures(self.tables)

    def line_of(self, name):
        """What the words say of a cause."""
        (line,) = [line for line in self.words.split("\n") if re.match(r" +[-+]\d", line) and name in line]
        return line


class Ranks(unittest.TestCase):
    def test_a_late_one_is_named_however_many_steps_there_are(self):
        for steps in (STEPS, STEPS + 5):
            pair = Compared(model(comm=400), model(comm=400, slow_rank=1, steps=steps), ranks=2)
            self.assertIn(", on rank 1", pair.line_of("aten::linear"))
            check_books(self, pair.tables)

    @staticmethod
    def overlapping(late, jitter=None, steps=STEPS):
        """Collectives beside the products of the next layer; rank 1 comes `late` us later with each; of chance they take longer,
        on all ranks alike."""
        def run(m):
            rng = random.Random(jitter or 0)
            for step in range(steps):
                with m.step(step):
                    for _ in range(4):
                        launch(m, "aten::mm", machine.GEMM, 300 + (late if m.number == 1 else 0))
                        m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
                        yield m.collective("allreduce", 200 + (rng.randrange(400) if jitter else 0))
                    m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
                    launch(m, "aten::add", machine.ELEMENTWISE, 20)
                    m.synchronize()
        return run

    def test_waiting_beside_other_work_is_not_the_time_of_a_collective(self):
        pair = Compared(self.overlapping(0), self.overlapping(100), ranks=4)
        self.assertGreater(pair.figures["waiting_for_ranks_ns"]["delta"], 50_000)
        for line in pair.words.split("\n"):
            if "AllReduce" in line and "waits for" not in line:
                self.assertNotIn(" each (", line)

    def test_iterations_of_ranks_that_wait_for_each_other_are_one_sample(self):
        pair = Compared(self.overlapping(0, jitter=1), self.overlapping(0, jitter=2), ranks=6)

        def reach(tables):
            time = figures(tables)["time_ns"]
            return time["high"] - time["low"]
        self.assertAlmostEqual(reach(pair.tables) / reach(pair.first_rank), 1, delta=0.05)

    def test_another_number_of_them_is_said(self):
        pair = Compared(model(comm=400), model(comm=400), ranks=(3, 2))
        self.assertIn("Ranks: 3 -> 2; ", pair.words)
        self.assertNotIn("Ranks: ", Compared(model(comm=400), model(comm=400), ranks=2).words)


def decoding(steps, product=20):
    """Steps without marks, each of the same layers again and again."""
    def run(m):
        for _ in range(steps):
            for _ in range(12):
                launch(m, "aten::layer_norm", NORM, 6)
                launch(m, "aten::mm", machine.GEMM, product)
                launch(m, "aten::softmax", SOFTMAX, 8)
                launch(m, "aten::add", machine.ELEMENTWISE, 5)
            launch(m, "aten::argmax", "reduce_kernel", 12)
            m.copy("DtoH", 8, blocks=True)
            m.quiet(200)
        yield from ()
    return run


class Unmarked(unittest.TestCase):
    def test_layers_that_repeat_in_a_step_are_no_iterations(self):
        pair = Compared(decoding(20), decoding(26))
        self.assertIn("an iteration is what repeats on the device, 19 times in A and 25 times in B", pair.words)
        self.assertTrue(pair.headline.endswith(" in both."))
        self.assertEqual(pair.figures["device_ops"]["a"], 4 * 12 + 2)
        self.assertLess(abs(pair.figures["time_ns"]["delta"]), 1000)

    def test_runs_that_do_nothing_else_show_what_is_certain(self):
        pair = Compared(decoding(20), decoding(20, product=30))
        self.assertRegex(pair.headline, r"^An iteration: .* aten::mm \+120\.0 us; certain\.$")
        self.assertEqual(pair.gate.returncode, 1, pair.gate.stdout)
        self.assertIn("step_time", pair.gate.stdout.decode())
        check_books(self, pair.tables)

    def test_what_else_they_do_is_compared_too(self):
        def with_setup(duration):
            def run(m):
                for _ in range(3):
                    launch(m, "aten::embedding", "indexSelectLargeIndex", duration)
                yield from decoding(20)(m)
            return run
        pair = Compared(with_setup(2000), with_setup(3000))
        self.assertRegex(pair.headline, r"^The whole: .*aten::embedding \+3\.00 ms")


class Uniform(unittest.TestCase):
    @staticmethod
    def program(factor=1.0, of_product=1.0, shapes=True):
        def ops(_):
            for name, kernel, duration in (("aten::mm", machine.GEMM, 2000 * of_product), ("aten::softmax", SOFTMAX, 500),
                                           ("aten::layer_norm", NORM, 300), ("aten::add", machine.ELEMENTWISE, 200)):
                yield name, kernel, round(duration * factor), [[512, 512], [512, 512]] if shapes else None
        return ops_program(ops)

    def test_all_kernels_slower_by_one_factor(self):
        said = "100 % of the compute time changed by the same factor (+12.0 %), as with lower clocks of the device"
        self.assertIn(said + ".\n", Compared(self.program(), self.program(1.12)).words)
        self.assertIn(said + " or other inputs, whose shapes are not known.\n",
                      Compared(self.program(shapes=False), self.program(1.12, shapes=False)).words)
        self.assertIn("(-10.0 %), as with higher clocks", Compared(self.program(), self.program(0.9)).words)

    def test_one_kernel_or_more_work_is_none(self):
        for a, b in ((self.program(), self.program(of_product=1.3)), (self.program(), self.program()),
                     (model(), model(batch=2))):
            self.assertNotIn("by the same factor", Compared(a, b).words)


class Calls(unittest.TestCase):
    @staticmethod
    def program(takes, kernel):
        def run(m):
            for step in range(STEPS):
                with m.step(step):
                    for _ in range(40):
                        with m.within("aten::relu"):
                            m.quiet(2)
                            m.launch(machine.ELEMENTWISE, kernel, takes=takes)
                    m.synchronize()
            yield from ()
        return run

    def test_launches_that_take_longer(self):
        pair = Compared(self.program(5, 4), self.program(12, 4))
        self.assertIn("A call of cudaLaunchKernel: 5.00 us -> 12.0 us (median), 40 an iteration.\n", pair.words)

    def test_not_where_the_device_has_work_meanwhile(self):
        self.assertNotIn("A call of", Compared(self.program(5, 60), self.program(12, 60)).words)


class SlowIterations(unittest.TestCase):
    @staticmethod
    def program(steps, late=lambda step: 0, more=1):
        def run(m):
            for step in range(steps):
                with m.step(step):
                    m.host("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 100 + late(step), "user_annotation")
                    for number in range(10):
                        launch(m, "aten::mm", machine.GEMM, (150 + (step * 7 + number) % 5) * more)
                    m.synchronize()
            yield from ()
        return run

    def test_a_few_slow_ones_of_one_side_are_said_in_the_headline(self):
        slow = lambda step: 2000 if step % 4 == 3 else 0  # noqa: E731
        for a, b, said in ((self.program(10), self.program(13, slow), "3 of 13 iterations of B take far longer"),
                           (self.program(13, slow), self.program(10), "3 of 13 iterations of A take far longer")):
            self.assertTrue(Compared(a, b).headline.endswith("; not certain: %s." % said))
        self.assertTrue(Compared(self.program(13, slow), self.program(13, slow)).headline.endswith(" in both."))

    def test_a_finding_that_only_has_a_smaller_share_is_not_gone(self):
        self.assertNotIn("data_loading (gone)", Compared(self.program(10), self.program(10, more=3)).words)
        self.assertIn("data_loading (gone)", Compared(self.program(10, lambda step: 300), self.program(10, lambda step: -70)).words)


class Work(unittest.TestCase):
    def test_the_time_per_flop_is_of_work_that_differs_in_amount_alone(self):
        """One op that is less efficient than the other grows, and nothing runs slower."""
        def program(rows):
            def ops(_):
                yield "aten::mm", machine.GEMM, 400, [[4096, 1024], [1024, 2048]]
                yield "aten::bmm", machine.GEMM, 400 * rows // 1024, [[1, rows, 512], [1, 512, 512]]
            return ops_program(ops)
        text = Compared(program(1024), program(4096)).words
        self.assertIn("More work was done in what both do", text)
        self.assertNotIn("The compute time per FLOP", text)


class Noise(unittest.TestCase):
    @staticmethod
    def program(seed):
        rng = random.Random(seed)
        names = ["aten::op_%s" % chr(97 + number) for number in range(24)]
        return ops_program(lambda step: [(name, machine.ELEMENTWISE, max(1, round(rng.gauss(100, 12))), None)
                                         for name in names], steps=10)

    def test_of_many_causes_hardly_any_is_said_to_be_certain_by_chance(self):
        """24 ops that vary by 12 %: of 240 one in twenty would pass a test of its own."""
        certain = 0
        for seed in range(10):
            pair = Compared(self.program(2 * seed), self.program(2 * seed + 1))
            certain += sum(1 for cause in pair.tables["compare_causes"] if cause["certain"] == 1 and abs(cause["delta_ns"]) > 2000)
        self.assertLessEqual(certain, 2)



class Simulated(unittest.TestCase):
    """Programs of simulated_jobs with and without their cause."""

    def words_of(self, case):
        with tempfile.TemporaryDirectory() as folder:
            sides = [os.path.join(folder, name) for name in ("a", "b")]
            for planted, side in enumerate(sides):
                os.mkdir(side)
                CASES[case].simulate(planted == 1).write(side)
            return words(*sides)

    def test_a_slow_device_is_named_by_its_rank(self):
        text = self.words_of("a slow device of four")
        rank = re.search(r": waiting for rank (\d) \+", text.split("\n")[0]).group(1)
        self.assertIn("100 %% of the compute time of rank %s changed by the same factor (+48.5 %%), as with lower clocks of its "
                      "device" % rank, text)
        self.assertIn(" waits for rank %s\n" % rank, text)
        self.assertIn("each (+12.1 %), on rank " + rank, text)

    def test_what_makes_a_certain_change_is_named_where_few_iterations_have_it(self):
        for case, cause in (("recompilation for new shapes", "compilation"), ("a checkpoint every fifth step", "io")):
            with self.subTest(case):
                headline, rest = self.words_of(case).split("\n", 1)
                self.assertRegex(headline, r"\): idle \(%s\) \+[0-9.]+ ms; certain\.$" % cause)
                self.assertRegex(rest, r"What explains it[^\n]*\n *\+[^\n]* idle, %s, most of it in " % cause)

    def test_an_op_in_other_pieces_is_no_change_where_they_take_as_long(self):
        for case, work, cause in (
                ("an optimizer that launches a kernel for each parameter", "aten::addcdiv_", "launch_overhead"),
                ("C++: a graph is instantiated in each iteration", "update_state", "host_code")):
            with self.subTest(case):
                text = self.words_of(case)
                self.assertNotIn(work, text)
                self.assertRegex(text, r"\): idle \(%s\) \+[0-9.]+ us; certain\.\n" % cause)


class List(unittest.TestCase):
    def test_what_the_headline_names_is_in_it(self):
        def program(factor):
            def ops(_):
                yield "aten::mm", machine.GEMM, 60000, None
                for number in range(6):
                    yield "aten::op_%s" % chr(97 + number), machine.ELEMENTWISE, round(1000 * factor), None
            return ops_program(ops)
        pair = Compared(program(1), program(1.2))
        for name in re.findall(r"(aten::\w+) \+", pair.headline):
            self.assertIn("+200.0 us", pair.line_of(name))


if __name__ == "__main__":
    unittest.main()
