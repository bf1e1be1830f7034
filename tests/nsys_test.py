#!/usr/bin/env python3
"""Nsight Systems exports of the corpus, every schema from 2022 to 2026, against SQL over the same files by Python's own
sqlite3, and against the trace that another program made of one of them.

Environment: CGPU (the binary).
"""
import collections
import json
import os
import re
import sqlite3
import statistics
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

CORPUS = tool.shared(os.path.join("corpus", "nsys_sqlite"))
COPIES = {1: "HtoD", 2: "DtoH", 3: "HtoA", 4: "AtoH", 5: "AtoA", 6: "AtoD", 7: "DtoA", 8: "DtoD", 9: "HtoH", 10: "PtoP",
          11: "UVM HtoD", 12: "UVM DtoH", 13: "DtoD"}
MEMORY = {0: "pageable", 1: "pinned", 2: "device", 3: "array", 4: "managed", 5: "device_static", 6: "managed_static",
          7: "unknown"}


def exports():
    """The databases that are exports; one of the folder is another program's."""
    if not os.path.isdir(CORPUS):
        return []
    return sorted(f for f in os.listdir(CORPUS) if f.endswith(".sqlite") and "docs__examples__test" not in f)


def api_name(name):
    plain = re.sub(r"(_v\d+|_ptsz|_ptds)+$", "", name)
    return name if name == "cuGetProcAddress_v2" else plain  # another function than cuGetProcAddress


class Export:
    def __init__(self, file):
        self.path = os.path.join(CORPUS, file)
        self.database = sqlite3.connect("file:%s?mode=ro&immutable=1" % self.path, uri=True)
        self.tables = {name: [column[1] for column in self.rows("pragma table_info(%s)" % name)]
                       for (name,) in self.rows("select name from sqlite_master where type = 'table'")}
        self.texts = dict(self.rows("select id, value from StringIds"))

    def rows(self, sql):
        return self.database.execute(sql).fetchall()

    def select(self, table, *columns):
        """Rows of a table, None for the columns and nothing for the table that it lacks."""
        if table not in self.tables:
            return []
        return self.rows("select %s from %s" % (
            ", ".join(c if c in self.tables[table] else "null" for c in columns), table))

    def calls(self):
        """(name, start, end, process, correlation) of every call but those recorded again for their backtrace."""
        for name, start, end, thread, correlation, event_class in self.select(
                "CUPTI_ACTIVITY_KIND_RUNTIME", "nameId", "start", "end", "globalTid", "correlationId", "eventClass"):
            if event_class in (0, 1, None):
                yield api_name(self.texts[name]), start, end, (thread or 0) >> 24, correlation

    def device_rows(self, table):
        return self.select("CUPTI_ACTIVITY_KIND_" + table, "start", "end", "globalPid", "correlationId")


def durations(rows):
    """What a table of durations by name says: name -> (count, total, min, max, median)."""
    by_name = collections.defaultdict(list)
    for name, start, end in rows:
        by_name[name].append(end - start)
    return {name: (len(d), sum(d), min(d), max(d), statistics.median(d)) for name, d in by_name.items()}


def said(path, table):
    return {row["name"]: (row["count"], row["total_ns"], row["min_ns"], row["max_ns"], row["median_ns"])
            for row in tool.table(path, table)}


def each_export(check):
    def test(self):
        for file in exports():
            with self.subTest(file=file):
                check(self, Export(file))
    return test


@unittest.skipUnless(exports(), "no exports in %s" % CORPUS)
class Corpus(unittest.TestCase):
    @each_export
    def test_calls(self, export):
        want = durations((name, start, end) for name, start, end, _, _ in export.calls())
        self.assertEqual(said(export.path, "api"), want)

    @each_export
    def test_os_calls(self, export):
        rows = export.select("OSRT_API", "nameId", "start", "end")
        want = durations((export.texts[name], start, end) for name, start, end in rows
                         if " profiling " not in export.texts[name])  # marks of the profiler are no calls
        self.assertEqual(said(export.path, "os_calls"), want)

    @each_export
    def test_kernels(self, export):
        rows = export.device_rows("KERNEL")
        got = tool.table(export.path, "kernels")
        self.assertEqual(sum(row["count"] for row in got), len(rows))
        self.assertEqual(sum(row["total_ns"] for row in got), sum(end - start for start, end, _, _ in rows))

    @each_export
    def test_transfers(self, export):
        want = collections.defaultdict(lambda: [0, 0, 0])
        for start, end, size, kind, source, destination in export.select(
                "CUPTI_ACTIVITY_KIND_MEMCPY", "start", "end", "bytes", "copyKind", "srcKind", "dstKind"):
            row = want[COPIES[kind], MEMORY[source], MEMORY[destination]]
            row[:] = row[0] + 1, row[1] + size, row[2] + end - start
        for start, end, size, kind in export.select("CUPTI_ACTIVITY_KIND_MEMSET", "start", "end", "bytes", "memKind"):
            row = want["Memset", None, MEMORY[kind]]
            row[:] = row[0] + 1, row[1] + size, row[2] + end - start
        got = {(row["kind"], row["src_memory"], row["dst_memory"]): [row["count"], row["bytes"], row["total_ns"]]
               for row in tool.table(export.path, "transfers")}
        self.assertEqual(got, dict(want))

    @each_export
    def test_launches_are_joined_by_process_and_correlation_id(self, export):
        one_process = "globalPid" not in export.tables.get("CUPTI_ACTIVITY_KIND_KERNEL", ["globalPid"])
        calls = {(0 if one_process else process, correlation) for _, _, _, process, correlation in export.calls()}
        orphans = 0
        for table in ("KERNEL", "MEMCPY", "MEMSET"):
            for _, _, process, correlation in export.device_rows(table):
                orphans += (0 if one_process else process >> 24, correlation) not in calls
        notes = {row["code"]: row["count"] for row in tool.table(export.path, "notes")}
        self.assertEqual(notes.get("orphan_device_op", 0), orphans)

    @each_export
    def test_ranges(self, export):
        annotations, ops = collections.Counter(), collections.Counter()
        for kind, text, text_id in export.select("NVTX_EVENTS", "eventType", "text", "textId"):
            if kind in (59, 60):
                name = export.texts[text_id] if text_id is not None else text
                op = re.split(r", (?:seq = |op_id = |sizes = \[)", name)[0]
                (annotations if op == name else ops)[op] += 1
        self.assertEqual({r["name"]: r["count"] for r in tool.table(export.path, "ranges")}, dict(annotations))
        self.assertEqual({r["name"]: r["count"] for r in tool.table(export.path, "ops")}, dict(ops))

    @each_export
    def test_samples(self, export):
        want = len(export.select("COMPOSITE_EVENTS", "id"))
        got = {row["name"]: row["value"] for row in tool.table(export.path, "metrics")}
        self.assertEqual(got.get("SAMPLES", 0), want)

    @each_export
    def test_environments_stay_in_the_file(self, export):
        shown = tool.run(["report", export.path, "--format", "json"]).stdout.decode()
        for _, value in export.rows("select name, value from META_DATA_CAPTURE where name like '%ENVIRONMENT%'"
                                    if "META_DATA_CAPTURE" in export.tables else "select 1, '' limit 0"):
            if "=" in value and len(value.split("=", 1)[0]) > 6:
                self.assertNotIn(value.split("=", 1)[0] + "=", shown)


@unittest.skipUnless(exports(), "no exports in %s" % CORPUS)
class Known(unittest.TestCase):
    def test_two_processes_with_the_same_correlation_ids(self):
        export = Export("GindaChen_nsys-ai__tests__fixtures__mfu_2gpu_before.sqlite")
        slices = tool.table(export.path, "slices", "--top", "0")
        kernels = [row["correlation"] for row in slices if row["kind"] == "kernel"]
        self.assertEqual(collections.Counter(kernels),
                         collections.Counter(row[3] for row in export.device_rows("KERNEL")), "the ids of the file")
        self.assertLess(len(set(kernels)), len(kernels), "which are those of both processes")
        starts = {(process, correlation): start for _, start, _, process, correlation in export.calls()}
        wanted = collections.Counter(
            (start, starts[process >> 24, correlation]) for table in ("KERNEL", "MEMCPY", "MEMSET")
            for start, _, process, correlation in export.device_rows(table) if (process >> 24, correlation) in starts)
        launched = tool.table(export.path, "launch_trace", "--top", "0")
        self.assertEqual(sum(1 for row in launched if row["name"]), sum(wanted.values()))
        shift = min(start for _, start in wanted) - min(row["start_ns"] for row in launched)
        self.assertEqual(collections.Counter((row["device_start_ns"] + shift, row["start_ns"] + shift)
                                             for row in launched), wanted)

    def test_another_programs_trace_of_the_same_file(self):
        """Its times are microseconds in floating point, on the clock of the file."""
        stem = os.path.join(CORPUS, "brycelelbach_nsightful__power_iteration__baseline")
        with open(stem + ".json") as file:
            events = json.load(file)
        epoch = Export(os.path.basename(stem) + ".sqlite").rows(
            "select utcEpochNs from TARGET_INFO_SESSION_START_TIME")[0][0]
        start = tool.info([stem + ".sqlite"])["start_ns"] - epoch
        slices = tool.table(stem + ".sqlite", "slices", "--top", "0")
        for theirs, ours in (("cuda", ["kernel"]), ("cuda_api", ["runtime_call", "driver_call"]),
                             ("nvtx", ["annotation"])):
            want = sorted((round(e["ts"] * 1000), round(e["dur"] * 1000)) for e in events
                          if e["ph"] == "X" and e["cat"] == theirs)
            got = sorted((row["start_ns"] + start, row["duration_ns"]) for row in slices if row["kind"] in ours)
            self.assertEqual(got, want, theirs)

    def test_names_of_nsys_stats(self):
        path = os.path.join(CORPUS, "brycelelbach_nsightful__power_iteration__baseline.sqlite")
        for name in ("cuda_gpu_kern_sum", "cuda_api_sum", "osrt_sum", "nvtx_sum", "cuda_gpu_mem_time_sum"):
            self.assertEqual(tool.run(["table", path, name]).returncode, 0, name)

    def test_half_a_file_gives_what_is_in_it(self):
        file = os.path.join(CORPUS, "NVIDIA_Fuser__report1.sqlite")
        with open(file, "rb") as source, tempfile.NamedTemporaryFile(suffix=".sqlite") as half:
            half.write(source.read(os.path.getsize(file) // 2))
            half.flush()
            done = tool.run(["table", half.name, "notes", "--format", "json"])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(b"truncated_input", done.stdout)
            self.assertEqual(tool.run(["info", half.name, "--strict"]).returncode, 2)


if __name__ == "__main__":
    unittest.main()
