#!/usr/bin/env python3
"""Numbers of real traces that were computed elsewhere: the facts of ../shared/truth, and the ones that are here.

Environment: CGPU (the binary), CGPU_CORPUS (a folder of Kineto traces), CGPU_TRUTH (the folder of the facts).
"""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

TRUTH = os.environ.get("CGPU_TRUTH") or tool.shared("truth")


def setUpModule():
    tool.must_exist()


class Facts(unittest.TestCase):
    def test_all_facts_of_pytorch_traces_hold(self):
        script = os.path.join(TRUTH, "check.py")
        if not os.path.exists(script):
            self.skipTest("no %s (set CGPU_TRUTH)" % script)
        done = subprocess.run([sys.executable, script, "kineto"], cwd=tool.ROOT, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, universal_newlines=True,
                              env=dict(os.environ, CGPU=tool.binary()))
        self.assertEqual(done.returncode, 0, "\n" + done.stdout)


class Numbers(unittest.TestCase):
    def trace(self, part):
        folder = tool.corpus()
        if not os.path.isdir(folder):
            self.skipTest("no folder %s (set CGPU_CORPUS)" % folder)
        found = [name for name in os.listdir(folder) if part in name]
        if not found:
            self.skipTest("no trace named *%s* in %s" % (part, folder))
        self.assertEqual(len(found), 1, found)
        return os.path.join(folder, found[0])

    def one(self, part, table, **where):
        rows = [row for row in tool.table(self.trace(part), table)
                if all(str(row[column]) == str(value) for column, value in where.items())]
        self.assertEqual(len(rows), 1, "%s %s" % (table, where))
        return rows[0]

    def test_timesformer_on_h100(self):
        row = self.one("h100__facebook_timesformer", "gpu_time")
        self.assertEqual((row["span_ns"], row["idle_ns"]), (159992427, 1559253))

    def test_idle_time_is_exact(self):
        for part, idle in (("h100__gaunernst", 3598388), ("h100__Falconsai", 6334534), ("mi210__gpu_only", 636081)):
            with self.subTest(part):
                self.assertEqual(self.one(part, "gpu_time")["idle_ns"], idle)

    def test_device_ops_without_a_launch_stay_in_the_totals(self):
        part = "h100__Qwen"
        self.assertEqual(self.one(part, "notes", code="orphan_device_op")["count"], 509)
        self.assertEqual(tool.info(self.trace(part))["device_slices"], 1707)
        self.assertEqual(sum(row["count"] for row in tool.table(self.trace(part), "streams")), 1707)
        self.assertEqual(sum(row["count"] for row in tool.table(self.trace(part), "kernel_classes")), 1707)

    def test_mtia_has_all_its_events(self):
        self.assertEqual(tool.info(self.trace("mtia_rank_0"))["events"], 455739)

    def test_mtia_waits_for_the_host(self):
        row = self.one("mtia_rank_0", "idle_streams", stream=1, category="host_wait")
        self.assertEqual(row["total_ns"], 404263960)

    def test_queues_of_mtia_as_hta_counts_them(self):
        """HTA describes the length after each of 6 events of stream 102: 3 calls, and 3 ops that begin. Its time at the length
        1, of stream 1 here, is lost in HTA itself, whose result keeps the last stream of a rank only."""
        row = self.one("mtia_rank_0", "queue", stream=102)
        self.assertEqual((2 * row["count"], row["mean"], row["max"]), (6, 0.5, 1))
        self.assertEqual(round(row["waiting_ns"] / 1000), 1060)
        row = self.one("mtia_rank_0", "queue", stream=1)
        self.assertEqual(row["full_ns"], 0)
        # HTA has 1,011,610 us: it adds 3,450 differences of times that it has cut to whole microseconds.
        self.assertEqual(row["waiting_ns"], 1011619033)
        self.assertLess(abs(row["waiting_ns"] / 1000 - 1011610), 10)

    def test_collectives_are_counted(self):
        rows = tool.table(self.trace("nccl_data"), "collectives")
        self.assertEqual(sum(row["count"] for row in rows), 21)

    def test_optimizer_steps_launch_their_kernels(self):
        row = self.one("ns_resolution", "ranges", name="Optimizer.step#SGD.step")
        self.assertEqual((row["count"], row["device_ops"]), (5, 45))  # all of them kernels

    def test_average_step(self):
        rows = tool.table(self.trace("worker0.1623212756351"), "steps")
        self.assertEqual(len(rows), 6)
        want = {"duration": 141068, "kernel": 99145, "memcpy": 3160, "memset": 98, "communication": 0,
                "runtime": 10564, "dataloader": 1186, "cpu": 22665, "other": 4251}
        got = {column: round(sum(row[column + "_ns"] for row in rows) / len(rows) / 1000) for column in want}
        self.assertEqual(got, want)


if __name__ == "__main__":
    unittest.main()
