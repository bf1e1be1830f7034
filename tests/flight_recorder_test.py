#!/usr/bin/env python3
"""What `findings` says of jobs that hang, by the records of their collectives (PyTorch's flight recorder), and real dumps.

Environment: CGPU (the binary).
"""
import glob
import json
import os
import pickle
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

EPOCH = 1_700_000_000_000_000_000
RANKS = 4


def setUpModule():
    tool.must_exist()


def dump(collectives):
    """collectives: [(name, state)] of one group, one a millisecond; the record ends 10 s after the last."""
    entries = []
    for number, (name, state) in enumerate(collectives, 1):
        begin = EPOCH + 1_000_000 * number
        entry = {"record_id": number, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": number,
                 "p2p_seq_id": 0, "profiling_name": "nccl:" + name, "time_created_ns": begin, "state": state,
                 "input_sizes": [[8]], "input_dtypes": ["Float"], "output_sizes": [[8]], "is_p2p": False,
                 "time_discovered_started_ns": None if state == "scheduled" else begin + 100,
                 "time_discovered_completed_ns": begin + 500_000 if state == "completed" else None}
        entries.append(entry)
    entries.append({**entries[-1], "process_group": ["9", "other"], "collective_seq_id": 1, "state": "completed",
                    "time_created_ns": EPOCH + 10_000_000_000, "time_discovered_started_ns": EPOCH + 10_000_000_000,
                    "time_discovered_completed_ns": EPOCH + 10_000_000_000})
    return {"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": str(list(range(RANKS)))}},
            "pg_status": {}, "entries": entries}


def found_in(dumps, as_pickle=False):
    with tempfile.TemporaryDirectory() as folder:
        for rank, one in enumerate(dumps):
            with open(os.path.join(folder, "nccl_trace_rank_%d" % rank), "wb") as handle:
                handle.write(pickle.dumps(one, protocol=4) if as_pickle else json.dumps(one).encode())
        return [row for row in tool.table(folder, "findings") if row["rule"] == "hung_collective"]


DONE = [("all_reduce", "completed")] * 6


class Hangs(unittest.TestCase):
    def test_a_rank_that_never_came(self):
        waits = dump(DONE + [("all_reduce", "started"), ("all_gather", "scheduled")])
        for as_pickle in (False, True):
            row, = found_in([waits, waits, waits, dump(DONE[:5])], as_pickle)
            self.assertEqual((row["severity"], row["rank"]), ("critical", 3))
            self.assertEqual(row["title"], "Rank 3 never came to all_reduce 7 of group 0")
            self.assertIn("ranks 0-2", row["evidence"])
            self.assertIn("came to is 5", row["evidence"])
            self.assertIn("9.993 s", row["evidence"])

    def test_ranks_that_call_different_collectives(self):
        row, = found_in([dump(DONE + [("all_reduce", "started")])] * 3 + [dump(DONE + [("broadcast", "started")])])
        self.assertIn("different collectives in turn 7", row["title"])
        self.assertIn("ranks 0-2 all_reduce", row["title"])
        self.assertIn("rank 3 broadcast", row["title"])

    def test_one_rank_alone_cannot_say_who_is_missing(self):
        row, = found_in([dump(DONE + [("all_reduce", "started")])])
        self.assertEqual(row["title"], "All_reduce 7 of group 0 did not complete")

    def test_a_wait_of_unknown_length_is_not_said_to_last_0_ns(self):
        """The record ends with the collective itself."""
        cut = dump(DONE + [("all_reduce", "scheduled")])
        cut["entries"].pop()
        row, = found_in([cut] * 2)
        self.assertEqual(row["evidence"].split(";")[0], "ranks 0-1 had waited in it when the record ended")

    def test_a_job_that_goes_on(self):
        self.assertEqual(found_in([dump(DONE)] * RANKS), [])

    def test_nothing_is_said_of_what_the_record_does_not_hold(self):
        """What the devices computed between the collectives was not recorded: no communication is called exposed."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "nccl_trace_rank_0")
            with open(path, "w", encoding="utf-8") as handle:
                json.dump(dump(DONE + [("all_reduce", "started")]), handle)
            self.assertEqual([row["rule"] for row in tool.table(path, "findings")], ["hung_collective"])
            reasons = {row["rule"]: row["reason"] for row in tool.table(path, "unreported_rules")}
            self.assertEqual(reasons["exposed_communication"], "the profile records collectives alone")
            said = lambda *arguments: " ".join(tool.must_run(*arguments).stdout.decode().split())  # noqa: E731
            unknown = "what it did besides is not known: only collectives were recorded."
            self.assertIn(unknown, said(path))
            self.assertIn(unknown, said("report", path))
            self.assertIn("How busy the devices of A were is not known: only collectives were recorded.",
                          said("compare", path, path))

    def test_a_single_collective_does_not_keep_a_device_busy(self):
        """From the first op to the last there is nothing else; what the device computes meanwhile is not recorded."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            with open(path, "w", encoding="utf-8") as handle:
                json.dump({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "ncclKernel_AllReduce", "pid": 0, "tid": 20, "ts": 5,
                                            "dur": 50, "args": {"device": 0, "stream": 20}}]}, handle)
            text = " ".join(tool.must_run("diagnose", path).stdout.decode().split())
        self.assertIn("at least 100.0% busy; what it did besides is not known: only collectives were recorded.", text)
        self.assertNotIn("exposed", text)


class Corpus(unittest.TestCase):
    def test_dumps_of_a_hung_rank(self):
        files = sorted(glob.glob(os.path.join(os.path.dirname(os.path.dirname(tool.corpus())), "corpus_more", "trials", "built",
                                              "s11_*")))
        if not files:
            self.skipTest("no dumps beside the corpus")
        for path in files:
            with self.subTest(os.path.basename(path)):
                rows = [row for row in tool.table(path, "findings") if row["rule"] == "hung_collective"]
                self.assertEqual([row["severity"] for row in rows], ["critical"])
                self.assertEqual(sum(row["count"] for row in tool.table(path, "collectives")), 20)


if __name__ == "__main__":
    unittest.main()
