#!/usr/bin/env python3
"""XPlane profiles of the corpus against a walk over their bytes in plain Python."""
import collections
import glob
import os
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from oracle.protobuf import fields  # noqa: E402

FOLDER = os.path.join(tool.shared("corpus"), "xla")


def rounded(picoseconds):
    """Whole nanoseconds, half to even."""
    whole, rest = divmod(picoseconds, 1000)
    return whole + (rest > 500 or (rest == 500 and whole % 2 == 1))


class Space:
    def __init__(self, path):
        self.ops = []  # (device, stream, name, start, end)
        self.host = collections.Counter()
        self.instants = 0
        self.memory = []  # (allocator, signed bytes, total)
        self.start = 0
        self.calls = set()  # correlation ids
        self.correlations = []
        with open(path, "rb") as file:
            for number, plane in fields(file.read()):
                if number == 1:
                    self.plane(list(fields(plane)))

    def plane(self, plane):
        name = b"".join(value for number, value in plane if number == 2).decode()
        names, stats = {}, {}
        for number, value in plane:
            if number in (4, 5):
                pair = dict(fields(value))
                (names if number == 4 else stats)[pair.get(1, 0)] = dict(fields(pair[2])).get(2, b"").decode()

        def stat(message):
            parts = dict(fields(message))
            key = stats.get(parts.pop(1, 0))
            kind, value = next(iter(parts.items()), (0, 0))
            if kind == 2:
                value = struct.unpack("<d", value)[0]
            return key, stats.get(value) if kind == 7 else value

        for number, value in plane:
            if number == 6 and stat(value)[0] == "profile_start_time":
                self.start = stat(value)[1]
            if number != 3:
                continue
            line = list(fields(value))
            head = {k: v for k, v in line if k != 4}
            for k, event in line:
                if k != 4:
                    continue
                parts = list(fields(event))
                event = {k: v for k, v in parts if k != 4}
                found = dict(stat(v) for k, v in parts if k == 4)
                begin = head.get(3, 0) * 1000 + event.get(2, 0)
                start, end = rounded(begin), rounded(begin + event.get(3, 0))
                self.event(name, head, names[event.get(1, 0)], start, end, event.get(3, 0), found)

    def event(self, plane, line, name, start, end, length, stats):
        if plane.startswith("/device:GPU:"):
            stream = int(line[2].split(b"#")[1].split(b"(")[0])
            self.ops.append((int(plane.rsplit(":", 1)[1]), stream, name.removesuffix(".kd"), start, end))
            self.correlations.append(stats.get("correlation_id"))
        elif name in ("MemoryAllocation", "MemoryDeallocation"):
            sign = 1 if name == "MemoryAllocation" else -1
            self.memory.append((stats["allocator_name"], sign * stats["allocation_bytes"], stats["bytes_allocated"]))
        elif length == 0 and "correlation_id" not in stats:
            self.instants += 1
        else:
            self.host[name] += 1
            if "correlation_id" in stats:
                self.calls.add(stats["correlation_id"])


@unittest.skipUnless(os.path.isdir(FOLDER), "no corpus")
class XPlane(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tool.must_exist()
        cls.files = sorted(glob.glob(os.path.join(FOLDER, "*.xplane.pb")))
        assert cls.files, "no *.xplane.pb in %s" % FOLDER

    def test_events(self):
        for path in self.files:
            with self.subTest(os.path.basename(path)):
                space = Space(path)
                info = tool.info(path)
                self.assertEqual(info["format"], "xplane")
                self.assertEqual(info["device_slices"], len(space.ops))
                self.assertEqual(info["slices"], len(space.ops) + sum(space.host.values()))
                self.assertEqual(info["clock"], "unix")

    def test_kernels_and_streams(self):
        for path in self.files:
            with self.subTest(os.path.basename(path)):
                space = Space(path)
                wanted = collections.defaultdict(lambda: [0, 0])
                streams = collections.defaultdict(lambda: [0, []])
                for device, stream, name, start, end in space.ops:
                    wanted[name][0] += 1
                    wanted[name][1] += end - start
                    streams[device, stream][0] += 1
                    streams[device, stream][1].append((start, end))
                found = {row["name"]: [row["count"], row["total_ns"]] for row in tool.table(path, "kernels")}
                self.assertEqual(sorted(found.values()), sorted(wanted.values()))
                plain = {name: value for name, value in wanted.items() if not name.startswith("_Z")}
                self.assertEqual({name: found[name] for name in plain}, plain)
                rows = {(row["device"], row["stream"]): row for row in tool.table(path, "streams")}
                self.assertEqual({key: row["count"] for key, row in rows.items()},
                                 {key: value[0] for key, value in streams.items()})
                for key, (_, spans) in streams.items():
                    self.assertEqual(rows[key]["last_ns"] - rows[key]["first_ns"],
                                     max(end for _, end in spans) - min(start for start, _ in spans))

    def test_launches(self):
        for path in self.files:
            with self.subTest(os.path.basename(path)):
                space = Space(path)
                orphans = sum(c not in space.calls for c in space.correlations)
                notes = {row["code"]: row["count"] for row in tool.table(path, "notes")}
                self.assertEqual(notes.get("orphan_device_op", 0), orphans)

    def test_memory(self):
        for path in self.files:
            with self.subTest(os.path.basename(path)):
                peaks = {}
                for allocator, bytes_, total in Space(path).memory:
                    device = int(allocator.split("_")[1]) if allocator.startswith("GPU_") else -1
                    peak = peaks.setdefault(device, [0, 0])
                    peak[0] = max(peak[0], total)
                    peak[1] += bytes_ > 0
                found = {row["device"]: [row["peak_allocated_bytes"], row["allocations"]]
                         for row in tool.table(path, "memory")}
                self.assertEqual(found, peaks)


if __name__ == "__main__":
    unittest.main()
