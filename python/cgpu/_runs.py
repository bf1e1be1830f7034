"""Many runs as one object: what they say of themselves, groups of them, and their tables one below the other."""
from __future__ import annotations

import os
import threading
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _cgpu
from ._gate import runs_of
from ._printed import WordsAndTable
from ._session import Numbers, Path, Session, Time, open as open_profile, part_words
from ._table import Column, Table, made_table

Metadata = Union[Mapping[str, Mapping[str, Any]], Callable[[str], Mapping[str, Any]]]
_NOT_SAID = "(none)"
_RUN = Column("run", "text", "", "name of the run", "key")


class _Run:
    """One of them: how it is called, what to open, and what was found of it once."""

    def __init__(self, name: str, path: bytes, options: Dict[str, Any], said: Mapping[str, Any]) -> None:
        self.name = name
        self.path = path
        self.options = options
        self.said = dict(said)
        self._figures: Dict[str, _cgpu.Figures] = {}  # by metric
        self._lock = threading.Lock()

    def open(self) -> Session:
        return open_profile(os.fsdecode(self.path), progress=False, **self.options)

    def figures(self, metric: str) -> _cgpu.Figures:
        """What is kept of it."""
        with self._lock:
            if metric not in self._figures:
                self._figures[metric] = _cgpu.figures(self.path, metric, part_words(**self.options))
            return self._figures[metric]

    def metadata(self, metric: str) -> Dict[str, Any]:
        """What was given, before what it says of itself."""
        properties = self.figures(metric).properties
        return {**self.said, **{key: value for key, value in properties.items() if key not in self.said}}


class ComparedRuns(WordsAndTable):
    """How runs vary, and groups of them differ. `str()` says it in words. Made by `Runs.compare`."""

    def __init__(self, words: List[str], tables: List[_cgpu.Table]) -> None:
        self._tables = [Table(table) for table in tables]
        super().__init__(words, self._tables[0])

    @property
    def words(self) -> List[str]:
        """Sentences about them."""
        return list(self._words)

    @property
    def runs(self) -> Table:
        """The table `compare_runs`: a run, with its step time, memory and figures."""
        return self._tables[0]

    @property
    def groups(self) -> Table:
        """The table `compare_groups`: runs with the same property; without rows where they were not grouped."""
        return self._tables[1]

    @property
    def statistics(self) -> Table:
        """The table `compare_statistics`: of each quantity, op, kernel, layer or call path how runs of a group vary."""
        return self._tables[2]


class Runs:
    """Runs by name: `len(runs)`, `for name in runs`, and `runs["name"]`, which opens that one. Made by `cgpu.runs`.

    Nothing stays open: each run is opened for what is asked, one after the other, and let go. What it says of itself and
    its figures are kept, so that they are read once. Selections (`filter`, `groupby`) share them.
    """

    def __init__(self, runs: Sequence[_Run], metric: str) -> None:
        self._runs = list(runs)
        self._metric = metric

    @property
    def names(self) -> List[str]:
        """Of the runs, in their order."""
        return [run.name for run in self._runs]

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __getitem__(self, name: str) -> Session:
        """That run, opened. Raises KeyError, Error."""
        for run in self._runs:
            if run.name == name:
                return run.open()
        raise KeyError("no run is called %s (there are: %s)" % (name, ", ".join(self.names)))

    def __repr__(self) -> str:
        return "<cgpu.Runs: %d, %s>" % (len(self), ", ".join(self.names[:4]) + (", ..." if len(self) > 4 else ""))

    def _repr_html_(self) -> str:
        return self.metadata._repr_html_()

    # What they say of themselves.

    @property
    def metadata(self) -> Table:
        """A row a run: its name, what was given of it, and what its table `info` says. Numbers are numbers where a key has
        nothing else."""
        rows = self._metadata()
        keys = list(dict.fromkeys(key for row in rows for key in row))
        columns, values = [_RUN], [list(self.names)]
        for key in keys:
            column, of = _typed(key, [row.get(key) for row in rows])
            columns.append(column)
            values.append(of)
        return made_table("metadata", "what runs say of themselves, and what was given of them", columns, values)

    def filter(self, condition: Optional[Callable[[Dict[str, Any]], bool]] = None, **values: Any) -> Runs:
        """Those runs whose row of `metadata` fulfils the condition, and has these values: `runs.filter(device_names="H100")`,
        `runs.filter(lambda run: run["world_size"] > 4)`. Raises Error for a key that no run has."""
        rows = self.metadata.to_dicts()
        for key in values:
            self._check(key, rows)
        return self._chosen(row for row in rows
                            if all(row[key] == value for key, value in values.items()) and (condition is None or condition(row)))

    def groupby(self, key: str) -> Dict[Any, Runs]:
        """The runs by the value of a key of `metadata`, in order of it; those without it come last, under None. Raises Error
        for a key that no run has."""
        rows = self.metadata.to_dicts()
        self._check(key, rows)
        groups: Dict[Any, List[Dict[str, Any]]] = {}
        for row in rows:
            groups.setdefault(row[key], []).append(row)
        return {value: self._chosen(groups[value]) for value in sorted(groups, key=lambda value: (value is None, value))}

    # Their tables.

    def table(self, name: str, *, metadata: Iterable[str] = (), where: Optional[str] = None, sort: Optional[str] = None,
              top: Optional[int] = None, **options: Any) -> Table:
        """A table of all runs, one below the other: the column `run`, these keys of `metadata`, then those of the table.

        `where`, `sort`, `top` and options as in `Session.table`, of each run by itself. A column that a run does not have is
        absent there. Raises Error.
        """
        said = self.metadata
        keys = [said.columns[said.column_names.index(key)] for key in metadata if self._check(key, said.to_dicts())]
        columns: Dict[str, Column] = {}
        parts: List[Tuple[Dict[str, Any], List[Dict[str, Any]]]] = []
        about = ""
        for run, of_run in zip(self._runs, said):
            with run.open() as session:
                table = session.table(name, where=where, sort=sort, top=top, **options)
                about = table.about
                for column in table.columns:
                    columns.setdefault(column.name, column)
                parts.append(({"run": run.name, **{key.name: of_run[key.name] for key in keys}}, table.to_dicts()))
        every = [_RUN, *keys]
        own = [column for column in columns.values() if column.name not in {one.name for one in every}]
        values = [[head[column.name] for head, rows in parts for _ in rows] for column in every]
        values += [[row.get(column.name) for _, rows in parts for row in rows] for column in own]
        return made_table(name, about, [*every, *own], values)

    def compare(self, by: str = "") -> ComparedRuns:
        """How the runs vary, over all of them, or over groups with the same value of this key of `metadata`; the
        others are compared with the first one: what `cgpu compare RUN RUN RUN... --by KEY` says. Raises Error."""
        if not self._runs:
            raise _cgpu.Error("no run is left to compare")
        rows = self._metadata()
        if by:
            self._check(by, rows)
        groups = [_NOT_SAID if by and row.get(by) is None else str(row.get(by, "")) for row in rows]
        figures = [run.figures(self._metric) for run in self._runs]
        return ComparedRuns(*_cgpu.compare_runs(figures, self.names, groups if by else [""] * len(rows), by))

    def statistics(self, by: str = "") -> Table:
        """The table of statistics of `compare`: mean, interval, median, deviation, least and most of each quantity, op and
        kernel over the runs of a group. Raises Error."""
        return self.compare(by).statistics

    def _metadata(self) -> List[Dict[str, Any]]:
        return [run.metadata(self._metric) for run in self._runs]

    def _check(self, key: str, rows: List[Dict[str, Any]]) -> bool:
        """Raises Error for a key that no run has."""
        keys = sorted({each for row in rows for each in row})
        if key not in keys:
            raise _cgpu.Error("%s: no run says that of itself; they say %s" % (key, ", ".join(keys)))
        return True

    def _chosen(self, rows: Iterable[Dict[str, Any]]) -> Runs:
        names = {row["run"] for row in rows}
        return Runs([run for run in self._runs if run.name in names], self._metric)


def runs(paths: Union[Path, Iterable[Path], Mapping[str, Path]], *, metadata: Optional[Metadata] = None, metric: str = "",
         from_: Optional[Time] = None, to: Optional[Time] = None, step: Optional[Numbers] = None,
         rank: Optional[Numbers] = None, device: Optional[Numbers] = None) -> Runs:
    """Many runs as one object, to filter, to group and to compare; what Thicket does with call trees, for all profiles.

    paths     runs: each a profile, a folder of rank files or a .cgpu summary; patterns stand for several. A dict gives them
              names, else they are called as their paths.
    metadata  what a run was made with, where it does not say it: {name: {"batch": 32}}, or a function from name to such a dict.
    metric    of call trees the one to compare; without it the main one, where the runs have no timeline.
    from_, to, step, rank, device  only this part of every run, as `cgpu.open` takes it.

    Raises Error for what cannot be read; files are looked at when something is asked.
    """
    if isinstance(paths, Mapping):
        named = [(name, path) for name, given in paths.items() for path in runs_of(given)]
        if len(named) != len(paths):
            raise _cgpu.Error("runs: a name is of one run: give one path, or a folder of rank files, for each")
    else:
        named = [(os.fsdecode(path), path) for path in dict.fromkeys(runs_of(paths))]
    options = {"from_": from_, "to": to, "step": step, "rank": rank, "device": device}
    said: Callable[[str], Mapping[str, Any]] = metadata if callable(metadata) else lambda name: (metadata or {}).get(name, {})
    if isinstance(metadata, Mapping) and (unknown := [name for name in metadata if name not in dict(named)]):
        raise _cgpu.Error("metadata: no run is called %s (there are: %s)" % (unknown[0], ", ".join(dict(named))))
    made = [_Run(name, path, options, said(name)) for name, path in named]
    if not metric and made and (of_first := made[0].figures("").metric):
        metric = of_first  # of the call trees of all
    return Runs(made, metric)


def _typed(key: str, values: List[Any]) -> Tuple[Column, List[Any]]:
    """A column of values: of integers or numbers where all are or say them, else of texts."""
    for name, kind in (("int", int), ("float", float)):
        typed = [None if value is None else _number(value, kind) for value in values]
        if all((value is None) == (of is None) for value, of in zip(values, typed)) and any(of is not None for of in typed):
            return Column(key, name, "", "what runs say of it", "key"), typed
    return Column(key, "text", "", "what runs say of it", "key"), [None if value is None else str(value) for value in values]


def _number(value: Any, kind: Callable[[Any], Any]) -> Any:
    """The value as int or float, where it is one or is written as one; else None."""
    try:
        number = kind(value)
    except (TypeError, ValueError):
        return None
    return number if number == value or str(number) == value else None
