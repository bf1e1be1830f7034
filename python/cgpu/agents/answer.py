"""An answer: a text that stays short, says what it leaves out, and ends with the command that gives all of it."""
from __future__ import annotations

import unicodedata
from typing import Any, Iterable, List, Optional, Sequence, Tuple

from .tokens import estimated_tokens

MOST_TOKENS = 1900  # as they are estimated; 2,000 as they are counted
MOST_CHARACTERS = 8000
MOST_OF_A_CELL = 160
_MOST_OF_A_COMMAND = 1500
NEXT = "the next with skip={skip}"
_TOKENS_FOR_NOTES = 150


class Answer:
    """Made line by line."""

    def __init__(self, command: str) -> None:
        """`command`: what the command line gives the same with, in full."""
        self._command = command
        self._lines: List[str] = []
        self._left_out: List[str] = []
        self.png: Optional[bytes] = None

    def add(self, text: str) -> None:
        """Lines; nothing where it is empty."""
        self._lines += text.rstrip("\n").split("\n") if text else []

    def leave_out(self, what: str) -> None:
        """What is not in it, and how to get it."""
        self._left_out.append(what)

    def add_rows(self, columns: Iterable[str], rows: Iterable[Sequence[Any]], skip: int = 0,
                 total: Optional[int] = None, more: str = NEXT) -> int:
        """Rows as CSV, as many as fit. `skip` says how many are before them, `total` how many there are (None:
        unknown), `more` how to ask for the next, where "{skip}" is how many are before those. How many were shown."""
        self.add(_csv(columns))
        room = MOST_TOKENS - _TOKENS_FOR_NOTES - estimated_tokens(self._command[:_MOST_OF_A_COMMAND]) - self._tokens()
        shown, is_cut, at_end = 0, False, True
        for row in rows:
            cells = [_cell(value) for value in row]
            line = _csv(cell for cell, _ in cells)
            room -= estimated_tokens(line) + 1
            if room < 0 and shown > 0:
                at_end = False
                break
            is_cut = is_cut or any(cut for _, cut in cells)
            self._lines.append(line)
            shown += 1
        if is_cut:
            self.leave_out("texts are cut at %d characters (\u2026)" % MOST_OF_A_CELL)
        if not shown:
            self.add("(no rows)" if not skip else "(no rows after the first %d)" % skip)
        elif not at_end or (total is not None and skip + shown < total):
            of = "of %s" % format(total, ",") if total is not None else "of more"
            self.leave_out("these are rows %d to %d %s; %s" % (skip + 1, skip + shown, of, more.replace(
                "{skip}", str(skip + shown))))
        elif skip:
            self.leave_out("these are rows %d to %d, the last ones" % (skip + 1, skip + shown))
        return shown

    def text(self) -> str:
        """All of it, cut at the end of a line where it is too long."""
        command = self._command
        if len(command) > _MOST_OF_A_COMMAND:
            command = command[:_MOST_OF_A_COMMAND] + " ... (and so on, with all inputs of the run)"
        room = MOST_TOKENS - estimated_tokens(command) - 50 - sum(estimated_tokens(one) + 5 for one in self._left_out)
        lines, left_out = [], list(self._left_out)
        for at, line in enumerate(self._lines):
            room -= estimated_tokens(line) + 1
            if room < 0:
                left_out.append("%d more lines: ask for less, or run the command" % (len(self._lines) - at))
                break
            lines.append(line)
        lines += ["Left out: " + one + "." for one in left_out]
        return ("\n".join(lines + ["In full: " + command]))[:MOST_CHARACTERS]

    def _tokens(self) -> int:
        return sum(estimated_tokens(line) + 1 for line in self._lines)


def _cell(value: Any) -> Tuple[str, bool]:
    """As text, and whether something was cut off. Absent values are empty."""
    if value is None:
        return "", False
    if isinstance(value, float):
        return "%.6g" % value, False
    text = _guarded(value) if isinstance(value, str) else str(value)
    return (text, False) if len(text) <= MOST_OF_A_CELL else (text[:MOST_OF_A_CELL - 1] + "\u2026", True)


def _guarded(text: str) -> str:
    """As `cgpu table --format csv` writes a text: one that a spreadsheet would take for a formula begins with an
    apostrophe, and what is invisible is escaped."""
    if text[:1] in ("=", "+", "-", "@") and not _is_number(text):
        text = "'" + text
    return text if text.isprintable() else "".join(repr(one)[1:-1] if _is_invisible(one) else one for one in text)


def _is_invisible(one: str) -> bool:
    return one not in "\n\r\u200c\u200d" and unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _csv(cells: Iterable[str]) -> str:
    """RFC 4180, but for line breaks, which are blanks."""
    return ",".join('"%s"' % cell.replace('"', '""') if "," in cell or '"' in cell else cell
                    for cell in (" ".join(cell.splitlines()) if "\n" in cell or "\r" in cell else cell
                                 for cell in cells))
