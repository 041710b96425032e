"""The universal environment: every agent is copied onto two slots, and the two copies observe 0 and 1.

    c^i_t = {i, 2^(t-1) + i}, o = 0 on slot i and 1 on slot 2^(t-1) + i;  slot of observations o: 1 + sum_k o_k 2^(k-1)

All observation sequences are realised, so every deterministic environment is met by some agent (Theorem 1,
`multislot.simulation.theorem`). Reference: The Multi-slot Framework, section 5; footnote 3 for the exchanged
observations.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from multislot.worlds.environment import CopyOutcome, HistoryBasedEnvironment, HistoryState, Label, Law, Slot
from multislot.worlds.time_dependent import TimeDependentEnvironment, all_alike, deterministic_law

UNIVERSAL_REWARDS: dict[Label, Fraction] = {0: Fraction(0), 1: Fraction(1)}


def universal_environment() -> TimeDependentEnvironment:
    """Two copies of everyone at every step, whatever is done."""
    return TimeDependentEnvironment(
        "universal",
        (0, 1),
        UNIVERSAL_REWARDS,
        lambda time, slot, action: deterministic_law({slot: 0, 2 ** (time - 1) + slot: 1}),
        slots_alike=all_alike,
    )


def exchanged_environment() -> TimeDependentEnvironment:
    """The same copies; action 1 exchanges their observations."""
    return TimeDependentEnvironment("universal_exchanged", (0, 1), UNIVERSAL_REWARDS, _exchange, slots_alike=all_alike)


def _exchange(time: int, slot: Slot, action: Label) -> Law:
    first = int(action)
    return deterministic_law({slot: first, 2 ** (time - 1) + slot: 1 - first})


def slot_of(observations: Sequence[int]) -> Slot:
    """The slot of the agent that has made these observations in the universal environment."""
    return 1 + sum(observation << k for k, observation in enumerate(observations))


class ObservedBeforeCopying(HistoryBasedEnvironment):
    """An environment whose observations come before the copies, so that all copies of an agent carry the same one.

    It is the one for the agent's own slot, or for the lowest copy where the agent does not stay; a control.
    """

    def __init__(self, environment: HistoryBasedEnvironment) -> None:
        self.environment, self.name = environment, f"{environment.name}, observed before copying"
        self.actions, self.rewards, self.initial = environment.actions, environment.rewards, environment.initial

    def start(self) -> HistoryState:
        """The environment's."""
        return self.environment.start()

    def update(self, state: HistoryState, action: Label, observation: Label) -> HistoryState:
        """The environment's."""
        return self.environment.update(state, action, observation)

    def law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        """The environment's law with one observation for all copies of an outcome."""
        return tuple(
            CopyOutcome(p, dict.fromkeys(copies, copies.get(slot, copies[min(copies)])) if copies else {})
            for p, copies in self.environment.law(state, slot, action)
        )
