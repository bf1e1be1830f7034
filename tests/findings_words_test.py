#!/usr/bin/env python3
"""That findings name what is behind the time, and the first line the whole that it is of: on runs of a simulated machine
(oracle/machine.py) in which the cause lies before the first device op, in a link, in launches that block, or in nothing to do.

Environment: CGPU (the binary).
"""
import contextlib
import json
import os
import random
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import causes, machine, tool  # noqa: E402
from oracle.diagnosis import alarms, findings  # noqa: E402

CONVERSION = "void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true>(int)"


def setUpModule():
    tool.must_exist()


def said_of(machines):
    """What `diagnose` prints, in one line."""
    with tempfile.TemporaryDirectory() as folder:
        paths = machine.write(machines, folder, (9, 0))
        return " ".join(tool.run(["diagnose", *paths]).stdout.decode().split())


def by_rule(rows):
    return {row["rule"]: row for row in rows}


class Culprits(unittest.TestCase):
    def test_what_the_host_does_before_the_first_op_of_a_step(self):
        """No gap between device ops shows it: it is taken from the critical path, and the frame is named in which most of it
        lies. Busy between the first and the last op is not busy in the step."""
        def program(m):
            with m.step(0):
                with m.within("train.py(9): prepare", "python_function"):
                    m.host("data.py(3): open", 100)
                    with m.within("data.py(7): decode", "python_function"):
                        for _ in range(16):
                            m.host("numpy.py(5): take", 500)
                for _ in range(20):
                    m.launch(machine.GEMM, 100)
                m.synchronize()
        machines = machine.run(program)
        first = findings(machines)[0]
        self.assertEqual(first["rule"], "host_stall")
        self.assertIn("the host is in data.py(7): decode while", first["title"])
        self.assertIn("most of them in data.py(7): decode (100.00%)", first["evidence"])
        self.assertEqual(first["command"], "cgpu table INPUT critical_path_trace --where 'bound_by = host_code'")
        words = said_of(machines)
        found = re.match(r"[\d.]+ ms a step \(1 step\): GPU ([\d.]+)% busy and ([\d.]+)% idle in steps; from its first op to its "
                         r"last ([\d.]+)% busy", words)
        self.assertTrue(found, words)
        (_, begin, end), = machines[0].marks
        kernels = [event for event in machines[0].events if event["cat"] == "kernel"]
        busy = sum(event["dur"] for event in kernels)
        span = kernels[-1]["ts"] + kernels[-1]["dur"] - kernels[0]["ts"]
        for value, right in zip(found.groups(), (busy / (end - begin), 1 - busy / (end - begin), busy / span)):
            self.assertAlmostEqual(float(value), 100 * right, delta=0.06)
        self.assertNotIn("dominant_kernel", words)

    def test_a_program_that_starts_for_long_is_not_busy(self):
        """Without steps, too: busy between the first and the last op is not busy in all that was recorded."""
        def program(start):
            def run(m):
                m.host("main.py(1): start", start)
                for i in range(60):
                    m.launch("kernel_%d" % (i * i % 37), 101)
                m.synchronize()
            return said_of(machine.run(run))
        words = program(100_000)
        found = re.match(r"GPU ([\d.]+)% busy and ([\d.]+)% idle in all that was recorded; from its first op to its last "
                         r"([\d.>]+)% busy", words)
        self.assertTrue(found, words)
        self.assertAlmostEqual(float(found[1]), 100 * 6.06 / 106.2, delta=0.1)
        self.assertAlmostEqual(float(found[1]) + float(found[2]), 100, delta=0.11)
        self.assertRegex(program(10), r"^GPU [\d.>]+% busy, [\d.<]+% idle")

    def test_calls_of_mpi_are_one(self):
        """Each of them is a third of the stall."""
        def program(calls):
            def run(m):
                for number in range(4):
                    with m.step(number):
                        for call in calls:
                            m.host(call, 1500, "user_annotation")
                        m.launch(machine.GEMM, 1000)
                        m.synchronize()
            return findings(machine.run(run))[0]
        first = program(("MPI_Bcast", "MPI_Reduce", "MPI_Gather"))
        self.assertEqual(first["rule"], "host_stall")
        self.assertRegex(first["title"], r"the host is in MPI_\w+ and other communication of hosts while")
        self.assertIn("and other communication of hosts (100.00%)", first["evidence"])
        self.assertIn("Let the devices communicate", first["suggestion"])
        self.assertIn("the host is in MPI_Bcast while", program(("MPI_Bcast", "MPI_Bcast"))["title"])
        self.assertIn("the host computes", program(("MPI_Bcast", "pack", "unpack"))["title"])

    def test_launches_that_return_when_their_kernel_has_ended(self):
        def program(blocks):
            def run(m):
                for number in range(5):
                    with m.step(number):
                        for _ in range(60):
                            m.host("model.py(30): forward", 5)
                            m.launch(machine.GEMM, 100, takes=120 if blocks else machine.LAUNCH)
                        m.synchronize()
            return findings(machine.run(run))
        found = by_rule(program(True))["launch_bound"]
        self.assertIn("CUDA_LAUNCH_BLOCKING", found["suggestion"])
        self.assertIn("returns only after its kernel has ended", found["evidence"])
        self.assertNotIn("CUDA_LAUNCH_BLOCKING", str(program(False)))

    def test_the_op_around_allocations(self):
        def program(*ops):
            def run(m):
                for number in range(6):
                    with m.step(number):
                        for op in ops:
                            with m.within(op):
                                m.call("cudaFree", 900)
                                m.launch(machine.GEMM, 500)
                        m.synchronize()
            return by_rule(findings(machine.run(run)))["allocation"]["evidence"]
        self.assertIn("most in cudaFree (100.00%), 66.67% of the time in such calls within aten::cudnn_convolution",
                      program("aten::cudnn_convolution", "aten::mm", "aten::cudnn_convolution"))
        self.assertNotIn("within", program("aten::cudnn_convolution", "aten::mm", "aten::add"))

    def test_where_the_host_waits(self):
        def program(op, frame):
            def run(m):
                for number in range(6):
                    with m.step(number):
                        with m.within(frame, "python_function"), m.within("torch/_tensor.py(12): wrapped", "python_function"):
                            m.launch(machine.GEMM, 500)
                            with m.within(op):
                                m.quiet(1)
                                with m.within("aten::_inner"):
                                    m.quiet(1)
                                    m.synchronize(machine.MAIN_STREAM)
                            m.host("torch/x.py(3): rest", 300)
            return by_rule(findings(machine.run(run)))["synchronization"]["evidence"]
        self.assertIn("6 of 6 waits are in aten::nonzero, called from model/router.py(88): forward",
                      program("aten::nonzero", "model/router.py(88): forward"))
        self.assertIn("waits are in aten::_inner", program("aten::other", "torch/x.py(1): f"))
        self.assertNotIn("called from", program("aten::other", "torch/x.py(1): f"))

    def test_which_part_of_the_time_the_findings_are_about(self):
        """The first of six steps is a warm-up of a third of all."""
        def program(first):
            def run(m):
                for number in range(6):
                    with m.step(number):
                        if number == 0:
                            m.call("cuModuleLoadData", first)
                        for _ in range(10):
                            m.host("model.py(30): forward", 100)
                            m.launch(machine.GEMM, 100)
                        m.synchronize()
            return " ".join(str(said_of(machine.run(run))).split())
        self.assertRegex(program(3000), r"The findings are about 5\.\d+ ms of these 9\.\d+ ms\.")
        self.assertNotIn("The findings are about", program(10))

    def test_those_that_block_are_few_and_take_most_of_the_time(self):
        """A fifth of the calls, and nearly all of what they take."""
        def program(m):
            for number in range(5):
                with m.step(number):
                    for i in range(100):
                        m.launch(machine.GEMM, 300, takes=machine.LAUNCH if i % 5 else 20_000)
                    m.synchronize()
        found = by_rule(findings(machine.run(program)))["launch_bound"]
        self.assertIn("CUDA_LAUNCH_BLOCKING", found["suggestion"])
        self.assertIn("100 launch calls return only after their kernel has ended and take 99", found["evidence"])

    def test_copies_within_the_device_are_not_those_of_the_host(self):
        def program(direction, size):
            def run(m):
                for number in range(5):
                    with m.step(number):
                        for _ in range(20):
                            m.launch(machine.GEMM, 500)
                            m.copy(direction, size)
                        m.copy("HtoD", 1 << 20)
                        m.synchronize()
            return by_rule(findings(machine.run(run)))["exposed_copies"]
        within = program("DtoD", 10_000_000)
        self.assertIn("waits for copies within devices or between them", within["title"])
        self.assertIn("most of it 100 DtoD, 9.54 MiB each, at 24.9 GB/s (the memory, read and written: ", within["evidence"])
        self.assertTrue(within["suggestion"].startswith("Copy less on the device"))
        self.assertAlmostEqual(within["recoverable_ns"] / (100 * 402e3), 1, delta=0.1)
        of_host = program("HtoD", 10_000_000)
        self.assertNotIn("within devices", of_host["title"])
        self.assertIn("most of it 105 HtoD", of_host["evidence"])

    def test_a_kernel_of_no_class_is_named(self):
        def program(m):
            for _ in range(30):
                m.launch("jacobi_sweep(double*, int)", 900)
                m.launch("residual_norm2x(double*)", 100)
            m.synchronize()
        self.assertIn("most of it jacobi_sweep (90.00%)", by_rule(findings(machine.run(program)))["dominant_kernel"]["title"])

    def test_gaps_between_ops_that_had_been_launched(self):
        """No host is late there, and no rule gives them back: they are said, so that idle time is not left without a word."""
        def program(gap):
            def run(m):
                for i in range(100):
                    m.launch("kernel_%d" % (i * i % 37), 101, late=gap if i > 20 else 0)
                m.synchronize()
            return by_rule(findings(machine.run(run)))["dominant_kernel"]
        row = program(20)
        self.assertRegex(row["title"], r"; gaps between ops that had been launched take 1[0-9.]+%$")
        self.assertIn("; gaps: ", row["evidence"])
        self.assertNotIn("busy", row["suggestion"])
        row = program(2)
        self.assertNotIn("gaps", row["title"] + row["evidence"])

    def test_gaps_beside_work_of_another_stream_are_none(self):
        def program(m):
            for i in range(100):
                m.launch("kernel_%d" % (i * i % 37), 101, late=20 if i > 20 else 0)
                if i % 4 == 0:
                    m.launch("other_%d" % (i * i % 37), 600, stream=machine.COMM_STREAM)
            m.synchronize()
        row = by_rule(findings(machine.run(program)))["dominant_kernel"]
        self.assertNotIn("gaps", row["title"] + row["evidence"])

    def test_the_mark_of_an_iteration_is_no_place_to_begin(self):
        """What takes most by itself is."""
        def program(m):
            for number in range(4):
                with m.step(number):
                    for name, time in (("aten::a", 300), ("aten::b", 310), ("aten::c", 200)):
                        m.host(name, time, "cpu_op")
        row, gap = findings(machine.run(program))
        self.assertEqual((gap["rule"], gap["severity"]), ("incomplete_profile", "info"))
        self.assertEqual((row["rule"], row["severity"]), ("hot_path", "info"))
        self.assertRegex(row["title"], r"^3[0-9.]+% of the time is spent in aten::b itself$")
        self.assertRegex(row["evidence"], r"^then 3[0-9.]+% in aten::a; then 2[0-9.]+% in aten::c$")

    def test_steps_of_a_host_without_devices(self):
        """No replay says what their causes cost; their share is judged."""
        def program(loading):
            def run(m):
                for number in range(4):
                    with m.step(number):
                        with m.within("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"):
                            m.host("aten::stack", loading, "cpu_op")
                        m.host("aten::mm", 1000, "cpu_op")
            return findings(machine.run(run))
        row = program(500)[0]
        self.assertEqual((row["rule"], row["severity"], row["confidence"]), ("data_loading", "critical", "medium"))
        self.assertRegex(row["title"], r"^3[23][0-9.]+% of the time of the steps the run waits for input data$")
        self.assertIn("most in enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ (100.00%)", row["evidence"])
        self.assertIn("worker processes", row["suggestion"])
        self.assertIsNone(row["recoverable_ns"])
        self.assertEqual([row["rule"] for row in program(500)][1], "hot_path")
        self.assertEqual(program(100)[0]["severity"], "warning")
        self.assertNotIn("data_loading", by_rule(program(30)))


class NothingToDo(unittest.TestCase):
    """A thread that launches waits for events of the system."""

    @staticmethod
    def program(marked, wait):
        def turn(m):
            wait(m)
            for _ in range(4):
                m.launch(machine.GEMM, 300)

        def run(m):
            for number in range(6):
                if marked:
                    with m.step(number):
                        turn(m)
                else:
                    turn(m)
        return findings(machine.run(run))

    def test_without_iterations_it_may_have_no_requests(self):
        def wait(m):
            m.host("<built-in method poll of select.epoll object at 0x7f>", 5000)
        rows = self.program(False, wait)
        self.assertEqual(alarms(rows), [])
        self.assertIn("without requests, or for input that is late", by_rule(rows)["no_work"]["title"])
        self.assertEqual(self.program(True, wait)[0]["rule"], "io")

    def test_a_queue_of_python_without_iterations(self):
        """The lock says how the thread waits, the frame around it for what."""
        def wait(frame):
            def run(m):
                with m.within(frame, "python_function"):
                    m.quiet(1)
                    with m.within("/usr/lib/python3.11/threading.py(320): wait", "python_function"):
                        m.quiet(1)
                        m.host("<built-in method acquire of _thread.lock object at 0x7f>", 5000)
            return run
        rows = self.program(False, wait("/usr/lib/python3.11/queue.py(171): get"))
        self.assertEqual(alarms(rows), [])
        self.assertIn("queue.py(171): get: without requests, or for input that is late", by_rule(rows)["no_work"]["title"])
        self.assertEqual(self.program(True, wait("/usr/lib/python3.11/queue.py(171): get"))[0]["rule"], "lock_contention")

    def test_a_lock_that_another_thread_holds(self):
        def wait(m):
            with m.within("model.py(7): update", "python_function"):
                m.host("<built-in method acquire of _thread.lock object at 0x7f>", 5000)
        self.assertEqual(self.program(False, wait)[0]["rule"], "lock_contention")

    def test_a_request_comes_no_earlier(self):
        """What a server with time between its requests could do faster, it gains nothing from: it would wait longer."""
        def server(between):
            def run(m):
                arrives = 0
                for _ in range(20):
                    arrives += between
                    with m.within("/usr/lib/python3.11/asyncio/base_events.py(1922): _run_once", "python_function"):
                        m.quiet(1)
                        m.host("<built-in method poll of select.epoll object at 0x7f>", max(arrives - m.now, 1))
                    m.launch(machine.GEMM, 500)
                    m.synchronize()
                    m.host("server.py(9): answer", 900)
            return findings(machine.run(run))
        self.assertEqual(alarms(server(5000)), [])
        self.assertEqual(by_rule(server(5000))["no_work"]["severity"], "info")
        self.assertIn("synchronization", [row["rule"] for row in alarms(server(0))])

    def test_an_event_loop_takes_requests(self):
        def wait(m):
            with m.within("/usr/lib/python3.11/asyncio/base_events.py(1922): _run_once", "python_function"):
                m.host("<built-in method poll of select.epoll object at 0x7f>", 5000)
        for marked in (False, True):
            rows = self.program(marked, wait)
            self.assertIn("no request", by_rule(rows)["no_work"]["title"])
            self.assertNotIn("io", by_rule(rows))


class UnevenSteps(unittest.TestCase):
    """What single steps lose no replay of the whole run shows."""

    @staticmethod
    def program(lengths, host=lambda step: 0, others=None, blocks=None, marked=True):
        """`others`: what an elementwise kernel takes in each step, too."""
        def run(m):
            for step, length in enumerate(lengths):
                with m.step(step) if marked else contextlib.nullcontext():
                    m.host("model.py(4): now_and_then", host(step))
                    for _ in range(20):
                        m.launch(machine.GEMM, length, blocks=blocks[step] if blocks else 132)
                        if others:
                            m.launch(machine.ELEMENTWISE, others[step])
                    m.synchronize(machine.MAIN_STREAM)
        return run

    def rows(self, *arguments, **named):
        return by_rule(findings(machine.run(self.program(*arguments, **named))))

    def test_a_device_that_becomes_slower(self):
        """The saving is what the program takes less if the device stays as fast as it was."""
        def program(slow):
            return machine.run(self.program([300, 302, 299, 301] + [390, 391, 389, 392] if slow else [300, 302, 299, 301] * 2,
                                            others=[100] * 4 + [130] * 4 if slow else [100] * 8))
        found = findings(program(True))[0]
        self.assertEqual((found["rule"], found["severity"]), ("slows_down", "warning"))
        said = re.match(r"From step 4 on a step takes (1\.\d\d) times as long: 8\.\d+ ms -> 10\.\d+ ms, because the same kernels "
                        r"take 1\.30 times as long$", found["title"])
        self.assertAlmostEqual(float(said[1]), 1.3, delta=0.02)
        self.assertRegex(found["evidence"], r"^9\.\d+ ms of 7\d\.\d+ ms in all; on their critical path they have 2\.\d+ ms of compute")
        self.assertTrue(found["suggestion"].startswith("The device has become slower: look at its clocks"), found["suggestion"])
        true = 1000 * (machine.measured(program(True)) - machine.measured(program(False)))
        self.assertAlmostEqual(found["recoverable_ns"] / true, 1, delta=0.02)

    def test_a_kernel_that_becomes_slower(self):
        """At once, it may be the device. Little by little, or in other grids, it has more work."""
        jump = [300, 302, 299, 301, 390, 391, 389, 392]
        found = self.rows(jump)["slows_down"]
        self.assertRegex(found["title"], r"because \S*gemm\S* takes 1\.30 times as long$")
        self.assertTrue(found["suggestion"].startswith("Look whether the data have changed"), found["suggestion"])
        self.assertAlmostEqual(found["recoverable_ns"] / 1000, 20 * (sum(jump[4:]) - sum(jump[:4])), delta=40)
        growing = list(range(300, 460, 20))
        for rows in (self.rows(growing), self.rows(jump, blocks=[132] * 4 + [176] * 4)):
            self.assertEqual((rows["slows_down"]["severity"], rows["slows_down"]["recoverable_ns"]), ("info", None))
        self.assertEqual(self.rows(growing, others=[length // 2 for length in growing])["slows_down"]["severity"], "warning")

    def test_kernels_that_have_more_work(self):
        """Longer contexts of a server, larger batches for kernels that always fill the device, more of the long launches."""
        def program(launches):
            def run(m):
                for step in range(12):
                    with m.step(step):
                        for _ in range(20):
                            for kernel, durations, blocks in launches:
                                m.launch(kernel, durations[step >= 6], blocks=blocks[step >= 6])
                        m.synchronize(machine.MAIN_STREAM)
            return by_rule(findings(machine.run(run)))["slows_down"]
        attention = "void flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4>>(Flash_fwd_params)"
        for launches in ([(machine.GEMM, (60, 60), (132, 132)), (attention, (100, 265), (132, 132))],
                         [(machine.GEMM, (300, 390), (132, 132)), (machine.ELEMENTWISE, (40, 52), (1000, 1300))]):
            found = program(launches)
            self.assertEqual((found["severity"], found["recoverable_ns"]), ("info", None), launches)
        found = program([(attention, (100, 140), (132, 132)), (machine.GEMM, (300, 390), (132, 132)),
                         (machine.ELEMENTWISE, (40, 52), (1000, 1000))])
        self.assertIn("because the same kernels take 1.32 times as long", found["title"])  # of the whole device also these

        def mixed(m):
            for step in range(12):
                with m.step(step):
                    for launch in range(20):
                        is_long = launch < (10 if step < 6 else 15)
                        m.launch(machine.GEMM, 400 if is_long else 200, blocks=264 if is_long else 132)
                    m.synchronize(machine.MAIN_STREAM)
        self.assertEqual(by_rule(findings(machine.run(mixed)))["slows_down"]["severity"], "info")

    def test_some_kernels_of_many_ranks_are_not_why(self):
        """Products have more work, and an elementwise kernel takes a little longer, on each of eight ranks."""
        def run(m):
            for step in range(12):
                with m.step(step):
                    for _ in range(20):
                        m.launch(machine.GEMM, 300 if step < 6 else 390, blocks=132 if step < 6 else 200)
                        m.launch(machine.ELEMENTWISE, 50 if step < 6 else 56)
                    m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
                    yield m.collective("allreduce", 100)
                    m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
                    m.synchronize()
        self.assertEqual(by_rule(findings(machine.run(run, 8)))["slows_down"]["severity"], "info")

    def test_what_a_run_without_marks_repeats(self):
        """Without marks these are the kernels that follow each other, of which the longest is launched once each time."""
        def run(m):
            m.event("python_function", "logger.py(7): start", m.now - 900, 100, thread=7)  # times count from here
            for step in range(30):
                m.launch(machine.GEMM, 300 if step < 15 else 390)
                for _ in range(4):
                    m.launch(machine.ELEMENTWISE, 50)
            m.synchronize(machine.MAIN_STREAM)
        found = by_rule(findings(machine.run(run)))["slows_down"]
        self.assertRegex(found["title"], r"^From 8\.\d+ ms on what the run repeats takes 1\.\d\d times as long: 505\.0 us -> 595\.0 us, "
                         r"because \S*gemm\S* takes 1\.30 times as long$")
        self.assertAlmostEqual(found["recoverable_ns"] / 1000, 15 * 90, delta=95)
        self.assertNotIn("slows_down", self.rows(list(range(300, 460, 20)), marked=False))

    def test_slow_steps_need_not_be_longer_than_all_before(self):
        """Clocks vary: from step 12 on steps are longer by a tenth, but for single ones."""
        chance = random.Random(5)
        lengths = [300 + chance.randrange(12) for _ in range(12)] + [330 + chance.randrange(12) for _ in range(12)]
        lengths[3], lengths[17] = 332, 312
        found = self.rows(lengths)
        self.assertRegex(found["slows_down"]["title"], r"^From step 12 on a step takes 1\.\d\d times as long")
        by_chance = 0
        for seed in range(40):  # steps that vary by as much, in any order, do not slow down
            shuffled = random.Random(seed).sample(lengths, len(lengths))
            by_chance += "slows_down" in self.rows(shuffled)
        self.assertEqual(by_chance, 0)

    def test_clocks_and_power(self):
        lengths = [300] * 6 + [390] * 6
        with tempfile.TemporaryDirectory() as folder:
            (path,) = machine.write(machine.run(self.program(lengths)), folder, (9, 0), None)
            with open(path, encoding="utf-8") as handle:
                trace = json.load(handle)
            marks = sorted((event["ts"], event["dur"]) for event in trace["traceEvents"]
                           if event.get("name", "").startswith("ProfilerStep#"))
            for number, (start, duration) in enumerate(marks):
                for part in (0.1, 0.9):
                    for name, values in (("SM clock (MHz)", (1980, 1410)), ("power (W)", (400, 395)), ("requests", (1, 9))):
                        trace["traceEvents"].append({"ph": "C", "pid": 0, "name": name, "ts": start + part * duration,
                                                     "args": {"value": values[number >= 6]}})
            with open(path, "w", encoding="utf-8") as handle:
                json.dump(trace, handle)
            found = by_rule(tool.table(path, "findings"))["slows_down"]
        self.assertRegex(found["evidence"], r"SM clock \(MHz\)\S* 1980 -> 1410;")  # not what is the same, or says nothing of a device

    def test_single_steps(self):
        found = self.rows([300] * 8, host=lambda step: 9000 if step == 5 else 0)["uneven_steps"]
        self.assertRegex(found["title"], r"^1 of 8 steps take far longer than the usual 6\.\d+ ms: 15\.\d+ ms in step 5$")
        self.assertIn("ms of host_code more than the others", found["evidence"])

    def test_what_is_even_enough(self):
        for lengths in ([300] * 8, [300, 303] * 4, [300, 500] * 4, [300, 300, 300]):
            self.assertFalse({"uneven_steps", "slows_down"} & set(self.rows(lengths)), lengths)


class Links(unittest.TestCase):
    def test_ranks_behind_a_slow_link_are_no_stragglers(self):
        """Ranks 2 and 3 come late to what all four reduce, since what the two of them reduce takes longer."""
        def program(slow):
            def run(m):
                pair = m.number // 2
                for number in range(5):
                    with m.step(number):
                        for _ in range(4):
                            m.launch(machine.GEMM, 2000)
                            m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
                            yield m.collective("allreduce",
                                               300 + (slow if pair == 1 else 0), group="pair %d" % pair,
                                               members=[2 * pair, 2 * pair + 1], size=1 << 24)
                            yield m.collective("allreduce",
                                               200, group="all", size=1 << 20)
                            m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
                        m.synchronize()
            return by_rule(findings(machine.run(run, 4)))
        found = program(900)
        self.assertIn("slow_link", found)
        self.assertNotIn("straggler", found)
        self.assertAlmostEqual(found["slow_link"]["recoverable_high_ns"], 5 * 4 * 900e3, delta=1e6)
        self.assertNotIn("slow_link", program(0))


    def test_many_small_messages_are_to_be_joined(self):
        def program(count, size):
            def run(m):
                for number in range(4):
                    with m.step(number):
                        m.launch(machine.GEMM, 3000)
                        m.order(machine.COMM_STREAM, machine.MAIN_STREAM)
                        for _ in range(count):
                            yield m.collective("allreduce", 1600 // count, size=size // count)
                        m.order(machine.MAIN_STREAM, machine.COMM_STREAM)
                        m.synchronize()
            return by_rule(findings(machine.run(run, 2)))["exposed_communication"]["suggestion"]
        self.assertIn("fewer and larger messages", program(40, 40 << 20))
        self.assertNotIn("fewer and larger messages", program(4, 40 << 20))
        self.assertNotIn("fewer and larger messages", program(40, 400 << 20))


class Words(unittest.TestCase):
    def test_besides_which_findings_one_saves(self):
        """Waits and launches are counted after the others, and may be listed before them: then the others are named."""
        machines = machine.run(causes.training(("synchronization", 3000, True), ("host_stall", 2000, True)))
        rows = findings(machines)
        words = said_of(machines)
        counted = [row for row in rows if row["together_ns"] is not None and row["severity"] != "info"]
        told = 0
        for place, row in enumerate(counted):
            if row["recoverable_high_ns"] <= row["recoverable_ns"]:
                continue
            before = [other["id"] for other in counted if other["together_ns"] < row["together_ns"]]
            above = [other["id"] for other in counted[:place]]
            who = ("those above save" if before == above else "finding %d saves" % before[0] if len(before) == 1 else
                   "findings %s and %d save" % (", ".join(map(str, before[:-1])), before[-1]))
            said = words.split(" %d. " % row["id"], 1)[1] if row["id"] > 1 else words
            self.assertEqual(re.search(r"besides what (.*?), ", said)[1], who)
            told += 1
        self.assertTrue(told, json.dumps(rows, indent=1))

    def test_layout_changes_are_no_part_of_what_is_fused(self):
        """What is left without them is two kernels between convolutions."""
        def program(m):
            for number in range(5):
                with m.step(number):
                    for _ in range(40):
                        m.launch(machine.GEMM, 100)
                        m.launch(machine.ELEMENTWISE, 40)
                        m.launch(CONVERSION, 40)
                        m.launch(machine.ELEMENTWISE, 40)
                    m.synchronize()
        found = by_rule(findings(machine.run(program)))
        self.assertIn("layout_changes", found)
        self.assertNotIn("fusable_kernels", found)
        self.assertAlmostEqual(found["layout_changes"]["recoverable_ns"], 5 * 40 * 41e3, delta=6e5)


if __name__ == "__main__":
    unittest.main()
