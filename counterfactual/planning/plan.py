"""Optimal plans, exactly: dynamic programming in floats filters, fractions decide among what passed.

    Q_t(s, a) = E[ R_t + discount V_{t+1}(s') ]        V_t(s) = max_a Q_t(s, a)        after the horizon V = 0

Floats err by far less than `MARGIN` of the largest return, so every action whose float value is further below the best
is not optimal; the few that remain are compared as fractions, over the situations that they lead to and no others.
Ties are therefore ties, not near-ties. Reference: backward induction; the filter is that of exact geometric predicates.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfactual.planning.layers import Layer, Move, columns, tabulate
from counterfactual.planning_world import PlanningWorld, Situation
from counterfactual.world import one_state

MARGIN = 1e-9


class Step(NamedTuple):
    """One possible outcome of a planned action, exactly; `successor` is a number in the next layer."""

    probability: Fraction
    reward: Fraction
    successor: int


class Plan:
    """The solution of a planning world from one situation on: exact values and all optimal actions.

    Situations are addressed by (step, number); `find` tells the number of a situation.
    """

    def __init__(self, world: PlanningWorld, step: int, start: Situation) -> None:
        self.world, self.first = world, step
        _, self._unit = world.learned.worth
        self.layers = tabulate(world, step, start)
        self.floats, self._near = self._filter()
        self._exact: list[dict[int, Fraction]] = [{} for _ in self.layers]

    @property
    def situations(self) -> int:
        """How many situations the plan visits."""
        return sum(len(layer) for layer in self.layers[:-1])

    def layer(self, step: int) -> Layer:
        """The layer of a step."""
        return self.layers[step - self.first]

    def find(self, step: int, situations: Situation) -> NDArray[np.intp]:
        """intp[n]: the numbers of situations given as columns, -1 for those that the plan never visits."""
        if not self.first <= step < self.first + len(self.layers):
            return np.full(len(situations.x[0]), -1)
        return self.layer(step).numbering.find(columns(situations))

    def number(self, step: int, situation: Situation) -> int:
        """The number of one situation given as plain numbers, -1 where the plan never visits it."""
        signal = None if situation.signal is None else np.array([situation.signal])
        return int(self.find(step, Situation(one_state(situation.x), signal))[0])

    def value(self, step: int, number: int = 0) -> Fraction:
        """V_t(s), exactly."""
        t = step - self.first
        if number not in self._exact[t]:
            self._settle(t, number)
        return self._exact[t][number]

    def action_value(self, step: int, number: int, action: int) -> Fraction:
        """Q_t(s, a), exactly, for an action that is allowed there."""
        return self._backup(step - self.first, self.steps(step, number, action))

    def allowed(self, step: int, number: int) -> list[int]:
        """The actions that can be taken."""
        layer, actions = self.layer(step), len(self.world.learned.actions)
        return [action for action in range(actions) if layer.place(number * actions + action) >= 0]

    def optimal(self, step: int, number: int) -> list[int]:
        """All optimal actions, in the world's order."""
        near = self._near_actions(step - self.first, number)
        if len(near) == 1:
            return near
        best = self.value(step, number)
        return [action for action in near if self.action_value(step, number, action) == best]

    def steps(self, step: int, number: int, action: int) -> list[Step]:
        """The possible outcomes of an action, probabilities summing to one."""
        layer = self.layer(step)
        place = layer.place(number * len(self.world.learned.actions) + action)
        possible = [(int(move.weight[place]), move) for move in layer.moves if move.weight[place]]
        total = sum(weight for weight, _ in possible)
        return [
            Step(Fraction(weight, total), self._reward(move, place), int(move.successor[place]))
            for weight, move in possible
        ]

    def _reward(self, move: Move, place: int) -> Fraction:
        paid = int(move.reward[place]) * self._unit
        return paid if move.bonus is None else paid + move.bonus.exact(place)

    def _backup(self, t: int, steps: Iterable[Step]) -> Fraction:
        discount, following = self.world.learned.discount, self.first + t + 1
        return sum(
            (p * (reward + discount * self.value(following, successor)) for p, reward, successor in steps),
            start=Fraction(0),
        )

    def _near_actions(self, t: int, number: int) -> list[int]:
        return [int(action) for action in np.flatnonzero(self._near[t][number])]

    def _settle(self, t: int, number: int) -> None:
        """Fill in the exact values of a situation and of all that its near-optimal actions lead to."""
        wanted = [{number}]
        while t + len(wanted) < len(self.layers):
            depth = t + len(wanted) - 1
            open_ = [s for s in wanted[-1] if s not in self._exact[depth]]
            wanted[-1] = set(open_)
            wanted.append({step.successor for s in open_ for step in self._near_steps(depth, s)})
        self._exact[-1].update(dict.fromkeys(wanted[-1], Fraction(0)))
        for depth in range(t + len(wanted) - 2, t - 1, -1):
            for s in sorted(wanted[depth - t]):
                near = self._near_actions(depth, s)
                self._exact[depth][s] = max(self._backup(depth, self.steps(self.first + depth, s, a)) for a in near)

    def _near_steps(self, t: int, number: int) -> list[Step]:
        return [step for action in self._near_actions(t, number) for step in self.steps(self.first + t, number, action)]

    def _filter(self) -> tuple[list[NDArray[np.float64]], list[NDArray[np.bool_]]]:
        """Float values of all situations, and bool[S, A] of the actions that may be optimal."""
        discount, unit, actions = float(self.world.learned.discount), float(self._unit), len(self.world.learned.actions)
        values, tables = [np.zeros(len(self.layers[-1]))], []
        largest = 0.0
        for layer in reversed(self.layers[:-1]):
            q = _action_values(layer, values[-1], discount, unit)
            if layer.pairs is not None:
                q, allowed = np.full(len(layer) * actions, -np.inf), q
                q[layer.pairs] = allowed
            tables.append(q.reshape(len(layer), actions))
            values.append(tables[-1].max(axis=1))
            largest = max(largest, float(np.abs(values[-1]).max()), _largest_reward(layer, unit))
        values.reverse()
        margin = MARGIN * largest
        near = [q >= value[:, None] - margin for q, value in zip(reversed(tables), values[:-1], strict=True)]
        return values, near


def _action_values(layer: Layer, following: NDArray[np.float64], discount: float, unit: float) -> NDArray[np.float64]:
    """float64[M]: the values of all pairs of a layer."""
    returns = [_returns(move, following, discount, unit) for move in layer.moves]
    if len(returns) == 1:
        return returns[0]
    total = sum(move.weight for move in layer.moves)
    values: NDArray[np.float64] = sum(
        (move.weight * value for move, value in zip(layer.moves, returns, strict=True)), start=np.zeros(len(total))
    )
    return values / total


def _returns(move: Move, following: NDArray[np.float64], discount: float, unit: float) -> NDArray[np.float64]:
    returns: NDArray[np.float64] = move.reward * unit + discount * following[move.successor]
    return returns if move.bonus is None else returns + move.bonus.floats


def _largest_reward(layer: Layer, unit: float) -> float:
    """The largest number that a float backup adds up, so that cancellation cannot fool the filter."""
    plain = max(float(np.abs(move.reward).max()) * unit for move in layer.moves)
    return max([plain, *(float(np.abs(move.bonus.floats).max()) for move in layer.moves if move.bonus is not None)])
