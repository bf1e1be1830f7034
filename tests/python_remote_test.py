#!/usr/bin/env python3
"""URLs in the Python package: profiles that lie behind a file system of fsspec are read in ranges, and give the tables of
the same files on this machine.

Environment: CGPU (the binary in its build folder).
"""
import gzip
import importlib
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle.python_package import BUILD, installed, run  # noqa: E402

LIBRARIES = ["fsspec==2024.10.0"]
RANKS = 3

cgpu = fsspec = None


def setUpModule():
    global cgpu, fsspec
    installed("python-remote", LIBRARIES)
    cgpu, fsspec = (importlib.import_module(name) for name in ("cgpu", "fsspec"))
    memory = importlib.import_module("fsspec.implementations.memory").MemoryFileSystem

    class Counted(memory):
        """The files in memory, behind another scheme, with what is fetched of them."""
        protocol = "counted"
        fetched = []

        @classmethod
        def _strip_protocol(cls, path):
            return super()._strip_protocol(path.replace("counted://", "memory://", 1))

        def cat_file(self, path, start=None, end=None, **options):
            Counted.fetched.append((path, start, end))
            return super().cat_file(path, start=start, end=end, **options)

    fsspec.register_implementation("counted", Counted, clobber=True)
    Remote.files = Counted


class Remote(unittest.TestCase):
    files = None

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name, "job")
        cls.folder.mkdir()
        run(BUILD / "trace_builder", cls.folder, "--ranks", RANKS, "--megabytes", 20)
        for trace in sorted(cls.folder.glob("*.json")):
            with gzip.open("%s.gz" % trace, "wb", compresslevel=1) as compressed:
                compressed.write(trace.read_bytes())
            if trace.name != "rank-0.json":
                trace.unlink()
        cls.plain = cls.folder / "rank-0.json"
        system = fsspec.filesystem("counted")
        for file in cls.folder.iterdir():
            system.pipe_file("/plain/%s" % file.name if file == cls.plain else "/job/%s" % file.name, file.read_bytes())
        system.pipe_file("/job/README.txt", b"no profile")
        cls.plain_bytes = cls.plain.read_bytes()
        cls.plain.unlink()

    def setUp(self):
        self.files.fetched.clear()

    def same(self, url, path, *tables):
        with cgpu.open(url) as remote, cgpu.open(path) as local:
            for name in tables:
                self.assertEqual(list(remote.table(name)), list(local.table(name)), name)
            return remote.inputs

    def test_a_folder_a_pattern_and_a_list_of_ranks(self):
        tables = ("gpu_time", "kernels", "stragglers", "collectives", "steps")
        inputs = self.same("counted:///job", self.folder, *tables)
        self.assertEqual(inputs, ["counted:///job/rank-%d.json.gz" % rank for rank in range(RANKS)])
        self.assertEqual(self.same("counted:///job/rank-*.gz", self.folder, *tables), inputs)
        self.assertEqual(self.same(inputs, self.folder, *tables), inputs)
        self.same(["counted:///job/rank-0.json.gz", self.folder / "rank-1.json.gz"],
                  [self.folder / "rank-0.json.gz", self.folder / "rank-1.json.gz"], *tables)

    def test_it_is_read_once_and_in_large_pieces(self):
        """20 MB of text, in pieces of 8 MB besides the first ones; and its beginning now and then, to recognise what it is."""
        with cgpu.open("counted:///plain/rank-0.json") as session:
            self.assertGreater(len(session.table("kernels")), 5)
            fetched = list(self.files.fetched)
            size = sum(end - begin for _, begin, end in fetched)
            self.assertLess(size, 1.05 * len(self.plain_bytes))
            self.assertLess(len(fetched), 12, fetched)
            # Shapes are arguments, which are read again, in ranges.
            shapes = list(session.table("op_shapes"))
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "rank-0.json")
            copy.write_bytes(self.plain_bytes)
            with cgpu.open(copy) as local:
                self.assertEqual(shapes, list(local.table("op_shapes")))
        self.assertGreater(len(shapes), 3)

    def test_summaries(self):
        kept = cgpu.summarize("counted:///job")
        fsspec.filesystem("counted").pipe_file("/kept/job.cgpu", kept)
        parts = [cgpu.summarize("counted:///job/rank-%d.json.gz" % rank) for rank in range(RANKS)]
        for rank, part in enumerate(parts):
            fsspec.filesystem("counted").pipe_file("/kept/ranks/%d.cgpu" % rank, part)
        self.assertEqual(cgpu.merge("counted:///kept/ranks"), cgpu.merge(parts))
        with cgpu.open("counted:///kept/job.cgpu") as remote, cgpu.open(self.folder) as local:
            self.assertEqual(list(remote.table("kernels")), list(local.table("kernels")))
        passed = cgpu.check("counted:///kept/job.cgpu", "counted:///kept/job.cgpu")
        self.assertTrue(passed)

    def test_what_can_go_wrong(self):
        for url, words in (("counted:///job/rank-9.json", "counted:///job/rank-9.json: no such file or directory"),
                           ("counted:///job/none-*.json", "no such file or directory"),
                           ("counted:///job/README.txt", "README.txt: is not a profile"),
                           ("counted:///", "has no profiles in it"),
                           ("nowhere://bucket/run.json", "nowhere://bucket/run.json: ")):
            with self.subTest(url), self.assertRaises(cgpu.Error) as raised:
                cgpu.open(url)
            self.assertIn(words, str(raised.exception))
        broken = fsspec.filesystem("counted")
        broken.pipe_file("/broken/run.json", self.plain_bytes)
        cat_file = self.files.cat_file

        def fails(system, path, start=None, end=None, **options):
            if start:
                raise TimeoutError("the store does not answer")
            return cat_file(system, path, start=start, end=end, **options)
        self.files.cat_file = fails
        try:
            with self.assertRaises(cgpu.Error) as raised:
                cgpu.open("counted:///broken/run.json")
        finally:
            self.files.cat_file = cat_file
        self.assertIn("counted:///broken/run.json: TimeoutError: the store does not answer", str(raised.exception))

    def test_options_reach_the_file_system(self):
        system = fsspec.filesystem("counted", place="elsewhere")
        self.assertIn("place", system.storage_options)
        with cgpu.open("counted:///plain/rank-0.json", storage_options={"place": "elsewhere"}) as session:
            self.assertGreater(len(session.table("kernels")), 5)

    def test_a_fork_reads_on(self):
        with cgpu.open("counted:///plain/rank-0.json") as session:
            names = len(session.table("kernels"))
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    with cgpu.open("counted:///plain/rank-0.json") as again:
                        status = 0 if len(again.table("kernels")) == names else 2
                finally:
                    os._exit(status)
            self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_without_fsspec_it_says_what_to_install(self):
        program = ("import sys\nsys.modules['fsspec'] = None\nimport cgpu\ntry:\n    cgpu.open('s3://bucket/run.json')\n"
                   "except cgpu.Error as error:\n    print(error)")
        said = run(sys.executable, "-c", program, env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))).stdout.decode()
        self.assertIn("s3://bucket/run.json: reading it takes fsspec (pip install fsspec)", said)


if __name__ == "__main__":
    unittest.main()
