"""Rules for one state at a time, in plain integers, where `if` may be used.

    class Mine(Scenario):
        one_by_one = True

The engine asks the rules of a scenario about n states at once. A class that says this is asked about each of them
alone, and what its rules give becomes columns: the same table as by rules for columns, at the speed of Python.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from numbers import Number
from typing import Any

import numpy as np

RULES = (
    *("step", "inaction", "handover", "reward", "performance"),
    *("is_terminal", "available", "ends", "observe"),
)


def ask_one_by_one(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return a rule of one state as a rule of columns, which still answers for one state."""
    if hasattr(rule, "rule_of_one_state"):
        return rule

    @functools.wraps(rule)
    def ask(world: Any, state: Any, *others: Any) -> Any:
        own = rule.__get__(world) if hasattr(rule, "__get__") else rule  # as Python binds it
        if not _has_columns(state):
            return own(state, *others)
        rows = zip(_split_columns(state), *map(_split_columns, others), strict=False)
        return _join_answers([own(*row) for row in rows]) if len(state[0]) else state

    ask.rule_of_one_state = rule  # type: ignore[attr-defined]
    return ask


def _has_columns(state: Any) -> bool:
    return hasattr(state, "_fields") and isinstance(state[0], np.ndarray)


def _split_columns(columns: Any) -> Iterator[Any]:
    """Return the states one by one; anything else, such as an action, again and again."""
    if not _has_columns(columns):
        return itertools.repeat(columns)
    return map(type(columns)._make, zip(*(field.tolist() for field in columns), strict=True))


def _join_answers(answers: list[Any]) -> Any:
    """Join what a rule gave for each state; what is none of the forms is returned alone, and refused by who asked."""
    if any(_is_listed(answer) for answer in answers):
        return _join_branches(answers)
    if isinstance(answers[0], tuple):
        return _join_tuples(answers)
    odd = [answer for answer in answers if not isinstance(answer, Number | np.bool_)]
    return odd[0] if odd else np.array(answers)


def _is_listed(answer: Any) -> bool:
    """Return whether it lists what may happen."""
    return isinstance(answer, Sequence) and not isinstance(answer, tuple | str)


def _join_tuples(answers: Sequence[Any]) -> Any:
    """Columns of the same kind: a NamedTuple's, or plain ones of what is observed."""
    kind = type(answers[0])
    odd = [answer for answer in answers if type(answer) is not kind or len(answer) != len(answers[0])]
    if odd:
        return odd[0]
    columns = [np.array(column) for column in zip(*answers, strict=True)]
    return kind._make(columns) if hasattr(kind, "_fields") else tuple(columns)


def _join_branches(answers: Sequence[Any]) -> Any:
    """Branches of columns: outcomes of one name, or else of one position, are one; absent ones have chance 0."""
    chances: dict[tuple[str, int], Any] = {}
    states: dict[tuple[str, int], list[Any]] = {}
    absent: list[Any] = []  # what stands for an outcome that a state has not
    for row, answer in enumerate(answers):
        branches = list(answer) if _is_listed(answer) else [(1.0, answer)]
        if not branches or not all(isinstance(each, tuple) and len(each) in (2, 3) for each in branches):
            return answer
        seen: dict[str, int] = {}
        for chance, state, *named in branches:
            name = named[0] if named else ""
            key = name, seen.setdefault(name, 0)
            seen[name] += 1
            if key not in chances:
                chances[key] = [0.0] * len(answers)
                states[key] = [None] * len(answers)
            chances[key][row], states[key][row] = chance, state
        absent.append(branches[0][1])
    result = []
    for name, number in states:
        following = [other if one is None else one for one, other in zip(states[name, number], absent, strict=True)]
        branch = (np.array(chances[name, number]), _join_tuples(following))
        result.append((*branch, name) if name else branch)
    return result
