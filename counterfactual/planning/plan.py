"""Optimal plans with exact values: backward induction in floats rules actions out, fractions decide among the rest.

    Q_t(s, a) = E[ R_t + discount V_{t+1}(s') ]        V_t(s) = max_a Q_t(s, a)        after the horizon V = 0

Floats err by far less than `FLOAT_MARGIN` of the largest return, so every action whose float value is further below
the best is not optimal; the few candidates that remain are compared as fractions, over the states that they lead to
and no others. Ties are therefore ties, not near-ties. Reference: backward induction; the filter is that of exact
geometric predicates.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfactual.columns import one_state
from counterfactual.planning.future_selves import FutureSelves, with_fines
from counterfactual.planning.layers import Layer, PairOutcomes, fields_as_columns, tabulate_layers
from counterfactual.planning.state_index import IndexColumn
from counterfactual.planning_world import PlanningState, PlanningWorld

FLOAT_MARGIN = 1e-9


class PlannedTransition(NamedTuple):
    """One possible outcome of a planned action, exactly; `successor` is the index of a state of the next step."""

    probability: Fraction
    reward: Fraction
    successor: int


class Plan:
    """The solution of a planning world from one state on: exact values and all optimal actions.

    world: the planning world. step, start: where the plan begins; `start` is one state as plain numbers, or several
    as columns. Planning states are addressed by (step, state): `state` is an index within the step, as `find` gives it.
    """

    def __init__(self, world: PlanningWorld, step: int, start: PlanningState) -> None:
        self.world, self.first_step = world, step
        _, self._unit = world.learned.reward_table
        self.layers = tabulate_layers(with_fines(world), step, start)
        selves = FutureSelves(world, Plan)
        self._chosen = [selves.choices(step + t, layer) for t, layer in enumerate(self.layers[:-1])]
        self.float_values, self._near = self._solve_in_floats()
        self._exact: list[dict[int, Fraction]] = [{} for _ in self.layers]

    @property
    def n_states(self) -> int:
        """How many planning states the plan visits."""
        return sum(len(layer) for layer in self.layers[:-1])

    def layer(self, step: int) -> Layer:
        """The layer of a step."""
        return self.layers[step - self.first_step]

    def find(self, step: int, states: PlanningState) -> IndexColumn:
        """intp[n]: the indices of planning states given as columns, -1 for those that the plan never visits."""
        if not self.first_step <= step < self.first_step + len(self.layers):
            return np.full(len(states.x[0]), -1)
        return self.layer(step).index.find(fields_as_columns(states))

    def find_one(self, step: int, state: PlanningState) -> int:
        """The index of one planning state given as plain numbers, -1 where the plan never visits it."""
        signal = None if state.signal is None else np.array([state.signal])
        return int(self.find(step, PlanningState(one_state(state.x), signal))[0])

    def value(self, step: int, state: int = 0) -> Fraction:
        """V_t(s), exactly."""
        t = step - self.first_step
        if state not in self._exact[t]:
            self._evaluate(t, state)
        return self._exact[t][state]

    def action_value(self, step: int, state: int, action: int) -> Fraction:
        """Q_t(s, a), exactly, for an action that is allowed there."""
        return self._backup(step - self.first_step, self.transitions(step, state, action))

    def allowed(self, step: int, state: int) -> list[int]:
        """The actions that can be taken."""
        layer, actions = self.layer(step), len(self.world.learned.actions)
        return [action for action in range(actions) if layer.row_of(state * actions + action) >= 0]

    def optimal(self, step: int, state: int) -> list[int]:
        """All optimal actions, in the world's order; in a state of a future self, those that are optimal for it."""
        chosen = self._choices(step - self.first_step, state)
        if chosen is not None:
            return chosen
        candidates = self._candidates(step - self.first_step, state)
        if len(candidates) == 1:
            return candidates
        best = self.value(step, state)
        return [action for action in candidates if self.action_value(step, state, action) == best]

    def transitions(self, step: int, state: int, action: int) -> list[PlannedTransition]:
        """The possible outcomes of an action, probabilities summing to 1."""
        layer = self.layer(step)
        row = layer.row_of(state * len(self.world.learned.actions) + action)
        possible = [(int(outcome.weight[row]), outcome) for outcome in layer.outcomes if outcome.weight[row]]
        total = sum(weight for weight, _ in possible)
        return [
            PlannedTransition(Fraction(weight, total), self._reward(outcome, row), int(outcome.successor[row]))
            for weight, outcome in possible
        ]

    def _reward(self, outcome: PairOutcomes, row: int) -> Fraction:
        reward = int(outcome.reward[row]) * self._unit
        return reward if outcome.bonus is None else reward + outcome.bonus.exact(row)

    def _backup(self, t: int, transitions: Iterable[PlannedTransition]) -> Fraction:
        discount, following = self.world.learned.discount, self.first_step + t + 1
        return sum(
            (p * (reward + discount * self.value(following, successor)) for p, reward, successor in transitions),
            start=Fraction(0),
        )

    def _choices(self, t: int, state: int) -> list[int] | None:
        """The actions that a future self may take, None where the present self chooses."""
        chosen = self._chosen[t]
        actions = [] if chosen is None else [int(action) for action in np.flatnonzero(chosen[state])]
        return actions or None

    def _candidates(self, t: int, state: int) -> list[int]:
        return [int(action) for action in np.flatnonzero(self._near[t][state])]

    def _evaluate(self, t: int, state: int) -> None:
        """Fill in the exact values of a state and of all that its candidate actions lead to."""
        wanted = [{state}]
        while t + len(wanted) < len(self.layers):
            depth = t + len(wanted) - 1
            missing = [s for s in wanted[-1] if s not in self._exact[depth]]
            wanted[-1] = set(missing)
            wanted.append({transition.successor for s in missing for transition in self._candidate_steps(depth, s)})
        self._exact[-1].update(dict.fromkeys(wanted[-1], Fraction(0)))
        for depth in range(t + len(wanted) - 2, t - 1, -1):
            for s in sorted(wanted[depth - t]):
                backups = (
                    self._backup(depth, self.transitions(self.first_step + depth, s, action))
                    for action in self._candidates(depth, s)
                )
                self._exact[depth][s] = max(backups) if self._choices(depth, s) is None else min(backups)

    def _candidate_steps(self, t: int, state: int) -> list[PlannedTransition]:
        return [
            transition
            for action in self._candidates(t, state)
            for transition in self.transitions(self.first_step + t, state, action)
        ]

    def _solve_in_floats(self) -> tuple[list[NDArray[np.float64]], list[NDArray[np.bool_]]]:
        """Float values of all states, and bool[S, A] of the actions that may be optimal, a list entry a step."""
        discount, unit, actions = float(self.world.learned.discount), float(self._unit), len(self.world.learned.actions)
        values, tables = [np.zeros(len(self.layers[-1]))], []
        largest = 0.0
        for layer, chosen in zip(reversed(self.layers[:-1]), reversed(self._chosen), strict=True):
            q = _action_values(layer, values[-1], discount, unit)
            if layer.pairs is not None:
                q, allowed = np.full(len(layer) * actions, -np.inf), q
                q[layer.pairs] = allowed
            tables.append(q.reshape(len(layer), actions))
            values.append(_state_values(tables[-1], chosen))
            largest = max(largest, float(np.abs(values[-1]).max()), _largest_reward(layer, unit))
        values.reverse()
        margin = FLOAT_MARGIN * largest
        solved = zip(reversed(tables), values[:-1], self._chosen, strict=True)
        return values, [_near(q, value, chosen, margin) for q, value, chosen in solved]


def _state_values(q: NDArray[np.float64], chosen: NDArray[np.bool_] | None) -> NDArray[np.float64]:
    """float64[S]: the largest of a state's action values; of what a future self may choose, the least."""
    best: NDArray[np.float64] = q.max(axis=1)
    if chosen is None:
        return best
    return np.where(chosen.any(axis=1), np.where(chosen, q, np.inf).min(axis=1), best)


def _near(
    q: NDArray[np.float64], value: NDArray[np.float64], chosen: NDArray[np.bool_] | None, margin: float
) -> NDArray[np.bool_]:
    """bool[S, A]: the actions that may be the ones that a state's value is of."""
    near = q >= value[:, None] - margin
    if chosen is None:
        return near
    delegated = chosen.any(axis=1, keepdims=True)
    return np.where(delegated, chosen & (q <= value[:, None] + margin), near)


def _action_values(layer: Layer, following: NDArray[np.float64], discount: float, unit: float) -> NDArray[np.float64]:
    """float64[M]: the values of all pairs of a layer."""
    returns = [_returns(outcome, following, discount, unit) for outcome in layer.outcomes]
    if len(returns) == 1:
        return returns[0]
    total = np.sum([outcome.weight for outcome in layer.outcomes], axis=0)
    values = np.zeros(len(total))
    for outcome, value in zip(layer.outcomes, returns, strict=True):
        values += outcome.weight * value
    return np.asarray(values / total, dtype=np.float64)


def _returns(
    outcome: PairOutcomes, following: NDArray[np.float64], discount: float, unit: float
) -> NDArray[np.float64]:
    returns: NDArray[np.float64] = outcome.reward * unit + discount * following[outcome.successor]
    return returns if outcome.bonus is None else returns + outcome.bonus.floats


def _largest_reward(layer: Layer, unit: float) -> float:
    """The largest number that a float backup adds up, so that cancellation cannot mislead the filter."""
    plain = max(float(np.abs(outcome.reward).max()) * unit for outcome in layer.outcomes)
    bonuses = [outcome.bonus for outcome in layer.outcomes if outcome.bonus is not None]
    return max([plain, *(float(np.abs(bonus.floats).max()) for bonus in bonuses)])
