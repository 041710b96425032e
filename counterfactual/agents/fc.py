"""f_c, the balancing agent: factual, but the first reward under a new function carries a correction.

    R_t = I_t(X_t, X_{t+1}) + V_N(x) - V_S(x)   in the first step under a new function, V at the start of that step

V_N is the value of keeping the function of before, V_S that of the new one; whoever plans with it gains and loses
nothing by an update. Reference: K. Holtman, "Corrigibility with Utility Preservation" (2019), as described in
"Counterfactual planning with an input terminal", section "Relation between counterfactual planning and indifference".

Differs from the paper: the correction is booked, discounted by one step, where the signal changes; plans are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from counterfactual.planning.joint_transition import joint
from counterfactual.planning.plan import Plan
from counterfactual.planning_world import Bonus, Outcome, PlanningWorld, Situation, rewards
from counterfactual.world import Column, World, column, spread, take


def fc(learned: World[Any], signal: int) -> PlanningWorld:
    """The balanced factual planning world."""
    reward, values = rewards(learned), [_Keeping(learned, number) for number in range(len(learned.signals))]

    def outcomes(step: int, now: Situation, action: Column) -> Iterator[Outcome]:
        branches = learned.physics_given(now.signal, step, now.x, action)
        for weight, after, events, reading in joint(learned, branches, now.signal, step, now.x, action):
            bonus = _correction(learned, values, step + 1, after, now.signal, reading)
            yield Outcome(weight, Situation(after, reading), reward(now.signal, events), bonus)

    return PlanningWorld(learned, outcomes)


def _correction(learned: World[Any], values: list[_Keeping], step: int, x: Any, before: Any, now: Any) -> Bonus | None:
    """discount (V_before(x) - V_now(x)) for each of n situations; None where no signal changes."""
    n = len(before)
    now = np.broadcast_to(now, (n,))
    changed = before != now
    changes = sorted(set(zip(before[changed].tolist(), now[changed].tolist(), strict=True)))
    floats: Any = np.zeros(n)
    lookups: dict[int, tuple[int, Callable[[int], Fraction], Callable[[int], Fraction]]] = {}
    for old, new in changes:
        rows = np.flatnonzero((before == old) & (now == new))
        there = take(spread(x, n), rows)
        normal, kept = values[old].at(step, there)
        switched, new_values = values[new].at(step, there)
        floats[rows] = float(learned.discount) * (normal - switched)
        lookups.update({int(row): (place, kept, new_values) for place, row in enumerate(rows)})

    def exact(row: int) -> Fraction:
        if row not in lookups:
            return Fraction(0)
        place, kept, new_values = lookups[row]
        return learned.discount * (kept(place) - new_values(place))

    return Bonus(floats, exact) if changes else None


class _Keeping:
    """The values of the world in which one function stays in the core whatever the terminal sends."""

    def __init__(self, learned: World[Any], kept: int) -> None:
        self._world = _keeping(learned, kept)
        self._start = Situation(learned.start())
        self._plan: Plan | None = None

    def at(self, step: int, x: Any) -> tuple[Any, Callable[[int], Fraction]]:
        """The values of situations given as columns: float64[n], and the exact value of one row."""
        self._plan = self._plan or Plan(self._world, 1, self._start)
        plan, numbers = self._plan, self._plan.find(step, Situation(x))
        if (numbers < 0).any():
            plan = Plan(self._world, step, Situation(x))
            numbers = plan.find(step, Situation(x))
        return plan.floats[step - plan.first][numbers], lambda row: plan.value(step, int(numbers[row]))


def _keeping(learned: World[Any], kept: int) -> PlanningWorld:
    reward = rewards(learned)

    def outcomes(step: int, now: Situation, action: Column) -> Iterator[Outcome]:
        for weight, after, events in learned.physics_given(column(kept, len(action)), step, now.x, action):
            yield Outcome(weight, Situation(after), reward(kept, events))

    return PlanningWorld(learned, outcomes, tracks_signal=False)
