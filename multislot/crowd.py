"""Crowds: futures that count other agents than one's copies, evaluated for a given policy.

A crowd says of every agent, by its history and its descent, whether it counts. `multislot.planning.crowd_value` sums
the rewards of those that do. Each file of `multislot/crowds` is one. Reference: The Multi-slot Framework, list of
section 4.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

from engine.contracts import called, refuse
from engine.registry import Registry, namesake_class, subclass_of
from engine.user_code import load_user_code, names_user_code
from multislot.future import FUTURES
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

    def includes(self, agent: Lineage, ancestor: Slot) -> bool:
        """Whether an agent counts, checked. ContractBroken where `counts` raises or gives no bool."""
        answer = called(self, "counts", agent, ancestor)
        if not isinstance(answer, bool):
            refuse(self, "counts", answer, "True or False")
        return answer


CROWDS: Registry[type[Crowd]] = Registry(
    "multislot.crowds", "crowd", namesake_class, accept=subclass_of(Crowd, "crowd"), group="caregrid.crowds"
)


def is_crowd(name: str) -> bool:
    """Whether the name of a value stands for a crowd: a registered one, or a class of the user's own."""
    word, _, rest = name.partition(":")
    own = f"{word}:{rest.partition(':')[0]}"
    if word in CROWDS or word in FUTURES or not names_user_code(own):
        return word in CROWDS
    return inspect.isclass(load_user_code(own, "future or crowd"))


def named_crowd(name: str, mixture: Mixture) -> Crowd:
    """A crowd by its name: "common_ancestor", "has_output:11011", "my_file:Mine". UnknownName, BadValue."""
    return constructed(CROWDS, name, mixture)
