#!/usr/bin/env python3
"""A process of `cgpu-mpi` that is killed ends the job: the file that it was opening is named, the exit status is not 0, and there
is no result, or, where it was killed too late, all of it.

Environment: CGPU (the binary, beside which cgpu-mpi is), CGPU_BUILDER (the trace builder), MPIRUN (the launcher).
"""
import concurrent.futures
import glob
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import built, mpi_job, tool  # noqa: E402

KILLS = 50
# The mpirun of Open MPI 4.1 may wait for ever for a lock of its own (in PMIx_server_finalize) when all its processes have ended;
# once in 400 kills on a busy machine (docs/many-ranks.md).
MOST_HUNG = 2


def setUpModule():
    mpi_job.must_exist()


class Killed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.traces, _ = built.build(cls.folder.name, "--model", "moe", "--megabytes", 4, "--seed", 3, ranks=4)

    def open_trace(self, pid):
        """The trace that a process has open."""
        for link in glob.glob("/proc/%d/fd/*" % pid):
            try:
                target = os.readlink(link)
            except OSError:
                continue
            if target.startswith(self.traces):
                return target
        return None

    def end_while_it_opens(self, number, how):
        """Sends a signal to a process of the job when it has a trace open; returns which trace, and what was said."""
        target = os.path.join(self.folder.name, "never.cgpu")
        process = mpi_job.start(3, *self.job("summarize", target))
        trace = None
        is_dealt = False  # before that, process 0 has looked into files to see whether they are summaries
        while trace is None and process.poll() is None:
            there = mpi_job.children(process)
            is_dealt = is_dealt or any(self.open_trace(pid) for other, pid in there.items() if other != 0)
            pid = there.get(number)
            if not is_dealt or pid is None or not self.open_trace(pid):
                continue
            os.kill(pid, signal.SIGSTOP)
            trace = self.open_trace(pid)
            os.kill(pid, how if trace else signal.SIGCONT)
            if how != signal.SIGKILL:  # which ends a process that stands still, too
                os.kill(pid, signal.SIGCONT)
        _, said = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertFalse(os.path.exists(target))
        self.assertIsNotNone(trace)
        return re.escape(trace), said.decode()

    def test_the_file_is_named_that_a_process_was_opening_when_it_was_killed(self):
        if not mpi_job.is_open_mpi():
            self.skipTest("MPICH may kill the other processes before they can say anything")
        for number in (1, 2, 0):
            with self.subTest(process=number):
                trace, said = self.end_while_it_opens(number, signal.SIGKILL)
                self.assertRegex(said, "cgpu-mpi: process %d died while it opened %s" % (number, trace))

    def test_the_file_is_named_that_a_process_was_opening_when_it_crashed(self):
        for number in (1, 0):
            with self.subTest(process=number):
                trace, said = self.end_while_it_opens(number, signal.SIGSEGV)
                self.assertRegex(said, r"cgpu-mpi: process %d crashed \(signal 11\) while it opened %s" % (number, trace))

    def test_at_any_moment_there_is_a_whole_result_or_none(self):
        whole = {}
        usual = {}
        hung = []
        for verb in ("summarize", "report"):
            target = os.path.join(self.folder.name, verb)
            begun = time.monotonic()
            self.assertEqual(mpi_job.run(3, *self.job(verb, target))[0], 0)
            usual[verb] = time.monotonic() - begun
            whole[verb] = tool.read(target)

        def kill(number):
            """Kills one process of one job; what became of it, None where the job was done before."""
            chance = random.Random(number)
            verb = chance.choice(sorted(whole))
            target = os.path.join(self.folder.name, "killed-%d" % number)
            process = mpi_job.start(3, *self.job(verb, target))
            time.sleep(chance.uniform(0, usual[verb]))
            there = mpi_job.children(process)
            while not there and process.poll() is None:
                there = mpi_job.children(process)
            victim = chance.choice(sorted(there) or [None])
            if victim is None or not mpi_job.kill(there[victim]):
                process.communicate(timeout=60)
                return None
            try:
                said = b"".join(process.communicate(timeout=60))  # MPICH says it on standard output
            except subprocess.TimeoutExpired:
                self.assertEqual(mpi_job.children(process), {}, "a process of the job has not ended")
                hung.append(number)
                process.kill()
                process.communicate()
                self.assertIn(tool.read(target) if os.path.exists(target) else None, (None, whole[verb]))
                return None
            return victim, process.returncode, said.decode(), verb, tool.read(target) if os.path.exists(target) else None

        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            killed = [each for each in pool.map(kill, range(2 * KILLS)) if each][:KILLS]
        self.assertEqual(len(killed), KILLS)
        self.assertLessEqual(len(hung), MOST_HUNG)
        for victim, status, said, verb, result in killed:
            with self.subTest(process=victim, said=said):
                self.assertNotEqual(status, 0)
                # The launcher does not know its number before MPI has begun in it, nor after it has ended.
                self.assertRegex(said, r"(?i)rank %d|process %d|non-zero exit code|exit code: 9|abort" % (victim, victim))
                self.assertIn(result, (None, whole[verb]))

    @staticmethod
    def job(verb, target):
        return (verb, Killed.traces, "-o", target, *(["--format", "text"] if verb == "report" else []))


if __name__ == "__main__":
    unittest.main()
