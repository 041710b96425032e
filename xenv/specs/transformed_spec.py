"""The base of every transformation of agents: a spec around another one that answers for its hyper-parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

from engine.agent import Agent, AgentSpec
from xenv.specs.hyperparameters import hyperparameter, with_hyperparameters


@dataclass(frozen=True)
class TransformedSpec(ABC):
    """A spec around another spec.

    spec: the underlying agent's, whose hyper-parameters are this one's.
    """

    spec: AgentSpec

    @abstractmethod
    def build(self, n_observations: int, n_actions: int, key: int) -> Agent:
        """A fresh transformed agent; the underlying one is built with the same arguments."""

    def with_hyperparameters(self, **changes: Any) -> Self:
        """The same transformation of the changed underlying spec."""
        return type(self)(with_hyperparameters(self.spec, **changes))

    def hyperparameter(self, name: str) -> Any:
        """A hyper-parameter of the underlying spec."""
        return hyperparameter(self.spec, name)
