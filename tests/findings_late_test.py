#!/usr/bin/env python3
"""Whom the others wait for, by `findings`: ranks, devices of one process, and stages of a pipeline, on runs of a simulated machine
(oracle/machine.py).

Environment: CGPU (the binary).
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import causes, machine, tool  # noqa: E402
from oracle.diagnosis import findings  # noqa: E402


def setUpModule():
    tool.must_exist()


def by_rule(rows):
    return {row["rule"]: row for row in rows}


class Ranks(unittest.TestCase):
    def test_the_ranks_that_hold_up_the_others(self):
        """Of eight ranks now one, now another is late by a third of the step."""
        def program(m):
            for number in range(10):
                with m.step(number):
                    if m.number == (6 if number % 2 else 0):
                        m.host("tokenize", 1_000)
                    for _ in range(30):
                        m.launch(machine.GEMM, 100)
                    m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
                    yield m.collective("allreduce", 100)
                    m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
                    m.synchronize()
        machines = machine.run(program, 8)
        found = findings(machines)[0]
        self.assertEqual(found["rule"], "straggler")
        self.assertIn("wait", found["title"])
        self.assertRegex(found["title"], r"ranks (0 and 6|6 and 0)")
        self.assertIn("their hosts are late", found["title"])
        self.assertRegex(found["evidence"], "longer than the median of the others for (host_code|launch_overhead)")
        self.assertAlmostEqual(found["recoverable_ns"] / 1000, 10 * 1_000, delta=500)

    def test_ranks_that_hide_behind_others(self):
        """Rank 3 always comes last for its host, and rank 1 just before it for its kernels. Without one of them the others wait
        for the other one."""
        def program(host, kernels):
            def run(m):
                for number in range(8):
                    with m.step(number):
                        m.host("dataset.py(3): load", host if m.number == 3 else 0)
                        for _ in range(30):
                            m.launch(machine.GEMM, kernels if m.number == 1 else 100)
                        m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
                        yield m.collective("allreduce", 100)
                        m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
                        m.synchronize()
            return machine.run(run, 4)
        row = by_rule(findings(program(1_000, 130)))["straggler"]
        self.assertIn("for rank 3, because its host is late, and rank 1, because its kernels take longer", row["title"])
        self.assertIn("rank 1 begins 8 of 8 collectives last of the others", row["evidence"])
        self.assertTrue(row["suggestion"].endswith("(rank 1)"), row["suggestion"])
        true = 1000 * (machine.measured(program(1_000, 130)) - machine.measured(program(0, 100)))
        self.assertAlmostEqual(row["recoverable_ns"] / true, 1, delta=0.02)
        row = by_rule(findings(program(1_000, 105)))["straggler"]  # as late as that is nobody else
        self.assertIn("for rank 3, because its host is late", row["title"])
        self.assertNotIn("rank 1", row["title"])

    def test_what_the_others_wait_for_ranks_behind_each_other(self):
        """Of eight ranks three come late, one just before the next: the others wait for the last one, no longer."""
        def run(m):
            for number in range(8):
                with m.step(number):
                    m.host("dataset.py(3): load", {3: 1_000, 1: 950, 5: 900}.get(m.number, 0))
                    for _ in range(30):
                        m.launch(machine.GEMM, 100)
                    m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
                    yield m.collective("allreduce", 100)
                    m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
                    m.synchronize()
        row = by_rule(findings(machine.run(run, 8)))["straggler"]
        self.assertIn("wait 8.00 ms in all for ranks 3, 1 and 5, because their hosts are late", row["title"])
        self.assertAlmostEqual(row["recoverable_ns"] / 1000, 8_000, delta=20)

    def test_ranks_that_are_only_sometimes_behind_others(self):
        """Two groups of four; behind the last rank of each another one is late in half of the steps."""
        def run(m):
            group = m.number // 4
            for number in range(20):
                with m.step(number):
                    m.host("dataset.py(3): load", {0: 1_000, 1: 800 if number % 2 else 0, 2: 10}.get(m.number % 4, 0))
                    for _ in range(30):
                        m.launch(machine.GEMM, 100)
                    m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
                    yield m.collective("allreduce", 100, group=str(group), members=range(4 * group, 4 * group + 4))
                    m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
                    m.synchronize()
        self.assertRegex(by_rule(findings(machine.run(run, 8)))["straggler"]["title"], "for ranks (0 and 4|4 and 0), because")

    def test_another_rank_is_late_each_time(self):
        """For its experts, for other kernels, or for its host, whose calls are only a little longer."""
        def program(kernel=None, host=0):
            def run(m):
                for number in range(8):
                    with m.step(number):
                        is_late = number % 4 == m.number
                        for _ in range(20):
                            m.host("model.py(7): forward", 20 + (host if is_late else 0))
                            m.launch(machine.GEMM, 100)
                        m.launch(kernel or machine.GEMM, 800 if is_late and kernel else 400)
                        m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
                        yield m.collective("allreduce", 200)
                        m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
                        m.synchronize()
            return machine.run(run, 4)
        self.assertNotIn("load_imbalance", by_rule(findings(program())))
        for kernel, reason in ((machine.GEMM, "their kernels take unequally long"),
                               (causes.EXPERTS, "their experts have unequal work")):
            row = findings(program(kernel))[0]
            self.assertEqual(row["rule"], "load_imbalance")
            self.assertIn("wait for each other, each time for another one, because " + reason, row["title"])
            self.assertIn("rank 0 comes last most often, to 2 of them", row["evidence"])
            self.assertAlmostEqual(row["recoverable_ns"] / 1000, 8 * 300, delta=30)  # of 400 us each has a quarter
        row = by_rule(findings(program(host=110)))["load_imbalance"]
        self.assertIn("because their hosts come unequally late", row["title"])
        self.assertIn("the last ones have not computed longer", row["evidence"])

    def test_the_device_of_a_process_that_the_others_wait_for(self):
        """As for ranks: because of its kernels, or of the thread that launches for it."""
        def program(late=None, kernel=2000, host=0):
            def run(m):
                for number in range(6):
                    with m.step(number):
                        m.host("model.py(7): prepare", host if m.number == late else 0)
                        m.launch(machine.GEMM, kernel if m.number == late else 2000)
                        m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
                        yield m.collective("allreduce", 200)
                        m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
                        m.synchronize()
            return machine.run(run, 4)
        healthy = machine.measured(program())
        slow = program(late=2, kernel=2600)
        row = findings(machine.in_one_process(slow))[0]
        self.assertEqual((row["rule"], row["rank"], row["device"], row["confidence"]), ("straggler", 0, 2, "high"))
        self.assertEqual(row["title"], "The other devices wait 3.60 ms in all for device 2, because its kernels take longer")
        self.assertAlmostEqual(row["recoverable_ns"] / (1000 * (machine.measured(slow) - healthy)), 1, delta=0.05)
        late = program(late=1, host=900)
        row = by_rule(findings(machine.in_one_process(late)))["straggler"]
        self.assertIn("for device 1, because it is given its work late", row["title"])
        self.assertAlmostEqual(row["recoverable_ns"] / (1000 * (machine.measured(late) - healthy)), 1, delta=0.05)
        self.assertNotIn("straggler", by_rule(findings(machine.in_one_process(program()))))

    def test_devices_that_only_the_host_joins(self):
        """Of three devices without communication one takes half as long again. With equal work each takes a seventh less
        than that one; where grids show that their work is equal, it could be as fast as the others."""
        def program(durations, kernels=(machine.GEMM,) * 3, grids=None):
            def run(m):
                for number in range(6):
                    with m.step(number):
                        ends = []
                        for device, duration in enumerate(durations):
                            launched = m.now
                            correlation = m.call("cudaLaunchKernel", machine.LAUNCH)
                            ends.append(launched + machine.TO_DEVICE + duration)
                            m.number = device
                            shape = {"grid": [grids[device], 1, 1], "block": [256, 1, 1]} if grids else {}
                            m.run_op("kernel", kernels[device], launched + machine.TO_DEVICE, duration,
                                     machine.MAIN_STREAM, correlation, launched, **shape)
                            m.number = 0
                        m.call("cudaDeviceSynchronize", max(ends) + machine.RETURN - m.now)
            return machine.run(run)
        row = by_rule(findings(program([2000, 3000, 2000])))["straggler"]
        self.assertEqual((row["rank"], row["device"], row["confidence"]), (0, 1, "medium"))
        self.assertEqual(row["title"], "The run waits for device 1, which computes 18.0 ms in all, a device on average 14.0 ms")
        self.assertAlmostEqual(row["recoverable_ns"] / 1000, 6 * 667, delta=60)
        row = by_rule(findings(program([2000, 3000, 2000], grids=(400, 600, 400))))["straggler"]
        self.assertAlmostEqual(row["recoverable_ns"] / 1000, 6 * 667, delta=60)
        row = by_rule(findings(program([2000, 3000, 2000], grids=(400, 400, 400))))["straggler"]
        self.assertEqual(row["title"],
                         "The run waits for device 1, which computes 18.0 ms in all, the median device 12.0 ms")
        self.assertIn("as often and in the same grids, and do not communicate; as fast as the others", row["evidence"])
        self.assertAlmostEqual(row["recoverable_ns"] / 1000, 6 * 1000, delta=60)
        other = (machine.GEMM, machine.GEMM, machine.ELEMENTWISE)
        for durations, kernels in (([2000, 2100, 2000], (machine.GEMM,) * 3), ([5, 3000, 5], (machine.GEMM,) * 3),
                                   ([5, 3000, 1000], other)):
            self.assertNotIn("straggler", by_rule(findings(program(durations, kernels))), durations)

    def test_few_collectives_do_not_show_who_is_late(self):
        def run(m):
            m.launch(machine.GEMM, 2000 + 2000 * m.number)
            m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
            yield m.collective("allreduce", 200)
            m.synchronize()
        row = by_rule(findings(machine.in_one_process(machine.run(run, 2))))["straggler"]
        self.assertEqual((row["severity"], row["confidence"]), ("warning", "low"))

    def test_stages_on_devices_of_a_process_wait_by_design(self):
        def run(m):
            for number in range(6):
                with m.step(number):
                    if m.number == 0:
                        m.launch(machine.GEMM, 2000)
                        m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
                    yield m.collective("send" if m.number == 0 else "recv", 50)
                    if m.number == 1:
                        m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
                        m.launch(machine.GEMM, 2000)
                    m.synchronize()
        self.assertNotIn("straggler", by_rule(findings(machine.in_one_process(machine.run(run, 2)))))

    def test_without_the_late_rank_communication_still_waits_for_what_it_sends(self):
        """Each of four all-reduces of a step is ordered behind a product. While they wait for rank 1, they follow each
        other; without it the others come when their products are done, and the last one is exposed."""
        def program(slow):
            def run(m):
                for number in range(6):
                    with m.step(number):
                        for _ in range(4):
                            m.launch(machine.GEMM, slow if m.number == 1 else 2000)
                            m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
                            yield m.collective("allreduce", 1500)
                        m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
                        m.synchronize()
            return machine.run(run, 3)
        for recorded in (True, False):
            machines = program(3000)
            if not recorded:  # only the calls are
                for m in machines:
                    m.events = [event for event in m.events if event["cat"] != "cuda_sync"]
            row = findings(machines)[0]
            self.assertEqual((row["rule"], row["rank"]), ("straggler", 1))
            true = 1000 * (machine.measured(machines) - machine.measured(program(2000)))
            self.assertAlmostEqual(row["recoverable_ns"] / true, 1, delta=0.02)

    def test_a_rank_that_is_late_within_its_stage_of_a_pipeline(self):
        """Three stages twice; the last rank of all is late to what the two ranks of its stage reduce."""
        def program(m):
            stage, replica = m.number % 3, m.number // 3
            for number in range(6):
                with m.step(number):
                    for _ in range(20):
                        for other in (stage, stage + 1):
                            if other == stage and stage > 0:
                                yield m.collective("recv", 10, machine.MAIN_STREAM, "pp%d.%d" % (replica, stage),
                                                   [m.number - 1, m.number])
                            elif other > stage and stage < 2:
                                m.launch(machine.GEMM, 200)
                                yield m.collective("send", 10, machine.MAIN_STREAM, "pp%d.%d" % (replica, stage + 1),
                                                   [m.number, m.number + 1])
                    if stage == 2:
                        m.launch(machine.GEMM, 4_000)
                    if m.number == 5:
                        m.synchronize()
                        m.host("tokenize", 3_000)
                    m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
                    yield m.collective("allreduce", 50, group="dp%d" % stage, members=[stage, stage + 3])
                    m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
                    m.synchronize()
        def groups(m):
            first = m.number - m.number % 3
            return [{"pg_name": "pp", "pg_desc": "PIPELINE_MODEL_PARALLEL_GROUP", "pg_size": 3,
                     "ranks": [first, first + 1, first + 2]}]
        found = by_rule(findings(machine.run(program, 6), groups=groups))
        self.assertIn("straggler", found)
        self.assertEqual(found["straggler"]["rank"], 5)
        self.assertIn("collectives of stage 2", found["straggler"]["evidence"])


if __name__ == "__main__":
    unittest.main()
