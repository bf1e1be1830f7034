#!/usr/bin/env python3
"""What `findings` says of copies between host and device, and of kernels of few blocks, on runs of a simulated machine
(oracle/machine.py), which also runs them without the fault.

Environment: CGPU (the binary).
"""
import os
import sys
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import machine, tool  # noqa: E402
from oracle.diagnosis import alarms, by_rule, findings  # noqa: E402

STEPS = 6
LINK = 63  # GB/s, of the simulated H100
WAITS_FOR_COPIES = {"exposed_copies", "small_copies", "pageable_copies", "blocking_copies"}


def setUpModule():
    tool.must_exist()


def steps(step, count=STEPS):
    def program(m):
        for number in range(count):
            with m.step(number):
                step(m)
    return program


def of(program):
    return findings(machine.run(program))


def copies_in(rows):
    return [row for row in rows if row["rule"] in WAITS_FOR_COPIES]


def saved(program, without):
    """ns that the program without the fault takes less."""
    return 1000 * (machine.measured(machine.run(program)) - machine.measured(machine.run(without)))


class Link(unittest.TestCase):
    def copying(self, rate):
        """9 ms of copies at this rate (GB/s) and 0.1 ms of products a step."""
        def step(m):
            m.copy("HtoD", 9000 * machine.PINNED)
            m.launch(machine.GEMM, 100)
            m.synchronize(machine.MAIN_STREAM)
        with mock.patch.object(machine, "PINNED", 1000 * rate):
            return copies_in(of(steps(step)))[0]

    def test_a_copy_is_at_most_as_fast_as_its_link(self):
        for rate in (10, 25, 40):
            found = self.copying(rate)
            self.assertEqual((found["rule"], found["severity"]), ("exposed_copies", "critical"), rate)
            self.assertAlmostEqual(found["recoverable_ns"] / (STEPS * 9e6), 1 - rate / LINK, delta=0.01)
            self.assertIn("of the rate of the link", found["evidence"])

    def test_a_full_link_is_the_bound(self):
        for rate in (46, 55):
            found = self.copying(rate)
            self.assertEqual((found["rule"], found["severity"], found["recoverable_ns"]), ("exposed_copies", "info", None), rate)
            self.assertIn("the link between host and device bounds it", found["title"])
            self.assertIn("fewer bytes", found["suggestion"])

    def test_a_link_that_is_not_known_is_said(self):
        def step(m):
            m.copy("HtoD", 9000 * machine.PINNED)
            m.launch(machine.GEMM, 100)
            m.synchronize(machine.MAIN_STREAM)
        found = copies_in(findings(machine.run(steps(step)), device="Unheard 9000"))[0]
        self.assertEqual((found["severity"], found["confidence"]), ("critical", "low"))
        self.assertAlmostEqual(found["recoverable_ns"] / (STEPS * 9e6), 0.5, delta=0.01)
        self.assertIn("the rate of the link is not known", found["evidence"])


class Kinds(unittest.TestCase):
    def test_the_copies_that_cost_name_the_kind(self):
        """A read of 64 bytes that blocks in each of 300 short iterations, and one large copy of pageable memory before."""
        def program(m):
            m.copy("HtoD", 1 << 20, pinned=False)
            for _ in range(300):
                m.launch("a(int)", 20)
                m.launch("b(int)", 25)
                m.copy("DtoH", 64, blocks=True)
        found = copies_in(of(program))[0]
        self.assertEqual(found["rule"], "blocking_copies")
        self.assertIn("waits for values of the device: ", found["title"])
        self.assertIn("copies of 64 B", found["title"])
        self.assertIn("DtoH of pinned memory, 64 B each", found["evidence"])
        self.assertNotIn("page-locked", found["suggestion"])

    def test_values_that_are_read_one_by_one_cannot_be_packed(self):
        def reading(count, pinned):
            def program(m):
                for _ in range(200):
                    m.launch("a(int)", 20)
                    m.launch("b(int)", 25)
                    for _ in range(count):
                        m.copy("DtoH", 8, pinned=pinned, blocks=True)
            return copies_in(of(program))[0]["rule"]
        for pinned in (True, False):
            self.assertEqual(reading(1, pinned), "blocking_copies", pinned)
            self.assertEqual(reading(6, pinned), "small_copies", pinned)

    def test_values_that_another_call_waits_for(self):
        """As item() reads them since PyTorch 2.5: a copy into page-locked memory, and a wait for the stream."""
        def step(reads):
            def run(m):
                for _ in range(30):
                    m.launch(machine.GEMM, 20)
                    if reads:
                        with m.within("aten::item"):
                            m.copy("DtoH", 4)
                            m.synchronize(machine.MAIN_STREAM)
                m.synchronize()
            return run
        found, = alarms(of(steps(step(True), 20)))
        self.assertEqual(found["rule"], "synchronization")
        truth = saved(steps(step(True), 20), steps(step(False), 20))
        self.assertAlmostEqual(found["recoverable_ns"] / truth, 1, delta=0.1)

    def test_memory_whose_kind_is_not_recorded(self):
        """A call that returns after its copy has waited for it, whatever it is called."""
        def step(m):
            m.copy("HtoD", 800 * machine.PAGEABLE, pinned=False)
            m.events[-1]["name"] = "Memcpy HtoD"
            m.launch(machine.GEMM, 1500)
        first = alarms(of(steps(step, 20)))[0]
        self.assertEqual(first["rule"], "exposed_copies")
        self.assertAlmostEqual(first["recoverable_ns"], 20 * 0.8e6, delta=20 * 0.02e6)

    def test_copies_of_both_directions_can_hide_each_other(self):
        """Copies take 60 % of each step, those of one direction 30 %: beside kernels of 40 % all of them can be hidden."""
        def step(m):
            m.launch(machine.GEMM, 4000)
            m.copy("DtoH", 3000 * machine.PINNED)
            m.copy("HtoD", 3000 * machine.PINNED)
            m.synchronize(machine.MAIN_STREAM)
        row = by_rule(of(steps(step, 20)))["exposed_copies"]
        self.assertAlmostEqual(row["recoverable_pct"], 60, delta=1)

    def test_copies_beside_a_host_that_reads_files(self):
        """2 ms of kernels, 0.7 ms of a pageable copy, then 1.5 ms of reading: both causes are said, each with its time."""
        def step(copies=True, reads=True):
            def run(m):
                m.launch(machine.GEMM, 2000)
                if copies:
                    m.copy("HtoD", 700 * machine.PAGEABLE, pinned=False)
                if reads:
                    with m.within("model.py(9): load", "python_function"):
                        m.host("<built-in method read of _io.FileIO object at 0x7f>", 1500)
            return run
        rows = by_rule(alarms(of(steps(step(), 20))))
        self.assertIn("pageable_copies", rows)
        truth = saved(steps(step(), 20), steps(step(copies=False), 20))
        self.assertAlmostEqual(rows["pageable_copies"]["recoverable_ns"], 20 * 0.7e6, delta=20 * 0.1e6)
        self.assertLessEqual(rows["pageable_copies"]["recoverable_low_ns"], truth)

    def test_pageable_copies_do_not_claim_the_wait_for_kernels(self):
        """Each copy waits for 2 ms of kernels before it; after it the host prepares the next for 1.5 ms."""
        def step(m):
            m.launch(machine.GEMM, 2000)
            m.copy("DtoH", 1200 * machine.PAGEABLE, pinned=False)
            m.host("model.py(3): prepare", 900)
        rows = by_rule(of(steps(step, 20)))
        self.assertLessEqual(rows["pageable_copies"]["recoverable_high_ns"], 20 * 1.25e6)

    def test_what_page_locked_memory_saves_at_least(self):
        """The same copies of page-locked memory in the same stream save between the two amounts that are said."""
        def step(pinned):
            def run(m):
                m.launch(machine.GEMM, 1000)
                m.copy("DtoH", 800 * machine.PAGEABLE, pinned=pinned)
                m.synchronize()
            return run
        row = by_rule(of(steps(step(False), 20)))["pageable_copies"]
        truth = saved(steps(step(False), 20), steps(step(True), 20))
        self.assertLessEqual(0.8 * row["recoverable_low_ns"], truth)
        self.assertGreaterEqual(1.05 * row["recoverable_high_ns"], truth)
        self.assertLess(row["recoverable_low_ns"], row["recoverable_high_ns"])

    def test_the_gap_before_a_small_copy_goes_with_it(self):
        def step(count):
            def run(m):
                for _ in range(4):
                    for _ in range(count):
                        m.copy("HtoD", 256)
                    m.launch(machine.GEMM, 90)
                    m.launch(machine.GEMM, 90)
                m.synchronize()
            return run
        row = by_rule(of(steps(step(6), 20)))["small_copies"]
        truth = saved(steps(step(6), 20), steps(step(0), 20))
        self.assertAlmostEqual(row["recoverable_ns"] / truth, 1, delta=0.1)


class FewBlocks(unittest.TestCase):
    def running(self, streams, blocks, ordered=False, name="simulate(float*)"):
        """40 kernels of 100 us on so many streams."""
        def program(m):
            for number in range(40):
                stream = 30 + number % streams
                if ordered and number > 0:
                    m.order(stream, 30 + (number - 1) % streams)
                m.launch(name, 100, stream=stream, blocks=blocks)
            m.synchronize()
        return by_rule(of(program)).get("low_occupancy")

    def test_kernels_that_fill_the_device_together(self):
        self.assertIsNone(self.running(4, 33))
        alone = self.running(1, 33)
        self.assertEqual((alone["severity"], alone["confidence"]), ("warning", "low"))
        self.assertIn("25.00% of the multiprocessors", alone["evidence"])
        two = self.running(2, 16)  # a quarter together
        self.assertAlmostEqual(two["recoverable_pct"], 75, delta=5)

    def test_what_orders_kernels_of_several_streams(self):
        found = self.running(4, 33, ordered=True)
        self.assertIn("Look for what orders kernels", found["suggestion"])
        self.assertIn("began only after it", found["evidence"])
        self.assertNotIn("Look for what orders", self.running(1, 33)["suggestion"])

    def test_advice_is_for_the_kind_of_kernel(self):
        self.assertNotIn("split-K", self.running(1, 33)["suggestion"])
        self.assertIn("split-K", self.running(1, 33, name=machine.GEMM)["suggestion"])


if __name__ == "__main__":
    unittest.main()
