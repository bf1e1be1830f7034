#!/usr/bin/env python3
"""What waits waited for, asked of the viewer's server and compared with the rule of
docs/definitions/threads-and-waits.md ("waits"), worked
out here from the text of the files: a built trace, and Kineto, Nsight Systems and Ascend profiles where there are any.

Environment: CGPU (the binary).
"""
import glob
import gzip
import json
import os
import sqlite3
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from view_test import Server, build  # noqa: E402

CORPUS = os.path.dirname(tool.corpus())


class Op:
    """Something that ran on a device."""

    def __init__(self, start, end, given, device, stream, process=None):
        self.start, self.end, self.device, self.stream, self.process = start, end, device, stream, process
        self.given = start if given is None else given


def ns(text):
    whole, _, fraction = str(text).partition(".")
    return int(whole) * 1000 + int((fraction + "000")[:3])


def judge(op, begin, end):
    """(how the wait ended, the op's times)"""
    if op is None or op.end <= begin:
        return "nothing", None
    if op.end > end:
        return "later", (op.start, op.end)
    return "op", (op.start, op.end)


def last(ops, limit):
    return max((op for op in ops if op.given <= limit), key=lambda op: op.end, default=None)


class Expected:
    """{(name, start, end): (how it ended, (start, end) of the op)}, of waits of which the profile says all."""

    def __init__(self):
        self.waits = {}
        self.doubles = set()

    def add(self, key, verdict):
        if key in self.waits and self.waits[key] != verdict:
            self.doubles.add(key)
        self.waits[key] = verdict


def expected_of_kineto(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        events = json.load(file, parse_float=str, parse_int=str)["traceEvents"]
    events = [e for e in events if e.get("ph") == "X" and "dur" in e]
    zero = min(ns(e["ts"]) for e in events if e.get("cat") != "Trace")
    calls, ops, waits = {}, [], []
    for event in events:
        event["start"] = ns(event["ts"]) - zero
        event["end"] = event["start"] + ns(event["dur"])
        if event.get("cat") == "cuda_runtime":
            calls[event["args"].get("correlation")] = event
    for event in events:
        args = event.get("args") or {}
        if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            launch = calls.get(args["correlation"])
            ops.append(Op(event["start"], event["end"], launch and launch["start"], args["device"], args["stream"]))
        elif event.get("cat") == "cuda_sync":
            waits.append(event)
    expected = Expected()
    for event in waits:
        args = event["args"]
        call = calls.get(args["correlation"])
        record = calls.get(args.get("wait_on_cuda_event_record_corr_id"))
        on_device = [op for op in ops if op.device == args["device"]]
        for one in [event] + ([call] if call and call["name"].endswith("Synchronize") else []):
            key = (one["name"], one["start"], one["end"])
            begin, end = one["start"], one["end"]
            if event["name"] == "Stream Sync":
                chosen = last([op for op in on_device if op.stream == args["stream"]], begin)
            elif event["name"] == "Context Sync":
                chosen = last(on_device, begin)
            elif record is None:
                continue
            else:
                chosen = last([op for op in on_device if op.stream == args["wait_on_stream"]], record["start"])
            if event["name"] == "Stream Wait Event":
                own = [op for op in on_device if op.stream == args["stream"]]
                behind = min((op for op in own if op.given >= begin), key=lambda op: (op.given, op.start), default=None)
                if behind is None:
                    chosen = None
                else:
                    before = last(own, begin)
                    end = behind.start
                    begin = max(begin, behind.given, before.end if before else begin)
            expected.add(key, judge(chosen, begin, end))
    return expected


def expected_of_nsys(path):
    database = sqlite3.connect("file:%s?mode=ro&immutable=1" % urllib.parse.quote(path), uri=True)
    columns = {row[1] for row in database.execute("PRAGMA table_info(CUPTI_ACTIVITY_KIND_KERNEL)")}
    process = "globalPid" if "globalPid" in columns else "0"
    starts, names, zero = {}, {}, []
    for start, end, thread, correlation, name in database.execute(
            "SELECT start, end, globalTid, correlationId, value FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = "
            "nameId"):
        key = (thread >> 24, correlation)
        starts[key] = start
        names[key] = (name.split("_v")[0], start, end)
    ops, contexts = [], {}
    for table in ("KERNEL", "MEMCPY", "MEMSET"):
        try:
            rows = database.execute("SELECT start, end, deviceId, contextId, streamId, correlationId, %s FROM "
                                    "CUPTI_ACTIVITY_KIND_%s" % (process, table)).fetchall()
        except sqlite3.OperationalError:
            continue
        for start, end, device, context, stream, correlation, owner in rows:
            contexts.setdefault((owner, context), device)
            ops.append(Op(start, end, starts.get((owner >> 24, correlation)), device, stream, owner >> 24))
    expected = Expected()
    for device, context, stream, correlation, owner in database.execute(
            "SELECT deviceId, contextId, streamId, correlationId, %s FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION" % process):
        device = contexts.get((owner, context), device)  # the row's own may be another one's
        owner >>= 24
        if (owner, correlation) not in names:
            continue
        key = names[owner, correlation]
        mine = [op for op in ops if op.process == owner and op.device == device]
        if key[0] == "cudaStreamSynchronize":
            mine = [op for op in mine if op.stream == stream]
        elif key[0] != "cudaDeviceSynchronize":
            continue
        expected.add(key, judge(last(mine, key[1]), key[1], key[2]))
    return expected


def found_by(server, name):
    """The waits of that name: (start, end), what is said of them."""
    query = "/api/p/0/search?own=1&limit=100&q=" + urllib.parse.quote(name)
    past = ""
    seen = 0
    while True:
        answer = server.json(query + past)
        for match in answer["matches"]:
            seen += 1
            if match["name"] == name:
                yield match, server.json("/api/p/0/slice?track=%d&slice=%d" % (match["track"], match["slice"]))
        if seen >= answer["total"] or not answer["matches"]:
            return
        place = answer["matches"][-1]
        past = "&past=%d,%d" % (place["track"], place["slice"])


class Waits(unittest.TestCase):
    def check(self, path, expected, shift=None):
        """Gives how often each end was found. `shift`: of the expected times; found from the first wait where None."""
        counts = {}
        with Server(path) as server:
            self.assertEqual(server.state()["state"], "ready")
            asked = 0
            for name in sorted({key[0] for key in expected.waits}):
                matches = list(found_by(server, name))
                wanted = sorted(key for key in expected.waits if key[0] == name)
                if shift is None:
                    shift = wanted[0][1] - min(match["start"] for match, _ in matches)
                for match, details in matches:
                    key = (name, match["start"] + shift, match["start"] + match["duration"] + shift)
                    if key not in expected.waits or key in expected.doubles:
                        continue
                    asked += 1
                    end, op = expected.waits[key]
                    wait = details["wait"]
                    counts[end] = counts.get(end, 0) + 1
                    self.assertEqual(wait["end"], end, (path, key, wait))
                    self.assertNotEqual(wait["by"], "times")
                    if op is None:
                        self.assertNotIn("op", wait)
                        continue
                    at = wait["op"]["start"] + shift
                    self.assertEqual((at, at + wait["op"]["duration"]), op, (path, key))
                    if end == "op":
                        self.check_links(server, match, wait)
            self.assertEqual(asked, len(set(expected.waits) - expected.doubles), path)
        return counts

    def check_links(self, server, match, wait):
        """The arrow of a wait, from both of its ends."""
        place = lambda slice: (slice["track"], slice["slice"])  # noqa: E731
        held = wait.get("held")
        arrow = ("held" if held else "wait", place(wait["op"]), place(held or match))
        for end in (match, wait["op"]):
            arrows = server.json("/api/p/0/flows?track=%d&slice=%d" % place(end))
            self.assertIn(arrow, [(one["kind"], place(one["from"]), place(one["to"])) for one in arrows])
        other = server.json("/api/p/0/slice?track=%d&slice=%d" % place(wait["op"]))
        self.assertIn(("ended", place(match)), [(one["part"], place(one["wait"])) for one in other["waits"]])

    def test_of_a_built_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            path = build(folder, "--seed", "3")
            counts = self.check(path, expected_of_kineto(path), 0)
        self.assertGreater(counts["op"], 3)

    def test_of_pytorch_traces(self):
        found = glob.glob(os.path.join(CORPUS, "kineto", "*critical_path*"))
        if not found:
            self.skipTest("no corpus")
        counts = {}
        for path in found:
            for end, count in self.check(path, expected_of_kineto(path), 0).items():
                counts[end] = counts.get(end, 0) + count
        self.assertGreater(counts["op"], 90)
        self.assertGreater(counts["nothing"], 10)

    def test_of_nsight_systems(self):
        names = ["GindaChen_nsys-ai__tests__fixtures__h100_2gpu_1s", "GindaChen_nsys-ai__tests__fixtures__mfu_2gpu_after",
                 "GindaChen_nsys-ai__tests__fixtures__mfu_2gpu_before", "NVIDIA_Fuser__report1",
                 "brycelelbach_nsightful__power_iteration__baseline",
                 "hpcgroup_pipit__pipit__tests__data__cloverleaf-nsys__perlmutter-cloverleaf-cuda"]
        paths = [os.path.join(CORPUS, "nsys_sqlite", name + ".sqlite") for name in names]
        if not all(map(os.path.exists, paths)):
            self.skipTest("no corpus")
        counts = {}
        for path in paths:
            for end, count in self.check(path, expected_of_nsys(path)).items():
                counts[end] = counts.get(end, 0) + count
        self.assertGreater(counts["op"], 1300)

    def test_of_ascend(self):
        """An event wait that lasted ends behind an event of one other stream, right after it."""
        found = glob.glob(os.path.join(CORPUS, "ascend", "*text_level*_pt"))
        if not found:
            self.skipTest("no corpus")
        for path in found:
            with Server(path) as server:
                server.state()
                long = 0
                for match, details in found_by(server, "EVENT_WAIT"):
                    wait = details["wait"]
                    self.assertIsNotNone(details["launch"], "the call that gave the wait to the stream")
                    if match["duration"] < 1000:
                        self.assertEqual(wait["end"], "nothing", (path, match))
                        continue
                    long += 1
                    self.assertIn(wait["end"], ("op", "event", "ambiguous"))
                    if wait["end"] == "op":
                        end = wait["op"]["start"] + wait["op"]["duration"]
                        self.assertLessEqual(end, match["start"] + match["duration"])
                        self.assertGreater(end, match["start"])
                self.assertGreater(long, 3)


if __name__ == "__main__":
    tool.must_exist()
    unittest.main(verbosity=2)
