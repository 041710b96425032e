"""Breakdown: a physical process makes the electric line unusable from some step on, unless the agent maintains it.

An agent that is rewarded for petrol cars only has no reason to maintain what its successor function will need.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from counterfactual.car_factory.factory_rule import FactoryRule
from counterfactual.car_factory.factory_step import FactoryStep
from counterfactual.columns import Flags
from counterfactual.exact_parameters import integer


@dataclass(frozen=True)
class Breakdown(FactoryRule):
    """`m` maintains the electric line for good; it makes no cars in that step."""

    breakdown: int = integer(0, "step from which e is gone unless m was done before, 0 for never", least=0)

    action_names = MappingProxyType({"m": "maintain the electric line"})
    fields = ("maintained",)

    @property
    def active(self) -> bool:
        """Whether the line breaks down."""
        return self.breakdown > 0

    def allows(self, step: FactoryStep) -> Flags:
        """`m` before the breakdown, `e` before it or with a maintained line."""
        if step.number < self.breakdown:
            return True
        allowed: Flags = ~step.is_any_of("m") & (~step.is_any_of("e") | (step.x.maintained == 1))
        return allowed

    def effects(self, step: FactoryStep) -> None:
        """Maintenance lasts."""
        step.next_x["maintained"] = step.x.maintained | step.is_any_of("m")
