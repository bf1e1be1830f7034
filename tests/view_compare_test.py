#!/usr/bin/env python3
"""The flame graph of two runs and the ops that are aligned, over HTTP: against `cgpu compare`, against the events of the
traces read here, and the mirror image of the runs the other way round; on built traces and on pairs of the corpus.

Environment: CGPU (the binary), CGPU_CORPUS (a folder of Kineto traces; those of other formats lie beside it).
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from oracle import built  # noqa: E402
from view_test import Server  # noqa: E402

CORPUS = os.path.dirname(tool.corpus())
METRICS = {"explained_time": "time_ns", "device_time": "device_op_time_ns", "host_time": None}
ON_DEVICE = {"kernel", "gpu_memcpy", "gpu_memset"}


def setUpModule():
    tool.must_exist()


def comparing(a, b):
    """A server of both, once both are open."""
    server = Server(a, "--against", b)
    server.state(0), server.state(1)
    return server


def flame(server, **options):
    return server.json("/api/compare/flame?" + urllib.parse.urlencode(options))


def summary(a, b):
    done = tool.run(["compare", a, b, "--format", "json", "--table", "summary"])
    return {row["name"]: row for row in tool.rows_of(json.loads(done.stdout.decode()))["compare_summary"]}


def check_sums(test, graph, told):
    """On each side the roots add up to the total, a frame to what it has itself and the frames below it."""
    parents = graph["nodes"]["parent"]
    for side in "ab":
        values, self_values = graph["nodes"][side]["value"], graph["nodes"][side]["self"]
        left = [value - own for value, own in zip(values, self_values)]
        roots = 0
        for value, parent in zip(values, parents):
            if parent < 0:
                roots += value
            else:
                left[parent] -= value
        test.assertEqual(roots, graph["total"][side])
        test.assertEqual(set(left), {0} if left else set())
        if told:
            test.assertLess(abs(graph["total"][side] - told[side]), 1)  # of an iteration, in whole ns


def frames(graph):
    """{path: (values of a, values of b)}; a path that is there twice, as of numbered names, is added up."""
    nodes, found, paths = graph["nodes"], {}, []
    for i, (parent, name) in enumerate(zip(nodes["parent"], nodes["name"])):
        paths.append((paths[parent] if parent >= 0 else ()) + (graph["names"][name],))
        if not any("->" in part or "*" in part or part == "(other)" for part in paths[-1]):
            values = [[nodes[side][what][i] for what in ("value", "self", "count")] for side in "ab"]
            before = found.get(paths[-1], [[0] * 3] * 2)
            found[paths[-1]] = [[x + y for x, y in zip(*both)] for both in zip(before, values)]
    return found


def check_pair(test, a, b):
    told = summary(a, b)
    with comparing(a, b) as there, comparing(b, a) as back:
        for metric, figure in METRICS.items():
            if metric not in flame(there)["metrics"]:
                continue
            for view in ("down", "up"):
                with test.subTest("%s, %s" % (metric, view)):
                    one, other = (flame(server, metric=metric, view=view) for server in (there, back))
                    check_sums(test, one, told[figure] if figure else None)
                    test.assertEqual([one["total"][side] for side in "ab"], [other["total"][side] for side in "ba"])
                    mirrored = {path: values[::-1] for path, values in frames(other).items()}
                    test.assertTrue(mirrored)
                    test.assertEqual(frames(one), mirrored)


def device_time(path, begin, end):
    """ns of the device ops of a trace in a time from the start of its slices."""
    with open(path) as file:
        events = [e for e in json.load(file)["traceEvents"] if e.get("ph") == "X"]
    ns = lambda us: round(us * 1000)
    ops = [(ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])) for e in events if e.get("cat") in ON_DEVICE]
    return ops, lambda zero: sum(max(0, min(stop, end + zero) - max(start, begin + zero)) for start, stop in ops)


def trace(path, *options):
    subprocess.run([built.builder(), path, "--events", "20000", *options], check=True, stdout=subprocess.DEVNULL)
    return path


class Built(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.a = trace(os.path.join(cls.folder.name, "a.json"), "--model", "llm", "--seed", "3")
        cls.b = trace(os.path.join(cls.folder.name, "b.json"), "--model", "llm", "--seed", "4", "--idle", "host_code")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_sums_are_the_change(self):
        check_pair(self, self.a, self.b)

    def test_an_area_has_the_device_time_that_lies_in_it(self):
        with comparing(self.a, self.b) as server:
            spans = [server.json("/api/p/%d/session" % p)["span"] for p in (0, 1)]
            areas = [(span // 3, span // 3 + span // 7) for span in spans]
            graph = flame(server, metric="device_time", a_from=areas[0][0], a_to=areas[0][1],
                          b_from=areas[1][0], b_to=areas[1][1])
            check_sums(self, graph, None)
            for side, p, path, area in zip("ab", (0, 1), (self.a, self.b), areas):
                ops, within = device_time(path, *area)
                # Where the session begins: so that the first device op begins where the viewer has it.
                starts = min(m["start"] for m in server.json("/api/p/%d/row?table=slices&name=%s&limit=1000" % (
                    p, urllib.parse.quote(self.first_op(path))))["slices"])
                self.assertEqual(graph["total"][side], within(min(start for start, _ in ops) - starts))

    def first_op(self, path):
        with open(path) as file:
            events = [e for e in json.load(file)["traceEvents"] if e.get("cat") in ON_DEVICE]
        return min(events, key=lambda e: e["ts"])["name"]

    def test_aligned_ops_are_in_the_area_and_as_told_one_by_one(self):
        with comparing(self.a, self.b) as server:
            span = server.json("/api/p/0/session")["span"]
            begin, end = span // 3, span // 3 + span // 50
            found = server.json("/api/compare/aligned?from=%d&to=%d" % (begin, end))
            self.assertGreater(found["total"], 5)
            longest = [max(pair["a"]["duration"], pair["b"]["duration"]) for pair in found["pairs"]]
            self.assertEqual(longest, sorted(longest, reverse=True))
            for pair in found["pairs"]:
                a = pair["a"]
                self.assertTrue(a["start"] < end and a["start"] + a["duration"] > begin)
                told = server.json("/api/compare/slice?side=a&track=%d&slice=%d" % (a["track"], a["slice"]))
                self.assertEqual(told["partner"], pair["b"])


class Ranks(unittest.TestCase):
    def test_each_rank_has_its_own_time_map(self):
        with tempfile.TemporaryDirectory() as folder:
            a = trace(os.path.join(folder, "a"), "--ranks", "3", "--seed", "3")
            for ranks, idle in (("3", "host_code"), ("1", "synchronization")):
                b = trace(os.path.join(folder, "b" + ranks), "--ranks", ranks, "--seed", "3", "--idle", idle)
                done = tool.run(["compare", a, b, "--format", "json", "--table", "times"])
                wanted = {}
                for row in tool.rows_of(json.loads(done.stdout.decode()))["compare_times"]:
                    wanted.setdefault((row["rank_a"], row["rank_b"]), []).append(
                        (row["a_ns"], row["b_ns"], row["residual_ns"]))
                with comparing(a, b) as server:
                    found = {(each["rank_a"], each["rank_b"]): list(zip(each["a"], each["b"], each["residual"]))
                             for each in server.json("/api/compare/times")["ranks"]}
                self.assertEqual(set(found), {(rank, rank if ranks == "3" else 0) for rank in range(3)})
                self.assertGreater(min(map(len, found.values())), 100)
                for pair, points in found.items():  # some may be left out, none is added
                    self.assertLessEqual({point[:2] for point in points}, {point[:2] for point in wanted[pair]})
                    self.assertEqual((points[0][:2], points[-1][:2]), (wanted[pair][0][:2], wanted[pair][-1][:2]))
                    self.assertEqual(max(point[2] for point in points), max(point[2] for point in wanted[pair]))


@unittest.skipUnless(os.path.isdir(CORPUS), "no corpus")
class Corpus(unittest.TestCase):
    def test_the_sums_are_the_change(self):
        for folder, *parts in (("kineto", "h100__gaunernst_bert", "mi300__gaunernst_bert"),
                               ("kineto", "h100__Qwen", "mi300__Qwen"),
                               ("kineto", "trace_diff__control", "trace_diff__test"),
                               ("kineto", "num_workers_0", "num_workers_4"),
                               ("nsys_sqlite", "mfu_2gpu_before", "mfu_2gpu_after")):
            with self.subTest(parts):
                names = os.listdir(os.path.join(CORPUS, folder))
                found = [sorted(name for name in names if part in name) for part in parts]
                if not all(found):
                    self.skipTest("no %s in the corpus" % " or ".join(parts))
                check_pair(self, *(os.path.join(CORPUS, folder, each[0]) for each in found))


if __name__ == "__main__":
    unittest.main()
