#!/usr/bin/env python3
"""Files of rocprof in the corpus against a second reading with Python's csv and json."""
import collections
import csv
import glob
import gzip
import json
import os
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

FOLDER = os.path.join(tool.shared("corpus"), "rocprof")


def file(ending):
    return glob.glob(os.path.join(FOLDER, "*" + ending))[0]


def rows(path):
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


@unittest.skipUnless(os.path.isdir(FOLDER), "no corpus")
class Rocprof(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tool.must_exist()

    def test_json_kernels(self):
        path = file("_results.json.gz")
        with gzip.open(path) as stream:
            tool_part = json.load(stream)["rocprofiler-sdk-tool"][0]
        names = {s["kernel_id"]: s["formatted_kernel_name"] for s in tool_part["kernel_symbols"]}
        agents = {a["id"]["handle"]: a["logical_node_type_id"] for a in tool_part["agents"] if a["type"] == 2}
        kernels, streams = collections.defaultdict(lambda: [0, 0]), collections.Counter()
        records = tool_part["buffer_records"]["kernel_dispatch"]
        for record in records:
            info = record["dispatch_info"]
            kernels[names[info["kernel_id"]]][0] += 1
            kernels[names[info["kernel_id"]]][1] += record["end_timestamp"] - record["start_timestamp"]
            streams[agents[info["agent_id"]["handle"]], record["stream_id"]["handle"]] += 1
        info = tool.info(path)
        self.assertEqual((info["format"], info["device_slices"]), ("rocprof", len(records)))
        self.assertEqual(info["start_ns"], min(r["start_timestamp"] for r in records))
        self.assertEqual(info["span_ns"], max(r["end_timestamp"] for r in records) - info["start_ns"])
        found = {row["name"]: [row["count"], row["total_ns"]] for row in tool.table(path, "kernels")}
        self.assertEqual(found, dict(kernels))
        found = {(row["device"], row["stream"]): row["count"] for row in tool.table(path, "streams")}
        self.assertEqual(found, dict(streams))

    def test_kernel_trace(self):
        path = file("__kernel_trace.csv")
        wanted = collections.defaultdict(lambda: [0, 0])
        streams = collections.Counter()
        for row in rows(path):
            wanted[row["Kernel_Name"]][0] += 1
            wanted[row["Kernel_Name"]][1] += int(row["End_Timestamp"]) - int(row["Start_Timestamp"])
            streams[int(row["Agent_Id"]), int(row["Queue_Id"])] += 1
        found = {row["name"]: [row["count"], row["total_ns"]] for row in tool.table(path, "kernels")}
        self.assertEqual(found, dict(wanted))
        found = {(row["device"], row["stream"]): row["count"] for row in tool.table(path, "streams")}
        self.assertEqual(found, dict(streams))

    def test_calls(self):
        for ending in ("hip_runtime_trace.csv", "hip_compile_trace.csv", "hsa_api_trace.csv"):
            with self.subTest(ending):
                wanted = collections.defaultdict(lambda: [0, 0])
                for row in rows(file(ending)):
                    wanted[row["Function"]][0] += 1
                    wanted[row["Function"]][1] += int(row["End_Timestamp"]) - int(row["Start_Timestamp"])
                found = {row["name"]: [row["count"], row["total_ns"]] for row in tool.table(file(ending), "api")}
                renamed = collections.defaultdict(lambda: [0, 0])
                for name, (count, total) in wanted.items():
                    name = name.removesuffix("R0600")
                    renamed[name][0] += count
                    renamed[name][1] += total
                self.assertIn(found, (dict(wanted), dict(renamed)))

    def test_marks_and_copies(self):
        marks = rows(file("marker_api_trace.csv"))
        instants = sum(row["Start_Timestamp"] == row["End_Timestamp"] for row in marks)
        info = tool.info(file("marker_api_trace.csv"))
        self.assertEqual((info["instants"], info["slices"]), (instants, len(marks) - instants))
        copies = {row["Direction"]: int(row["End_Timestamp"]) - int(row["Start_Timestamp"])
                  for row in rows(file("memory_copy_trace.csv"))}
        found = {row["kind"]: row["total_ns"] for row in tool.table(file("memory_copy_trace.csv"), "transfers")}
        self.assertEqual(found, {"HtoD": copies["MEMORY_COPY_HOST_TO_DEVICE"],
                                 "DtoH": copies["MEMORY_COPY_DEVICE_TO_HOST"]})

    def test_counters(self):
        for ending in ("counter_collection.csv", "kernel_names.csv"):
            with self.subTest(ending):
                path = file(ending)
                wanted = {(int(row["Dispatch_Id"]), row["Counter_Name"]): float(row["Counter_Value"])
                          for row in rows(path)}
                found = {(row["id"], row["metric"]): row["value"] for row in tool.table(path, "launch_values")
                         if row["section"] == "counters"}
                self.assertEqual(found, wanted)

    def test_counters_in_columns(self):
        for machine in ("MI200", "MI300X_A1"):
            with self.subTest(machine):
                path = file(machine + "__pmc_perf.csv")
                found = {(row["id"], row["metric"]): row["value"] for row in tool.table(path, "launch_values")}
                for row in rows(path):
                    for name in ("TCC_ATOMIC[0]", "SQ_WAVES", "Grid_Size"):
                        if name in row:
                            self.assertEqual(found[int(row["Dispatch_ID"]), name], float(row[name]))
        path = file("MI200__timestamps.csv")
        self.assertEqual({row["id"]: row["duration_ns"] for row in tool.table(path, "launch_metrics")},
                         {int(row["Dispatch_ID"]): int(row["End_Timestamp"]) - int(row["Start_Timestamp"])
                          for row in rows(path)})

    def test_a_folder_is_one_run(self):
        with tempfile.TemporaryDirectory() as folder:
            count = 0
            for ending in ("__kernel_trace.csv", "hip_runtime_trace.csv", "memory_copy_trace.csv"):
                shutil.copyfile(file(ending), os.path.join(folder, "1_" + ending.lstrip("_")))
                count += len(rows(file(ending)))
            info = tool.info(folder)
            self.assertEqual((info["format"], info["ranks"], info["slices"]), ("rocprof", 1, count))

    def test_every_file_has_an_answer(self):
        paths = sorted(glob.glob(os.path.join(FOLDER, "*")))
        self.assertTrue(paths)
        for path in paths:
            done = tool.run(["info", path])
            answer = done.stderr.decode()
            if done.returncode:
                self.assertEqual(len(answer.strip().splitlines()), 1, answer)
                self.assertNotIn("cgpu knows", answer)


if __name__ == "__main__":
    unittest.main()
