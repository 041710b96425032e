"""Rules for one state at a time, in plain integers, where `if` may be used.

    class Mine(Scenario):
        def reward(self, state, action, next_state):
            return -1.0 if next_state.lit else -2.0

The engine asks the rules of a scenario about n states at once. One that fails on them is asked about those that take
the same way through it (`engine.mdp.by_branches`), or else about each state alone, at the speed of Python. What it
gives becomes columns: the same table as by a rule for columns. A line says so. All rules of a class that says
`one_by_one = True` are asked so, and none of one that says `one_by_one = False`.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from numbers import Number
from typing import Any

import numpy as np

from engine.errors import CaregridError
from engine.mdp.by_branches import (
    NotByBranches,
    NumberPerState,
    answer_and_tell,
    ask_by_branches,
    is_columns,
    spread,
)

Join = Callable[[Sequence[Any]], Any]
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
        own = _bind(rule, world)
        if not is_columns(state):
            return own(state, *others)
        count = len(state[0])
        return answer_columns(own, (state, *others), count) if count else state

    ask.rule_of_one_state = rule  # type: ignore[attr-defined]
    return ask


def ask_as_written(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return a rule of columns as it is, and one that fails on them as `ask_one_by_one` does; a line names it."""
    if hasattr(rule, "rule_of_one_state"):
        return rule

    @functools.wraps(rule)
    def ask(world: Any, state: Any, *others: Any) -> Any:
        own, failure = _bind(rule, world), None
        try:
            answer = own(state, *others)
            if not (is_columns(state) and _gives_constants(answer)):
                return answer
        except (CaregridError, MemoryError):
            raise
        except Exception as error:
            if not (is_columns(state) and len(state[0])):
                raise
            failure = error
        arguments = state, *others
        return answer_and_tell(world, own.__name__, failure, lambda: answer_columns(own, arguments, len(state[0])))

    ask.rule_of_one_state = rule  # type: ignore[attr-defined]
    return ask


def _gives_constants(answer: Any) -> bool:
    """Return whether a state's field is one number where each state should have its own."""
    states = (
        [each[1] for each in answer if isinstance(each, tuple) and len(each) > 1] if _is_listed(answer) else [answer]
    )
    fields = [field for state in states if hasattr(state, "_fields") for field in state]
    return any(isinstance(field, int | float | np.generic) for field in fields)


def _bind(rule: Any, world: Any) -> Any:
    """Return a rule as Python binds it."""
    return rule.__get__(world) if hasattr(rule, "__get__") else rule


def answer_columns(rule: Callable[..., Any], arguments: tuple[Any, ...], count: int) -> Any:
    """Return in columns what a rule of one state answers for many: by branches, or else of each state alone."""
    try:
        parts = ask_by_branches(rule, arguments, count)
    except NotByBranches:
        rows = zip(*map(_split_columns, arguments), strict=False)
        return _join_answers([rule(*row) for row in rows], np.array)
    return _join_answers([part.answer for part in parts], lambda values: spread(values, parts, count))


def _split_columns(columns: Any) -> Iterator[Any]:
    """Return the states one by one; anything else, such as an action, again and again."""
    if not is_columns(columns):
        return itertools.repeat(columns)
    return map(type(columns)._make, zip(*(field.tolist() for field in columns), strict=True))


def _join_answers(answers: list[Any], join: Join) -> Any:
    """Join what a rule gave for each state, or part of them.

    join: makes a column of one value for each. What is none of the forms is returned alone, and refused by who asked.
    """
    if any(_is_listed(answer) for answer in answers):
        return _join_branches(answers, join)
    if isinstance(answers[0], tuple):
        return _join_tuples(answers, join)
    odd = [answer for answer in answers if not isinstance(answer, Number | np.bool_ | NumberPerState)]
    return odd[0] if odd else join(answers)


def _is_listed(answer: Any) -> bool:
    """Return whether it lists what may happen."""
    return isinstance(answer, Sequence) and not isinstance(answer, tuple | str)


def _join_tuples(answers: Sequence[Any], join: Join) -> Any:
    """Columns of the same kind: a NamedTuple's, or plain ones of what is observed."""
    kind = type(answers[0])
    odd = [answer for answer in answers if type(answer) is not kind or len(answer) != len(answers[0])]
    if odd:
        return odd[0]
    columns = [join(column) for column in zip(*answers, strict=True)]
    return kind._make(columns) if hasattr(kind, "_fields") else tuple(columns)


def _join_branches(answers: Sequence[Any], join: Join) -> Any:
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
        branch = (join(chances[name, number]), _join_tuples(following, join))
        result.append((*branch, name) if name else branch)
    return result
