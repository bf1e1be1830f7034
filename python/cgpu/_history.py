"""Runs over time."""
from __future__ import annotations

from typing import Iterable, List, Union

from . import _cgpu
from ._gate import runs_of
from ._printed import WordsAndTable
from ._session import Path
from ._table import Table


class History(WordsAndTable):
    """Runs in the order in which they were recorded, and where they changed. `str()` says it in words. Made by
    `cgpu.history`."""

    def __init__(self, words: List[str], tables: List[_cgpu.Table]) -> None:
        self._runs, self._changes, self._change_points, self._parts, self._latest = (Table(table) for table in tables)
        super().__init__(words, self._runs)

    @property
    def words(self) -> List[str]:
        """What changed and when, a sentence each, or that nothing did; then what else is to be known."""
        return list(self._words)

    @property
    def runs(self) -> Table:
        """The table `history`: a run, with its step time, memory and the level that it belongs to."""
        return self._runs

    @property
    def changes(self) -> Table:
        """The table `history_changes`: a quantity, and the run with which it changed."""
        return self._changes

    @property
    def change_points(self) -> Table:
        """The table `history_change_points`: a moment at which quantities changed, and the verdict on it."""
        return self._change_points

    @property
    def parts(self) -> Table:
        """The table `history_parts`: an op, kernel or another part of the runs that moved at a change point."""
        return self._parts

    @property
    def latest(self) -> Table:
        """The table `history_latest`: the last run, compared with the runs of its level before it."""
        return self._latest


def history(runs: Union[Path, Iterable[Path]]) -> History:
    """Runs over time, as `cgpu history` has them, and where their step time, memory or call tree's metric changed.

    runs   folders of .cgpu summaries, single summaries and profiles, or patterns.

    Raises Error for what cannot be read.
    """
    return History(*_cgpu.history(runs_of(runs), {}))
