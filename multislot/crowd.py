"""Crowds: futures that count other agents than one's copies, evaluated for a given policy.

A crowd says of every agent, by its history and its descent, whether it counts. `multislot.planning.crowd_value` sums
the rewards of those that do. Each file of `multislot/crowds` is one. Reference: The Multi-slot Framework, list of
section 4.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

from engine.registry import Registry, namesake_class, subclass_of
from multislot.learning.mixture import Mixture
from multislot.naming import constructed
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


CROWDS: Registry[type[Crowd]] = Registry(
    "multislot.crowds", "crowd", namesake_class, accept=subclass_of(Crowd, "crowd"), group="caregrid.crowds"
)


def named_crowd(name: str, mixture: Mixture) -> Crowd:
    """A crowd by its name: "common_ancestor", "has_output:11011", "my_file:Mine". UnknownName, BadValue."""
    return constructed(CROWDS, name, mixture)
