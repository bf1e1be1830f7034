#!/usr/bin/env python3
"""The packages on a bare Debian, which has Python and no compiler, nor any library that cgpu is linked with. The wheel is
installed with pip into a clean virtual environment, its tables are those of the program, and the code of the notebooks runs.
The Debian package is installed with apt, and the program runs.

The system is made by debootstrap in the build folder, once, of the release that this one is. Skipped where that cannot be done:
without root, without debootstrap, without a mirror of Debian.
Environment: CGPU (the binary in its build folder).
"""
import fcntl
import glob
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from oracle import tool  # pylint: disable=wrong-import-position
from oracle.python_package import BUILD, NOTEBOOK_LIBRARIES, ROOT, make_wheel, run  # pylint: disable=wrong-import-position

SYSTEM = BUILD / "bare-debian"
WHEELS = SYSTEM / "wheels"
PROFILE = "generated_training.json.gz"
# Runs the code of a notebook, cell by cell, and prints the value of a cell that ends with an expression.
RUN_CELLS = """
import ast, json, sys
scope = {"__name__": "__main__"}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] != "code":
        continue
    tree = ast.parse("".join(cell["source"]))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, sys.argv[1], "exec"), scope)
    if last is not None:
        print(eval(compile(ast.Expression(last.value), sys.argv[1], "eval"), scope))
"""


def setUpModule():
    if os.geteuid() != 0:
        raise unittest.SkipTest("a system can be made by root alone")
    if not shutil.which("debootstrap", path=os.environ["PATH"] + ":/usr/sbin"):
        raise unittest.SkipTest("not installed: debootstrap")
    release = platform.freedesktop_os_release()
    if release["ID"] != "debian":
        raise unittest.SkipTest("a wheel that is built on %s is not one for Debian" % release["ID"])
    lock = open(BUILD / "bare-debian.lock", "w", encoding="utf-8")  # pylint: disable=consider-using-with
    unittest.addModuleCleanup(lock.close)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with tempfile.TemporaryDirectory() as folder:
        wheel = make_wheel(folder)
        make_system(release["VERSION_CODENAME"])
        for old in WHEELS.glob("cgpu-*"):
            old.unlink()
        shutil.copy(wheel, WHEELS)
    for name in ("venv", "examples"):
        shutil.rmtree(SYSTEM / name, ignore_errors=True)
    shutil.copytree(ROOT / "examples", SYSTEM / "examples")
    inside("python3", "-m", "venv", "/venv")
    inside("/venv/bin/pip", "install", "--no-index", "/wheels/" + os.path.basename(wheel))


def make_system(codename):
    """With the wheels of what the notebooks import."""
    complete = SYSTEM / "complete"
    wanted = " ".join([codename, *NOTEBOOK_LIBRARIES])
    if complete.exists() and complete.read_text() == wanted:
        return
    shutil.rmtree(SYSTEM, ignore_errors=True)
    mirrors = run("apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)").stdout.decode().split("\n")
    mirror = [line.split()[1] for line in mirrors if line.startswith(codename + " ")][:1]
    try:
        run("debootstrap", "--variant=minbase", "--include=python3,python3-venv", codename, SYSTEM, *mirror,
            env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"})
        run(sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:", "--dest", WHEELS, *NOTEBOOK_LIBRARIES)
    except (subprocess.SubprocessError, OSError) as error:
        log = getattr(error, "stdout", None) or b""
        raise unittest.SkipTest("%s: %s" % (error, log.decode(errors="replace").strip()[-300:]))
    complete.write_text(wanted)


def inside(*words, folder="/", system=SYSTEM):
    """What a command of that system prints."""
    clean = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "MPLBACKEND": "Agg"}
    done = subprocess.run(["chroot", system, "/bin/sh", "-c", 'cd "$0" && exec "$@"', folder, *words], env=clean, timeout=300,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise AssertionError("%s\n%s" % (" ".join(words), done.stderr.decode(errors="replace")[-3000:]))
    return done.stdout.decode()


class BareDebian(unittest.TestCase):
    def test_the_system_is_bare(self):
        for program in ("cc", "gcc", "g++", "cmake", "ld"):
            self.assertEqual(inside("sh", "-c", "command -v %s || echo none" % program), "none\n")
        brought = [os.path.basename(path) for path in glob.glob(str(SYSTEM / "venv/lib/python*/site-packages/cgpu/libraries/*"))]
        there = inside("find", "/usr/lib", "-name", "*.so*")
        self.assertIn("libfmt.so.9", brought)
        self.assertIn("libstdc++.so.6\n", there)
        self.assertNotIn("libfmt.so.9\n", there)
        self.assertNotIn("libsimdjson", there)

    def test_tables_are_those_of_the_program(self):
        found = json.loads(inside("/venv/bin/python", "-c", """
import json, cgpu
session = cgpu.open("/examples/%s")
print(json.dumps({name: list(session.table(name)) for name in ("kernels", "idle", "findings", "slices")}))
""" % PROFILE))
        for name, rows in found.items():
            self.assertTrue(rows)
            self.assertEqual(rows, tool.table(str(ROOT / "examples" / PROFILE), name), name)

    def test_sql_report_comparison_and_pictures(self):
        shown = inside("/venv/bin/python", "-c", """
import cgpu
session = cgpu.open("/examples/%s")
print(session.sql("SELECT count(*) AS n FROM slices WHERE name REGEXP 'aten'")[0]["n"])
print(len(session.report().to_html()), len(session.timeline().to_svg()))
print(cgpu.compare("/examples/cnn_workers0.json.gz", "/examples/cnn_workers4.json.gz"))
""" % PROFILE)
        slices = tool.table(str(ROOT / "examples" / PROFILE), "slices", "--where", "name ~ aten")
        self.assertEqual(int(shown.splitlines()[0]), len(slices))
        self.assertTrue(all(int(length) > 1000 for length in shown.splitlines()[1].split()))
        self.assertIn("37.3 ms -> 29.7 ms, -20.4 %", shown)

    def test_the_code_of_the_notebooks_runs(self):
        inside("/venv/bin/pip", "install", "--quiet", "--no-index", "--find-links", "/wheels", *NOTEBOOK_LIBRARIES)
        notebooks = sorted(path.name for path in (ROOT / "examples/notebooks").glob("*.ipynb"))
        self.assertGreater(len(notebooks), 3)
        for name in notebooks:
            with self.subTest(name):
                shown = inside("/venv/bin/python", "-c", RUN_CELLS, name, folder="/examples/notebooks")
                self.assertGreater(len(shown.splitlines()), 10)

    def test_apt_installs_the_debian_package(self):
        """Into a copy of the system, as its libraries come with it."""
        if not shutil.which("cpack") or not shutil.which("dpkg-shlibdeps"):
            self.skipTest("not installed: cpack or dpkg-shlibdeps")
        with tempfile.TemporaryDirectory() as folder:
            system = pathlib.Path(folder) / "system"
            run("cp", "-a", "--reflink=auto", SYSTEM, system)
            shutil.copy("/etc/resolv.conf", system / "etc")
            run("cpack", "-G", "DEB", "-B", folder, cwd=BUILD)
            (package,) = pathlib.Path(folder).glob("cgpu_*.deb")
            shutil.copy(package, system / "cgpu.deb")
            try:
                inside("apt-get", "update", "-qq", "-o", "APT::Update::Error-Mode=any", system=system)
            except AssertionError as error:
                self.skipTest("no mirror of Debian: %s" % error)
            inside("apt-get", "install", "-y", "-qq", "./cgpu.deb", system=system)
            self.assertIn("built by", inside("cgpu", "--version", system=system))
            rows = json.loads(inside("cgpu", "table", "/examples/" + PROFILE, "kernels", "--format", "json", system=system))
            self.assertEqual([row[0] for row in rows["tables"]["kernels"]["rows"]],
                             [row["name"] for row in tool.table(str(ROOT / "examples" / PROFILE), "kernels")])
            inside("test", "-s", "/usr/share/man/man1/cgpu.1.gz", system=system)


if __name__ == "__main__":
    unittest.main()
