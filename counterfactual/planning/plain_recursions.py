"""The planning worlds of ITF, ITC and CITC as plain recursions: one state at a time, in fractions, exact and slow.

    ITF    V_t(i, x) = max_a sum_x' X(x' | i, x, a) sum_i' I(i' | i, x, a) [ i(x, x')   + gamma V_{t+1}(i', x') ]
    ITC    V_t(i, x) = max_a sum_x' X(x' | x, a)    sum_i' I(i' | i, x, a) [ i_0(x, x') + gamma V_{t+1}(i', x') ]
    CITC   V_t(x)    = max_a sum_x' X(x' | x, a)                           [ i_0(x, x') + gamma V_{t+1}(x') ]

i_0 is the signal of the real present; after the horizon V = 0. The planner (`counterfactual.planning.plan`) computes
the same numbers and is tested against these, which share no code with it: no layers, floats, diagrams or agents.

Reference: "Counterfactual planning with an input terminal", the definitions of the three agents, whose formulas are
lost in our copy; these are what the text says of them.

Choice: worlds in which the agent can become another one are left to `counterfactual.planning.future_selves`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from counterfactual.worlds import TerminalWorld

Value = Callable[..., Fraction]


def plan_itf(world: TerminalWorld[Any], signal: int = 0) -> dict[str, Fraction]:
    """Q_1(i, X_1, a) of each available action: every reward is that of the signal in force."""

    @cache
    def value(step: int, i: int, x: Any) -> Fraction:
        return max(values(step, i, x).values(), default=Fraction(0))

    def values(step: int, i: int, x: Any) -> dict[str, Fraction]:
        return {
            name: sum(
                (
                    p * q * (_reward(world, i, events) + world.discount * value(step + 1, sent, following))
                    for p, following, events in _physics(world, step, x, action, i)
                    for q, sent in _terminal(world, i, step, x, action, following)
                ),
                Fraction(0),
            )
            for name, action in _actions(world, step, x)
        }

    return values(1, signal, world.start())


def plan_itc(world: TerminalWorld[Any], signal: int = 0) -> dict[str, Fraction]:
    """Q_1 of each available action: every reward is that of the present signal; later ones have no effect."""

    @cache
    def value(step: int, i: int, x: Any) -> Fraction:
        return max(values(step, i, x).values(), default=Fraction(0))

    def values(step: int, i: int, x: Any) -> dict[str, Fraction]:
        return {
            name: sum(
                (
                    p * q * (_reward(world, signal, events) + world.discount * value(step + 1, sent, following))
                    for p, following, events in _physics(world, step, x, action)
                    for q, sent in _terminal(world, i, step, x, action, following)
                ),
                Fraction(0),
            )
            for name, action in _actions(world, step, x)
        }

    return values(1, signal, world.start())


def plan_citc(world: TerminalWorld[Any], signal: int = 0) -> dict[str, Fraction]:
    """Q_1 of each available action: ITC's, in a world without signals."""

    @cache
    def value(step: int, x: Any) -> Fraction:
        return max(values(step, x).values(), default=Fraction(0))

    def values(step: int, x: Any) -> dict[str, Fraction]:
        return {
            name: sum(
                (
                    p * (_reward(world, signal, events) + world.discount * value(step + 1, following))
                    for p, following, events in _physics(world, step, x, action)
                ),
                Fraction(0),
            )
            for name, action in _actions(world, step, x)
        }

    return values(1, world.start())


def _actions(world: TerminalWorld[Any], step: int, x: Any) -> Iterator[tuple[str, Any]]:
    """Yield the glyph and the column of each action that can be taken; none after the horizon."""
    if step <= world.horizon:
        for number, name in enumerate(world.actions):
            action = np.array([number])
            if np.broadcast_to(world.allows(step, _column(x), action), 1)[0]:
                yield name, action


def _physics(
    world: TerminalWorld[Any], step: int, x: Any, action: Any, signal: int | None = None
) -> list[tuple[Fraction, Any, Sequence[int]]]:
    """(probability, X_{t+1}, events) of the kernel with the signal, or without."""
    outcomes = (
        world.physics(step, _column(x), action)
        if signal is None
        else world.physics_given(np.array([signal]), step, _column(x), action)
    )
    listed = [
        (_number(each.weight), type(x)(*map(_number, each.next_x)), tuple(map(_number, each.events)))
        for each in outcomes
    ]
    total = sum(weight for weight, _, _ in listed)
    return [(Fraction(weight, total), following, events) for weight, following, events in listed if weight]


def _terminal(
    world: TerminalWorld[Any], signal: int, step: int, x: Any, action: Any, following: Any
) -> list[tuple[Fraction, int]]:
    """(probability, I_{t+1})."""
    outcomes = world.terminal(np.array([signal]), step, _column(x), action, _column(following))
    listed = [(_number(each.weight), _number(each.signal)) for each in outcomes]
    total = sum(weight for weight, _ in listed)
    return [(Fraction(weight, total), sent) for weight, sent in listed if weight]


def _reward(world: TerminalWorld[Any], signal: int, events: Sequence[int]) -> Fraction:
    per_feature = world.signals[signal].feature_rewards
    return sum((each * count for each, count in zip(per_feature, events, strict=True)), Fraction(0)) * world.event_unit


def _column(x: Any) -> Any:
    return type(x)(*(np.array([field]) for field in x))


def _number(entries: Any) -> int:
    return int(np.broadcast_to(entries, 1)[0])
