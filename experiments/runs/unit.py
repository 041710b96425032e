"""One finished unit of work, and what a `run` may return for it."""

from __future__ import annotations

from types import NoneType
from typing import Any, NamedTuple

from engine.errors import ContractBroken
from engine.limits.whole_numbers import decimal_digits
from engine.plain_values import python_value
from engine.printable import shown_value
from experiments.experiment import ResultRow, Rows, Scalar, UnitSetting

PLAIN = (float, bool, NoneType)  # kinds that need no look
LONGEST_INTEGER_BITS = 14_000  # Python neither writes nor reads integers of much more than 4,000 digits


class StoredUnit(NamedTuple):
    """A unit that is stored."""

    experiment: str
    version: int
    seed: int
    setting: UnitSetting
    rows: Rows


def plain_rows(rows: Any, setting: UnitSetting) -> Rows:
    """What a `run` returned, checked and in Python's own numbers; ContractBroken where it is no list of flat rows."""
    if not isinstance(rows, list):
        raise ContractBroken(f"run returned {type(rows).__name__}", remedy="return a list of flat dicts")
    columns: set[str] = set()
    return [_plain_row(row, setting, columns) for row in rows]


def _plain_row(row: Any, setting: UnitSetting, columns: set[str]) -> ResultRow:
    """columns: names that were checked, to which this row's are added."""
    if not isinstance(row, dict):
        raise ContractBroken(f"run returned a row that is {type(row).__name__}", remedy="return a list of flat dicts")
    plain: ResultRow = {}
    for column, value in row.items():
        if type(column) is not str or column not in columns:
            column = _column(column)
            columns.add(column)
        plain[column] = value if type(value) in PLAIN else _scalar(column, value)
        if column in setting and plain[column] != setting[column]:
            raise ContractBroken(f"column '{column}' contradicts the setting", remedy="leave settings out of the rows")
    return plain


def _column(name: Any) -> str:
    """The name of a column as one of Python's own words."""
    if not isinstance(name, str):
        raise ContractBroken(f"a column is called {shown_value(name)}", remedy="name columns with words")
    return _encodable(str.__str__(name), "a column's name is a word")


def _scalar(column: str, value: Any) -> Scalar:
    """A value of a row as exactly one of Python's own kinds, which travel from any worker into any file."""
    plain = python_value(value)
    if plain is None or isinstance(plain, bool):
        return plain
    if isinstance(plain, str):
        return _encodable(str.__str__(plain), f"column '{column}' holds a word")
    if isinstance(plain, float):
        return float.__float__(plain)
    if not isinstance(plain, int):
        raise ContractBroken(
            f"column '{column}' holds a {type(value).__name__}", remedy="use words, numbers, flags or None"
        )
    if plain.bit_length() > LONGEST_INTEGER_BITS:
        digits = decimal_digits(plain)
        raise ContractBroken(f"column '{column}' holds an integer of about {digits} digits", remedy="use a float")
    return int.__int__(plain)


def _encodable(word: str, what: str) -> str:
    try:
        _ = word.isascii() or word.encode()
    except UnicodeEncodeError:
        raise ContractBroken(f"{what} that is not Unicode text: {word!a:.60}", remedy="decode it properly") from None
    return word
