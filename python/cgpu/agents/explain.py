"""What a part of the time holds, and what something of a name is, put together from several tables."""
from __future__ import annotations

import itertools
import re
import statistics
from typing import Any, Dict, List, Optional, Tuple, Union

from .. import Error, Session
from .._cgpu import nanoseconds
from .answer import Answer
from .runs import Run, Runs
from .words import cut, quoted, short_time

_MOST_TIME = "10s"
_MOST_LAUNCHES = 1000
_MOST_SLICES = 40


def explain_part(runs: Runs, run: Run, from_: Union[int, str, None], to: Union[int, str, None]) -> Answer:
    """A part of the time."""
    answer = Answer(run.command("report", from_=from_, to=to))
    with runs.part(run, from_, to) as part:
        answer.add("\n".join(_about_part(part.report().to_text(110))))
        answer.add(_steps(run, *_window(run, from_, to)))
        for heading, lines_of, most in (("Kernels", _kernels, 5), ("Why devices were idle", _idle, 6),
                                        ("Who kept them idle", idle_hosts, 5),
                                        ("Framework ops by own time on the host", _ops, 5), ("Calls", _calls, 3)):
            lines = lines_of(part, most)
            if lines:
                more = ", the first %d" % most if len(lines) == most else ""
                answer.add("\n  ".join([heading + more + ":", *lines]))
        _add_slices(answer, part)
    answer.add("More: find or timeline with the same from and to; open with from and to gives a handle of this part, "
               "for every table.")
    return answer


def _about_part(report: str) -> List[str]:
    """The lines that its report begins with, but for what it says of steps: the part may have cut them."""
    lines = list(itertools.takewhile(lambda line: line.strip(), report.split("\n")[1:]))
    told, keep = [], True
    for line in lines:
        if line.startswith("* "):
            keep = re.match(r"\* [\d,]+ steps? of ", line) is None
        if keep:
            told.append(line)
    of_devices = re.sub(r"^.*? a step \([\d,]+ steps?\)(: |\.)", "", told[0]) if told else ""
    return ([of_devices] if of_devices else []) + told[1:]


def _window(run: Run, from_: Union[int, str, None], to: Union[int, str, None]) -> Tuple[int, Optional[int]]:
    """The part in ns from the start; None for the end of the profile."""
    begin = from_ if from_ not in (None, "") else run.options.get("from_")
    end = to if to not in (None, "") else run.options.get("to")
    return (nanoseconds(str(begin), "from") if begin not in (None, "") else 0,
            nanoseconds(str(end), "to") if end not in (None, "") else None)


def _steps(run: Run, begin: int, end: Optional[int]) -> str:
    """Which steps of the run the part has, whole ones and those that it cuts."""
    whole: Dict[int, List[int]] = {}
    cut_off: Dict[int, float] = {}
    for row in run.session.table("steps"):
        first, last = row["start_ns"], row["start_ns"] + row["duration_ns"]
        inside = min(last, last if end is None else end) - max(first, begin)
        if inside >= row["duration_ns"] > 0:
            whole.setdefault(row["step"], []).append(row["duration_ns"])
        elif inside > 0:
            cut_off[row["step"]] = max(cut_off.get(row["step"], 0), inside / row["duration_ns"])
    parts = []
    complete = sorted(set(whole) - set(cut_off))
    if complete:
        lengths = sorted(length for step in complete for length in whole[step])
        parts.append("%d whole (%s), %s each (median)" % (len(complete), _numbers(complete), short_time(statistics.median(lengths))))
    if cut_off:
        shown = ["%d (%.0f %% of it)" % (step, 100 * cut_off[step]) for step in sorted(cut_off)]
        parts.append("cut by the part: %s%s" % (", ".join(shown[:6]), " and %d more" % (len(shown) - 6) if len(shown) > 6 else ""))
    return "Steps: %s." % "; ".join(parts) if parts else ""


def _numbers(steps: List[int]) -> str:
    return "%d" % steps[0] if len(steps) == 1 else "%d to %d" % (steps[0], steps[-1])


def _kernels(session: Session, most: int) -> List[str]:
    return ["%s, %d x %s, %.1f %% of kernel time: %s" % (short_time(row["total_ns"]), row["count"],
                                                        short_time(row["mean_ns"]), row["pct"], cut(row["name"]))
            for row in session.table("kernels", sort="total_ns", top=most)]


def _idle(session: Session, most: int) -> List[str]:
    rows = _ask(session, "SELECT cause, sum(count) AS count, sum(total_ns) AS total_ns, max(max_ns) AS max_ns, "
                "count(*) AS devices FROM idle GROUP BY cause ORDER BY total_ns DESC LIMIT %d" % most)
    return ["%s %s, %d x, the longest %s%s" % (short_time(row["total_ns"]), row["cause"], row["count"],
                                              short_time(row["max_ns"]), _on_devices(row)) for row in rows]


def idle_hosts(session: Session, most: int) -> List[str]:
    """Who is to blame for most idle time, over all devices."""
    rows = _ask(session, "SELECT cause, culprit, sum(total_ns) AS total_ns, count(*) AS devices FROM idle_hosts "
                "GROUP BY cause, culprit ORDER BY total_ns DESC LIMIT %d" % most)
    return ["%s %s (%s)%s" % (short_time(row["total_ns"]), cut(row["culprit"] or "unknown"), row["cause"],
                             _on_devices(row)) for row in rows]


def _on_devices(row: Dict[str, Any]) -> str:
    return " on %d devices" % row["devices"] if row["devices"] > 1 else ""


def _ops(session: Session, most: int) -> List[str]:
    lines = []
    for row in session.table("ops", sort="cpu_self_ns", top=most):
        device = ", %s of device work" % short_time(row["device_total_ns"]) if row["device_total_ns"] else ""
        lines.append("%s own%s, %d x: %s" % (short_time(row["cpu_self_ns"]), device, row["count"], cut(row["name"])))
    return lines


def _calls(session: Session, most: int) -> List[str]:
    return ["%s, %d x: %s" % (short_time(row["total_ns"]), row["count"], row["name"])
            for row in session.table("api", sort="total_ns", top=most)]


def _add_slices(answer: Answer, part: Session) -> None:
    """The longest, as far as they lie in the part; and apart from them those that last all of it."""
    slices = part.table("slices", sort="duration_ns", top=_MOST_SLICES).to_dicts()
    whole = [row for row in slices if row["duration_ns"] == slices[0]["duration_ns"] > 0]
    if len(whole) > 1:
        around: Dict[Any, List[str]] = {}
        for row in whole:
            around.setdefault((row["rank"], row["thread"]), []).append(cut(row["name"], 60))
        for (rank, thread), names in list(around.items())[:4]:
            answer.add("All the time, rank %d, %s: %s" % (rank, thread, " < ".join(names[:-7:-1])))
        slices = slices[len(whole):]
    if slices:
        answer.add("Longest slices, of %d:" % len(part.table("slices")))
    nested = itertools.groupby(slices, lambda row: (row["rank"], row["thread"], short_time(row["duration_ns"])))
    for _, rows in itertools.islice(nested, 8):
        *around_it, row = rows
        more = ", and %d as long around it" % len(around_it) if around_it else ""
        answer.add("  %s at %d ns, %s on %s: %s%s" % (short_time(row["duration_ns"]), row["start_ns"], row["kind"],
                                                     cut(row["thread"]), cut(row["name"]), more))


def explain_name(run: Run, name: str) -> Answer:
    """What has this name, or matches it."""
    session = run.session
    kinds = ("SELECT name, kind, count(*) AS count, sum(duration_ns) AS total_ns, min(duration_ns) AS min_ns, "
             "median(duration_ns) AS median_ns, max(duration_ns) AS max_ns FROM slices WHERE %s "
             "GROUP BY name, kind ORDER BY total_ns DESC")
    condition = "name = " + quoted(name)
    found = _ask(session, kinds % condition)
    if not found and _is_cause(session, name):
        return _explain_cause(run, _as_cause(name))
    if not found:
        condition = "name REGEXP " + quoted(name)
        found = _ask(session, kinds % condition)
    if not found:
        return _explain_place(run, name)
    answer = Answer(run.command("sql", kinds % condition, top=0))
    if len(found) > 1:
        answer.add("%d names match; the first is explained. Ask with a full name for another one." % len(found))
        for row in found[:8]:
            answer.add("  %s, %d x: %s (%s)" %
                       (short_time(row["total_ns"]), row["count"], cut(row["name"]), row["kind"]))
        if len(found) > 8:
            answer.leave_out("%d more names that match: the command has them" % (len(found) - 8))
    _add_one(answer, session, found[0])
    return answer


def _as_cause(name: str) -> str:
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def _causes(session: Session) -> List[str]:
    return [row["cause"] for row in _ask(session, "SELECT cause FROM idle GROUP BY cause ORDER BY sum(total_ns) DESC")]


def _is_cause(session: Session, name: str) -> bool:
    return _as_cause(name) in _causes(session)


def _explain_cause(run: Run, cause: str) -> Answer:
    """Why devices were idle, of one cause."""
    session = run.session
    answer = Answer(run.command("table", "idle_gaps", where="cause = " + cause, sort="duration_ns", format="csv"))
    of_cause = "cause = " + quoted(cause)
    answer.add("cause of idle time: %s" % cause)
    for row in _ask(session, "SELECT * FROM idle WHERE %s ORDER BY total_ns DESC LIMIT 8" % of_cause):
        answer.add("  rank %d, device %d: %d ns in %d parts of gaps, the longest %d ns; %.2f %% of its idle time" %
                   (row["rank"], row["device"], row["total_ns"], row["count"], row["max_ns"], row["pct"]))
    hosts = _ask(session, "SELECT culprit, sum(total_ns) AS total_ns FROM idle_hosts WHERE %s GROUP BY culprit "
                 "ORDER BY total_ns DESC LIMIT 6" % of_cause)
    answer.add("  due to: " + "; ".join("%s %s" % (short_time(row["total_ns"]), cut(row["culprit"])) for row in hosts))
    answer.add("  the longest parts of gaps:")
    for row in _ask(session, "SELECT * FROM idle_gaps WHERE %s ORDER BY duration_ns DESC, start_ns LIMIT 5" % of_cause):
        answer.add("    %s at %d ns, rank %d, device %d, between %s and %s" %
                   (short_time(row["duration_ns"]), row["start_ns"], row["rank"], row["device"], cut(row["op_before"], 60),
                    cut(row["op_after"], 60)))
    answer.add("  more: table(table=\"idle_gaps\", where=\"cause = %s\"); explain from and to of a gap says what the host did"
               % cause)
    return answer


def _add_one(answer: Answer, session: Session, one: Dict[str, Any]) -> None:
    answer.add("%s: %s" % (one["kind"], one["name"][:600]))
    answer.add("  %d of them, together %d ns; shortest %d, median %.1f, longest %d ns" %
               (one["count"], one["total_ns"], one["min_ns"], one["median_ns"], one["max_ns"]))
    _add_what_it_is(answer, session, one)
    (longest, ) = _ask(session, _LONGEST % (quoted(one["name"]), quoted(one["kind"])))
    _add_longest(answer, session, longest)
    answer.add("  more: find(name=...) lists all of them; timeline from %d to %d draws the longest" %
               (longest["start_ns"], longest["start_ns"] + max(longest["duration_ns"], 1)))


def _add_what_it_is(answer: Answer, session: Session, one: Dict[str, Any]) -> None:
    """As a kernel, as an op, by its shapes, by who launches it."""
    name = quoted(one["name"])
    for row in _ask(session, "SELECT class, pct FROM kernels WHERE name = " + name):
        answer.add("  class %s, %.2f %% of the time of all kernels" % (row["class"], row["pct"]))
    for row in _ask(session, "SELECT * FROM ops WHERE name = " + name):
        answer.add("  on the host %d ns (without ops inside %d ns); device work launched in it %d ns" %
                   (row["cpu_total_ns"], row["cpu_self_ns"], row["device_total_ns"] or 0))
    for row in _ask(session, _SHAPES % name):
        what = ["%d x" % row["count"]]
        if row["device_total_ns"]:
            what.append("%s on the device" % short_time(row["device_total_ns"]))
        for column, peak in (("flops_pct", "the matrix units"), ("bytes_pct", "memory")):
            if row[column] is not None:
                what.append("%.1f %% of the peak of %s" % (row[column], peak))
        answer.add("  shapes %s %s: %s" % (cut(str(row["shapes"])), cut(str(row["types"])), ", ".join(what)))
    launchers = _ask(session, _LAUNCHERS % (name, _MOST_LAUNCHES))
    if launchers:
        of = " (of the %d longest)" % _MOST_LAUNCHES if one["count"] > _MOST_LAUNCHES else ""
        who = "; ".join("%s %d x" % (row["name"], row["count"]) for row in launchers)
        answer.add("  launched by%s: %s" % (of, who))


def _add_longest(answer: Answer, session: Session, longest: Dict[str, Any]) -> None:
    """Where it is, what lies around it and in it, and what it launches."""
    on_device = longest["device"] is not None
    end = longest["start_ns"] + longest["duration_ns"]
    place = ("device %s, stream %s" % (longest["device"], longest["stream"]) if on_device else
             "thread %s of process %s" % (longest["thread"], longest["process"]))
    answer.add("  the longest: slice %d, from %d to %d ns, rank %d, %s" %
               (longest["slice"], longest["start_ns"], end, longest["rank"], place))
    around = _ask(session, _AROUND % longest["slice"])
    if around:
        answer.add("    inside of: " + " < ".join(cut(row["name"], 60) for row in around[:12]))
    if on_device:
        return
    for heading, statement in (("directly in it", _INSIDE % longest["slice"]),
                               ("device work launched in it", _LAUNCHED %
                                (longest["rank"], longest["track"], longest["start_ns"], end))):
        rows = _ask(session, statement)
        if rows:
            answer.add("    %s: %s" % (heading, "; ".join(
                "%s %s (%d x)" % (cut(row["name"], 60), short_time(row["total_ns"]), row["count"]) for row in rows)))


_SHAPES = """SELECT shapes, types, count, device_total_ns, flops_pct, bytes_pct FROM op_shapes WHERE name = %s
ORDER BY device_total_ns DESC, count DESC LIMIT 3"""

_LONGEST = """SELECT slice, rank, track, process, thread, start_ns, duration_ns, device, stream FROM slices
WHERE name = %s AND kind = %s ORDER BY duration_ns DESC, start_ns LIMIT 1"""

_INSIDE = """SELECT name, count(*) AS count, sum(duration_ns) AS total_ns FROM slices WHERE parent = %d
GROUP BY name ORDER BY total_ns DESC LIMIT 8"""

# The framework ops that are nearest around the calls that launched the longest device ops of a name.
_LAUNCHERS = """WITH RECURSIVE launches AS (SELECT launch FROM device_slices WHERE name = %s AND launch IS NOT NULL
 ORDER BY duration_ns DESC LIMIT %d),
 up AS (SELECT s.slice, s.parent, s.kind, s.name FROM launches l JOIN slices s ON s.slice = l.launch
 UNION ALL SELECT s.slice, s.parent, s.kind, s.name FROM up JOIN slices s ON s.slice = up.parent
 WHERE up.kind <> 'framework_op')
SELECT name, count(*) AS count FROM up WHERE kind = 'framework_op' GROUP BY name ORDER BY count DESC LIMIT 4"""

# What lies around a slice, or around the call that launched it, from the inside out.
_AROUND = """WITH RECURSIVE up AS (
 SELECT coalesce((SELECT launch FROM device_slices WHERE slice = s.slice), s.parent) AS next, s.name, 0 AS level
 FROM slices s WHERE s.slice = %d
 UNION ALL SELECT s.parent, s.name, level + 1 FROM up JOIN slices s ON s.slice = up.next WHERE level < 200)
SELECT name FROM up WHERE level > 0 ORDER BY level"""

_LAUNCHED = """SELECT d.name, count(*) AS count, sum(d.duration_ns) AS total_ns FROM slices c
 JOIN device_slices d ON d.launch = c.slice WHERE c.rank = %d AND c.track = %d AND c.start_ns >= %d AND c.start_ns < %d
GROUP BY d.name ORDER BY total_ns DESC LIMIT 6"""

# Tables of profiles that have no timeline, and the column that has the name.
_PLACES = (("functions", "name"), ("launch_metrics", "kernel"), ("et_ops", "name"))


def _explain_place(run: Run, name: str) -> Answer:
    """Where it is no slice: a function of a call tree, a kernel that was measured by itself."""
    for table, column in _PLACES:
        for condition in ("%s = %s" % (column, quoted(name)), "%s REGEXP %s" % (column, quoted(name))):
            rows = run.session.sql("SELECT * FROM %s WHERE %s" % (table, condition), top=6, timeout=_MOST_TIME)
            if not rows:
                continue
            answer = Answer(run.command("sql", "SELECT * FROM %s WHERE %s" % (table, condition), top=0))
            units = {each.name: each.unit for each in rows.columns}
            for row in itertools.islice(rows, 5):
                answer.add("of table %s:" % table)
                for key, value in row.items():
                    if value is not None:
                        answer.add("  %s: %s %s" % (key, "%.6g" % value if isinstance(value, float) else value,
                                                    units[key] if units[key] != "count" else ""))
            if len(rows) > 5:
                answer.leave_out("more rows that match: the command has them")
            return answer
    causes = ", ".join(_causes(run.session))
    raise Error(
        "%s: nothing in the profile has this name, or matches it as a regular expression; table lists ops, kernels "
        "and functions%s" % (name[:200], "; causes of idle time are " + causes if causes else ""))


def _ask(session: Session, statement: str) -> List[Dict[str, Any]]:
    return session.sql(statement, timeout=_MOST_TIME).to_dicts()
