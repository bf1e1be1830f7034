#!/usr/bin/env python3
"""The types of the Python package (python/), as mypy reads them: of its own code and of the stub of its module, of what the
notebooks call, and of calls that are right and wrong. Needs no module that is built.

mypy is installed into a virtual environment in the build folder, once; where that cannot be done, all is skipped.
Environment: CGPU (the binary in its build folder).
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import venv

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle.python_package import BUILD, ROOT, run  # noqa: E402

MYPY = "mypy==2.4.1"
ENVIRONMENT = BUILD / "python-types"
PACKAGE = ROOT / "python"

RIGHT = '''
import pathlib
from typing import Dict, List

import cgpu


def told(phase: str, share: float) -> None:
    print(phase, share)


with cgpu.open(["a.json", pathlib.Path("b.json"), b"c.json"], from_="1ms", to=20_000_000, step="2-5", rank=range(4),
               kernel_rules=pathlib.Path("rules.txt"), peak="bf16=400TFLOP/s", device_model="MI300X", capture="capture.json", threads=2, strict=True,
               progress=told) as session:
    table: cgpu.Table = session.table("kernels", where="total_ns > 1ms", sort="+name", top=10, names="base")
    names: List[str] = table.column_names
    units: Dict[str, str] = {column.name: column.unit for column in table.columns}
    total_ns: int = sum(row["total_ns"] for row in table)
    first: str = table[0]["name"]
    column: List[int] = table["total_ns"]
    table.to_text(width=100, rows=3).upper()
    session.sql("SELECT 1", top=1, timeout="2s").to_dicts()[0].keys()
    session.timeline("20ms", 25_000_000, width=1600).save("window.svg")
    session.report(names="base").save(pathlib.Path("page.html"))
    session.view(size_limit=10).open()
    changes: str = session.diagnose(against="b.json").changes
    inputs: List[str] = session.inputs + session.warnings
compared: cgpu.Comparison = cgpu.compare(session, "b.json", step=3)
causes: cgpu.Table = compared.table("causes", by="class")
checked = cgpu.check("a*.json", [pathlib.Path("b.json")], tolerance=3, allow=["devices"])
code: int = checked.exit_code
cgpu.sql("SELECT 1", {"a": session})
about: str = cgpu.tables().about
cgpu.sql("SELECT ?", {"a": session, "b": ["c.json", pathlib.Path("d.json")]}, [1, "x", None], top=3)
session.sql("SELECT :a", {"a": 1.5})
session.export(pathlib.Path("run.pftrace"), format="pftrace", arguments=False)
maybe: cgpu.Table = session.tables(all=True)
runs: cgpu.Runs = cgpu.runs({"a": "a.json", "b": pathlib.Path("b.json")}, metadata={"a": {"batch": 8}}, step=3)
some: cgpu.Runs = cgpu.runs("*.json", metadata=lambda name: {"name": name}).filter(lambda run: run["batch"] > 1, name="a")
groups: Dict[int, cgpu.Runs] = runs.groupby("batch")
stacked: cgpu.Table = runs.table("kernels", metadata=["batch"], where="total_ns > 1ms")
lines: List[str] = runs.compare("batch").words + cgpu.history(["a.cgpu", "b.cgpu"]).words
spread: cgpu.Table = runs.statistics(by="batch")
'''

# Each line is an error.
WRONG = '''
cgpu.open(3)
cgpu.open("a.json", frm="1ms")
cgpu.open("a.json", progress="yes")
cgpu.open("a.json", progress=lambda share: None)
cgpu.open("a.json", threads="2")
cgpu.open("a.json").table()
cgpu.open("a.json").table("kernels", top="3")
cgpu.open("a.json").table("kernels", "total_ns > 1")
cgpu.open("a.json").table("kernels")[1.5]
cgpu.open("a.json").closed = True
cgpu.open("a.json").sql(["SELECT 1"])
cgpu.open("a.json").nothing
cgpu.compare("a.json")
cgpu.check("a.json", "b.json").table(3)
cgpu.sql("SELECT 1", [3])
cgpu.sql("SELECT ?", "a.json", 3)
cgpu.runs("a.json").filter("batch")
cgpu.runs("a.json", metadata=3)
cgpu.runs("a.json").table()
cgpu.history(3)
cgpu.open("a.json").export()
cgpu.open("a.json").tables(3)
cgpu.tables().about.total_ns
'''


def setUpModule():
    complete = ENVIRONMENT / "complete"
    if complete.exists() and complete.read_text() == MYPY:
        return
    try:
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        run(ENVIRONMENT / "bin/python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", MYPY, timeout=300)
    except (subprocess.SubprocessError, OSError) as error:
        log = getattr(error, "stderr", None) or b""
        raise unittest.SkipTest("%s cannot be installed: %s %s" % (MYPY, error, log.decode(errors="replace")[-500:]))
    complete.write_text(MYPY)


def errors(*files):
    """(file, line, what) of each. What is not installed there (pandas, polars, pyarrow) is not looked at; notebooks do not
    say of what kind a dict is going to be."""
    done = subprocess.run([ENVIRONMENT / "bin/mypy", "--strict", "--ignore-missing-imports", "--disable-error-code", "var-annotated",
                           "--no-error-summary", "--cache-dir", ENVIRONMENT / "cache", *files], env=dict(os.environ, MYPYPATH=str(PACKAGE)), cwd=PACKAGE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    if done.returncode not in (0, 1):
        raise AssertionError(done.stdout + done.stderr)
    return [(os.path.basename(file), int(line), text)
            for file, line, text in re.findall(r"(?m)^(.*?):(\d+): error: (.*)$", done.stdout)]


class Types(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def test_the_package_what_is_right_and_the_notebooks(self):
        notebooks = []
        for path in (ROOT / "examples/notebooks").glob("*.ipynb"):
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
            self.assertIn("cgpu.", code)
            notebooks.append(self.file("notebook_%s.py" % path.stem, code))
        self.assertGreater(len(notebooks), 4)
        own = [path for path in (PACKAGE / "cgpu").iterdir() if path.suffix in (".py", ".pyi")]
        self.assertEqual(errors(*own, self.file("right.py", RIGHT), *notebooks), [])

    def test_what_is_wrong(self):
        lines = WRONG.strip().splitlines()
        found = errors(self.file("wrong.py", "import cgpu\n" + "\n".join(lines) + "\n"))
        self.assertEqual({line - 2 for _, line, _ in found}, set(range(len(lines))), found)


if __name__ == "__main__":
    unittest.main()
