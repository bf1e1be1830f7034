#!/usr/bin/env python3
"""Perfetto traces of the corpus against a walk over the same bytes in plain Python.

Environment: CGPU (the binary).
"""
import collections
import gzip
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from oracle.protobuf import fields, first  # noqa: E402

CORPUS = tool.shared(os.path.join("corpus", "perfetto_pb"))
NESTED = os.path.join(CORPUS, "google_perfetto__nested_tracks.perfetto-trace")
ANDROID = os.path.join(CORPUS, "google_perfetto__93b86b70-5dd8-b046-b985-7b18ba34939a.pftrace.gz")


def setUpModule():
    tool.must_exist()


def packets(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return [value for number, value in fields(data) if number == 1]


class NestedTracks(unittest.TestCase):
    """Slices in a deep tree of tracks, joined by flows."""

    @classmethod
    def setUpClass(cls):
        if not os.path.exists(NESTED):
            raise unittest.SkipTest("no " + NESTED)
        cls.slices = []  # (track, name, start, end)
        cls.names = {}
        cls.flows = 0
        open_slices = collections.defaultdict(list)
        events = []
        for packet in packets(NESTED):
            descriptor = first(packet, 60)
            if descriptor is not None:
                cls.names[first(descriptor, 1)] = first(descriptor, 2).decode()
            event = first(packet, 11)
            if event is not None:
                events.append((first(packet, 8), event))
        for time, event in sorted(events, key=lambda one: one[0]):
            track = first(event, 11)
            cls.flows += sum(number in (47, 48) for number, _ in fields(event))
            if first(event, 9) == 1:
                open_slices[track].append((first(event, 23).decode(), time))
            else:
                name, start = open_slices[track].pop()
                cls.slices.append((track, name, start, time))

    def test_info(self):
        info = tool.info(NESTED)
        self.assertEqual(info["format"], "perfetto")
        self.assertEqual(info["slices"], len(self.slices))
        self.assertEqual(info["tracks"], len({track for track, *_ in self.slices}))
        self.assertEqual(info["flows"], self.flows)
        self.assertEqual(info["skipped_events"], 0)
        self.assertEqual(info["start_ns"], min(start for _, _, start, _ in self.slices))
        self.assertEqual(info["span_ns"], max(s[3] for s in self.slices) - min(s[2] for s in self.slices))
        self.assertEqual([note["code"] for note in tool.table(NESTED, "notes")], ["no_device_work"])

    def test_ranges(self):
        wanted = collections.defaultdict(lambda: [0, 0])
        for _, name, start, end in self.slices:
            wanted[name][0] += 1
            wanted[name][1] += end - start
        said = {row["name"]: [row["count"], row["total_ns"]] for row in tool.table(NESTED, "ranges")}
        self.assertEqual(said, dict(wanted))

    def test_every_slice(self):
        said = sorted((row["start_ns"], row["duration_ns"], row["name"])
                      for row in tool.table(NESTED, "slices", "--top", "0"))
        zero = min(start for _, _, start, _ in self.slices)
        self.assertEqual(said, sorted((start - zero, end - start, name) for _, name, start, end in self.slices))


class Android(unittest.TestCase):
    """A day of a device: marks in the kernel's trace, clocks, and much that is not read."""

    @classmethod
    def setUpClass(cls):
        if not os.path.exists(ANDROID):
            raise unittest.SkipTest("no " + ANDROID)
        cls.info = tool.info(ANDROID)
        cls.notes = {row["text"]: row["count"] for row in tool.table(ANDROID, "notes")}
        cls.packets = packets(ANDROID)
        cls.marks = []  # (time, text)
        cls.other_events = 0
        for packet in cls.packets:
            for number, event in fields(first(packet, 1, b"")):
                if number != 2:
                    continue
                mark = first(event, 3)
                if mark is None:
                    cls.other_events += 1
                else:
                    cls.marks.append((first(event, 1), first(mark, 2).decode()))

    def test_marks(self):
        kinds = collections.Counter(text[0] for _, text in self.marks)
        self.assertEqual(self.info["slices"], kinds["B"] + kinds["S"])
        self.assertEqual(self.info["end_events"], kinds["E"] + kinds["F"])
        self.assertEqual(self.info["instants"], kinds["N"] + kinds["I"])
        self.assertEqual(self.info["counters"], kinds["C"])

    def test_asynchronous_slices(self):
        begun, wanted = {}, []
        for time, text in sorted(self.marks, key=lambda mark: mark[0]):  # each processor's come by themselves
            parts = text.rstrip("\n").split("|")
            if parts[0] == "S":
                begun[tuple(parts[1:4])] = time
            elif parts[0] == "F":
                wanted.append((parts[2], time - begun.pop(tuple(parts[1:4]))))
        self.assertGreater(len(wanted), 0)
        said = collections.Counter((row["name"], row["duration_ns"])
                                   for row in tool.table(ANDROID, "slices", "--top", "0"))
        self.assertEqual(collections.Counter(wanted) - said, collections.Counter())

    def test_clock(self):
        """The difference of the real clock (1) and the clock since boot (6) in the first snapshot of the file."""
        snapshot = next(s for s in (first(packet, 6) for packet in self.packets) if s is not None)
        clocks = {first(clock, 1): first(clock, 2) for number, clock in fields(snapshot) if number == 1}
        begun = min(time for time, text in self.marks if text[0] in "BS")
        self.assertEqual(self.info["clock"], "unix")
        self.assertEqual(self.info["start_ns"], begun + clocks[1] - clocks[6])

    def test_what_is_not_read_is_counted(self):
        about_events = [count for text, count in self.notes.items() if text.startswith("events of the kernel tracer")]
        self.assertEqual(about_events, [self.other_events])
        for number, name in ((92, "network packets"), (84, "statsd events"), (38, "battery counters")):
            count = sum(any(field == number for field, _ in fields(packet)) for packet in self.packets)
            said = [n for text, n in self.notes.items() if text.endswith(name)]
            self.assertEqual(said, [count], name)


class RoundTrip(unittest.TestCase):
    """What cgpu exports says the same when it is read again."""

    TABLES = ("gpu_time", "streams", "kernels", "kernel_classes", "ops", "api", "transfers", "launches", "queue",
              "idle", "idle_streams", "steps", "ranges", "collectives", "memory", "devices")
    TRACES = ("AMD-AGI_TraceLens__h100__gaunernst_bert-small-uncased__1016001.json.gz",
              "AMD-AGI_TraceLens__mi300__ddp_resnet18_no_pool__train_resnet18.json.gz",
              "AMD-AGI_TraceLens__torch_compile_triton__trace.json.gz")

    def check_same(self, before, after, where):
        self.assertEqual(len(before), len(after), where)
        for a, b in zip(before, after):
            for key in a:
                if isinstance(a[key], float) and isinstance(b[key], float):  # sums in another order
                    self.assertAlmostEqual(a[key], b[key], delta=1e-9 * abs(a[key]), msg=where)
                else:
                    self.assertEqual(a[key], b[key], where)

    def test_tables(self):
        for name in self.TRACES:
            path = os.path.join(tool.corpus(), name)
            if not os.path.exists(path):
                self.skipTest("no " + path)
            with tempfile.TemporaryDirectory() as folder:
                made = os.path.join(folder, "made.pftrace")
                self.assertEqual(tool.run(["export", path, "-o", made]).returncode, 0)
                for table in self.TABLES:
                    rows = [sorted(tool.table(one, table), key=lambda row: json.dumps(list(row.values())[:3]))
                            for one in (path, made)]
                    self.check_same(*rows, "%s of %s" % (table, name))


if __name__ == "__main__":
    unittest.main()
