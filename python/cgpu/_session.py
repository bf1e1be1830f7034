"""Opening a profile and asking it."""
from __future__ import annotations

import atexit
import builtins
import contextlib
import html
import os
import pathlib
import shutil
import tempfile
import warnings
import webbrowser
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from . import _cgpu
from ._progress import Progress, shown
from ._remote import is_remote, remote_files
from ._parameters import Parameters, Value, values_of
from ._printed import Printed
from ._table import Table, choice, number_of_rows
from ._timeline import Timeline, draw_timeline

if TYPE_CHECKING:
    from ._comparison import Diagnosis

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Time = Union[int, str]
Numbers = Union[int, str, Iterable[int]]


class DamagedProfile(UserWarning):
    """Something of a profile was lost, because the file is damaged. The table `notes` counts it."""


class Session:
    """A profile, or the ranks of one run, that is open. Made by `cgpu.open`; a context manager that closes it.

    Any number of threads may ask it at once. After a fork the child may go on with it, unless cgpu was at work in
    another thread at that moment: then every call raises `cgpu.Error`.
    """

    def __init__(self, session: _cgpu.Session, inputs: List[str]) -> None:
        self._session = session
        self._inputs = inputs
        self._tables: Optional[Table] = None  # those with rows, once that was asked

    def tables(self, *, all: bool = False) -> Table:  # pylint: disable=redefined-builtin
        """The tables that have rows for this profile: `name`, `about`, `aliases`, `subject`, `slices_by`.

        Each is computed for that once, which takes as long as a report of everything; `all`: at once those that may have rows,
        too, by what the profile holds. Whatever there is, for any profile: `cgpu.tables`.
        """
        if all:
            return Table(self._session.tables(False))
        if self._tables is None:
            self._tables = Table(self._session.tables(True))
        return self._tables

    def table(self, name: str, *, where: Optional[str] = None, sort: Optional[str] = None, top: Optional[int] = None,
              **options: Any) -> Table:
        """One table, as `cgpu table` makes it.

        name     as `tables` lists it, or an alias.
        where    only rows for which this holds: "total_ns > 1ms and name ~ gemm".
        sort     by this column: numbers descending, text ascending; "+COLUMN" and "-COLUMN" force it.
        top      only the first so many rows; 0 or None for all.
        options  of the table itself, as `cgpu table --list --format md` has them, with _ for -: names="base", per="iteration". True for
                 what is there or not, a list where several are taken.

        Raises Error for an unknown table, column or option, a condition that cannot be read, and a closed session.
        """
        return Table(self._session.table(name, *choice(where, sort, top, options)))

    def sql(self, statement: str, parameters: Optional[Parameters] = None, *, top: Optional[int] = None,
            timeout: Optional[Time] = None) -> Table:
        """All tables, and every single event, in SQL, as `cgpu sql` asks them (docs/sql.md): one statement.

        parameters  the values of each "?" in turn, or by name those of ":name": int, float, str, bytes, bool, None.
        top      only the first so many rows; 0 or None for all.
        timeout  ends a statement that takes longer: ns, or text like "500ms", "10s".

        Tables are computed when a statement first names them, and kept until the session is closed. Statements of
        several threads run one after the other. Raises Error for what is no SQL, and for whatever would write.
        """
        return Table(self._session.sql(*query_of(statement, parameters, top, timeout)))

    def export(self, path: Path, *, format: Optional[str] = None,  # pylint: disable=redefined-builtin
               arguments: bool = True, metric: Optional[str] = None) -> None:
        """Writes the profile for other tools, as `cgpu export` does: Perfetto's .pftrace, a Chrome trace .json, stacks as
        .folded (flame graphs) or .pprof, Chakra's execution traces as .et (of several ranks a file each: run.0.et, ...), each
        with .gz where it is to be compressed, or all tables as .sqlite.

        format     "pftrace", "json", "folded", "pprof", "chakra" or "sqlite", whatever the file is called.
        arguments  of the events of a trace, too; without them it is quicker and smaller.
        metric     of stacks, as in table metrics; without it the main one.

        A file that is there is replaced, once all is written. Raises Error, also for a summary, which has no timeline.
        """
        self._session.export(path_bytes(path), format or "", bool(arguments), metric or "")

    def timeline(self, from_: Optional[Time] = None, to: Optional[Time] = None, *, width: int = 1200,
                 most_tracks: int = 24) -> Timeline:
        """A picture of the timeline between two times from the start (ns, or text with a unit), `width` pixels wide: a
        row a thread or stream, of `most_tracks` the busiest. A notebook shows it; `to_svg()`, `to_png()`, `save(path)`.
        """
        return draw_timeline(self, from_, to, width, most_tracks)

    def report(self, *, names: str = "full") -> Report:
        """The whole story of the run on a page. `names`: of kernels, "full" or "base" (without types and arguments)."""
        return Report(self._session.report(names))

    def view(self, *, size_limit: int = 50, arguments: bool = True) -> View:
        """The viewer: a notebook shows it, `open()` opens it in the browser, `save(path)` keeps it.

        It is the copy in one page that `cgpu view -o` writes, of at most `size_limit` MB, with the `arguments` of events or
        without; the profile is read once more for it. The page has the engine in it where this package does, or where
        CGPU_ENGINE_PAGE names it (docs/web.md). Raises Error, also for a summary, which has no timeline.
        """
        if isinstance(size_limit, bool) or not isinstance(size_limit, int) or not 1 <= size_limit <= 4096:
            raise _cgpu.Error("size_limit=%r: a number of MB from 1 to 4096 was expected" % (size_limit,))
        return View(self._session.view(size_limit << 20, bool(arguments), _engine_page()), ", ".join(self._inputs))

    def diagnose(self, against: Union[Session, Path, Iterable[Path], None] = None) -> Diagnosis:
        """What slows the run down, how much each cause could save, and what to do; and, `against` a baseline (a session, or what
        `cgpu.open` takes, also a summary), what of that is new."""
        from ._comparison import diagnose  # pylint: disable=import-outside-toplevel

        return diagnose(self, against)

    @property
    def inputs(self) -> List[str]:
        """What was opened, as it was named."""
        return list(self._inputs)

    @property
    def warnings(self) -> List[str]:
        """What was lost of damaged files, a line each."""
        return self._session.warnings

    @property
    def closed(self) -> bool:
        """Whether it has been closed."""
        return self._session.is_closed

    def close(self) -> None:
        """Lets the profile go. Tables that were made stay as they are; those of events keep it until they are gone."""
        self._session.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<cgpu.Session of %s%s>" % (", ".join(self._inputs), " (closed)" if self.closed else "")

    def _repr_html_(self) -> str:
        text = "<p><b>cgpu.Session</b> of %s</p>" % html.escape(", ".join(self._inputs))
        return text + ("<p>closed</p>" if self.closed else self.table("info")._repr_html_())


class Report(Printed):
    """The report of a run, with pictures where HTML is shown."""

    def __init__(self, report: _cgpu.Report) -> None:
        self._report = report

    @property
    def title(self) -> str:
        """What it is about."""
        return self._report.title

    def tables(self) -> List[Table]:
        """The tables on the page, whole."""
        return [Table(table) for table in self._report.tables()]

    def to_text(self, width: int = 100) -> str:
        """For a terminal of so many columns."""
        return self._report.text(width)

    def to_markdown(self) -> str:
        """For a pull request or a wiki."""
        return self._report.markdown()

    def to_html(self) -> str:
        """One page that works from disk, offline."""
        return self._report.html()

    def save(self, path: Path) -> None:
        """Writes the page. Raises OSError."""
        with builtins.open(path, "w", encoding="utf-8") as file:
            file.write(self.to_html())

    def _repr_html_(self) -> str:
        return _in_frame(self.to_html())


def _engine_page() -> str:
    """The page with the engine that `cgpu view -o` puts a profile into; "" where there is none."""
    named = os.environ.get("CGPU_ENGINE_PAGE", "")
    if named:
        return "" if named == "none" else named
    packed = pathlib.Path(__file__).with_name("engine_page.html")
    return str(packed) if packed.is_file() else ""


class View:
    """The viewer of a profile, in one page that works from disk, offline."""

    def __init__(self, page: bytes, title: str) -> None:
        self._page = page
        self._title = title

    def to_html(self) -> str:
        """The page."""
        return self._page.decode("utf-8")

    def save(self, path: Path) -> None:
        """Writes the page. Raises OSError."""
        with builtins.open(path, "wb") as file:
            file.write(self._page)

    def open(self) -> None:
        """Opens it in the browser, from a file that stays until this program ends. Raises OSError."""
        folder = tempfile.mkdtemp(prefix="cgpu-view-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        path = pathlib.Path(folder, "view.html")
        self.save(path)
        webbrowser.open(path.as_uri())

    def __repr__(self) -> str:
        return "<cgpu.View of %s, %.1f MB>" % (self._title, len(self._page) / (1 << 20))

    def _repr_html_(self) -> str:
        return _in_frame(self.to_html())


def _in_frame(page: str) -> str:
    """For a notebook: a page in a frame of its own, so that its styles stay there."""
    return ('<iframe style="width:100%%;height:800px;border:1px solid #ccc" sandbox="allow-scripts" srcdoc="%s"></iframe>' %
            html.escape(page, quote=True))


def open(paths: Union[Path, Iterable[Path]], *, input_format: Optional[str] = None, kernel_rules: Optional[Path] = None,
         peak: Optional[str] = None, device_model: Optional[str] = None, capture: Optional[Path] = None,
         threads: int = 0, strict: bool = False,
         from_: Optional[Time] = None, to: Optional[Time] = None, step: Optional[Numbers] = None,
         rank: Optional[Numbers] = None, device: Optional[Numbers] = None, profile: Union[int, str, None] = None,
         progress: Union[bool, Progress, None] = None, storage_options: Optional[Mapping[str, Any]] = None) -> Session:
    """Opens a profile, or the ranks of one run together, and takes the part that is wanted.

    paths         a file, a folder with one file a rank, a pattern ("runs/*.json.gz"), a .cgpu summary, or several files; also
                  URLs ("s3://bucket/run/*.json.gz"), which fsspec reads in parts as they are needed.
    input_format  reads them as this format instead of recognising it by the content.
    kernel_rules  a file with rules for kernel classes, asked before the built-in ones.
    peak          peak rates of devices that are not known, like "bf16=400TFLOP/s,memory=2TB/s".
    device_model  what the devices are, where the profile does not say it, like "MI300X".
    capture       the profile of the capture of the graphs that the input replays; without it those in a folder
                  capture_traces beside the input.
    threads       to read with; 0 for one a processor.
    strict        raises Error for damaged input, which is a DamagedProfile warning otherwise.
    from_, to     only what lies between these times from the start: ns, or text like "250us", "1.5ms", "2s".
    step          only this iteration, or these: 3, "2-5".
    rank, device  only these: 0, "0,2,8-15", range(4).
    profile       only this thread or stream of a call tree: its name or its number in the table `profiles`.
    progress      called now and then as progress(phase, share), with phase "reading" or "linking" and share, from 0 to 1,
                  of that phase; what it raises ends the opening. True shows a bar on a terminal's stderr, in a notebook
                  there is one unless it is False; both after half a second, and gone at the end.
    storage_options  options of fsspec for URLs: {"anon": True}.

    All ranks stay open; memory is what they need together (`cgpu table` opens them one after another instead). Ctrl-C
    stops it. Raises Error for what cannot be read, MemoryError where there is too little memory.
    """
    inputs = input_names(paths, storage_options)
    if not inputs:
        raise _cgpu.Error("no input was given: name a file, a folder of rank files or a pattern")
    if isinstance(threads, bool) or not isinstance(threads, int) or not 0 <= threads < 2**31:
        raise _cgpu.Error("threads=%r: a number was expected, 0 for one a processor" % (threads,))
    files = {word: None if path is None else os.fsdecode(path)
             for word, path in (("kernel_rules", kernel_rules), ("capture", capture))}
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise _cgpu.Error("progress=%r: True, False or what can be called as progress(phase, share) was expected" % (progress,))
    words = {**files, "input_format": input_format, "peak": peak, "device_model": device_model, "profile": profile}
    given = {**given_words(words), **part_words(from_, to, step, rank, device)}
    with shown(progress, os.path.basename(os.fsdecode(inputs[0])) or os.fsdecode(inputs[0])) as told:
        session = _cgpu.open(inputs, given, threads, bool(strict), told)
    for line in session.warnings:
        warnings.warn(line, DamagedProfile, stacklevel=2)
    return Session(session, [os.fsdecode(one) for one in inputs])


def sql(statement: str, runs: Union[Session, Path, Iterable[Path], Mapping[str, Union[Session, Path, Iterable[Path]]]],
        parameters: Optional[Parameters] = None, *, top: Optional[int] = None, timeout: Optional[Time] = None) -> Table:
    """One run, or several by name, in one statement of SQL: each is a schema of its name.

        cgpu.sql("SELECT name, b.total_ns - a.total_ns AS delta_ns FROM a.kernels a JOIN b.kernels b USING (name)",
                 {"a": "before.json.gz", "b": after})

    A run is a session, or what `open` takes (several paths are ranks of one run), which is opened for this statement alone.
    `parameters`, `top` and `timeout` as in `Session.sql`. Schema `runs` has the tables of all runs below each other, and of
    two profiles schema `compare` what changed from the first to the second. What is computed for it is not kept. Raises
    Error.
    """
    by_name = runs if isinstance(runs, Mapping) else {"main": runs}
    if not by_name:
        raise _cgpu.Error("sql: give a run, or several by name, like {\"a\": before, \"b\": after}")
    query = query_of(statement, parameters, top, timeout)
    with contextlib.ExitStack() as opened:
        sessions = {name: run if isinstance(run, Session) else opened.enter_context(open(run)) for name, run in by_name.items()}
        return Table(_cgpu.sql({name: session._session for name, session in sessions.items()}).query(*query))


def query_of(statement: str, parameters: Optional[Parameters], top: Optional[int], timeout: Optional[Time]
             ) -> Tuple[str, Union[Dict[str, Value], List[Value]], int, str]:
    """As the module takes it. Raises Error."""
    if not isinstance(statement, str):
        raise _cgpu.Error("%r: a statement of SQL was expected" % (statement,))
    return statement, values_of(parameters), number_of_rows(top), "" if timeout is None else str(timeout)


def several(paths: Union[Path, Iterable[Path]]) -> List[Path]:
    """One by itself, or those that are listed."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        return [paths]
    try:
        return list(paths)
    except TypeError:
        raise _cgpu.Error("%r: the path of a file or a folder was expected, or several" % (paths,)) from None


def input_names(paths: Union[Path, Iterable[Path]], storage_options: Optional[Mapping[str, Any]] = None) -> List[bytes]:
    """What inputs are called: paths as the system names them, and the files that URLs stand for. Raises Error."""
    names: List[bytes] = []
    for path in several(paths):
        if isinstance(path, str) and is_remote(path):
            names += map(os.fsencode, remote_files(path, storage_options))
        else:
            names.append(path_bytes(path))
    return names


def path_bytes(path: Path) -> bytes:
    """As the system names it. Raises Error for what is no path."""
    try:
        name = os.fsencode(path)
    except TypeError:
        raise _cgpu.Error("%r: the path of a file or a folder was expected" % (path,)) from None
    if not name or b"\0" in name:
        raise _cgpu.Error("%r: is no path" % (path,))
    return name


def given_words(words: Mapping[str, object]) -> Dict[str, str]:
    """Options as the module takes them: those that are given."""
    return {word: str(value) for word, value in words.items() if value is not None}


def part_words(from_: Optional[Time], to: Optional[Time], step: Optional[Numbers], rank: Optional[Numbers],
               device: Optional[Numbers]) -> Dict[str, str]:
    """The same of the options that choose a part of a run."""
    return given_words({"from": from_, "to": to, "step": numbers_text(step), "rank": numbers_text(rank),
                        "device": numbers_text(device)})


def numbers_text(numbers: Optional[Numbers]) -> Optional[str]:
    """As the command line lists them: a number, a text as it is, or several numbers."""
    if numbers is None or isinstance(numbers, (int, str)):
        return None if numbers is None else str(numbers)
    listed = ",".join(str(number) for number in numbers)
    if not listed:
        raise _cgpu.Error("an empty list of numbers selects nothing: leave it out for all")
    return listed
