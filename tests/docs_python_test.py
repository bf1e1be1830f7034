#!/usr/bin/env python3
"""The Python of the documents is run as it is written: every block of README.md, docs/python.md and docs/peers.md, and of
docs/peers.md each call on the right of a table, which has to give rows. The files that they name are made before.

Environment: CGPU (the binary in its build folder).
"""
import contextlib
import importlib
import io
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle.python_package import BUILD, EXAMPLE, NOTEBOOK_LIBRARIES, PROGRAM, ROOT, installed, run  # noqa: E402

LIBRARIES = [*NOTEBOOK_LIBRARIES, "fsspec==2024.10.0", "pillow==13.0.0"]
BLOCK = re.compile(r"(?m)^```python\n(.*?)^```", re.S)
RANKS = 8
cgpu = fsspec = None


def setUpModule():
    global cgpu, fsspec
    installed("python-docs", LIBRARIES)
    cgpu, fsspec = (importlib.import_module(name) for name in ("cgpu", "fsspec"))


def elsewhere(scheme, files):
    """What is behind URLs of a scheme."""
    memory = importlib.import_module("fsspec.implementations.memory").MemoryFileSystem

    class Elsewhere(memory):
        protocol = scheme
        store, pseudo_dirs = {}, [""]

        @classmethod
        def _strip_protocol(cls, path):
            return super()._strip_protocol(path.replace(scheme + "://", "memory://", 1))

    fsspec.register_implementation(scheme, Elsewhere, clobber=True)
    system = fsspec.filesystem(scheme)
    for name, path in files.items():
        system.pipe_file(name, pathlib.Path(path).read_bytes())


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.addClassCleanup(os.chdir, os.getcwd())
        os.chdir(cls.place)
        run(BUILD / "trace_builder", "run", "--model", "moe", "--steps", "4", "--ranks", RANKS)
        ranks = sorted(pathlib.Path("run").iterdir())
        assert len(ranks) == RANKS, ranks
        for name in ("rank0", "rank1"):
            shutil.copy(ranks[int(name[-1])], name + "".join(ranks[0].suffixes))
        for name in ("rank0", "rank1", "trace", "before", "new1", "new2", "baseline", "runs/small"):
            cls.copy(EXAMPLE, name)
        run(BUILD / "trace_builder", "after.json.gz", "--model", "moe", "--steps", "4", "--idle", "allocation")
        cls.copy("after.json.gz", "runs/large")
        for number in range(5):
            cls.copy(EXAMPLE, "baseline/%d" % number)
        run(PROGRAM, "summarize", EXAMPLE, "-o", "run.cgpu")
        os.mkdir("nightly")
        for number in range(3):
            shutil.copy("run.cgpu", "nightly/%d.cgpu" % number)
        for scheme in ("s3", "gs"):
            elsewhere(scheme, {"/bucket/run/rank%d.json.gz" % rank: ranks[rank % 16] for rank in (0, 17)})

    @classmethod
    def copy(cls, path, name):
        target = cls.place / (name + ".json.gz")
        target.parent.mkdir(exist_ok=True)
        shutil.copy(path, target)

    def names(self):
        """What the text around a block says that there is."""
        return {"cgpu": cgpu, "pathlib": pathlib, "session": cgpu.open("trace.json.gz"),
                "paths": sorted(map(str, pathlib.Path("run").iterdir()))}

    def executed(self, code, names):
        """Runs it with nothing shown, in a browser neither; the value of its last expression."""
        with contextlib.redirect_stdout(io.StringIO()), unittest.mock.patch("webbrowser.open"):
            try:
                expression = compile(code, "<document>", "eval")
            except SyntaxError:
                exec(compile(code, "<document>", "exec"), names)  # pylint: disable=exec-used
                return None
            return eval(expression, names)  # pylint: disable=eval-used

    def blocks(self, path):
        found = BLOCK.findall((ROOT / path).read_text(encoding="utf-8"))
        self.assertTrue(found, path)
        return found

    def test_blocks(self):
        for path in ("README.md", "docs/python.md", "docs/peers.md"):
            for block in self.blocks(path):
                with self.subTest(path, block=block):
                    self.executed(block, self.names())

    def test_calls_beside_those_of_others(self):
        names = self.names()
        for block in self.blocks("docs/peers.md"):
            self.executed(block, names)
        rows = re.findall(r"(?m)^\| (.*) \| (.*) \|$", (ROOT / "docs/peers.md").read_text(encoding="utf-8"))
        calls = [re.findall(r"`([^`]*[.(][^`]*)`", ours) for _, ours in rows]
        self.assertEqual([ours for (_, ours), found in zip(rows, calls) if not found], ["here"] * 3)  # the headings
        calls = sum(calls, [])
        self.assertGreater(len(calls), 40)
        for call in calls:
            with self.subTest(call):
                value = self.executed(call, names)
                if isinstance(value, (cgpu.Table, list, dict, cgpu.Runs)):
                    self.assertTrue(len(value) > 0)


if __name__ == "__main__":
    unittest.main()
