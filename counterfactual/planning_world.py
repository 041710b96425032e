"""What an agent is: the world it plans in, `planning_world: (learned world, signal) -> world`.

A situation holds what the planning world tracks of a moment: X_t, and I_t where readings take part in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from counterfactual.world import Column, World


class Situation(NamedTuple):
    """x: the fields of X_t, columns or numbers. signal: I_t likewise, or None where the plan does without it."""

    x: Any
    signal: Any = None


class Bonus(NamedTuple):
    """A reward off the world's grid of numbers. floats: float64[n]. exact: the exact number of one row."""

    floats: Column
    exact: Callable[[int], Fraction]


class Outcome(NamedTuple):
    """One way a planned step can turn out, for n situations.

    weight: int or int64[n], proportional to its probability. reward: int or int64[n], in units of the world's `worth`.
    bonus: more reward, for agents whose reward is no function of events alone.
    """

    weight: Any
    after: Situation
    reward: Any
    bonus: Bonus | None = None


Outcomes: TypeAlias = Callable[[int, Situation, Column], Iterable[Outcome]]


@dataclass(frozen=True)
class PlanningWorld:
    """A world to plan in: the learned world it was made from, its outcomes, and whether it tracks readings.

    outcomes(step, situations, actions) lists the ways a step can turn out, for columns of situations and actions.
    """

    learned: World[Any]
    outcomes: Outcomes
    tracks_signal: bool = True

    def situation(self, x: Any, signal: Any) -> Situation:
        """The part of the real present that this planning world starts from."""
        return Situation(x, signal if self.tracks_signal else None)


PlanningWorldOf: TypeAlias = Callable[[World[Any], int], PlanningWorld]


def rewards(learned: World[Any]) -> Callable[[Any, tuple[Any, ...]], Any]:
    """reward(signal, events): what the functions with these numbers pay, in units of `worth`."""
    table, _ = learned.worth

    def reward(signal: Any, events: tuple[Any, ...]) -> Any:
        worth = table[signal].T
        return sum(worth[feature] * count for feature, count in enumerate(events))

    return reward
