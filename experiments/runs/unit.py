"""A unit of work: the canonical form of its setting, its id, its random key, and the rows that a `run` may return.

    write_canonical_json(s) = JSON of s, names sorted, numbers in shortest form
    id  = BLAKE2b(experiment, version, seed, write_canonical_json(s))
    key = split(split(split(0, seed), experiment), write_canonical_json(s))

Neither depends on the engine, the worker, the order of work or the process, which is why the same bytes come out.
"""

from __future__ import annotations

import hashlib
import json
from types import NoneType
from typing import Any, NamedTuple

from engine.errors import ContractBroken
from engine.plain_values import make_python_value
from engine.printable import show_value
from engine.randomness.counter_based import split
from engine.value_types import count_decimal_digits
from experiments.experiment import ResultRow, Rows, Scalar, UnitSetting

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def write_canonical_json(setting: UnitSetting) -> str:
    """One text for equal settings: names sorted, no spaces, -0.0 written as 0.0."""
    return _CANONICAL.encode({name: _positive_zero(value) for name, value in setting.items()})


def _positive_zero(value: Scalar) -> Scalar:
    return value + 0.0 if isinstance(value, float) else value


def make_unit_id(experiment: str, version: int, seed: int, setting: UnitSetting) -> str:
    """The name of a unit's file: 32 hexadecimal digits."""
    text = f"{experiment}\n{version}\n{seed}\n{write_canonical_json(setting)}"
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def make_unit_key(experiment: str, seed: int, setting: UnitSetting) -> int:
    """The random key of a unit: a function of the experiment's name, its seed and the setting, of nothing else."""
    return split(split(split(0, seed), experiment), write_canonical_json(setting))


PLAIN = (float, bool, NoneType)  # kinds that need no look
LONGEST_INTEGER_BITS = 14_000  # Python neither writes nor reads integers of much more than 4,000 digits


class StoredUnit(NamedTuple):
    """A unit that is stored."""

    experiment: str
    version: int
    seed: int
    setting: UnitSetting
    rows: Rows


def normalise_rows(rows: Any, setting: UnitSetting) -> Rows:
    """What a `run` returned, checked and in Python's own numbers; ContractBroken where it is no list of flat rows."""
    if not isinstance(rows, list):
        raise ContractBroken(f"run returned {type(rows).__name__}", remedy="return a list of flat dicts")
    columns: set[str] = set()
    return [_normalise_row(row, setting, columns) for row in rows]


def _normalise_row(row: Any, setting: UnitSetting, columns: set[str]) -> ResultRow:
    """columns: names that were checked, to which this row's are added."""
    if not isinstance(row, dict):
        raise ContractBroken(f"run returned a row that is {type(row).__name__}", remedy="return a list of flat dicts")
    plain: ResultRow = {}
    for column, value in row.items():
        if type(column) is not str or column not in columns:
            column = _check_column(column)
            columns.add(column)
        plain[column] = value if type(value) in PLAIN else _normalise_scalar(column, value)
        if column in setting and plain[column] != setting[column]:
            raise ContractBroken(f"column '{column}' contradicts the setting", remedy="leave settings out of the rows")
    return plain


def _check_column(name: Any) -> str:
    """The name of a column as one of Python's own words."""
    if not isinstance(name, str):
        raise ContractBroken(f"a column is called {show_value(name)}", remedy="name columns with words")
    return _require_encodable(str.__str__(name), "a column's name is a word")


def _normalise_scalar(column: str, value: Any) -> Scalar:
    """A value of a row as exactly one of Python's own kinds, which travel from any worker into any file."""
    plain = make_python_value(value)
    if plain is None or isinstance(plain, bool):
        return plain
    if isinstance(plain, str):
        return _require_encodable(str.__str__(plain), f"column '{column}' holds a word")
    if isinstance(plain, float):
        return float.__float__(plain)
    if not isinstance(plain, int):
        raise ContractBroken(
            f"column '{column}' holds a {type(value).__name__}", remedy="use words, numbers, flags or None"
        )
    if plain.bit_length() > LONGEST_INTEGER_BITS:
        digits = count_decimal_digits(plain)
        raise ContractBroken(f"column '{column}' holds an integer of about {digits} digits", remedy="use a float")
    return int.__int__(plain)


def _require_encodable(word: str, what: str) -> str:
    try:
        _ = word.isascii() or word.encode()
    except UnicodeEncodeError:
        raise ContractBroken(f"{what} that is not Unicode text: {word!a:.60}", remedy="decode it properly") from None
    return word
