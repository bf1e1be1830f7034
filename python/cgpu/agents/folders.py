"""Which files may be read: those in the folders that were named at the start, links resolved."""
from __future__ import annotations

import glob
import os
import stat
from pathlib import PurePath
from typing import Iterable, Iterator, List, Optional

from .. import Error

_MOST_ENTRIES = 100_000  # of a folder that is an input
_CAPTURES = "capture_traces"  # which the program looks for beside a profile
MOST_LISTED = 5000


class Folders:
    """The folders, and nothing else."""

    def __init__(self, folders: Iterable[str]) -> None:
        """Raises Error for what is no folder."""
        self._named = [os.path.abspath(folder) for folder in folders]
        self._real = [os.path.realpath(folder) for folder in self._named]
        for folder in self._real:
            if not os.path.isdir(folder):
                raise Error("%s: is no folder that can be read" % folder)

    def __str__(self) -> str:
        return ", ".join(self._real)

    def inputs(self, name: str) -> List[str]:
        """The real paths of an input: a file, a folder with all that is in it, or a pattern. Raises Error."""
        candidates = self._candidates(name)
        there = [path for path in candidates if self._lies_in(path) and os.path.lexists(path)][:1]
        if not there and glob.has_magic(name):
            matches = {path for pattern in candidates for path in glob.glob(pattern, recursive=True)}
            there = sorted(path for path in matches if self._lies_in(path))
        if there:
            return [self._checked(path) for path in there]
        if not all(self._lies_in(path) for path in candidates):
            raise self._outside(name)
        raise Error("%s: there is no such file or folder in %s" % (_shown(name), self))

    def file(self, name: str) -> str:
        """The real path of a file or folder that an option names. Raises Error."""
        inputs = self.inputs(name)
        if len(inputs) > 1:
            raise Error("%s: one file was expected, not %d" % (_shown(name), len(inputs)))
        return inputs[0]

    def all(self) -> List[str]:
        """The folders themselves."""
        return list(self._real)

    def folder(self, name: str) -> str:
        """The real path of a folder that is listed, not opened: links in it do no harm. Raises Error."""
        for path in self._candidates(name):
            real = os.path.realpath(path)
            if self._lies_in(path) and os.path.lexists(path):
                if not self._holds(real):
                    raise self._outside(name)
                return real
        return self.file(name)  # which says why not

    def listed(self, folder: str = "", leading_out: Optional[List[str]] = None) -> Iterator[str]:
        """Files that are there, or in this folder, shallow ones first; hidden ones and links left out; at most 5,000.
        Links that leave the folders are added to `leading_out`. Raises Error."""
        count = 0
        level = [self.folder(folder)] if folder else self.all()
        while level:
            deeper: List[str] = []
            for each in level:
                for entry in _entries(each):
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        deeper.append(entry.path)
                    elif entry.is_symlink():
                        if leading_out is not None and not self._holds(os.path.realpath(entry.path)):
                            leading_out.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        yield entry.path
                        count += 1
                        if count == MOST_LISTED:
                            return
            level = deeper

    def _candidates(self, name: str) -> List[str]:
        """Where it may lie. The same answer for what is there and what is not, outside of the folders."""
        if not name or "\0" in name:
            raise Error("%s: is no path" % _shown(name))
        if ".." in PurePath(name).parts:
            raise Error("%s: a path with .. is not followed" % _shown(name))
        if not os.path.isabs(name):
            return [os.path.join(folder, name) for folder in self._real]
        path = os.path.normpath(name)
        if not any(_is_in(path, folder) for folder in self._named + self._real):
            raise self._outside(name)
        return [path]

    def _lies_in(self, path: str) -> bool:
        """Whether the folder that it is in is one of them, or below. What a link leads to outside is not reported."""
        return path in self._named + self._real or self._holds(os.path.realpath(os.path.dirname(path)))

    def _checked(self, path: str) -> str:
        """The real path, where neither it nor a link below it leaves the folders."""
        real = os.path.realpath(path)
        if not self._holds(real):
            raise self._outside(path)
        try:
            mode = os.stat(real).st_mode
        except OSError as error:
            raise Error("%s: %s" % (path, error.strerror)) from None
        if stat.S_ISDIR(mode):
            self._check_links(real, deep=True)
        elif stat.S_ISREG(mode):
            self._check_links(os.path.dirname(real), deep=False)  # databases are of several files
        else:
            raise Error("%s: is neither a file nor a folder" % path)
        self._check_captures(os.path.join(os.path.dirname(real), _CAPTURES))
        return real

    def _check_captures(self, captures: str) -> None:
        if os.path.isdir(captures):
            if not self._holds(os.path.realpath(captures)):
                raise Error("%s: would be read with it, and lies outside of the folders that may be read (%s)" %
                            (captures, self))
            self._check_links(captures, deep=True)

    def _check_links(self, folder: str, deep: bool) -> None:
        """Throws Error where a link in it leads out of the folders."""
        count = 0
        waiting = [folder]
        while waiting:
            for entry in _entries(waiting.pop()):
                count += 1
                if count > _MOST_ENTRIES:
                    raise Error("%s: holds more than %d files: name the profiles in it, or a folder below" %
                                (folder, _MOST_ENTRIES))
                if entry.is_symlink():
                    real = os.path.realpath(entry.path)
                    if os.path.exists(real) and not self._holds(real):
                        raise Error("%s: is a link that leaves the folders that may be read (%s): start cgpu-mcp with "
                                    "the folder that it leads to, too, or take it away" % (entry.path, self))
                    if deep and os.path.isdir(real) and not _is_in(real, folder):
                        self._check_links(real, deep)
                elif deep and entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)

    def _holds(self, real: str) -> bool:
        return any(_is_in(real, folder) for folder in self._real)

    def _outside(self, name: str) -> Error:
        return Error("%s: lies outside of the folders that may be read (%s); they are named when cgpu-mcp is started" %
                     (_shown(name), self))


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _entries(folder: str) -> List[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _shown(name: str) -> str:
    return repr(name[:200]) if "\0" in name or not name else name[:200]
