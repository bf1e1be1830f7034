"""How results show themselves: in a terminal, at a prompt, in a notebook."""
from __future__ import annotations

import html
import shutil
from typing import List

from . import _cgpu
from ._table import Table


class Printed:
    """What says itself in text: `str()` is as wide as the terminal."""

    def to_text(self, width: int = 100) -> str:
        """For a terminal of so many columns."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.to_text(shutil.get_terminal_size().columns)

    def __repr__(self) -> str:
        return str(self).rstrip("\n")


class WordsAndTable(Printed):
    """Sentences, and the table that is shown below them."""

    def __init__(self, words: List[str], table: Table) -> None:
        self._words = words
        self._shown = table

    def to_text(self, width: int = 100) -> str:
        """For a terminal of so many columns."""
        return "".join(_cgpu.wrapped(line, width) for line in self._words) + "\n" + self._shown.to_text(width, 0)

    def _repr_html_(self) -> str:
        return "<pre>%s</pre>%s" % (html.escape("\n".join(self._words)), self._shown._repr_html_())
