"""Columns: many states at once, a NamedTuple of integer arrays with one entry a state."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.errors import ContractBroken
from engine.user_code import place_of


def state_columns(given: Any, count: int, owner: Any, method: str) -> Any:
    """What a method gave as a NamedTuple of int64[count]; ContractBroken, naming the field, where it is no such thing.

    given: a NamedTuple of integer (or boolean) arrays [count]. owner, method: whose it is, for messages.
    """
    if not hasattr(given, "_fields"):
        raise ContractBroken(
            f"{method} gave {type(given).__name__}", place=place_of(owner), remedy="expected a NamedTuple of columns"
        )
    return type(given)(*(_column(getattr(given, name), count, name, owner, method) for name in given._fields))


def read_only(columns: Any) -> Any:
    """The same columns, protected: rules that write into a state instead of giving a new one raise."""
    for field in columns:
        field.setflags(write=False)
    return columns


def _column(field: Any, count: int, name: str, owner: Any, method: str) -> Any:
    column = np.asarray(field)
    if column.dtype.kind not in "iub":
        problem = f"field '{name}' of type {column.dtype}"
    elif column.shape == ():
        problem = f"the constant {field} for field '{name}'"
    elif column.shape != (count,):
        problem = f"field '{name}' of shape {column.shape} for {count} states"
    else:
        return column.astype(np.int64)
    raise ContractBroken(
        f"{method} gave {problem}", place=place_of(owner), remedy="expected a column of integers, one entry a state"
    )
