#!/usr/bin/env python3
"""memory_at_peak, memory_steps and memory_over_time against a slow computation from the events of the traces themselves.

Environment: CGPU (the binary), CGPU_CORPUS (a folder of Kineto traces).
"""
import collections
import json
import os
import random
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import hold, kineto, tool  # noqa: E402
from oracle.pool import Case, Pool  # noqa: E402

OPS = ("cpu_op", "operator")
BEFORE = "(allocated before the recording)"


def ns(value):
    return kineto.nanoseconds(kineto.exact(value))


class Events:
    """The allocator's events of a trace by device, and what was open on their threads."""

    def __init__(self, path):
        trace = kineto.parse(kineto.read_text(path))
        trace = trace if isinstance(trace, list) else trace["traceEvents"]
        self.memory = collections.defaultdict(list)
        self.ops = collections.defaultdict(list)
        self.frames = collections.defaultdict(list)
        self.steps = []
        for event in trace:
            thread = (str(event.get("pid")), str(event.get("tid")))
            category = str(event.get("cat", "")).lower()
            if event.get("name") == "[memory]":
                args = event["args"]
                device = -1 if args.get("Device Type") == 0 else args.get("Device Id", -1)
                self.memory[device].append((ns(event["ts"]), args, thread))
            elif event.get("ph") == "X" and "dur" in event:
                start = ns(event["ts"])
                end = kineto.nanoseconds(kineto.exact(event["ts"]) + kineto.exact(event["dur"]))
                if category in OPS and not event["name"].startswith(kineto.RANGES_OF_2021):
                    self.ops[thread].append((start, end, event["name"]))
                elif category == "python_function" and not event["name"].startswith("<built-in"):
                    self.frames[thread].append((start, end, event["name"]))
                if event["name"].startswith("ProfilerStep#") and category in OPS + ("user_annotation",):
                    self.steps.append((int(event["name"].partition("#")[2].split()[0]), start, end))
        for events in self.memory.values():
            events.sort(key=lambda event: event[0])

    def states_totals(self, device):
        return device >= 0 and any("Total Allocated" in args for _, args, _ in self.memory[device])

    def levels(self, device):
        """(time, allocated, reserved) after each event that says so; what was before the first."""
        out, total = [], 0
        for time, args, _ in self.memory[device]:
            if not self.states_totals(device):
                total += args["Bytes"]
                out.append((time, total, None))
            elif "Total Allocated" in args:
                out.append((time, args["Total Allocated"], args.get("Total Reserved")))
        first = next((args for _, args, _ in self.memory[device] if "Total Allocated" in args), None)
        return out, max(first["Total Allocated"] - first["Bytes"], 0) if self.states_totals(device) else 0

    def asked(self, by, thread, time):
        here = (self.ops if by == "op" else self.frames).get(thread, ())
        opened = [(start, -end, name) for start, end, name in here if start <= time < end]
        if not opened:
            return "(no op)" if by == "op" else "(no function)"
        return (min(opened) if by == "op" else max(opened, key=lambda slice: (slice[0], slice[1])))[2]


def at_peak(events, by):
    """{(device, name): (allocations, bytes)}"""
    out = {}
    for device, of_device in events.memory.items():
        if not any(args.get("Addr") for _, args, _ in of_device):
            continue
        stated = events.states_totals(device)
        levels, _ = events.levels(device)
        most = max(level[1] for level in levels)
        live, total = {}, 0
        for time, args, thread in of_device:
            total += args["Bytes"]
            if args["Bytes"] > 0:
                live[args["Addr"]] = (args["Bytes"], thread, time)
            else:
                live.pop(args["Addr"], None)
            if (args.get("Total Allocated") if stated else total) == most:
                break
        for size, thread, time in live.values():
            key = device, events.asked(by, thread, time)
            count, so_far = out.get(key, (0, 0))
            out[key] = count + 1, so_far + size
        rest = most - sum(size for size, _, _ in live.values())
        if stated and rest > 0:
            out[device, BEFORE] = None, rest
    return out


def wrong_of(path, several_frames=True):
    events = Events(path)
    wrong = []

    def expect_equal(what, got, want):
        if got != want:
            wrong.append("%s: %s, should be %s" % (what, got, want))

    for by in ("op", "frame") if several_frames else ("op",):
        rows = tool.table(path, "memory_at_peak", "--by", by)
        got = {(row["device"], row["name"]): (row["allocations"], row["bytes"]) for row in rows}
        expect_equal("memory_at_peak --by " + by, got, at_peak(events, by))
    peaks = {row["device"]: row["peak_allocated_bytes"] for row in tool.table(path, "memory")}
    sums = collections.Counter()
    for row in tool.table(path, "memory_at_peak"):
        sums[row["device"]] += row["bytes"]
    for device, total in sums.items():
        if peaks[device] is not None and device >= 0:
            expect_equal("rows of memory_at_peak of device %d" % device, total >= peaks[device], True)

    got = {(row["step"], row["device"]): row for row in tool.table(path, "memory_steps")}
    expect_equal("steps of memory_steps", set(got), {(step, device) for step, _, _ in events.steps for device in events.memory})
    for (step, device), row in got.items():
        begin, end = next((b, e) for number, b, e in events.steps if number == step)
        levels, before = events.levels(device)
        start = [before] + [level[1] for level in levels if level[0] < begin]
        inside = [level for level in levels if begin <= level[0] < end]
        requests = [args["Bytes"] for time, args, _ in events.memory[device] if begin <= time < end and args["Bytes"] > 0]
        what = "memory_steps %d of device %d" % (step, device)
        expect_equal(what, (row["growth_bytes"], row["allocations"], row["requested_bytes"]),
                     ((start + [level[1] for level in inside])[-1] - start[-1], len(requests), sum(requests)))
        if events.states_totals(device):
            expect_equal(what + ": peak", row["peak_allocated_bytes"], max([start[-1]] + [level[1] for level in inside]))
            expect_equal(what + ": begin", row["allocated_bytes"], start[-1])

    for buckets in ("1", "7"):
        rows = tool.table(path, "memory_over_time", "--buckets", buckets)
        for device in events.memory:
            mine = [row for row in rows if row["device"] == device]
            levels, before = events.levels(device)
            if events.states_totals(device) and levels:
                expect_equal("most over all buckets", max(row["peak_allocated_bytes"] for row in mine),
                             max([before] + [level[1] for level in levels]))
            if levels:
                expect_equal("growth over all buckets", mine[-1]["growth_bytes"], levels[-1][1] - before)
    return wrong


def made_trace(path, seed):
    """Threads with nested ops that allocate, keep, release and allocate again."""
    draw = random.Random(seed)
    events, live, total, reserved = [], {}, draw.randrange(10 ** 6), 0
    clock = 1000
    for step in range(4):
        begin = clock
        for _ in range(draw.randrange(3, 8)):
            thread = draw.choice((11, 12))
            start, name = clock, draw.choice(("aten::linear", "aten::conv2d", "MmBackward0"))
            events.append({"ph": "X", "cat": "python_function", "name": "model.py(%d): forward" % draw.randrange(3), "pid": 1,
                           "tid": thread, "ts": start - 1, "dur": 500})
            for _ in range(draw.randrange(1, 6)):
                clock += draw.randrange(1, 20)
                events.append({"ph": "X", "cat": "cpu_op", "name": "aten::empty", "pid": 1, "tid": thread, "ts": clock, "dur": 2})
                if live and draw.random() < 0.4:
                    address = draw.choice(sorted(live))
                    change = -live.pop(address)
                else:
                    address = draw.choice([a for a in range(64, 640, 64) if a not in live] or [draw.randrange(1000, 9000)])
                    change = live[address] = draw.randrange(1, 10 ** 6)
                total += change
                reserved = max(reserved, total)
                args = {"Bytes": change, "Addr": address, "Device Type": 1, "Device Id": 0, "Total Allocated": total,
                        "Total Reserved": reserved}
                events.append({"ph": "i", "s": "t", "name": "[memory]", "cat": "cpu_instant_event", "pid": 1, "tid": thread,
                               "ts": clock + 1, "args": args})
                if draw.random() < 0.3:
                    events.append({"ph": "i", "s": "t", "name": "[memory]", "pid": 1, "tid": thread, "ts": clock + 1,
                                   "args": {"Bytes": draw.choice((64, -64)), "Addr": 5, "Device Type": 0, "Device Id": -1}})
                clock += 3
            clock += 2
            events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": thread, "ts": start, "dur": clock - start})
            clock = max(clock + 1, start + 600)
        events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % step, "pid": 1, "tid": 11, "ts": begin - 2,
                       "dur": clock - begin - 10})
        clock += 50
    draw.shuffle(events)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events}, file)


class MadeTest(unittest.TestCase):
    def test_a_slow_computation_says_the_same(self):
        for seed in range(12):
            with tempfile.TemporaryDirectory() as folder, self.subTest(seed=seed):
                path = os.path.join(folder, "trace.json")
                made_trace(path, seed)
                self.assertEqual(wrong_of(path), [])

    def test_an_export_says_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            made_trace(path, 3)
            for name in ("again.json", "again.pftrace"):
                again = os.path.join(folder, name)
                self.assertEqual(tool.run(["export", path, "-o", again]).returncode, 0)
                for table in ("memory", "memory_at_peak", "memory_steps", "memory_over_time"):
                    self.assertEqual(tool.table(again, table), tool.table(path, table), (name, table))
                self.assertEqual(tool.table(again, "memory_at_peak", "--by", "frame"),
                                 tool.table(path, "memory_at_peak", "--by", "frame"))

    def test_a_summary_says_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            path, summary = os.path.join(folder, "trace.json"), os.path.join(folder, "run.cgpu")
            made_trace(path, 4)
            self.assertEqual(tool.run(["summarize", path, "-o", summary]).returncode, 0)
            for table in ("memory_at_peak", "memory_steps", "memory_over_time"):
                self.assertEqual(tool.table(summary, table), tool.table(path, table), table)


def wrong_in_corpus(name):
    with tempfile.TemporaryDirectory() as folder:
        wrong = []
        for file in kineto.unpack(os.path.join(tool.corpus(), name), folder):
            wrong += wrong_of(file)
        return wrong


# Of those that recorded the allocator: with and without addresses.
NAMES = ("h100__gaunernst_bert", "resnet50_num_workers_0")


def setUpModule():
    tool.must_exist()
    pool = Case.pool = Pool()
    for name in Corpus.names:
        pool.start(name, wrong_in_corpus, name)


def tearDownModule():
    if Case.pool:
        Case.pool.close()


class Corpus(Case):
    names = [name for name in hold.corpus_files() if any(part in name for part in NAMES)]


for _name in Corpus.names:
    Corpus.add(_name, _name)

if __name__ == "__main__":
    unittest.main()
