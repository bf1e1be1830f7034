#!/usr/bin/env python3
"""Caliper profiles of the corpus against a second reader of both formats that is here.

Environment: CGPU (the binary).
"""
import json
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

CORPUS = tool.shared(os.path.join("corpus", "caliper"))
TYPES = ["usr", "int", "uint", "string", "addr", "double", "bool", "type"]
HIDDEN, NESTED = 128, 256


def files(ending):
    names = sorted(os.listdir(CORPUS)) if os.path.isdir(CORPUS) else []
    return [os.path.join(CORPUS, name) for name in names if name.endswith(ending)]


def split(line):
    """The fields of a record: {key: [values]}."""
    out, parts, text, at = {}, [], "", 0
    while at < len(line):
        c = line[at]
        if c == "\\" and at + 1 < len(line):
            at += 1
            text += "\n" if line[at] == "n" else line[at]
        elif c in ",=":
            parts.append(text)
            text = ""
            if c == ",":
                out[parts[0]], parts = parts[1:], []
        else:
            text += c
        at += 1
    parts.append(text)
    out[parts[0]] = parts[1:]
    return out


class Records:
    """A .cali file: nodes {id: (attribute, value, parent)} and snapshots."""

    def __init__(self, path):
        self.nodes = {i: (9, name, None) for i, name in enumerate(TYPES)}
        self.nodes.update({8: (8, "cali.attribute.name", 3), 9: (8, "cali.attribute.type", 7),
                           10: (8, "cali.attribute.prop", 1)})
        self.snapshots = []
        self.attributes = {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                fields = split(line.rstrip("\n"))
                if fields["__rec"] == ["node"]:
                    self.nodes[int(fields["id"][0])] = (int(fields["attr"][0]), (fields.get("data") or [""])[0],
                                                        int(fields["parent"][0]) if "parent" in fields else None)
                elif fields["__rec"] == ["ctx"]:
                    self.snapshots.append(fields)

    def chain(self, node):
        out = []
        while node is not None:
            out.append(node)
            node = self.nodes[node][2]
        return out[::-1]

    def attribute(self, number):
        if number in self.attributes:
            return self.attributes[number]
        facts = self.attributes[number] = {}
        for node in self.chain(number)[-2::-1]:
            facts.setdefault(self.nodes[self.nodes[node][0]][1], self.nodes[node][1])
        facts["name"] = self.nodes[number][1]
        facts["bits"] = int(facts.get("cali.attribute.prop", 0))
        return facts

    def path(self, snapshot):
        levels, kernel, activity = [], None, None
        for ref in snapshot.get("ref", []):
            for node in self.chain(int(ref)):
                attribute, value, _ = self.nodes[node]
                facts = self.attribute(attribute)
                if facts["name"].endswith(".kernel.name"):
                    kernel = value
                elif facts["name"].endswith(".activity.kind"):
                    activity = value
                elif facts["bits"] & NESTED:
                    levels.append(value)
        if kernel or activity not in (None, "kernel"):
            levels.append(kernel or activity)
        return tuple(levels)

    def values(self, snapshot):
        """[(attribute, value as text)] of a snapshot."""
        return [(self.attribute(int(a)), v) for a, v in zip(snapshot.get("attr", []), snapshot.get("data", []))]


def tree(path, *options):
    """{path: row} of the tool's call tree; the root's path is ()."""
    rows, paths = {}, {}
    for row in tool.table(path, "call_tree", *options):
        above = paths[row["parent"]] if row["parent"] is not None else ()
        own = above + (row["name"],) if row["parent"] is not None else ()
        paths[row["id"]] = own
        rows[own] = row
    return rows


def is_sum(name):
    return not (name.startswith(("min#", "max#", "avg#", "any#")) or "/" in name or "highwatermark" in name)


class Caliper(unittest.TestCase):
    def setUp(self):
        tool.must_exist()
        if not files(""):
            self.skipTest("no profiles in %s" % CORPUS)

    def assert_close(self, got, want, what):
        self.assertIsNotNone(got, what)
        self.assertTrue(math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-9), "%s: %r, not %r" % (what, got, want))

    def test_every_file_opens_and_says_what_it_is(self):
        self.assertEqual(len(files("")), 41)
        for path in files(""):
            with self.subTest(os.path.basename(path)):
                info = tool.info(path)
                self.assertEqual(info["format"], "caliper")
                self.assertGreater(info["call_tree_nodes"], 1)
                damage = [n for n in tool.table(path, "notes") if n["code"] in ("damaged_input", "truncated_input")]
                self.assertEqual(damage, [])

    def test_records(self):
        """Every value of every snapshot is where it belongs: sums add up, other metrics have the right one."""
        checked = 0
        for path in files(".cali"):
            records = Records(path)
            if not any(records.attribute(n)["bits"] & NESTED for n in records.nodes):
                continue  # from before Caliper 2: see below
            with self.subTest(os.path.basename(path)):
                own, inclusive, other = {}, {}, {}
                for snapshot in records.snapshots:
                    where = records.path(snapshot)
                    values = records.values(snapshot)
                    names = [facts["name"] for facts, _ in values]
                    for facts, text in values:
                        name = facts["name"]
                        if facts["bits"] & HIDDEN or facts.get("cali.attribute.type") == "string":
                            continue
                        if name.startswith(("timeseries.", "iteration#")) or name.endswith("aggregate.slot") or \
                                name in ("block", "loop.start_iteration", "mpi.rank"):
                            continue
                        if name == "loop.iterations" and "timeseries.duration" not in names:
                            continue
                        shown = facts.get("attribute.alias") or name
                        if not is_sum(name):
                            other.setdefault((shown, where), []).append((name, float(text)))
                        elif "inclusive" in name and where:
                            inclusive[shown, where] = inclusive.get((shown, where), 0) + float(text)
                        else:
                            own[shown, where] = own.get((shown, where), 0) + float(text)
                metrics = {m for m, _ in list(own) + list(inclusive) + list(other)}
                options = [o for m in sorted(metrics) for o in ("--metric", m)]
                got = tree(path, *options)
                self.assertEqual(set(w for _, w in list(own) + list(inclusive) + list(other)) - set(got), set())
                for (metric, where), value in inclusive.items():
                    self.assert_close(got[where][metric + ".inclusive"], value, (metric, where))
                is_inclusive = {m for m, _ in inclusive}
                for (metric, where), value in own.items():
                    if metric not in is_inclusive:
                        self.assert_close(got[where][metric + ".exclusive"], value, (metric, where))
                for metric in is_inclusive:
                    top = sum(v for (m, w), v in inclusive.items() if m == metric and len(w) == 1)
                    self.assert_close(got[()][metric + ".inclusive"], top + own.get((metric, ()), 0), metric)
                for (metric, where), values in other.items():
                    name = values[0][0]
                    numbers = [v for _, v in values]
                    want = min(numbers) if name.startswith("min#") else max(numbers) if \
                        name.startswith("max#") or "highwatermark" in name else numbers[0]
                    cell = got[where][metric + ".inclusive"]
                    if not name.startswith(("min#", "max#", "any#")) and "highwatermark" not in name:
                        want = want if len(set(numbers)) == 1 else None
                    self.assertEqual(cell, want if where else None, (metric, where))
                checked += len(own) + len(inclusive) + len(other)
        self.assertGreater(checked, 10000)

    def test_json_split(self):
        """Sums over ranks; the file's own inclusive values are what the exclusive ones add up to, on every rank."""
        seen = 0
        for path in files(".json"):
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
            columns = document["columns"]
            if "path" not in columns:
                continue
            seen += 1
            with self.subTest(os.path.basename(path)):
                def path_of(index):
                    levels = []
                    while index is not None:
                        levels.append(document["nodes"][index]["label"])
                        index = document["nodes"][index].get("parent")
                    return tuple(levels[::-1])

                metric = "time" if "time" in columns else "sum#time.duration"
                want, want_inclusive = {}, {}
                for row in document["data"]:
                    cells = dict(zip(columns, row))
                    where = path_of(cells["path"])
                    want[where] = want.get(where, 0) + cells[metric]
                    if "inclusive#" + metric in cells:
                        want_inclusive[where] = want_inclusive.get(where, 0) + cells["inclusive#" + metric]
                got = tree(path, "--metric", metric)
                for where, value in want.items():
                    self.assert_close(got[where][metric + ".exclusive"], value, where)
                for where, value in want_inclusive.items():
                    if where:
                        self.assertTrue(math.isclose(got[where][metric + ".inclusive"], value, rel_tol=1e-5), where)
                self.assert_close(got[()][metric + ".inclusive"], sum(want.values()), "root")
        self.assertGreater(seen, 0)

    def test_ranks(self):
        for name, ranks in (("8cores", 8), ("27cores", 27), ("512cores", 512)):
            path = next(f for f in files(".json") if f.endswith("-%s.json" % name))
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
            info = tool.info(path)
            self.assertEqual((info["profiles"], info["world_size"]), (ranks, ranks))
            at = {c: i for i, c in enumerate(document["columns"])}
            mine = {}
            for row in document["data"]:
                if row[at["path"]] is not None and document["nodes"][row[at["path"]]]["label"] == "main":
                    mine[row[at["mpi.rank"]]] = row[at["inclusive#sum#time.duration"]]
            row = next(r for r in tool.table(path, "imbalance") if r["name"] == "main")
            self.assertEqual((row["min"], row["max"]), (min(mine.values()), max(mine.values())))
            self.assert_close(row["mean"], sum(mine.values()) / ranks, "mean")
            self.assertEqual(row["worst"], "rank %d" % max(mine, key=mine.get))

    def test_call_paths_of_samples(self):
        path = next(f for f in files(".json") if "cpi-callpath" in f)
        rows = tree(path)
        self.assertEqual(rows[()]["count.inclusive"], 460)
        self.assertEqual(rows["_start", "__libc_start_main", "main"]["sum#time.duration.inclusive"], 2174924)
        lines = [r for r in rows.values() if r["kind"] == "line"]
        self.assertIn(("bcast_osu.c:2531", 2531), [(r["name"], r["line"]) for r in lines])

    def test_published_figures(self):
        """What the tests of Hatchet and Thicket, which own these files, expect of them."""
        path = next(f for f in files(".cali") if "Base_Seq-default" in f)
        self.assertEqual(tree(path, "--metric", "Avg time/rank")["RAJAPerf", ]["Avg time/rank.inclusive"], 103.47638)
        self.assertEqual(tool.info(path)["call_tree_nodes"], 74 + 1)
        path = next(f for f in files(".cali") if f.endswith("timeseries-cali__timeseries.cali"))
        rows = tree(path, "--metric", "alloc.region.highwatermark")
        self.assertEqual(rows["main", "lulesh.cycle"]["alloc.region.highwatermark.inclusive"], 63732320)

    def test_time_series(self):
        for name, intervals in (("230711-163829", 7), ("timeseries-cali__timeseries.cali", 52)):
            path = next(f for f in files(".cali") if name in f)
            records = Records(path)
            want = []
            for snapshot in records.snapshots:
                values = records.values(snapshot)
                named = {}
                for facts, text in values:
                    named.setdefault(facts["name"], text)
                if "timeseries.duration" in named:
                    seconds, part = named["timeseries.starttime"].split(".")
                    start = int(seconds) * 10**9 + int(part.ljust(9, "0"))
                    seconds, part = named["timeseries.duration"].split(".")
                    want.append((start, int(seconds) * 10**9 + int(part.ljust(9, "0"))))
            self.assertEqual(len(want), intervals)
            info = tool.info(path)
            self.assertEqual((info["slices"], info["clock"], info["start_ns"]), (intervals, "unix", want[0][0]))
            self.assertEqual([(r["start_ns"] + want[0][0], r["duration_ns"]) for r in tool.table(path, "slices")],
                             sorted(want))

    def test_device_time(self):
        path = next(f for f in files(".cali") if "sw4-cuda-activity-cali" in f)
        rows = tree(path, "--metric", "time (gpu)")
        self.assert_close(rows[()]["time (gpu).inclusive"], 15.36251, "all ranks")
        kernels = [w for w, r in rows.items() if r["time (gpu).exclusive"]]
        self.assertTrue(all(w[-2].startswith("cuda") for w in kernels if len(w) > 1))
        self.assertIn("memcpy", {w[-1] for w in kernels})

    def test_version_1(self):
        """Its values are inclusive, in microseconds, and the levels of its paths are not marked."""
        path = next(f for f in files(".cali") if "160809-094411" in f)
        rows = tree(path)
        metric = "time.inclusive.duration"
        self.assertEqual(rows["body", "loop", "iteration=3"][metric + ".inclusive"], 164)
        self.assertEqual(rows["body", "loop", "iteration=3", "comp", "comp", "comp"][metric + ".inclusive"], 14)
        self.assertEqual(rows["init", ][metric + ".inclusive"], 1813)


if __name__ == "__main__":
    unittest.main()
