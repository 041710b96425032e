"""f_c, the balancing agent: factual, but the first reward under a new function carries a correction.

    R_t = I_t(X_t, X_{t+1}) + V_N(x) - V_S(x)   in the first step under a new function, V at the start of that step

V_N is the value of keeping the function of before, V_S that of the new one; an agent that plans with it gains and
loses nothing by an update. Reference: K. Holtman, "Corrigibility with Utility Preservation" (2019), as described in
"Counterfactual planning with an input terminal", section "Relation between counterfactual planning and indifference".

Differs from the paper: the correction is booked, discounted by one step, where the signal changes; plans are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from counterfactual.columns import Column, broadcast, column, take
from counterfactual.planning.joint_transition import joint_transition
from counterfactual.planning.plan import Plan
from counterfactual.planning_agent import PlanningAgent
from counterfactual.planning_world import Bonus, PlannedOutcome, PlanningState, PlanningWorld, reward_function
from counterfactual.terminal_world import TerminalWorld


@PlanningAgent
def fc(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    """The balanced factual planning world."""
    reward = reward_function(learned)
    values = [_FixedSignalValues(learned, index) for index in range(len(learned.signals))]

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        physics = learned.physics_given(now.signal, step, now.x, action)
        for weight, next_x, events, sent in joint_transition(learned, physics, now.signal, step, now.x, action):
            bonus = _correction(learned, values, step + 1, next_x, now.signal, sent)
            yield PlannedOutcome(weight, PlanningState(next_x, sent), reward(now.signal, events), bonus)

    return PlanningWorld(learned, outcomes)


def _correction(
    learned: TerminalWorld[Any], values: list[_FixedSignalValues], step: int, x: Any, before: Any, now: Any
) -> Bonus | None:
    """discount (V_before(x) - V_now(x)) for each of n states; None where no signal changes."""
    n = len(before)
    now = np.broadcast_to(now, (n,))
    changed = before != now
    changes = sorted(set(zip(before[changed].tolist(), now[changed].tolist(), strict=True)))
    floats: Any = np.zeros(n)
    exact_values: dict[int, tuple[int, Callable[[int], Fraction], Callable[[int], Fraction]]] = {}
    for old, new in changes:
        rows = np.flatnonzero((before == old) & (now == new))
        states = take(broadcast(x, n), rows)
        old_floats, old_values = values[old].at(step, states)
        new_floats, new_values = values[new].at(step, states)
        floats[rows] = float(learned.discount) * (old_floats - new_floats)
        exact_values.update({int(row): (place, old_values, new_values) for place, row in enumerate(rows)})

    def exact(row: int) -> Fraction:
        if row not in exact_values:
            return Fraction(0)
        place, old_values, new_values = exact_values[row]
        return learned.discount * (old_values(place) - new_values(place))

    return Bonus(floats, exact) if changes else None


class _FixedSignalValues:
    """The values of the world in which one function stays in the core whatever the terminal sends."""

    def __init__(self, learned: TerminalWorld[Any], signal: int) -> None:
        self._world = _fixed_signal_world(learned, signal)
        self._start = PlanningState(learned.start())
        self._plan: Plan | None = None

    def at(self, step: int, x: Any) -> tuple[Any, Callable[[int], Fraction]]:
        """The values of states given as columns: float64[n], and row -> exact value."""
        self._plan = self._plan or Plan(self._world, 1, self._start)
        plan, indices = self._plan, self._plan.find(step, PlanningState(x))
        if (indices < 0).any():
            plan = Plan(self._world, step, PlanningState(x))
            indices = plan.find(step, PlanningState(x))
        return plan.float_values[step - plan.first_step][indices], lambda row: plan.value(step, int(indices[row]))


def _fixed_signal_world(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    reward = reward_function(learned)

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        for weight, next_x, events in learned.physics_given(column(signal, len(action)), step, now.x, action):
            yield PlannedOutcome(weight, PlanningState(next_x), reward(signal, events))

    return PlanningWorld(learned, outcomes, tracks_signal=False)
