#!/usr/bin/env python3
"""Tables `threads` and `processes`, against a second computation of every thread's time: of Kineto traces moment by
moment, of Nsight Systems by SQL over its scheduling events, of HPCToolkit by the processor time that it measured.

Environment: CGPU (the binary), CGPU_BUILDER (the trace builder).
"""
import collections
import heapq
import os
import re
import sqlite3
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import built, hold, idle, kineto, tool  # noqa: E402
from oracle.pool import Case, Pool  # noqa: E402

PARTS = ["running_ns", "device_wait_ns", "lock_wait_ns", "io_wait_ns", "sleep_ns", "other_wait_ns", "not_scheduled_ns",
         "call_ns", "os_call_ns", "op_ns", "python_ns", "annotation_ns", "unknown_ns"]
PART_OF_KIND = {kineto.OP: "op_ns", kineto.ANNOTATION: "annotation_ns", kineto.PYTHON: "python_ns",
                kineto.RUNTIME: "call_ns", kineto.DRIVER: "call_ns"}
PART_OF_CAUSE = {"synchronization": "device_wait_ns", "blocking_copy": "device_wait_ns", "lock": "lock_wait_ns",
                 "io": "io_wait_ns"}
PYTHON_WAIT = re.compile(r"threading\.py\(\d+\): (wait|wait_for|acquire|_wait_for_tstate_lock)$")
NSYS = tool.shared(os.path.join("corpus", "nsys_sqlite"))
HPCTOOLKIT = tool.shared(os.path.join("corpus", "hpctoolkit_v4"))
BUILT = {"cnn": ["--model", "cnn", "--seed", 41, "--steps", 6], "llm": ["--model", "llm", "--seed", 42],
         "amd": ["--model", "moe", "--seed", 43, "--vendor", "amd"]}


def wait_of(item):
    cause = PART_OF_CAUSE.get(idle.cause_of(item))
    if cause is None and item.kind == kineto.PYTHON:
        if PYTHON_WAIT.search(item.name):
            return "lock_wait_ns"
        if item.name.endswith("selectors.py: select") or re.search(r"selectors\.py\(\d+\): select$", item.name):
            return "io_wait_ns"
        if item.name == "<built-in function sleep>":
            return "sleep_ns"
    return cause


def part_of(item, parts):
    """Of a slice whose parent has its part already."""
    around = parts.get(id(item.parent))
    around = around if around in ("device_wait_ns", "lock_wait_ns", "io_wait_ns", "sleep_ns") else None
    if around == "device_wait_ns":
        return around
    return wait_of(item) or around or PART_OF_KIND[item.kind]


def times_of(items):
    """{part: ns} of the slices of a thread, outer before inner."""
    parts, times = {}, collections.Counter()
    for item in items:
        parts[id(item)] = part_of(item, parts)
    moments = sorted({moment for item in items for moment in (item.start, item.end)})
    active, at = [], 0
    for begin, end in zip(moments, moments[1:]):
        while at < len(items) and items[at].start <= begin:
            heapq.heappush(active, (-at, items[at].end))
            at += 1
        while active and active[0][1] <= begin:
            heapq.heappop(active)
        times[parts[id(items[-active[0][0]])] if active else "unknown_ns"] += end - begin
    return times


def wrong_sums(rows, whole):
    sums = [sum(row[part] or 0 for part in PARTS) for row in rows]
    return ["%s: parts %d, %s %d" % (row, total, whole, row[whole]) for row, total in zip(rows, sums) if total != row[whole]]


def wrong_in_kineto(path):
    trace = kineto.load(path)
    expected = {}
    for key, items in kineto.threads(trace.slices).items():
        if max(i.end for i in items) > min(i.start for i in items):
            expected[key] = times_of(items)
    rows = tool.table(path, "threads")
    wrong = wrong_sums(rows, "span_ns") + wrong_sums(tool.table(path, "processes"), "thread_ns")
    seen = {(row["process"], row["thread"]): row for row in rows}
    if set(seen) != set(expected):
        return wrong + ["threads %s, expected %s" % (sorted(seen), sorted(expected))]
    for key, times in expected.items():
        for part in PARTS:
            want = None if part in ("running_ns", "not_scheduled_ns") else times[part]  # Kineto does not tell
            if seen[key][part] != want:
                wrong.append("%s %s: %s, expected %s" % (key, part, seen[key][part], want))
    return wrong


def wrong_in_corpus(name):
    with tempfile.TemporaryDirectory() as folder:
        files = kineto.unpack(os.path.join(tool.corpus(), name), folder)
        return [line for file in files for line in wrong_in_kineto(file)]


def wrong_in_built(name):
    with tempfile.TemporaryDirectory() as folder:
        trace, _ = built.build(folder, *BUILT[name])
        return wrong_in_kineto(trace)


def processor_times(database):
    """{(process, thread): ns on processors} from the events, as a thread comes to a processor and leaves it."""
    out, open_on, last = collections.Counter(), {}, {}
    events = database.execute("select start, cpu, isSchedIn, globalTid from SCHED_EVENTS order by cpu, start, rowid")
    for start, cpu, comes, thread in events.fetchall():
        if cpu in open_on and (comes or open_on[cpu][1] == thread):
            since, who = open_on.pop(cpu)
            out[who >> 24 & 0xffffff, who & 0xffffff] += start - since
        if comes:
            open_on[cpu] = (start, thread)
        last[cpu] = start
    for cpu, (since, who) in open_on.items():
        out[who >> 24 & 0xffffff, who & 0xffffff] += last[cpu] - since
    return out


def wrong_in_nsys(name):
    path = os.path.join(NSYS, name)
    rows = tool.table(path, "threads")
    wrong = wrong_sums(rows, "span_ns") + wrong_sums(tool.table(path, "processes"), "thread_ns")
    database = sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True)
    if not database.execute("select 1 from sqlite_master where name = 'SCHED_EVENTS'").fetchone():
        return wrong
    expected = processor_times(database)
    seen = {(int(row["process"]), int(row["thread"])): row["on_processor_ns"] for row in rows
            if row["evidence"] == "scheduling"}
    for key in set(seen) | {key for key, ns in expected.items() if ns > 0}:
        if seen.get(key) != expected[key]:
            wrong.append("%s: %s on processors, expected %d" % (key, seen.get(key), expected[key]))
    return wrong


def exports():
    """The databases that are exports; one of the folder is another program's."""
    if not os.path.isdir(NSYS):
        return []
    return sorted(f for f in os.listdir(NSYS) if f.endswith(".sqlite") and "docs__examples__test" not in f)


def setUpModule():
    tool.must_exist()
    pool = Case.pool = Pool()
    for name in hold.corpus_files():
        pool.start(name, wrong_in_corpus, name)
    for name in exports():
        pool.start(name, wrong_in_nsys, name)
    for name in BUILT:
        pool.start("built " + name, wrong_in_built, name)


def tearDownModule():
    if Case.pool:
        Case.pool.close()


class Threads(Case):
    if not hold.corpus_files() and not exports():
        def test_real_profiles(self):
            self.skipTest("no corpus beside the checkout")


class Samples(unittest.TestCase):
    def test_the_processor_time_that_was_counted_is_what_is_shown(self):
        """Of a thread whose CPUTIME the profile has, nothing is estimated from the distances of samples."""
        if not os.path.isdir(HPCTOOLKIT):
            self.skipTest("no corpus beside the checkout")
        checked = 0
        for name in sorted(os.listdir(HPCTOOLKIT)):
            path = os.path.join(HPCTOOLKIT, name)
            profiles = {"thread %d" % row["thread"]: row for row in tool.table(path, "profiles")
                        if row["kind"] == "thread" and row.get("CPUTIME")}
            for row in tool.table(path, "threads"):
                if row["evidence"] != "samples" or row["thread"] not in profiles or "ping-pong" in name:
                    continue
                measured = profiles[row["thread"]]["CPUTIME"] * 1e9
                self.assertAlmostEqual(row["on_processor_ns"], measured, delta=1, msg=(name, row))
                self.assertAlmostEqual(row["utilization_pct"], min(100, 100 * measured / row["span_ns"]), delta=1e-6, msg=(name, row))
                self.assertLessEqual(row["running_ns"], measured + 1, (name, row))
                self.assertIsNone(row["utilization_low_pct"])
                checked += 1
        self.assertGreater(checked, 0)


for _name in hold.corpus_files() + exports():
    Threads.add(_name, _name)
for _name in BUILT:
    Threads.add("built " + _name, "built " + _name)


if __name__ == "__main__":
    unittest.main()
