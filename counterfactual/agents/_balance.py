"""The balancing term of f_c and g_c: what an update would cost or gain is paid back in the step that it comes with.

    V_N(x) - V_S(x)        V_N: the value of keeping the function of before, V_S: that of the new one

Differs from the paper: the term is booked, discounted by one step, where the signal changes; plans are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from counterfactual.columns import Column, broadcast, column, take
from counterfactual.planning.joint_transition import joint_transition
from counterfactual.planning.plan import Plan
from counterfactual.planning_world import (
    Bonus,
    PlannedOutcome,
    PlanningState,
    PlanningWorld,
    added_bonuses,
    reward_function,
)
from counterfactual.terminal_world import FIRST, FutureSelf, TerminalWorld

StateBonus: TypeAlias = Callable[[int, Any], Bonus]  # (step, x) -> more reward for n states, whatever the action
KeptBonus: TypeAlias = Callable[[TerminalWorld[Any]], StateBonus]


def balanced_world(
    learned: TerminalWorld[Any], kept_bonus: KeptBonus | None = None, compensated: Sequence[int] | None = None
) -> PlanningWorld:
    """The factual planning world with the balancing term.

    kept_bonus: what is added to the reward while the first function is in force, and in V_N of that function.
    compensated: the functions whose loss is compensated, None for all of them.
    """
    reward, signals = reward_function(learned), range(len(learned.signals))
    kept = [FixedSignalValues(_kept_world(learned, signal, kept_bonus)) for signal in signals]
    new = [new_function_values(learned, signal) for signal in signals]
    bonus_of = None if kept_bonus is None else kept_bonus(learned)

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        physics = learned.physics_given(now.signal, step, now.x, action)
        own = None if bonus_of is None else _where(now.signal == FIRST, bonus_of(step, now.x))
        for weight, next_x, events, sent in joint_transition(learned, physics, now.signal, step, now.x, action):
            after = sent if compensated is None else np.where(np.isin(now.signal, compensated), sent, now.signal)
            term = _balance(learned.discount, kept, new, step + 1, next_x, now.signal, after)
            bonus = added_bonuses(own, term)
            yield PlannedOutcome(weight, PlanningState(next_x, sent), reward(now.signal, events), bonus)

    return PlanningWorld(learned, outcomes)


def _balance(
    discount: Fraction,
    kept: Sequence[FixedSignalValues],
    new: Sequence[FixedSignalValues],
    step: int,
    x: Any,
    before: Column,
    sent: Any,
) -> Bonus | None:
    """discount (V_before(x) - V_sent(x)) for each of n states; None where no signal changes."""
    n = len(before)
    now = np.broadcast_to(sent, (n,))
    changed = before != now
    changes = sorted(set(zip(before[changed].tolist(), now[changed].tolist(), strict=True)))
    floats = np.zeros(n)
    exact_values: dict[int, tuple[int, Callable[[int], Fraction], Callable[[int], Fraction]]] = {}
    for old, signal in changes:
        rows = np.flatnonzero((before == old) & (now == signal))
        states = take(broadcast(x, n), rows)
        old_floats, old_values = kept[old].at(step, states)
        new_floats, new_values = new[signal].at(step, states)
        floats[rows] = float(discount) * (old_floats - new_floats)
        exact_values.update({int(row): (place, old_values, new_values) for place, row in enumerate(rows)})

    def exact(row: int) -> Fraction:
        if row not in exact_values:
            return Fraction(0)
        place, old_values, new_values = exact_values[row]
        return discount * (old_values(place) - new_values(place))

    return Bonus(floats, exact) if changes else None


class FixedSignalValues:
    """The values of a planning world in which one function stays in the core whatever the terminal sends."""

    def __init__(self, world: PlanningWorld) -> None:
        self._world, self._start = world, PlanningState(world.learned.start())
        self._plan: Plan | None = None

    def at(self, step: int, x: Any) -> tuple[Column, Callable[[int], Fraction]]:
        """The values of states given as columns: float64[n], and row -> exact value."""
        self._plan = self._plan or Plan(self._world, 1, self._start)
        plan, indices = self._plan, self._plan.find(step, PlanningState(x))
        if (indices < 0).any():
            plan = Plan(self._world, step, PlanningState(x))
            indices = plan.find(step, PlanningState(x))
        return plan.float_values[step - plan.first_step][indices], lambda row: plan.value(step, int(indices[row]))


def new_function_values(learned: TerminalWorld[Any], signal: int) -> FixedSignalValues:
    """V_S: the values of a new function that stays, events counted as the world counts them for this term."""
    return FixedSignalValues(_new_world(learned, signal))


def _new_world(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    reward = reward_function(learned)

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        for weight, next_x, events in learned.physics_given(column(signal, len(action)), step, now.x, action):
            counted = learned.events_in_correction(now.x, events)
            yield PlannedOutcome(weight, PlanningState(next_x), reward(signal, counted))

    def successor(future: FutureSelf, step: int) -> PlanningWorld | None:
        return _new_world(future.world, signal) if future.is_another_than(learned) else None

    return PlanningWorld(learned, outcomes, tracks_signal=False, successor=successor)


def _kept_world(learned: TerminalWorld[Any], signal: int, kept_bonus: KeptBonus | None) -> PlanningWorld:
    """The world of V_N; a future self of another design has no bonus in it."""
    reward = reward_function(learned)
    bonus_of = kept_bonus(learned) if kept_bonus is not None and signal == FIRST else None

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        bonus = None if bonus_of is None else bonus_of(step, now.x)
        for weight, next_x, events in learned.physics_given(column(signal, len(action)), step, now.x, action):
            yield PlannedOutcome(weight, PlanningState(next_x), reward(signal, events), bonus)

    def successor(future: FutureSelf, step: int) -> PlanningWorld | None:
        bonus = kept_bonus if future.agent is None else None
        return _kept_world(future.world, signal, bonus) if future.is_another_than(learned) else None

    return PlanningWorld(learned, outcomes, tracks_signal=False, successor=successor)


def _where(rows: Column, bonus: Bonus) -> Bonus:
    """The bonus of the chosen rows, none elsewhere."""
    return Bonus(np.where(rows, bonus.floats, 0.0), lambda row: bonus.exact(row) if rows[row] else Fraction(0))
