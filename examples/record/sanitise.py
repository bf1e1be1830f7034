"""Makes a trace of PyTorch's profiler fit to publish; needs nothing but Python. `sanitise.py IN.json[.gz] OUT.json.gz`

Such a trace may hold the name of the machine (`host_name`) and absolute paths: in Python frames, in call stacks, in the
name of its own file (`traceName`). They are rewritten inside the JSON strings, and every other character stays as the
profiler wrote it: numbers keep their digits and events their order, so the result still shows its own format.
"""

import functools
import gzip
import json
import os
import re
import socket
import sys
import sysconfig
from pathlib import Path

STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
ABSOLUTE_PATH = re.compile(r"(?<![\w./>)\]*~-])/(?:[\w.+@~-]+/)*[\w.+@~-]+")
LIBRARY_FOLDER = re.compile(r".*/(?:site-packages|dist-packages|lib/python[\d.]+)/")
HOST_NAME = re.compile(r'"host_name"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*')
TRACE_NAME = re.compile(r'("traceName"\s*:\s*)"(?:[^"\\]|\\.)*"')


def sanitise(text, trace_name):
    """The same trace without the machine in it.

    1. The folders this process knows (of Python, its packages, the script, the working directory, the user's home) are
       removed from the front of the paths that begin with one.
    2. Of any other absolute path, what follows site-packages/, dist-packages/ or lib/pythonX.Y/ is kept, and where none
       of these occurs, only the file's name. So the name of a range should not begin with a slash.
    3. traceName becomes trace_name, and host_name is left out.
    4. Where this host's name or home folder is still in the trace after that, it is an error.
    """
    text = STRING.sub(lambda match: relative_string(match.group()), text)
    text = TRACE_NAME.sub(lambda match: match.group(1) + json.dumps(trace_name), text)
    text = HOST_NAME.sub("", text)
    json.loads(text)
    for secret in (socket.gethostname(), str(Path.home())):
        if re.search(rf"(?<!\w){re.escape(secret)}(?!\w)", text):
            raise ValueError(f"the trace still holds {secret!r}: rename what holds it and record again")
    return text


def relative_string(literal):
    """The JSON string literal with its absolute paths made relative; the very same literal where it has none."""
    if "/" not in literal:
        return literal
    value = json.loads(literal)
    shorter = value
    for folder in known_folders():
        shorter = shorter.replace(folder + "/", "")
    shorter = ABSOLUTE_PATH.sub(lambda match: relative_path(match.group()), shorter)
    return literal if shorter == value else json.dumps(shorter)


def relative_path(path):
    inside_library = LIBRARY_FOLDER.sub("", path)
    return inside_library if inside_library != path else path.rpartition("/")[2]


@functools.cache
def known_folders():
    """The longest first, so that of nested folders the innermost is the one that is removed."""
    folders = {*sys.path, *sysconfig.get_paths().values(), sys.prefix, os.getcwd(), str(Path.home())}
    return sorted((folder for folder in folders if folder.startswith("/") and folder != "/"), key=len, reverse=True)


def write_gzip(path, text):
    """The same text gives the same bytes: neither the time nor a file name goes into gzip's header."""
    with open(path, "wb") as file, gzip.GzipFile("", "wb", compresslevel=9, fileobj=file, mtime=0) as packed:
        packed.write(text.encode("utf-8"))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: sanitise.py IN.json[.gz] OUT.json.gz")
    source, target = map(Path, sys.argv[1:])
    data = source.read_bytes()
    text = (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).decode("utf-8")
    write_gzip(target, sanitise(text, target.name.removesuffix(".gz")))


if __name__ == "__main__":
    main()
