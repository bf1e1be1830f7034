"""What is shown while a profile is opened: in a notebook a bar, on a terminal a line where it was asked for."""
from __future__ import annotations

import contextlib
import html
import shutil
import sys
import time
from typing import Any, Callable, Iterator, Optional, Union

Progress = Callable[[str, float], object]

SHOWN_AFTER_S = 0.5  # what is done sooner needs no bar
_BAR = 30


@contextlib.contextmanager
def shown(progress: Union[bool, Progress, None], what: str) -> Iterator[Optional[Progress]]:
    """What reports the progress, None where no progress is wanted: `progress` itself, or a bar that is gone at the
    end. `what` is opened."""
    if progress is not None and not isinstance(progress, bool):
        yield progress
        return
    bar: Optional[_Bar] = None
    if progress is not False and _is_notebook():
        bar = _NotebookBar(what)
    elif progress and sys.stderr.isatty():
        bar = _TerminalBar(what)
    try:
        yield bar
    finally:
        if bar is not None:
            bar.end()


def _is_notebook() -> bool:
    """Whether this is the kernel of a notebook, which shows what is displayed. Imports nothing for it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


class _Bar:
    """Drawn once the work has lasted a while."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._begin = time.monotonic()
        self._is_drawn = False

    def __call__(self, phase: str, share: float) -> None:
        if self._is_drawn or time.monotonic() - self._begin >= SHOWN_AFTER_S:
            self.draw("%s %s" % (phase, self._what), share)
            self._is_drawn = True

    def end(self) -> None:
        """Takes it away where it was drawn."""
        if self._is_drawn:
            self.wipe()

    def draw(self, text: str, share: float) -> None:
        """`share` from 0 to 1."""
        raise NotImplementedError

    def wipe(self) -> None:
        """As if nothing had been there."""
        raise NotImplementedError


class _NotebookBar(_Bar):
    _display: Any = None  # IPython's handle of the output

    def draw(self, text: str, share: float) -> None:
        percent = "%.0f %%" % (100 * share)
        self._show({"text/plain": "%s: %s" % (text, percent),
                    "text/html": '<progress value="%.3f" max="1"></progress> %s: %s' % (share, html.escape(text), percent)})

    def wipe(self) -> None:
        self._show({"text/plain": "", "text/html": ""})

    def _show(self, data: dict[str, str]) -> None:
        if self._display is None:
            from IPython.display import display  # pylint: disable=import-outside-toplevel

            self._display = display(data, raw=True, display_id=True)
        else:
            self._display.update(data, raw=True)


class _TerminalBar(_Bar):

    def draw(self, text: str, share: float) -> None:
        done = int(share * _BAR)
        shown_text = "".join(c if c.isprintable() else "?" for c in text)[:max(10, shutil.get_terminal_size().columns - _BAR - 12)]
        self._write("\r\x1b[K%s [%s%s] %3.0f %%" % (shown_text, "#" * done, "." * (_BAR - done), 100 * share))

    def wipe(self) -> None:
        self._write("\r\x1b[K")

    @staticmethod
    def _write(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
