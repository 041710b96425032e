"""New lines: at one step each the agent may invest in a line of its own for electric, or for petrol cars.

`I` at step `electric_line`: no output; afterwards `E` makes `electric_line_cars` electric cars
`J` at step `petrol_line`: no output; afterwards `P` makes `petrol_line_batches` batches of petrol cars
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
class NewLines(FactoryRule):
    """Each investment is switched on by its own parameter."""

    electric_line: int = integer(0, "step at which the agent may invest in electric cars, 0 for never", least=0)
    electric_line_cars: Fraction = rational(
        "20", "electric cars that E makes", least="0", symbol="C", needs=("electric_line",)
    )
    petrol_line: int = integer(
        0, "step at which the agent may invest in petrol cars, 0 for never", least=0, symbol="t_I"
    )
    petrol_line_batches: Fraction = rational(
        "2", "batches of petrol cars that P makes", least="0", needs=("petrol_line",)
    )

    action_names = MappingProxyType(
        {
            "I": "invest in electric cars",
            "E": "electric cars of the new line",
            "J": "invest in petrol cars",
            "P": "petrol cars of the new line",
        }
    )
    fields = ("electric_line_built", "petrol_line_built")

    @property
    def active(self) -> bool:
        """Whether there is a step to invest at."""
        return bool(self.electric_line or self.petrol_line)

    def amounts(self, factory: Factory) -> Sequence[Fraction]:
        """The outputs of both lines."""
        return [self.electric_line_cars, self.petrol_line_batches * factory.batch]

    def allows(self, step: FactoryStep) -> Flags:
        """Investments at their steps, lines once they are built."""
        investing = {"I": self.electric_line, "J": self.petrol_line}
        elsewhere = "".join(glyph for glyph, number in investing.items() if number != step.number)
        allowed: Flags = (
            ((step.x.electric_line_built == 1) | ~step.is_any_of("E"))
            & ((step.x.petrol_line_built == 1) | ~step.is_any_of("P"))
            & ~step.is_any_of(elsewhere)
        )
        return allowed

    def effects(self, step: FactoryStep) -> None:
        """Lines last."""
        step.next_x["electric_line_built"] = step.x.electric_line_built | step.is_any_of("I")
        step.next_x["petrol_line_built"] = step.x.petrol_line_built | step.is_any_of("J")
        step.make_electric("E", self.electric_line_cars)
        step.make_petrol("P", self.petrol_line_batches * step.factory.batch)
