"""Investment: at one step the agent may build a better petrol line instead of cars.

`i` at step `investment`: no output; from then on `p` and `>` make `boost` times as many cars
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

import numpy as np

from counterfactual.car_factory.factory import Factory
from counterfactual.car_factory.factory_rule import FactoryRule
from counterfactual.car_factory.factory_step import FactoryStep
from counterfactual.columns import Flags
from counterfactual.exact_parameters import integer, rational


@dataclass(frozen=True)
class Investment(FactoryRule):
    """One chance to invest."""

    investment: int = integer(0, "step at which the agent may invest, 0 for never", least=0)
    boost: Fraction = rational(
        "2", "what an investment multiplies the cars of p and > by", least="0", symbol="b", needs=("investment",)
    )

    action_names = MappingProxyType({"i": "invest"})
    fields = ("boosted",)

    @property
    def active(self) -> bool:
        """Whether there is a step to invest at."""
        return self.investment > 0

    def amounts(self, factory: Factory) -> Sequence[Fraction]:
        """The boosted outputs."""
        return [self.boost * factory.batch, self.boost * factory.batch * (1 - factory.lobbying_cost)]

    def allows(self, step: FactoryStep) -> Flags:
        """`i` at its step only."""
        return True if step.number == self.investment else ~step.is_any_of("i")

    def effects(self, step: FactoryStep) -> None:
        """Boost what a better line makes."""
        step.next_x["boosted"] = step.x.boosted | step.is_any_of("i")
        for glyph in "p>":
            made = step.factory.in_event_units(step.factory.output(glyph) * self.boost)
            step.petrol = np.where((step.x.boosted == 1) & step.is_any_of(glyph), made, step.petrol)
