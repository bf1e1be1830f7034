"""The tools: each is a question with its arguments, and how it is answered. Nothing of the protocol is here."""
from __future__ import annotations

import itertools
import os
import re
from typing import Annotated, Any, ClassVar, Dict, List, Literal, Optional, Sequence, Union

from pydantic import BaseModel, ConfigDict, Field

from .. import Column, Error, Table, compare, sql as sql_of_runs
from .._cgpu import can_be_opened, nanoseconds
from .answer import Answer, NEXT
from .explain import explain_name, explain_part, idle_hosts
from .folders import MOST_LISTED
from .runs import Run, Runs, words_of
from .words import command_line, quoted, short_time

_MOST_TIME_OF_SQL = "30s"
_MOST_ROWS = 1000
_SUMMARY_WIDTH = 110
_WHERE_TIME_GOES = (("kernels", "total_ns"), ("ops", "cpu_self_ns"), ("functions", ""),
                    ("launch_metrics", "duration_ns"), ("et_ops", "total_ns"))
_NAMES_LISTED, _FOLDERS_LISTED = 90, 30

Handle = Annotated[str, Field(max_length=100, description="a handle that open gave: r1; or the name of the file that was opened")]
Time = Annotated[
    Union[int, Annotated[str, Field(max_length=40)], None],
    Field(default=None, description="from the start of the profile: ns, or \"250us\", \"1.5ms\", \"2s\"")]
Numbers = Annotated[
    Union[int, Annotated[str, Field(max_length=1000)], None],
    Field(default=None, description="a number, or \"0,2,8-15\"")]
Path = Annotated[str, Field(max_length=4000)]
Condition = Annotated[
    str,
    Field(default="", max_length=4000,
          description="only rows for which this holds: total_ns > 1ms and name ~ gemm (~ is a regular expression)")]
OrderBy = Annotated[str,
                   Field(default="", max_length=200, description="order by this column; -COLUMN or +COLUMN forces it")]
Rows = Annotated[int, Field(default=20, ge=1, le=_MOST_ROWS, description="how many rows, as far as they fit")]
Skip = Annotated[int, Field(default=0, ge=0, le=10**12, description="leave out so many rows before")]


class Tool(BaseModel):
    """A question. The fields are its arguments; the first line of the documentation says when to ask it."""

    model_config = ConfigDict(extra="forbid")
    title: ClassVar[str]

    def answer(self, runs: Runs) -> Answer:
        """Raises Error for what cannot be answered."""
        raise NotImplementedError


class Open(Tool):
    """Opens a profile and says in short what it is and where its time went. Begin here.

    Without paths: the files that can be opened, and the runs that are open. Several paths, a folder or a pattern are
    the ranks of one run. The answer gives a handle (r1) for the other tools; the same input gives the same one again.
    """

    title = "Open and summarise a profile"
    paths: Annotated[List[Path],
                     Field(default_factory=list, max_length=4096,
                           description="files, folders or patterns, in the folders that the server may read")]
    from_: Time = Field(default=None, alias="from")
    to: Time
    step: Numbers
    rank: Numbers
    device: Numbers
    capture: Annotated[
        str,
        Field(default="", max_length=4000, description="the profile of the capture of the graphs that the run replays")]
    kernel_rules: Annotated[str, Field(default="", max_length=4000, description="a file with rules for kernel classes")]
    peak: Annotated[str,
                    Field(default="", max_length=1000,
                          description="peak rates of devices that are not known: bf16=400TFLOP/s,memory=2TB/s")]
    folder: Annotated[str, Field(default="", max_length=4000, description="without paths: list this folder alone")]
    close: Annotated[
        str, Field(default="", max_length=100, description="a handle to let go of before, which frees its memory")]

    def answer(self, runs: Runs) -> Answer:
        if self.close:
            runs.close(self.close)
        if not self.paths:
            return self._list(runs)
        run = runs.open(
            self.paths, {
                "from_": self.from_, "to": self.to, "step": self.step, "rank": self.rank, "device": self.device,
                "capture": self.capture, "kernel_rules": self.kernel_rules, "peak": self.peak
            })
        answer = Answer(run.command("report"))
        answer.add("%s is open: %s" % (run.handle, _shown(run.inputs)))
        answer.add(about(run))
        for line in run.session.warnings[:5]:
            answer.add("Damaged: " + line)
        answer.add("Tables: " + ", ".join(run.session.tables(all=True)["name"]))  # quick: none is computed
        answer.add(
            "Next: diagnose (why it is slow, what to do), explain (a part of the time, or an op), table, sql, find, "
            "timeline; compare with another run.")
        return answer

    def _list(self, runs: Runs) -> Answer:
        answer = Answer(
            command_line(["ls", "-R", *([runs.folders.folder(self.folder)] if self.folder else runs.folders.all())]))
        if self.close:
            answer.add("%s is closed." % self.close)
        for run in runs.all():
            answer.add("%s is open: %s %s" % (run.handle, _shown(run.inputs), command_line(words_of(run.options))))
        _add_files(answer, runs, self.folder)
        return answer


class Diagnose(Tool):
    """Why is it slow? What slows the run down, what each cause costs, and what to do, most to gain first.

    With `against`, a run before: which findings are new, grown, shrunk or gone.
    """

    title = "Diagnose"
    run: Handle
    against: Annotated[str, Field(default="", max_length=100, description="the handle of a run to compare with")]
    rules: Annotated[str,
                     Field(default="", max_length=4000, description="a file with thresholds and rules of your own")]

    def answer(self, runs: Runs) -> Answer:
        run = runs.get(self.run)
        if self.against and self.rules:
            raise Error("diagnose: give rules or against, not both")
        if self.against:
            before = runs.get(self.against)
            diagnosis = run.session.diagnose(before.session)
            answer = Answer(run.command("diagnose", against=before.place))
            answer.add(about(run))
            answer.add("Against %s:\n%s" % (before.handle, diagnosis.changes))
            rows = diagnosis.findings.to_dicts()
        else:
            options = {"rules": runs.folders.file(self.rules)} if self.rules else {}
            answer = Answer(run.command("diagnose", **options))
            answer.add(about(run))
            rows = run.session.table("findings", **options).to_dicts()
        is_explained = any(row["severity"] != "info" for row in rows)
        if not is_explained:
            answer.add("No finding has a potential saving of 3 % of the time or more, as far as the rules "
                       "know; most of them look for what keeps devices waiting.")
        for row in rows:
            answer.add(_finding(row, run))
        culprits = idle_hosts(run.session, 4)
        if culprits:
            answer.add("Who kept devices idle: " + "; ".join(culprits))
        if not is_explained:
            _add_where_time_goes(answer, run)
        return answer


class Explain(Tool):
    """What happens in a part of the time, or what an op, kernel, call, function or cause of idle time is and costs.

    Give `from` and `to` for a part of the time, or `name` for what has that name (or matches it as a regular
    expression); data_loading is a cause of idle time.
    """

    title = "Explain a part of the time, or an op"
    run: Handle
    from_: Time = Field(default=None, alias="from")
    to: Time
    name: Annotated[str, Field(default="", max_length=2000, description="the full name, or a regular expression")]

    def answer(self, runs: Runs) -> Answer:
        run = runs.get(self.run)
        if self.name:
            if self.from_ is not None or self.to is not None:
                raise Error("explain: give a name, or from and to; find takes both")
            return explain_name(run, self.name)
        if self.from_ is None and self.to is None:
            raise Error("explain: give a name, or from and to")
        return explain_part(runs, run, self.from_, self.to)


class Compare(Tool):
    """What changed from run a, the one before, to run b, and what explains it: the parts add up to the change."""

    title = "Compare two runs"
    a: Handle
    b: Handle
    table: Annotated[str,
                     Field(default="causes", max_length=100,
                           description="causes, summary, ops, kernels, idle, findings, ... (\"list\" names all)")]
    by: Annotated[
        str,
        Field(default="", max_length=100, description="of table ops: op, top or shapes; of kernels: kernel or class")]
    where: Condition
    sort: OrderBy
    top: Rows
    skip: Skip

    def answer(self, runs: Runs) -> Answer:
        a, b = runs.get(self.a), runs.get(self.b)
        compared = compare(a.session, b.session)
        words = ["cgpu", "compare", a.place, b.place]
        if self.table == "list":
            answer = Answer("cgpu compare --list")
            answer.add_rows(["table", "about"], ([row["name"], row["about"]] for row in compared.tables()))
            return answer
        chosen = {"where": self.where, "sort": self.sort, "by": self.by}
        answer = Answer(
            command_line(words if self.table == "causes" and not any(chosen.values()) else words +
                         ["--table", self.table] + words_of(chosen) + ["--top", "0"]))
        if a.options or b.options:
            answer.leave_out("the command takes both runs whole; what is above is of the parts that were opened")
        table = compared.table(self.table.replace("compare_", "", 1), where=self.where, sort=self.sort,
                               **({"by": self.by} if self.by else {}))
        if self.table == "causes" and not self.skip:
            answer.add(compared.words)
        told = ("text", "start_a_ns", "end_a_ns", "start_b_ns", "end_b_ns") if self.table == "causes" else ()
        _add_table(answer, table, self.top, self.skip, [name for name in table.column_names if name not in told])
        return answer


class AskTable(Tool):
    """Rows of a table of the run: kernels, ops, idle, steps, memory, collectives, call trees, single events, ...

    Without `table`: all tables that have rows, with what they tell. With `describe`: the columns with their units and
    meanings instead of rows. The values are exact: times in whole ns."""

    title = "Query a table"
    run: Handle
    table: Annotated[str, Field(default="", max_length=100)]
    where: Condition
    sort: OrderBy
    columns: Annotated[List[Annotated[str, Field(max_length=200)]],
                       Field(default_factory=list, max_length=200, description="only these columns")]
    top: Rows
    skip: Skip
    describe: Annotated[bool, Field(default=False, description="the columns instead of rows")]
    options: Annotated[
        Dict[str, Union[str, bool, int, float, List[str]]],
        Field(
            default_factory=dict, max_length=20, description=
            "of the table itself: {\"names\": \"base\"} for kernels without types, {\"by\": \"name\"} for "
            "critical_path, "
            "{\"scale\": \"gemm=0.5\"} for whatif, ...")]

    def answer(self, runs: Runs) -> Answer:
        run = runs.get(self.run)
        if not self.table:
            answer = Answer(run.command("table", "--list"))
            tables = run.session.tables()
            answer.add_rows(["table", "about"], ([row["name"], row["about"]]
                                                 for row in itertools.islice(tables, self.skip, None)), self.skip,
                            len(tables))
            return answer
        options = dict(self.options)
        if "rules" in options:
            options["rules"] = runs.folders.file(str(options["rules"]))
        flags = {name.replace("_", "-"): "" if value is True else value for name, value in options.items()}
        words = [
            word for name, value in flags.items() for each in (value if isinstance(value, list) else [value])
            for word in (["--" + name] if each == "" else ["--" + name, str(each)])
        ]
        command = run.command("table", self.table, *words, where=self.where, sort=self.sort)
        table = run.session.table(self.table, where=self.where, sort=self.sort, **options)
        if self.describe:
            answer = Answer(command + " --format json")
            answer.add("%s: %s. %d rows." % (table.name, table.about, len(table)))
            answer.add_rows(["column", "unit", "meaning"], ([c.name, c.unit, c.about] for c in table.columns))
            return answer
        answer = Answer(command + " --format csv")
        answer.add("%s: %s%s" %
                   (table.name, table.about, " (figures an iteration)" if table.per == "iteration" else ""))
        _add_table(answer, table, self.top, self.skip, self.columns)
        return answer


class Sql(Tool):
    """One statement of SQL (SQLite's) over all tables and every single event; joins of runs.

    Of one run: SELECT name, total_ns FROM kernels. Of several, each handle, or the name that you give it, is a schema:
    SELECT name, b.total_ns - a.total_ns AS delta_ns FROM r1.kernels a JOIN r2.kernels b USING (name). Events: slices (slice, parent, track,
    start_ns, duration_ns, name, kind), device_slices (launch is the slice of its call; step, op, module and range launched it),
    links, waits, counter_samples. Of two runs, compare_causes and the other tables of compare; of several, runs.kernels has
    the kernels of all with a column run. Functions besides SQLite's: span_union(start, end), percentile(x, p), median(x),
    overlap(a, b, c, d), class(name), text REGEXP pattern; tables: arguments(slice), ancestors(slice), descendants(slice),
    interval_intersect('device_slices', 'steps', 'rank'). SELECT * FROM pragma_table_info('kernels') has the columns.
    """

    title = "Ask in SQL"
    runs: Annotated[
        Union[Annotated[List[Handle], Field(min_length=1, max_length=8)],
              Annotated[Dict[str, Handle], Field(min_length=1, max_length=8)]],
        Field(description="handles: [\"r1\"] or [\"r1\", \"r2\"]; or with names of their own: {\"before\": \"r1\", \"after\": \"r2\"}")]
    query: Annotated[str, Field(max_length=20000)]
    top: Rows

    def answer(self, runs: Runs) -> Answer:
        if isinstance(self.runs, dict):
            for name in self.runs:
                if not re.fullmatch(r"[A-Za-z_]\w{0,60}", name, re.ASCII):
                    raise Error("sql: runs: %s: a name of letters, digits and _ was expected" % name[:100])
            by_name = {name: runs.get(handle) for name, handle in self.runs.items()}
        else:
            by_name = {run.handle: run for run in map(runs.get, self.runs)}
        opened = list(by_name.values())
        if len(opened) == 1 and not isinstance(self.runs, dict):
            command = opened[0].command("sql", self.query, top=0)
            result = opened[0].session.sql(self.query, top=self.top + 1, timeout=_MOST_TIME_OF_SQL)
        else:
            named = ["%s=%s" % (name, path) for name, run in by_name.items() for path in run.inputs]
            command = command_line(["cgpu", "sql", *named, self.query, "--top", "0"])
            sessions = {name: run.session for name, run in by_name.items()}
            result = sql_of_runs(self.query, sessions, top=self.top + 1, timeout=_MOST_TIME_OF_SQL)
        answer = Answer(command)
        if len(opened) > 1 and any(run.options for run in opened):
            answer.leave_out("the command takes the runs whole; the rows are of the parts that were opened")
        more = "LIMIT and OFFSET choose, top shows up to %d" % _MOST_ROWS
        shown = answer.add_rows(map(_heading, result.columns), itertools.islice(result._rows(), self.top), more=more)
        if shown == self.top < len(result):
            answer.leave_out("rows after the first %d; %s" % (shown, more))
        return answer


class Find(Tool):
    """Single slices (events with a duration) by name, time, length and place: the longest first, or in order of time.

    Also says how many there are and how long they are. The numbers `slice` and `track` join with tables in sql.
    """

    title = "Find slices"
    run: Handle
    name: Annotated[
        str,
        Field(default="", max_length=2000, description="a regular expression, anywhere in the name; gemm|conv")]
    kind: Annotated[
        str,
        Field(default="", max_length=100,
              description="kernel, memcpy, memset, framework_op, runtime_call, annotation, python_function, ...")]
    from_: Time = Field(default=None, alias="from")
    to: Time
    longer_than: Time = Field(default=None, description="a length: ns, or \"1ms\"")
    rank: Annotated[Optional[int], Field(default=None, ge=-2**62, le=2**62)]
    device: Annotated[Optional[int], Field(default=None, ge=-2**62, le=2**62)]
    order: Annotated[Literal["duration", "time"], Field(default="duration")]
    top: Rows
    skip: Skip

    def answer(self, runs: Runs) -> Answer:
        run = runs.get(self.run)
        where = self._condition()
        order = "duration_ns DESC, start_ns, slice" if self.order == "duration" else "start_ns, slice"
        columns = "slice, start_ns, duration_ns, name, kind, rank, track, device, stream"
        query = "SELECT %s FROM slices WHERE %s ORDER BY %s" % (columns, where, order)
        answer = Answer(run.command("sql", query, top=0))
        (figures, ) = run.session.sql(
            "SELECT count(*) AS count, count(DISTINCT name) AS names, sum(duration_ns) AS total_ns, "
            "min(duration_ns) AS min_ns, "
            "median(duration_ns) AS median_ns, max(duration_ns) AS max_ns FROM slices WHERE " + where,
            timeout=_MOST_TIME_OF_SQL)
        if not figures["count"]:
            names = run.session.sql("SELECT count(*) AS count FROM slices")[0]["count"]
            answer.add("No slice is like that, of %s." %
                       format(names, ",") if names else "The profile has no slices: it has no timeline. Its tables: " +
                       ", ".join(run.session.tables()["name"]))
            return answer
        answer.add("%s slices of %s names: together %d ns, shortest %d, median %.1f, longest %d ns." %
                   (format(figures["count"], ","), format(figures["names"], ","), figures["total_ns"],
                    figures["min_ns"], figures["median_ns"], figures["max_ns"]))
        rows = run.session.sql("%s LIMIT %d OFFSET %d" % (query, self.top, self.skip), timeout=_MOST_TIME_OF_SQL)
        answer.add_rows(rows.column_names, rows._rows(), self.skip, figures["count"],
                        NEXT + ", fewer with name, from, to, longer_than")
        return answer

    def _condition(self) -> str:
        times = {
            name: None if value is None else nanoseconds(str(value), name)
            for name, value in (("from", self.from_), ("to", self.to), ("longer_than", self.longer_than))
        }
        conditions = []
        if self.name:
            conditions.append("name REGEXP %s" % quoted(self.name))
        if self.kind:
            conditions.append("kind = %s" % quoted(self.kind))
        if times["from"] is not None:
            conditions.append("start_ns + duration_ns > %d" % times["from"])
        if times["to"] is not None:
            conditions.append("start_ns < %d" % times["to"])
        if times["longer_than"] is not None:
            conditions.append("duration_ns > %d" % times["longer_than"])
        if self.rank is not None:
            conditions.append("rank = %d" % self.rank)
        if self.device is not None:
            conditions.append("device = %d" % self.device)
        return " AND ".join(conditions) or "1"


class DrawTimeline(Tool):
    """A picture (PNG) of a part of the timeline: a row a thread or stream, coloured by class of work."""

    title = "Draw the timeline"
    run: Handle
    from_: Time = Field(default=None, alias="from")
    to: Time
    width: Annotated[int, Field(default=1200, ge=600, le=1600, description="in pixels")]
    tracks: Annotated[int, Field(default=12, ge=1, le=24, description="how many threads and streams, the busiest")]

    def answer(self, runs: Runs) -> Answer:
        run = runs.get(self.run)
        picture = run.session.timeline(self.from_, self.to, width=self.width, most_tracks=self.tracks)
        answer = Answer(run.command("view", from_=picture.window[0], to=picture.window[1]))
        answer.add("The timeline of %s from %d ns to %d ns. explain with the same from and to says it in words." %
                   (run.handle, *picture.window))
        for line in picture.left_out:
            answer.leave_out(line)
        answer.png = picture.to_png()
        return answer


TOOLS: Dict[str, type[Tool]] = {
    "open": Open, "diagnose": Diagnose, "explain": Explain, "compare": Compare, "table": AskTable, "sql": Sql,
    "find": Find, "timeline": DrawTimeline
}


def about(run: Run) -> str:
    """What the run is and where its time went: the lines that its report begins with."""
    with run.lock:
        if run.about is None:
            lines = run.session.report().to_text(_SUMMARY_WIDTH).split("\n")[1:]
            run.about = "\n".join(itertools.takewhile(lambda line: line.strip(), lines))
        return run.about


def _add_files(answer: Answer, runs: Runs, folder: str) -> None:
    """Profiles by folder, of each the first ones: files whose beginning is that of a format that is read, and folders that
    are one profile."""
    by_folder: Dict[str, List[str]] = {}
    others: Dict[str, int] = {}  # files that are none, by folder
    leading_out: List[str] = []
    seen = 0
    for path in runs.folders.listed(folder, leading_out):
        seen += 1
        if can_be_opened(os.fsencode(path)):
            by_folder.setdefault(os.path.dirname(path), []).append(os.path.basename(path))
        else:
            others[os.path.dirname(path)] = others.get(os.path.dirname(path), 0) + 1
    for path in [each for each in others if can_be_opened(os.fsencode(each))]:
        by_folder.setdefault(os.path.dirname(path), []).append(os.path.basename(path) + "/")
        del others[path]
    count = sum(map(len, by_folder.values()))
    answer.add("%d profiles can be opened, by folder (several ranks of one run by their folder):" % count if count else
               "There is no profile that can be opened.")
    if others:
        answer.leave_out("%d files that are no profiles" % sum(others.values()))
    each = max(2, _NAMES_LISTED // max(1, len(by_folder)))
    for name, files in list(by_folder.items())[:_FOLDERS_LISTED]:
        more = " and %d more" % (len(files) - each) if len(files) > each else ""
        answer.add("%s/: %s%s" % (name, ", ".join(files[:each]), more))
    if len(by_folder) > _FOLDERS_LISTED:
        answer.leave_out("%d more folders" % (len(by_folder) - _FOLDERS_LISTED))
    if any(len(files) > each for files in by_folder.values()):
        answer.leave_out("names of files: open with folder lists one folder")
    if leading_out:
        answer.leave_out("links that leave the folders that may be read: %d" % len(leading_out))
    if seen >= MOST_LISTED:
        answer.leave_out("all files after the first %d" % MOST_LISTED)


def _shown(paths: List[str]) -> str:
    return ", ".join(paths[:4]) + (" and %d more" % (len(paths) - 4) if len(paths) > 4 else "")


def _add_where_time_goes(answer: Answer, run: Run) -> None:
    """For a run in which nothing is found."""
    tables = run.session.tables()["name"]
    name, order = next(((name, order) for name, order in _WHERE_TIME_GOES if name in tables), ("", ""))
    if name:
        text = run.session.table(name, sort=order, top=5).to_text(_SUMMARY_WIDTH, 5)
        answer.add("Where the time goes, %s:\n%s" % (name, text.split("\n", 1)[1]))


def _finding(row: Dict[str, Any], run: Run) -> str:
    lines = ["%d. %s: %s [%s]" % (row["id"], row["severity"], row["title"], row["rule"])]
    if row["recoverable_ns"] is not None:
        gain = short_time(row["recoverable_ns"])
        if row["recoverable_pct"] is not None:
            gain += " (%.1f %%)" % row["recoverable_pct"]
        if row["recoverable_low_ns"] < row["recoverable_ns"]:
            gain += ", at least " + short_time(row["recoverable_low_ns"])
        if row["recoverable_high_ns"] > row["recoverable_ns"]:
            gain += ", besides what others save; %s by itself" % short_time(row["recoverable_high_ns"])
        lines.append("   potential saving %s, confidence %s" % (gain, row["confidence"]))
    if row["evidence"]:
        lines.append("   " + row["evidence"])
    place = ["%s %s" % (name, row[name]) for name in ("rank", "device") if row[name] is not None]
    if row["start_ns"] is not None:
        place.append("most from %d to %s ns" % (row["start_ns"], row["end_ns"]))
    if place:
        lines.append("   where: " + ", ".join(place))
    if row["next_bound"]:
        lines.append("   " + row["next_bound"])
    if row["suggestion"]:
        lines.append("   try: " + row["suggestion"])
    if row["command"]:
        lines.append("   more: " + _as_a_call(row["command"], run))
    return "\n".join(lines)


def _as_a_call(command: str, run: Run) -> str:
    """What a finding names for the command line, as a call of a tool where there is one."""
    found = re.fullmatch(r"cgpu table INPUT (\w+)(?: --where '([^']*)')?", command)
    if not found:
        return command.replace("INPUT", command_line(run.inputs[:1]))
    where = ", where=\"%s\"" % found[2] if found[2] else ""
    return "table(run=\"%s\", table=\"%s\"%s)" % (run.handle, found[1], where)


def _heading(column: Column) -> str:
    """Its name, with the unit where that does not say it."""
    is_told = column.unit in ("", "ns", "%", "bytes", "count")
    return column.name if is_told else "%s [%s]" % (column.name, column.unit)


def _add_table(answer: Answer, table: Table, top: int, skip: int, columns: Sequence[str] = ()) -> None:
    """So many of its rows, of these columns or of all."""
    names = table.column_names
    for name in columns:
        if name not in names:
            raise Error("table %s has no column %s (it has: %s)" % (table.name, name, ", ".join(names)))
    chosen = [names.index(name) for name in columns or names]
    rows = ([row[at] for at in chosen] for row in itertools.islice(table._rows(), skip, skip + top))
    answer.add_rows([_heading(table.columns[at]) for at in chosen], rows, skip, len(table))
