"""Parts of a document that a test writes again: what is between two comments, and the output of commands."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from . import tool

CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)  # commands after "$ ", their output below


def commands(block):
    return [line[2:] for line in block.splitlines() if line.startswith("$ ")]


def with_outputs(text):
    """The document with what the commands of its console blocks print. A block is one session of bash, in a folder that holds
    `examples`; `cgpu` is the binary under test."""
    def block(found):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.path.join(tool.ROOT, "examples"), os.path.join(folder, "examples"))
            script = 'cgpu() { "%s" "$@"; }\n' % tool.binary()
            listed = commands(found.group(1))
            for command in listed:
                script += "%s\nstatus=$?; printf '\\0'; (exit $status)\n" % command
            done = subprocess.run(["bash", "-c", script], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=120, check=False,
                                  env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100"})
        outputs = done.stdout.decode().split("\0")
        lines = ["```console"]
        for command, output in zip(listed, outputs):
            lines += ["$ " + command] + [line.rstrip() for line in output.splitlines()]
        return "\n".join(lines + ["```"])
    return CONSOLE.sub(block, text)


def with_part(text, begin, end, part):
    before, rest = text.split(begin)
    return before + begin + part + end + rest.split(end)[1]


def write(path, anew):
    """The document as anew(its text) has it."""
    with open(path, encoding="utf-8") as handle:
        written = anew(handle.read())
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(written)


def main(path, anew):
    """Runs the tests of the program; with --write-docs writes the document instead."""
    if "--write-docs" in sys.argv:
        write(path, anew)
    else:
        unittest.main()
