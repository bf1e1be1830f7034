#!/usr/bin/env python3
"""Numbers that no profiler writes, in places where a smaller one would be believed.

Environment: CGPU (the binary).
"""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402


def kernel(name, at, **arguments):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at, "dur": 10,
            "args": dict({"device": 0, "stream": 7}, **arguments)}


def copy(at, size):
    return {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": 7, "ts": at,
            "dur": 10, "args": {"device": 0, "stream": 7, "bytes": size}}


class ImpossibleNumbers(unittest.TestCase):
    def setUp(self):
        tool.must_exist()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def profile(self, events, name="a.json"):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            json.dump({"schemaVersion": 1, "traceEvents": events}, file)
        return path

    def test_a_device_is_not_the_one_of_the_lowest_bits_of_its_number(self):
        numbers = [0, 2**32, 2**32 + 1, 2**63 - 1, -2**31 - 1, 2**31, 3]
        path = self.profile([kernel("k", 100 * i, device=number) for i, number in enumerate(numbers)])
        for ending in (None, ".pftrace", ".json"):
            if ending:
                written = os.path.join(self.folder, "b" + ending)
                self.assertEqual(0, tool.run(["export", path, "-o", written]).returncode)
                path = written
            self.assertEqual({-1: 50_000, 0: 10_000, 3: 10_000},
                             {row["device"]: row["busy_ns"] for row in tool.table(path, "gpu_time")})

    def test_sums_of_sizes_fit(self):
        events = [copy(100 * i, 2**62) for i in range(4)] + [copy(500, 4096)]
        events += [kernel("ncclDevKernel_AllReduce", 1000 + 100 * i, **{
            "Collective name": "allreduce", "Group size": 2, "In msg nelems": size, "Out msg nelems": size,
            "dtype": "Float"}) for i, size in enumerate([2**61, 2**61 + 64, 2**60, 1024])]
        events += [{"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": 2000 + i,
                    "args": {"Device Type": 1, "Device Id": 0, "Bytes": size, "Addr": 1}} for i, size in enumerate(
                        [2**62, 2**62, 2**62, 512])]
        path = self.profile(events)
        (copies,) = tool.table(path, "transfers")
        self.assertEqual((5, 4096), (copies["count"], copies["bytes"]))
        (collectives,) = tool.table(path, "collectives")
        self.assertEqual((4, 4096), (collectives["count"], collectives["bytes"]))
        self.assertEqual([512], [row["growth_bytes"] for row in tool.table(path, "memory_over_time")])
        notes = {row["code"]: row["count"] for row in tool.table(path, "notes")}
        self.assertEqual(4 + 2 * 3 + 3, notes["implausible_size"])
        info = tool.info(path)
        self.assertEqual((1, 3), (info["memory_events"], info["skipped_events"]))

    def test_times_beyond_a_century_are_left_out(self):
        path = self.profile([kernel("k", 1), dict(kernel("k", 20), dur=2**53), kernel("k", 4 * 10**15)])
        info = tool.info(path)
        self.assertEqual((1, 2), (info["device_slices"], info["skipped_events"]))

    def test_no_summary_is_written_that_is_refused_when_it_is_read(self):
        path = self.profile([kernel("k", 1), dict(kernel("k", 20), dur=3 * 10**15)])
        summary = os.path.join(self.folder, "a.cgpu")
        done = tool.run(["summarize", path, "-o", summary])
        self.assertEqual(2, done.returncode)
        self.assertRegex(done.stderr.decode(), r"^cgpu: .*a.json: has slices more than 70 years from its others")
        self.assertFalse(os.path.exists(summary))
        self.assertEqual(0, tool.run(["summarize", path, "--to", "1s", "-o", summary]).returncode)
        self.assertEqual(2, tool.info(summary)["device_slices"])


if __name__ == "__main__":
    unittest.main()
