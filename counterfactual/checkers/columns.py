"""What columns that a rule returns must be: integers of the right length, weights, states like the initial one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfactual.columns import as_ints, broadcast
from engine.contracts import array_given, refuse

IntegerColumn = NDArray[np.int64]


def require_integers(owner: Any, method: str, value: Any, n: int, what: str) -> IntegerColumn:
    """The value as int64[n]; ContractBroken unless it is an integer, or n of them."""
    array = array_given(value)
    if array.dtype.kind not in "iub" or array.shape not in ((), (n,)):
        refuse(owner, method, value, f"{what} as an integer or as int64[{n}]")
    return np.broadcast_to(array.astype(np.int64), (n,))


def require_weights(owner: Any, method: str, weights: Iterable[Any], n: int) -> list[IntegerColumn]:
    """The weights as int64[n] each; ContractBroken unless none is negative and every row has a positive one."""
    columns = [require_integers(owner, method, weight, n, "a weight") for weight in weights]
    for column in columns:
        if (column < 0).any():
            refuse(owner, method, int(column.min()), "weights of at least 0")
    if not columns or (np.sum(columns, axis=0) <= 0).any():
        refuse(owner, method, f"{len(columns)} outcomes", "an outcome of positive weight for every state")
    return columns


def require_states(owner: Any, method: str, x: Any, like: Any, n: int) -> Any:
    """The states as columns of length n; ContractBroken unless they are of the class of `like`, of integers."""
    if type(x) is not type(like):
        refuse(owner, method, x, f"states of class {type(like).__name__}, as start gives")
    for field, value in zip(like._fields, x, strict=True):
        require_integers(owner, method, value, n, f"'{field}'")
    return broadcast(x, n)


def require_instances(owner: Any, method: str, values: Any, expected: type) -> list[Any]:
    """The values as a list; ContractBroken unless there is at least one, all of the class."""
    if isinstance(values, expected) or not isinstance(values, Sequence) or not values:
        refuse(owner, method, values, f"a list of {expected.__name__}, at least one")
    for value in values:
        if not isinstance(value, expected):
            refuse(owner, method, value, f"a list of {expected.__name__}")
    return list(values)


def distinct_states(x: Any, signal: IntegerColumn, most: int) -> list[tuple[tuple[int, ...], int]]:
    """At most `most` of the distinct (X_t, I_t) among rows, as plain numbers, evenly spread over their order."""
    rows = zip(*(column.tolist() for column in (*x, signal)), strict=True)
    states = sorted({(as_ints(row[:-1]), int(row[-1])) for row in rows})
    return states[:: -(-len(states) // most)]
