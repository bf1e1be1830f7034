"""Profiles of programs that run on CPUs and GPUs, as tables.

    import cgpu

    with cgpu.open("trace.json.gz") as session:
        kernels = session.table("kernels", where="total_ns > 1ms", top=20).to_pandas()

A `Session` is one profile, or the ranks of one run, opened; a `Table` has named columns with units and meanings and is
read by everything that reads Arrow. What goes wrong is a `cgpu.Error` with one line that says what to do.
"""
from __future__ import annotations

import atexit

from . import _cgpu
from ._cgpu import Error
from ._comparison import Comparison, Diagnosis, compare
from ._gate import Check, check
from ._history import History, history
from ._runs import ComparedRuns, Runs, runs
from ._session import DamagedProfile, Report, Session, View, open, sql  # pylint: disable=redefined-builtin
from ._summary import merge, summarize
from ._table import Column, Table
from ._timeline import Timeline

__version__: str = _cgpu.version
__all__ = ["Check", "Column", "ComparedRuns", "Comparison", "DamagedProfile", "Diagnosis", "Error", "History", "Report",
           "Runs", "Session", "Table", "Timeline", "View", "check", "compare", "history", "merge", "open", "runs", "sql",
           "summarize", "tables"]


def tables() -> Table:
    """All tables that there are: `name`, `about`, `aliases`, `subject`, `slices_by`, a row a table.

    Those that have rows for a profile: `Session.tables`.
    """
    return Table(_cgpu.tables())


atexit.register(_cgpu.end_work)  # of calls that were interrupted, and of daemon threads
