#!/usr/bin/env python3
"""`cgpu summarize`: a .cgpu file gives the tables and the report of the profile that it was made of; and `cgpu history` over
such files.

Environment: CGPU (the binary), CGPU_CORPUS (a folder of Kineto traces; those of other formats lie beside it).
"""
import glob
import json
import os
import random
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gate_test  # noqa: E402
from oracle import tool  # noqa: E402

# Kineto with steps and several streams, of AMD and of old days; Nsight Systems; Ascend; HPCToolkit; Perfetto; XLA.
CORPUS = ("kineto/*trace_diff__control*", "kineto/*mi300__gaunernst*", "kineto/*num_workers_0*", "nsys_sqlite/*mfu_2gpu_after*",
          "ascend/*text_level1_rank0*", "hpctoolkit_v4/*dbase__loops-cuda-nvidiapc-t.d", "perfetto_pb/*nested_tracks*",
          "xla/*jax08_conv__tw003*")
EVENTS = {"api_trace", "device_trace", "launch_trace", "range_trace", "idle_gaps", "slices", "tracks", "links", "waits",
          "counter_samples", "memory_events", "queue_length", "memory_bandwidth"}
OWN = {"info", "clocks"}  # say where the profile lay, and on which machine


def setUpModule():
    tool.must_exist()


def summarize(inputs, path, *options):
    done = tool.run(["summarize", *inputs, "-o", path, *options])
    assert done.returncode == 0, done.stderr
    left_out = done.stderr.decode().partition("too large: ")[2].strip()
    return set(left_out.split(", ")) - {""}


def tables(*arguments):
    done = tool.run([*arguments, "--format", "json"])
    if done.returncode:
        raise RuntimeError(done.stderr.decode())
    return json.loads(done.stdout)["tables"]


class Same(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "run.cgpu")

    def same(self, inputs, names=()):
        left_out = summarize(inputs, self.path)
        self.assertLess(os.path.getsize(self.path), 400000)
        expected, kept = tables("report", *inputs), tables("report", self.path)
        if expected["info"]["rows"][[row[0] for row in expected["info"]["rows"]].index("ranks")][1] != "1":
            for findings in (expected, kept):  # most rules of which need the timelines of all ranks
                findings.pop("findings", None)
        self.assertEqual(set(expected) - left_out - {"notes"}, set(kept) - {"notes"})
        if "notes" in kept:  # which also say what is not made of several ranks
            kept["notes"]["rows"] = [row for row in kept["notes"]["rows"] if row[0] not in ("not_merged", "rules_not_judged")]
        for name in set(kept) - OWN:
            self.assertEqual(kept[name], expected.get(name), (inputs, name))
        for name in names:
            if name in left_out:
                continue
            self.assertEqual(tables("table", self.path, name), tables("table", *inputs, name), (inputs, name))

    def test_reports_of_the_corpus(self):
        found = [path for pattern in CORPUS
                 for path in sorted(glob.glob(os.path.join(os.path.dirname(tool.corpus()), pattern)))]
        if not found:
            self.skipTest("no corpus")
        for path in found:
            self.same([path])

    def test_every_table(self):
        """Of a small trace all that can be listed, whether the report shows it or not."""
        trace = gate_test.RUNS.get(1)
        names = [row[0] for row in tables("table", "--list")["tables"]["rows"]]
        self.same(trace, [name for name in names if name not in EVENTS | OWN])

    def test_options_that_are_kept(self):
        """The report shows imbalance by function, so that a summary has it so too; other options need the profile."""
        profile = os.path.join(self.folder.name, "samples.txt")
        sample = "app 10/%d %d.%06d: 1000000 cpu-clock:u:\n\t 401136 work (/bin/app)\n\t 401000 main (/bin/app)\n\n"
        with open(profile, "w", encoding="ascii") as file:
            file.write("".join(sample % (10 + (i % 4 == 0), 1, 1000 * i) for i in range(40)))
        summarize([profile], self.path)
        for by in ([], ["--by", "function"]):
            kept, expected = (tables("table", path, "imbalance", *by)["imbalance"] for path in (self.path, profile))
            self.assertEqual(kept, expected)
            self.assertTrue(kept["rows"])
        refused = tool.run(["table", self.path, "imbalance", "--metric", "cpu-clock:u"])
        self.assertEqual(refused.returncode, 2)
        self.assertIn(b"without options", refused.stderr)

    def test_ranks(self):
        for ranks in (2, 3):
            self.same(gate_test.RUNS.get(1, ranks=ranks), ["gpu_time", "kernels", "collectives", "steps", "idle", "ops"])


class Use(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def kept(self, runs, begin="run"):
        paths = []
        for i, run in enumerate(runs):
            paths.append(self.path("%s%02d.cgpu" % (begin, i)))
            summarize([run], paths[-1])
        return paths

    def test_check_says_of_summaries_what_it_says_of_profiles(self):
        baseline, candidate = gate_test.RUNS.get(4), gate_test.RUNS.get(4, first=200, gemm=1.3)
        of_profiles = gate_test.tables(baseline, candidate)
        of_summaries = gate_test.tables(self.kept(baseline, "a"), self.kept(candidate, "b"))
        self.assertEqual(of_profiles[0], gate_test.REGRESSION)
        for kept in (of_profiles, of_summaries):
            for row in kept[1]["check_runs"]:
                del row["input"]
        self.assertEqual(of_summaries, of_profiles)
        mixed = gate_test.tables(self.kept(baseline, "c"), candidate)
        self.assertEqual(mixed[1]["check_times"], of_profiles[1]["check_times"])

    def test_what_is_not_kept_is_said(self):
        (path,) = self.kept(gate_test.RUNS.get(1))
        for arguments in (["table", path, "slices"], ["table", path, "kernels", "--names", "base"],
                          ["table", path, "kernels", "--step", "1"], ["export", path, "-o", self.path("x.json")],
                          ["report", path, gate_test.RUNS.get(1)[0]],
                          ["summarize", path, "-o", self.path("y.cgpu")], ["report", path, "--from", "0"]):
            done = tool.run(arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
            self.assertIn(b"summary", done.stderr)

    def test_its_ranks_are_selected(self):
        (path,) = self.kept(gate_test.RUNS.get(1))
        self.assertEqual(tool.table(path, "kernels", "--rank", "0"), tool.table(path, "kernels"))
        done = tool.run(["report", path, "--rank", "7"])
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1))
        self.assertIn(b"rank 7: there is no such rank", done.stderr)

    def test_an_output_is_never_an_input(self):
        (path,) = self.kept(gate_test.RUNS.get(1))
        trace = gate_test.RUNS.get(1)[0]
        self.assertEqual(tool.run(["summarize", trace, "-o", trace]).returncode, 2)
        self.assertEqual(tool.run(["report", path, "-o", path, "--format", "json"]).returncode, 2)
        self.assertEqual(tool.run(["summarize", trace + ".missing", "-o", path]).returncode, 2)
        self.assertEqual(tool.run(["info", path]).returncode, 0)

    def test_damaged_files(self):
        (path,) = self.kept(gate_test.RUNS.get(1))
        with open(path, "rb") as handle:
            whole = handle.read()
        r = random.Random(1)
        for _ in range(20):
            at = r.randrange(10, len(whole))
            damaged = r.choice([whole[:at], whole[:at] + bytes([whole[at] ^ (1 << r.randrange(8))]) + whole[at + 1:]])
            with open(self.path("damaged.cgpu"), "wb") as handle:
                handle.write(damaged)
            for verb in (["report"], ["table"], ["info"]):
                arguments = verb + [self.path("damaged.cgpu")] + (["kernels"] if verb == ["table"] else [])
                done = tool.run(arguments)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)

    def test_history(self):
        levels = [1.0] * 7 + [1.15] * 7
        for i, gemm in enumerate(levels):
            trace, = gate_test.machine.write(gate_test.machine.run(self.dated(i, gemm)), self.folder.name)
            summarize([trace], self.path("%02d.cgpu" % ((i * 5) % 14)))  # names say nothing of the order
            os.remove(trace)
        found = tool.rows_of({"tables": tables("history", self.folder.name)})
        rows = found["history"]
        self.assertEqual([row["recorded"] for row in rows], sorted(row["recorded"] for row in rows))
        self.assertEqual(len(rows), 14)
        changes = found["history_changes"]
        self.assertEqual({(change["quantity"], change["run"]) for change in changes}, {("step_time", 7), ("busy", 7)})
        self.assertAlmostEqual(changes[0]["change_pct"], 10, delta=1)  # two thirds of a step are matrix products
        self.assertRegex(tool.run(["history", self.folder.name]).stdout.decode(),
                         r"^step_time \+\d+\.\d% since run 7 \(\S+/07.cgpu\): 4\.\d+ ms to 5\.\d+ ms\n")
        self.assertEqual(tool.run(["history", os.path.join(self.folder.name, "none")]).returncode, 2)
        with tempfile.TemporaryDirectory() as empty:
            done = tool.run(["history", empty])
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"cgpu summarize", done.stderr)

    @staticmethod
    def dated(day, gemm):
        program = gate_test.program(day, gemm=gemm)

        def run(m):
            m.now += day * 86400 * 1000000
            return program(m)
        return run


if __name__ == "__main__":
    unittest.main()
