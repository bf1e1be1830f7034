#!/usr/bin/env python3
"""The wheel of the Python package (python/): its tags, the files, libraries and licences in it, the packages that it does not need,
and the types of its module.

Environment: CGPU (the binary in its build folder).
"""
import glob
import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle.python_package import EXAMPLE, ROOT, USE, USE_LIBRARIES, installed, run  # noqa: E402

cgpu = None


def setUpModule():
    global cgpu
    _, Wheel.name = installed(USE.name, USE_LIBRARIES)
    cgpu = importlib.import_module("cgpu")


class Wheel(unittest.TestCase):
    name = ""

    def test_tags_say_what_holds(self):
        version = re.search(r"project\(cgpu VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        python = "cp%d%d" % sys.version_info[:2]
        tags = "cp312-abi3" if sys.version_info >= (3, 12) else "%s-%s" % (python, python)
        self.assertTrue(self.name.startswith("cgpu-%s-%s-linux" % (version, tags)), self.name)
        self.assertEqual(cgpu.__version__, version)

    def test_has_nothing_of_the_program_that_is_installed(self):
        (record,) = USE.glob("lib/python*/site-packages/cgpu-*.dist-info/RECORD")
        files = [line.split(",")[0] for line in record.read_text().splitlines()]
        self.assertIn("cgpu/__init__.py", files)
        self.assertEqual({name for name in files if not name.startswith(("cgpu/", record.parent.name + "/"))},
                         {"../../../bin/cgpu-mcp"})

    def test_brings_the_libraries_that_not_every_linux_has_with_their_licences(self):
        (package,) = USE.glob("lib/python*/site-packages/cgpu")
        (module,) = package.glob("_cgpu*.so")
        needed = set(re.findall(r"NEEDED +(\S+)", run("objdump", "-p", module).stdout.decode()))
        everywhere = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
        libraries = {path.name: path for path in (package / "libraries").iterdir()}
        self.assertEqual(set(libraries), needed - everywhere)
        licences = {path.name: path.read_text() for path in package.parent.glob("cgpu-*.dist-info/licenses/*")}
        for name, path in libraries.items():
            self.assertLessEqual(set(re.findall(r"NEEDED +(\S+)", run("objdump", "-p", path).stdout.decode())), everywhere, name)
            owners = {line.split(":")[0] for line in run("dpkg", "-S", "*/" + name).stdout.decode().splitlines()}
            self.assertTrue(owners & set(licences), name)
        self.assertIn("Apache License", licences["LICENSE"])
        for other in ("xxHash", "protozero", "Boost", "nanobind", "robin-map"):  # compiled in
            self.assertRegex(licences["copyright"], r"\n%s[^\n]*:\n\n[^\n]*\S" % other)

    def test_works_without_other_packages(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in glob.glob(str(USE / "lib/python*/site-packages/cgpu")):
                shutil.copytree(path, os.path.join(folder, "cgpu"))
            done = run(sys.executable, "-S", "-E", "-c", """
import sys
sys.path.insert(0, sys.argv[2])
import cgpu
table = cgpu.open(sys.argv[1]).table("kernels")
print(len(table), table[0]["name"], "pyarrow" in sys.modules)
try:
    table.to_pandas()
except ImportError as error:
    print(error)
""", EXAMPLE, folder)
        text = done.stdout.decode()
        self.assertIn("fused_moe_kernel", text)
        self.assertIn("False\n", text)
        self.assertIn("to_pandas needs pandas, which is not installed: pip install pandas pyarrow", text)

    def test_the_server_for_agents_says_what_it_needs(self):
        done = subprocess.run([str(USE / "bin/cgpu-mcp"), str(ROOT / "examples")], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"pip install 'cgpu[mcp]'", done.stderr)

    def test_types_of_the_module_are_those_of_its_stub(self):
        """What the stub declares is there, and the other way round."""
        stub = {}
        scope = None
        for line in (ROOT / "python/cgpu/_cgpu.pyi").read_text().splitlines():
            if found := re.match(r"class (\w+)", line):
                scope = stub.setdefault(found[1], set())
            elif found := re.match(r"    def (\w+)", line):
                scope.add(found[1])
            elif found := re.match(r"(?:def )?(\w+)[(:]", line):
                stub[found[1]] = None
        module = cgpu._cgpu
        there = {name for name in vars(module) if not name.startswith("_")}
        self.assertEqual({name for name in stub if not name.startswith("_")}, there)
        for name, methods in stub.items():
            if methods:
                own = {each for each in vars(getattr(module, name)) if not each.startswith("_") or each == "__len__"}
                self.assertEqual(methods - {"__init__"}, own, name)


if __name__ == "__main__":
    unittest.main()
