"""Parameters of SQL: values that a statement takes as they are, whatever is in them."""
from __future__ import annotations

import math
import re
from typing import Any, Iterator, Mapping, Sequence, Set, Union

from . import _cgpu

Parameters = Union[Sequence[Any], Mapping[str, Any]]

# What SQLite takes for one piece: a text, a quoted name, a comment; and between them the parameters.
_PIECES = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|/\*.*?(?:\*/|\Z)"""
                     r"""|(?P<number>\?\d+)|(?P<next>\?)|(?P<name>[:@$][A-Za-z_]\w*)""", re.S)


def with_parameters(statement: str, parameters: Parameters) -> str:
    """The statement with the value of each parameter in its place: "?" is the next one, "?3" the third, ":name" the one of
    that name. Raises Error for values that SQL does not have, and where parameters and values do not match."""
    if isinstance(parameters, (str, bytes)):
        raise _cgpu.Error("parameters=%r: a list, or a dict by name, was expected" % (parameters,))
    by_name = parameters if isinstance(parameters, Mapping) else None
    in_turn: Sequence[Any] = [] if isinstance(parameters, Mapping) else list(parameters)
    used: Set[Union[str, int]] = set()
    following: Iterator[int] = iter(range(len(statement)))

    def value_for(found: "re.Match[str]") -> str:
        if found["name"]:
            name = found["name"][1:]
            if by_name is None or name not in by_name:
                raise _cgpu.Error("sql: no value was given for the parameter %s" % found[0])
            used.add(name)
            return _literal(by_name[name])
        if not found["number"] and not found["next"]:
            return found[0]
        at = int(found["number"][1:]) - 1 if found["number"] else next(following)
        if not 0 <= at < len(in_turn):
            raise _cgpu.Error("sql: no value was given for the parameter %s (number %d of %d)" % (found[0], at + 1, len(in_turn)))
        used.add(at)
        return _literal(in_turn[at])

    text = _PIECES.sub(value_for, statement)
    given: Set[Union[str, int]] = set(by_name) if by_name is not None else set(range(len(in_turn)))
    if given - used:
        left = ", ".join(sorted(str(one) if by_name is not None else "number %d" % (int(one) + 1) for one in given - used))
        raise _cgpu.Error("sql: the statement has no parameter for the value of %s" % left)
    return text


def _literal(value: Any) -> str:
    """A value as SQLite writes it."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return "x'%s'" % value.hex()
    if isinstance(value, str) and "\0" not in value:
        return "'%s'" % value.replace("'", "''")
    if isinstance(value, bool) or hasattr(value, "__index__"):
        number = int(value)
        if -2**63 < number < 2**63:
            return str(number) if number >= 0 else "(%d)" % number
    elif hasattr(value, "__float__") and math.isfinite(float(value)):
        return "(%r)" % float(value)
    raise _cgpu.Error("sql: %r is no value of a parameter: int, float, str without zero bytes, bytes, bool or None was expected"
                      % (value,))
