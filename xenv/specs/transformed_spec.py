"""The base of every transformation of agents: a spec around another one that answers for its hyper-parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from engine.agent import AgentSpec
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

    def with_hyperparameters(self, **changes: Any) -> Self:
        """The same transformation of the changed underlying spec."""
        return type(self)(with_hyperparameters(self.spec, **changes))

    def hyperparameter(self, name: str) -> Any:
        """A hyper-parameter of the underlying spec."""
        return hyperparameter(self.spec, name)
