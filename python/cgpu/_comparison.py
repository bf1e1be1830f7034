"""Two runs compared, and findings."""
from __future__ import annotations

import contextlib
import html
from typing import Any, Iterable, Optional, Union

from . import _cgpu
from . import _session
from ._printed import Printed
from ._session import Numbers, Path, Session
from ._table import Table, choice

Run = Union[Session, Path, Iterable[Path]]


class Comparison:
    """What changed between two runs. `str()` says it in words. Made by `cgpu.compare`."""

    def __init__(self, comparison: _cgpu.Comparison) -> None:
        self._comparison = comparison

    @property
    def words(self) -> str:
        """The change and what explains it, as a paragraph."""
        return self._comparison.words()

    def tables(self) -> Table:
        """The tables that there are: `name`, `about`, ..."""
        return Table(_cgpu.comparison_tables())

    def table(self, name: str, *, where: Optional[str] = None, sort: Optional[str] = None, top: Optional[int] = None,
              **options: Any) -> Table:
        """One of them, as `cgpu compare A B --table NAME` makes it: "causes" or "compare_causes". `where`, `sort` and
        `top` as in `Session.table`; options like by="class". Raises Error."""
        return Table(self._comparison.table(name, *choice(where, sort, top, options)))

    def __str__(self) -> str:
        return self.words

    def __repr__(self) -> str:
        return self.words.rstrip("\n")

    def _repr_html_(self) -> str:
        return "<pre>%s</pre>%s" % (html.escape(self.words), self.table("causes")._repr_html_())


def compare(a: Run, b: Run, *, step: Optional[Numbers] = None) -> Comparison:
    """What changed from run A, the one before, to run B.

    a, b   sessions, or what `cgpu.open` takes. They stay open as long as the comparison.
    step   only this iteration of both, or these: 3, "2-5".

    Of summaries (.cgpu) and of more than two runs the command line compares the figures: `cgpu compare`.
    Raises Error.
    """
    return Comparison(_cgpu.Comparison(_opened(a), _opened(b), _session.numbers_text(step) or ""))


class Diagnosis(Printed):
    """Findings: what slows a run down, how much each could save, what to do. `str()` has a paragraph each."""

    def __init__(self, findings: _cgpu.Table, verdict: str, changes: str = "") -> None:
        self._findings = findings
        self._verdict = verdict
        self._changes = changes

    @property
    def findings(self) -> Table:
        """The table `findings`, those with the largest potential saving first."""
        return Table(self._findings)

    @property
    def changes(self) -> str:
        """Against a baseline: which findings came, went, or changed, a line each, or that none did; "" without one."""
        return self._changes

    @property
    def verdict(self) -> str:
        """The run in one line: its steps, how busy its devices were; "" where no device did anything."""
        return self._verdict

    def to_text(self, width: int = 100) -> str:
        """For a terminal of so many columns."""
        verdict = _cgpu.wrapped(self._verdict, width) if self._verdict else ""
        return "\n".join([*filter(None, (verdict, self._changes)), _cgpu.findings_text(self._findings, width)])

    def _repr_html_(self) -> str:
        changes = "<pre>%s</pre>" % html.escape(self._changes) if self._changes else ""
        return changes + self.findings._repr_html_()


def diagnose(session: Session, against: Optional[Run]) -> Diagnosis:
    """`Session.diagnose`."""
    findings = session.table("findings")._table
    verdict = session._session.verdict()
    if against is None:
        return Diagnosis(findings, verdict)
    with contextlib.nullcontext(against) if isinstance(against, Session) else _session.open(against) as baseline:
        return Diagnosis(findings, verdict, _cgpu.finding_changes(baseline.table("findings")._table, findings))


def _opened(run: Run) -> _cgpu.Session:
    return (run if isinstance(run, Session) else _session.open(run))._session
