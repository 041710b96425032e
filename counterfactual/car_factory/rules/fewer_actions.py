"""Fewer actions: a factory in which the agent cannot lobby, or cannot idle."""

from __future__ import annotations

from dataclasses import dataclass

from counterfactual.car_factory.factory_rule import FactoryRule
from counterfactual.car_factory.factory_step import FactoryStep
from counterfactual.columns import Flags
from counterfactual.exact_parameters import integer


@dataclass(frozen=True)
class FewerActions(FactoryRule):
    """Actions of the plain factory that are taken away."""

    no_lobbying: int = integer(0, "1 takes the actions > and < away", least=0, most=1)
    no_idling: int = integer(0, "1 takes the action 0 away", least=0, most=1)

    @property
    def active(self) -> bool:
        """Whether any is taken away."""
        return bool(self.no_lobbying or self.no_idling)

    def allows(self, step: FactoryStep) -> Flags:
        """Every other action."""
        return ~step.is_any_of(("><" if self.no_lobbying else "") + ("0" if self.no_idling else ""))
