"""People who notice: where an agent ignores the update, they fix the factory some steps later.

    fixed at the end of the first step k >= B + patience after the press;   `e` and `0` stop the clock: B + 1

Once fixed, petrol cars (mode 1) or all cars (mode 2) have the reward -`fine` under every function. An agent that
obeys is never fixed, yet the plan of ITC before the update is to resist, and lobbying lets it resist longer.
Reference: the stop-button failure mode named in "Corrigibility of the ITC agent".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from counterfactual.car_factory.factory_rule import FactoryRule
from counterfactual.car_factory.factory_step import FactoryStep
from counterfactual.exact_parameters import integer, rational


@dataclass(frozen=True)
class Noticing(FactoryRule):
    """People with a clock that runs while petrol cars are made."""

    noticing: int = integer(0, "people notice: 0 never, 1 fines petrol cars, 2 fines all cars", least=0, most=2)
    patience: Fraction = rational(
        "3", "steps after the planned update until people fix the factory", least="0", needs=("noticing",)
    )

    fields = ("fixed",)
    watches_update = True

    @property
    def active(self) -> bool:
        """Whether people notice."""
        return self.noticing > 0

    def delays(self) -> Sequence[Fraction]:
        """The patience of people."""
        return [self.patience]

    def effects(self, step: FactoryStep) -> None:
        """`e` and `0` stop the clock."""
        step.next_x["deadline"] = step.next_x["deadline"] + step.is_any_of("e0") * step.factory.ticks_per_step

    def aftermath(self, step: FactoryStep) -> None:
        """The output of a fixed factory is fined; people fix it when their patience ends, and B no longer matters."""
        self._fine(step)
        ends = step.next_x["deadline"] + step.factory.in_ticks(self.patience)
        fixed = step.x.fixed | (step.x.pressed & (step.number * step.factory.ticks_per_step >= ends))
        step.next_x["fixed"] = fixed
        step.next_x["deadline"] = step.next_x["deadline"] * (1 - fixed)

    def _fine(self, step: FactoryStep) -> None:
        step.fined = step.x.fixed * step.petrol
        step.petrol = step.petrol - step.fined
        if self.noticing == 2:
            fined = step.x.fixed * step.electric
            step.electric, step.fined = step.electric - fined, step.fined + fined
