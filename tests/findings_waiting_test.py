#!/usr/bin/env python3
"""What `findings` says of hosts that wait for work, or behind another thread, and of what binds a run next: on runs of a
simulated machine (oracle/machine.py).

Environment: CGPU (the binary).
"""
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import machine, tool  # noqa: E402
from oracle.diagnosis import alarms, findings  # noqa: E402


def setUpModule():
    tool.must_exist()


def by_rule(rows):
    return {row["rule"]: row for row in rows}


def request(m, draw, kernels=10):
    """Work of a server: no request is like another."""
    for _ in range(kernels):
        m.launch("kernel_%d" % draw.randrange(1000), 100)


def poll(m, until, work=0, call="cudaEventQuery"):
    while m.now < until:
        m.call(call, 2)
        m.host("scheduler.py(3): look", work) if work else m.quiet(20)


class Polls(unittest.TestCase):
    def serve(self, between):
        """40 requests; between(m, device's end) is what the host does until the next one comes."""
        draw = random.Random(1)

        def run(m):
            for _ in range(40):
                request(m, draw)
                between(m, max(m.busy_until.values()))
        return findings(machine.run(run))

    def test_a_server_that_polls_has_no_work(self):
        def until_a_request_comes(m, end):
            poll(m, end + 5000)
        rows = self.serve(until_a_request_comes)
        self.assertEqual(alarms(rows), [])
        self.assertIn("no_work", by_rule(rows))

    def test_a_server_that_sleeps_has_no_work(self):
        def until_a_request_comes(m, end):
            while m.now < end + 20_000:
                m.host("<built-in function sleep>", 1000)
                m.quiet(10)
        rows = self.serve(until_a_request_comes)
        self.assertEqual(alarms(rows), [])
        self.assertIn("no_work", by_rule(rows))

    def test_work_between_polls_is_work(self):
        def works(m, end):
            poll(m, end + 5000, work=100)
        first = alarms(self.serve(works))[0]
        self.assertEqual(first["rule"], "host_stall")
        self.assertGreater(first["recoverable_ns"], 39 * 4.7e6)

    def test_work_behind_polls_is_work(self):
        """The thread polls until the device is done, and then computes for 3 ms."""
        def works(m, end):
            poll(m, end + 2)
            m.host("sampler.py(9): sample", 3000)
        first = alarms(self.serve(works))[0]
        self.assertEqual(first["rule"], "host_stall")
        self.assertAlmostEqual(first["recoverable_ns"], 39 * 3e6, delta=2e6)

    def test_one_sleep_is_a_stall(self):
        def sleeps(m, end):
            m.host("<built-in function sleep>", end - m.now + 5000)
        self.assertEqual(alarms(self.serve(sleeps))[0]["rule"], "host_stall")


class Silence(unittest.TestCase):
    def program(self, marks=False, frames=False):
        draw = random.Random(2)

        def burst(m):
            for _ in range(3):
                request(m, draw, 30)
                m.synchronize()
            if frames:
                m.host("train.py(3): evaluate", 300_000)
            else:
                m.quiet(300_000)

        def run(m):
            for number in range(10):
                if marks:
                    with m.step(number):
                        burst(m)
                else:
                    burst(m)
            request(m, draw)
        return findings(machine.run(run))

    def test_a_silent_server(self):
        rows = self.program()
        self.assertEqual([row for row in alarms(rows) if row["rule"] == "host_stall"], [])
        found = by_rule(rows)["no_work"]
        self.assertEqual((found["severity"], found["confidence"]), ("info", "low"))

    def test_silence_that_varies_as_requests_do(self):
        """Of 1 to 50 ms, many short and few long; equal stretches, and a few long ones among them, are work of the host."""
        def program(lengths):
            def run(m):
                draw = random.Random(5)
                for length in lengths:
                    request(m, draw, 30)
                    m.synchronize()
                    m.quiet(length)
                request(m, draw)
            return findings(machine.run(run))
        arrivals = random.Random(6)
        rows = program([round(1000 + arrivals.expovariate(1 / 8000)) for _ in range(60)])
        self.assertEqual([row for row in alarms(rows) if row["rule"] == "host_stall"], [])
        self.assertIn("in stretches of 200.0 us or more", by_rule(rows)["no_work"]["evidence"])
        for lengths in ([8000] * 60, [3000] * 50 + [60_000] * 10, [2000, 9000, 2000, 9000, 2000] * 12):
            self.assertEqual(program(lengths)[0]["rule"], "host_stall")

    def test_a_loop_or_frames_say_that_it_is_the_host(self):
        self.assertEqual(self.program(marks=True)[0]["rule"], "host_stall")
        self.assertEqual(self.program(frames=True)[0]["rule"], "host_stall")

    def test_marks_without_work_are_no_part_of_the_steps_after_them(self):
        def run(m):
            for number in range(40):
                with m.step(number):
                    if number % 4:
                        m.quiet(3000)
                    else:
                        for _ in range(10):
                            m.launch(machine.GEMM, 100)
                        m.synchronize()
        rows = findings(machine.run(run))
        self.assertNotIn("host_stall", by_rule(rows))
        self.assertIn("30 marks of steps have no device work", by_rule(rows)["no_work"]["title"])


class Stalls(unittest.TestCase):
    def test_the_share_of_a_stall_is_that_of_its_part(self):
        """300 ms of evaluation in a gap of 400 ms."""
        def run(m):
            for number in range(5):
                with m.step(number):
                    for _ in range(10):
                        m.launch(machine.GEMM, 10_000)
                    m.synchronize()
                    m.host("train.py(5): evaluate", 300_000)
                    m.host("train.py(7): log", 100_000)
        first = findings(machine.run(run))[0]
        self.assertTrue(first["title"].endswith("the host works while the device has nothing to do, 75.00% of that in "
                                                "train.py(5): evaluate"), first["title"])

    def test_what_short_gaps_have_of_a_name_is_no_stall(self):
        """Reads of 0.15 ms in many gaps, and once a step 3 ms of them with a checkpoint of 40 ms: the checkpoint."""
        def run(m):
            for number in range(5):
                with m.step(number):
                    for _ in range(400):
                        m.launch(machine.GEMM, 100)
                        m.synchronize()
                        m.host("train.py(5): parse", 150)
                    m.host("train.py(5): parse", 3000)
                    m.host("train.py(9): checkpoint", 40_000)
        self.assertIn("is in train.py(9): checkpoint while", by_rule(findings(machine.run(run)))["host_stall"]["title"])


class ForAnotherThread(unittest.TestCase):
    """The thread that launches waits 5 ms in each of 20 rounds for what another one does."""
    def program(self, works, wait="queue.py(154): get"):
        def run(m):
            draw = random.Random(4)
            for _ in range(20):
                request(m, draw)
                m.synchronize()
                begin = m.now
                m.host(wait, 5000)
                m.event("python_function", "<method 'acquire' of '_thread.lock' objects>", begin + 1, 4998)
                works(m, begin)
        return findings(machine.run(run))

    def test_what_the_other_thread_does_is_the_cause(self):
        def tokenizes(m, begin):
            m.event("python_function", "tokenizer.py(8): encode", begin + 100, 4890, thread=200)
        for wait in ("queue.py(154): get", "threading.py(302): wait"):
            first = self.program(tokenizes, wait)[0]
            self.assertEqual((first["rule"], first["severity"]), ("host_stall", "critical"))
            self.assertIn("is in tokenizer.py(8): encode", first["title"])
            self.assertAlmostEqual(first["recoverable_ns"] / 1000, 19 * 5000, delta=1500)

    def test_what_it_reads_is_io(self):
        def reads(m, begin):
            m.event("python_function", "<built-in method read of _io.FileIO object at 0x7f>", begin + 100, 4890, thread=200)
        first = self.program(reads)[0]
        self.assertEqual((first["rule"], first["severity"]), ("io", "critical"))
        self.assertIn("read of _io.FileIO", first["evidence"])

    def test_a_thread_that_waits_too_or_ends_at_another_time_is_not_the_one(self):
        def only_puts(m, begin):
            m.event("python_function", "queue.py(122): put", begin + 4960, 30, thread=200)

        def serves_others(m, begin):
            for part in range(50):
                m.event("python_function", "tokenizer.py(8): encode", begin + 100 * part, 90, thread=200)

        def waits(m, begin):
            m.event("python_function", "<method 'acquire' of '_thread.lock' objects>", begin + 100, 4890, thread=200)

        def ends_before(m, begin):
            m.event("python_function", "tokenizer.py(8): encode", begin - 2000, 5000, thread=200)
        for works in (waits, ends_before, only_puts, serves_others):
            rows = self.program(works)
            self.assertEqual(alarms(rows), [], works)
            self.assertIn("waits in queue.py(154): get", by_rule(rows)["no_work"]["title"])


class Requests(unittest.TestCase):
    def serve(self, between, inside=False):
        def run(m):
            draw = random.Random(3)
            for number in range(20):
                if not inside:
                    between(m)
                with m.within("batch %d" % number, "user_annotation"):
                    if inside:
                        between(m)
                    request(m, draw)
                    m.synchronize()
        return findings(machine.run(run))

    def test_between_marked_requests_a_server_has_none(self):
        def waits(m):
            m.host("<built-in method poll of select.epoll object at 0x7f>", 4000 + 100 * (m.now % 7))
        rows = self.serve(waits)
        self.assertEqual(alarms(rows), [])
        self.assertIn("without requests, or for input that is late", by_rule(rows)["no_work"]["title"])

    def test_what_a_request_waits_for_is_not_waiting_for_it(self):
        def waits(m):
            m.host("<built-in method poll of select.epoll object at 0x7f>", 4000)
        self.assertEqual(alarms(self.serve(waits, inside=True))[0]["rule"], "io")


class StartedProcesses(unittest.TestCase):
    """A host that computes for 20 ms, lets another process compile for 8 ms, and launches what came out."""

    def program(self, process):
        """process(m, number, begin): what the other process does while the host polls for 8 ms from `begin` on."""
        def run(m):
            draw = random.Random(4)
            request(m, draw)
            for number in range(12):
                m.host("jit.py(5): lower", 20_000)
                process(m, number, m.now)
                m.host("<built-in method poll of select.epoll object at 0x7f>", 8000 + 100 * draw.randrange(20))
                request(m, draw)
                m.synchronize()
        return findings(machine.run(run))

    def of_another(self, m, pid, begin, duration):
        m.event("python_function", "assembler.py(3): assemble", begin, duration)
        m.events[-1].update(pid=pid, tid=pid)

    def test_a_wait_for_one_is_no_wait_for_requests(self):
        def started(m, number, begin):
            self.of_another(m, 7000 + number, begin + 300, 7400)
        rows = self.program(started)
        found = by_rule(rows)
        self.assertNotIn("no_work", found)
        self.assertEqual(alarms(rows)[0]["rule"], "host_stall")
        self.assertAlmostEqual(found["host_stall"]["recoverable_ns"], 12 * 20e6, delta=6e6)
        self.assertIn("waits for processes that it started", found["io"]["title"])

    def test_one_that_is_always_there_was_not_started_for_it(self):
        def serves(m, number, begin):
            self.of_another(m, 7000, begin - 15_000, 20_000)
        rows = self.program(serves)
        self.assertIn("without requests, or for input that is late", by_rule(rows)["no_work"]["title"])


class BehindAnother(unittest.TestCase):
    def program(self, call, loads="cuModuleLoadData", waits=6000):
        def run(m):
            for number in range(6):
                with m.step(number):
                    for _ in range(10):
                        m.launch(machine.GEMM, 300)
                    m.synchronize()
                    m.event("cuda_driver", loads, m.now + 10, 5900, thread=200)
                    launched = m.now
                    correlation = m.call(call, waits)
                    if "Memcpy" in call:
                        m.run_op("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", m.now + 1, 100, machine.MAIN_STREAM, correlation,
                                 launched, bytes=2_500_000)
                    m.launch(machine.GEMM, 300)
                    m.synchronize()
        return findings(machine.run(run))[0]

    def test_a_call_that_waits_while_another_thread_loads_code(self):
        for call in ("cudaMemcpyAsync", "cudaStreamSynchronize", "cudaEventRecord"):
            first = self.program(call)
            self.assertEqual((first["rule"], first["severity"]), ("module_load", "critical"), call)
            self.assertAlmostEqual(first["recoverable_ns"], 6 * 5.9e6, delta=6 * 0.1e6)

    def test_a_call_that_goes_on_for_long_after_it_does_not_wait_for_it(self):
        self.assertNotEqual(self.program("cudaMemcpyAsync", waits=8000)["rule"], "module_load")
        self.assertNotEqual(self.program("cudaMemcpyAsync", loads="cuFuncGetAttribute")["rule"], "module_load")


if __name__ == "__main__":
    unittest.main()
