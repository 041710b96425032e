"""Columns: many states at once, a NamedTuple of integer arrays with one entry a state, and what worlds answer for them.

Every answer of a user's method is checked where it is first read; a message names the file, the class and the method.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.contracts import array_given
from engine.errors import BadValue, ContractBroken
from engine.mdp.independent_events import IndependentEvents
from engine.mdp.mdp import Booleans, Floats
from engine.user_code import place_of

CERTAIN = 1e-9
MOST_BRANCHES = 1024


class Branch(NamedTuple):
    """One way in which chance may decide: its probability, f64[n], and the states then, a NamedTuple of int64[n].

    name: the outcome's, "" where it has none.
    """

    probability: Floats
    state: Any
    name: str = ""


def state_columns(given: Any, count: int, owner: Any, method: str) -> Any:
    """What a method gave as a NamedTuple of int64[count]; ContractBroken, naming the field, where it is no such thing.

    given: a NamedTuple of integer (or boolean) arrays [count]. owner, method: whose it is, for messages.
    """
    if not hasattr(given, "_fields"):
        raise ContractBroken(
            f"{method} gave {type(given).__name__}", place=place_of(owner), remedy="expected a NamedTuple of columns"
        )
    return type(given)(*(_column(getattr(given, name), count, name, owner, method) for name in given._fields))


def branches(given: Any, count: int, owner: Any, method: str, asked: Booleans | None = None) -> list[Branch]:
    """What a method gave as branches: one that is certain for a NamedTuple of columns, else the pairs listed.

    given: a NamedTuple of columns, or a list of pairs (probability, NamedTuple of columns), a probability being a
    number or one for each of the states; the name of the outcome may come third. asked: bool[count], the states for
    which the answer counts, all by default. Raises ContractBroken where it is neither, where probabilities are negative
    or do not sum to 1, or where two outcomes have one name; BadValue for more than MOST_BRANCHES.
    """
    if hasattr(given, "_fields"):
        return [Branch(np.broadcast_to(np.float64(1.0), (count,)), state_columns(given, count, owner, method))]
    pairs = given if isinstance(given, list | tuple | IndependentEvents) else ()
    if len(pairs) > MOST_BRANCHES:
        remedy = "choose a world in which less is left to chance"
        raise BadValue(f"{method} has {len(pairs):,} outcomes", place=place_of(owner), remedy=remedy)
    if not pairs or not all(isinstance(pair, tuple) and len(pair) in (2, 3) for pair in pairs):
        raise ContractBroken(
            f"{method} gave {type(given).__name__}",
            place=place_of(owner),
            remedy="expected a NamedTuple of columns, or a list of pairs (probability, NamedTuple of columns)",
        )
    result = []
    for probability, state, *named in pairs:
        chance = number_column(probability, count, owner, f"{method} probability", "iuf", "number from 0 to 1")
        result.append(Branch(chance.astype(np.float64), state_columns(state, count, owner, method), *named))
    _check_names([branch.name for branch in result if branch.name], owner, method)
    counted = np.ones(count, dtype=np.bool_) if asked is None else asked
    _check_probabilities(np.stack([branch.probability for branch in result])[:, counted], owner, method)
    return result


def number_column(given: Any, count: int, owner: Any, method: str, kinds: str, expected: str) -> NDArray[Any]:
    """What a method gave as an array [count], of a number or of one a state; ContractBroken where it is neither.

    kinds: numpy's letters of the kinds that are allowed. expected: one such number, in words.
    """
    array = array_given(given)
    if array.dtype.kind not in kinds or array.shape not in ((), (count,)):
        shown = f"an array of {array.dtype} of shape {array.shape}" if array.ndim else repr(given)
        raise ContractBroken(
            f"{method} gave {shown}",
            place=place_of(owner),
            remedy=f"expected one {expected}, or a column of {count}",
        )
    return array if array.shape else np.broadcast_to(array, (count,))


def read_only(columns: Any) -> Any:
    """The same columns, protected: rules that write into a state instead of giving a new one raise."""
    for field in columns:
        field.setflags(write=False)
    return columns


def _check_probabilities(chances: Floats, owner: Any, method: str) -> None:
    """Refuse columns of probabilities, f64[branches, n], that are not distributions."""
    outside = ~((chances >= 0.0) & (chances <= 1.0 + CERTAIN))
    total = chances.sum(axis=0)
    unsure = ~(np.abs(total - 1.0) <= CERTAIN)
    problem = ""
    if outside.any():
        problem = f"the probability {chances[outside][0]:g}"
    elif unsure.any():
        problem = f"probabilities that sum to {total[unsure][0]:.12g}"
    if problem:
        raise ContractBroken(
            f"{method} gave {problem}", place=place_of(owner), remedy="give numbers from 0 to 1 that sum to 1"
        )


def _check_names(names: list[Any], owner: Any, method: str) -> None:
    """Refuse names of outcomes that are not words, or not different."""
    seen = set[str]()
    for name in names:
        if not isinstance(name, str) or name in seen or set(name) & set(", "):
            problem = f"{method} gave the outcome {name!r}" + (" twice" if name in seen else "")
            raise ContractBroken(problem, place=place_of(owner), remedy="give different words without blanks or commas")
        seen.add(name)


def _column(field: Any, count: int, name: str, owner: Any, method: str) -> Any:
    column = array_given(field)
    if column.dtype.kind not in "iub":
        problem = f"field '{name}' of type {column.dtype}"
    elif column.shape == ():
        problem = f"the constant {field} for field '{name}'"
    elif column.shape != (count,):
        problem = f"field '{name}' of shape {column.shape} for {count} states"
    else:
        return column.astype(np.int64, copy=False)
    raise ContractBroken(
        f"{method} gave {problem}", place=place_of(owner), remedy="expected a column of integers, one entry a state"
    )
