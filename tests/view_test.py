#!/usr/bin/env python3
"""The viewer's server over HTTP, on a built trace: tiles against a raster computed here from the trace's own text,
areas and tables against `cgpu table`, how it starts and how it ends.

Environment: CGPU (the binary).
"""
import gzip
import http.client
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

BUCKETS = 1024


class Server:
    """A running `cgpu view`; as a context it is ended with Ctrl-C."""

    def __init__(self, *words, port="0"):
        self.process = subprocess.Popen([tool.binary(), "view", *map(str, words), "--no-browser"] +
                                        (["--port", port] if port else []), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines = []
        while not (self.lines and self.lines[-1].startswith("http://")):
            line = self.process.stdout.readline()
            if not line:
                self.status = self.process.wait(20)
                self.errors = self.process.stderr.read()
                self.close_pipes()
                raise ConnectionError(self.errors)
            self.lines.append(line.strip())
        self.url = self.lines[-1]
        self.port = int(re.search(r":(\d+)/", self.url).group(1))

    def close_pipes(self):
        self.process.stdout.close()
        self.process.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.end()

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.status = self.process.wait(20)
        if not self.process.stdout.closed:
            self.lines += self.process.stdout.read().splitlines()
            self.errors = self.process.stderr.read()
            self.close_pipes()
        return self.status

    def get(self, target, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", target, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def json(self, target, **headers):
        status, _, body = self.get(target, **headers)
        if status != 200:
            raise RuntimeError("%s: %d %s" % (target, status, body[:300]))
        return json.loads(body.decode())

    def state(self, profile=0):
        """Waits until a profile is open, or is not going to be."""
        for _ in range(600):
            status = self.json("/api/status")["profiles"][profile]
            if status["state"] != "opening":
                return status
            time.sleep(0.05)
        raise TimeoutError("the profile does not open")


def build(folder, *options):
    builder = os.path.join(os.path.dirname(tool.binary()), "trace_builder")
    path = os.path.join(folder, "trace.json")
    subprocess.run([builder, path, "--events", "20000", *options], check=True, stdout=subprocess.DEVNULL)
    return path


class OfSummaries(unittest.TestCase):
    """A merged summary has its tables, the heat map of ranks, and no timeline."""

    def test_a_summary_is_its_tables(self):
        with tempfile.TemporaryDirectory() as folder:
            builder = os.path.join(os.path.dirname(tool.binary()), "job_builder")
            subprocess.run([builder, folder, "--ranks", "24"], check=True, stdout=subprocess.DEVNULL)
            merged = os.path.join(folder, "all.cgpu")
            self.assertEqual(tool.run(["merge", os.path.join(folder, "summaries"), "-o", merged]).returncode, 0)
            for words in ([merged], [os.path.join(folder, "summaries")], [merged, "--rank", "3-5"]):
                with Server(*words) as server:
                    self.assertEqual(server.state()["state"], "ready")
                    session = server.json("/api/p/0/session")
                    self.assertEqual((session["views"], session["tracks"], session["steps"]), (["ranks", "tables"], [], []))
                    self.assertGreater(session["span"], 0)
                    self.assertEqual({row["rank"] for row in session["runs"]},
                                     {row["rank"] for row in tool.table(words[0], "gpu_time", *words[1:])})
                    for run in session["runs"]:
                        self.assertRegex(run["file"], r"^rank-\d+(-again)?\.json$")
                    for table in session["tables"]:
                        self.assertEqual((table["options"], table["row_key"]), ([], []))
                        status, _, body = server.get("/api/p/0/table/" + table["name"])
                        self.assertEqual(status, 200, body[:300])
                        if table["name"] != "info":  # which has the names that were given
                            columns, rows = (json.loads(body)["tables"][table["name"]][key] for key in ("columns", "rows"))
                            self.assertEqual([dict(zip([c["name"] for c in columns], row)) for row in rows],
                                             tool.table(words[0], table["name"], *words[1:]))
                    (first,) = server.json("/api/p/0/table/rank_activity?top=1&sort=compute_ns&where=rank%3D5")["tables"][
                        "rank_activity"]["rows"]
                    self.assertEqual(first[0], 5)
                    for wrong in ("table/slices", "table/critical_path", "table/kernels?names=base", "table/kernels?from=0&to=5"):
                        self.assertEqual(server.get("/api/p/0/" + wrong)[0], 400, wrong)
                    for missing in ("tile?track=0&level=0&index=0", "sql?statement=x", "names/0", "table/nothing"):
                        self.assertEqual(server.get("/api/p/0/" + missing)[0], 404, missing)
                self.assertEqual(server.status, 0)

    def test_a_damaged_summary_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bad.cgpu")
            with open(path, "wb") as file:
                file.write(b"\x89cgpu run\r\n" + bytes(50))
            with Server(path) as server:
                status = server.state()
                self.assertEqual(status["state"], "error")
                self.assertIn("bad.cgpu", status["error"])
            self.assertEqual(server.status, 2)


def slices_of(path):
    """(start, end, name, process, thread) of every event with a duration, in ns from the first."""
    with open(path, encoding="utf-8") as file:
        trace = json.load(file, parse_float=str, parse_int=str)

    def ns(text):
        whole, _, fraction = text.partition(".")
        return int(whole) * 1000 + int((fraction + "000")[:3])

    found = []
    for event in trace["traceEvents"]:
        if event.get("ph") == "X":
            start = ns(event["ts"])
            found.append((start, ns(event["dur"]), event["name"], str(event["pid"]), str(event["tid"]), event["cat"]))
    zero = min(start for start, _, _, _, _, category in found if category != "Trace")
    return [(start - zero, start - zero + duration, *rest) for start, duration, *rest in found]


def decode(body):
    magic, lanes, entries, reserved = struct.unpack_from("<4sIII", body)
    assert magic == b"CGT1" and reserved == 0
    at = 16
    columns = []
    begin = struct.unpack_from("<%dI" % (lanes + 1), body, at)
    at = (at + 4 * (lanes + 1) + 7) // 8 * 8
    for code, size in ("d", 8), ("d", 8), ("I", 4), ("I", 4), ("I", 4), ("H", 2), ("H", 2), ("H", 2):
        columns.append(struct.unpack_from("<%d%s" % (entries, code), body, at))
        at += size * entries
    assert (at + 7) // 8 * 8 == len(body)
    rows = list(zip(*columns))
    return [rows[begin[lane]:begin[lane + 1]] for lane in range(lanes)]


class ViewTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tool.must_exist()
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = build(cls.folder.name, "--seed", "3", "--model", "llm", "--idle", "synchronization")
        cls.server = Server(cls.path)
        cls.server.state()
        cls.session = cls.server.json("/api/p/0/session")
        cls.names = cls.server.json("/api/p/0/names/0")["names"]

    @classmethod
    def tearDownClass(cls):
        cls.server.end()
        cls.folder.cleanup()

    def tracks(self, *kinds):
        return [t for t in self.session["tracks"] if t["kind"] in kinds]

    def level_of_all(self):
        """At which tile 0 holds the whole time."""
        level = 0
        while self.session["span"] >> level >> 10:
            level += 1
        return level

    def test_tiles_equal_a_raster_of_the_trace(self):
        """Every slice is on one lane of one track, and a bucket shows the longest that intersects it."""
        expected = slices_of(self.path)
        seen = []
        randoms = random.Random(1)
        for track in self.tracks("thread", "stream", "other", "ranges"):
            lanes = {}
            level = self.level_of_all()
            whole = self.json_tile(track, level, 0)
            self.assertEqual(len(whole), track["lanes"])
            self.assertEqual(sum(entry[4] for lane in whole for entry in lane), track["slices"])
            for number, lane in enumerate(whole):
                lanes[number] = self.slices_of_lane(track, number, lane)
                for (_, end, _), (start, _, _) in zip(lanes[number], lanes[number][1:]):
                    self.assertLessEqual(end, start, "slices of a lane overlap")
                seen += [(start, end, name) for start, end, name in lanes[number]]
            for _ in range(10):
                level = randoms.randrange(0, 24)
                index = randoms.randrange(0, (self.session["span"] >> level >> 10) + 1)
                self.check_tile(track, lanes, level, index)
        self.assertEqual(sorted(seen), sorted((start, end, name) for start, end, name, *_ in expected))

    def json_tile(self, track, level, index):
        status, headers, body = self.server.get("/api/p/0/tile?track=%d&level=%d&index=%d" % (track["id"], level, index))
        self.assertEqual(status, 200, body)
        self.assertEqual(headers["X-Session"], self.session["session"])
        return decode(body)

    def slices_of_lane(self, track, lane, entries):
        """All slices of a lane, found by walking from neighbour to neighbour."""
        found = []
        at = {"slice": entries[0][2], "start": entries[0][0]}
        while True:  # back to the first
            before = self.server.json("/api/p/0/neighbor?track=%d&slice=%d&to=previous" % (track["id"], at["slice"]))
            if not before:
                break
            at = before
        at = self.server.json("/api/p/0/slice?track=%d&slice=%d" % (track["id"], at["slice"]))
        while at:
            self.assertEqual(at["lane"], lane)
            found.append((at["start"], at["start"] + at["duration"], at["name"]))
            at = self.server.json("/api/p/0/neighbor?track=%d&slice=%d&to=next" % (track["id"], at["slice"]))
        return found

    def check_tile(self, track, lanes, level, index):
        tile = self.json_tile(track, level, index)
        width = 1 << level
        for number, entries in enumerate(tile):
            shown = [None] * BUCKETS
            for start, duration, _, name, _, first, last, _ in entries:
                for bucket in range(first, last):
                    shown[bucket] = (start, start + duration, self.names[name])
            expected = [None] * BUCKETS
            origin = index * BUCKETS * width
            for start, end, name in lanes[number]:
                first = max((start - origin) // width, 0)
                last = min(max((end - 1 - origin) // width, (start - origin) // width), BUCKETS - 1)
                for bucket in range(first, last + 1):
                    best = expected[bucket]
                    if best is None or end - start > best[1] - best[0]:
                        expected[bucket] = (start, end, name)
            self.assertEqual(shown, expected, "track %s, lane %d, level %d, index %d" %
                             (track["name"], number, level, index))

    def test_areas_equal_the_tables(self):
        randoms = random.Random(2)
        for _ in range(4):
            begin = randoms.randrange(0, self.session["span"])
            end = min(begin + 1 + randoms.randrange(0, self.session["span"] // 4), self.session["span"])
            area = self.server.json("/api/p/0/area?from=%d&to=%d" % (begin, end))
            for name in "kernels", "kernel_classes", "ops", "api", "ranges", "gpu_time", "idle":
                expected = tool.table(self.path, name, "--from", str(begin), "--to", str(end))
                table = area["tables"].get(name)
                columns = [column["name"] for column in table["columns"]] if table else []
                self.assertEqual([dict(zip(columns, row)) for row in table["rows"]] if table else [], expected, name)

    def test_tables_equal_the_command_line(self):
        for name, query, options in (("kernels", "top=3", ["--top", "3"]),
                                     ("kernels", "names=base&sort=%2Bname", ["--names", "base", "--sort", "+name"]),
                                     ("api", "where=total_ns%20%3E%201ms", ["--where", "total_ns > 1ms"]),
                                     ("ops", "step=2-3", ["--step", "2-3"]),
                                     ("steps", "", []),
                                     ("idle", "from=1000&to=90000000", ["--from", "1000", "--to", "90ms"])):
            mine = self.server.json("/api/p/0/table/%s?%s" % (name, query))
            done = tool.run(["table", self.path, name, "--format", "json", *options])
            self.assertEqual(mine, json.loads(done.stdout.decode()), name)

    def test_rows_know_their_slices(self):
        for window in "", "&from=1000000&to=90000000":
            kernels = self.server.json("/api/p/0/table/kernels?" + window.lstrip("&"))["tables"]["kernels"]["rows"]
            rows = self.server.json("/api/p/0/distributions?table=kernels" + window)["rows"]
            self.assertEqual({(row["key"][0], row["count"], row["total"], row["min"], row["max"]) for row in rows},
                             {(name, count, total, least, most)
                              for name, _, count, total, _, _, least, most, _, _ in kernels})
            for row in rows[:5]:
                self.assertEqual(sum(row["counts"]), row["count"])
                query = urllib.parse.urlencode({"table": "kernels", "name": row["key"][0], "limit": 10000})
                slices = self.server.json("/api/p/0/row?" + query + window)["slices"]
                self.assertEqual(len(slices), row["count"])
                self.assertEqual({one["name"] for one in slices}, set(row["key"]))
                if not window:
                    lengths = [one["duration"] for one in slices]
                    self.assertEqual(lengths, sorted(lengths, reverse=True))
                    self.assertEqual(sum(lengths), row["total"])

    def test_times_outside_the_session_are_refused(self):
        span = self.session["span"]
        for target in ("/api/p/0/area?", "/api/p/0/table/slices?top=1&", "/api/p/0/flame?", "/api/p/0/distributions?table=kernels&"):
            self.assertEqual(self.server.get(target + "from=0&to=%d" % span)[0], 200, target)
            for times in ("from=-5&to=10", "from=10&to=10", "from=20&to=10", "from=0&to=%d" % (span + 1),
                          "from=0&to=9007199254740992", "from=0&to=99999999999999999999", "from=0.5&to=2", "from=&to=2"):
                status, _, body = self.server.get(target + times)
                self.assertEqual(status, 400, target + times)
                self.assertLess(len(json.loads(body)["error"]), 120)

    def test_what_the_session_lists_is_there(self):
        listed = {table["name"] for table in self.session["tables"]}
        for name in ("notes", "devices", "gpu_time", "streams", "kernels", "kernel_classes", "ops", "api", "os_calls",
                     "transfers", "launches", "queue", "idle", "idle_streams", "steps", "ranges", "collectives",
                     "memory", "launch_metrics", "metrics", "call_tree", "stalls", "stragglers", "clocks"):
            rows = self.server.json("/api/p/0/table/" + name)["tables"][name]["rows"]
            self.assertEqual(name in listed, bool(rows), name)
        steps = tool.table(self.path, "steps")
        self.assertEqual([(s["step"], s["start"], s["duration"]) for s in self.session["steps"]],
                         [(s["step"], s["start_ns"], s["duration_ns"]) for s in steps])

    def test_a_kernel_and_its_launch(self):
        found = self.server.json("/api/p/0/search?q=gemm&limit=5")
        self.assertGreater(found["total"], 0)
        for match in found["matches"]:
            self.assertIn("gemm", match["name"].lower())
        launched = [self.server.json("/api/p/0/slice?track=%(track)d&slice=%(slice)d" % m) for m in found["matches"]]
        launched = [slice for slice in launched if slice.get("launch")]
        self.assertTrue(launched)
        for slice in launched:
            call = self.server.json("/api/p/0/slice?track=%(track)d&slice=%(slice)d" % slice["launch"])
            self.assertIn((slice["track"], slice["slice"]), [(op["track"], op["slice"]) for op in call["launched"]])
            self.assertIn("correlation", [argument["key"] for argument in slice["arguments"]])
            self.assertEqual(call["correlation"], slice["correlation"])

    def test_idle_gaps_add_up(self):
        table = tool.table(self.path, "idle")
        track = self.tracks("idle")[0]
        level = self.level_of_all()
        gaps = self.slices_of_lane(track, 0, self.json_tile(track, level, 0)[0])
        self.assertEqual(sum(end - start for start, end, _ in gaps), sum(row["total_ns"] for row in table))
        longest = max(gaps, key=lambda gap: gap[1] - gap[0])
        entry = max((e for e in self.json_tile(track, level, 0)[0]), key=lambda e: e[1])
        gap = self.server.json("/api/p/0/slice?track=%d&slice=%d" % (track["id"], entry[2]))
        self.assertEqual((gap["start"], gap["duration"]), (longest[0], longest[1] - longest[0]))
        self.assertEqual(sum(cause["duration"] for cause in gap["causes"]), gap["duration"])
        self.assertTrue(gap["why"].startswith("For "))

    def test_flame_graphs_conserve_time(self):
        for metric in "device_time", "host_time", "idle_time":
            for view in "down", "up":
                flame = self.server.json("/api/p/0/flame?view=%s&metric=%s" % (view, metric))
                nodes = flame["nodes"]
                self.assertEqual(sum(v for v, p in zip(nodes["value"], nodes["parent"]) if p < 0), flame["total"])
                children = {}
                for value, parent in zip(nodes["value"], nodes["parent"]):
                    children[parent] = children.get(parent, 0) + value
                for node, value in enumerate(nodes["value"]):
                    self.assertLess(nodes["parent"][node], node)
                    self.assertEqual(value, nodes["self"][node] + children.get(node, 0), (view, metric, node))
        kernels = sum(row["total_ns"] for row in tool.table(self.path, "kernel_classes"))
        self.assertEqual(self.server.json("/api/p/0/flame?metric=device_time")["total"], kernels)

    def test_idle_time_by_host_stack_is_that_of_its_causes(self):
        flame = self.server.json("/api/p/0/flame?metric=idle_time&view=up")
        nodes = flame["nodes"]
        found = {flame["names"][name]: value
                 for name, value, parent in zip(nodes["name"], nodes["value"], nodes["parent"]) if parent < 0}
        table = tool.table(self.path, "idle")
        self.assertEqual(flame["total"], sum(row["total_ns"] for row in table))
        least = flame["total"] / 1000  # smaller ones may be in "(other)"
        self.assertEqual({cause: value for cause, value in found.items() if value > least and cause != "(other)"},
                         {row["cause"]: row["total_ns"] for row in table if row["total_ns"] > least})

    def test_compressed_answers_are_the_same(self):
        plain = self.server.get("/api/p/0/session")[2]
        status, headers, packed = self.server.get("/api/p/0/session", **{"Accept-Encoding": "gzip"})
        self.assertEqual((status, headers["Content-Encoding"]), (200, "gzip"))
        self.assertEqual(gzip.decompress(packed), plain)

    def test_exports(self):
        status, headers, body = self.server.get("/api/p/0/export?to=json")
        self.assertEqual(status, 200)
        self.assertIn("attachment", headers["Content-Disposition"])
        events = json.loads(body.decode())["traceEvents"]
        self.assertEqual(sum(1 for e in events if e["ph"] == "X"), int(tool.info(self.path)["slices"]))
        self.assertEqual(self.server.get("/api/p/0/export?to=nonsense")[0], 400)


class RunTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tool.must_exist()
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = build(cls.folder.name, "--seed", "5")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_ends_cleanly(self):
        with Server(self.path) as server:
            self.assertEqual(server.state()["state"], "ready")
            begin = time.time()
            self.assertEqual(server.end(), 0)
            self.assertLess(time.time() - begin, 3)
            self.assertEqual(server.errors, "")

    def test_a_bad_file_has_an_error_page(self):
        bad = os.path.join(self.folder.name, "bad.json")
        with open(bad, "w", encoding="utf-8") as file:
            file.write("this is no profile")
        with Server(bad) as server:
            status = server.state()
            self.assertEqual(status["state"], "error")
            self.assertIn("bad.json", status["error"])
            self.assertEqual(server.get("/")[0], 200)
            self.assertEqual(server.get("/api/p/0/session")[0], 503)
            self.assertEqual(server.end(), 2)
            self.assertEqual(len(server.errors.strip().splitlines()), 1)
            self.assertTrue(server.errors.startswith("cgpu: "))

    def test_a_missing_file_needs_no_server(self):
        with self.assertRaisesRegex(ConnectionError, "^cgpu: /nowhere/trace.json: no such file"):
            Server("/nowhere/trace.json")

    def test_two_runs(self):
        with Server(self.path, "--against", self.path) as server:
            self.assertEqual(server.state()["state"], "ready")
            while server.json("/api/status")["profiles"][1]["state"] == "opening":
                time.sleep(0.02)
            changes = server.json("/api/compare")
            done = tool.run(["compare", self.path, self.path, "--format", "json"])
            self.assertEqual(changes["words"], tool.run(["compare", self.path, self.path]).stdout.decode()
                             [:len(changes["words"])])
            for name, table in json.loads(done.stdout.decode())["tables"].items():
                self.assertEqual(changes["tables"].get(name, {"rows": []})["rows"], table["rows"], name)
            times, = server.json("/api/compare/times")["ranks"]
            self.assertEqual((times["rank_a"], times["rank_b"]), (0, 0))
            self.assertGreater(len(times["a"]), 1)
            self.assertEqual(times["a"], times["b"])
            self.assertEqual(set(times["residual"]), {0})
            self.assertEqual(server.end(), 0)

    def test_what_two_runs_do_not_go_with(self):
        for words in (["-o", os.path.join(self.folder.name, "copy.html")], ["--from", "1ms"], ["--to", "1ms"],
                      ["--step", "1"]):
            with self.assertRaisesRegex(ConnectionError, "^cgpu: view: .*--against", msg=words):
                Server(self.path, "--against", self.path, *words)
        with self.assertRaisesRegex(ConnectionError, "^cgpu: /nowhere/b.json: no such file"):
            Server(self.path, "--against", "/nowhere/b.json")

    def test_other_addresses_need_a_token(self):
        with self.assertRaisesRegex(ConnectionError, "--token"):
            Server(self.path, "--bind", "0.0.0.0")
        with Server(self.path, "--bind", "0.0.0.0", "--token", "secret-0123456789") as server:
            self.assertEqual(server.get("/api/status")[0], 401)
            self.assertEqual(server.get("/api/status", Authorization="Bearer secret-0123456789")[0], 200)

    def test_a_token_that_can_be_guessed_is_refused(self):
        for token in ("a", "t" * 15):
            with self.assertRaisesRegex(ConnectionError, "^cgpu: --token: .* at least 16 .*openssl rand"):
                Server(self.path, "--token", token)

    def test_a_taken_port(self):
        with Server(self.path) as server:
            with self.assertRaisesRegex(ConnectionError, "^cgpu: 127.0.0.1:%d: cannot be listened on" % server.port):
                Server(self.path, port=str(server.port))

    def test_only_a_window(self):
        step = tool.table(self.path, "steps")[1]
        with Server(self.path, "--step", str(step["step"])) as server:
            server.state()
            session = server.json("/api/p/0/session")
            self.assertEqual([s["step"] for s in session["steps"]], [step["step"]])
            self.assertLess(session["span"], 2 * step["duration_ns"])

    def test_a_window_explains_its_gaps_as_the_whole_does(self):
        profile = os.path.join(tool.ROOT, "examples/generated_training.json.gz")
        with Server(profile) as whole, Server(profile, "--to", "40ms") as part:
            explained = []
            for server in (whole, part):
                server.state()

                track = next(t["id"] for t in server.json("/api/p/0/session")["tracks"] if t["kind"] == "idle")
                gaps = {}
                for number in range(10_000):
                    status, _, body = server.get("/api/p/0/slice?track=%d&slice=%d" % (track, number))
                    if status != 200:
                        break
                    gap = json.loads(body)
                    gaps[gap["start"], gap["duration"]] = (gap["why"], gap.get("cause_slice", {}).get("name"))
                explained.append(gaps)
        inside = [gap for gap in explained[1] if gap in explained[0]]
        self.assertGreaterEqual(len(inside), len(explained[1]) - 1)  # one may be cut
        for one in inside:
            self.assertEqual(explained[1][one], explained[0][one])
        self.assertGreater(sum(explained[1][one][1] is not None for one in inside), 3)

    def test_says_how_to_come_from_elsewhere(self):
        environment = dict(os.environ, SSH_CONNECTION="10.0.0.9 50000 10.0.0.7 22", USER="me")
        for words, url, line in (
                ([], "http://127.0.0.1:%s/", "From another machine: ssh -N -L %s:127.0.0.1:%s me@10.0.0.7"),
                (["--bind", "::1"], "http://[::1]:%s/", "From another machine: ssh -N -L %s:[::1]:%s me@10.0.0.7"),
                (["--bind", "0.0.0.0", "--token", "t" * 16], "http://10.0.0.7:%s/?token=" + "t" * 16, "Ctrl-C ends it."),
                (["--bind", "::", "--token", "t" * 16], "http://10.0.0.7:%s/?token=" + "t" * 16, "Ctrl-C ends it.")):
            with self.subTest(words):
                process = subprocess.Popen([tool.binary(), "view", self.path, "--port", "0", *words],
                                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                           text=True, env=environment)
                with process.stdout, process.stderr:
                    first = process.stdout.readline().strip()
                    if not first and ":" in "".join(words) and "cannot be listened on" in process.stderr.read():
                        process.wait(20)
                        self.skipTest("this machine has no IPv6")
                    port = re.search(r":(\d+)/", first).group(1)
                    self.assertEqual(first, url % port)
                    self.assertEqual(process.stdout.readline().strip(), line.replace("%s", port))
                    process.send_signal(signal.SIGINT)
                    self.assertEqual(process.wait(20), 0)


if __name__ == "__main__":
    unittest.main()
