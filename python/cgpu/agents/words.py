"""Small texts: times, names, texts in SQL, command lines."""
from __future__ import annotations

import shlex
from typing import Iterable, Optional

from .. import Error


def short_time(time: float) -> str:
    """For people, three digits: 1.48 ms."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if abs(time) >= 0.9995 * size:
            digits = "%.3g" % (time / size)
            return "%s %s" % (digits if "e" not in digits else "%.0f" % (time / size), unit)
    return "%.3g ns" % time


def cut(name: Optional[str], most: int = 100) -> str:
    """A name, which may be absent, in so many characters."""
    name = "(no name)" if name is None else name
    return name if len(name) <= most else name[:most - 1] + "\u2026"


def quoted(text: str) -> str:
    """A text in SQL. Raises Error."""
    if "\0" in text:
        raise Error("a text must not have a zero byte in it")
    return "'%s'" % text.replace("'", "''")


def command_line(words: Iterable[str]) -> str:
    """One line for a shell."""
    return " ".join(map(_shell_word, words))


def _shell_word(word: str) -> str:
    if "\n" in word or "\r" in word:  # as bash, zsh and POSIX of 2024 have it
        for plain, escaped in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r")):
            word = word.replace(plain, escaped)
        return "$'%s'" % word
    if "'" in word and not set(word) & set('"$`\\!'):  # easier to read, and SQL has single quotes
        return '"%s"' % word
    return shlex.quote(word)
