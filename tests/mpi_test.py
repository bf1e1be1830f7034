#!/usr/bin/env python3
"""`cgpu-mpi`: the processes of an MPI job give what `cgpu` gives on one, byte for byte; what cannot be read is named.

Environment: CGPU (the binary, beside which cgpu-mpi is), CGPU_BUILDER (the trace builder), MPIRUN (the launcher).
"""
import concurrent.futures
import glob
import gzip
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import built, mpi_job, tool  # noqa: E402
from ranks_test import HOSTS, build_job  # noqa: E402

PROCESSES = (1, 2, 4, 7)
# The report opens smaller jobs all at once, for their findings: 256 MiB, where a compressed byte counts for twelve.
STORED_BYTES = (280 << 20) // 12


def setUpModule():
    mpi_job.must_exist()


def alone(*arguments):
    done = tool.run(arguments)
    return done.returncode, done.stdout, mpi_job.own_lines(done.stderr)


class Job(unittest.TestCase):
    """Ranks on three machines whose clocks differ, among them files that are damaged and files that are no profiles."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.traces = build_job(cls.folder.name)
        cls.large = os.path.join(cls.folder.name, "large")
        os.mkdir(cls.large)
        for path in built.files(cls.traces):
            text = tool.read(path).rstrip() + b" " * (STORED_BYTES // len(HOSTS))
            with gzip.open(os.path.join(cls.large, os.path.basename(path) + ".gz"), "wb", compresslevel=0) as handle:
                handle.write(text)
        with open(os.path.join(cls.traces, "damaged.json"), "w", encoding="utf-8") as handle:
            handle.write('{"$schema": "https://www.speedscope.app/file-format-schema.json", "profiles": [ damaged')
        with open(os.path.join(cls.traces, "notes.txt"), "w", encoding="utf-8") as handle:
            handle.write("not a profile\n")
        with open(os.path.join(cls.traces, "rank-9.json"), "wb") as handle:  # cut short
            handle.write(tool.read(os.path.join(cls.traces, "rank-4.json"))[:20000])

    def hold(self, *arguments, processes=PROCESSES):
        want = alone(*arguments)
        with concurrent.futures.ThreadPoolExecutor(len(processes)) as pool:
            found = pool.map(lambda count: mpi_job.run(count, *arguments), processes)
        for count, result in zip(processes, found):
            with self.subTest(processes=count, arguments=arguments):
                self.assertEqual(result, want)
        return want

    def test_tables(self):
        status, _, said = self.hold("table", self.traces, "gpu_time", "--format", "csv")
        self.assertEqual(status, 0)
        self.assertTrue(any("damaged.json" in line for line in said), said)
        self.assertTrue(any("rank-9.json" in line for line in said), said)
        for name, processes in (("notes", PROCESSES), ("idle", PROCESSES), ("stragglers", (4,)), ("rank_outliers", (4,)), ("rank_path", (4,)),
                                ("rank_activity", (3,)), ("kernels", (7,)), ("steps", (2,)), ("clocks", (4,)), ("info", (2,)), ("collectives", (4,))):
            self.hold("table", self.traces, name, "--format", "json", processes=processes)

    def test_ranks_that_deviate(self):
        with tempfile.TemporaryDirectory() as folder:
            built.simulate(folder, "--ranks", 24, "--traces", ",".join(map(str, range(24))))
            status, rows, _ = self.hold("table", os.path.join(folder, "traces"), "rank_outliers", "--format", "csv",
                                        processes=(2, 4))
            self.assertEqual((status, rows.count(b"\n")), (0, 4), "a head, two stragglers and a machine")
            status, rows, _ = self.hold("table", os.path.join(folder, "traces"), "rank_path", "--format", "csv")
            self.assertEqual(status, 0)
            self.assertTrue(rows.split(b"\n")[1].startswith(b"data_loading,"), rows)

    def test_tables_of_all_timelines_and_of_single_events_are_made_by_one_process(self):
        self.hold("table", self.traces, "critical_path", processes=(2,))
        self.hold("table", self.traces, "slices", "--top", 50, "--format", "csv", processes=(4,))
        self.hold("diagnose", self.traces, "--format", "json", processes=(4,))

    def test_report(self):
        self.hold("report", self.traces, processes=(2,))
        self.hold("report", self.large)
        self.hold("report", self.large, "--format", "json", processes=(4,))

    def test_pages(self):
        pages = {}
        for processes in (None, 2, 4):
            page = pages[processes] = os.path.join(self.folder.name, "%s.html" % processes)
            arguments = ("report", self.large, "-o", page)
            status, _, said = mpi_job.run(processes, *arguments) if processes else alone(*arguments)
            self.assertEqual((status, said), (0, []))
        self.assertEqual(tool.read(pages[2]), tool.read(pages[None]))
        self.assertEqual(tool.read(pages[4]), tool.read(pages[None]))

    def test_summaries(self):
        kept = {}
        for processes in (None, *PROCESSES):
            path = kept[processes] = os.path.join(self.folder.name, "%s.cgpu" % processes)
            arguments = ("summarize", self.traces, "-o", path)
            status, _, _ = mpi_job.run(processes, *arguments) if processes else alone(*arguments)
            self.assertEqual(status, 0)
            self.assertEqual(tool.read(path), tool.read(kept[None]), processes)
        self.hold("table", kept[2], "gpu_time", processes=(2,))

    def test_parts(self):
        self.hold("table", self.traces, "gpu_time", "--rank", "1,3", processes=(4,))
        self.hold("table", self.traces, "steps", "--step", "1-2", processes=(2,))

    def test_errors(self):
        calls = (("table", self.traces, "gpu_time", "--strict"),
                 ("table", os.path.join(self.traces, "rank-0.json"), os.path.join(self.traces, "notes.txt"), "gpu_time"),
                 ("report", os.path.join(self.folder.name, "nowhere")),
                 ("table", self.traces, "gpu_tim"), ("report", "--no-such-option"),
                 ("table", self.traces, "gpu_time", "--kernel-rules", "nowhere"), ())
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda arguments: mpi_job.run(3, *arguments), calls))
        for arguments, (status, out, said) in zip(calls, found):
            with self.subTest(arguments=arguments):
                self.assertEqual((status, out), (2, b""))
                if arguments:
                    self.assertEqual(said[-1:], alone(*arguments)[2][-1:])
        status, out, _ = mpi_job.run(2, "--help")
        self.assertEqual(status, 0)
        self.assertIn(b"summarize", out)
        status, _, said = mpi_job.run(2, "view", self.traces)
        self.assertEqual(status, 2)
        self.assertIn("view: is neither a command nor a file", said[-1])

    def test_processes_of_the_launcher_of_another_mpi_do_not_all_do_the_same(self):
        for variable in ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"):
            done = subprocess.run([mpi_job.program(), "table", self.traces, "gpu_time"], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False,
                                  env=dict(os.environ, **{variable: "3"}))
            self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
            self.assertIn(b"cgpu: %s=3, but MPI knows of one process only" % variable.encode(), done.stderr)


class Corpus(unittest.TestCase):
    def test_recorded_profiles(self):
        for pattern in ("ascend/*_ascend_pt", "caliper/*lulesh-annotation-profile-*.json", "kineto/*rank-34*.json.gz",
                        "nsys_sqlite/GindaChen*mfu_2gpu_before.sqlite", "chakra/*.json"):
            with self.subTest(pattern=pattern):
                files = sorted(glob.glob(os.path.join(tool.shared("corpus"), pattern)))[:4]
                if not files:
                    self.skipTest("no %s in the corpus" % pattern)
                calls = [("report", *files), ("table", *files, "metrics", "--format", "csv"), ("table", *files, "info")]
                with concurrent.futures.ThreadPoolExecutor(3) as pool:
                    found = pool.map(lambda arguments: mpi_job.run(3, *arguments), calls)
                for arguments, result in zip(calls, found):
                    self.assertEqual(result, alone(*arguments), arguments)


if __name__ == "__main__":
    unittest.main()
