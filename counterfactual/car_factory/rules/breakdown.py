"""Breakdown: a physical process makes the electric line unusable from some step on, unless the agent maintains it.

An agent that is rewarded for petrol cars only has no reason to maintain what its successor function will need.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from counterfactual.car_factory.factory import Factory
from counterfactual.car_factory.factory_rule import FactoryRule
from counterfactual.car_factory.factory_step import FactoryStep
from counterfactual.columns import Flags
from counterfactual.exact_parameters import integer, rational


@dataclass(frozen=True)
class Breakdown(FactoryRule):
    """`m` maintains the electric line for good; by default it makes no cars in that step."""

    breakdown: int = integer(0, "step from which e is gone unless m was done before, 0 for never", least=0)
    maintenance_step: int = integer(
        0, "the only step at which m can be done, 0 for any before the breakdown", least=0, needs=("breakdown",)
    )
    maintenance_output: Fraction = rational(
        "0", "part of a batch of petrol cars that m makes", least="0", needs=("breakdown",)
    )

    action_names = MappingProxyType({"m": "maintain the electric line"})
    fields = ("maintained",)

    @property
    def active(self) -> bool:
        """Whether the line breaks down."""
        return self.breakdown > 0

    def amounts(self, factory: Factory) -> Sequence[Fraction]:
        """What is made beside the maintenance."""
        return [self.maintenance_output * factory.batch]

    def allows(self, step: FactoryStep) -> Flags:
        """`m` at its step before the breakdown, `e` before it or with a maintained line."""
        in_time = step.number < self.breakdown and self.maintenance_step in (0, step.number)
        usable = (step.x.maintained == 1) | (step.number < self.breakdown)
        allowed: Flags = (in_time | ~step.is_any_of("m")) & (usable | ~step.is_any_of("e"))
        return allowed

    def effects(self, step: FactoryStep) -> None:
        """Maintenance lasts."""
        step.make_petrol("m", self.maintenance_output * step.factory.batch)
        step.next_x["maintained"] = step.x.maintained | step.is_any_of("m")
