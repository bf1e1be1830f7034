"""Files in object stores and on web servers: fsspec reads ranges of them while cgpu asks for these over a socket
(base/remote_file.h). Nothing is copied to this machine but what is looked at, into memory.
"""
from __future__ import annotations

import atexit
import importlib
import os
import re
import shutil
import socket
import struct
import tempfile
import threading
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, TypeVar

from . import _cgpu

# What is fetched at once, since a request costs tens of milliseconds: where a file is read on from where it was read last,
# and elsewhere (as much as is looked at to recognise a format).
_AHEAD = 8 << 20
_LEAST = 64 << 10
_Found = TypeVar("_Found")
_SCHEME = re.compile(r"[a-z0-9+.-]+://")
_PROFILES = (".json", ".gz", ".zst", ".cgpu", ".pb", ".pftrace", ".perfetto-trace", ".pkl", ".pickle", ".sqlite", ".db", ".csv")


def is_remote(path: object) -> bool:
    """Whether it is a URL, like "s3://bucket/run/rank0.json.gz"."""
    return isinstance(path, str) and _SCHEME.match(path) is not None


def remote_files(url: str, options: Optional[Mapping[str, Any]] = None) -> List[str]:
    """The files that a URL stands for, served from now on: itself, the matches of a pattern, the profiles in a folder.

    options  of the file system, as `fsspec.open` takes them. Raises Error.
    """
    try:
        fsspec = importlib.import_module("fsspec")
    except ImportError:
        raise _cgpu.Error("%s: reading it takes fsspec (pip install fsspec), and what it needs for this kind of URL, like s3fs "
                          "or gcsfs" % url) from None
    try:
        system, path = fsspec.core.url_to_fs(url, **(options or {}))
        if any(sign in path for sign in "*?["):
            paths = sorted(system.glob(path)) or [path]
        elif system.isdir(path):
            paths = sorted(one["name"] for one in system.ls(path, detail=True)
                           if one["type"] == "file" and one["name"].endswith(_PROFILES))
            if not paths:
                raise _cgpu.Error("%s: has no profiles in it (%s)" % (url, ", ".join(_PROFILES)))
        else:
            paths = [path]
    except _cgpu.Error:
        raise
    except Exception as error:  # pylint: disable=broad-except  # each file system has its own
        raise _cgpu.Error("%s: %s" % (url, _in_words(error))) from error
    names = [str(system.unstrip_protocol(one)) for one in paths]
    _server().add({name: (system, one) for name, one in zip(names, paths)})
    return names


def _in_words(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file or directory"
    if isinstance(error, PermissionError):
        return "no permission to read it"
    return ("%s: %s" % (type(error).__name__, error)).replace("\n", " ")


class _Ranges:
    """A file that is fetched in ranges; what follows the last one together with the next megabytes."""

    def __init__(self, system: Any, path: str) -> None:
        self._system, self._path = system, path
        size = system.size(path)
        if size is None:
            raise OSError("its size is not known: what serves it gives no ranges of it")
        self.size = int(size)
        self._begin, self._bytes = 0, b""
        self._next = -1

    def read(self, position: int, size: int) -> bytes:
        size = max(0, min(size, self.size - position))
        if not (self._begin <= position and position + size <= self._begin + len(self._bytes)):
            end = min(self.size, position + max(size, _AHEAD if position == self._next else _LEAST))
            self._begin = position
            self._bytes = bytes(self._system.cat_file(self._path, start=position, end=end)) if end > position else b""
            if len(self._bytes) != end - position:
                raise OSError("%d bytes from %d on were asked for, %d came: it has changed meanwhile, or what serves it "
                              "gives no ranges" % (end - position, position, len(self._bytes)))
        self._next = position + size
        return self._bytes[position - self._begin:position - self._begin + size]


class _Server:
    """Answers for the files of this process; a thread a file that is open."""

    def __init__(self) -> None:
        self._files: Dict[str, Tuple[Any, str]] = {}
        folder = tempfile.mkdtemp(prefix="cgpu-")  # nobody else may look into it
        self._owner = os.getpid()
        atexit.register(self._remove, folder)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(os.path.join(folder, "files"))
        self._socket.listen(64)
        threading.Thread(target=self._accept, name="cgpu-files", daemon=True).start()
        _cgpu.serve_files_at(os.path.join(folder, "files"))

    def add(self, files: Mapping[str, Tuple[Any, str]]) -> None:
        self._files.update(files)

    def _remove(self, folder: str) -> None:
        if os.getpid() == self._owner:
            shutil.rmtree(folder, ignore_errors=True)

    def _accept(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            threading.Thread(target=self._serve, args=(connection,), name="cgpu-file", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as asked:
            try:
                (length,) = struct.unpack("=I", asked.read(4))
                name = asked.read(length).decode()
                file = self._answer(connection, lambda: self._open(name), lambda found: struct.pack("=Q", found.size))
                while file is not None:
                    question = asked.read(12)
                    if len(question) < 12:
                        return
                    ranges, wanted = file, struct.unpack("=QI", question)
                    self._answer(connection, lambda: ranges.read(*wanted), lambda found: struct.pack("=I", len(found)) + found)
            except (ConnectionError, struct.error):
                return  # it was closed

    def _open(self, name: str) -> _Ranges:
        if name not in self._files:
            raise FileNotFoundError(name)
        return _Ranges(*self._files[name])

    @staticmethod
    def _answer(connection: socket.socket, task: Callable[[], _Found], in_bytes: Callable[[_Found], bytes]) -> Optional[_Found]:
        """What the task finds, sent and returned; None where it fails, which is sent in words."""
        try:
            found = task()
        except Exception as error:  # pylint: disable=broad-except  # each file system has its own
            text = _in_words(error).encode()[:4096]
            connection.sendall(struct.pack("=BI", 1, len(text)) + text)
            return None
        connection.sendall(b"\0" + in_bytes(found))
        return found


_LOCK = threading.Lock()
_SERVERS: List[_Server] = []  # the one of this process, once there is something to serve


def _server() -> _Server:
    with _LOCK:
        if not _SERVERS:
            _SERVERS.append(_Server())
        return _SERVERS[0]


# The thread that answers stays behind in a fork.
os.register_at_fork(after_in_child=_SERVERS.clear)
