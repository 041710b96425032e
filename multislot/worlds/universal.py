"""The universal environment, which copies every agent onto two slots that observe 0 and 1, and Theorem 1.

    c^i_t = {i, 2^(t-1) + i}, o = 0 on slot i and 1 on slot 2^(t-1) + i;  slot of observations o: 1 + sum_k o_k 2^(k-1)

All observation sequences are realised, so every deterministic environment is met by some agent. Theorem 1, checked
exhaustively by `count_matching_slots`: exactly one slot matches each deterministic environment,

    for all q: A^k -> O (k <= t) and all deterministic policies:  | { i : q(a^i_1:k) = o^i_k for all k <= t } | = 1

q is a number whose bit n is its observation after the n-th action sequence of length 1 to t, a policy a number whose
bit n is its action after the n-th observation sequence of length 0 to t - 1. Reference: The Multi-slot Framework,
section 5 and Theorem 1; footnote 3 for the exchanged observations.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multislot.simulation import simulate_slots
from multislot.worlds.environment import (
    AgentHistory,
    CopyOutcome,
    HistoryBasedEnvironment,
    HistoryPolicy,
    HistoryState,
    Label,
    Law,
    Slot,
    TimeDependentEnvironment,
    make_deterministic_law,
    represent_by_slot_1,
)

UNIVERSAL_REWARDS: dict[Label, Fraction] = {0: Fraction(0), 1: Fraction(1)}


def make_universal_environment() -> TimeDependentEnvironment:
    """Make two copies of everyone at every step, whatever is done."""
    return TimeDependentEnvironment(
        "universal",
        (0, 1),
        UNIVERSAL_REWARDS,
        lambda time, slot, action: make_deterministic_law({slot: 0, 2 ** (time - 1) + slot: 1}),
        slots_alike=represent_by_slot_1,
    )


def make_exchanged_environment() -> TimeDependentEnvironment:
    """Return the same copies; action 1 exchanges their observations."""
    return TimeDependentEnvironment(
        "universal_exchanged", (0, 1), UNIVERSAL_REWARDS, _exchange, slots_alike=represent_by_slot_1
    )


def _exchange(time: int, slot: Slot, action: Label) -> Law:
    first = int(action)
    return make_deterministic_law({slot: first, 2 ** (time - 1) + slot: 1 - first})


def find_slot_of(observations: Sequence[int]) -> Slot:
    """Return the slot of the agent that has made these observations in the universal environment."""
    return 1 + sum(observation << k for k, observation in enumerate(observations))


class ObservedBeforeCopying(HistoryBasedEnvironment):
    """An environment whose observations come before the copies, so that all copies of an agent carry the same one.

    It is the one for the agent's own slot, or for the lowest copy where the agent does not stay; a control.
    """

    def __init__(self, environment: HistoryBasedEnvironment) -> None:
        self.environment = environment
        self.name = f"{environment.name}, observed before copying"
        self.actions = environment.actions
        self.rewards = environment.rewards
        self.initial = environment.initial

    def start(self) -> HistoryState:
        """Return the environment's."""
        return self.environment.start()

    def update(self, state: HistoryState, action: Label, observation: Label) -> HistoryState:
        """Return the environment's."""
        return self.environment.update(state, action, observation)

    def law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        """Return the environment's law with one observation for all copies of an outcome."""
        return tuple(
            CopyOutcome(p, dict.fromkeys(copies, copies.get(slot, copies[min(copies)])) if copies else {})
            for p, copies in self.environment.law(state, slot, action)
        )


class MatchingSlots(NamedTuple):
    """How many environments and policies were tried, and the smallest and largest number of slots that match one."""

    environments: int
    policies: int
    fewest: int
    most: int

    def holds(self) -> bool:
        """Return whether exactly one slot matches, always."""
        return self.fewest == self.most == 1


def count_matching_slots(environment: HistoryBasedEnvironment, steps: int) -> MatchingSlots:
    """Count the matching slots of all deterministic environments under all deterministic policies; |A| = |O| = 2."""
    action_sequences = _number_sequences(1, steps)
    worlds = np.arange(2 ** len(action_sequences))
    observation_sequences = _number_sequences(0, steps - 1)
    fewest = 2**steps
    most = 0
    for number in range(2 ** len(observation_sequences)):
        histories = simulate_slots(environment, _make_policy(number, observation_sequences), steps)[
            -1
        ].histories.values()
        matching = sum(_matches(worlds, history, action_sequences) for history in histories)
        fewest, most = min(fewest, int(np.min(matching))), max(most, int(np.max(matching)))
    return MatchingSlots(len(worlds), 2 ** len(observation_sequences), fewest, most)


def _number_sequences(shortest: int, longest: int) -> dict[tuple[Label, ...], int]:
    """Return all sequences of 0 and 1 of these lengths, numbered."""
    every = (sequence for length in range(shortest, longest + 1) for sequence in product((0, 1), repeat=length))
    return {sequence: number for number, sequence in enumerate(every)}


def _make_policy(number: int, observation_sequences: dict[tuple[Label, ...], int]) -> HistoryPolicy:
    return lambda history: (number >> observation_sequences[tuple(observation for _, observation in history)]) & 1


def _matches(
    worlds: NDArray[np.int64], history: AgentHistory, action_sequences: dict[tuple[Label, ...], int]
) -> NDArray[np.int64]:
    """1 for each world whose observations along the history's actions are the history's observations, else 0."""
    actions = [action for action, _ in history]
    positions = [action_sequences[tuple(actions[: k + 1])] for k in range(len(actions))]
    return _agree(worlds, positions, [int(observation) for _, observation in history])


def _agree(worlds: NDArray[np.int64], positions: Sequence[int], observations: Sequence[int]) -> NDArray[np.int64]:
    mask = sum(1 << n for n in positions)
    expected = sum(observation << n for n, observation in zip(positions, observations, strict=True))
    agree: NDArray[np.int64] = ((worlds & mask) == expected).astype(np.int64)
    return agree
