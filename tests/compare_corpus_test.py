#!/usr/bin/env python3
"""What `compare` says of pairs of real profiles: it is held against what follows from their events, or was read in them by hand.

Environment: CGPU (the binary), CGPU_CORPUS (a folder of Kineto traces; those of other formats lie beside it).
"""
import gzip
import itertools
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from oracle.comparison import check_books, compared, figures, words  # noqa: E402

CORPUS = os.path.dirname(tool.corpus())


def setUpModule():
    tool.must_exist()


def time_by_name(path):
    """{name of a device op: us} of a Kineto trace."""
    with gzip.open(path) as handle:
        events = json.load(handle)["traceEvents"]
    times = {}
    for event in events:
        if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            times[event["name"]] = times.get(event["name"], 0) + event["dur"]
    return times


@unittest.skipUnless(os.path.isdir(CORPUS), "no corpus")
class Corpus(unittest.TestCase):
    def databases(self, *parts):
        """Those of HPCToolkit with one of these in their names."""
        folder = os.path.join(CORPUS, "hpctoolkit_v4")
        return [os.path.join(folder, f) for f in sorted(os.listdir(folder)) if any(part in f for part in parts)]

    def pair(self, folder, a, b):
        return tool.profile(folder, a), tool.profile(folder, b)

    def test_unlike_hardware_is_aligned_op_by_op(self):
        # Top-level ops that launch device work, counted from the files by hand (issue of the comparison): all of both.
        # Of Qwen 30 % of the device time was launched before the profile began. Kernels of one name on both devices
        # are only 1 to 14 % of the time.
        for model, ops, least, most in (("bert-small", 61, 100, 100), ("Falconsai", 150, 100, 100),
                                        ("timesformer", 371, 100, 100), ("Qwen1.5-0.5B", 1030, 69, 71)):
            with self.subTest(model):
                names = [f for f in os.listdir(os.path.join(CORPUS, "kineto")) if model in f]
                a, b = (os.path.join(CORPUS, "kineto", f) for f in sorted(names, key=lambda f: "mi300" in f)[:2])
                times = [time_by_name(path) for path in (a, b)]
                for time in times:
                    of_both = sum(ns for name, ns in time.items() if name in times[0] and name in times[1])
                    self.assertTrue(0.01 < of_both / sum(time.values()) < 0.14, (of_both, sum(time.values())))
                summary = figures(compared(a, b))
                for name in ("top_level_ops", "top_level_ops_of_both"):
                    self.assertEqual((summary[name]["a"], summary[name]["b"]), (ops, ops))
                for side in "ab":
                    self.assertTrue(least <= summary["device_op_time_of_both_pct"][side] <= most)
                    self.assertEqual(summary["device_op_time_of_one_side_pct"][side], 0)

    def test_two_windows_of_one_program_compare_by_what_repeats(self):
        # Both windows last 300 ms and are cut at any place; A runs 34 layers in it and B 30 (flash attention: 34 and 30 a
        # device), so that B is 13 % slower, although both are equally long.
        a, b = self.pair("nsys_sqlite", "mfu_2gpu_before", "mfu_2gpu_after")
        tables = compared(a, b)
        self.assertAlmostEqual(figures(tables)["time_ns"]["ratio"], 34 / 30, delta=0.02)
        text = words(a, b)
        self.assertIn("16 times in A and 14 times in B", text)
        first = [(c["kind"], c["key"].split(":")[0]) for c in tables["compare_causes"][:20] if c["delta_ns"] > 0]
        self.assertEqual(first[0][0], "idle")
        collectives = tables["compare_collectives"]
        self.assertGreater(sum(c["delta_ns"] for c in collectives), 300_000)

    def test_loading_by_other_processes(self):
        # Four processes load what the main process had loaded: that is what was gained, and nothing else that large.
        a, b = self.pair("kineto", "num_workers_0", "num_workers_4__worker0.1623212756351")
        first = compared(a, b)["compare_causes"][0]
        self.assertEqual((first["kind"], first["key"].split(":")[0]), ("idle", "data_loading"))
        self.assertLess(first["delta_ns"], -20_000_000)
        self.assertIn("within what iterations differ by themselves", words(a, b))  # six steps, two of them far longer

    def test_eager_against_compiled(self):
        # The test run compiles the dense part: its ops are gone, and two compiled functions are in their place.
        a, b = self.pair("kineto", "trace_diff__control", "trace_diff__test")
        causes = compared(a, b)["compare_causes"]
        self.assertEqual([c["kind"] for c in causes[:2]], ["replaced", "replaced"])
        self.assertTrue(causes[0]["key"].endswith("-> CompiledFunctionBackward"), causes[0]["key"])
        self.assertTrue(causes[1]["key"].endswith("-> CompiledFunction"), causes[1]["key"])

    def test_segment_anything_fast(self):
        """Two versions of one program. What is right follows from the events: the device does the same work in both (of
        one name as long, within 2.7 ms of 515 ms); in B 554 of its ops are replayed from graphs, for which the profile has
        no framework ops, so that they can only be paired across ops; and what B takes longer is idle time, of which the
        time before the ops that aten::to launches grew most, where the profile shows nothing that the host did."""
        a, b = self.pair("kineto", "segment-anything-fast__amg_example_trace.ab0d4f7",
                         "segment-anything-fast__amg_example_trace.1c507e3")
        device_time, idle, waited, launches, whole = ([], [], [], [], [])
        for path in (a, b):
            with gzip.open(path) as handle:
                events = json.load(handle)["traceEvents"]
            on_device = sorted((e for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")),
                               key=lambda e: e["ts"])
            calls = {e["args"]["correlation"]: e for e in events
                     if e.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in e.get("args", {})}
            top = {}
            for op in (e for e in events if e.get("cat") == "cpu_op"):
                top.setdefault(op["tid"], []).append(op)
            before, busy, sum_idle = {}, on_device[0]["ts"], 0
            for event in on_device:
                if event["ts"] > busy:
                    call = calls[event["args"]["correlation"]]
                    around = [o for o in top[call["tid"]] if o["ts"] <= call["ts"]
                              and call["ts"] + call["dur"] <= o["ts"] + o["dur"]]
                    name = max(around, key=lambda o: o["dur"])["name"] if around else None
                    before[name] = before.get(name, 0) + event["ts"] - busy
                    sum_idle += event["ts"] - busy
                busy = max(busy, event["ts"] + event["dur"])
            device_time.append(sum(e["dur"] for e in on_device))
            idle.append(sum_idle)
            waited.append(before)
            launches.append(len({e["args"]["correlation"] for e in on_device}))
            whole.append(busy - on_device[0]["ts"])
        self.assertLess(abs(device_time[1] - device_time[0]), 0.006 * device_time[0])
        self.assertGreater(idle[1] - idle[0], whole[1] - whole[0])
        grew = {name: waited[1].get(name, 0) - waited[0].get(name, 0) for name in {*waited[0], *waited[1]}}
        self.assertEqual(max(grew, key=grew.get), "aten::to")
        tables = compared(a, b)
        rows = figures(tables)
        self.assertEqual((rows["time_ns"]["a"], rows["time_ns"]["b"]), (whole[0] * 1000, whole[1] * 1000))
        self.assertEqual((rows["idle_ns"]["a"], rows["idle_ns"]["b"]), (idle[0] * 1000, idle[1] * 1000))
        self.assertEqual([rows["launches"][side] for side in "ab"], launches)
        for side in "ab":
            self.assertGreater(rows["device_op_time_of_both_pct"][side], 99.9)
        first = tables["compare_causes"][0]
        self.assertEqual((first["kind"], first["key"]), ("idle", "host_code: (nothing recorded before aten::to)"))
        text = words(a, b)
        for said in (", +1.5 % (", "Launches of device ops: %d -> %d (1 of a graph)." % tuple(launches),
                     "That is less than two runs of one program usually differ by.",
                     "idle, host_code, most of it with nothing recorded before aten::to"):
            self.assertIn(said, text)
        self.assertNotIn("work was done", text)  # that the ops of the graph are not in the profile makes them no less
        # Nothing else is listed: no op explains half a percent.
        listed = text.split("What explains it")[1].split("\n\n")[0].split("Findings that changed")[0].splitlines()[1:]
        self.assertEqual(len(listed), 2, listed)
        self.assertTrue(listed[1].endswith("everything else"), listed)

    def test_call_trees_by_path(self):
        a, b = self.pair("hpctoolkit_v4", "2023_loops-cuda", "2023_loops-hip")
        rows = compared(a, b, "--table", "call_tree")["compare_call_tree"]
        for side in "ab":
            self.assertAlmostEqual(sum(row["exclusive_" + side] for row in rows), rows[0][side], delta=1e-9)
        # A launches by kernmain, a stub, and cudaLaunchKernel; B by hipLaunchKernel in main. A knows the function of the
        # kernel, B does not. 28.9 ms and 1.54 s, as GPUOP of the databases says.
        self.assertEqual([(r["name"], r["status"]) for r in rows],
                         [(name, "both") for name in ("<program root>", "main thread", "main", "cudaLaunchKernel",
                                                      "<gpu kernel>", "<gpu kernel>")])
        self.assertEqual([(round(r["exclusive_a"], 4), round(r["exclusive_b"], 4)) for r in rows],
                         [(0, 0)] * 4 + [(0.0289, 1.5394), (0, 0)])
        for left, right in itertools.combinations(self.databases("loops-cuda", "loops-hip", "recursion"), 2):
            rows, mirrored = (compared(*pair, "--table", "call_tree")["compare_call_tree"] for pair in ((left, right), (right, left)))
            for side in "ab":
                self.assertAlmostEqual(sum(row["exclusive_" + side] for row in rows), rows[0][side], delta=1e-9)
            self.assertEqual(sorted((r["a"], r["b"], r["status"] == "both") for r in rows),
                             sorted((r["b"], r["a"], r["status"] == "both") for r in mirrored))
        # LULESH on one core and on eight: what is new is waiting for others.
        a, b = self.pair("caliper", "annotation-profile-1core", "annotation-profile-8cores")
        self.assertIn("MPI_Waitall", words(a, b))

    def test_the_books_balance_between_any_two(self):
        files = [tool.profile("kineto", "alexnet"), tool.profile("kineto", "h100__Falconsai"),
                 tool.profile("kineto", "resnet50_num_workers_0"), tool.profile("nsys_sqlite", "h100_2gpu"),
                 tool.profile("ascend", "level1_rank0"), tool.profile("hpctoolkit_v4", "2023_loops-cuda"),
                 tool.profile("rocprof", ""), tool.profile("xla", "")]
        seen = 0
        for i, a in enumerate(files):
            for b in files[i:i + 2]:
                with self.subTest(a=os.path.basename(a), b=os.path.basename(b)):
                    tables = compared(a, b)
                    if not figures(tables):
                        continue
                    seen += 1
                    check_books(self, tables)
                    if a == b:
                        self.assertEqual([c for c in tables["compare_causes"] if c["delta_ns"]], [])
                        self.assertEqual({r["status"] for r in tables["compare_ops"]} - {"both", "orphan"}, set())
                        self.assertEqual({r["change"] for r in tables["compare_findings"]} - {"same"}, set())
        self.assertGreaterEqual(seen, len(files))


if __name__ == "__main__":
    unittest.main()
