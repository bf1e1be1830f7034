#!/usr/bin/env python3
"""What is said of a job by the logs of NCCL's Inspector, which hold collectives alone.

Environment: CGPU (the binary).
"""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

EPOCH_US = 1_700_000_000_000_000
RANKS, COUNT, BYTES = 4, 20, 1 << 26
LATE, WAIT_US, SHORTEST_US = 2, 1500, 500


def setUpModule():
    tool.must_exist()


def line(rank, number):
    """An all-reduce every 10 ms. All end together; rank LATE begins WAIT_US after the others."""
    end = EPOCH_US + 10_000 * number + 2000
    length = SHORTEST_US if rank == LATE else SHORTEST_US + WAIT_US
    kernel = {"channel_id": 0, "kernel_start_ts": end - length, "kernel_stop_ts": end}
    return json.dumps({
        "header": {"id": "0xa", "comm_name": "dp", "rank": rank, "n_ranks": RANKS, "nnodes": 1},
        "metadata": {"inspector_output_format_version": "v4.0", "hostname": "node1", "pid": rank},
        "coll_perf": {"coll": "AllReduce", "coll_sn": number, "coll_msg_size_bytes": BYTES, "coll_exec_time_us": length,
                      "event_trace_ts": {"coll_start_ts": end - length, "kernel_events": [kernel]}}})


class Job(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for rank in range(RANKS):
            with open(os.path.join(self.folder, "node1-pid%d.log" % rank), "w", encoding="ascii") as log:
                log.write("".join(line(rank, number) + "\n" for number in range(COUNT)))

    def test_bandwidth_and_waiting(self):
        row, = tool.table(self.folder, "collectives")
        self.assertEqual((row["ranks"], row["count"], row["bytes"]), (RANKS, COUNT, COUNT * BYTES))
        self.assertEqual(row["wait_ns"], (RANKS - 1) * COUNT * WAIT_US * 1000)
        algorithm = BYTES / (SHORTEST_US * 1000)  # B/ns are GB/s
        self.assertAlmostEqual(row["algo_bandwidth"], algorithm)
        self.assertAlmostEqual(row["bus_bandwidth"], algorithm * 2 * (RANKS - 1) / RANKS)

    def test_the_rank_that_comes_last_is_named_and_no_reason_is_invented(self):
        found = [row for row in tool.table(self.folder, "findings") if row["rule"] == "straggler"]
        self.assertEqual([row["rank"] for row in found], [LATE])
        self.assertIn("for rank %d, because it comes last" % LATE, found[0]["title"])
        self.assertNotIn("compute", found[0]["evidence"])


if __name__ == "__main__":
    unittest.main()
