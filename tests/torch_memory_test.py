#!/usr/bin/env python3
"""Memory snapshots of the corpus against Python's own reading of them."""
import collections
import glob
import os
import pickle
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

FOLDER = os.path.join(tool.shared("corpus"), "torch_memory_snapshot")
ALLOCATED = {"alloc": 1, "free_requested": -1}
RESERVED = {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1}


class Plain(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError("the snapshot asks for %s.%s" % (module, name))


def devices(path):
    """(events, allocated at the end, reserved at the end) of each device that has events."""
    with open(path, "rb") as file:
        snapshot = Plain(file).load()
    for device, events in enumerate(snapshot["device_traces"]):
        if events:
            held = [s for s in snapshot["segments"] if s["device"] == device]
            yield device, events, sum(s["allocated_size"] for s in held), sum(s["total_size"] for s in held)


def levels(events, end, signs):
    """What is held after each event, so that it is `end` after the last."""
    changes = [e["size"] * signs.get(e["action"], 0) for e in events]
    level = end - sum(changes)
    out = [level]
    for change in changes:
        level += change
        out.append(level)
    return out


@unittest.skipUnless(os.path.isdir(FOLDER), "no corpus")
class TorchMemory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tool.must_exist()
        cls.files = sorted(glob.glob(os.path.join(FOLDER, "*.pkl")))
        assert cls.files, "no *.pkl in %s" % FOLDER

    def test_peaks(self):
        for path in self.files:
            with self.subTest(os.path.basename(path)):
                self.assertEqual(tool.info(path)["format"], "torch-memory")
                wanted = {}
                for device, events, allocated, reserved in devices(path):
                    wanted[device] = (max(levels(events, allocated, ALLOCATED)),
                                      max(levels(events, reserved, RESERVED)),
                                      sum(e["action"] == "alloc" for e in events))
                found = {row["device"]: (row["peak_allocated_bytes"], row["peak_reserved_bytes"], row["allocations"])
                         for row in tool.table(path, "memory")}
                self.assertEqual(found, wanted)

    def test_metrics(self):
        for path in self.files:
            with self.subTest(os.path.basename(path)):
                wanted = collections.Counter()
                for _, events, allocated, _ in devices(path):
                    sizes = [e["size"] for e in events if e["action"] == "alloc"]
                    wanted["allocated"] += sum(sizes)
                    wanted["allocations"] += len(sizes)
                    wanted["at_peak"] += max(levels(events, allocated, ALLOCATED))
                    wanted["at_end"] += allocated
                found = {row["name"]: row["value"] for row in tool.table(path, "metrics")}
                self.assertEqual(found, dict(wanted))

    def test_functions(self):
        for path in self.files:
            with self.subTest(os.path.basename(path)):
                own, whole = collections.Counter(), collections.Counter()
                for _, events, _, _ in devices(path):
                    for event in events:
                        stack = [(f["name"], f["filename"]) for f in event["frames"]]
                        if event["action"] == "alloc" and stack:
                            own[stack[0]] += event["size"]
                            whole.update({frame: event["size"] for frame in set(stack)})
                rows = tool.table(path, "functions", "--metric", "allocated")
                found = {(row["name"], row["file"]): row for row in rows if row["file"]}
                self.assertEqual({key: row["allocated.inclusive"] for key, row in found.items()}, dict(whole))
                self.assertEqual({key: row["allocated.exclusive"] or 0 for key, row in found.items()},
                                 {key: own[key] for key in whole})


class Built(unittest.TestCase):
    """A snapshot of our own, without the corpus."""

    def test_the_report_says_what_it_is_of(self):
        events = [{"action": "alloc", "addr": 512 * i, "size": 1 << 20, "stream": 0, "frames": []} for i in range(1, 4)]
        with tempfile.NamedTemporaryFile(suffix=".pickle") as file:
            pickle.dump({"segments": [], "device_traces": [events]}, file)
            file.flush()
            said = tool.run([file.name]).stdout
        said = said.decode() if isinstance(said, bytes) else said
        self.assertIn("The allocator of 1 device: 3 allocations, at most 3.00 MiB in use.", said)
        self.assertNotIn("without device work", said)


if __name__ == "__main__":
    unittest.main()
