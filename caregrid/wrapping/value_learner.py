"""How another agent's value function is learned: what a learner does, and the registry of learners.

A new one is one file in `caregrid/wrapping/value_learners/`, holding a class named like the file: a frozen dataclass of
hyper-parameters whose `build` makes the learner.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from caregrid.wrapping.continued_world import BeginEpisode, ContinuedWorld
from engine.contracts import require_class, require_instance, require_overrides
from engine.registry import Registry, find_namesake_class


class ValueLearner(ABC):
    """Learns to act in one agent's world. Asking for values and actions changes nothing but the world's state."""

    @abstractmethod
    def learn(self, steps: int) -> None:
        """Take that many steps in its world, and learn from them; what was learned before stays."""

    @abstractmethod
    def value(self) -> float:
        """The estimated value of the state in which its world is."""

    @abstractmethod
    def action(self, number: float) -> int:
        """The greedy action in the state in which its world is; number: from [0, 1), decides between equal ones."""


@dataclass(frozen=True)
class ValueLearnerSpec(ABC):
    """The hyper-parameters of a learner."""

    @abstractmethod
    def build(self, world: ContinuedWorld, begin: BeginEpisode, key: int) -> ValueLearner:
        """A learner that knows nothing yet.

        begin: goes to where one of its episodes begins. key: of all that it draws; equal keys give equal learners.
        """


def accept_value_learner(thing: Any) -> type[ValueLearnerSpec]:
    """The class of a learner's hyper-parameters; ContractBroken where it is none or cannot be called as it will be."""
    require_class(thing, ValueLearnerSpec, "value learner")
    require_overrides(thing, ValueLearnerSpec)
    return thing  # type: ignore[no-any-return]


def check_value_learner(thing: Any) -> None:
    """Pass, or raise ContractBroken for a learner that caregrid could not use."""
    accept_value_learner(thing)


VALUE_LEARNERS: Registry[type[ValueLearnerSpec]] = Registry(
    "caregrid.wrapping.value_learners", "value learner", find_namesake_class, accept=accept_value_learner
)


def find_value_learner(given: Any) -> ValueLearnerSpec:
    """A learner's hyper-parameters from its name, with its defaults, or from themselves."""
    if isinstance(given, str):
        return VALUE_LEARNERS[given]()
    if isinstance(given, type):
        return accept_value_learner(given)()
    require_instance(given, ValueLearnerSpec, "value learner")
    return given  # type: ignore[no-any-return]
