#!/usr/bin/env python3
"""What `findings` says of kernels that could be one (rules_fusable_kernels.cpp): on runs of a simulated machine
(oracle/machine.py).

Environment: CGPU (the binary).
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import machine, tool  # noqa: E402
from oracle.diagnosis import findings  # noqa: E402

STEPS = 5


def setUpModule():
    tool.must_exist()


def kernel(number):
    return machine.ELEMENTWISE.replace("add", "op%d" % number)


def fusable(*kernels, times=100, before=0, takes=2):
    """The findings `fusable_kernels` of steps of these kernels (name, us), `times` times, each time behind a product of `before` us."""
    def run(m):
        for number in range(STEPS):
            with m.step(number):
                for _ in range(times):
                    if before:
                        m.launch(machine.GEMM, before)
                    for name, duration in kernels:
                        m.launch(name, duration, takes=takes)
                m.synchronize()
    return [row for row in findings(machine.run(run)) if row["rule"] == "fusable_kernels"]


class Fusable(unittest.TestCase):
    def test_short_kernels_of_a_busy_device(self):
        """A chain of five kernels of 8 us and gaps of 1 us: as one kernel it takes 8 us."""
        chain = [(kernel(number), 8) for number in range(5)]
        for before in (0, 30):
            found, = fusable(*chain, before=before, takes=1)
            self.assertEqual(found["severity"], "critical")
            self.assertIn("pass over memory", found["title"])
            self.assertAlmostEqual(found["recoverable_ns"], STEPS * 100 * 4 * 9e3, delta=2e5)
            self.assertIn("2,500 kernels in 500 sequences", found["evidence"])
            self.assertIn("8.00 us each", found["evidence"])

    def test_what_repeats_is_no_longer_sequence(self):
        """An optimizer over 100 tensors saves what one sequence for each tensor saves, not all but one kernel."""
        found, = fusable(*((kernel(number), 30) for number in range(4)))
        self.assertAlmostEqual(found["recoverable_ns"], STEPS * 100 * 3 * 31e3, delta=2e5)

    def test_repetitions_of_one_op_are_nothing_to_fuse(self):
        fill = "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)"
        reduction = "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(float)"
        self.assertEqual(fusable((kernel(1), 30)), [])
        self.assertEqual(fusable((kernel(1), 8)), [])
        self.assertEqual(fusable((fill, 30), (reduction, 30)), [])  # a buffer is cleared before each time

    def test_copies_of_several_tensors_are_no_part_of_a_sequence(self):
        """Weights that are cast before each layer, beside elementwise kernels."""
        cast = "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)>(int)"
        self.assertEqual(fusable((kernel(1), 20), (cast, 60), (cast, 60), (cast, 60), (kernel(2), 20), before=400), [])
        found, = fusable((kernel(1), 60), (cast, 60), (kernel(2), 60), before=100)
        self.assertAlmostEqual(found["recoverable_ns"], STEPS * 100 * 2 * 61e3, delta=2e5)

    def test_a_host_that_is_too_slow_gains_nothing_from_it(self):
        """Launches of 20 us bind the run: kernels of 8 us are hidden behind them."""
        chain = [(kernel(number), 8) for number in range(5)]
        self.assertEqual(fusable(*chain, takes=20), [])

    def test_launching_one_kernel_again_and_again_is_a_benchmark(self):
        def run(several):
            def program(m):
                for number in range(400):
                    m.host("mul", 8)
                    m.launch(kernel(number % 2 if several else 0), 3)
                m.synchronize()
            rows = findings(machine.run(program))
            return {row["rule"]: row for row in rows}["launch_bound"]["suggestion"]
        self.assertNotIn("fused", run(False))
        self.assertIn("again and again", run(False))
        self.assertIn("fused ops", run(True))


if __name__ == "__main__":
    unittest.main()
