"""Rules of worlds for one state, in plain integers, where `if` may be used.

The planner asks the rules of a world about n states at once. One that fails on them is asked about those that take the
same way through it (`engine.mdp.by_branches`), or else about each state alone. What it gives becomes columns; outcomes
that a state has fewer of than others get the weight 0 there. A line says so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from counterfactual.columns import broadcast
from engine.errors import CaregridError
from engine.mdp.by_branches import NotByBranches, StatesAlike, answer_and_tell, ask_by_branches, spread, take_alone

RULES = ("physics", "physics_given", "terminal", "allows", "updates", "manipulates", "self_of")


def ask_as_written(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return a rule of columns as it is, and one that fails on them as one that is asked about single states."""

    @functools.wraps(rule)
    def ask(world: Any, *arguments: Any) -> Any:
        own = rule.__get__(world)
        try:
            return own(*arguments)
        except (CaregridError, MemoryError):
            raise
        except Exception as error:
            counts = [len(column) for each in arguments for column in _list_columns(each)]
            if not counts or not max(counts):
                raise
            failure = error
        count = max(counts)
        spread_out = [_spread_argument(each, count) for each in arguments]
        return answer_and_tell(world, own.__name__, failure, lambda: _answer_columns(own, spread_out, count))

    return ask


def _list_columns(value: Any) -> list[Any]:
    fields = value if isinstance(value, tuple) else (value,)
    return [field for field in fields if isinstance(field, np.ndarray) and field.ndim == 1]


def _spread_argument(value: Any, count: int) -> Any:
    return broadcast(value, count) if isinstance(value, tuple) else value


def _answer_columns(rule: Callable[..., Any], arguments: Sequence[Any], count: int) -> Any:
    try:
        parts = ask_by_branches(rule, tuple(arguments), count)
    except NotByBranches:
        rows = range(count)
        parts = [StatesAlike(np.array([row]), rule(*(take_alone(each, row) for each in arguments))) for row in rows]
    return _join([part.answer for part in parts], parts, count)


def _join(answers: Sequence[Any], parts: Sequence[StatesAlike], count: int) -> Any:
    """Return in columns what parts of the states are answered: numbers, NamedTuples or lists of these."""
    first = answers[0]
    if hasattr(first, "_fields"):
        return type(first)._make(_join(fields, parts, count) for fields in zip(*answers, strict=True))
    if not isinstance(first, Sequence):
        return spread(answers, parts, count)
    if not (first and hasattr(first[0], "_fields")):
        return tuple(_join(numbers, parts, count) for numbers in zip(*answers, strict=True))
    lists = [_fill_up(each, max(map(len, answers))) for each in answers]
    return [_join(outcomes, parts, count) for outcomes in zip(*lists, strict=True)]


def _fill_up(outcomes: Sequence[Any], most: int) -> list[Any]:
    """Return outcomes with others of weight 0."""
    missing = most - len(outcomes)
    return [*outcomes, *([outcomes[0]._replace(weight=0)] * missing if missing else [])]
