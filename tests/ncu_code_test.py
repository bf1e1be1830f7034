#!/usr/bin/env python3
"""Machine code, lines, samples at instructions and sections of Nsight Compute's reports: of one that is built here, and
laws on those of the corpus.

Environment: CGPU (the binary).
"""
import os
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import ncu_binary_report as built  # noqa: E402
from oracle import tool  # noqa: E402
from oracle.protobuf import fields, message  # noqa: E402

CORPUS = tool.shared(os.path.join("corpus", "ncu"))
FIGURES = {"samples": "smsp__pcsamp_sample_count", "executed": "inst_executed", "thread_executed": "thread_inst_executed"}


def all_rows(path, table):
    return tool.table(path, table, "--top", "0")


def lines_of(rows, starts):
    """By instruction, what the last start at or before it says."""
    return [next(start[1:] for start in reversed(starts) if start[0] <= i) for i in range(len(rows))]


def real(raw):
    return struct.unpack("<d", raw)[0]


def only(data):
    """The value of a message with one field."""
    return next(iter(fields(data, real)))[1]


def executed_by_operation(path):
    """What the metric sass__inst_executed_per_opcode says of each launch: a decoder of its own."""
    with open(path, "rb") as file:
        data = file.read()
    at = 8 + struct.unpack_from("<I", data, 4)[0]
    names, launches = [], []
    while at < len(data):
        size = struct.unpack_from("<I", data, at)[0]
        header = message(data[at + 4:at + 4 + size])
        at += 4 + size
        for table in header.get(4, []):
            names += [name.decode() for name in message(table).get(1, [])]
        end = at + header[5][0]
        while at < end:
            size = struct.unpack_from("<I", data, at)[0]
            if header[2][0]:
                launches.append(data[at + 4:at + 4 + size])
            at += 4 + size
    wanted = names.index("sass__inst_executed_per_opcode")
    metrics = [next(m for m in map(message, message(launch)[13]) if m[1][0] == wanted) for launch in launches]
    pairs = [[message(instance) for instance in metric[3]] for metric in metrics]
    return [{only(pair[1][0]).decode(): int(only(pair[2][0])) for pair in of} for of in pairs]


class Built(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tool.must_exist()
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "built.ncu-rep")
        with open(cls.path, "wb") as out:
            out.write(built.report())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_instructions(self):
        rows = all_rows(self.path, "launch_instructions")
        self.assertEqual([row["offset"] for row in rows], [built.SIZE * i for i in range(len(built.CODE))])
        self.assertEqual([row["operation"] for row in rows], [name for _, _, name in built.CODE])
        self.assertEqual([row["samples"] for row in rows], built.SAMPLES)
        self.assertEqual([row["executed"] for row in rows], built.EXECUTED)
        self.assertEqual({row["thread_executed"] for row in rows}, {None})  # was not collected
        places = lines_of(rows, built.SOURCE)
        self.assertEqual([(row["file"], row["line"]) for row in rows],
                         [("/src/" + built.FILES[file - 1], line) for file, line in places])
        self.assertEqual([row["ptx_line"] for row in rows], [line for _, line in lines_of(rows, built.PTX_LINES)])
        self.assertEqual([row["stall"] for row in rows][3:7], ["wait", "lg_throttle", "long_scoreboard", "lg_throttle"])
        self.assertIsNone(rows[7]["stall"])

    def test_lines(self):
        rows = all_rows(self.path, "launch_lines")
        source = [(row["file"], row["line"], row["instructions"], row["samples"]) for row in rows
                  if row["kind"] == "source"]
        self.assertEqual(source, [("/src/index.h", 30, 1, 5), ("/src/scale.cu", 7, 1, 3), ("/src/scale.cu", 8, 2, 2),
                                  ("/src/scale.cu", 9, 3, 160), ("/src/scale.cu", 10, 1, 0)])
        ptx = {row["line"]: row for row in rows if row["kind"] == "ptx"}
        self.assertEqual({at: row["text"] for at, row in ptx.items()},
                         {at: line for at, line in enumerate(built.PTX, 1) if line and at < 13})
        self.assertEqual(ptx[8]["samples"], 100)
        self.assertEqual(ptx[2]["instructions"], 0)

    def test_counts(self):
        rows = all_rows(self.path, "instruction_counts")
        got = {(row["metric"], row["offset"] // built.SIZE): row["value"] for row in rows}
        want = {"inst_executed": built.EXECUTED, "smsp__pcsamp_sample_count": built.SAMPLES}
        want.update({"smsp__pcsamp_warps_issue_stalled_" + word: values for word, values in built.STALLS.items()})
        self.assertEqual(got, {(name, i): value for name, values in want.items() for i, value in enumerate(values)
                               if value})

    def test_sections(self):
        rows = all_rows(self.path, "launch_sections")
        self.assertEqual([(row["title"], row["chart"], row["label"], row["value"], row["unit"]) for row in rows],
                         [("GPU Speed Of Light Throughput", None, "Compute (SM) Throughput", 40, "%"),
                          ("GPU Speed Of Light Throughput", None, "Duration", 5000, "ns"),
                          ("Compute Workload Analysis", None, "IPC", None, None),
                          ("Compute Workload Analysis", "Pipe Utilization", "ALU", 12, "%"),
                          ("Compute Workload Analysis", "Pipe Utilization", "FMA", 30, "%")])
        self.assertEqual({row["about"] for row in rows if row["section"] == "SpeedOfLight"},
                         {"What GPU Speed Of Light Throughput is for."})

    def test_without_code(self):
        path = os.path.join(self.folder.name, "without.ncu-rep")
        with open(path, "wb") as out:
            out.write(built.report(with_code=False))
        self.assertEqual(len(all_rows(path, "launch_metrics")), 1)
        self.assertEqual(all_rows(path, "launch_instructions"), [])

    def test_damaged_code(self):
        """Each byte of the object file replaced: an answer, and the launch is there."""
        whole = built.report()
        code = built.object_file()
        at = whole.index(code)
        path = os.path.join(self.folder.name, "damaged.ncu-rep")
        for i in range(0, len(code), 7):
            with open(path, "wb") as out:
                out.write(whole[:at + i] + b"\xff" + whole[at + i + 1:])
            done = tool.run(["table", path, "launch_lines"])
            self.assertIn(done.returncode, (0, 2), done.stderr)
            self.assertLess(len(done.stderr), 2000)


class Laws(unittest.TestCase):
    """On every report: samples by line, of each kind, add up to those by instruction, and these to the launch's."""

    def reports(self):
        tool.must_exist()
        names = sorted(name for name in os.listdir(CORPUS) if name.endswith(".ncu-rep")) if os.path.isdir(CORPUS) else []
        if not names:
            self.skipTest("no reports in %s" % CORPUS)
        return [os.path.join(CORPUS, name) for name in names]

    @staticmethod
    def sums(rows, key):
        sums = {}
        for row in rows:
            for figure in FIGURES:
                if row[figure] is not None:
                    at = (*key(row), figure)
                    sums[at] = sums.get(at, 0) + row[figure]
        return sums

    def test_lines_instructions_and_the_launch(self):
        for path in self.reports():
            with self.subTest(os.path.basename(path)):
                by_instruction = self.sums(all_rows(path, "launch_instructions"), lambda row: (row["id"],))
                values = {(row["id"], row["metric"]): row["value"] for row in all_rows(path, "launch_values")}
                self.assertTrue(by_instruction)
                for (launch, figure), total in by_instruction.items():
                    self.assertEqual(total, values[launch, FIGURES[figure]])
                by_line = self.sums(all_rows(path, "launch_lines"), lambda row: (row["id"], row["kind"]))
                for (launch, _, figure), total in by_line.items():
                    self.assertEqual(total, by_instruction[launch, figure])

    def test_stalls_are_the_samples(self):
        for path in self.reports():
            with self.subTest(os.path.basename(path)):
                sums = {}
                for row in all_rows(path, "instruction_counts"):
                    name = row["metric"]
                    if name.startswith("smsp__pcsamp_warps_issue_stalled_") and not name.endswith("_not_issued"):
                        at = row["id"], row["offset"]
                        sums[at] = sums.get(at, 0) + row["value"]
                for row in all_rows(path, "launch_instructions"):
                    self.assertEqual(row["samples"] or 0, sums.get((row["id"], row["offset"]), 0))

    def test_sections_are_in_the_order_of_the_profiler(self):
        wanted = ["GPU Speed Of Light Throughput", "Compute Workload Analysis", "Memory Workload Analysis",
                  "Scheduler Statistics", "Warp State Statistics", "Instruction Statistics", "Launch Statistics", "Occupancy"]
        for path in self.reports():
            with self.subTest(os.path.basename(path)):
                titles = list(dict.fromkeys(row["title"] for row in all_rows(path, "launch_sections") if row["id"] == 0))
                self.assertEqual([title for title in titles if title in wanted],
                                 [title for title in wanted if title in titles])
                self.assertIn("Scheduler Statistics", titles)

    def test_names_of_operations(self):
        """Executions by operation are what the reports themselves count by operation."""
        for path in self.reports():
            with self.subTest(os.path.basename(path)):
                got = {}
                for row in all_rows(path, "launch_instructions"):
                    if row["executed"]:
                        of = got.setdefault(row["id"], {})
                        name = row["operation"].split(" ")[-1]
                        of[name] = of.get(name, 0) + row["executed"]
                self.assertEqual([got[i] for i in sorted(got)], executed_by_operation(path))


if __name__ == "__main__":
    unittest.main()
