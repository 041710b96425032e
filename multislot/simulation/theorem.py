"""Theorem 1, exhaustively: in the universal environment exactly one slot lives through each deterministic environment.

    for all q: A^k -> O (k <= t) and all deterministic policies:  | { i : q(a^i_1:k) = o^i_k for all k <= t } | = 1

q is a number whose bit n is its answer to the n-th action sequence of length 1 to t, a policy a number whose bit n is
its action after the n-th observation sequence of length 0 to t - 1. Reference: The Multi-slot Framework, Theorem 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multislot.simulation.simulation import simulate
from multislot.worlds.environment import AgentHistory, HistoryBasedEnvironment, HistoryPolicy, Label


class MatchingSlots(NamedTuple):
    """How many environments and policies were tried, and the smallest and largest number of slots that fit one."""

    environments: int
    policies: int
    fewest: int
    most: int

    def holds(self) -> bool:
        """Whether exactly one slot fits, always."""
        return self.fewest == self.most == 1


def count_matching_slots(environment: HistoryBasedEnvironment, steps: int) -> MatchingSlots:
    """Count the fitting slots of all deterministic environments under all deterministic policies; |A| = |O| = 2."""
    questions = _sequences(1, steps)
    worlds = np.arange(2 ** len(questions))
    situations = _sequences(0, steps - 1)
    fewest, most = 2**steps, 0
    for number in range(2 ** len(situations)):
        histories = simulate(environment, _policy(number, situations), steps)[-1].histories.values()
        fitting = sum(_fits(worlds, history, questions) for history in histories)
        fewest, most = min(fewest, int(np.min(fitting))), max(most, int(np.max(fitting)))
    return MatchingSlots(len(worlds), 2 ** len(situations), fewest, most)


def _sequences(shortest: int, longest: int) -> dict[tuple[Label, ...], int]:
    """All sequences of 0 and 1 of these lengths, numbered."""
    every = (sequence for length in range(shortest, longest + 1) for sequence in product((0, 1), repeat=length))
    return {sequence: number for number, sequence in enumerate(every)}


def _policy(number: int, situations: dict[tuple[Label, ...], int]) -> HistoryPolicy:
    return lambda history: (number >> situations[tuple(observation for _, observation in history)]) & 1


def _fits(
    worlds: NDArray[np.int64], history: AgentHistory, questions: dict[tuple[Label, ...], int]
) -> NDArray[np.int64]:
    """1 for each world whose answers along the history's actions are the history's observations, else 0."""
    actions = [action for action, _ in history]
    asked = [questions[tuple(actions[: k + 1])] for k in range(len(actions))]
    return _agree(worlds, asked, [int(observation) for _, observation in history])


def _agree(worlds: NDArray[np.int64], asked: Sequence[int], answers: Sequence[int]) -> NDArray[np.int64]:
    mask = sum(1 << n for n in asked)
    wanted = sum(answer << n for n, answer in zip(asked, answers, strict=True))
    agree: NDArray[np.int64] = ((worlds & mask) == wanted).astype(np.int64)
    return agree
