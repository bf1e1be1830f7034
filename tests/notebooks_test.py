#!/usr/bin/env python3
"""The notebooks of examples/notebooks/: run from the first cell to the last in a clean environment, with the wheel of the
build folder; what they print is held against the program and against what their simulated runs were given.

Environment: CGPU (the binary in its build folder).
"""
import glob
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from oracle import tool  # pylint: disable=wrong-import-position
from oracle.python_package import NOTEBOOK_LIBRARIES, ROOT, installed, write_large  # pylint: disable=wrong-import-position

FOLDER = ROOT / "examples/notebooks"
JUPYTER = ["nbclient==0.11.0", "nbformat==5.11.1", "ipykernel==7.4.0"]
# Runs a notebook and prints it, with its outputs; fails where a cell does.
RUN = """
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], 4)
nbformat.validate(notebook)
nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": sys.argv[2]}}).execute()
print(nbformat.writes(notebook))
"""
# Runs the cells of a file of JSON; prints for each what it displayed, also what it replaced later, and what is left at the end.
RUN_CELLS = """
import json, sys, nbclient, nbformat.v4
shown = []
class Client(nbclient.NotebookClient):
    def process_message(self, message, cell, cell_index):
        if message["msg_type"] in ("display_data", "update_display_data"):
            shown.append([cell_index, message["content"]["data"]["text/html"]])
        return super().process_message(message, cell, cell_index)
cells = json.load(sys.stdin)
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
Client(notebook, timeout=120, kernel_name="python3").execute()
print(json.dumps([[[text for at, text in shown if at == number], cell["outputs"]] for number, cell in enumerate(notebook.cells)]))
"""
PYTHON = None


def setUpModule():
    global PYTHON
    environment, _ = installed("python-notebooks", JUPYTER + NOTEBOOK_LIBRARIES)
    PYTHON = environment / "bin/python"


def run_notebook(name):
    """Of each code cell the text that it shows, and the pictures of all."""
    done = subprocess.run([PYTHON, "-c", RUN, FOLDER / ("%s.ipynb" % name), FOLDER], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=300, check=False,
                          env={**os.environ, "PATH": "%s:%s" % (PYTHON.parent, os.environ["PATH"])})
    if done.returncode:
        raise AssertionError(done.stderr.decode(errors="replace")[-3000:])
    texts, pictures = [], 0
    for cell in json.loads(done.stdout)["cells"]:
        if cell["cell_type"] != "code":
            continue
        text = ""
        for output in cell["outputs"]:
            data = output.get("data", {})
            pictures += "image/png" in data
            text += "".join(output.get("text", [])) + "".join(data.get("text/plain", []))
        texts.append(text)
    return texts, pictures


def table(profile, name):
    """Rows as the program prints them."""
    return tool.table(str(ROOT / "examples" / profile), name)


class Progress(unittest.TestCase):
    def test_a_bar_is_shown_and_taken_away(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "large.json.gz")
            write_large(path, 150)
            open_it = "len(cgpu.open(%r, threads=1%%s).table('slices'))" % path
            cells = ["import cgpu, cgpu._progress\ncgpu._progress.SHOWN_AFTER_S = 0", open_it % "", open_it % ", progress=False",
                     open_it % ", progress=lambda *told: None", "cgpu._progress.SHOWN_AFTER_S = 1000", open_it % ""]
            done = subprocess.run([PYTHON, "-c", RUN_CELLS], input=json.dumps(cells), stdout=subprocess.PIPE, text=True, check=True,
                                  timeout=300, env={**os.environ, "PATH": "%s:%s" % (PYTHON.parent, os.environ["PATH"])})
        (_, bar, without, own, _, soon) = json.loads(done.stdout)
        shown, left = bar
        shares = [float(value) for value in re.findall(r'<progress value="([0-9.]+)" max="1">', "".join(shown))]
        self.assertGreater(len(shares), 2)
        self.assertGreater(max(shares), 0.5)
        self.assertIn("</progress> reading large.json.gz: ", shown[0])
        self.assertEqual(shown[-1], "")
        self.assertEqual([output["data"]["text/html"] for output in left if output["output_type"] == "display_data"], [""])
        for displayed, outputs in (without, own, soon):
            self.assertEqual(displayed, [])
            self.assertEqual([output["output_type"] for output in outputs], ["execute_result"])


class Stored(unittest.TestCase):
    def test_they_are_kept_without_outputs(self):
        paths = glob.glob(str(FOLDER / "*.ipynb"))
        self.assertTrue(paths)
        for path in paths:
            for cell in json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["cells"]:
                self.assertFalse(cell.get("outputs"), path)
                self.assertIsNone(cell.get("execution_count"), path)

    def test_each_is_run_here_and_named_where_examples_are_listed(self):
        listed = (ROOT / "examples/README.md").read_text(encoding="utf-8")
        for path in glob.glob(str(FOLDER / "*.ipynb")):
            name = pathlib.Path(path).stem
            self.assertTrue(hasattr(Notebooks, "test_" + name), name)
            self.assertIn("notebooks/%s.ipynb" % name, listed)


class Notebooks(unittest.TestCase):
    def test_first_look(self):
        texts, _ = run_notebook("first_look")
        profile = "generated_training.json.gz"
        (time,) = table(profile, "gpu_time")
        idle = float(time["idle_ns"]) / float(time["span_ns"])
        self.assertIn("idle_ns %s" % format(idle, ".1%"), re.sub(" +", " ", "\n".join(texts)))
        rules = [row["rule"] for row in table(profile, "findings")]
        self.assertEqual(re.findall(r"^\d+ +(\w+)", texts[3], re.M)[:len(rules)], rules)
        self.assertIn(table(profile, "kernels")[0]["name"], texts[5])
        self.assertRegex(texts[-1], r"compute +71\.2223")

    def test_two_runs(self):
        texts, pictures = run_notebook("two_runs")
        self.assertEqual(pictures, 1)
        compared = tool.run(["compare", *(ROOT / "examples" / name for name in
                                          ("cnn_workers0.json.gz", "cnn_workers4.json.gz"))])
        self.assertEqual(compared.returncode, 0)
        self.assertIn(texts[0].splitlines()[0], compared.stdout.decode())
        self.assertRegex(texts[0], r"37\.3 ms -> 29\.7 ms, -20\.4 % \(-7\.61 ms\)")

    def test_many_runs(self):
        texts, pictures = run_notebook("many_runs")
        self.assertEqual(pictures, 1)
        self.assertEqual(texts[0], "24")
        found = {int(batch): float(efficiency) for batch, efficiency in
                 re.findall(r"^(\d+) +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+)$", texts[3], re.M)}
        self.assertEqual(sorted(found), [256, 512, 1024, 2048])
        # What was put in: on eight GPUs a step takes as much longer as the sum of the gradients does.
        sys.path.insert(0, str(FOLDER))
        import simulated_runs as simulated  # pylint: disable=import-outside-toplevel
        layers = list(zip(simulated.WIDTHS, simulated.WIDTHS[1:]))
        all_reduce = 20 + 1e6 * 2 * 7 / 8 * 2 * sum(k * n for k, n in layers) / 450e9
        for batch, efficiency in found.items():
            step = sum(simulated.matmul_us(batch, k, n) + simulated.matmul_us(k, batch, n) +
                       simulated.matmul_us(batch, n, k) + 3 + 4e6 * batch * n / simulated.BANDWIDTH
                       for k, n in layers) + 3 + 12e6 * sum(k * n for k, n in layers) / simulated.BANDWIDTH + 35
            self.assertAlmostEqual(efficiency, step / (step + all_reduce), delta=0.03)
        self.assertIn("exposed communication", texts[-2])

    def test_roofline(self):
        texts, pictures = run_notebook("roofline")
        self.assertEqual(pictures, 1)
        # A matrix product of 512 x 4096 with 4096 x 4096 in two bytes an element computes and moves so much.
        intensity = 2 * 512 * 4096 * 4096 / (2 * (512 * 4096 * 2 + 4096 * 4096))
        row = next(line for line in texts[1].splitlines() if "[[512, 4096], [4096, 4096]]" in line)
        self.assertIn("aten::mm", row)
        self.assertRegex(texts[1], r"\b%.6f\b" % intensity)
        self.assertIn("[[512, 4096], [4096, 4096]]", texts[3].splitlines()[1], "most is lost where most time is spent")

    def test_your_own_analysis(self):
        texts, _ = run_notebook("your_own_analysis")
        ops = [row for row in table("moe.json.gz", "slices") if row["kind"] == "framework_op"]
        short = [row for row in ops if int(row["duration_ns"]) < 2000]
        self.assertRegex(texts[1], r"under 2 us +┆ %d +┆ %d" % (len(short), sum(int(row["duration_ns"]) for row in short)))
        counts = {row["name"]: sum(other["name"] == row["name"] for other in ops) for row in ops[:200]}
        name, count = re.search(r"^0 +(\S+) +(\d+)", texts[2], re.M).groups()
        self.assertEqual(counts[name], int(count))
        without = {row["name"]: int(row["count"]) for row in table("cnn_workers0.json.gz", "ops")}
        self.assertIn(format(without["aten::empty"], ","), texts[-1])


if __name__ == "__main__":
    unittest.main()
