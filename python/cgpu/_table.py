"""Tables."""
from __future__ import annotations

import importlib
import re
import shutil
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union, overload

from . import _cgpu

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Value = Any  # int, float or str, as the type of its column says; None where it is absent

_ROWS_SHOWN = 20
# How a table says to have the rest of it.
_SHOWN_IN_FULL = ((re.compile(r"\(--top\s+0\s+shows\s+all\)"), "(rows=0 shows all)"),
                  (re.compile(r"\(--format\s+csv\s+or\s+json\s+shows\s+all\)"), "(to_dicts() has all)"))
_INSTALLED_WITH = {"pandas": "pandas pyarrow"}
_STYLE = ("<style>.cgpu-table th.number,.cgpu-table td.number{text-align:right;white-space:nowrap}"
          ".cgpu-table th.text,.cgpu-table td.text,.cgpu-table caption{text-align:left}"
          ".cgpu-table th,.cgpu-table td{padding:2px 8px}.cgpu-table td.absent{opacity:.5}</style>")


class Column(NamedTuple):
    """What a column is: declared once, the same wherever it is shown."""

    name: str
    """With the unit as its ending: total_ns, busy_pct, peak_bytes."""
    type: str
    """int, float or text."""
    unit: str
    """ns, %, bytes, GB/s, count, ...; "" for none."""
    about: str
    """What it means, in a line."""
    role: str
    """key: says which row it is; measure: how much; moment: a time from the start of the session; depth: how far a tree
    is indented; text: says more about the row."""


class Table:
    """Named columns of equally many values: int64, float64 or text; some may be absent.

    Everything that reads Arrow takes it as it is (`pyarrow.table(t)`, `polars.from_arrow(t)`, DuckDB by its name);
    numbers are not copied. `len(t)` is the number of rows, `t[3]` a row as a dict, `t["total_ns"]` a column as a list,
    and `for row in t` gives one dict a row, absent values as None.

    A table of single events (slices, device_trace, ...) makes its rows while it is read, in batches of at most 65,536,
    as often as it is read. It keeps its session's profile in memory, also when the session has been closed. Every other
    table is by itself. A table can be pickled, with all its rows: it comes back as a table by itself.
    """

    def __init__(self, table: _cgpu.Table) -> None:
        self._table = table
        self._columns = [Column(*column) for column in table.columns]

    @property
    def name(self) -> str:
        """As in `Session.table`."""
        return self._table.name

    @property
    def about(self) -> str:
        """What it tells, in a line."""
        return self._table.about

    @property
    def per(self) -> str:
        """What the figures are of: "iteration" or "whole"; "" where there is no choice."""
        return self._table.per

    @property
    def columns(self) -> List[Column]:
        """Its columns in their order, with units and meanings."""
        return list(self._columns)

    @property
    def column_names(self) -> List[str]:
        """The names of its columns."""
        return [column.name for column in self._columns]

    def __reduce__(self) -> Tuple[Any, ...]:
        return _made, (self.name, self.about, self.per, self._columns, self._values(), self._table.weights)

    def _values(self) -> List[List[Value]]:
        """By column."""
        values: List[List[Value]] = [[] for _ in self._columns]
        for row in self._rows():
            for column, value in zip(values, row):
                column.append(value)
        return values

    def __len__(self) -> int:
        return len(self._table)

    def __bool__(self) -> bool:
        return len(self._table) > 0

    def _rows(self) -> Iterator[Tuple[Value, ...]]:
        reader = self._table.read()
        while (rows := reader.next()) is not None:
            yield from rows

    def __iter__(self) -> Iterator[Dict[str, Value]]:
        names = self.column_names
        for row in self._rows():
            yield dict(zip(names, row))

    @overload
    def __getitem__(self, which: str) -> List[Value]: ...
    @overload
    def __getitem__(self, which: int) -> Dict[str, Value]: ...

    def __getitem__(self, which: Union[str, int]) -> Union[List[Value], Dict[str, Value]]:
        """A column by its name, as a list; or a row by its number, as a dict. Raises KeyError, IndexError."""
        if isinstance(which, str):
            names = self.column_names
            if which not in names:
                raise KeyError("table %s has no column %s (it has: %s)" % (self.name, which, ", ".join(names)))
            at = names.index(which)
            return [row[at] for row in self._rows()]
        if not isinstance(which, int):
            raise TypeError("a column is asked for by its name, a row by its number")
        number = which + len(self) if which < 0 else which
        if not 0 <= number < len(self):
            raise IndexError("table %s has %d rows: there is no row %d" % (self.name, len(self), which))
        for at, row in enumerate(self):
            if at == number:
                return row
        raise IndexError(which)

    def to_dicts(self) -> List[Dict[str, Value]]:
        """All rows, one dict each."""
        return list(self)

    # Arrow (the PyCapsule interface).

    def __arrow_c_schema__(self) -> object:
        """The columns; fields carry `unit`, `about` and `role` as metadata, the schema `name` and `about`."""
        return self._table.schema()

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        """The rows as record batches: int64, float64, and dictionaries of utf8 by int32. A table of events comes in
        many batches, made as they are asked for; every other one in a single batch, whose buffers are its own.

        `requested_schema` is not looked at, which the interface allows."""
        return self._table.stream()

    def to_arrow(self) -> pyarrow.Table:
        """As a pyarrow.Table. Raises ImportError where pyarrow is not installed."""
        table: pyarrow.Table = _library("pyarrow", "to_arrow", "arrow").table(self)
        return table

    def to_polars(self) -> polars.DataFrame:
        """As a polars.DataFrame; texts are Categorical. Raises ImportError where polars is not installed."""
        frame: polars.DataFrame = _library("polars", "to_polars", "polars").DataFrame(self)
        return frame

    def to_pandas(self) -> pandas.DataFrame:
        """As a pandas.DataFrame, exactly: texts are categories, of each column those that occur in it, integers int64, and
        Int64 where some are absent, which a float64 would round. `attrs` has the units: {column: unit}. Raises ImportError
        where pandas is not installed; without pyarrow the values are copied one by one."""
        pandas = _library("pandas", "to_pandas", "pandas")
        try:
            import pyarrow  # pylint: disable=import-outside-toplevel
        except ImportError:
            frame = self._to_pandas_by_values(pandas)
        else:
            frame = self._to_pandas_by_arrow(pandas, pyarrow)
        frame.attrs["name"] = self.name
        frame.attrs["units"] = {column.name: column.unit for column in self._columns if column.unit}
        return frame

    def _to_pandas_by_arrow(self, pandas: Any, pyarrow: Any) -> Any:
        arrow = pyarrow.table(self).unify_dictionaries()
        columns = {}
        for field, values in zip(arrow.schema, arrow.columns):
            if pyarrow.types.is_dictionary(field.type):
                columns[field.name] = _categories(values, pyarrow)
            elif values.null_count and pyarrow.types.is_integer(field.type):
                columns[field.name] = values.to_pandas(types_mapper={pyarrow.int64(): pandas.Int64Dtype()}.get)
            else:
                columns[field.name] = values.to_pandas()
        return pandas.DataFrame(columns, columns=arrow.column_names, copy=False)

    def _to_pandas_by_values(self, pandas: Any) -> Any:
        types = {"int": ("int64", "Int64"), "float": ("float64", "float64"), "text": ("category", "category")}
        return pandas.DataFrame({column.name: pandas.Series(of, dtype=types[column.type][None in of])
                                 for column, of in zip(self._columns, self._values())}, columns=self.column_names)

    # For people.

    def to_text(self, width: int = 100, rows: int = 20) -> str:
        """The first rows (0: all) with readable units, for a terminal of so many columns."""
        text = self._table.text(width, rows)
        for of_the_program, here in _SHOWN_IN_FULL:
            text = of_the_program.sub(here, text)
        return text

    def __repr__(self) -> str:
        return self.to_text(shutil.get_terminal_size().columns, _ROWS_SHOWN).rstrip("\n")

    def _repr_html_(self) -> str:
        return _STYLE + self._table.html(_ROWS_SHOWN)


def made_table(name: str, about: str, columns: Sequence[Tuple[str, str, str, str, str]], values: Sequence[List[Value]],
               per: str = "") -> Table:
    """Of columns as `Column` has them, and the values of each. Raises Error."""
    return _made(name, about, per, columns, values, [])


def _made(name: str, about: str, per: str, columns: Sequence[Tuple[str, str, str, str, str]],
          values: Sequence[List[Value]], weights: List[int]) -> Table:
    plain = [(column, kind, unit, meaning, role) for column, kind, unit, meaning, role in columns]
    return Table(_cgpu.make_table(name, about, per, plain, list(values), weights))


def _library(name: str, method: str, extra: str) -> Any:
    """Raises ImportError with what to install."""
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        if missing.name != name:
            raise
        raise ImportError("%s needs %s, which is not installed: pip install %s (or cgpu with the extra [%s])"
                          % (method, name, _INSTALLED_WITH.get(name, name), extra), name=name) from None


def _categories(values: Any, pyarrow: Any) -> Any:
    """A column of texts. Columns of a table may share a dictionary: those of others are left out. Names that were no UTF-8
    may have become equal, which categories must not be."""
    try:
        return values.to_pandas().cat.remove_unused_categories()
    except (ValueError, pyarrow.ArrowException):
        return values.cast(pyarrow.string()).dictionary_encode().to_pandas()


def number_of_rows(top: Optional[int]) -> int:
    """0 for all. Raises Error."""
    if top is not None and (isinstance(top, bool) or not isinstance(top, int) or not 0 <= top < 2**63):
        raise _cgpu.Error("top=%r: a number of rows was expected, 0 for all" % (top,))
    return top or 0


def choice(where: Optional[str], sort: Optional[str], top: Optional[int], options: Dict[str, Any]
           ) -> Tuple[str, str, int, Dict[str, List[str]]]:
    """What `Session.table` and `Comparison.table` take, as the module does. Raises Error."""
    rows = number_of_rows(top)
    for name, text in (("where", where), ("sort", sort)):
        if text is not None and not isinstance(text, str):
            raise _cgpu.Error("%s=%r: a text was expected" % (name, text))
    values = {}
    for name, value in options.items():
        if value is None or value is False:
            continue
        several = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
        values[name.replace("_", "-")] = ["" if each is True else str(each) for each in several]
    return where or "", sort or "", rows, values
