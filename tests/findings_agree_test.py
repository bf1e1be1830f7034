#!/usr/bin/env python3
"""That what `diagnose` says agrees with the books of the devices, with `whatif`, and with itself: on runs of a simulated
machine (oracle/machine.py).

Environment: CGPU (the binary).
"""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import causes, machine, tool  # noqa: E402
from oracle.diagnosis import alarms, findings  # noqa: E402

LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"


def setUpModule():
    tool.must_exist()


def by_rule(rows):
    return {row["rule"]: row for row in rows}


def said_of(machines):
    """What `diagnose` prints, by finding."""
    with tempfile.TemporaryDirectory() as folder:
        paths = machine.write(machines, folder, (9, 0))
        return tool.run(["diagnose", *paths]).stdout.decode().split("\n\n")


class NextBound(unittest.TestCase):
    """What bounds a run once a finding is gone."""

    @staticmethod
    def exchange(loads):
        """An exchange of 6 ms beside which the host loads data."""
        def run(m):
            for number in range(6):
                with m.step(number):
                    m.launch(machine.GEMM, 1000)
                    m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
                    yield m.collective("allreduce", 6000)
                    m.host(LOADER, loads)
                    m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
                    if loads:
                        m.launch(machine.GEMM, 1000)
                    m.synchronize()
        return machine.run(run, 2)

    def test_of_communication(self):
        found = by_rule(findings(self.exchange(5500)))["exposed_communication"]
        self.assertEqual(found["next_bound"], "After this, loading data bounds the run")
        found = by_rule(findings(self.exchange(0)))["exposed_communication"]
        self.assertEqual(found["next_bound"], "After this, computing bounds the run")

    def test_of_every_kind_of_finding(self):
        """Before 4 ms of products the host loads data for 9 ms, then it computes for 3 ms: the one bounds the run without
        the other. Launching 4,000 kernels of 2 us is bound by the host until it launches in no time."""
        def stalls(m):
            for number in range(6):
                with m.step(number):
                    m.host(LOADER, 9000, "user_annotation")
                    m.host("model.py(12): tokenize", 3000)
                    for _ in range(10):
                        m.launch(machine.GEMM, 200)
                    m.synchronize()

        def launches(m):
            for number in range(6):
                with m.step(number):
                    for _ in range(400):
                        m.quiet(15)
                        m.launch(machine.GEMM, 10)
                    m.synchronize()
        rules = by_rule(findings(machine.run(stalls)))
        self.assertEqual(rules["data_loading"]["next_bound"], "After this, the host bounds the run")
        self.assertEqual(rules["host_stall"]["next_bound"], "After this, loading data bounds the run")
        rules = by_rule(findings(machine.run(launches)))
        self.assertEqual(rules["launch_bound"]["next_bound"], "After this, computing bounds the run")

    def test_it_is_read_on_the_screen(self):
        """However long the evidence before it is."""
        block, = [block for block in said_of(self.exchange(5500)) if "[exposed_communication]" in block]
        self.assertIn("\n   After this, loading data bounds the run.\n", block)

    def test_nothing_is_said_of_what_no_replay_answers(self):
        """Copies that nothing could hide: their gain is stated."""
        def program(m):
            for number in range(5):
                with m.step(number):
                    m.copy("HtoD", 9000 * machine.PINNED)
                    m.launch(machine.GEMM, 1000)
                    m.synchronize(machine.MAIN_STREAM)
        first = findings(machine.run(program))[0]
        self.assertEqual((first["rule"], first["next_bound"]), ("exposed_copies", None))


class Together(unittest.TestCase):
    """Findings together give back no more than there is."""

    def test_time_that_is_hidden_behind_the_rest_and_a_rest_that_becomes_shorter(self):
        """Of 6 ms copies, 1 ms products and 3 ms loading of code a step: beside the products 1 ms of the copies can be hidden;
        at the rate of their link, 63 GB/s, they save 3.6 ms, and a step without that loading 3 ms."""
        def program(m):
            for number in range(6):
                with m.step(number):
                    m.call("cuModuleLoadData", 3_000)
                    m.copy("HtoD", 6_000 * machine.PINNED)
                    m.launch(machine.GEMM, 1_000)
                    m.synchronize()
        rows = findings(machine.run(program))
        rules = by_rule(rows)
        self.assertEqual(alarms(rows)[0]["rule"], "module_load")  # which is certain
        faster = 6 * (1 - 25 / 63)
        self.assertAlmostEqual(rules["exposed_copies"]["recoverable_ns"] / 6e6, faster, delta=0.1)
        self.assertAlmostEqual(rules["exposed_copies"]["recoverable_low_ns"] / 6e6, 1, delta=0.1)
        self.assertAlmostEqual(rules["module_load"]["recoverable_high_ns"] / 6e6, 3, delta=0.1)
        self.assertAlmostEqual(rules["module_load"]["recoverable_ns"] / 6e6, 3, delta=0.1)
        self.assertAlmostEqual(max(row["together_ns"] or 0 for row in rows) / 6e6, 3 + faster, delta=0.1)

    def test_copies_take_their_time_however_they_are_called(self):
        """A step waits for 6 ms of copies that block and then for 6 ms of the host: without both the copies still take
        their time, at best what the link takes for their bytes."""
        def program(m):
            for number in range(6):
                with m.step(number):
                    m.launch(machine.GEMM, 200)
                    m.copy("HtoD", 6_000 * machine.PINNED, blocks=True)
                    m.host("model.py(12): prepare", 6_000)
                    m.launch(machine.GEMM, 200)
                    m.synchronize()
        rows = findings(machine.run(program))
        measured = rows[0]["measured_ns"]
        for row in alarms(rows):
            left = 6e6 * 25 / 63 if row["rule"].endswith("copies") else 6e6
            self.assertLessEqual(row["recoverable_high_ns"], measured - 6 * left + 1e4, row["rule"])
        self.assertLessEqual(max(row["together_ns"] or 0 for row in rows), measured - 6 * 6e6 * 25 / 63 + 1e4)

    def test_of_the_host_no_more_than_the_devices_idle(self):
        """Nine of ten ops have no launch in the profile, so that gains are stated: of launching and of a stall, which both
        are code of the host."""
        machines = machine.run(self.half_busy(lambda i: i % 10 == 0))
        with tempfile.TemporaryDirectory() as folder:
            paths = machine.write(machines, folder, (9, 0))
            rows = tool.table(paths, "findings")
            idle = {row["cause"]: row["total_ns"] for row in tool.table(paths, "idle")}
        known = sum(time for cause, time in idle.items() if cause not in ("unknown", "dependency"))
        host = [row for row in rows if row["rule"] in ("host_stall", "launch_bound", "data_loading")]
        self.assertEqual(len(host), 2)
        self.assertLessEqual(sum(row["recoverable_ns"] for row in host), known)

    @staticmethod
    def half_busy(traced):
        def program(m):
            for number in range(6):
                with m.step(number), m.within("model_run", "user_annotation"):
                    for i in range(60):
                        m.quiet(100)
                        m.launch("kernel_%d" % (i % 7), 50, traced=traced(i))
                    m.synchronize()
        return program


class Books(unittest.TestCase):
    """Findings and overview say the same of idle time."""

    def test_of_ops_without_a_launch_it_is_not_known_what_they_waited_for(self):
        """No thread is blamed, although it is on the path: nothing says that the device waited for it."""
        rows = findings(machine.run(Together.half_busy(lambda i: False)))
        rules = by_rule(rows)
        self.assertFalse(alarms(rows), rows)
        self.assertIn("untraced_host", rules)
        share = float(rules["untraced_host"]["title"].split("%")[0])
        self.assertAlmostEqual(share, 50, delta=5)

    def test_a_busy_device_waits_for_nothing(self):
        """Two streams in turn, without launches: each waits while the other one works."""
        def program(m):
            for i in range(200):
                m.launch("kernel_%d" % (i * i % 37), 101, stream=(7, 14)[i % 2], traced=False)
                m.busy_until[(7, 14)[(i + 1) % 2]] = max(m.busy_until.values())
        machines = machine.run(program)
        machines[0].events = [event for event in machines[0].events if event["cat"] != "cuda_runtime"]
        self.assertNotIn("untraced_host", by_rule(findings(machines)))

    def test_a_pace_of_a_few_launches_is_none(self):
        def program(m):
            m.quiet(1_000)
            for _ in range(4):
                m.quiet(40)
                m.launch("kernel", 5)
            m.synchronize()
        self.assertNotIn("launch_bound", by_rule(findings(machine.run(program))))


class Units(unittest.TestCase):
    def test_evidence_and_saving_are_of_one_whole(self):
        """Of a loop without marks both are of the run, although its repetitions are judged."""
        def program(m):
            for _ in range(30):
                for i in range(12):
                    m.quiet(40)
                    m.launch("kernel_%d" % i, 20)
        first = findings(machine.run(program))[0]
        self.assertEqual(first["rule"], "launch_bound")
        self.assertIsNone(first["steps"])
        self.assertNotIn("repetition", first["evidence"])
        said = [block for block in said_of(machine.run(program)) if "[launch_bound]" in block][0]
        wholes = {line.split(" of ")[1].split()[0] for line in said.replace("\n   ", " ").split("saving: ")[1:]}
        whole, = wholes
        self.assertIn(" of %s ms on the critical path" % whole, " ".join(said.split()))


    def test_sums_over_steps_are_no_figures_of_a_step(self):
        """Six steps of 6 ms: products in fp32 take 4 ms of each."""
        def program(steps):
            def run(m):
                for number in range(steps):
                    with m.step(number):
                        for _ in range(10):
                            m.launch("ampere_sgemm_128x64_nn", 400)
                            m.launch(machine.GEMM, 200)
                        m.synchronize()
            return by_rule(findings(machine.run(run)))["tensor_cores_unused"]["title"]
        self.assertIn("without tensor cores for 24.0 ms in all", program(6))
        self.assertTrue(program(1).endswith("without tensor cores for 4.00 ms"), program(1))


class Reasons(unittest.TestCase):
    def test_a_rank_that_has_more_work_and_whose_host_shows_nothing(self):
        """The experts of rank 0 have three times the work: half of what the others wait for, and its host does nothing
        that others do not."""
        folder = os.path.join(tool.ROOT, "examples", "h100_ranks", "experts_skewed")
        found = by_rule(tool.table(sorted(os.path.join(folder, name) for name in os.listdir(folder)), "findings"))
        self.assertIn("rank 0, because it has more work", found["straggler"]["title"])


class Stages(unittest.TestCase):
    """stage_imbalance and `whatif --stages-as-mean`."""

    @staticmethod
    def with_ranks_of_transfers(path):
        """As PyTorch writes them from 2.5 on: the group ppN of these runs leads from rank N - 1 to N."""
        with open(path, encoding="utf-8") as handle:
            trace = json.load(handle)
        for event in trace["traceEvents"]:
            arguments = event.get("args", {})
            if arguments.get("Collective name") in ("send", "recv"):
                number = int(arguments["Process Group Name"][len("pp"):])
                arguments.update({"Src Rank": number - 1, "Dst Rank": number})
        with open(path, "w", encoding="utf-8") as handle:
            json.dump(trace, handle)

    def test_both_replay_the_same(self):
        for costs in ((1000, 3000), (3000, 1000), (1000, 2000, 3000), (500, 500, 2000, 1000)):
            with self.subTest(costs=costs), tempfile.TemporaryDirectory() as folder:
                paths = machine.write(machine.run(causes.pipeline(costs, 12), len(costs)), folder, (9, 0))
                stated = by_rule(tool.table(paths, "findings"))["stage_imbalance"]
                self.assertIn("no replay can say", stated["evidence"])
                self.assertIsNone(stated["next_bound"])
                for path in paths:
                    self.with_ranks_of_transfers(path)
                found = by_rule(tool.table(paths, "findings"))["stage_imbalance"]
                rows = tool.table(paths, "whatif", "--stages-as-mean")
                saved = sum(row["measured_ns"] - row["predicted_ns"] for row in rows)
                self.assertEqual(sum(row["measured_ns"] for row in rows), found["measured_ns"])
                self.assertAlmostEqual(found["recoverable_high_ns"], saved, delta=0.002 * found["measured_ns"])
                self.assertNotIn("no replay can say", found["evidence"])

    def test_a_pipeline_that_its_hosts_bind(self):
        """Three times the layers are three times the launches: a replay in which hosts do what they did saves nothing of it.
        The excess is stated, with the reason."""
        folder = os.path.join(tool.ROOT, "examples", "h100_ranks", "scheduled_slow")
        paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))
        found = by_rule(tool.table(paths, "findings"))["stage_imbalance"]
        saved = sum(row["measured_ns"] - row["predicted_ns"] for row in tool.table(paths, "whatif", "--stages-as-mean"))
        self.assertLess(2 * saved, found["recoverable_high_ns"])
        self.assertIn("with the host's work for them; a replay in which the hosts do what they did (whatif --stages-as-mean) "
                      "saves", found["evidence"])
        self.assertAlmostEqual(found["recoverable_low_ns"], max(saved, 0), delta=0.01 * found["measured_ns"])


if __name__ == "__main__":
    unittest.main()
