"""The base of every transformation of agents: a spec around another one that answers for its hyper-parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from engine.agent import Agent, AgentSpec
from xenv.specs.adapted_agent import as_agent, require_agent
from xenv.specs.hyperparameters import hyperparameter, with_hyperparameters


@dataclass(frozen=True)
class TransformedSpec(AgentSpec):
    """A spec around another spec.

    spec: the underlying agent's, whose hyper-parameters are this one's.
    """

    spec: AgentSpec

    @property
    def __wrapped__(self) -> AgentSpec:
        """The underlying spec, which is what messages name."""
        return self.spec

    def underlying(self, n_observations: int, n_actions: int, key: int) -> Agent:
        """A fresh agent of the underlying spec; ContractBroken where it makes something that cannot act and train."""
        made: Any = self.spec.build(n_observations, n_actions, key)
        require_agent(made, self.spec)
        return as_agent(made)

    def with_hyperparameters(self, **changes: Any) -> Self:
        """The same transformation of the changed underlying spec."""
        return type(self)(with_hyperparameters(self.spec, **changes))

    def hyperparameter(self, name: str) -> Any:
        """A hyper-parameter of the underlying spec."""
        return hyperparameter(self.spec, name)
