#!/usr/bin/env python3
"""`cgpu sql`: every table in SQL is the table that `cgpu table --format json` gives, value for value, on built traces and
on the corpus; what conditions, orders and functions give is held against plain Python; and what is wrong is told.

Environment: CGPU (the binary), CGPU_BUILDER (the trace builder), CGPU_ALL (every file of the corpus, not three a format).
"""
import contextlib
import gzip
import itertools
import json
import os
import pty
import select
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import built, tool  # noqa: E402
from oracle.pool import Case, Pool  # noqa: E402

EXAMPLE = os.path.join(tool.ROOT, "examples", "generated_training.json.gz")
BUILT = {"moe_two_ranks": (["--model", "moe", "--seed", 31], 2), "cnn_amd": (["--model", "cnn", "--vendor", "amd"], 1)}


def table_names():
    listed = json.loads(tool.run(["table", "--list", "--format", "json"]).stdout)["tables"]["tables"]
    name = [column["name"] for column in listed["columns"]].index("name")
    return [row[name] for row in listed["rows"]]


def as_told(table):
    return [(column["name"], column["type"], column["unit"]) for column in table["columns"]], table["rows"]


def of_command(inputs, name):
    """A table as the command line gives it, or the error."""
    done = tool.run(["table", *inputs, name, "--format", "json"])
    if done.returncode:
        return done.stderr.decode()
    return as_told(next(iter(json.loads(done.stdout.decode())["tables"].values())))


def sql(inputs, *words):
    inputs = [inputs] if isinstance(inputs, str) else list(inputs)
    return tool.run(["sql", *inputs, *words])


def rows(inputs, query):
    """Of a query, as lists."""
    done = sql(inputs, query, "--format", "json")
    if done.returncode:
        raise RuntimeError("%s: %s" % (query, done.stderr.decode()))
    return json.loads(done.stdout.decode())["tables"]["result"]["rows"]


def differences(inputs):
    """Of all tables: one session of SQL against a call of the program a table."""
    names = table_names()
    done = sql(inputs, "; ".join("SELECT * FROM " + name for name in names), "--format", "json")
    if done.returncode:
        told = tool.run(["info", *inputs])
        return [] if told.returncode else ["sql: " + done.stderr.decode()]  # no profile at all
    results = json.loads(done.stdout.decode())["tables"]
    out = []
    for name, result in zip(names, results.values()):
        if as_told(result) != of_command(inputs, name):
            out.append("%s: SELECT * FROM %s is not the table" % (inputs, name))
    if len(results) != len(names):
        out.append("%d results of %d tables" % (len(results), len(names)))
    return out


def differences_of_built(name):
    options, ranks = BUILT[name]
    with tempfile.TemporaryDirectory() as folder:
        trace, _ = built.build(folder, "--steps", 3, *options, ranks=ranks)
        return differences([trace])


def some_of(folder):
    """The profiles of a format: all of them, or three of the smaller half."""
    paths = sorted((os.path.join(folder, name) for name in os.listdir(folder)), key=lambda p: (os.path.getsize(p), p))
    if os.environ.get("CGPU_ALL") or len(paths) <= 3:
        return paths
    return [paths[round(i * (len(paths) - 1) / 4)] for i in range(3)]


def corpus_files():
    corpus = tool.shared("corpus")
    if not os.path.isdir(corpus):
        return []
    folders = sorted(os.path.join(corpus, n) for n in os.listdir(corpus) if os.path.isdir(os.path.join(corpus, n)))
    return [path for folder in folders for path in some_of(folder)]


def setUpModule():
    tool.must_exist()
    pool = Case.pool = Pool()
    for path in corpus_files():
        pool.start(path, differences, [path])
    for name in BUILT:
        pool.start(name, differences_of_built, name)


def tearDownModule():
    if Case.pool:
        Case.pool.close()


class TablesOfTheCorpus(Case):
    if not corpus_files():
        def test_real_profiles(self):
            self.skipTest("no ../shared/corpus")


class BuiltTables(Case):
    pass


for _path in corpus_files():
    TablesOfTheCorpus.add(os.path.relpath(_path, tool.shared("corpus")), _path)
for _name in BUILT:
    BuiltTables.add(_name, _name)


class Answers(unittest.TestCase):
    """What is answered inside of the virtual tables is what a scan of all rows in Python gives."""

    @classmethod
    def setUpClass(cls):
        cls.slices = tool.table(EXAMPLE, "slices")
        cls.device = tool.table(EXAMPLE, "device_trace")

    def ask(self, query):
        return rows(EXAMPLE, query)

    def test_ranges_of_time_are_answered_exactly(self):
        starts = sorted(row["start_ns"] for row in self.slices)
        low, high = starts[len(starts) // 3], starts[len(starts) // 2]
        for lower, upper in itertools.product((">", ">=", "="), ("<", "<=")):
            for shift in (-1, -0.5, 0, 0.5, 1):
                a, b = low + shift, high + shift
                meets = {">": a.__lt__, ">=": a.__le__, "=": a.__eq__}[lower], {"<": b.__gt__, "<=": b.__ge__}[upper]
                want = sum(all(meet(row["start_ns"]) is True for meet in meets) for row in self.slices)
                got = self.ask("SELECT count(*) FROM slices WHERE start_ns %s %r AND start_ns %s %r" % (lower, a, upper, b))
                self.assertEqual(got, [[want]], (lower, upper, shift))

    def test_conditions_at_the_ends_of_the_numbers(self):
        count = len(self.slices)
        for condition, want in (("> -1e300", count), ("< 1e300", count), ("> 1e300", 0), ("> 9223372036854775807", 0),
                                ("< -9223372036854775808", 0), (">= -9223372036854775808", count), ("= 0.5", 0),
                                ("= NULL", 0), ("> 'a'", 0), ("< 'a'", count), ("<= 9.3e18", count),
                                ("IS NOT NULL", count), ("IS NULL", 0)):
            self.assertEqual(self.ask("SELECT count(*) FROM slices WHERE start_ns " + condition), [[want]], condition)

    def test_names_are_found_with_and_without_case(self):
        name = self.slices[-1]["name"]
        want = sum(row["name"] == name for row in self.slices)
        quoted = name.replace("'", "''")
        self.assertEqual(self.ask("SELECT count(*) FROM slices WHERE name = '%s'" % quoted), [[want]])
        self.assertEqual(self.ask("SELECT count(*) FROM slices WHERE name = '%s' COLLATE NOCASE" % quoted.upper()),
                         [[sum(row["name"].lower() == name.lower() for row in self.slices)]])
        self.assertEqual(self.ask("SELECT count(*) FROM slices WHERE name IN ('%s', 'nothing')" % quoted), [[want]])
        self.assertEqual(self.ask("SELECT count(*) FROM slices WHERE name = 5"), [[0]])
        self.assertEqual(self.ask("SELECT count(*) FROM slices WHERE name REGEXP '^aten::'"),
                         [[sum(row["name"].startswith("aten::") for row in self.slices)]])

    def test_groups(self):
        groups = {}
        for row in self.slices:
            groups.setdefault((row["name"], row["thread"]), []).append(row["duration_ns"])
        want = sorted([name, thread, len(all_), sum(all_), statistics.median(all_)]
                      for (name, thread), all_ in groups.items())
        got = self.ask("SELECT name, thread, count(*), sum(duration_ns), median(duration_ns) FROM slices "
                       "GROUP BY name, thread")
        self.assertEqual(sorted(got), want)

    def test_absent_values_are_left_out_where_asked(self):
        want = [sum(row["stream"] is not None for row in self.slices),
                sum(row["stream"] is not None and row["stream"] > 7 for row in self.slices)]
        self.assertEqual(self.ask("SELECT (SELECT count(*) FROM slices WHERE stream IS NOT NULL), "
                                  "(SELECT count(*) FROM slices WHERE stream IS NOT NULL AND stream > 7)"), [want])

    def test_orders_with_absent_values(self):
        for column, sign in itertools.product(("device", "duration_ns", "category", "correlation"), ("ASC", "DESC")):
            got = [row[0] for row in self.ask("SELECT %s FROM slices ORDER BY %s %s" % (column, column, sign))]
            values = [row[column] for row in self.slices]
            present = sorted((v for v in values if v is not None), reverse=sign == "DESC")
            absent = [None] * (len(values) - len(present))
            self.assertEqual(got, present + absent if sign == "DESC" else absent + present, (column, sign))

    def test_equal_rows_keep_the_order_of_the_table(self):
        got = self.ask("SELECT name, start_ns FROM slices ORDER BY duration_ns DESC, name LIMIT 300")
        want = sorted(self.slices, key=lambda row: (-row["duration_ns"], row["name"].encode()))[:300]
        self.assertEqual(got, [[row["name"], row["start_ns"]] for row in want])

    def test_windows(self):
        got = self.ask("SELECT stream, start_ns, start_ns - lag(start_ns + duration_ns) OVER (PARTITION BY stream "
                       "ORDER BY start_ns) FROM device_trace")
        want, last = [], {}
        for row in sorted(self.device, key=lambda row: (row["stream"], row["start_ns"])):
            end = last.get(row["stream"])
            want.append([row["stream"], row["start_ns"], None if end is None else row["start_ns"] - end])
            last[row["stream"]] = row["start_ns"] + row["duration_ns"]
        self.assertEqual(sorted(got, key=lambda r: (r[0], r[1])), want)

    def test_joins(self):
        want = sum(a["correlation"] == b["correlation"] for a in self.device for b in self.device[:200])
        self.assertEqual(self.ask("SELECT count(*) FROM (SELECT * FROM device_trace LIMIT 200) a JOIN device_trace b "
                                  "ON a.correlation = b.correlation"), [[want]])
        kernels = {row["name"] for row in tool.table(EXAMPLE, "kernels")}
        self.assertEqual(self.ask("SELECT count(*) FROM slices s JOIN kernels k ON k.name = s.name"),
                         [[sum(row["name"] in kernels for row in self.slices)]])

    def test_events_are_joined_by_the_numbers_of_slices(self):
        launches = sum(row["launch"] is not None for row in self.device)
        self.assertEqual(self.ask("SELECT count(*), sum(c.correlation = d.correlation) FROM device_slices d JOIN slices c "
                                  "ON c.slice = d.launch"), [[launches, launches]])
        self.assertEqual(self.ask("SELECT count(*) FROM links l JOIN device_slices d ON d.slice = l.to_slice "
                                  "WHERE l.kind = 'launch' AND d.launch = l.from_slice"), [[launches]])
        inside = self.ask("SELECT count(*), sum(p.start_ns <= s.start_ns AND s.start_ns + s.duration_ns <= "
                          "p.start_ns + p.duration_ns AND s.depth = p.depth + 1 AND s.track = p.track) "
                          "FROM slices s JOIN slices p ON p.slice = s.parent")
        self.assertEqual(inside, [[sum(bool(row["depth"]) for row in self.slices)] * 2])
        self.assertEqual(self.ask("SELECT track, slices FROM tracks WHERE slices > 0"),
                         self.ask("SELECT track, count(*) FROM slices GROUP BY track ORDER BY track"))
        self.assertEqual(self.ask("SELECT count(*), count(DISTINCT slice), min(slice), max(slice) FROM slices"),
                         [[len(self.slices), len(self.slices), 0, len(self.slices) - 1]])

    def test_counters_allocations_and_waits_are_those_of_the_profile(self):
        with gzip.open(EXAMPLE, "rt", encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        memory = [e for e in events if e.get("name") == "[memory]"]
        self.assertEqual(self.ask("SELECT count(*), sum(bytes > 0) FROM memory_events"),
                         [[len(memory), sum(e["args"]["Bytes"] > 0 for e in memory)]])
        self.assertEqual(self.ask("SELECT sum(bytes) FROM memory_events"), [[sum(e["args"]["Bytes"] for e in memory)]])
        late = self.ask("SELECT count(*) FROM waits w JOIN device_slices d ON d.slice = w.op_slice WHERE w.ended = 'op' "
                        "AND NOT d.start_ns + d.duration_ns BETWEEN w.start_ns AND w.start_ns + w.duration_ns")
        self.assertEqual(late, [[0]])
        self.assertGreater(self.ask("SELECT count(*) FROM waits WHERE ended = 'op'")[0][0], 0)

    def test_arguments_are_those_of_the_profile(self):
        with gzip.open(EXAMPLE, "rt", encoding="utf-8") as file:
            slices = [e for e in json.load(file)["traceEvents"] if e.get("ph") == "X"]
        want = {}
        for event in slices:
            for key, value in event.get("args", {}).items():
                if isinstance(value, int) and not isinstance(value, bool):
                    want[key] = want.get(key, 0) + value
        got = dict(self.ask("SELECT key, sum(value) FROM arguments WHERE typeof(value) = 'integer' GROUP BY key"))
        self.assertEqual(got, {key: value for key, value in want.items() if key in got})
        self.assertIn("correlation", got)
        first = self.device[0]["slice"]
        self.assertEqual(self.ask("SELECT value FROM arguments(%d) WHERE key = 'correlation'" % first),
                         [[self.device[0]["correlation"]]])
        self.assertEqual(self.ask("SELECT count(*) FROM arguments(%d)" % len(self.slices)), [[0]])
        self.assertEqual(self.ask("SELECT count(*) FROM arguments('x')"), [[0]])

    def test_span_union_is_the_busy_time(self):
        self.assertEqual(self.ask("SELECT device, span_union(start_ns, start_ns + duration_ns) FROM device_trace "
                                  "GROUP BY device"), self.ask("SELECT device, busy_ns FROM gpu_time"))
        self.assertEqual(self.ask("SELECT span_union(a, b) FROM (SELECT 1 a, 5 b UNION ALL SELECT 3, 9 UNION ALL "
                                  "SELECT 9, 2 UNION ALL SELECT NULL, 100)"), [[8]])

    def test_statistics_are_those_of_the_tables(self):
        self.assertEqual(self.ask("SELECT a.name FROM (SELECT name, median(duration_ns) m, stddev(duration_ns) s "
                                  "FROM device_trace GROUP BY name) a JOIN kernels k USING (name) "
                                  "WHERE m != median_ns OR abs(s - std_ns) > 1e-6 * s"), [])
        got = self.ask("SELECT stream, percentile(value, 25), percentile(value, 75) FROM (SELECT 1 AS stream, value "
                       "FROM json_each('[4, 1, 3, 2, null]'))")
        self.assertEqual(got, [[1, 1.75, 3.25]])

    def test_functions_of_names_and_intervals(self):
        self.assertEqual(self.ask("SELECT count(*) FROM kernels WHERE class(name) != class"), [[0]])
        self.assertEqual(self.ask("SELECT demangle('_ZN2at6native3fooIfEEvPT_'), demangle('main'), demangle(NULL)"),
                         [["void at::native::foo<float>(float*)", "main", None]])
        self.assertEqual(self.ask("SELECT overlap(0, 10, 5, 20), overlap(0, 5, 5, 9), overlap(0, 5, NULL, 9)"),
                         [[5, 0, None]])

    def test_a_part_of_the_run(self):
        got = rows([EXAMPLE, "--from", "1ms", "--to", "2ms"], "SELECT * FROM gpu_time")
        self.assertEqual(got, [list(row.values()) for row in tool.table(EXAMPLE, "gpu_time", "--from", "1ms", "--to", "2ms")])

    def test_two_runs(self):
        got = rows(["a=" + EXAMPLE, "b=" + os.path.join(tool.ROOT, "examples", "moe.json.gz")],
                   "SELECT (SELECT count(*) FROM a.slices), (SELECT count(*) FROM b.slices)")
        want = [len(tool.table(os.path.join(tool.ROOT, "examples", name), "slices"))
                for name in ("generated_training.json.gz", "moe.json.gz")]
        self.assertEqual(got, [want])

    def test_other_ranks_are_not_looked_at(self):
        """A condition that no row of the other rank survives is never asked about one, where the rank is a plain condition."""
        fails_for = "abs(CASE rank WHEN %d THEN -9223372036854775808 ELSE 1 END) = 1"
        with tempfile.TemporaryDirectory() as folder:
            trace, _ = built.build(folder, "--steps", 2, "--model", "moe", ranks=2)
            ranks = [row["rank"] for row in tool.table(trace, "slices")]
            for table in ("slices", "device_slices"):
                of_all = dict(rows(trace, "SELECT rank, count(*) FROM %s GROUP BY rank" % table))
                self.assertEqual(set(of_all), {0, 1})
                if table == "slices":
                    self.assertEqual(of_all, {rank: ranks.count(rank) for rank in (0, 1)})
                for rank in (0, 1):
                    other = fails_for % (1 - rank)
                    for condition in ("rank = %d" % rank, "rank IN (%d)" % rank, "rank BETWEEN %d - 0.5 AND %d.5" % (rank, rank)):
                        query = "SELECT count(*) FROM %s WHERE %s AND %s" % (table, other, condition)
                        self.assertEqual(rows(trace, query), [[of_all[rank]]], query)
                    with self.assertRaisesRegex(RuntimeError, "overflow"):  # which shows that it would have been asked
                        rows(trace, "SELECT count(*) FROM %s WHERE %s AND rank + 0 = %d" % (table, other, rank))

    def test_values_decide_the_type_of_a_column(self):
        done = sql(EXAMPLE, "SELECT 1 i, 1.5 r, 'x' t, NULL n, x'00ff' b UNION ALL SELECT 2.5, 2, 3, 4, 5", "--format", "json")
        table = json.loads(done.stdout)["tables"]["result"]
        self.assertEqual([column["type"] for column in table["columns"]], ["float", "float", "text", "int", "text"])
        self.assertEqual(table["rows"], [[1, 1.5, "x", None, "x'00ff'"], [2.5, 2, "3", 4, "5"]])

    def test_formats(self):
        query = "SELECT name, count AS total_ns FROM kernels ORDER BY name"
        csv = sql(EXAMPLE, query, "--format", "csv", "--top", "2").stdout.decode().splitlines()
        self.assertEqual(csv[0], "name,total_ns")
        self.assertEqual(len(csv), 3)
        text = sql(EXAMPLE, "SELECT start_ns FROM slices").stdout.decode()
        self.assertIn("... more rows (--top 0 shows all)", text)
        self.assertNotIn("more rows", sql(EXAMPLE, "SELECT start_ns FROM slices LIMIT 40").stdout.decode())
        two = sql(EXAMPLE, "SELECT 1 AS a; SELECT 2 AS b", "--format", "csv").stdout.decode()
        self.assertEqual(two, "a\n1\n\nb\n2\n")

    def test_statements_of_standard_input(self):
        done = subprocess.run([tool.binary(), "sql", EXAMPLE, "--format", "csv"], stdout=subprocess.PIPE,
                              input=b".tables\n-- a comment\nSELECT 1\n  AS a;\n\nSELECT 2 AS b", check=True)
        self.assertTrue(done.stdout.decode().endswith("a\n1\n\nb\n2\n"), done.stdout[-80:])


class Files(unittest.TestCase):
    """The database that `cgpu export` writes, read by Python's SQLite."""

    def test_tables_are_those_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.sqlite")
            done = tool.run(["export", EXAMPLE, "-o", path])
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(os.listdir(folder), ["run.sqlite"])
            with contextlib.closing(sqlite3.connect(path)) as database:
                for name in table_names():
                    cursor = database.execute("SELECT * FROM " + name)
                    columns, want = of_command([EXAMPLE], name)
                    self.assertEqual([each[0] for each in cursor.description], [column[0] for column in columns])
                    self.assertEqual([list(row) for row in cursor], want, name)
                got = database.execute("SELECT count(*), count(DISTINCT slice) FROM arguments").fetchall()
                self.assertEqual([list(row) for row in got],
                                 rows(EXAMPLE, "SELECT count(*), count(DISTINCT slice) FROM arguments"))
                told = database.execute("SELECT sql FROM sqlite_master WHERE name = 'gpu_time'").fetchone()[0]
                self.assertIn("busy_ns INTEGER,  -- [ns] ", told)

    def test_without_arguments_and_what_is_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run")
            self.assertEqual(tool.run(["export", EXAMPLE, "--no-args", "--to", "sqlite", "-o", path]).returncode, 0)
            with contextlib.closing(sqlite3.connect(path)) as database:
                self.assertEqual(database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'arguments'").fetchall(),
                                 [(0,)])
        for words in (["--to", "sqlite", "-o", "/dev/null"], ["-o", "/no/such/folder/run.sqlite"]):
            done = tool.run(["export", EXAMPLE, *words])
            self.assertEqual(done.returncode, 2)
            self.assertIn(words[-1], done.stderr.decode())


class Prompt(unittest.TestCase):
    """On a terminal, typed key by key."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ.update(XDG_STATE_HOME=self.folder.name, TERM="xterm", NO_COLOR="1")
            os.execv(tool.binary(), ["cgpu", "sql", EXAMPLE])
        self.addCleanup(os.close, self.terminal)
        self.wait_for("sql> ")

    def wait_for(self, text, then=""):
        """What comes until `text` came, and after it `then`."""
        seen = ""
        for _ in range(600):
            if select.select([self.terminal], [], [], 0.1)[0]:
                with contextlib.suppress(OSError):  # it has ended
                    seen += os.read(self.terminal, 65536).decode(errors="replace")
            if text in seen and then in seen.partition(text)[2]:
                return seen
        raise AssertionError("%r did not come: %r" % (text, seen))

    def type(self, keys, text, then=""):
        os.write(self.terminal, keys.encode())
        return self.wait_for(text, then)

    def exit_status(self):
        for _ in range(600):
            ended, status = os.waitpid(self.process, os.WNOHANG)
            if ended:
                return status
            time.sleep(0.1)
        raise AssertionError("it did not end")

    def test_statements_completion_errors_and_ctrl_c(self):
        self.type("SELECT count(*)\n", "...> ")
        self.type("FROM kernels;\n", "%d" % len(tool.table(EXAMPLE, "kernels")))
        self.type("SELECT nope;\n", "no such column: nope")
        self.type(".sch\t", "ema")
        self.type("gpu_t\t", "ime")
        self.type("\n", "busy_ns INTEGER,  -- [ns] ")
        self.type("SELECT exposed_com\t", "m_ns")  # a column
        self.type(" > 0, sum(k.tot\t", "al_ns")  # behind the name of its table
        self.type(") FROM gpu_time, kernels k;\n", "sum(k.total ns )", "sql> ")
        for _ in range(5):  # at any moment of the prompt
            self.type("SELECT 1", "SELECT 1")
            self.type("\x03", "sql> ")
        self.type("SELECT unicode('€') AS code;\n", "%d" % ord("€"), "sql> ")
        self.type("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n;\n", "FROM n;\r\n")
        time.sleep(0.5)
        self.type("\x03", "SQL: interrupted")
        self.type("SELECT 41 + 1 AS sum;\n", "42", "sql> ")  # only a prompt reads Ctrl-D as a key
        os.write(self.terminal, b"\x04")
        self.assertEqual(self.exit_status(), 0)
        with open(os.path.join(self.folder.name, "cgpu", "sql_history"), encoding="utf-8") as file:
            self.assertIn("kernels;", file.read())


class WhatIsWrong(unittest.TestCase):
    def expect(self, words, *told):
        done = tool.run(["sql", *words])
        self.assertEqual(done.returncode, 2, words)
        lines = done.stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, lines)
        for text in told:
            self.assertIn(text, lines[0])

    def test_inputs(self):
        self.expect([], "give one or more inputs")
        self.expect(["SELECT 1"], "give one or more inputs")
        self.expect(["/no/such/file.json"], "/no/such/file.json")
        self.expect(["/no/such/file.json", "SELECT 1"], "/no/such/file.json")
        self.expect(["a=/no/such/file.json", "SELECT 1"], "/no/such/file.json")
        self.expect([EXAMPLE, "SELECT 1", "--param", "x"], "--param", "NAME=VALUE")
        self.expect(["-"], "standard input is the profile")
        self.expect([EXAMPLE, "SELECT 1", "--timeout", "soon"], "--timeout")
        self.expect([EXAMPLE, "SELECT 1", "--format", "xml"], "--format")

    def test_statements(self):
        for query, *told in (("SELECT * FROM kernel", "no such table: kernel", "did you mean kernels", ".tables"),
                             ("SELECT k.totl_ns FROM kernels k", "no such column: k.totl_ns", "did you mean total_ns"),
                             ("SELECT :x", "no value was given for the parameter :x"), ("SELECT ?", "parameters have names"),
                             ("SELECT nam FROM kernels", "no such column: nam", "column 8"),
                             ("SELECT name,\n  nam FROM kernels", "line 2, column 3"),
                             ("SELCT 1", "syntax error"), ("SELECT 1; SELECT", "incomplete input"),
                             ("SELECT * FROM c.kernels", "no such table"), ("SELECT kernels(1) x", "no such function"),
                             ("SELECT name FROM kernels WHERE name REGEXP '('", "regexp"),
                             ("SELECT percentile(count, 101) FROM kernels", "0 to 100"),
                             ("SELECT span_union(name, 1) FROM kernels", "whole numbers"),
                             ("SELECT overlap(1, 2, 3) x", "wrong number of arguments"),
                             ("SELECT * FROM table_of_run", "no such table"),
                             ("SELECT abs(-9223372036854775808) x", "overflow"), (".nothing", ".help")):
            self.expect([EXAMPLE, query], *told)

    def test_writing(self):
        for query in ("DROP TABLE kernels", "DELETE FROM kernels WHERE 1", "UPDATE kernels SET name = 1",
                      "INSERT INTO kernels (name) VALUES (1)", "CREATE TABLE x (a)", "CREATE TEMP TABLE x (a)",
                      "CREATE VIEW v AS SELECT 1", "CREATE VIRTUAL TABLE v USING arguments", "ATTACH 'x.db' AS x",
                      "DETACH main", "PRAGMA writable_schema = ON", "PRAGMA temp_store_directory = '/'", "VACUUM INTO 'x'",
                      "ALTER TABLE kernels RENAME TO k", "REINDEX main", "ANALYZE main", "SAVEPOINT s ",
                      "BEGIN EXCLUSIVE", "SELECT load_extension('x')", "SELECT writefile('x', 'y')"):
            done = sql(EXAMPLE, query)
            self.assertEqual(done.returncode, 2, query)
        for name in ("x.db", "x"):
            self.assertFalse(os.path.exists(name))

    def test_a_query_that_takes_too_long(self):
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        self.expect([EXAMPLE, endless, "--timeout", "200ms"], "longer than the 0.2 s")

    def test_an_interrupted_query(self):
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        with subprocess.Popen([tool.binary(), "sql", EXAMPLE, endless], stderr=subprocess.PIPE) as running:
            tool.wait_until_caught(running, signal.SIGINT)
            time.sleep(0.3)  # until the query has begun, which forgets what came before
            running.send_signal(signal.SIGINT)
            told = running.communicate(timeout=60)[1].decode()
        self.assertEqual((running.returncode, told), (2, "cgpu: SQL: interrupted\n"))

    def test_a_summary_has_no_timeline(self):
        with tempfile.TemporaryDirectory() as folder:
            summary = os.path.join(folder, "run.cgpu")
            self.assertEqual(tool.run(["summarize", EXAMPLE, "-o", summary]).returncode, 0)
            self.assertEqual(rows(summary, "SELECT * FROM kernels"), rows(EXAMPLE, "SELECT * FROM kernels"))
            self.expect([summary, "SELECT * FROM slices"], "is a summary")
            self.expect([summary, "SELECT * FROM arguments(1)"], "summary")
            self.assertNotIn(b"slices", sql(summary, ".tables").stdout)


if __name__ == "__main__":
    unittest.main()
