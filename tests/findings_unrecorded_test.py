#!/usr/bin/env python3
"""What `findings` says where the profile lacks something: launches, what ops waited for, the device itself, more than a few
launches or one pass; on runs of a simulated machine (oracle/machine.py).

Environment: CGPU (the binary).
"""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import machine, tool  # noqa: E402
from oracle.diagnosis import alarms, findings  # noqa: E402

STEPS = 6


def setUpModule():
    tool.must_exist()


def by_rule(rows):
    return {row["rule"]: row for row in rows}


def without_calls(machines):
    for one in machines:
        one.events = [event for event in one.events if event["cat"] not in ("cuda_runtime", "cuda_sync")]
    return machines


def exchange(m, took, size=1 << 20):
    """Communication between two products, which the second one waits for."""
    m.launch(machine.GEMM, 2000)
    m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
    yield m.collective("allreduce", took, size=size)
    m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
    m.launch(machine.GEMM, 2000)


class Communication(unittest.TestCase):
    @staticmethod
    def program(m):
        for number in range(STEPS):
            with m.step(number):
                yield from exchange(m, 3000)
                m.synchronize()

    def test_that_no_launch_leads_to_is_stated_from_the_books(self):
        """3 of 7 ms: with launches the path leads through it, without them it knows nothing of what waited for it."""
        known = by_rule(findings(machine.run(self.program, 2)))["exposed_communication"]
        self.assertIn("on the critical path", known["evidence"])
        rows = findings(without_calls(machine.run(self.program, 2)))
        row = by_rule(rows)["exposed_communication"]
        self.assertEqual((row["severity"], row["confidence"]), ("warning", "low"))
        self.assertAlmostEqual(row["recoverable_ns"] / (STEPS * 3e6), 1, delta=0.05)
        self.assertIn("what waited for it is not recorded", row["evidence"])
        self.assertRegex(row["title"], "^4[0-9.]+% of the time a device only communicates")

    def test_that_is_hidden_is_no_finding(self):
        def program(m):
            for number in range(STEPS):
                with m.step(number):
                    yield m.collective("allreduce", 3000)
                    m.launch(machine.GEMM, 3200)
                    m.synchronize()
        self.assertNotIn("exposed_communication", by_rule(findings(without_calls(machine.run(program, 2)))))

    def test_one_that_takes_most_of_the_time_of_equal_ones(self):
        """Its average and its rate would say that the link is slow."""
        def program(longest):
            def run(m):
                for number in range(STEPS):
                    with m.step(number):
                        for i in range(4):
                            yield from exchange(m, longest if i == 2 and number == 3 else 2000)
                        m.synchronize()
            return by_rule(findings(machine.run(run, 2)))["exposed_communication"]
        row = program(200_000)
        self.assertIn("one of 24 takes 200.0 ms, half of the others at most 2.00 ms", row["evidence"])
        self.assertNotIn("B/s", row["evidence"])
        self.assertTrue(row["suggestion"].startswith("Look what is different in the long one"))
        row = program(3000)
        self.assertRegex(row["evidence"], "on average, at [0-9.]+ [MG]B/s")

    def test_one_that_takes_far_longer_than_larger_ones(self):
        """What moves no more than others takes no longer for its bytes; the largest may."""
        def program(longest, size):
            def run(m):
                for number in range(STEPS):
                    with m.step(number):
                        for i in range(4):
                            is_long = i == 2 and number == 3
                            yield from exchange(m, longest if is_long else 2000, size if is_long else (1 + i) << 20)
                        m.synchronize()
            return by_rule(findings(machine.run(run, 2)))["exposed_communication"]
        row = program(200_000, 1 << 20)
        self.assertIn("one of 24 takes 200.0 ms for 1.00 MiB, half of those as large or larger at most 2.00 ms",
                      row["evidence"])
        self.assertTrue(row["title"].endswith("exposed communication: mostly in one collective, not for late ranks"), row["title"])
        self.assertRegex(program(200_000, 1 << 28)["evidence"], "on average, at [0-9.]+ [MG]B/s")


class Launches(unittest.TestCase):
    @staticmethod
    def program(gap, traced):
        def run(m):
            for i in range(100):
                m.quiet(gap)
                m.launch("kernel_%d" % (i * i % 37), 101, traced=traced(i))
            m.synchronize()
        return machine.run(run)

    def gap_of(self, machines):
        return [row for row in findings(machines) if row["rule"] == "incomplete_profile"]

    def test_none_of_all_ops_is_said_once(self):
        """Where the devices idle for nothing known, another finding asks for the calls."""
        rows = findings(without_calls(self.program(300, lambda i: False)))
        self.assertEqual([row["rule"] for row in rows if row["rule"] in ("untraced_host", "incomplete_profile")], ["untraced_host"])
        gap, = self.gap_of(without_calls(self.program(1, lambda i: False)))
        self.assertIn("100 of 100 device ops have no launch", gap["title"])
        self.assertTrue(gap["suggestion"].startswith("Record the calls that launch them"))

    def test_those_missing_at_the_start_were_launched_before(self):
        gap, = self.gap_of(self.program(1, lambda i: i >= 20))
        self.assertTrue(gap["suggestion"].startswith("Begin the recording before the work is launched"))
        gap, = self.gap_of(self.program(1, lambda i: i % 3 != 0))
        self.assertTrue(gap["suggestion"].startswith("Look in the notes for lost events"))
        self.assertEqual(self.gap_of(self.program(1, lambda i: i != 0)), [])

    def test_a_few_do_not_show_a_program(self):
        """Three launches and 50 ms: nothing critical, nothing certain."""
        def program(count):
            def run(m):
                for _ in range(count):
                    m.host("model.py(12): prepare", 50_000)
                    m.launch(machine.GEMM, 2000)
                m.synchronize()
            return by_rule(findings(machine.run(run)))["host_stall"]
        few = program(3)
        self.assertEqual((few["severity"], few["confidence"]), ("warning", "low"))
        self.assertIn("so few launches", few["suggestion"])
        self.assertEqual(program(30)["severity"], "critical")


class Host(unittest.TestCase):
    def test_what_is_not_recorded_is_not_certain(self):
        def program(recorded):
            def run(m):
                for number in range(STEPS):
                    with m.step(number):
                        for _ in range(4):
                            m.launch(machine.GEMM, 2000)
                        m.synchronize()
                        m.host("model.py(12): prepare", 8000) if recorded else m.quiet(8000)
            return by_rule(findings(machine.run(run)))["host_stall"]
        seen, unseen = program(True), program(False)
        self.assertEqual((seen["confidence"], unseen["confidence"]), ("high", "medium"))
        self.assertTrue(unseen["suggestion"].startswith("Record what the host does there"))

    def test_what_a_library_does_at_its_first_use(self):
        """400 ms of allocation before the second op; of a loop, in each of whose passes it comes again, it is a cause."""
        def once(m):
            for i in range(40):
                m.quiet(100 + 7 * i)
                m.launch("kernel_%d" % (i * i % 37), 1000)
                if i == 0:
                    m.call("cudaMalloc", 400_000)
            m.synchronize()

        def again(m):
            for number in range(STEPS):
                with m.step(number):
                    m.launch(machine.GEMM, 1000)
                    m.synchronize()
                    m.call("cudaMalloc", 4000)
                    m.launch(machine.GEMM, 1000)
                    m.synchronize()
        row = by_rule(findings(machine.run(once)))["allocation"]
        self.assertEqual((row["severity"], row["confidence"]), ("warning", "low"))
        self.assertTrue(row["suggestion"].startswith("Warm up before the recording"))
        row = by_rule(findings(machine.run(again)))["allocation"]
        self.assertEqual((row["severity"], row["confidence"]), ("critical", "high"))

    def test_values_that_the_host_reads(self):
        def program(op):
            def run(m):
                for number in range(STEPS):
                    with m.step(number):
                        for _ in range(10):
                            m.launch(machine.GEMM, 500)
                            with m.within(op):
                                m.host("aten::_local_scalar", 1, "cpu_op")
                                m.copy("DtoH", 8, pinned=False)
                            m.host("model.py(12): decide", 400)
            return by_rule(findings(machine.run(run)))["blocking_copies"]
        for op in ("aten::item", "aten::nonzero"):
            row = program(op)
            self.assertIn("waits for values of the device, mostly in " + op, row["title"])
            self.assertIn("cannot be made non-blocking", row["suggestion"])
        self.assertIn("Copy without blocking", program("aten::to")["suggestion"])


class Devices(unittest.TestCase):
    def trace(self, *programs):
        with tempfile.TemporaryDirectory() as folder:
            path, = machine.write(machine.run(*programs), folder, (9, 0))
            with open(path, encoding="utf-8") as handle:
                trace = json.load(handle)
            self.assertTrue(trace["deviceProperties"])
            named = tool.table(path, "findings")
            trace["deviceProperties"] = []
            with open(path, "w", encoding="utf-8") as handle:
                json.dump(trace, handle)
            return named, tool.table(path, "findings")

    def test_that_are_named_and_not_recorded(self):
        def program(m):
            for _ in range(10):
                m.host("aten::mm", 1000, "cpu_op")
        named, unnamed = self.trace(program)
        self.assertEqual(alarms(named) + alarms(unnamed), [])  # the program may use none
        self.assertIn("and holds no work of it", by_rule(named)["incomplete_profile"]["title"])
        self.assertNotIn("incomplete_profile", by_rule(unnamed))

    def test_copies_alone_hide_beside_nothing(self):
        def program(m):
            for _ in range(20):
                m.quiet(300)
                m.copy("HtoD", 2000 * machine.PINNED)
            m.synchronize()
        rules = by_rule(findings(machine.run(program)))
        self.assertFalse({"exposed_copies", "blocking_copies"} & set(rules), rules)


if __name__ == "__main__":
    unittest.main()
