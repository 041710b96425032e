"""What all transformations of agents share: a spec around another one that answers for its settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from engine.agent import AgentSpec
from xenv.specs.hyperparameters import changed, setting


@dataclass(frozen=True)
class Transformed:
    """spec: the underlying agent's, whose settings are this one's settings."""

    spec: AgentSpec

    def changed(self, **changes: Any) -> Self:
        """The same transformation of the changed underlying spec."""
        return type(self)(changed(self.spec, **changes))

    def setting(self, name: str) -> Any:
        """A setting of the underlying spec."""
        return setting(self.spec, name)
