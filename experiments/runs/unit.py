"""One finished unit of work as the bytes of one file: JSON that carries the checksum of its own body.

    {"blake2b":"<32 hex digits>","unit":<body>}      body = {"experiment", "version", "seed", "setting", "rows"}

The body says where it belongs, so that a foreign file is known as such, and holds no time or host: the same unit
is the same bytes wherever it was computed.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

from engine.errors import ContractBroken
from engine.plain_values import python_value
from experiments.experiment import ResultRow, Rows, Scalar, UnitSetting

_HEAD, _MIDDLE, _TAIL = b'{"blake2b":"', b'","unit":', b"}\n"
_DIGITS = 32
_BODY = len(_HEAD) + _DIGITS + len(_MIDDLE)


class StoredUnit(NamedTuple):
    """What a unit's file says."""

    experiment: str
    version: int
    seed: int
    setting: UnitSetting
    rows: Rows


def encode(unit: StoredUnit) -> bytes:
    """The bytes of a unit's file."""
    body = json.dumps(unit._asdict(), separators=(",", ":"), ensure_ascii=False).encode()
    return _HEAD + _digest(body) + _MIDDLE + body + _TAIL


def decode(content: bytes) -> StoredUnit | None:
    """What the file says, or None where the bytes are torn, altered or somebody else's."""
    body = content[_BODY : -len(_TAIL)]
    if content != _HEAD + _digest(body) + _MIDDLE + body + _TAIL:
        return None
    try:
        unit = StoredUnit(**json.loads(body.decode()))
    except (ValueError, TypeError):
        return None
    return unit if isinstance(unit.setting, dict) and isinstance(unit.rows, list) else None


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGITS // 2).hexdigest().encode()


def plain_rows(rows: Any, setting: UnitSetting) -> Rows:
    """What a `run` returned, checked and in Python's own numbers; ContractBroken where it is no list of flat rows."""
    if not isinstance(rows, list):
        raise ContractBroken(f"run returned {type(rows).__name__}", remedy="return a list of flat dicts")
    return [_plain_row(row, setting) for row in rows]


def _plain_row(row: Any, setting: UnitSetting) -> ResultRow:
    if not isinstance(row, dict):
        raise ContractBroken(f"run returned a row that is {type(row).__name__}", remedy="return a list of flat dicts")
    plain: ResultRow = {}
    for column, value in row.items():
        if not isinstance(column, str):
            raise ContractBroken(f"a column is called {column!r}", remedy="name columns with words")
        plain[column] = _scalar(column, value)
        if column in setting and plain[column] != setting[column]:
            raise ContractBroken(f"column '{column}' contradicts the setting", remedy="leave settings out of the rows")
    return plain


def _scalar(column: str, value: Any) -> Scalar:
    scalar: Scalar = python_value(value)
    if scalar is not None and not isinstance(scalar, str | int | float | bool):
        raise ContractBroken(
            f"column '{column}' holds a {type(value).__name__}", remedy="use words, numbers, flags or None"
        )
    return scalar
