#!/usr/bin/env python3
"""`--peak` from the command line to the figures: what is said of a device that is not known, or instead of what is known.

Environment: CGPU (the binary).
"""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

M, N, K = 512, 256, 1024
FLOPS = 2 * M * N * K
BYTES = 2 * (M * K + K * N + M * N)
NS = 10_000  # of the product


def setUpModule():
    tool.must_exist()


def trace(folder, device, rank=0, ranks=1, host="a"):
    """A product in bfloat16 of 10 us, and, of several ranks, an all-gather of 1 MB a rank in 100 us."""
    def event(category, name, start, duration, **arguments):
        on_device = category == "kernel"
        return {"ph": "X", "cat": category, "name": name, "ts": start, "dur": duration, "pid": 0 if on_device else 1,
                "tid": arguments.get("stream", 1), "args": arguments}
    events = [event("cpu_op", "aten::mm", 0, 5, **{"Input Dims": [[M, K], [K, N]], "Input type": ["c10::BFloat16"] * 2}),
              event("cuda_runtime", "cudaLaunchKernel", 1, 2, correlation=1),
              event("kernel", "gemm", 20, NS / 1000, correlation=1, device=0, stream=7)]
    if ranks > 1:
        arguments = {"Collective name": "_allgather_base", "In msg nelems": 500_000, "Out msg nelems": 500_000 * ranks,
                     "dtype": "BFloat16", "Group size": ranks, "Process Group Name": "0",
                     "Process Group Ranks": str(list(range(ranks)))}
        events += [event("cuda_runtime", "cudaLaunchKernel", 10, 2, correlation=2),
                   event("kernel", "ncclDevKernel_AllGather_RING_LL", 40, 100, correlation=2, device=0, stream=20, **arguments)]
    path = os.path.join(folder, "rank%d.json" % rank)
    with open(path, "w", encoding="utf-8") as handle:
        json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": device, "numSms": 100}], "host_name": host,
                   "distributedInfo": {"rank": rank, "world_size": ranks}, "traceEvents": events}, handle)
    return path


class Peak(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def setUp(self):
        self.here = tempfile.mkdtemp(dir=self.folder.name)

    def row(self, inputs, table, *options, **where):
        found = [row for row in tool.table(inputs, table, *options) if all(row[k] == v for k, v in where.items())]
        self.assertEqual(len(found), 1, found)
        return found[0]

    def test_a_device_that_is_not_known_has_shares_only_of_stated_peaks(self):
        path = trace(self.here, "Experimental X1")
        for table, column in (("mfu", "mfu_pct"), ("mfu", "bandwidth_pct"), ("op_shapes", "flops_pct"),
                              ("op_shapes", "bytes_pct")):
            self.assertIsNone(self.row(path, table)[column], (table, column))
        options = ("--peak", "bf16=100TFLOP/s,memory=2TB/s")
        mfu = self.row(path, "mfu", *options)
        self.assertAlmostEqual(mfu["mfu_pct"], 100 * FLOPS / (NS * 1e-9) / 100e12)
        self.assertAlmostEqual(mfu["bandwidth_pct"], 100 * BYTES / (NS * 1e-9) / 2e12)
        self.assertEqual(mfu["peak_known_pct"], 100)
        shapes = self.row(path, "op_shapes", *options, name="aten::mm")
        self.assertAlmostEqual(shapes["flops_pct"], mfu["mfu_pct"])
        self.assertAlmostEqual(shapes["bytes_pct"], mfu["bandwidth_pct"])

    def test_two_runs_with_peaks_of_their_own(self):
        a, b = (os.path.join(self.here, side) for side in "ab")
        for folder, device in ((a, "Experimental X1"), (b, "Experimental X2")):
            os.mkdir(folder)
            trace(folder, device)
        stated = {"a": ("--peak", "bf16=100TFLOP/s,memory=2TB/s"), "b": ("--with-peak", "bf16=200TFLOP/s")}
        rate = FLOPS / (NS * 1e-9)
        for options, peaks in (((), {}), (stated["a"], {"a": 100e12, "b": 100e12}), (stated["b"], {"b": 200e12}),
                               (stated["a"] + stated["b"], {"a": 100e12, "b": 200e12})):
            with self.subTest(options):
                done = tool.run(["compare", a, b, "--format", "json", *options])
                self.assertEqual(done.returncode, 0, done.stderr)
                tables = tool.rows_of(json.loads(done.stdout))
                figures = {row["name"]: row for row in tables["compare_summary"]}
                peaks_of_b = tool.rows_of(json.loads(tool.run(["compare", a, b, "--table", "peaks", "--format", "json",
                                                               *options]).stdout))["compare_peaks"]
                bf16 = next((row for row in peaks_of_b if row["rate"] == "bf16"), {})
                shapes = tool.rows_of(json.loads(tool.run(["compare", a, b, "--table", "shapes", "--format", "json",
                                                           *options]).stdout))["compare_shapes"][0]
                for side in "ab":
                    wanted = 100 * rate / peaks[side] if side in peaks else None
                    said = figures["mfu_pct"][side] if "mfu_pct" in figures else None
                    for got in (said, shapes["flops_%s_pct" % side]):
                        if wanted is None:
                            self.assertIsNone(got)
                        else:
                            self.assertAlmostEqual(got, wanted)
                    self.assertEqual(bf16.get(side), peaks[side] / 1e12 if side in peaks else None)
        said = tool.run(["compare", a, b, *stated["a"], *stated["b"]]).stdout.decode()
        self.assertIn("A ran on Experimental X1 (at most memory 2.00 TB/s, bf16 100.0 TFLOP/s), B on Experimental X2 (at most bf16 "
                      "200.0 TFLOP/s).", said)

    def test_of_figures_alone_there_are_no_peaks(self):
        path = trace(self.here, "Experimental X1")
        done = tool.run(["compare", path, path, path, "--peak", "bf16=1TFLOP/s"])
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"are of two profiles", done.stderr)

    def test_the_peak_of_another_type_is_not_taken(self):
        path = trace(self.here, "Experimental X1")
        mfu = self.row(path, "mfu", "--peak", "fp16=100TFLOP/s")
        self.assertIsNone(mfu["mfu_pct"])
        self.assertEqual(mfu["peak_known_pct"], 0)

    def test_what_is_stated_stands_before_what_is_known_and_is_named_as_the_source(self):
        path = trace(self.here, "NVIDIA H100 80GB HBM3")
        known = self.row(path, "mfu")["mfu_pct"]
        self.assertAlmostEqual(self.row(path, "mfu", "--peak", "bf16=494.7TFLOP/s")["mfu_pct"], 2 * known, 6)
        device = self.row(path, "devices", "--peak", "bf16=494.7TFLOP/s")
        self.assertIn("bf16 494.7 TFLOP/s", device["peak_flops"])
        self.assertTrue(device["source"].startswith("stated by the user: bf16; the rest: "), device["source"])
        self.assertEqual(self.row(path, "mfu", "--peak", "memory=1TB/s")["mfu_pct"], known)

    def test_the_rate_of_the_links_is_what_collectives_are_compared_with(self):
        for rank in (0, 1):
            trace(self.here, "Experimental X1", rank, 2)
        self.assertIsNone(self.row(self.here, "collectives")["link_pct"])
        row = self.row(self.here, "collectives", "--peak", "link=50GB/s")
        self.assertAlmostEqual(row["link_pct"], 100 * row["bus_bandwidth"] / 50)
        self.assertGreater(row["link_pct"], 0)

    def test_the_report_says_it_too(self):
        path = trace(self.here, "Experimental X1")
        without, stated = (" ".join(tool.run(["report", path, "--format", "text", *options]).stdout.decode().split())
                           for options in ((), ("--peak", "bf16=100TFLOP/s")))
        computed = "by their shapes: %.1f TFLOP/s over the span" % (FLOPS / NS / 1e3)
        self.assertIn(computed, without)
        self.assertIn("The peak rate for their types is not known on this device: `--peak NAME=RATE` states it.", without)
        self.assertIn(computed, stated)
        self.assertIn("reached %.1f%% of the peak rate" % (100 * FLOPS / NS * 1e9 / 100e12), stated)

    def test_what_cannot_be_read_is_refused_with_the_names_that_there_are(self):
        path = trace(self.here, "Experimental X1")
        for given in ("bf16", "bf16=fast", "bf16=-1TFLOP/s", "warp=1TB/s", "bf16=1TB/s", "memory=2TFLOP/s"):
            done = tool.run(["table", path, "mfu", "--peak", given])
            self.assertEqual(done.returncode, 2, given)
            self.assertIn(b"--peak " + given.encode(), done.stderr)
            self.assertIn(b"names: memory, link, fp64", done.stderr)


if __name__ == "__main__":
    unittest.main()
