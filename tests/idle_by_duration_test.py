#!/usr/bin/env python3
"""Causes of idle time that follow from how long calls and ops take: threads that wait for the driver's lock, ops in which a thread
stands still. Traces with random durations, held to the slow oracle (tests/oracle/idle.py).

Environment: CGPU (the binary).
"""
import json
import os
import random
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import hold, tool  # noqa: E402


def setUpModule():
    tool.must_exist()


class Recording:
    """A trace in microseconds."""

    def __init__(self):
        self.events, self.launches, self.busy = [], 0, {}

    def add(self, kind, name, start, duration, thread, process=1, **arguments):
        self.events.append({"ph": "X", "cat": kind, "name": name, "ts": start, "dur": duration, "pid": process, "tid": thread,
                            "args": arguments})

    def launch(self, start, duration, thread, stream=7):
        self.launches += 1
        self.add("cuda_runtime", "cudaLaunchKernel", start, duration, thread, correlation=self.launches)
        begin = max(start + duration + 1, self.busy.get(stream, 0) + 1)
        self.busy[stream] = begin + 5
        self.add("kernel", "k", begin, 5, stream, 0, correlation=self.launches, device=0, stream=stream)

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": self.events}, file)
        return path


def two_threads(seed):
    """Launches of two threads, at times together, then several times as long or as long as ever."""
    choice, recording, now = random.Random(seed), Recording(), 0
    factor = choice.choice([1, 2, 4, 10, 30])
    for _ in range(80):
        for thread in (11, 12):
            recording.launch(now + choice.randrange(3), choice.randrange(4, 7) * choice.randrange(1, factor + 1), thread, thread)
        now += 7 * factor + choice.randrange(50)
        for thread in (11, 12):
            recording.launch(now, choice.randrange(4, 7), thread, thread)
            now += choice.randrange(8, 300)
    return recording


def ops_that_stop(seed):
    """Ops of two names, some of which stand still, before or behind their launch, for about a hundred times the usual."""
    choice, recording, now = random.Random(seed), Recording(), 0
    for number in range(400):
        name = choice.choice(["aten::mul", "aten::mul", "c10d::allreduce_"])
        stops = number > 0 and choice.randrange(60 + 100 * (seed % 3)) == 0
        before, behind = (choice.choice([(0, 1), (1, 0)]) if stops else (0, 0))
        still = choice.randrange(400, 3000)
        launches = choice.randrange(10) > 0
        recording.add("cpu_op", name, now, 12 + still * (before + behind), 11)
        if launches:
            recording.launch(now + 3 + still * before, 6, 11)
        now += 14 + still * (before + behind)
    return recording


class AgainstTheOracle(unittest.TestCase):
    def check(self, make, cause):
        found = 0
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(12):
                with self.subTest(seed=seed):
                    path = make(seed).write(os.path.join(folder, "run%d.json" % seed))
                    self.assertEqual(list(hold.differences([path], [path])), [])
                    found += any(row["cause"] == cause for row in tool.table(path, "idle"))
        self.assertGreater(found, 2, "runs with %s" % cause)
        self.assertLess(found, 12)

    def test_waiting_for_the_drivers_lock(self):
        self.check(two_threads, "lock")

    def test_ops_that_stand_still(self):
        self.check(ops_that_stop, "not_scheduled")


if __name__ == "__main__":
    unittest.main()
