"""Runs the tool under test."""
import json
import os
import subprocess
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WITH_HOSTS = ("clocks", "rank_path")  # tables with names of machines, for which numbers are in summaries


def binary():
    return os.path.abspath(os.environ.get("CGPU") or os.path.join(ROOT, "build", "cgpu"))


def must_exist():
    if not os.access(binary(), os.X_OK):
        raise FileNotFoundError("no tool at %s (build it, or set CGPU)" % binary())


def shared(name):
    """A folder beside the checkout that not every machine has."""
    return os.path.join(os.path.dirname(ROOT), "shared", name)


def corpus():
    return os.environ.get("CGPU_CORPUS") or os.path.join(shared("corpus"), "kineto")


def profile(format_folder, part):
    """The first profile of the corpus, in the folder of a format, with this in its name. Raises unittest.SkipTest where there
    is none."""
    folder = os.path.join(os.path.dirname(corpus()), format_folder)
    found = [name for name in sorted(os.listdir(folder)) if part in name] if os.path.isdir(folder) else []
    if not found:
        raise unittest.SkipTest("no profile *%s* in %s (set CGPU_CORPUS)" % (part, folder))
    return os.path.join(folder, found[0])


def read(path):
    """The bytes of a file."""
    with open(path, "rb") as handle:
        return handle.read()


def run(arguments, timeout=120):
    command = [binary()] + [str(a) for a in arguments]
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=timeout, env=dict(os.environ, NO_COLOR="1"))


def must_run(*arguments):
    """What the tool did, which has to succeed."""
    done = run(arguments)
    assert done.returncode == 0, (arguments, done.stderr.decode())
    return done


def export(source, ending, *options):
    """The bytes that `cgpu export` writes to a file whose name ends like this."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out" + ending)
        done = run(["export", source, "-o", path, *options])
        assert done.returncode == 0, done.stderr.decode()
        return read(path)


def wait_until_caught(process, number, timeout=60):
    """Returns when a process has a handler of its own for a signal, as Linux says. Raises TimeoutError."""
    end = time.monotonic() + timeout
    while time.monotonic() < end and process.poll() is None:
        with open("/proc/%d/status" % process.pid) as status:
            caught = next(int(line.split()[1], 16) for line in status if line.startswith("SigCgt:"))
        if caught >> (number - 1) & 1:
            return
        time.sleep(0.01)
    raise TimeoutError("signal %d has no handler" % number)


def rows_of(document):
    """{table: rows as dicts} of a JSON document of the tool."""
    return {name: [dict(zip([c["name"] for c in table["columns"]], row)) for row in table["rows"]]
            for name, table in document["tables"].items()}


def table(inputs, name, *options):
    """Rows of one table, as dicts. Raises RuntimeError with what the tool said."""
    inputs = [inputs] if isinstance(inputs, str) else list(inputs)
    done = run(["table"] + inputs + [name, "--format", "json"] + list(options))
    if done.returncode:
        raise RuntimeError("cgpu table %s %s: exit %d: %s" % (" ".join(map(os.path.basename, inputs)), name,
                                                              done.returncode, done.stderr.decode().strip()))
    return rows_of(json.loads(done.stdout.decode()))[name]


def info(inputs, *options):
    out = {}
    for row in table(inputs, "info", *options):
        value = row["value"]
        out[row["key"]] = int(value) if isinstance(value, str) and value.lstrip("-").isdigit() else value
    return out
