"""Parameters of SQL: values that a statement takes as they are, whatever is in them."""
from __future__ import annotations

import math
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from . import _cgpu

Parameters = Union[Sequence[Any], Mapping[str, Any]]
Value = Union[int, float, str, bytes, None]


def values_of(parameters: Optional[Parameters]) -> Union[Dict[str, Value], List[Value]]:
    """As the module takes them: those of `:name` by name, or those of `?` in turn. Raises Error for values that SQL does
    not have."""
    if isinstance(parameters, (str, bytes)):
        raise _cgpu.Error("parameters=%r: a list, or a dict by name, was expected" % (parameters,))
    if isinstance(parameters, Mapping):
        return {str(name): _value(value) for name, value in parameters.items()}
    return [_value(value) for value in parameters or ()]


def _value(value: Any) -> Value:
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str) and "\0" not in value:
        return str(value)
    if hasattr(value, "__index__"):
        number = int(value)
        if -2**63 < number < 2**63:
            return number
    elif hasattr(value, "__float__") and math.isfinite(float(value)):
        return float(value)
    raise _cgpu.Error("sql: %r is no value of a parameter: int, float, str without zero bytes, bytes, bool or None was expected"
                      % (value,))
