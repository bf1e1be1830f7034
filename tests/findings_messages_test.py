#!/usr/bin/env python3
"""Hosts that wait for messages of each other (MPI), by `findings`: who is late, and messages that take long, on runs of a simulated
machine (oracle/machine.py).

Environment: CGPU (the binary).
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import machine, tool  # noqa: E402
from oracle.diagnosis import findings  # noqa: E402

RANKS, STEPS = 4, 24
MESSAGE = 40  # us from one host to another


def setUpModule():
    tool.must_exist()


def halo(host=lambda rank: 0, kernel=lambda rank: 600, message=MESSAGE, reduces=True, marked=True, begins=lambda rank: 0,
         receive="MPI_Waitall", steps=STEPS):
    """Ranks in a ring, each of which computes, sends what it has to its neighbours, waits for theirs, and adds that; then all
    add up a number, if they do. `receive`: the call that waits; MPI_Sendrecv sends, too."""
    ranks = [machine.Rank(number, RANKS) for number in range(RANKS)]
    for m in ranks:
        m.quiet(begins(m.number))
    for number in range(steps):
        begin = [m.now for m in ranks]
        sent = []
        for m in ranks:
            m.launch("interior(double*)", kernel(m.number))
            m.quiet(host(m.number))
            m.copy("DtoH", 250000)
            m.synchronize(machine.MAIN_STREAM)
            if receive != "MPI_Sendrecv":
                m.host("MPI_Irecv", 3, "user_annotation")
                sent.append(m.now)
                m.host("MPI_Isend", 5, "user_annotation")
            else:
                sent.append(m.now)
        for m in ranks:
            last = max([m.now] + [sent[(m.number + other) % RANKS] for other in (1, RANKS - 1)])
            m.host(receive, last + message - m.now, "user_annotation")
        for m in ranks:
            m.copy("HtoD", 250000)
            m.launch("add_halo(double*)", 30)
            if reduces:
                m.synchronize(machine.MAIN_STREAM)
        if reduces:
            last = max(m.now for m in ranks)
            for m in ranks:
                m.host("MPI_Allreduce", last + 12 - m.now, "user_annotation")
        if marked:
            for m, start in zip(ranks, begin):
                m.event("user_annotation", "ProfilerStep#%d" % number, start, m.now - start)
                m.marks.append((number, start, m.now))
    for m in ranks:
        m.synchronize()
    return ranks


def serious(rows):
    return [row for row in rows if row["severity"] != "info"]


class Messages(unittest.TestCase):
    def late(self, slow, because, **program):
        """Rank 2 is slow: `slow` says how."""
        for reduces in (True, False):
            ranks = halo(reduces=reduces, **slow, **program)
            row = findings(ranks)[0]
            words = row["title"] + row["evidence"]
            self.assertEqual((row["rule"], row["rank"]), ("straggler", 2), words)
            self.assertIn(because, row["title"])
            saved = max(m.now for m in ranks) - max(m.now for m in halo(reduces=reduces, **program))
            self.assertAlmostEqual(row["recoverable_ns"] / 1000 / saved, 1, delta=0.1, msg=words)

    def test_a_host_that_the_others_wait_for(self):
        self.late({"host": lambda rank: 900 if rank == 2 else 0}, "its host is late")

    def test_a_device_that_the_others_wait_for(self):
        self.late({"kernel": lambda rank: 1100 if rank == 2 else 600}, "its kernels take longer")

    def test_calls_that_send_and_wait(self):
        self.late({"host": lambda rank: 900 if rank == 2 else 0}, "its host is late", receive="MPI_Sendrecv")

    def test_without_marks(self):
        self.late({"kernel": lambda rank: 1100 if rank == 2 else 600}, "its kernels take longer", marked=False)

    def test_messages_that_take_long(self):
        for reduces in (True, False):
            ranks = halo(message=1000, reduces=reduces)
            rows = findings(ranks)
            row = rows[0]
            self.assertEqual(row["rule"], "exposed_communication")
            self.assertIn("the run waits for communication of the hosts, most in MPI_Waitall", row["title"])
            self.assertIn("most in MPI_Waitall: %d calls, 1.00 ms each on average" % (RANKS * STEPS), row["evidence"])
            self.assertNotIn("graph", row["suggestion"])
            saved = max(m.now for m in ranks) - max(m.now for m in halo(message=0, reduces=reduces))
            self.assertAlmostEqual(row["recoverable_ns"] / 1000 / saved, 1, delta=0.1)
            self.assertNotIn("launch_bound", {one["rule"] for one in serious(rows)})

    def test_nobody_is_late(self):
        # The first ones wait for the last one.
        late_begins = {"marked": False, "begins": lambda rank: 30_000 * rank, "steps": 3 * STEPS}
        for program in ({"marked": True}, {"marked": False}, late_begins):
            rules = {row["rule"] for row in serious(findings(halo(**program)))}
            self.assertFalse(rules & {"straggler", "host_stall", "io", "launch_bound"}, (program, rules))


if __name__ == "__main__":
    unittest.main()
