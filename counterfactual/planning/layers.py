"""Tabulating a planning world: the situations that can arise at each step, and what every action leads to.

Layer t holds the S distinct situations of step t; successors are numbers in layer t + 1. A pair is a situation with an
action that can be taken in it, numbered situation * A + action; M is the number of pairs, A that of actions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from counterfactual.planning.state_index import Numbering, number_rows
from counterfactual.planning_world import Bonus, Outcome, PlanningWorld, Situation
from counterfactual.world import column, one_state, spread, take

Numbers: TypeAlias = NDArray[np.intp]


class Move(NamedTuple):
    """One outcome of every pair. weight: int64[M], 0 where it is impossible. reward: int64[M]. successor: intp[M]."""

    weight: Any
    reward: Any
    successor: Numbers
    bonus: Bonus | None


@dataclass(frozen=True)
class Layer:
    """situations: columns of length S. numbering: finds a situation's number. moves: outcomes of all pairs.

    pairs: intp[M], sorted, or None where every action can be taken everywhere.
    """

    situations: Situation
    numbering: Numbering
    pairs: Numbers | None = None
    moves: tuple[Move, ...] = ()

    def __len__(self) -> int:
        return len(self.numbering.keys)

    def place(self, pair: int) -> int:
        """Where a pair stands in the columns of the moves, -1 where the action cannot be taken."""
        if self.pairs is None:
            return pair
        place = int(np.searchsorted(self.pairs, pair))
        return place if place < len(self.pairs) and self.pairs[place] == pair else -1


def tabulate(world: PlanningWorld, step: int, start: Situation) -> list[Layer]:
    """All layers from `step` to the end; the last one, after the horizon, has no moves.

    start: one situation as plain numbers, or several as columns.
    """
    given = Situation(one_state(start.x), None if start.signal is None else np.atleast_1d(start.signal))
    numbering, _, first = number_rows(columns(given))
    situations = _take(given, first)
    layers = []
    for now in range(step, world.learned.horizon + 1):
        pairs, outcomes = _outcomes(world, now, situations)
        moves, following, reached = _numbered(outcomes)
        layers.append(Layer(situations, numbering, pairs, moves))
        situations, numbering = reached, following
    return [*layers, Layer(situations, numbering)]


def columns(situations: Situation) -> list[NDArray[np.int64]]:
    """The fields of situations as one list of columns, the signal last where there is one."""
    signal = [] if situations.signal is None else [situations.signal]
    return [np.asarray(entry, dtype=np.int64) for entry in (*situations.x, *signal)]


def _outcomes(world: PlanningWorld, step: int, situations: Situation) -> tuple[Numbers | None, list[Outcome]]:
    """The pairs of a layer and all their outcomes, every column in full length."""
    actions, n = len(world.learned.actions), len(situations.x[0])
    everywhere = _take(situations, np.repeat(np.arange(n), actions))
    action = np.tile(np.arange(actions), n)
    allowed, pairs = world.learned.allows(step, everywhere.x, action), None
    if allowed is not True:
        pairs = np.flatnonzero(column(allowed, len(action)))
        everywhere, action = _take(everywhere, pairs), action[pairs]
    outcomes = world.outcomes(step, everywhere, action)
    return pairs, [_full(outcome, len(action)) for outcome in outcomes]


def _full(outcome: Outcome, m: int) -> Outcome:
    x, signal = outcome.after
    after = Situation(spread(x, m), None if signal is None else column(signal, m))
    return Outcome(column(outcome.weight, m), after, column(outcome.reward, m), outcome.bonus)


def _numbered(outcomes: list[Outcome]) -> tuple[tuple[Move, ...], Numbering, Situation]:
    """Moves with numbered successors, their numbering, and the situations that have the numbers."""
    possible = [np.flatnonzero(outcome.weight) for outcome in outcomes]
    entries = [columns(outcome.after) for outcome in outcomes]
    stacked = [
        np.concatenate([entry[rows] for entry, rows in zip(of_field, possible, strict=True)])
        for of_field in zip(*entries, strict=True)
    ]
    numbering, numbers, first = number_rows(stacked)
    moves, begin = [], 0
    for outcome, rows in zip(outcomes, possible, strict=True):
        successor = np.zeros(len(outcome.weight), dtype=np.intp)
        successor[rows] = numbers[begin : begin + len(rows)]
        begin += len(rows)
        moves.append(Move(outcome.weight, outcome.reward, successor, outcome.bonus))
    like, reached = outcomes[0].after, [entry[first] for entry in stacked]
    fields = len(like.x)
    situations = Situation(type(like.x)(*reached[:fields]), None if like.signal is None else reached[fields])
    return tuple(moves), numbering, situations


def _take(situations: Situation, rows: Numbers) -> Situation:
    return Situation(take(situations.x, rows), None if situations.signal is None else situations.signal[rows])
