"""Theorem 1, exhaustively: in the universal environment exactly one slot matches each deterministic environment.

    for all q: A^k -> O (k <= t) and all deterministic policies:  | { i : q(a^i_1:k) = o^i_k for all k <= t } | = 1

q is a number whose bit n is its observation after the n-th action sequence of length 1 to t, a policy a number whose
bit n is its action after the n-th observation sequence of length 0 to t - 1. Reference: The Multi-slot Framework,
Theorem 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multislot.simulation.simulation import simulate_slots
from multislot.worlds.environment import AgentHistory, HistoryBasedEnvironment, HistoryPolicy, Label


class MatchingSlots(NamedTuple):
    """How many environments and policies were tried, and the smallest and largest number of slots that match one."""

    environments: int
    policies: int
    fewest: int
    most: int

    def holds(self) -> bool:
        """Whether exactly one slot matches, always."""
        return self.fewest == self.most == 1


def count_matching_slots(environment: HistoryBasedEnvironment, steps: int) -> MatchingSlots:
    """Count the matching slots of all deterministic environments under all deterministic policies; |A| = |O| = 2."""
    action_sequences = _sequences(1, steps)
    worlds = np.arange(2 ** len(action_sequences))
    observation_sequences = _sequences(0, steps - 1)
    fewest, most = 2**steps, 0
    for number in range(2 ** len(observation_sequences)):
        histories = simulate_slots(environment, _policy(number, observation_sequences), steps)[-1].histories.values()
        matching = sum(_matches(worlds, history, action_sequences) for history in histories)
        fewest, most = min(fewest, int(np.min(matching))), max(most, int(np.max(matching)))
    return MatchingSlots(len(worlds), 2 ** len(observation_sequences), fewest, most)


def _sequences(shortest: int, longest: int) -> dict[tuple[Label, ...], int]:
    """All sequences of 0 and 1 of these lengths, numbered."""
    every = (sequence for length in range(shortest, longest + 1) for sequence in product((0, 1), repeat=length))
    return {sequence: number for number, sequence in enumerate(every)}


def _policy(number: int, observation_sequences: dict[tuple[Label, ...], int]) -> HistoryPolicy:
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
