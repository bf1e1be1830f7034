"""What tests of `cgpu record` share: a folder of their own in which it is called, and which profilers are here."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import textwrap
import unittest

from oracle import tool


def py_spy():
    python = os.environ.get("CGPU_TORCH_PYTHON")
    beside = os.path.join(os.path.dirname(python), "py-spy") if python else ""
    return beside if os.access(beside, os.X_OK) else shutil.which("py-spy")


def can_perf():
    """Whether perf can record here."""
    return shutil.which("perf") is not None and subprocess.run(
        ["sh", "-c", "perf record -q -o /dev/null -- true"], capture_output=True, check=False).returncode == 0


class Case(unittest.TestCase):
    SECONDS = 120  # that a call may take

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = self._folder.name

    def path(self, name, text=None, executable=False):
        path = os.path.join(self.folder, name)
        if text is not None:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as handle:
                handle.write(textwrap.dedent(text))
            if executable:
                os.chmod(path, 0o755)
        return path

    def own_environment(self, **environment):
        """Outside of a parallel job."""
        inherited = {name: value for name, value in os.environ.items() if not re.match("PMIX|OMPI|SLURM|PMI|TORCHELASTIC", name)}
        return dict(inherited, NO_COLOR="1", **environment)

    def record(self, *arguments, **environment):
        return subprocess.run([tool.binary(), "record", *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=self.SECONDS, env=self.own_environment(**environment), check=False)

    def manifest(self, folder):
        with open(os.path.join(folder, "manifest.jsonl"), encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]
