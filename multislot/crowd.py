"""Crowds: futures that count other agents than one's copies, evaluated for a given policy.

A crowd says of every agent, by its history and its descent, whether it counts. `multislot.planning.crowd_value` sums
the rewards of those that do. Each file of `multislot/crowds` is one. Reference: The Multi-slot Framework, list of
section 4.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

from engine.contracts import called, refuse
from multislot.learning.mixture import Mixture
from multislot.worlds.environment import AgentHistory, Slot


class Lineage(NamedTuple):
    """An agent as a crowd sees it: the initial slot that it descends from, its own slot and its history."""

    ancestor: Slot
    slot: Slot
    history: AgentHistory


class Crowd(ABC):
    """Which agents count.

    mixture: the environment, for its actions and rewards. argument: what follows the name ("has_output:ACTIONS").
    example: an argument to try the crowd with; empty where it takes none.
    """

    example: ClassVar[str] = ""

    def __init__(self, mixture: Mixture, argument: str = "") -> None:
        self.mixture, self.argument = mixture, argument

    @abstractmethod
    def counts(self, agent: Lineage, ancestor: Slot) -> bool:
        """Whether an agent counts; ancestor: the initial slot that I descend from. A pure function."""

    def includes(self, agent: Lineage, ancestor: Slot) -> bool:
        """Whether an agent counts, checked. ContractBroken where `counts` raises or gives no bool."""
        answer = called(self, "counts", agent, ancestor)
        if not isinstance(answer, bool):
            refuse(self, "counts", answer, "True or False")
        return answer
