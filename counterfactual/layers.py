"""Tabulating a planning world: the situations that can arise at each step, and what every action leads to.

Layer t holds the distinct situations at step t; successors are numbers in layer t + 1. S is the number of situations
of a layer, n the number of those in which an outcome is possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfactual.numbering import Numbering, number_rows
from counterfactual.planning_world import Bonus, Outcome, PlanningWorld, Situation
from counterfactual.world import column, one_state, spread, take


class Move(NamedTuple):
    """One outcome of one action. rows: the situations it is possible in, intp[n], or None for all, in order.

    weight, reward: int or int64[n]. successor: intp[n].
    """

    rows: NDArray[np.intp] | None
    weight: Any
    reward: Any
    successor: NDArray[np.intp]
    bonus: Bonus | None

    def place(self, number: int) -> int:
        """Where a situation stands in this move's columns, -1 where the outcome is impossible in it."""
        if self.rows is None:
            return number
        place = int(np.searchsorted(self.rows, number))
        return place if place < len(self.rows) and self.rows[place] == number else -1


@dataclass(frozen=True)
class Layer:
    """situations: columns of length S. numbering: finds a situation's number. moves: for each action its outcomes."""

    situations: Situation
    numbering: Numbering
    moves: tuple[tuple[Move, ...], ...]

    def __len__(self) -> int:
        return len(self.numbering.keys)


class _Found(NamedTuple):
    action: int
    rows: NDArray[np.intp] | None
    outcome: Outcome


def tabulate(world: PlanningWorld, step: int, start: Situation) -> list[Layer]:
    """All layers from `step` to the end; the last one, after the horizon, has no moves.

    start: one situation as plain numbers, or several as columns.
    """
    given = Situation(one_state(start.x), None if start.signal is None else np.atleast_1d(start.signal))
    numbering, _, first = number_rows(columns(given))
    situations = _take(given, first)
    layers = []
    for now in range(step, world.learned.horizon + 1):
        found = list(_outcomes(world, now, situations))
        successors = [columns(entry.outcome.after) for entry in found]
        stacked = [np.concatenate(parts) for parts in zip(*successors, strict=True)]
        following, numbers, first = number_rows(stacked)
        layers.append(Layer(situations, numbering, _moves(world, found, numbers)))
        situations, numbering = _situations(found[0].outcome.after, [entries[first] for entries in stacked]), following
    return [*layers, Layer(situations, numbering, ())]


def columns(situations: Situation) -> list[NDArray[np.int64]]:
    """The fields of situations as one list of columns, the signal last where there is one."""
    signal = [] if situations.signal is None else [situations.signal]
    return [np.asarray(entry, dtype=np.int64) for entry in (*situations.x, *signal)]


def _situations(like: Situation, entries: list[NDArray[np.int64]]) -> Situation:
    fields = len(like.x)
    return Situation(type(like.x)(*entries[:fields]), None if like.signal is None else entries[fields])


def _outcomes(world: PlanningWorld, step: int, situations: Situation) -> Iterator[_Found]:
    """Every action's outcomes, restricted to the situations in which they are possible."""
    for number, action in enumerate(world.learned.actions):
        allowed = world.learned.allows(step, situations.x, action)
        rows = None if allowed is True else np.flatnonzero(column(allowed, _length(situations)))
        if rows is not None and len(rows) == 0:
            continue
        chosen = situations if rows is None else _take(situations, rows)
        for outcome in world.outcomes(step, chosen, action):
            possible = _possible(number, rows, outcome, _length(chosen))
            if possible is not None:
                yield possible


def _possible(action: int, rows: NDArray[np.intp] | None, outcome: Outcome, n: int) -> _Found | None:
    """An outcome with full columns, in those rows in which it has any weight; None where there are none."""
    x, signal = outcome.after
    after = Situation(spread(x, n), None if signal is None else column(signal, n))
    if not isinstance(outcome.weight, np.ndarray):
        return (
            _Found(action, rows, Outcome(outcome.weight, after, outcome.reward, outcome.bonus))
            if outcome.weight
            else None
        )
    kept = np.flatnonzero(outcome.weight > 0)
    if len(kept) == 0:
        return None
    reward = outcome.reward[kept] if np.ndim(outcome.reward) else outcome.reward
    bonus = None
    if outcome.bonus is not None:
        floats, exact = outcome.bonus
        bonus = Bonus(floats[kept], lambda place: exact(int(kept[place])))
    restricted = Outcome(outcome.weight[kept], _take(after, kept), reward, bonus)
    return _Found(action, kept if rows is None else rows[kept], restricted)


def _moves(world: PlanningWorld, found: list[_Found], numbers: NDArray[np.intp]) -> tuple[tuple[Move, ...], ...]:
    moves: list[list[Move]] = [[] for _ in world.learned.actions]
    begin = 0
    for action, rows, outcome in found:
        end = begin + _length(outcome.after)
        moves[action].append(Move(rows, outcome.weight, outcome.reward, numbers[begin:end], outcome.bonus))
        begin = end
    return tuple(tuple(of_action) for of_action in moves)


def _take(situations: Situation, rows: NDArray[np.intp]) -> Situation:
    return Situation(take(situations.x, rows), None if situations.signal is None else situations.signal[rows])


def _length(situations: Situation) -> int:
    return len(situations.x[0])
