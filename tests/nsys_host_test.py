#!/usr/bin/env python3
"""Samples and scheduling of the host in Nsight Systems profiles say what it does while the device is idle: in programs
whose calls and samples are written here, so that each number follows from how they were built.

Environment: CGPU (the binary).
"""
import os
import sqlite3
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from simulated_jobs.nsys_file import SCHEMA, insert  # noqa: E402
from view_test import Server  # noqa: E402

STEPS = 40
STEP_US = 10_000
KERNEL_US = 2_000
THREAD = 1 << 48 | 100 << 24 | 100
TEXTS = {1: "stencil", 2: "cudaLaunchKernel_v7000", 3: "cudaDeviceSynchronize_v3020", 4: "main", 5: "parse_line", 6: "sort",
         7: "/bin/program", 8: "prepare"}


def add_call(database, start, end, correlation, name):
    insert(database, "CUPTI_ACTIVITY_KIND_RUNTIME", start=start, end=end, eventClass=0, globalTid=THREAD,
           correlationId=correlation, nameId=name, returnValue=0)


def add_kernel(database, start, end, device, correlation, name):
    insert(database, "CUPTI_ACTIVITY_KIND_KERNEL", start=start, end=end, deviceId=device, contextId=1, streamId=7,
           correlationId=correlation, globalPid=THREAD >> 24 << 24, demangledName=name, shortName=name, gridX=64,
           registersPerThread=32)


def add_sample(database, number, time, function, thread=THREAD):
    database.execute("INSERT INTO COMPOSITE_EVENTS VALUES (?, ?, 0, 1, ?, 1)", (number, time, thread))
    database.execute("INSERT INTO SAMPLING_CALLCHAINS VALUES (?, ?, 7, 0)", (number, function))
    database.execute("INSERT INTO SAMPLING_CALLCHAINS VALUES (?, 4, 7, 1)", (number,))


def write_program(path, with_range, devices=1, steps=STEPS, first=0, with_other_threads=False, range_until_us=8_000):
    """Each step waits for its kernel of 2 ms, on each device; then the host works for 8 ms, in which it is sampled each 1 ms:
    five times in parse_line, three times in sort. A range begins with this work. Five other threads are sampled each 4 ms."""
    with sqlite3.connect(path) as database:
        database.executescript(SCHEMA + """
            CREATE TABLE COMPOSITE_EVENTS (id INTEGER PRIMARY KEY, start INTEGER, cpu INTEGER, threadState INTEGER,
              globalTid INTEGER, cpuCycles INTEGER);
            CREATE TABLE SAMPLING_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, stackDepth INTEGER);
        """)
        insert(database, "TARGET_INFO_GPU", id=0, name="NVIDIA H100", smCount=132, totalMemory=84942979072)
        database.executemany("INSERT INTO StringIds VALUES (?, ?)", TEXTS.items())
        sample = 0
        for step in range(steps):
            begin = first + step * STEP_US * 1000
            for device in range(devices):
                correlation = step * (devices + 1) + device + 1
                add_call(database, begin + 10 * device, begin + (5_000 if devices == 1 else 10 * device + 9), correlation, 2)
                add_kernel(database, begin + 5_000, begin + KERNEL_US * 1000, device, correlation, 1)
            end = begin + KERNEL_US * 1000
            add_call(database, begin + 6_000, end + 1_000, (step + 1) * (devices + 1), 3)
            if with_range:
                insert(database, "NVTX_EVENTS", start=end + 2_000, end=end + range_until_us * 1000 - 1_000, eventType=59,
                       globalTid=THREAD, textId=8, domainId=0)
            for number in range(8):
                sample += 1
                add_sample(database, sample, end + 500_000 + number * 1_000_000, 5 if number < 5 else 6)
            for number in range(5) if with_other_threads else ():
                sample += 1
                for thread in range(1, 6):  # most samples are theirs
                    add_sample(database, 10_000 * thread + sample, begin + number * 4_000_000, 6, THREAD + thread)


def write_silent_program(path, evidence):
    """Launches of kernels of many names, 100 to 200 ms apart. Between them nothing is recorded of the thread but that it was on
    a processor ("scheduled") or sampled ("sampled") all the time, or on a processor for 1 ms after each launch ("away")."""
    write_program(path, False)
    with sqlite3.connect(path) as database:
        database.executescript("""
            DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME; DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL;
            DELETE FROM COMPOSITE_EVENTS; DELETE FROM SAMPLING_CALLCHAINS;
            CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER, isSchedIn INTEGER, globalTid INTEGER);
        """)
        begin = 0
        sample = 0
        for number in range(20):
            database.execute("INSERT INTO StringIds VALUES (?, ?)", (100 + number, "kernel_" + "abcdefghijklmnopqrst"[number]))
            add_call(database, begin, begin + 5_000, number + 1, 2)
            add_kernel(database, begin + 5_000, begin + 2_000_000, 0, number + 1, 100 + number)
            after = begin + 110_000_000 + 7_000_000 * (number * 5 % 13)
            until = begin + 1_000_000 if evidence == "away" else after
            for time, comes in ((begin, 1), (until, 0)) if evidence != "sampled" else ():
                database.execute("INSERT INTO SCHED_EVENTS VALUES (?, 3, ?, ?)", (time, comes, THREAD))
            for time in range(begin + 1_000_000, after, 1_000_000) if evidence == "sampled" else ():
                sample += 1
                add_sample(database, sample, time, 5)
            begin = after


class Silence(unittest.TestCase):
    """Of threads of which no call is recorded between launches."""

    def tables(self, evidence):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "silent.sqlite")
            write_silent_program(path, evidence)
            (thread,) = tool.table(path, "threads")
            return {row["rule"] for row in tool.table(path, "findings")}, thread

    def test_a_thread_that_is_seen_on_a_processor_computes(self):
        for evidence, name in (("scheduled", "scheduling"), ("sampled", "samples")):
            with self.subTest(evidence):
                rules, thread = self.tables(evidence)
                self.assertIn("host_stall", rules)
                self.assertNotIn("no_work", rules)
                self.assertEqual(thread["evidence"], name)
                self.assertGreater(thread["utilization_pct"], 97)

    def test_one_that_is_not_may_have_had_nothing_to_do(self):
        rules, thread = self.tables("away")
        self.assertIn("no_work", rules)
        self.assertNotIn("host_stall", rules)
        self.assertLess(thread["utilization_pct"], 2)


class WithoutItsDevice(unittest.TestCase):
    def test_a_sampled_host_whose_device_was_not_recorded(self):
        """As where the profiler is older than the driver: there are samples of the host, and a device that did nothing."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "host.sqlite")
            write_program(path, True)
            for has_device in (True, False):
                with sqlite3.connect(path) as database:
                    database.executescript("DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME; DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL;")
                    if not has_device:
                        database.execute("DELETE FROM TARGET_INFO_GPU")
                titles = [row["title"] for row in tool.table(path, "findings") if row["rule"] == "incomplete_profile"]
                self.assertEqual(titles, ["The profile names a device, NVIDIA H100, and holds no work of it"] * has_device)


class Samples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.plain = os.path.join(folder.name, "plain.sqlite")
        cls.ranges = os.path.join(folder.name, "ranges.sqlite")
        write_program(cls.plain, False)
        write_program(cls.ranges, True)

    @staticmethod
    def stall(path):
        return next(row for row in tool.table(path, "findings") if row["rule"] == "host_stall")

    def test_idle_time_has_the_names_of_functions(self):
        rows = {row["culprit"]: row["total_ns"] for row in tool.table(self.plain, "idle_hosts") if row["cause"] == "host_code"}
        gaps = STEPS - 1
        # Of the last 0.5 ms of a gap no sample says anything: the next one is taken in the next step.
        self.assertEqual(rows.pop("(nothing recorded before cudaLaunchKernel)"), gaps * 500_000)
        self.assertEqual(rows, {"parse_line": gaps * (4_500_000 - 1_000), "sort": gaps * 3_000_000})
        idle = {row["cause"]: row["total_ns"] for row in tool.table(self.plain, "idle")}
        self.assertEqual(idle["host_code"], gaps * (8_000_000 - 1_000))

    def test_the_stall_is_named_by_the_function(self):
        stall = self.stall(self.plain)
        self.assertIn("of that in parse_line", stall["title"])
        self.assertNotIn("samples of the host", stall["evidence"])

    def test_samples_say_what_is_done_in_a_range(self):
        stall = self.stall(self.ranges)
        self.assertIn("the host is in prepare", stall["title"])
        self.assertIn("samples of the host were taken there most often in parse_line (62.50%)", stall["evidence"])

    def built(self, **options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.sqlite")
            write_program(path, **options)
            stall = [row["evidence"] for row in tool.table(path, "findings") if row["rule"] == "host_stall"]
            rows = {row["culprit"]: row["total_ns"] for row in tool.table(path, "idle_hosts") if row["cause"] == "host_code"}
            return stall[0] if stall else None, rows

    def test_samples_beyond_the_range_count_too(self):
        evidence, _ = self.built(with_range=True, range_until_us=6_000)  # parse_line five times, sort once; sort twice after it
        self.assertIn("most in prepare (74.97%); samples of the host were taken there most often in parse_line (62.50%)", evidence)

    def test_a_sample_counts_once_however_many_devices_are_idle(self):
        for devices in (1, 4):
            evidence, _ = self.built(with_range=True, devices=devices, steps=3)  # 16 samples in gaps
            self.assertIn("most in prepare", evidence)
            self.assertNotIn("samples of the host", evidence)

    def test_threads_that_are_sampled_less_often_change_nothing(self):
        self.assertEqual(self.built(with_range=False, with_other_threads=True)[1], self.built(with_range=False)[1])

    def test_samples_of_equal_times(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.sqlite")
            write_program(path, False)
            with sqlite3.connect(path) as database:  # each once more, at the same time
                for number, time in database.execute("SELECT id, start FROM COMPOSITE_EVENTS").fetchall():
                    add_sample(database, 10_000 + number, time, 6)
            twice = {row["culprit"]: row["total_ns"] for row in tool.table(path, "idle_hosts")}
        once = {row["culprit"]: row["total_ns"] for row in tool.table(self.plain, "idle_hosts")}
        self.assertEqual(twice, once)

    def test_times_before_zero(self):
        _, before = self.built(with_range=False, first=-10**9)
        _, after = self.built(with_range=False)
        after["parse_line"] -= 499_000  # the first sample of a thread ends before 0 here, and gets no length
        after["(nothing recorded before cudaLaunchKernel)"] += 499_000
        self.assertEqual(before, after)

    def test_each_thread_has_its_samples_and_their_call_paths_below_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.sqlite")
            write_program(path, False, with_other_threads=True)
            with sqlite3.connect(path) as database:
                database.execute("CREATE TABLE ThreadNames (nameId INTEGER, globalTid INTEGER)")
                for thread in range(THREAD, THREAD + 6):
                    database.execute("INSERT INTO ThreadNames VALUES (4, ?)", (thread,))
                    database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, ?, 0, 2, 0)", (thread,))
            with Server(path) as server:
                server.state()
                tracks = [track["name"] for track in server.json("/api/p/0/session")["tracks"] if "main" in track["name"]]
        self.assertEqual(tracks, [name % number for number in range(100, 106)
                                  for name in ("main (%d)", "main samples (%d)", "main samples (%d) call path")])

    def test_the_timeline_keeps_the_calls_apart_from_the_samples(self):
        kinds = {}
        for row in tool.table(self.plain, "slices", "--top", "0"):
            kinds.setdefault(row["track"], set()).add(row["category"])
        self.assertEqual(sum(categories == {"cpu sample"} for categories in kinds.values()), 1)
        self.assertFalse([categories for categories in kinds.values() if len(categories) > 1 and "cpu sample" in categories])


if __name__ == "__main__":
    unittest.main()
