#!/usr/bin/env python3
"""Nsight Compute reports and pages of the corpus, against a second decoder that is here, and against the facts of
../shared/truth.

Environment: CGPU (the binary), CGPU_TRUTH (the folder of the facts).
"""
import csv
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402
from oracle.protobuf import fields  # noqa: E402

CORPUS = tool.shared(os.path.join("corpus", "ncu"))
TRUTH = os.environ.get("CGPU_TRUTH") or tool.shared("truth")
SEVERITY = {1: "information", 2: "warning", 3: "error", 4: "optimization"}


def files(ending):
    return sorted(f for f in os.listdir(CORPUS) if f.endswith(ending)) if os.path.isdir(CORPUS) else []


def double(raw):
    return struct.unpack("<d", raw)[0]


def all_of(data, number):
    return [value for n, value in fields(data, double) if n == number]


def decode(path):
    """(kernel, grid, block, [(metric, value)], [(rule, severity, speedup)]) of each launch."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:4] == b"NVR\0"
    at = 8 + struct.unpack_from("<I", data, 4)[0]
    names, launches = [], []
    while at < len(data):
        size = struct.unpack_from("<I", data, at)[0]
        header = data[at + 4:at + 4 + size]
        at += 4 + size
        for table in all_of(header, 4):
            names += [name.decode() for name in all_of(table, 1)]
        end = at + all_of(header, 5)[0]
        while at < end:
            size = struct.unpack_from("<I", data, at)[0]
            if all_of(header, 2)[0]:
                launches.append(decode_launch(data[at + 4:at + 4 + size], names))
            at += 4 + size
    return launches


def decode_launch(data, names):
    metrics, rules = [], []
    for metric in all_of(data, 13):
        value = all_of(metric, 2) and list(fields(all_of(metric, 2)[0], double))
        if value:
            value = value[0][1]
            if isinstance(value, float) and not math.isfinite(value):
                continue
            metrics.append((names[all_of(metric, 1)[0]], value.decode() if isinstance(value, bytes) else value))
    for rule in all_of(data, 19):
        for body in all_of(rule, 3):
            for finding in all_of(body, 1):
                message = all_of(finding, 1)
                speedup = [all_of(s, 2)[0] for s in all_of(finding, 10)]
                if message:
                    rules.append((all_of(rule, 1)[0].decode(), SEVERITY[all_of(message[0], 2)[0]],
                                  speedup[0] if speedup else None))
    extents = ["x".join(str(n) for _, n in fields(all_of(data, number)[0])) for number in (10, 11)]
    return all_of(data, 7)[0].decode(), extents[0], extents[1], metrics, rules


class Reports(unittest.TestCase):
    def setUp(self):
        tool.must_exist()
        if not files(".ncu-rep"):
            self.skipTest("no reports in %s" % CORPUS)

    def test_launches_metrics_and_rules(self):
        for name in files(".ncu-rep"):
            with self.subTest(name):
                path = os.path.join(CORPUS, name)
                want = decode(path)
                rows = tool.table(path, "launch_metrics")
                self.assertEqual([(r["kernel"], r["grid"], r["block"]) for r in rows], [w[:3] for w in want])
                values = {}
                for row in tool.table(path, "launch_values"):
                    value = row["text"] if row["value"] is None else row["value"]
                    values.setdefault(row["id"], []).append((row["metric"], "" if value is None else value))
                rules = {}
                for row in tool.table(path, "launch_rules"):
                    rules.setdefault(row["id"], []).append((row["rule"], row["severity"], row["speedup_pct"]))
                for i, launch in enumerate(want):
                    self.assertEqual(values[i], launch[3])
                    self.assertEqual(rules.get(i, []), launch[4])

    def test_operations_of_known_kernels(self):
        """kernelA adds one number a thread, 1,024 threads in all."""
        rows = tool.table(os.path.join(CORPUS, next(f for f in files(".ncu-rep") if "JAX" in f)), "launch_metrics")
        operations = [row["flops_per_s"] * row["duration_ns"] * 1e-9 for row in rows]
        for got, want in zip(operations, (1024, 512, 512)):
            self.assertAlmostEqual(got, want, delta=1e-6 * want)
        for row in rows:
            self.assertAlmostEqual(row["intensity"], row["flops_per_s"] / row["dram_bytes_per_s"])

    def test_uncounted_matrix_operations_make_no_rate(self):
        path = os.path.join(CORPUS, next(f for f in files(".ncu-rep") if "IndexSpaces" in f))
        self.assertIsNone(tool.table(path, "launch_metrics")[4]["flops_per_s"])
        self.assertIn("roofline", " ".join(row["text"] for row in tool.table(path, "notes")))

    def test_what_was_not_collected_is_absent_and_said(self):
        path = os.path.join(CORPUS, next(f for f in files(".ncu-rep") if "MiSTIC" in f))
        for row in tool.table(path, "launch_metrics"):
            for column in ("compute_pct", "memory_pct", "achieved_occupancy_pct", "bound", "flops_per_s", "intensity"):
                self.assertIsNone(row[column], column)
        notes = [row["text"] for row in tool.table(path, "notes") if row["code"] == "not_collected"]
        self.assertTrue(any("--section SpeedOfLight" in text for text in notes), notes)

    def test_every_truncation_is_an_answer(self):
        path = os.path.join(CORPUS, min(files(".ncu-rep"), key=lambda f: os.path.getsize(os.path.join(CORPUS, f))))
        with open(path, "rb") as file:
            data = file.read()
        with tempfile.TemporaryDirectory() as folder:
            cut = os.path.join(folder, "cut.ncu-rep")
            for part in range(1, 64):
                with open(cut, "wb") as file:
                    file.write(data[:len(data) * part // 64])
                done = tool.run(["table", cut, "launch_metrics"])
                self.assertIn(done.returncode, (0, 2), done.stderr)
                if done.returncode:
                    self.assertEqual(done.stderr.decode().count("\n"), 1, done.stderr)

    def test_report_and_info(self):
        for name in files(".ncu-rep") + files(".csv"):
            path = os.path.join(CORPUS, name)
            info = tool.info(path)
            self.assertEqual(info["bodies"], "launch metrics")
            self.assertEqual(info["format"], "ncu-rep" if name.endswith("rep") else "ncu-csv")
            done = tool.run(["report", path])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("Measured launches", done.stdout.decode())


class Pages(unittest.TestCase):
    def test_details(self):
        tool.must_exist()
        if not files(".csv"):
            self.skipTest("no pages in %s" % CORPUS)
        for name in files(".csv"):
            path = os.path.join(CORPUS, name)
            with open(path, newline="") as file:
                rows = list(csv.DictReader(file))
            values = [row["value"] if row["text"] is None else row["text"] for row in tool.table(path, "launch_values")]
            want = [row["Metric Value"] for row in rows if row["Metric Name"]]
            want = [float(v.replace(",", "")) if re.match(r"[\d.,]+$", v) else v for v in want]
            self.assertEqual(values, want)
            rules = [(r["rule"], r["message"], r["speedup_pct"], r["scope"]) for r in tool.table(path, "launch_rules")]
            self.assertEqual(rules, [(row["Rule Name"], row["Rule Description"],
                                      float(row["Estimated Speedup"]) if row["Estimated Speedup"] else None,
                                      {"global": "kernel", "local": "unit", "": None}[row["Estimated Speedup Type"]])
                                     for row in rows if row["Rule Name"]])

    def test_a_log_before_the_header(self):
        tool.must_exist()
        if not files(".csv"):
            self.skipTest("no pages in %s" % CORPUS)
        path = os.path.join(CORPUS, files(".csv")[0])
        with tempfile.TemporaryDirectory() as folder:
            noisy = os.path.join(folder, "noisy.txt")
            with open(path) as file, open(noisy, "w") as out:
                out.write("==PROF== Connected to process 1 (\"a\n{\"json\": 1}\n" + file.read() + "==PROF== Done\n")
            self.assertEqual(tool.table(noisy, "launch_values"), tool.table(path, "launch_values"))


class Facts(unittest.TestCase):
    def test_all_facts_hold(self):
        tool.must_exist()
        script = os.path.join(TRUTH, "check.py")
        if not os.path.exists(script):
            self.skipTest("no %s (set CGPU_TRUTH)" % script)
        done = subprocess.run([sys.executable, script, "ncu"], cwd=tool.ROOT, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, universal_newlines=True,
                              env=dict(os.environ, CGPU=tool.binary()))
        self.assertEqual(done.returncode, 0, "\n" + done.stdout)


if __name__ == "__main__":
    unittest.main()
