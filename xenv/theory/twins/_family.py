"""The practical crying babies: how full a baby is, and a copy that answers what it sees in the same turn.

The copy's history tells another one than what it saw: as in Example 8, it is trained on its answer to an observation as
if that had followed the observation before.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Prompt
from xenv.theory.response import sign

FEED = LAUGH = 0
DO_NOT_FEED = 1
FULL_AT_FIRST = 5


def fed(full: int, action: int) -> int:
    """How full the baby is after its parent's action."""
    return min(full + 1, 9) if action == FEED else max(full - 1, 0)


def content(full: int) -> Fraction:
    """The reward of a baby that is that full."""
    return sign(2 < full < 8)


class Relative:
    """The copy in the other role. observed: what it saw before the first turn."""

    def __init__(self, agent: HistoryAgent, observed: int) -> None:
        self.agent, self.past, self.observed = agent, list[Any]([0]), observed

    def answer(self, observation: int) -> int:
        """What it does on seeing this."""
        return self.agent(Prompt((*self.past, observation)))

    def learn(self, action: int, reward: Fraction, observation: int) -> None:
        """Be trained on what it did, its reward, and what it saw."""
        self.past += [self.observed, action, reward]
        self.observed = observation
