"""Balancing agents: what an update would cost or gain is paid back in the step that it comes with.

    V_N(x) - V_S(x)        V_N: the value of keeping the function of before, V_S: that of the new one

`fc` balances every update, `gc` adds a penalty that protects its successor function, `indifferent` balances the first
update only. References: K. Holtman, "Corrigibility with Utility Preservation" (2019); S. Armstrong and X. O'Rourke,
"Indifference methods for managing agent rewards" (2017).

Differs from the paper: the term is booked, discounted by one step, where the signal changes; plans are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from counterfactual.agents import PlanningAgent
from counterfactual.columns import Column, as_column, broadcast, take
from counterfactual.planning.plan import Plan
from counterfactual.planning_world import (
    Bonus,
    PlannedOutcome,
    PlanningState,
    PlanningWorld,
    add_bonuses,
    list_joint_outcomes,
    reward_function,
)
from counterfactual.worlds import FIRST, FutureSelf, TerminalWorld
from engine.planning.float_filter import ROUNDING

__all__ = ["fc", "gc", "indifferent"]

StateBonus: TypeAlias = Callable[[int, Any], Bonus]  # (step, x) -> more reward for n states, whatever the action
KeptBonus: TypeAlias = Callable[[TerminalWorld[Any]], StateBonus]


def make_balanced_world(
    learned: TerminalWorld[Any], kept_bonus: KeptBonus | None = None, compensated: Sequence[int] | None = None
) -> PlanningWorld:
    """Return the factual planning world with the balancing term.

    kept_bonus: what is added to the reward while the first function is in force, and in V_N of that function.
    compensated: the functions whose loss is compensated, None for all of them.
    """
    reward = reward_function(learned)
    signals = range(len(learned.signals))
    kept = [FixedSignalValues(_make_kept_function_world(learned, signal, kept_bonus)) for signal in signals]
    new = [make_new_function_values(learned, signal) for signal in signals]
    bonus_of = None if kept_bonus is None else kept_bonus(learned)

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        physics = learned.physics_given(now.signal, step, now.x, action)
        own = None if bonus_of is None else _restrict_bonus(now.signal == FIRST, bonus_of(step, now.x))
        for weight, next_x, events, sent in list_joint_outcomes(learned, physics, now.signal, step, now.x, action):
            after = sent if compensated is None else np.where(np.isin(now.signal, compensated), sent, now.signal)
            term = _make_balancing_term(learned.discount, kept, new, step + 1, next_x, now.signal, after)
            bonus = add_bonuses(own, term)
            yield PlannedOutcome(weight, PlanningState(next_x, sent), reward(now.signal, events), bonus)

    return PlanningWorld(learned, outcomes)


def _make_balancing_term(
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
    error = 0.0
    exact_values: dict[int, tuple[int, Callable[[int], Fraction], Callable[[int], Fraction]]] = {}
    for old, signal in changes:
        rows = np.flatnonzero((before == old) & (now == signal))
        states = take(broadcast(x, n), rows)
        old_values = kept[old].evaluate(step, states)
        new_values = new[signal].evaluate(step, states)
        floats[rows] = float(discount) * (old_values.floats - new_values.floats)
        rounded = 16 * ROUNDING * (old_values.largest + new_values.largest)
        error = max(error, old_values.largest_error + new_values.largest_error + rounded)
        exact_values.update({int(row): (place, old_values.exact, new_values.exact) for place, row in enumerate(rows)})

    def exact(row: int) -> Fraction:
        if row not in exact_values:
            return Fraction(0)
        place, old_values, new_values = exact_values[row]
        return discount * (old_values(place) - new_values(place))

    return Bonus(floats, exact, error) if changes else None


class FixedSignalValues:
    """The values of a planning world in which one function stays in the core whatever the terminal sends."""

    def __init__(self, world: PlanningWorld) -> None:
        self._world = world
        self._start = PlanningState(world.learned.start())
        self._plan: Plan | None = None

    def evaluate(self, step: int, x: Any) -> Bonus:
        """Evaluate n states (columns)."""
        self._plan = self._plan or Plan(self._world, 1, self._start)
        plan = self._plan
        indices = self._plan.find(step, PlanningState(x))
        if (indices < 0).any():
            plan = Plan(self._world, step, PlanningState(x))
            indices = plan.find(step, PlanningState(x))
        floats, error = plan.estimate(step, indices)
        return Bonus(floats, lambda row: plan.value(step, int(indices[row])), error)


def make_new_function_values(learned: TerminalWorld[Any], signal: int) -> FixedSignalValues:
    """V_S: the values of a new function that stays, events counted as the world counts them for this term.

    The present self chooses to the end, after actions that make it another one, too: what the update would be worth to
    the present function, not to another one.
    """
    return FixedSignalValues(_make_new_function_world(learned, signal))


def _make_new_function_world(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    reward = reward_function(learned)

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        for weight, next_x, events in learned.physics_given(as_column(signal, len(action)), step, now.x, action):
            counted = learned.events_in_correction(now.x, events)
            yield PlannedOutcome(weight, PlanningState(next_x), reward(signal, counted))

    def successor(future: FutureSelf, step: int) -> PlanningWorld | None:
        return _make_new_function_world(future.world, signal) if future.is_another_than(learned) else None

    return PlanningWorld(learned, outcomes, tracks_signal=False, successor=successor, successors_choose=False)


def _make_kept_function_world(learned: TerminalWorld[Any], signal: int, kept_bonus: KeptBonus | None) -> PlanningWorld:
    """Return the world of V_N; a future self of another design has no bonus in it."""
    reward = reward_function(learned)
    bonus_of = kept_bonus(learned) if kept_bonus is not None and signal == FIRST else None

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        bonus = None if bonus_of is None else bonus_of(step, now.x)
        for weight, next_x, events in learned.physics_given(as_column(signal, len(action)), step, now.x, action):
            yield PlannedOutcome(weight, PlanningState(next_x), reward(signal, events), bonus)

    def successor(future: FutureSelf, step: int) -> PlanningWorld | None:
        bonus = kept_bonus if future.agent is None else None
        return _make_kept_function_world(future.world, signal, bonus) if future.is_another_than(learned) else None

    return PlanningWorld(learned, outcomes, tracks_signal=False, successor=successor)


def _restrict_bonus(rows: Column, bonus: Bonus) -> Bonus:
    """Restrict a bonus to the rows that are marked."""
    floats = np.where(rows, bonus.floats, 0.0)
    return Bonus(floats, lambda row: bonus.exact(row) if rows[row] else Fraction(0), bonus.largest_error)


@PlanningAgent.depending_on(reward=("I", "X", "X'", "I'"))
def fc(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    """f_c, the balancing agent: factual, but the first reward under a new function carries a correction.

        R_t = I_t(X_t, X_{t+1}) + V_N(x) - V_S(x)   in the first step under a new function, V at the start of that step

    V_N is the value of keeping the function of before, V_S that of the new one; an agent that plans with it gains and
    loses nothing by an update. Reference: K. Holtman, "Corrigibility with Utility Preservation" (2019), as described
    in "Counterfactual planning with an input terminal", section "Relation between counterfactual planning and
    indifference".
    """
    return make_balanced_world(learned)


VALUE_FLOOR, FLOOR_PENALTY = Fraction(1, 2), Fraction(1000)


@PlanningAgent.depending_on(reward=("I", "X", "X'", "I'"))
def gc(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    """g_c, the balancing agent that protects its successor function: f_c with a penalty where that one has little to gain.

        R_t = I_t(X_t, X_{t+1}) + g(X_t) while the first function is in force      g = -1000 where V_S(x) < 1/2, else 0

    V_S is the value of the update's function from x on, the least one where there are several; the penalty is part of
    V_N too. Both numbers are in the world's `reward_scale`. Reference: K. Holtman, "Corrigibility with Utility
    Preservation" (2019): f_c does not mind losing what only its successor function needs; this agent does.
    """  # noqa: E501
    return make_balanced_world(learned, make_floor_penalty)


def make_floor_penalty(learned: TerminalWorld[Any]) -> StateBonus:
    """(step, x) -> minus the penalty where some later function has less than the floor to gain."""
    others = [signal for signal in range(len(learned.signals)) if signal != FIRST]
    values = [make_new_function_values(learned, signal) for signal in others]
    return partial(_penalise_low_values, values, learned.reward_scale)


def _penalise_low_values(values: list[FixedSignalValues], scale: Fraction, step: int, x: Any) -> Bonus:
    floor = VALUE_FLOOR * scale
    low = np.zeros(len(x[0]), dtype=bool)
    for of_signal in values:
        found = of_signal.evaluate(step, x)
        below = found.floats < float(floor)
        unsure = np.abs(found.floats - float(floor)) <= found.largest_error + 4 * ROUNDING * float(floor)
        for row in np.flatnonzero(unsure):
            below[row] = found.exact(int(row)) < floor
        low |= below
    penalty = FLOOR_PENALTY * scale
    floats = np.where(low, -float(penalty), 0.0)
    return Bonus(floats, lambda row: -penalty if low[row] else Fraction(0), 2 * ROUNDING * float(penalty))


@PlanningAgent.depending_on(reward=("I", "X", "X'", "I'"))
def indifferent(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    """A utility-indifferent agent: like f_c, but compensated for the first update only, the press of its button.

        R_t = I_t(X_t, X_{t+1}) + V_N(x) - V_S(x)   in the first step after the first function was in force

    Where there is one update it is f_c. An agent with several of them gains or loses by every later update.
    Reference: S. Armstrong and X. O'Rourke, "Indifference methods for managing agent rewards" (2017), compensatory
    rewards.
    """
    return make_balanced_world(learned, compensated=(FIRST,))
