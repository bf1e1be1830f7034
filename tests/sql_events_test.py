#!/usr/bin/env python3
"""What SQL joins events by: the slice in every table of single events, where device ops were launched from, the slices
around and inside a slice, intervals that overlap, and what changes over time. Held against plain Python over the tables
`slices`, `links` and `device_trace`, on traces that are built here.

Environment: CGPU (the binary), CGPU_BUILDER (the trace builder).
"""
import collections
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import built, tool  # noqa: E402
from sql_test import rows, sql  # noqa: E402

TRACES = {"moe": ["--model", "moe", "--seed", 31, "--steps", 3], "cnn": ["--model", "cnn", "--steps", 2]}
_FOLDER = tempfile.TemporaryDirectory(prefix="cgpu_sql_events_")
EXAMPLES = os.path.join(tool.ROOT, "examples")


def setUpModule():
    for name, options in TRACES.items():
        trace, _ = built.build(_FOLDER.name, *options)
        os.rename(trace, os.path.join(_FOLDER.name, name + ".json"))


def tearDownModule():
    _FOLDER.cleanup()


def inputs():
    return [os.path.join(_FOLDER.name, name + ".json") for name in TRACES]


def dicts(path, query):
    """Of a query, as dictionaries."""
    done = sql(path, query, "--format", "json")
    if done.returncode:
        raise RuntimeError(done.stderr.decode())
    table = json.loads(done.stdout.decode())["tables"]["result"]
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


class Slices:
    """The slices of a trace by number, and how they nest."""

    def __init__(self, path):
        self.by_number = {each["slice"]: each for each in dicts(path, "SELECT * FROM slices")}
        self.children = collections.defaultdict(list)
        for each in self.by_number.values():
            self.children[each["parent"]].append(each["slice"])

    def around(self, number):
        found = []
        while (number := self.by_number[number]["parent"]) is not None:
            found.append(number)
        return found

    def inside(self, number):
        found = []
        for child in self.children[number]:
            found += [child, *self.inside(child)]
        return found


class JoinedBySlice(unittest.TestCase):
    def test_slices_of_events(self):
        for path in inputs():
            names = {row[0]: row[1] for row in rows(path, "SELECT slice, name FROM slices")}
            for table, column, name in (("api_trace", "slice", "name"), ("range_trace", "slice", "name"),
                                        ("device_trace", "slice", "name"), ("launch_trace", "slice", "call"),
                                        ("launch_trace", "op_slice", "name"), ("op_dependencies", "slice", "name"),
                                        ("critical_path_trace", "slice", "name")):
                found = rows(path, "SELECT %s, %s FROM %s WHERE %s IS NOT NULL" % (column, name, table, column))
                self.assertTrue(found, (path, table))
                for number, of in found:
                    self.assertEqual(names[number], of, (path, table, number))

    def test_a_part_has_its_own_numbers(self):
        for table, column in (("op_dependencies", "slice"), ("critical_path_trace", "slice"), ("api_trace", "slice")):
            query = "SELECT t.name = s.name FROM %s t JOIN slices s USING (slice)" % table
            found = rows([inputs()[0], "--step", "4"], query)
            self.assertTrue(found, table)
            self.assertEqual({row[0] for row in found}, {1}, table)

    def test_launch_origins(self):
        for path in [*inputs(), os.path.join(EXAMPLES, "generated_training.json.gz")]:
            slices = Slices(path)
            steps = [(step["start_ns"], step["step"]) for step in dicts(path, "SELECT step, start_ns FROM steps")]
            marks = sorted((each["start_ns"], each["start_ns"] + each["duration_ns"], int(each["name"].split("#")[1]))
                           for each in slices.by_number.values()
                           if each["kind"] == "annotation" and each["name"].startswith("ProfilerStep#"))
            self.assertEqual(len(steps), len(marks))
            known = collections.Counter()
            for op in dicts(path, "SELECT launch, step, op, range FROM device_slices"):
                chain = [] if op["launch"] is None else [slices.by_number[i] for i in slices.around(op["launch"])]
                start = None if op["launch"] is None else slices.by_number[op["launch"]]["start_ns"]
                wanted = {"step": next((number for begin, end, number in marks
                                        if start is not None and begin <= start < end), None)}
                for column, kind in (("op", "framework_op"), ("range", "annotation")):
                    wanted[column] = next((each["name"] for each in chain if each["kind"] == kind), None)
                self.assertEqual({key: op[key] for key in wanted}, wanted, path)
                known.update(key for key in wanted if op[key] is not None)
            self.assertTrue(known["step"] and known["op"] and known["range"], (path, known))

    def test_ops_of_steps(self):
        for path in inputs():
            self.assertEqual(rows(path, "SELECT step, count(*) FROM device_slices WHERE step IS NOT NULL GROUP BY 1"),
                             rows(path, "SELECT s.step, count(*) FROM steps s JOIN api_trace a ON a.slice IN "
                                        "(SELECT launch FROM device_slices) JOIN slices m ON m.name = "
                                        "'ProfilerStep#' || s.step AND m.kind = 'annotation' AND a.start_ns >= "
                                        "m.start_ns AND a.start_ns < m.start_ns + m.duration_ns JOIN device_slices d "
                                        "ON d.launch = a.slice GROUP BY 1"))


class TableFunctions(unittest.TestCase):
    def test_ancestors_and_descendants(self):
        for path in inputs():
            slices = Slices(path)
            chosen = sorted(slices.by_number)[::97]
            for function, expected in (("ancestors", slices.around), ("descendants", slices.inside)):
                query = ("SELECT s.slice, t.slice, t.name, t.start_ns, t.duration_ns FROM slices s JOIN %s(s.slice) t "
                         "WHERE s.slice IN (%s)" % (function, ",".join(map(str, chosen))))
                found = collections.defaultdict(list)
                for of, number, name, start, duration in rows(path, query):
                    found[of].append(number)
                    each = slices.by_number[number]
                    self.assertEqual((name, start, duration), (each["name"], each["start_ns"], each["duration_ns"]))
                for number in chosen:
                    wanted = expected(number)
                    order = found[number] if function == "ancestors" else sorted(found[number])
                    self.assertEqual(order, wanted if function == "ancestors" else sorted(wanted), (path, number))

    def test_levels(self):
        path = inputs()[0]
        self.assertEqual(rows(path, "SELECT count(*) FROM slices s JOIN descendants(s.slice) d JOIN slices i "
                                    "ON i.slice = d.slice WHERE d.levels != i.depth - s.depth")[0][0], 0)
        inner = rows(path, "SELECT slice, depth FROM slices ORDER BY depth DESC LIMIT 1")[0]
        self.assertEqual(rows(path, "SELECT levels FROM ancestors(%d)" % inner[0]),
                         [[level + 1] for level in range(inner[1])])

    def test_a_descendant_has_its_ancestor(self):
        path = inputs()[1]
        self.assertEqual(rows(path, "SELECT count(*) FROM (SELECT s.slice a, d.slice b FROM slices s JOIN "
                                    "descendants(s.slice) d)"),
                         rows(path, "SELECT count(*) FROM (SELECT s.slice a, d.slice b FROM slices s JOIN "
                                    "ancestors(s.slice) d)"))

    def test_without_a_slice(self):
        self.assertEqual(rows(inputs()[0], "SELECT count(*) FROM ancestors(NULL)"), [[0]])
        self.assertEqual(rows(inputs()[0], "SELECT count(*) FROM descendants(-1)"), [[0]])
        done = sql(inputs()[0], "SELECT * FROM ancestors")
        self.assertEqual(done.returncode, 2)
        self.assertIn("descendants(slice)", done.stderr.decode())

    def test_interval_intersect(self):
        values = [(1, 0, 10, 0), (2, 5, 5, 0), (3, 5, 20, 1), (4, 30, 0, 0), (5, 12, 9, 0), (6, -4, 6, 1)]
        others = [(7, 0, 6, 0), (8, 6, 7, 0), (9, 8, 30, 1), (10, 3, 1, 0), (11, -10, 100, 0)]

        def listed(items):
            return "SELECT column1 id, column2 start_ns, column3 duration_ns, column4 device FROM (VALUES %s)" % (
                ", ".join(map(str, items)))

        for same in ("", "device"):
            expected = sorted([max(s, t), min(s + d, t + e) - max(s, t), i, j]
                              for i, s, d, x in values for j, t, e, y in others
                              if max(s, t) < min(s + d, t + e) and (not same or x == y))
            found = rows(inputs()[0], "SELECT * FROM interval_intersect('%s', '%s', '%s')" % (
                listed(values), listed(others), same))
            self.assertEqual(sorted(found), expected)

    def test_busy_time_of_steps(self):
        for path in inputs():
            found = rows(path, "SELECT b, sum(duration_ns) FROM interval_intersect("
                               "'SELECT slice, start_ns, duration_ns FROM device_slices', "
                               "'SELECT step, start_ns, duration_ns FROM steps') GROUP BY b")
            self.assertEqual(found, rows(
                path, "SELECT s.step, sum(overlap(d.start_ns, d.start_ns + d.duration_ns, s.start_ns, s.start_ns + "
                      "s.duration_ns)) FROM steps s, device_slices d GROUP BY s.step"))

    def test_what_it_cannot_do(self):
        for query, told in (("interval_intersect('kernels', 'steps')", "no columns start_ns"),
                            ("interval_intersect('no_table', 'steps')", "no such table"),
                            ("interval_intersect('steps')", "takes two tables"),
                            ("interval_intersect('steps', 'steps', 'nothing')", "no column nothing"),
                            ("interval_intersect('DELETE FROM steps', 'steps')", "syntax error")):
            done = sql(inputs()[0], "SELECT * FROM " + query)
            self.assertEqual(done.returncode, 2, query)
            self.assertIn(told, done.stderr.decode())


class OverTime(unittest.TestCase):
    def test_queue_length(self):
        for path in inputs():
            waiting = rows(path, "SELECT rank, device, stream, sum(duration_ns) FROM queue_length WHERE length >= 1 "
                                 "GROUP BY 1, 2, 3 ORDER BY 1, 2, 3")
            self.assertTrue(waiting)
            self.assertEqual(waiting, rows(path, "SELECT rank, device, stream, waiting_ns FROM queue "
                                                 "WHERE waiting_ns > 0 ORDER BY 1, 2, 3"))
            self.assertEqual(rows(path, "SELECT max(length) FROM queue_length"), rows(path, "SELECT max(max) FROM queue"))

    def test_memory_bandwidth(self):
        for path in inputs():
            moved = {(device, kind): total for device, kind, total in rows(
                path, "SELECT device, kind, sum(bandwidth * duration_ns) FROM memory_bandwidth GROUP BY 1, 2")}
            self.assertTrue(moved)
            for device, kind, total in rows(
                    path, "SELECT d.device, CASE WHEN s.kind = 'memset' THEN 'Memset' ELSE substr(d.name, 8, 4) END, "
                          "sum(bytes) FROM device_slices d JOIN slices s USING (slice) WHERE d.bytes IS NOT NULL AND "
                          "d.duration_ns > 0 AND s.kind IN ('memcpy', 'memset') GROUP BY 1, 2"):
                self.assertAlmostEqual(moved[device, kind] / total, 1, delta=1e-9)

    def test_kernels_by_group(self):
        for path in inputs():
            whole = {name: (count, total) for name, count, total in rows(
                path, "SELECT name, count, total_ns FROM kernels")}
            for by in ("step", "op", "module", "range", "rank", "device,stream", "step,op,range"):
                done = tool.run(["table", path, "kernels", "--by", by, "--format", "json"])
                self.assertEqual(done.returncode, 0, done.stderr)
                table = json.loads(done.stdout)["tables"]["kernels"]
                names = [column["name"] for column in table["columns"]]
                self.assertEqual(names[:len(by.split(","))], by.split(","))
                sums = collections.defaultdict(lambda: [0, 0])
                for row in table["rows"]:
                    of = dict(zip(names, row))
                    sums[of["name"]][0] += of["count"]
                    sums[of["name"]][1] += of["total_ns"]
                self.assertEqual({name: tuple(sum_) for name, sum_ in sums.items()}, whole, by)
            groups = rows(path, "SELECT op, name, count(*), sum(duration_ns) FROM device_slices WHERE slice IN (SELECT "
                                "slice FROM slices WHERE kind IN ('kernel', 'collective')) GROUP BY 1, 2 ORDER BY 1, 2")
            done = tool.run(["table", path, "kernels", "--by", "op", "--format", "json"])
            table = json.loads(done.stdout)["tables"]["kernels"]
            names = [column["name"] for column in table["columns"]]
            self.assertEqual(sorted(([row[names.index(key)] for key in ("op", "name", "count", "total_ns")]
                                     for row in table["rows"]), key=str), sorted(groups, key=str))

    def test_unknown_group(self):
        done = tool.run(["table", inputs()[0], "kernels", "--by", "step,colour"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("'colour' is none of rank, device, stream, step, op, module, range", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
