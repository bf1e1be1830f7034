#!/usr/bin/env python3
"""Chrome traces of the corpus, by many programs, against a second reading of the same files in plain Python: slices to
the nanosecond, who pairs with whom, lanes, flows, counters, stacks, and what is left out.

Environment: CGPU (the binary).
"""
import collections
import decimal
import json
import os
import random
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import hold, tool  # noqa: E402

CORPUS = tool.shared(os.path.join("corpus", "chrome_json"))
BEGIN, END, STEP = "bS", "eF", "nTp"
KEPT_OUT = "NODvVc()="
Slice = collections.namedtuple("Slice", "name start duration process thread ended")


def traces():
    return sorted(os.listdir(CORPUS)) if os.path.isdir(CORPUS) else []


def load(path):
    """The events and the keys beside them; files that break off behind an event are closed."""
    with open(path, encoding="utf-8") as file:
        text = file.read().rstrip()
    for ending in ("", "]", "]}"):
        try:
            document = json.loads(text.rstrip(",") + ending, parse_float=decimal.Decimal)
            break
        except ValueError:
            pass
    return (document, {}) if isinstance(document, list) else (document["traceEvents"], document)


def nanoseconds(*microseconds):
    total = sum(decimal.Decimal(str(number)) for number in microseconds)
    return int((total * 1000).to_integral_value(decimal.ROUND_HALF_EVEN))


def text(value):
    return "" if value is None else str(value)


class Reading:
    """What the rules of docs/formats/chrome.md make of a file."""

    def __init__(self, path):
        self.events, self.header = load(path)
        self.slices = []
        self.lanes = {}  # (process, root's name) -> lanes that its trees need
        self.count = collections.Counter(events=len(self.events))
        self.notes = collections.Counter()
        self.samples = 0
        self.last = max([self.end_of(event) for event in self.events if event["ph"] not in "MNODvVc()="], default=0)
        self.read_single_events()
        self.pair_threads()
        self.pair_asynchronous()
        self.read_stacks()

    def has_work(self):
        return any(self.count[kind] for kind in ("slices", "instants", "counters", "stack_samples"))

    @staticmethod
    def end_of(event):
        length = event.get("dur", event.get("tdur", 0)) if event["ph"] == "X" else 0
        return nanoseconds(event["ts"], length)

    def add(self, event, begin, end, ended, track=None):
        process, thread = track or (text(event.get("pid")), text(event.get("tid")))
        self.slices.append(Slice(event.get("name", ""), begin, end - begin, process, thread, ended))
        self.count["slices"] += 1

    def read_single_events(self):
        for event in self.events:
            phase = event["ph"]
            if phase == "X":
                begin = nanoseconds(event["ts"])
                known = "dur" in event or "tdur" in event
                self.add(event, begin, self.end_of(event) if known else self.last, known)
                self.notes["thread_duration"] += "dur" not in event and known
                self.notes["unmatched_begin"] += not known
            elif phase in "iIR":
                self.count["instants"] += 1
            elif phase == "C":
                self.count["counters"] += 1
            elif phase in "stf":
                self.count["flows"] += 1
            elif phase == "M":
                self.count["metadata_events"] += 1
            elif phase in KEPT_OUT or (phase == "P" and "sf" not in event and not event["name"].startswith("Profile")):
                self.count["skipped_events"] += 1
                self.notes["skipped_event"] += 1

    def groups(self, phases, key_of):
        """Lists of events that may pair, each in order of time."""
        groups = collections.defaultdict(list)
        for event in self.events:
            if event["ph"] in phases:
                groups[key_of(event)].append(event)
        for group in groups.values():
            yield sorted(group, key=lambda event: nanoseconds(event["ts"]))

    def pair(self, events, begins, ends):
        """[begin, end or None] pairs in order of their beginnings."""
        pairs = []
        waiting = []  # ends without a beginning
        for event in events:
            name = event.get("name", "")
            if event["ph"] in begins:
                early = [end for end in waiting if end["ts"] == event["ts"] and end.get("name", "") == name != ""]
                pairs.append([event, early[0] if early else None])
                waiting = [end for end in waiting if not early or end is not early[0]]
            elif event["ph"] in ends:
                fitting = [pair for pair in pairs if pair[1] is None and name in ("", pair[0].get("name", ""))]
                if fitting:
                    fitting[-1][1] = event
                else:
                    waiting.append(event)
        open_ends = sum(end is None for _, end in pairs)
        self.count["end_events"] += len(pairs) - open_ends
        self.count["skipped_events"] += len(waiting)
        self.notes["unmatched_begin"] += open_ends
        self.notes["unmatched_end"] += len(waiting)
        return pairs

    def pair_threads(self):
        for events in self.groups("BE", lambda event: (text(event.get("pid")), text(event.get("tid")))):
            for begin, end in self.pair(events, "B", "E"):
                self.add(begin, nanoseconds(begin["ts"]), self.end(end), end is not None)

    def end(self, event):
        return nanoseconds(event["ts"]) if event else self.last

    @staticmethod
    def async_key(event):
        id2 = event.get("id2", {})
        local = (id2["local"], event["pid"]) if "local" in id2 else None
        older = event["ph"] in "STpF"
        return older, event.get("cat", ""), event.get("scope", ""), text(event.get("id", id2.get("global"))), local

    def pair_asynchronous(self):
        trees = collections.defaultdict(list)  # by process and name of the root: (begin, end)
        for events in self.groups(BEGIN + END + STEP, self.async_key):
            pairs = self.pair(events, BEGIN, END)
            ends = {id(begin): end for begin, end in pairs}
            place = {id(event): number for number, event in enumerate(events)}
            tree = None
            for event in events:
                if event["ph"] in END:
                    continue
                step = event["ph"] in STEP
                start = nanoseconds(event["ts"])
                end = start if step else self.end(ends[id(event)])
                is_open = any(place[id(b)] < place[id(event)] and (e is None or place[id(e)] > place[id(event)])
                              for b, e in pairs)
                if not is_open:
                    name = event.get("args", {}).get("step", event["name"]) if step else event["name"]
                    tree = [start, end, (text(event.get("pid")), "async " + name)]
                    trees[text(event.get("pid")), name].append(tree)
                tree[1] = max(tree[1], end)
                self.count["instants"] += step
                if not step:
                    self.add(event, start, end, ends[id(event)] is not None, tree[2])
        for row, spans in trees.items():
            edges = sorted([(begin, 1) for begin, end, _ in spans if end > begin] +
                           [(end, 0) for begin, end, _ in spans if end > begin])
            running = most = 0
            for _, begins in edges:
                running += 1 if begins else -1
                most = max(most, running)
            self.lanes[row] = max(most, 1)

    def read_stacks(self):
        samples = self.header.get("samples", [])
        self.count["events"] += len(samples)
        frames = self.header.get("stackFrames", {})
        profiled = [event for event in self.events if event["ph"] == "P" and event["name"].startswith("Profile")]
        named = [event["sf"] for event in self.events if event["ph"] == "P" and "sf" in event]
        named += [sample["sf"] for sample in samples]
        self.count["stack_samples"] = len(profiled) + len(named)
        self.samples = sum(str(frame) in frames for frame in named)
        nodes = collections.defaultdict(set)
        for event in profiled:
            data = event["args"].get("data", {})
            profile = data.get("cpuProfile", {})
            known = nodes[event["pid"], event.get("id")]
            known.update(node["id"] for node in profile.get("nodes", []))
            found = sum(sample in known for sample in profile.get("samples", []))
            self.samples += found
            self.notes["unknown_frame"] += len(profile.get("samples", [])) - found


def random_events(rng):
    """Few names, ids, threads and moments, so that everything ties with everything."""
    for _ in range(rng.randint(1, 60)):
        phase = rng.choice("BBBEEEXbbbeeenSTFpiC")
        event = {"ph": phase, "name": rng.choice(["a", "b", "c"]), "ts": rng.choice([1, 2, 3.5, 4, 5, 6.25, 7, 8]),
                 "pid": rng.choice([1, 2]), "tid": rng.choice([1, 1, "two"])}
        if phase == "X" and rng.random() < 0.8:
            event[rng.choice(["dur", "tdur"])] = rng.choice([0, 1, 2.001, 6])
        if phase == "E" and rng.random() < 0.4:
            del event["name"]
        if phase in BEGIN + END + STEP:
            event.update(rng.choice([{"id": 1}, {"id": "0x2"}, {"id2": {"local": "3"}}, {"id": 1, "scope": "s"}]))
            event["cat"] = rng.choice(["c", "d"])
        if phase == "C":
            event["args"] = {"value": 1}
        if phase in "Tp":
            event["args"] = {"step": rng.choice(["half", "done"])}
        yield event


def each_trace(check):
    def test(self):
        for file in traces():
            with self.subTest(file=file):
                path = os.path.join(CORPUS, file)
                want = Reading(path)
                if want.has_work():
                    check(self, path, want)
                else:
                    done = tool.run(["info", path])
                    self.assertEqual((done.returncode, b"has no recorded work" in done.stderr), (2, True))
    return test


class Checks(unittest.TestCase):
    maxDiff = 2000

    def check_counts(self, path, want):
        info = tool.info(path)
        self.assertEqual(info["format"], "chrome")
        got = {key: info.get(key, 0) for key in ("events", "slices", "end_events", "instants", "counters", "flows",
                                                 "metadata_events", "stack_samples", "skipped_events")}
        self.assertEqual(got, {key: want.count[key] for key in got})
        self.assertEqual(info["device_slices"], 0)

    def check_notes(self, path, want):
        got = collections.Counter()
        for note in tool.table(path, "notes"):
            got[note["code"]] += note["count"]
        for code in ("skipped_event", "unmatched_begin", "unmatched_end", "thread_duration", "unknown_frame"):
            self.assertEqual(got[code], want.notes[code], code)
        self.assertEqual(got["truncated_input"], int("object-partial" in path))
        self.assertLessEqual(set(got), {"skipped_event", "unmatched_begin", "unmatched_end", "thread_duration",
                                        "unknown_frame", "unmatched_flow", "truncated_input", "no_device_work"})

    def check_slices(self, path, want):
        zero = tool.info(path)["start_ns"] or 0
        got = [Slice(row["name"] or "", row["start_ns"] + zero, row["duration_ns"], row["process"] or "",
                     (row["thread"] or "").partition(" #")[0], row["remark"] is None)
               for row in tool.table(path, "slices")]
        self.assertEqual(sorted(got), sorted(want.slices))

    def check_lanes(self, path, want):
        lanes = collections.defaultdict(set)
        ends = collections.defaultdict(int)  # of what stands outermost in each lane
        for row in tool.table(path, "slices"):
            if not row["thread"].startswith("async "):
                continue
            lane = row["process"], row["thread"]
            lanes[row["process"], row["thread"][6:].partition(" #")[0]].add(row["thread"])
            if row["depth"] == 0 and row["remark"] is None:
                self.assertLessEqual(ends[lane], row["start_ns"], "trees overlap in %s" % (lane,))
                ends[lane] = row["start_ns"] + row["duration_ns"]
        for row, threads in lanes.items():
            self.assertEqual(len(threads), want.lanes[row], row)


class Random(Checks):
    def test_against_the_second_reading(self):
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(60):
                with self.subTest(seed=seed):
                    path = os.path.join(folder, "%d.json" % seed)
                    with open(path, "w", encoding="utf-8") as file:
                        json.dump(list(random_events(random.Random(seed))), file)
                    want = Reading(path)
                    self.check_counts(path, want)
                    self.check_notes(path, want)
                    self.check_slices(path, want)


@unittest.skipUnless(traces(), "no traces in %s" % CORPUS)
class Corpus(Checks):
    test_counts = each_trace(Checks.check_counts)
    test_notes = each_trace(Checks.check_notes)
    test_slices = each_trace(Checks.check_slices)
    test_lanes = each_trace(Checks.check_lanes)

    @each_trace
    def test_nesting_and_ranges(self, path, want):
        total = collections.Counter()
        for one in want.slices:
            total[one.name] += one.duration
        self.assertEqual({row["name"] or "": row["total_ns"] for row in tool.table(path, "ranges")}, dict(total))

    @each_trace
    def test_samples(self, path, want):
        got = [row["value"] for row in tool.table(path, "metrics") if row["name"] == "samples"]
        self.assertEqual(sum(got), want.samples)
        tree = tool.table(path, "call_tree") if want.samples else []
        self.assertEqual(sum(row["samples.exclusive"] or 0 for row in tree), want.samples)

    @each_trace
    def test_report_and_every_table_that_people_look_at(self, path, want):
        done = tool.run(["report", path])
        self.assertEqual((done.returncode, b"Traceback" in done.stderr), (0, False))


class Expected(unittest.TestCase):
    """Facts that were worked out by hand from the files."""

    def setUp(self):
        if not traces():
            self.skipTest("no traces in %s" % CORPUS)

    def slices(self, name):
        path = os.path.join(CORPUS, "jlfwong_speedscope__trace-event__%s.json" % name)
        return [(row["name"], row["start_ns"] // 1000, row["duration_ns"] // 1000, row["depth"])
                for row in tool.table(path, "slices")]

    def test_ends_that_cross(self):
        self.assertEqual(self.slices("mismatched"),
                         [("alpha", 0, 10, 0), ("beta", 1, 10, 0), ("A", 20, 11, 0), ("A", 21, 9, 1)])

    def test_ends_before_beginnings_in_the_file(self):
        self.assertEqual(self.slices("out-of-order-unbalanced-name"), [("alpha", 0, 9, 0), ("beta", 1, 9, 0)])
        self.assertEqual(self.slices("zero-duration-events"),
                         [("A", 0, 10, 0), ("B", 1, 0, 1), ("C", 2, 0, 1), ("D", 3, 0, 1)])

    def test_equal_bounds_nest_in_the_order_of_the_file(self):
        self.assertEqual(self.slices("must-retain-original-order")[:3],
                         [("A", 0, 3, 0), ("B", 0, 2, 1), ("C", 0, 1, 2)])
        self.assertEqual(self.slices("bex-interaction")[:4],
                         [("A", 0, 2, 0), ("B", 0, 2, 1), ("C", 10, 2, 0), ("D", 10, 2, 1)])

    def test_idle_samples_of_a_javascript_profile(self):
        path = os.path.join(CORPUS, "jlfwong_speedscope__Chrome__116__Trace-20230603T221323.json")
        tree = {row["name"]: row["samples.inclusive"] for row in tool.table(path, "call_tree")}
        self.assertEqual((tree["(idle)"], tree["(program)"]), (1376, 30), "the profile's own hit counts")

    def test_kinetos_own_traces_are_kineto(self):
        files = hold.corpus_files()[:5]
        if not files:
            self.skipTest("no traces in %s (set CGPU_CORPUS)" % tool.corpus())
        for file in files:
            self.assertEqual(tool.info(os.path.join(tool.corpus(), file))["format"], "kineto")


if __name__ == "__main__":
    tool.must_exist()
    unittest.main(verbosity=1)
