"""Profiles that are open, by handles: r1, r2, ..."""
from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from .. import Error, Session, open as open_profile
from .folders import Folders
from .words import command_line

MOST_OPEN = 8
_REMEMBERED = 1000  # handles that are closed


@dataclass
class Run:
    """One that was opened, and may have been closed again."""
    handle: str
    inputs: List[str]
    options: Dict[str, Any]  # as cgpu.open takes them
    session: Session
    about: Optional[str] = None  # what it is in a few lines, once that was asked
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def place(self) -> str:
        """Its input as one path: of several ranks their folder."""
        return self.inputs[0] if len(self.inputs) == 1 else os.path.commonpath(self.inputs)

    @property
    def names(self) -> Set[str]:
        """What it may be called besides its handle."""
        return {self.place, os.path.basename(self.place)}

    def command(self, verb: str, *more: str, **options: Any) -> str:
        """`cgpu VERB INPUT... MORE... --OPTION VALUE`, with those that it was opened with, unless others are given, and
        without those that are None or ""."""
        given = {name: value for name, value in options.items() if value not in (None, "")}
        return command_line(["cgpu", verb, *self.inputs, *more, *words_of({**self.options, **given})])


def words_of(options: Mapping[str, Any]) -> List[str]:
    """Options as words of the command line, those that are None or "" left out."""
    words = []
    for option, value in options.items():
        if value not in (None, ""):
            words += ["--" + option.rstrip("_").replace("_", "-"), str(value)]
    return words


class Runs:
    """All of them. For any number of clients at once, who see the same ones."""

    def __init__(self, folders: Folders) -> None:
        self.folders = folders
        self._lock = threading.Lock()
        self._opening = threading.Lock()  # one profile is read at a time
        self._open: Dict[str, Run] = {}  # by handle, that which was used last at the end
        self._keys: Dict[str, Tuple[Any, ...]] = {}  # of those that are open
        self._closed: Dict[str, str] = {}  # why, by handle
        self._count = 0

    def open(self, paths: Sequence[str], options: Dict[str, Any]) -> Run:
        """The run of these inputs, opened where it is not open yet and has not changed since. Options as of cgpu.open,
        those that are None or "" left out. Raises Error."""
        inputs = [real for path in paths for real in self.folders.inputs(path)]
        chosen = {name: value for name, value in options.items() if value not in (None, "")}
        for name in ("kernel_rules", "capture"):
            if name in chosen:
                chosen[name] = self.folders.file(chosen[name])
        key = (*((path, os.stat(path).st_mtime_ns, os.stat(path).st_size) for path in inputs), *sorted(chosen.items()))
        with self._opening:
            with self._lock:
                for handle, known in self._keys.items():
                    if known == key:
                        return self._used(handle)
            session = open_profile(inputs, **chosen)
            with self._lock:
                self._count += 1
                run = Run("r%d" % self._count, inputs, chosen, session)
                self._open[run.handle] = run
                self._keys[run.handle] = key
                while len(self._open) > MOST_OPEN:
                    self._close(next(iter(self._open)), "it was let go, because at most %d are open" % MOST_OPEN)
                return run

    def part(self, run: Run, from_: Any, to: Any) -> Session:
        """The same profile between these times, opened for once. Raises Error."""
        part = dict(run.options)
        part.update({name: value for name, value in (("from_", from_), ("to", to)) if value not in (None, "")})
        inputs = [real for path in run.inputs for real in self.folders.inputs(path)]  # links may have changed
        with self._opening:
            return open_profile(inputs, **part)

    def get(self, handle: str) -> Run:
        """By its handle, or by the name of the file or folder that was opened. Raises Error where there is none, or several, or
        it is closed."""
        with self._lock:
            if handle in self._open:
                return self._used(handle)
            called = [each for each, run in self._open.items() if handle in run.names]
            if len(called) == 1:
                return self._used(called[0])
            if called:
                raise Error("%s: several runs were opened from it: name one of %s" % (handle[:100], ", ".join(called)))
            if handle in self._closed:
                raise Error("%s is closed (%s); open gives a new handle" % (handle, self._closed[handle]))
            there = ", ".join(self._open) or "none"
            raise Error("%s: no run has this handle (open are: %s); open gives them" % (handle[:100], there))

    def close(self, handle: str) -> None:
        """Raises Error as get does."""
        self.get(handle)
        with self._lock:
            if handle in self._open:
                self._close(handle, "as was asked for")

    def all(self) -> List[Run]:
        """Those that are open."""
        with self._lock:
            return list(self._open.values())

    def _used(self, handle: str) -> Run:
        run = self._open.pop(handle)
        self._open[handle] = run
        return run

    def _close(self, handle: str, why: str) -> None:
        self._open.pop(handle).session.close()
        del self._keys[handle]
        self._closed[handle] = why
        if len(self._closed) > _REMEMBERED:
            del self._closed[next(iter(self._closed))]
