"""The Python package as its users have it: a wheel from the build folder, installed into a clean virtual environment.

Environment: CGPU_PYTHON_MODULE: another build of the module, which is tested in place of that of the wheel.
"""
import contextlib
import fcntl
import glob
import gzip
import hashlib
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv
import warnings
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ["CGPU"]).resolve().parent if "CGPU" in os.environ else ROOT / "build"
PROGRAM = BUILD / "cgpu"
EXAMPLE = str(ROOT / "examples/generated_training.json.gz")
OTHER = str(ROOT / "examples/llm_decode.json.gz")
# What examples/notebooks/ import.
NOTEBOOK_LIBRARIES = ["matplotlib==3.11.2", "duckdb==2.0.0", "pyarrow==17.0.0", "pandas==2.2.3", "polars==1.44.2"]
TOOLS = BUILD / "python-build"  # what the module is built with: made by scripts/python-tools
USE = BUILD / "python-use"  # the environment of the tests that need these libraries
USE_LIBRARIES = ["pyarrow==17.0.0", "pandas==2.2.3", "polars==1.44.2"]
EVENTS = "slices"  # a table that has a row for each event, and comes in batches


def run(*arguments, timeout=600, **options):
    return subprocess.run([str(a) for a in arguments], check=True, timeout=timeout, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, **options)


def told(*arguments):
    """(the document of the program, None), or (None, the line of the error)."""
    done = subprocess.run([str(PROGRAM), *map(str, arguments), "--format", "json"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=300, check=False)
    if done.returncode:
        return None, done.stderr.decode(errors="replace").strip().splitlines()[-1].removeprefix("cgpu: ")
    return json.loads(done.stdout), None


def opened(paths, **options):
    """A session, without the warnings of damage."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("cgpu").open(paths, **options)


def rows_of(table):
    return [list(row) for row in table._rows()]


def python_in(environment):
    return environment / "bin/python"


def site_packages(environment):
    return glob.glob(str(environment / "lib/python*/site-packages"))


def imported(*names):
    """Modules of the environment USE, into which the wheel is installed. Raises unittest.SkipTest where it cannot be had."""
    installed(USE.name, USE_LIBRARIES)
    return [importlib.import_module(name) for name in names]


def built(folder, name, *options):
    """A trace of tests/builder."""
    path = os.path.join(folder, name)
    run(BUILD / "trace_builder", path, *options)
    return path


def write_many_events(path, count):
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"traceEvents": [')
        for at in range(count):
            file.write('%s{"ph":"X","cat":"cpu_op","name":"op%d","pid":1,"tid":%d,"ts":%d,"dur":%d}\n'
                       % ("," if at else "", at % 300, at % 7, at * 10, at % 10))
        file.write("]}")


def write_large(path, megabytes):
    """A trace of about so much text, which is soon written: one piece of it again and again, compressed."""
    piece = "".join('{"ph":"X","cat":"cpu_op","name":"op%d","pid":1,"tid":%d,"ts":%d,"dur":%d},\n' % (at % 300, at % 7, at * 10, at % 10)
                    for at in range(15_000)).encode()
    with open(path, "wb") as file:
        file.write(gzip.compress(b'{"traceEvents": ['))
        file.write(gzip.compress(piece, 1) * (megabytes * 1_000_000 // len(piece)))
        file.write(gzip.compress(b'{"ph":"X","cat":"cpu_op","name":"end","pid":1,"tid":1,"ts":1,"dur":1}]}'))


def make_wheel(folder):
    """From the module that the build has made, in that folder; its path. Raises unittest.SkipTest where there is none."""
    if not (TOOLS / "complete").exists() or not list(BUILD.glob("python/_cgpu*.so")):
        raise unittest.SkipTest("the module was not built: nanobind cannot be installed (scripts/python-tools)")
    try:
        with alone("python-wheel"):
            run(python_in(TOOLS), "-m", "pip", "wheel", "--no-deps", "--no-index", "--no-build-isolation", "-w", folder,
                "-C", "build-dir=%s" % BUILD, "-C", "cmake.define.CGPU_TESTS=ON", ROOT / "python", cwd=ROOT)
    except subprocess.CalledProcessError as error:
        raise AssertionError("no wheel: " + (error.stdout + error.stderr).decode(errors="replace")[-3000:])
    (wheel,) = glob.glob(os.path.join(folder, "cgpu-*.whl"))
    return wheel


def installed(name, libraries):
    """The environment build/NAME with these packages and the wheel, and the name of the wheel. Its packages can be
    imported from then on. Raises unittest.SkipTest where they cannot be had."""
    environment = BUILD / name
    with tempfile.TemporaryDirectory() as folder:
        wheel = make_wheel(folder)
        try:
            with alone(name):
                _install(environment, libraries, wheel)
        except (subprocess.SubprocessError, OSError) as error:
            log = getattr(error, "stderr", None) or b""
            raise unittest.SkipTest("%s: %s" % (error, log.decode(errors="replace")[-500:]))
    sys.path[:0] = site_packages(environment)
    return environment, os.path.basename(wheel)


@contextlib.contextmanager
def alone(name):
    """Several files of tests run at once and share the build folder: one at a time holds what has this name in it."""
    with open(BUILD / (name + ".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _contents(wheel):
    """What is in the wheel, and the module that takes the place of its own."""
    with zipfile.ZipFile(wheel) as archive:
        (record,) = [name for name in archive.namelist() if name.endswith(".dist-info/RECORD")]
        text = archive.read(record).decode()
    module = os.environ.get("CGPU_PYTHON_MODULE")
    return text + (hashlib.sha256(pathlib.Path(module).read_bytes()).hexdigest() if module else "")


def _install(environment, libraries, wheel):
    """The libraries once, and the wheel unless the same one is installed, which other tests may be using."""
    complete, installed_wheel = environment / "complete", environment / "wheel"
    if not complete.exists() or complete.read_text() != " ".join(libraries):
        venv.create(environment, with_pip=True, clear=True)
        run(python_in(environment), "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *libraries)
        complete.write_text(" ".join(libraries))
    contents = _contents(wheel)
    if installed_wheel.exists() and installed_wheel.read_text() == contents:
        return
    installed_wheel.unlink(missing_ok=True)
    run(python_in(environment), "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--force-reinstall", wheel)
    if "CGPU_PYTHON_MODULE" in os.environ:
        (module,) = environment.glob("lib/python*/site-packages/cgpu/_cgpu*.so")
        shutil.copyfile(os.environ["CGPU_PYTHON_MODULE"], module)
    installed_wheel.write_text(contents)
