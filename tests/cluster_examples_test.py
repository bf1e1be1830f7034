#!/usr/bin/env python3
"""The jobs for clusters (examples/cluster/) are run on a built job of a few ranks, with the variables that Slurm would set and
`mpirun` in the place of `srun`.

Environment: CGPU (the binary), CGPU_BUILDER (the trace builder), MPIRUN (the launcher).
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import built, mpi_job, tool  # noqa: E402

EXAMPLES = pathlib.Path(tool.ROOT, "examples/cluster")
RANKS = 5
TASKS = 3


def setUpModule():
    tool.must_exist()


class Cluster(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.folder = pathlib.Path(work.name)
        self.profiles, _ = built.build(work.name, "--model", "moe", "--steps", 2, "--seed", 5, ranks=RANKS)
        self.programs = self.folder / "bin"
        self.programs.mkdir()
        (self.programs / "cgpu").symlink_to(tool.binary())

    def run_job(self, name, *arguments, **variables):
        path = "%s:%s" % (self.programs, os.environ["PATH"])
        return subprocess.run(["bash", EXAMPLES / name, *arguments], cwd=self.folder, capture_output=True, text=True,
                              timeout=120, check=False,
                              env=dict(mpi_job.environment(), PATH=path, **{k: str(v) for k, v in variables.items()}))

    def run_array(self):
        return [self.run_job("summaries.sbatch", self.profiles, "summaries", SLURM_ARRAY_TASK_COUNT=TASKS,
                             SLURM_ARRAY_TASK_MIN=1, SLURM_ARRAY_TASK_ID=1 + task) for task in range(TASKS)]

    def expected(self):
        """The merge of summaries that are made one by one."""
        parts = self.folder / "expected"
        parts.mkdir()
        for path in built.files(self.profiles):
            self.assertEqual(tool.run(["summarize", path, "-o", parts / (os.path.basename(path) + ".cgpu")]).returncode, 0)
        self.assertEqual(tool.run(["merge", parts, "-o", self.folder / "expected.cgpu"]).returncode, 0)
        return (self.folder / "expected.cgpu").read_bytes()

    def test_an_array_makes_every_summary_once_and_they_are_merged(self):
        for done in self.run_array():
            self.assertEqual(done.returncode, 0, done.stderr)
        made = {path: path.stat().st_mtime_ns for path in (self.folder / "summaries").iterdir()}
        self.assertEqual(len(made), RANKS)
        done = self.run_job("merge.sbatch", "summaries", "job")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "job.cgpu").read_bytes(), self.expected())
        self.assertIn("</html>", (self.folder / "job.html").read_text(encoding="utf-8"))

        lost = sorted(made)[2]
        lost.unlink()
        self.run_array()
        again = {path: path.stat().st_mtime_ns for path in (self.folder / "summaries").iterdir()}
        self.assertEqual([path for path in made if made[path] != again[path]], [lost])

    def test_a_file_that_is_no_profile_fails_its_task_after_the_others(self):
        pathlib.Path(self.profiles, "a.txt").write_text("no profile\n", encoding="utf-8")
        done = self.run_array()
        self.assertEqual(sorted(each.returncode for each in done), [0, 0, 1])
        said = "".join(each.stderr for each in done)
        self.assertIn("a.txt: ", said)
        self.assertIn("files without a summary: 1", said)
        made = list((self.folder / "summaries").iterdir())
        self.assertEqual(len([path for path in made if path.stat().st_size > 0]), RANKS)
        self.assertEqual(len(made), RANKS + 1, "an empty one says that there should be one")

    def test_ranks_without_a_summary_are_named_and_the_others_merged(self):
        dead = pathlib.Path(built.files(self.profiles)[1])
        whole = dead.read_bytes()
        dead.write_bytes(b"")
        for task in range(TASKS - 1):  # the last one dies before it begins
            self.run_job("summaries.sbatch", self.profiles, "summaries", SLURM_ARRAY_TASK_COUNT=TASKS,
                         SLURM_ARRAY_TASK_MIN=1, SLURM_ARRAY_TASK_ID=1 + task)
        lost = [path.name for path in sorted((self.folder / "summaries").iterdir()) if path.stat().st_size == 0]
        self.assertEqual(lost, ["000001.cgpu", "000002.cgpu"])
        for missing, exit_status in ((), 5), (("1",), 5), (("2",), 0):
            done = self.run_job("merge.sbatch", "summaries", "job", *missing)
            self.assertEqual(done.returncode, exit_status, done.stderr)
            for name in lost:
                self.assertIn(name, done.stderr)
            self.assertIn("</html>", (self.folder / "job.html").read_text(encoding="utf-8"))
            for name in ("job.cgpu", "job.html"):
                (self.folder / name).unlink()
        dead.write_bytes(whole)
        self.run_array()
        self.assertEqual(self.run_job("merge.sbatch", "summaries", "job").returncode, 0)
        self.assertEqual((self.folder / "job.cgpu").read_bytes(), self.expected())

    def test_without_slurm(self):
        done = self.run_job("summaries.sh", self.profiles, "summaries", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_job("merge.sbatch", "summaries", "job")
        self.assertEqual((self.folder / "job.cgpu").read_bytes(), self.expected())

    def test_a_report_over_mpi(self):
        mpi_job.must_exist()
        (self.programs / "cgpu-mpi").symlink_to(mpi_job.program())
        launcher = " ".join(map(str, mpi_job.launcher(3)))
        srun = self.programs / "srun"
        srun.write_text('#!/bin/sh\ntest "$1" = --kill-on-bad-exit=1 || exit 9\nshift\nexec %s "$@"\n' % launcher,
                        encoding="utf-8")
        srun.chmod(0o755)
        done = self.run_job("report.sbatch", self.profiles, "job.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(tool.run(["report", self.profiles, "-o", self.folder / "one.html"]).returncode, 0)
        self.assertEqual((self.folder / "job.html").read_bytes(), (self.folder / "one.html").read_bytes())


if __name__ == "__main__":
    unittest.main()
