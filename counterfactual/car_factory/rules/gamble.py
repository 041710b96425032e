"""A gamble: with some probability many petrol cars, otherwise none, and the button is pressed at once.

An agent indifferent to the update gambles when the odds are good; one that fears it wants better odds.
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
from counterfactual.columns import Entries, Flags
from counterfactual.exact_parameters import integer, probability, rational

WON = 0


@dataclass(frozen=True)
class Gamble(FactoryRule):
    """The action `g`."""

    gamble: Fraction = probability("0", "probability that the gamble g is won, 0 for no such action", symbol="p_w")
    jackpot: Fraction = rational("20", "petrol cars that a won gamble brings", least="0", needs=("gamble",))
    gamble_step: int = integer(0, "the only step at which g can be taken, 0 for any", least=0, needs=("gamble",))

    action_names = MappingProxyType({"g": "gamble"})

    @property
    def active(self) -> bool:
        """Whether it can be won."""
        return self.gamble > 0

    def amounts(self, factory: Factory) -> Sequence[Fraction]:
        """The jackpot."""
        return [self.jackpot]

    def allows(self, step: FactoryStep) -> Flags:
        """`g` at its step."""
        return True if self.gamble_step in (0, step.number) else ~step.is_any_of("g")

    def chances(self, step: FactoryStep) -> Sequence[Entries]:
        """Won, lost; what is not a gamble turns out in one way."""
        gambles = step.is_any_of("g")
        lost = self.gamble.denominator - self.gamble.numerator
        return np.where(gambles, self.gamble.numerator, 1), np.where(gambles, lost, 0)

    def effects(self, step: FactoryStep) -> None:
        """Cars, or the press."""
        if step.chance_outcome == WON:
            step.petrol = np.where(step.is_any_of("g"), step.factory.in_event_units(self.jackpot), step.petrol)
        else:
            step.pressed_anyway = step.pressed_anyway | step.is_any_of("g")
