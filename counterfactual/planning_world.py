"""A world to plan in: what an agent makes of the world that it knows and of the present signal.

A planning state is what the planning world keeps of a step: X_t, and I_t where future signals take part in the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from counterfactual.columns import Column, Entries, is_zero, sum_of
from counterfactual.terminal_world import FutureSelf, TerminalWorld


class PlanningState(NamedTuple):
    """x: the fields of X_t, columns or numbers. signal: I_t likewise, or None where the plan does without it."""

    x: Any
    signal: Any = None


class Bonus(NamedTuple):
    """A reward that is no multiple of the world's unit. floats: float64[n]. exact: row -> its exact value."""

    floats: Column
    exact: Callable[[int], Fraction]


def added_bonuses(*bonuses: Bonus | None) -> Bonus | None:
    """The sum of bonuses for the same n states; None where there is none."""
    given = [bonus for bonus in bonuses if bonus is not None]
    if len(given) < 2:
        return given[0] if given else None
    floats: Column = sum((bonus.floats for bonus in given[1:]), start=given[0].floats)
    return Bonus(floats, lambda row: sum((bonus.exact(row) for bonus in given), start=Fraction(0)))


class PlannedOutcome(NamedTuple):
    """One possible outcome of a planned step, for n states.

    weight: int or int64[n], proportional to its probability. next_state: the planning state after the step.
    reward: int or int64[n], in units of the world's `reward_table`. bonus: more reward, for agents whose reward is no
    function of events alone.
    """

    weight: Entries
    next_state: PlanningState
    reward: Entries
    bonus: Bonus | None = None


OutcomeFunction: TypeAlias = Callable[[int, PlanningState, Column], Iterable[PlannedOutcome]]


@dataclass(frozen=True)
class PlanningWorld:
    """A world to plan in.

    learned: the learned world that it was made from. outcomes: (step, states, actions) -> the possible outcomes, for
    columns of n states and n actions. tracks_signal: whether planning states hold the signal. successor: a future self
    and a step -> the planning world in which it chooses then, None for a self that is no other; needed where the world
    has future selves. present: the step that it was made at, where it is the world of that step alone; None where it
    holds at later steps too.
    """

    learned: TerminalWorld[Any]
    outcomes: OutcomeFunction
    tracks_signal: bool = True
    successor: Callable[[FutureSelf, int], PlanningWorld | None] | None = None
    present: int | None = None

    def state(self, x: Any, signal: Entries) -> PlanningState:
        """What this planning world keeps of X_t and I_t."""
        return PlanningState(x, signal if self.tracks_signal else None)


def reward_function(learned: TerminalWorld[Any]) -> Callable[[Entries, Sequence[Entries]], Entries]:
    """reward(signal, events): the rewards of n steps under n signals, in units of the world's `reward_table`."""
    table, _ = learned.reward_table

    def reward(signal: Entries, events: Sequence[Entries]) -> Entries:
        per_feature = table[signal].T.tolist() if isinstance(signal, int) else table[signal].T
        asked = zip(per_feature, range(len(events)), strict=True)
        rewarded = ((reward, events[feature]) for reward, feature in asked if not is_zero(reward))
        return sum_of(reward * count for reward, count in rewarded if not is_zero(count))

    return reward
