#!/usr/bin/env python3
"""Pages of managed memory in profiles of Nsight Systems move because somebody touches them: no call launches them. On programs
whose migrations are written here, so that each number follows from how they were built.

Environment: CGPU (the binary).
"""
import collections
import os
import sqlite3
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from oracle.diagnosis import by_rule  # noqa: E402
from simulated_jobs.nsys_file import SCHEMA, insert  # noqa: E402

US = 1000
PROCESS = 1 << 48 | 100 << 24
THREAD = PROCESS | 100
TEXTS = {1: "stencil", 2: "cudaLaunchKernel_v7000", 3: "cudaDeviceSynchronize_v3020", 4: "add up"}
TO_DEVICE, TO_HOST = 11, 12
ITERATIONS = 20
KERNEL_US = 3000
PAGES = 10          # of each direction
TO_DEVICE_US, TO_HOST_US = 200, 100
BETWEEN_US = 300    # of the host, before it touches the next page


def write(path):
    """Each iteration: a kernel of 3 ms, beside which pages of 2 ms come; then the host adds up what it computed, page by page:
    0.3 ms for each, and 0.1 ms until it has come."""
    with sqlite3.connect(path) as database:
        database.executescript(SCHEMA)
        insert(database, "TARGET_INFO_GPU", id=0, name="NVIDIA H100", smCount=132, totalMemory=84942979072)
        database.executemany("INSERT INTO StringIds VALUES (?, ?)", TEXTS.items())

        def call(name, begin, end, correlation):
            insert(database, "CUPTI_ACTIVITY_KIND_RUNTIME", start=begin * US, end=end * US, eventClass=0, globalTid=THREAD,
                   correlationId=correlation, nameId=name, returnValue=0)

        def device_op(kind, begin, duration, **more):
            insert(database, "CUPTI_ACTIVITY_KIND_" + kind, start=begin * US, end=(begin + duration) * US, deviceId=0, contextId=1,
                   globalPid=PROCESS, **more)

        def migrate(kind, begin, duration):
            device_op("MEMCPY", begin, duration, streamId=0, correlationId=0, bytes=2097152, copyKind=kind, srcKind=4, dstKind=4)

        now = 0
        for number in range(ITERATIONS):
            call(2, now, now + 5, 2 * number + 1)
            device_op("KERNEL", now + 10, KERNEL_US, streamId=7, correlationId=2 * number + 1, demangledName=1, shortName=1,
                      gridX=4000, registersPerThread=32)
            for page in range(PAGES):
                migrate(TO_DEVICE, now + 20 + page * TO_DEVICE_US, TO_DEVICE_US)
            now += 10 + KERNEL_US
            call(3, now - KERNEL_US, now, 2 * number + 2)
            begin = now
            for page in range(PAGES):
                now += BETWEEN_US
                migrate(TO_HOST, now, TO_HOST_US)
                now += TO_HOST_US
            now += BETWEEN_US
            insert(database, "NVTX_EVENTS", start=begin * US, end=now * US, eventType=59, globalTid=THREAD, textId=4, domainId=0)
    return path


class Migrations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tool.must_exist()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = write(os.path.join(folder.name, "managed.sqlite"))
        cls.findings = by_rule(tool.table(cls.path, "findings"))

    def test_no_launch_is_missed(self):
        notes = {row["code"] for row in tool.table(self.path, "notes")}
        self.assertNotIn("orphan_device_op", notes)
        self.assertEqual({"untraced_host", "incomplete_profile"} & set(self.findings), set())

    def test_what_the_host_did_before_it_touched_a_page_is_why_the_device_was_idle(self):
        times = collections.Counter()
        for row in tool.table(self.path, "idle_hosts"):
            times[row["cause"], row["culprit"]] += row["total_ns"]
        before_pages = ITERATIONS * PAGES * BETWEEN_US * US
        self.assertGreaterEqual(times["host_code", "add up"], before_pages)
        self.assertNotIn("unknown", {cause for cause, _ in times})
        bounds = {row["bound_by"]: row["total_ns"] for row in tool.table(self.path, "critical_path")}
        self.assertGreaterEqual(bounds["host_code"], before_pages)
        self.assertNotIn("unknown", bounds)

    def test_the_finding_counts_the_pages(self):
        found = self.findings["exposed_copies"]
        judged = ITERATIONS - 1  # the last does not end with another
        exposed, beside = judged * PAGES * TO_HOST_US * US, judged * PAGES * TO_DEVICE_US * US
        self.assertIn("pages of managed memory", found["title"])
        self.assertIn("%d migrations" % (2 * PAGES * judged), found["evidence"])
        self.assertEqual(found["recoverable_high_ns"], exposed + beside)
        self.assertEqual(found["recoverable_low_ns"], exposed)
        self.assertIn("cudaMemPrefetchAsync", found["suggestion"])

    def test_the_host_has_to_wait_for_what_it_reads(self):
        self.assertNotIn("synchronization", self.findings)

    def test_code_between_pages_is_one_stretch(self):
        found = self.findings["host_stall"]
        self.assertEqual(found["severity"], "critical")
        self.assertIn("add up", found["title"])
        self.assertGreaterEqual(found["recoverable_high_ns"], (ITERATIONS - 1) * PAGES * BETWEEN_US * US)


if __name__ == "__main__":
    unittest.main()
