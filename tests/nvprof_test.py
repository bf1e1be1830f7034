#!/usr/bin/env python3
"""Databases of nvprof. None can be shared, so they are written here with the schema that is documented: profiles of
Nsight Systems told in nvprof's tables, which has to give the same tables; random rows against SQL and plain Python; and
the numbers of calls against the names that PyTorch's profiler gives them in real traces.

Environment: CGPU (the binary), CGPU_CORPUS.
"""
import collections
import functools
import gzip
import os
import random
import re
import sqlite3
import statistics
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "fuzz"))
import nvprof_seeds  # noqa: E402
from oracle import tool  # noqa: E402

EXPORTS = tool.shared(os.path.join("corpus", "nsys_sqlite"))
ZERO = 1_600_000_000_000_000_000


def api_name(name):
    return re.sub(r"(_v\d+|_ptsz|_ptds)+$", "", name)


@functools.cache
def numbers_in_traces():
    """How often a kind of call, a name and a number are together in the traces of the corpus."""
    event = re.compile(r'"cat": "cuda_(runtime|driver)", "name": "(\w+)"[^{}]*"args": \{[^{}]*"cbid": (\d+)')
    seen = collections.Counter()
    folder = tool.corpus()
    for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        path = os.path.join(folder, file)
        if not file.endswith((".json", ".json.gz")) or os.path.getsize(path) > 20 << 20:
            continue
        with (gzip.open if file.endswith(".gz") else open)(path, "rt", errors="replace") as stream:
            text = re.sub(r"\s+", " ", stream.read(30 << 20))
        for kind, name, number in event.findall(text):
            if name != "INVALID":
                seen[kind, api_name(name), int(number)] += 1
    return seen


def told_by_nvprof(source, target, numbers):
    """Writes what an export of Nsight Systems says as a database of nvprof. Gives the names of calls without a number."""
    database = sqlite3.connect("file:%s?mode=ro&immutable=1" % source, uri=True)
    database.row_factory = sqlite3.Row
    tables = {name for (name,) in database.execute("select name from sqlite_master where type = 'table'")}
    texts = dict(database.execute("select id, value from StringIds").fetchall())

    def rows(table):
        return database.execute("select * from " + table).fetchall() if table in tables else []

    def thread(row):
        return {"processId": row["globalTid"] >> 24 & 0xFFFFFF, "threadId": row["globalTid"] & 0xFFFFFF}

    written = nvprof_seeds.Writer(target)
    unknown = {}
    for row in rows("CUPTI_ACTIVITY_KIND_RUNTIME"):
        if row["eventClass"] not in (0, 1):
            continue  # a call once more, with its backtrace
        name = api_name(texts[row["nameId"]])
        kind = "runtime" if row["eventClass"] == 0 else "driver"
        number = numbers.get((kind, name))
        if number is None:
            number = unknown.setdefault((kind, name), 100_000 + len(unknown))
        written.add(kind.upper(), cbid=number, start=ZERO + row["start"], end=ZERO + row["end"],
                    correlationId=row["correlationId"], **thread(row))
    places = ("contextId", "streamId", "correlationId")
    gpus = {row["cuDevice"]: row["id"] for row in rows("TARGET_INFO_GPU") if "cuDevice" in row.keys()}

    def place(row):
        return dict({key: row[key] for key in places}, start=ZERO + row["start"], end=ZERO + row["end"],
                    deviceId=gpus.get(row["deviceId"], row["deviceId"]))

    for row in rows("CUPTI_ACTIVITY_KIND_KERNEL"):
        written.add("CONCURRENT_KERNEL", name=written.text(texts[row["demangledName"]]), **place(row))
    memory = {0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6, 6: 7, 7: 0}  # codes of Nsight Systems -> of CUPTI
    for row in rows("CUPTI_ACTIVITY_KIND_MEMCPY"):
        written.add("MEMCPY", bytes=row["bytes"], copyKind=row["copyKind"], srcKind=memory[row["srcKind"]],
                    dstKind=memory[row["dstKind"]], **place(row))
    for row in rows("CUPTI_ACTIVITY_KIND_MEMSET"):
        written.add("MEMSET", bytes=row["bytes"], memoryKind=memory[row["memKind"]], **place(row))
    for number, row in enumerate(rows("NVTX_EVENTS")):
        if row["eventType"] not in (59, 60) or row["end"] is None:
            continue
        who = dict(objectKind=2, id=number)
        name = texts[row["textId"]] if row["textId"] is not None else row["text"]
        ends_on = row["endGlobalTid"] or row["globalTid"]
        written.add("MARKER", flags=2, timestamp=ZERO + row["start"], name=written.text(name),
                    objectId=nvprof_seeds.thread(row["globalTid"] >> 24 & 0xFFFFFF, row["globalTid"] & 0xFFFFFF), **who)
        written.add("MARKER", flags=4, timestamp=ZERO + row["end"],
                    objectId=nvprof_seeds.thread(ends_on >> 24 & 0xFFFFFF, ends_on & 0xFFFFFF), **who)
    for row in rows("TARGET_INFO_GPU"):
        written.add("DEVICE", id=row["id"], name=written.text(row["name"]), numMultiprocessors=row["smCount"],
                    globalMemorySize=row["totalMemory"], numThreadsPerWarp=row["threadsPerWarp"],
                    computeCapabilityMajor=row["computeMajor"], computeCapabilityMinor=row["computeMinor"])
    written.close()
    return {"CUDA %s call %d" % (kind, number): name for (kind, name), number in unknown.items()}


# Files of one process with device ops, since nvprof has one file a process; calls of class 0 and 1 only.
ONE_PROCESS = ("NVIDIA_Fuser__report2", "brycelelbach_nsightful__power_iteration__baseline",
               "hpcgroup_pipit__pipit__tests__data__cloverleaf-nsys__perlmutter-cloverleaf-cuda",
               "hpcgroup_pipit__pipit__tests__data__saxpy-mpi-cuda_nsys_perlmutter0")


@unittest.skipUnless(os.path.isdir(EXPORTS), "no exports in %s" % EXPORTS)
class SameProfileInBothFormats(unittest.TestCase):
    TABLES = ("kernels", "kernel_classes", "transfers", "gpu_time", "streams", "launches", "queue", "ops", "ranges", "api",
              "devices")

    def test_tables_are_the_same(self):
        numbers = {(kind, name): number for kind, name, number in numbers_in_traces()}
        compared = 0
        for name in ONE_PROCESS:
            source = os.path.join(EXPORTS, name + ".sqlite")
            with self.subTest(name=name), tempfile.TemporaryDirectory() as folder:
                target = os.path.join(folder, "profile.nvvp")
                unknown = told_by_nvprof(source, target, numbers)
                self.assertEqual(tool.info(target)["format"], "nvprof")
                for table in self.TABLES:
                    want = tool.table(source, table)
                    got = tool.table(target, table)
                    if table in ("api", "launches"):
                        for row in got:
                            row["name"] = unknown.get(row["name"], row["name"])
                        for row in want:  # the numbers of nvprof tell no versions of a call apart
                            row["name"] = api_name(row["name"])
                    for row in got + want if table == "streams" else []:  # from the run's first event, of whatever kind
                        row["last_ns"] -= row.pop("first_ns")
                    key = lambda row: sorted((k, str(v)) for k, v in row.items())  # noqa: E731
                    self.assertEqual(sorted(got, key=key), sorted(want, key=key), table)
                    compared += len(got)
        self.assertGreater(compared, 100)


class NumbersOfCalls(unittest.TestCase):
    def test_names_are_those_of_real_traces(self):
        seen = numbers_in_traces()
        if not seen:
            self.skipTest("no traces in %s" % tool.corpus())
        self.assertGreater(len(seen), 30)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "calls.nvvp")
            database = nvprof_seeds.Writer(path)
            want = collections.Counter()
            for at, (kind, name, number) in enumerate(sorted(seen)):
                database.add(kind.upper(), cbid=number, start=ZERO + 10 * at, end=ZERO + 10 * at + 5, processId=1,
                             threadId=1, correlationId=1 + at)
                want[name] += 1
            database.close()
            self.assertEqual({row["name"]: row["count"] for row in tool.table(path, "api")}, want)


class RandomRows(unittest.TestCase):
    """A database of a few thousand random rows, and what plain Python says of it."""
    COPIES = {1: "HtoD", 2: "DtoH", 3: "HtoA", 4: "AtoH", 5: "AtoA", 6: "AtoD", 7: "DtoA", 8: "DtoD", 9: "HtoH",
              10: "PtoP"}
    MEMORY = {0: "unknown", 1: "pageable", 2: "pinned", 3: "device", 4: "array", 5: "managed", 6: "device_static",
              7: "managed_static"}

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "random.nvvp")
        database = nvprof_seeds.Writer(cls.path)
        chance = random.Random(11)
        cls.kernels, cls.copies, cls.ranges, cls.power = [], [], [], []
        cls.unlinked = 0
        for i in range(3000):
            start, end = ZERO + 100 * i, ZERO + 100 * i + chance.randrange(90)
            place = dict(deviceId=chance.randrange(3), contextId=1, streamId=chance.randrange(7, 10), start=start, end=end,
                         correlationId=i + 1)
            linked = chance.random() < 0.9
            cls.unlinked += not linked
            if linked:
                database.add("DRIVER" if i % 5 == 0 else "RUNTIME", cbid=1 + i % 60, start=start - 50, end=start - 40,
                             processId=77, threadId=-5 - i % 4, correlationId=i + 1)
            if chance.random() < 0.5:
                name = "kernel_%d" % chance.randrange(12)
                database.add("CONCURRENT_KERNEL" if i % 7 else "KERNEL", name=database.text(name), **place)
                cls.kernels.append((name, end - start))
            else:
                copy = (chance.randrange(1, 11), chance.randrange(8), chance.randrange(8), chance.randrange(1 << 20))
                database.add("MEMCPY2" if copy[0] == 10 else "MEMCPY", copyKind=copy[0], srcKind=copy[1], dstKind=copy[2],
                             bytes=copy[3], **place)
                cls.copies.append((*copy, end - start))
        # Nested ranges on 4 threads; the row of an end may be before that of its begin.
        markers = []
        for i in range(500):
            who = dict(id=i + 1, objectKind=2, objectId=nvprof_seeds.thread(77, -5 - i % 4))
            start, end = ZERO + 1000 * i, ZERO + 1000 * i + chance.randrange(900)
            name = "range %d" % chance.randrange(9)
            cls.ranges.append((name, end - start))
            markers.append((dict(who, flags=2, timestamp=start, name=name), dict(who, flags=4, timestamp=end)))
        for begin, end in markers:
            pair = [dict(begin, name=database.text(begin["name"])), end]
            for row in pair if chance.random() < 0.9 else reversed(pair):
                database.add("MARKER", **row)
        for i in range(50):
            cls.power.append(chance.randrange(50_000, 300_000))
            database.add("ENVIRONMENT", timestamp=ZERO + i, environmentKind=3, data=struct.pack("<II", cls.power[-1], 1))
        database.close()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def durations(self, rows):
        by_name = collections.defaultdict(list)
        for name, duration in rows:
            by_name[name].append(duration)
        return {name: (len(d), sum(d), min(d), max(d), statistics.median(d)) for name, d in by_name.items()}

    def said(self, table):
        return {row["name"]: (row["count"], row["total_ns"], row["min_ns"], row["max_ns"], row["median_ns"])
                for row in tool.table(self.path, table)}

    def test_kernels(self):
        self.assertEqual(self.said("kernels"), self.durations(self.kernels))

    def test_ranges(self):
        want = {name: row[:2] for name, row in self.durations(self.ranges).items()}
        self.assertEqual({row["name"]: (row["count"], row["total_ns"]) for row in tool.table(self.path, "ranges")}, want)

    def test_transfers(self):
        want = collections.defaultdict(lambda: [0, 0, 0])
        for kind, source, destination, size, duration in self.copies:
            row = want[self.COPIES[kind], self.MEMORY[source], self.MEMORY[destination]]
            row[:] = row[0] + 1, row[1] + size, row[2] + duration
        got = {(row["kind"], row["src_memory"], row["dst_memory"]): [row["count"], row["bytes"], row["total_ns"]]
               for row in tool.table(self.path, "transfers")}
        self.assertEqual(got, dict(want))

    def test_launches_are_joined_by_correlation_id(self):
        notes = {row["code"]: row["count"] for row in tool.table(self.path, "notes")}
        self.assertEqual(notes.get("orphan_device_op"), self.unlinked)

    def test_counters(self):
        row = [row for row in tool.table(self.path, "counters") if row["name"] == "power (W)"][0]
        self.assertEqual(row["samples"], len(self.power))
        self.assertAlmostEqual(row["max"], max(self.power) / 1000)
        self.assertAlmostEqual(row["mean"], statistics.fmean(self.power) / 1000)

    def test_compressed_it_says_the_same(self):
        with open(self.path, "rb") as plain, tempfile.NamedTemporaryFile(suffix=".nvvp.gz") as packed:
            packed.write(gzip.compress(plain.read(), 1))
            packed.flush()
            self.assertEqual(tool.table(packed.name, "kernels"), tool.table(self.path, "kernels"))

    def test_a_pipe_of_it_says_the_same(self):
        with open(self.path, "rb") as plain:
            done = subprocess.run([tool.binary(), "table", "-", "kernels", "--format", "csv"], stdin=plain,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, tool.run(["table", self.path, "kernels", "--format", "csv"]).stdout)


if __name__ == "__main__":
    tool.must_exist()
    unittest.main()
