"""Runs against a baseline."""
from __future__ import annotations

import glob
import html
import os
from typing import Iterable, List, Optional, Union

from . import _cgpu
from ._printed import Printed
from ._remote import is_remote
from ._session import Numbers, Path, Time, input_names, part_words, path_bytes, several
from ._table import Table


class Check(Printed):
    """Whether the runs of a candidate are slower than those of a baseline, or take more memory, and whether that is sure.
    `str()` says it in words; as a condition it is whether nothing counts against the candidate. Made by `cgpu.check`."""

    def __init__(self, check: _cgpu.Check) -> None:
        self._check = check

    @property
    def outcome(self) -> str:
        """"pass", "regression", "inconclusive" or "not comparable"."""
        return self._check.outcome

    @property
    def exit_code(self) -> int:
        """What `cgpu check` would end with: 0 pass, 1 regression, 3 inconclusive, 4 not comparable; `inconclusive` of
        `cgpu.check` decides what the third counts as."""
        return self._check.exit_code

    @property
    def headline(self) -> str:
        """What is the matter, in a sentence."""
        return self._check.headline

    def tables(self) -> List[Table]:
        """The tables `check` (a row a rule), `check_times`, `check_memory`, `check_parts`,
        `check_calls` and `check_runs`."""
        return [Table(table) for table in self._check.tables()]

    def table(self, name: str) -> Table:
        """One of them. Raises Error."""
        tables = self.tables()
        for table in tables:
            if table.name == name:
                return table
        raise _cgpu.Error("%s: is none of the tables %s" % (name, ", ".join(table.name for table in tables)))

    def to_text(self, width: int = 100) -> str:
        """For a terminal of so many columns."""
        return self._check.text(width)

    def to_markdown(self) -> str:
        """For a pull request."""
        return self._check.markdown()

    def __bool__(self) -> bool:
        return self.exit_code == 0

    def _repr_html_(self) -> str:
        return "<pre>%s</pre>%s" % (html.escape(self.headline), self.table("check")._repr_html_())


def check(baseline: Union[Path, Iterable[Path]], candidate: Union[Path, Iterable[Path]], *,
          tolerance: Union[str, float] = "5%", floor: Time = "100us", allow: Iterable[str] = (),
          inconclusive: str = "report", metric: str = "", from_: Optional[Time] = None,
          to: Optional[Time] = None, step: Optional[Numbers] = None, rank: Optional[Numbers] = None, device: Optional[Numbers] = None) -> Check:
    """Holds runs against a baseline, as `cgpu check` does (docs/gate.md).

    baseline, candidate  runs: each a profile, a folder of rank files or a .cgpu summary, or a pattern for several.
    tolerance     slowdown that does not matter: "5%", or 5 for the same.
    floor         change of a time that does not matter: ns, or text like "100us".
    allow         compare although these differ: "devices", "shapes", "iterations", "clocks".
    inconclusive  what it counts as where the runs cannot decide: "report", "pass" or "fail".
    metric        of call trees the one to compare; without it the main one, where the runs have no iterations.
    from_, to, step, rank, device  only this part of every run, as `cgpu.open` takes it.

    Raises Error for what cannot be read.
    """
    allowed = [allow] if isinstance(allow, str) else list(allow)
    return Check(_cgpu.check(runs_of(baseline), runs_of(candidate), str(tolerance), str(floor), allowed, inconclusive,
                             metric, part_words(from_, to, step, rank, device)))


def runs_of(paths: Union[Path, Iterable[Path]]) -> List[bytes]:
    """As `cgpu check` takes them: a pattern stands for what matches, in order of the names."""
    runs: List[bytes] = []
    for given in several(paths):
        if is_remote(given):
            runs += input_names(given)
            continue
        path = path_bytes(given)
        if not any(sign in path for sign in b"*?[") or os.path.exists(path):
            runs.append(path)
            continue
        found = sorted(glob.glob(path))
        if not found:
            raise _cgpu.Error("%s: no file or folder matches" % os.fsdecode(path))
        runs += found
    if not runs:
        raise _cgpu.Error("no run was given: name files, folders of rank files or a pattern")
    return runs
