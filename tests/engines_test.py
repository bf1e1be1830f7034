#!/usr/bin/env python3
"""Summaries of a job by engines that others run (examples/cluster/): Dask on a cluster of its own on this machine, and Ray. The
file must be that of `cgpu merge`, byte for byte.

Environment: CGPU (the binary in its build folder), CGPU_BUILDER (the trace builder).
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import built, tool  # noqa: E402
from oracle.python_package import ROOT, installed  # noqa: E402

EXAMPLES = ROOT / "examples/cluster"
RANKS = 11


def setUpModule():
    tool.must_exist()


class Engine:
    """`environment`, `libraries`, `recipe` and `variables` are those of one engine."""
    variables = {}

    @classmethod
    def setUpClass(cls):
        cls.python = installed(cls.environment, cls.libraries)[0] / "bin/python"

    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.folder = pathlib.Path(work.name)

    def run_recipe(self, profiles, *options):
        return subprocess.run([self.python, EXAMPLES / self.recipe, profiles, self.folder / "job.cgpu", *options], cwd=self.folder,
                              env=dict(os.environ, **self.variables), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=300, check=False)

    def test_the_summary_is_that_of_the_program(self):
        profiles, _ = built.build(str(self.folder), "--model", "moe", "--steps", 2, "--seed", 3, ranks=RANKS)
        done = self.run_recipe(profiles)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        parts = self.folder / "parts"
        parts.mkdir()
        for path in built.files(profiles):
            tool.run(["summarize", path, "-o", parts / (os.path.basename(path) + ".cgpu")])
        self.assertEqual(tool.run(["merge", parts, "-o", self.folder / "expected.cgpu"]).returncode, 0)
        self.assertEqual((self.folder / "job.cgpu").read_bytes(), (self.folder / "expected.cgpu").read_bytes())

    def test_a_profile_that_cannot_be_read_is_named(self):
        profiles = self.folder / "profiles"
        profiles.mkdir()
        (profiles / "rank_3.json").write_text("no profile")
        done = self.run_recipe(profiles)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("rank_3.json", done.stdout)
        self.assertFalse((self.folder / "job.cgpu").exists())

    def test_as_many_may_be_missing_as_are_allowed(self):
        profiles, _ = built.build(str(self.folder), "--model", "moe", "--steps", 2, "--seed", 3, ranks=3)
        dead = pathlib.Path(built.files(profiles)[1])
        dead.write_text("no profile")
        for options, made in ((), False), (("--allow-missing", "1"), True):
            done = self.run_recipe(profiles, *options)
            self.assertEqual((done.returncode == 0, (self.folder / "job.cgpu").exists()), (made, made), done.stdout[-3000:])
            self.assertIn(dead.name, done.stdout)
        self.assertEqual([row["rank"] for row in tool.table(str(self.folder / "job.cgpu"), "clocks")], [0, 2])


class Dask(Engine, unittest.TestCase):
    environment = "python-dask"
    libraries = ["dask==2026.8.0", "distributed==2026.8.0"]
    recipe = "dask_summaries.py"


class Ray(Engine, unittest.TestCase):
    environment = "python-ray"
    libraries = ["ray==2.60.0"]
    recipe = "ray_summaries.py"
    variables = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


if __name__ == "__main__":
    unittest.main()
