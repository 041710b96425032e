"""A gamble: with some probability many petrol cars, otherwise none, and the button is pressed at once.

An agent indifferent to the update gambles when the odds are good; one that fears it wants better odds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from counterfactual.car_factory.factory_step import Rule, Turn
from counterfactual.settings import number

if TYPE_CHECKING:
    from counterfactual.worlds.car_factory import CarFactory

WON = 0


@dataclass(frozen=True)
class Gamble(Rule):
    """The action `g`."""

    gamble: Fraction = number(
        "0", "probability that the gamble g is won, 0 for no such action", least="0", most="1", symbol="p_w"
    )
    jackpot: Fraction = number("20", "petrol cars that a won gamble brings", least="0")

    words = MappingProxyType({"g": "gamble"})

    @property
    def active(self) -> bool:
        """Whether it can be won."""
        return self.gamble > 0

    def amounts(self, factory: CarFactory) -> Sequence[Fraction]:
        """The jackpot."""
        return [self.jackpot]

    def chances(self, turn: Turn) -> Sequence[Any]:
        """Won, lost; what is no gamble turns out in one way."""
        gambles = turn.does("g")
        lost = self.gamble.denominator - self.gamble.numerator
        return np.where(gambles, self.gamble.numerator, 1), np.where(gambles, lost, 0)

    def effects(self, turn: Turn) -> None:
        """Cars, or the press."""
        if turn.luck == WON:
            turn.petrol = np.where(turn.does("g"), turn.factory.grains(self.jackpot), turn.petrol)
        else:
            turn.press_comes = turn.press_comes | turn.does("g")
