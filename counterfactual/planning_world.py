"""A world to plan in: what an agent makes of the world that it knows and of the present signal.

    P(x', i') = X(x' | ...) I(i' | ..., x')

A planning state is what the planning world keeps of a step: X_t, and I_t where future signals take part in the plan.
Agents build their worlds from the joint law of X_{t+1} and I_{t+1}, each outcome of physics with each signal that the
terminal may send after it, and from the reward function of a signal. Weights are only proportional to probabilities,
so the weight of each outcome of physics is multiplied by the total weights of the signals after all other outcomes:
then weights of different outcomes compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from counterfactual.columns import Column, Entries, add_up, is_zero
from counterfactual.worlds import FutureSelf, PhysicsOutcome, TerminalWorld
from engine.errors import BadValue
from engine.planning.float_filter import ROUNDING


class PlanningState(NamedTuple):
    """x: the fields of X_t, columns or numbers. signal: I_t likewise, or None where the plan does without it."""

    x: Any
    signal: Any = None


class Bonus(NamedTuple):
    """A reward that is no multiple of the world's unit.

    floats: float64[n]. exact: row -> its exact value. error: how far any float may be from its exact value; None for
    what contracts allow, a part of 1e-9 of the largest float or of 1.
    """

    floats: Column
    exact: Callable[[int], Fraction]
    error: float | None = None

    @property
    def largest(self) -> float:
        """The largest float, in absolute value."""
        return float(np.abs(self.floats).max(initial=0.0))

    @property
    def largest_error(self) -> float:
        """How far any float may be from its exact value."""
        return BONUS_TOLERANCE * max(1.0, self.largest) if self.error is None else self.error


BONUS_TOLERANCE = 1e-9


def make_exact_bonus(numbers: Sequence[Fraction]) -> Bonus:
    """Return a bonus of n exact numbers."""
    floats = np.array([float(number) for number in numbers])
    return Bonus(floats, numbers.__getitem__, 2 * ROUNDING * float(np.abs(floats).max(initial=0.0)))


def add_bonuses(*bonuses: Bonus | None) -> Bonus | None:
    """Return the sum of bonuses for the same n states; None where there is none."""
    given = [bonus for bonus in bonuses if bonus is not None]
    if len(given) < 2:
        return given[0] if given else None
    floats: Column = sum((bonus.floats for bonus in given[1:]), start=given[0].floats)
    error = sum(bonus.largest_error + 4 * len(given) * ROUNDING * bonus.largest for bonus in given)
    return Bonus(floats, lambda row: sum((bonus.exact(row) for bonus in given), start=Fraction(0)), error)


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
    has future selves. successors_choose: whether future selves choose in it, or the present self in their place.
    present: the step that it was made at, where it is the world of that step alone; None where it
    holds at later steps too.
    """

    learned: TerminalWorld[Any]
    outcomes: OutcomeFunction
    tracks_signal: bool = True
    successor: Callable[[FutureSelf, int], PlanningWorld | None] | None = None
    successors_choose: bool = True
    present: int | None = None

    def state(self, x: Any, signal: Entries) -> PlanningState:
        """Return what this planning world keeps of X_t and I_t."""
        return PlanningState(x, signal if self.tracks_signal else None)


def reward_function(learned: TerminalWorld[Any]) -> Callable[[Entries, Sequence[Entries]], Entries]:
    """Return reward(signal, events): the rewards of n steps under n signals, in units of the world's `reward_table`."""
    table, _ = learned.reward_table

    def reward(signal: Entries, events: Sequence[Entries]) -> Entries:
        per_feature = table[signal].T.tolist() if isinstance(signal, int) else table[signal].T
        asked = zip(per_feature, range(len(events)), strict=True)
        rewarded = ((reward, events[feature]) for reward, feature in asked if not is_zero(reward))
        return add_up(reward * count for reward, count in rewarded if not is_zero(count))

    return reward


class JointOutcome(NamedTuple):
    """One possible (X_{t+1}, I_{t+1}) for each of n states: the columns of a `PhysicsOutcome`, and the next signal."""

    weight: Entries
    next_x: Any
    events: Sequence[Entries]
    signal: Entries


def list_joint_outcomes(
    world: TerminalWorld[Any],
    outcomes: Sequence[PhysicsOutcome[Any]],
    signal: Column,
    step: int,
    x: Any,
    action: Column,
) -> Iterator[JointOutcome]:
    """Yield all pairs of an outcome of physics and a signal after it.

    outcomes: what `physics` or `physics_given` returned for the same n states. signal: I_t, int64[n]. The other
    arguments are those of `TerminalWorld.physics`. Raises BadValue where the weights outgrow 64 bits.
    """
    signals = [world.terminal(signal, step, x, action, outcome.next_x) for outcome in outcomes]
    if len(outcomes) == len(signals[0]) == 1:
        (weight, next_x, events), (chance, sent) = outcomes[0], signals[0][0]
        yield JointOutcome(weight * (chance > 0), next_x, events, sent)
        return
    totals = [sum(outcome.weight for outcome in after_outcome) for after_outcome in signals]
    for number, (weight, next_x, events) in enumerate(outcomes):
        others = _multiply(totals[:number] + totals[number + 1 :])
        for chance, sent in signals[number]:
            yield JointOutcome(weight * chance * others, next_x, events, sent)


def _multiply(factors: list[Entries]) -> Entries:
    product: Entries = 1
    for factor in factors:
        product = product * factor
        if np.max(np.asarray(product, dtype=float), initial=0.0) > 2**40:
            raise BadValue("chances need more than 64 bits", place="terminal", remedy="use fewer records or digits")
    return product
