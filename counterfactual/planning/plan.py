"""Optimal plans with exact values: backward induction in floats rules actions out, fractions decide among the rest.

    Q_t(s, a) = E[ R_t + discount V_{t+1}(s') ]        V_t(s) = max_a Q_t(s, a)        after the horizon V = 0

An action whose float value is further below the best than floats can err (`engine.planning.float_filter`, with the
proof) is not optimal; the few candidates that remain are compared as fractions, over the states that they lead to and
no others. Ties are therefore ties, not near-ties. Pairs of a state and an action whose outcomes are alike share one
backup in fractions: in a sweep most rows do the same at most steps, so that a handful of backups serves a hundred
rows. Reference: backward induction.

An agent plans anew at every real step, from the present state and signal (`Replanner`), with plans kept while they
still hold. A plan made for the same signal at an earlier step contains every later state that its world can reach; by
the principle of optimality what it says there is what a plan made there would say. Where it does not contain the
present, a new plan is made. An agent that knows the present step plans anew at every one. An agent that has made
itself another one plans as that one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfactual.agents import PlanningAgent
from counterfactual.columns import Column, as_column, as_columns, take
from counterfactual.planning.future_selves import FutureSelves, add_fines, find_successor_world
from counterfactual.planning.layers import IndexColumn, Layer, PairOutcomes, list_columns, tabulate_layers
from counterfactual.planning_world import PlanningState, PlanningWorld
from counterfactual.worlds import TerminalWorld
from engine.planning.float_filter import FloatError, fits_floats


class OutcomeColumns(NamedTuple):
    """One outcome of n pairs: its weight, its reward in units, and the place of the next state's value in a list."""

    weight: Column
    reward: Column
    later: Column


class Backups(NamedTuple):
    """of_pair: by pair, the place of its value in `values`."""

    of_pair: list[int]
    values: list[Fraction]


def back_up_exactly(
    outcomes: Sequence[OutcomeColumns],
    kind: Column,
    reward_of: Callable[[int, int, int], Fraction],
    discount: Fraction,
    later: Sequence[Fraction],
) -> Backups:
    """Return the values of n pairs, exactly.

    outcomes: all that may come of them; weights are proportional to probabilities, 0 where one is impossible. kind:
    int64[n], what else their rewards depend on. reward_of: (kind, place of the outcome, reward in units) -> the reward.
    later: V(s').
    """
    alike: dict[tuple[int, ...], int] = {}
    keys = zip(kind.tolist(), *(each.tolist() for outcome in outcomes for each in outcome), strict=True)
    of_pair = [alike.setdefault(key, len(alike)) for key in keys]
    values = [_back_up_pair(key, reward_of, discount, later) for key in alike]
    return Backups(of_pair, values)


def _back_up_pair(
    key: tuple[int, ...],
    reward_of: Callable[[int, int, int], Fraction],
    discount: Fraction,
    later: Sequence[Fraction],
) -> Fraction:
    kind = key[0]
    total = 0
    value = Fraction(0)
    possible = [place for place in range(len(key) // 3) if key[1 + 3 * place]]
    for place in possible:
        weight, units, following = key[1 + 3 * place : 4 + 3 * place]
        outcome = add_discounted(reward_of(kind, place, units), discount, later[following])
        if len(possible) == 1:
            return outcome
        value, total = value + weight * outcome, total + weight
    return value / total


def add_discounted(reward: Fraction, discount: Fraction, later: Fraction) -> Fraction:
    """reward + discount * later, brought to lowest terms once: half the time of a product and then a sum."""
    below = discount.denominator * later.denominator
    above = reward.numerator * below + reward.denominator * discount.numerator * later.numerator
    return Fraction(above, reward.denominator * below)


CERTAIN = Fraction(1)


class PlannedTransition(NamedTuple):
    """One possible outcome of a planned action, exactly; `successor` is the index of a state of the next step."""

    probability: Fraction
    reward: Fraction
    successor: int


class _StatesToEvaluate(NamedTuple):
    """States of a layer that need exact values, those among them that have none yet, and their candidates.

    place: intp[n], sorted, the place of each candidate's state in `missing`. rows: the candidates' rows in the layer.
    """

    states: IndexColumn
    missing: IndexColumn
    place: IndexColumn
    rows: IndexColumn


class Plan:
    """The solution of a planning world from one state on: exact values and all optimal actions.

    world: the planning world. step, start: where the plan begins; `start` is one state as plain numbers, or several
    as columns. Planning states are addressed by (step, state): `state` is an index within the step, as `find` gives it.
    """

    def __init__(self, world: PlanningWorld, step: int, start: PlanningState) -> None:
        self.world = world
        self.first_step = step
        _, self._unit = world.learned.reward_table
        self.layers = tabulate_layers(add_fines(world), step, start)
        selves = FutureSelves(world, Plan)
        self._chosen = [selves.mark_choices(step + t, layer) for t, layer in enumerate(self.layers[:-1])]
        self._float_values, self._float_bounds, self._near = self._solve_in_floats()
        self._exact: list[dict[int, Fraction]] = [{} for _ in self.layers]
        self._rewards: dict[int, Fraction] = {}

    @property
    def n_states(self) -> int:
        """How many planning states the plan visits."""
        return sum(len(layer) for layer in self.layers[:-1])

    def layer(self, step: int) -> Layer:
        """Return the layer of a step."""
        return self.layers[step - self.first_step]

    def find(self, step: int, states: PlanningState) -> IndexColumn:
        """Find the indices intp[n] of planning states (columns), -1 for those that the plan never visits."""
        if not self.first_step <= step < self.first_step + len(self.layers):
            return np.full(len(states.x[0]), -1)
        return self.layer(step).index.find(list_columns(states))

    def estimate(self, step: int, states: IndexColumn) -> tuple[NDArray[np.float64], float]:
        """Estimate V_t(s) of n states in floats: float64[n], and how far any of them may be from the exact one."""
        t = step - self.first_step
        return self._float_values[t][states], self._float_bounds[t]

    def value(self, step: int, state: int = 0) -> Fraction:
        """V_t(s), exactly."""
        return self.values(step, [state])[0]

    def values(self, step: int, states: Sequence[int]) -> list[Fraction]:
        """Return V_t(s) of several states, exactly."""
        t = step - self.first_step
        if any(state not in self._exact[t] for state in states):
            self._evaluate(t, states)
        return [self._exact[t][state] for state in states]

    def action_value(self, step: int, state: int, action: int) -> Fraction:
        """Q_t(s, a), exactly, for an action that is allowed there."""
        outcomes = self.list_transitions(step, state, action)
        following = [outcome.successor for outcome in outcomes]
        later = dict(zip(following, self.values(step + 1, following), strict=True))
        return _average_returns(outcomes, self.world.learned.discount, later)

    def list_allowed(self, step: int, state: int) -> list[int]:
        """List the actions that are allowed in a state."""
        layer = self.layer(step)
        actions = len(self.world.learned.actions)
        return [action for action in range(actions) if layer.find_row(state * actions + action) >= 0]

    def list_optimal(self, step: int, state: int) -> list[int]:
        """List all optimal actions in the world's order; in a state of a future self, those that are optimal for it."""
        chosen = self._list_choices(step - self.first_step, state)
        if chosen is not None:
            return chosen
        candidates = self._list_candidates(step - self.first_step, state)
        if len(candidates) == 1:
            return candidates
        best = self.value(step, state)
        return [action for action in candidates if self.action_value(step, state, action) == best]

    def mark_optimal_actions(self, step: int, states: IndexColumn) -> NDArray[np.bool_]:
        """bool[n, A]: whether each action is one of `list_optimal` in each of n states."""
        t = step - self.first_step
        optimal: NDArray[np.bool_] = self._near[t][states]
        unsure = np.count_nonzero(optimal, axis=1) > 1 if self._chosen[t] is None else np.ones(len(states), dtype=bool)
        for row in np.flatnonzero(unsure).tolist():
            optimal[row] = False
            optimal[row, self.list_optimal(step, int(states[row]))] = True
        return optimal

    def list_transitions(self, step: int, state: int, action: int) -> list[PlannedTransition]:
        """List the possible outcomes of an action; their probabilities sum to 1."""
        return self.list_all_transitions(step, [(state, action)])[0]

    def list_all_transitions(self, step: int, pairs: Sequence[tuple[int, int]]) -> list[list[PlannedTransition]]:
        """`list_transitions` of several (state, action) pairs."""
        layer = self.layer(step)
        rows = layer.find_rows([state * len(self.world.learned.actions) + action for state, action in pairs])
        if len(layer.outcomes) == 1 and layer.outcomes[0].bonus is None:
            rewards, successors = (layer.outcomes[0].reward[rows], layer.outcomes[0].successor[rows])
            exact = map(self._reward_of, rewards.tolist())
            return [[PlannedTransition(CERTAIN, *then)] for then in zip(exact, successors.tolist(), strict=True)]
        found: list[list[tuple[int, Fraction, int]]] = [[] for _ in pairs]
        for outcome in layer.outcomes:
            columns = (outcome.weight[rows], outcome.reward[rows], outcome.successor[rows])
            lists = (each.tolist() for each in columns)
            for k, (weight, reward, successor) in enumerate(zip(*lists, strict=True)):
                if weight:
                    bonus = 0 if outcome.bonus is None else outcome.bonus.exact(int(rows[k]))
                    found[k].append((weight, self._reward_of(reward) + bonus, successor))
        return [_normalise_weights(possible) for possible in found]

    def _reward_of(self, count: int) -> Fraction:
        if count not in self._rewards:
            self._rewards[count] = count * self._unit
        return self._rewards[count]

    def _list_choices(self, t: int, state: int) -> list[int] | None:
        """Return the actions that a future self may take, None where the present self chooses."""
        chosen = self._chosen[t]
        actions = [] if chosen is None else [int(action) for action in np.flatnonzero(chosen[state])]
        return actions or None

    def _list_candidates(self, t: int, state: int) -> list[int]:
        return [int(action) for action in np.flatnonzero(self._near[t][state])]

    def _evaluate(self, t: int, states: Sequence[int]) -> None:
        """Fill in the exact values of states and of all that their candidate actions lead to."""
        asked = list[_StatesToEvaluate]()
        frontier = np.unique(np.asarray(states, dtype=np.intp))
        for depth in range(t, len(self.layers) - 1):
            layer, known = self.layers[depth], self._exact[depth]
            missing = np.array([state for state in frontier.tolist() if state not in known], dtype=np.intp)
            place, action = self._near[depth][missing].nonzero()
            rows = layer.find_rows(missing[place] * len(self.world.learned.actions) + action)
            asked.append(_StatesToEvaluate(frontier, missing, place, rows))
            frontier = np.unique(layer.list_edges(rows)[1])
        self._exact[-1].update(dict.fromkeys(frontier.tolist(), Fraction(0)))
        later = Backups([0] * len(frontier), [Fraction(0)])
        for depth in range(len(self.layers) - 2, t - 1, -1):
            now = asked.pop()
            later, frontier = self._back_up(depth, now, frontier, later), now.states

    def _back_up(self, depth: int, asked: _StatesToEvaluate, frontier: IndexColumn, later: Backups) -> Backups:
        """Back up the states of `asked` in a layer from the values of the `frontier` in the next one."""
        layer = self.layers[depth]
        known = self._exact[depth]
        following = np.array(later.of_pair, dtype=np.intp)
        outcomes = []
        for each in layer.outcomes:
            at = np.minimum(np.searchsorted(frontier, each.successor[asked.rows]), len(frontier) - 1)
            outcomes.append(OutcomeColumns(each.weight[asked.rows], each.reward[asked.rows], following[at]))
        kind = asked.rows if any(each.bonus for each in layer.outcomes) else np.zeros_like(asked.rows)

        def reward_of(row: int, outcome: int, units: int) -> Fraction:
            bonus = layer.outcomes[outcome].bonus
            return self._reward_of(units) + (0 if bonus is None else bonus.exact(row))

        of_pair, values = back_up_exactly(outcomes, kind, reward_of, self.world.learned.discount, later.values)
        begin = np.searchsorted(asked.place, np.arange(len(asked.missing) + 1)).tolist()
        best = dict[int, int]()
        for number, state in enumerate(asked.missing.tolist()):
            candidates = of_pair[begin[number] : begin[number + 1]]
            pick = max if self._list_choices(depth, state) is None else min
            best[state] = candidates[0] if len(candidates) == 1 else pick(candidates, key=values.__getitem__)
            known[state] = values[best[state]]
        for state in asked.states.tolist():
            if state not in best:
                best[state] = len(values)
                values.append(known[state])
        return Backups([best[state] for state in asked.states.tolist()], values)

    def _solve_in_floats(self) -> tuple[list[NDArray[np.float64]], list[float], list[NDArray[np.bool_]]]:
        """By step: float values of all states, how far they may err, and bool[S, A], which actions may be optimal."""
        discount = float(self.world.learned.discount)
        unit = float(self._unit)
        actions = len(self.world.learned.actions)
        error = FloatError(0.0 if fits_floats(self.world.learned.discount) else math.inf)
        values = [np.zeros(len(self.layers[-1]))]
        bounds = [0.0]
        near: list[NDArray[np.bool_]] = []
        for layer, chosen in zip(reversed(self.layers[:-1]), reversed(self._chosen), strict=True):
            q = _compute_action_values(layer, values[-1], discount, unit)
            if layer.pairs is not None:
                q, allowed = np.full(len(layer) * actions, -np.inf), q
                q[layer.pairs] = allowed
            table = q.reshape(len(layer), actions)
            _add_rounding(error, layer, discount, unit)
            values.append(_compute_state_values(table, chosen))
            bounds.append(error.bound)
            near.append(_mark_near_best(table, values[-1], chosen, error.margin))
        return values[::-1], bounds[::-1], near[::-1]


def _normalise_weights(possible: list[tuple[int, Fraction, int]]) -> list[PlannedTransition]:
    """Outcomes with their weights divided by the sum of them."""
    total = sum(weight for weight, _, _ in possible)
    return [
        PlannedTransition(CERTAIN if weight == total else Fraction(weight, total), reward, successor)
        for weight, reward, successor in possible
    ]


def _average_returns(outcomes: list[PlannedTransition], discount: Fraction, later: Mapping[int, Fraction]) -> Fraction:
    """Compute one exact backup: E[ R + discount V(s') ]."""
    if len(outcomes) == 1:
        return add_discounted(outcomes[0].reward, discount, later[outcomes[0].successor])
    returns = ((p, add_discounted(reward, discount, later[successor])) for p, reward, successor in outcomes)
    return sum((p * value for p, value in returns), start=Fraction(0))


def _compute_state_values(q: NDArray[np.float64], chosen: NDArray[np.bool_] | None) -> NDArray[np.float64]:
    """float64[S]: the largest of a state's action values; of what a future self may choose, the least."""
    best: NDArray[np.float64] = reduce(np.maximum, q.T)  # faster than q.max(axis=1) where actions are few
    if chosen is None:
        return best
    return np.where(chosen.any(axis=1), np.where(chosen, q, np.inf).min(axis=1), best)


def _mark_near_best(
    q: NDArray[np.float64], value: NDArray[np.float64], chosen: NDArray[np.bool_] | None, margin: float
) -> NDArray[np.bool_]:
    """bool[S, A]: the actions that may be the ones that a state's value is of."""
    near = (q >= value[:, None] - margin) & np.isfinite(q)
    if chosen is None:
        return near
    delegated = chosen.any(axis=1, keepdims=True)
    return np.where(delegated, chosen & (q <= value[:, None] + margin), near)


def _compute_action_values(
    layer: Layer, following: NDArray[np.float64], discount: float, unit: float
) -> NDArray[np.float64]:
    """float64[M]: the values of all pairs of a layer."""
    returns = [_compute_returns(outcome, following, discount, unit) for outcome in layer.outcomes]
    if len(returns) == 1:
        return returns[0]
    total = np.sum([outcome.weight for outcome in layer.outcomes], axis=0)
    values = np.zeros(len(total))
    for outcome, value in zip(layer.outcomes, returns, strict=True):
        values += outcome.weight * value
    return np.asarray(values / total, dtype=np.float64)


def _compute_returns(
    outcome: PairOutcomes, following: NDArray[np.float64], discount: float, unit: float
) -> NDArray[np.float64]:
    returns: NDArray[np.float64] = outcome.reward * unit + discount * following[outcome.successor]
    return returns if outcome.bonus is None else returns + outcome.bonus.floats


def _add_rounding(error: FloatError, layer: Layer, discount: float, unit: float) -> None:
    """Take the error one layer back.

    A term passes through the roundings of its reward (3), its discounted value (2), their sum and the bonus (2), its
    weight (2), the sum over outcomes, the sum of the weights, and the quotient.
    """
    bonuses = [outcome.bonus for outcome in layer.outcomes if outcome.bonus is not None]
    inputs = max((bonus.largest_error for bonus in bonuses), default=0.0)
    rewards = max(float(np.abs(outcome.reward).max()) for outcome in layer.outcomes) * unit
    magnitude = rewards + max((bonus.largest for bonus in bonuses), default=0.0) + inputs + discount * error.magnitude
    error.back_up(magnitude, 2 * len(layer.outcomes) + 12, inputs / magnitude if magnitude else 0.0)


class PresentPlan(NamedTuple):
    """A plan for the present, and the index of the present state in it."""

    plan: Plan
    state: int


class Replanner:
    """An agent that plans anew at every step.

    agent: makes the planning world of each signal. learned: what the agent has learned of the world.
    """

    def __init__(self, agent: PlanningAgent, learned: TerminalWorld[Any]) -> None:
        self._agent = PlanningAgent.accept(agent)
        self._learned = learned
        self._plans: dict[tuple[int, int], list[Plan]] = {}

    def find_plan(self, step: int, x: Any, signal: int) -> PresentPlan:
        """Find the plan to act on at a step; X_t and I_t are plain numbers."""
        return self.find_plans(step, as_columns(x), np.array([signal]))[0]

    def find_plans(self, step: int, x: Any, signal: Column) -> list[PresentPlan]:
        """Find the plans to act on at a step in n states, whose fields are columns."""
        found: dict[int, PresentPlan] = {}
        for plan, rows, states in self._locate_states(step, x, signal):
            found.update(zip(rows.tolist(), (PresentPlan(plan, state) for state in states.tolist()), strict=True))
        return [found[row] for row in range(len(signal))]

    def list_optimal_actions(self, step: int, x: Any, signal: int) -> list[int]:
        """List the actions that are optimal in the plan for a present whose fields are plain numbers."""
        optimal = self.mark_optimal_actions(step, as_columns(x), np.array([signal]))
        return [int(action) for action in np.flatnonzero(optimal[0])]

    def mark_optimal_actions(self, step: int, x: Any, signal: Column) -> NDArray[np.bool_]:
        """Mark, bool[n, A], the actions that are optimal in the plans for n presents, whose fields are columns."""
        optimal = np.zeros((len(signal), len(self._learned.actions)), dtype=bool)
        for plan, rows, states in self._locate_states(step, x, signal):
            optimal[rows] = plan.mark_optimal_actions(step, states)
        return optimal

    def _locate_states(self, step: int, x: Any, signal: Column) -> Iterator[tuple[Plan, IndexColumn, IndexColumn]]:
        """Plans, the rows whose states they contain, and where: plans that still hold, and new ones for the rest."""
        selves = as_column(self._learned.self_of(x), len(signal))
        for key in sorted(set(zip(selves.tolist(), signal.tolist(), strict=True))):
            rows = np.flatnonzero((selves == key[0]) & (signal == key[1]))
            plans = [plan for plan in self._plans.get(key, []) if plan.world.present in (None, step)]
            for plan in plans:
                states = plan.find(step, plan.world.state(take(x, rows), signal[rows]))
                inside = states >= 0
                if inside.any():  # a plan may begin after this step
                    yield plan, rows[inside], states[inside]
                rows = rows[~inside]
            if len(rows):
                world = self._make_planning_world(*key, step)
                start = world.state(take(x, rows), signal[rows])
                plans.append(Plan(world, step, start))
                yield plans[-1], rows, plans[-1].find(step, start)
            self._plans[key] = plans

    def _make_planning_world(self, index: int, signal: int, step: int) -> PlanningWorld:
        world = self._agent(self._learned, signal, step)
        return world if index == self._learned.self_index else find_successor_world(world, index, step) or world
