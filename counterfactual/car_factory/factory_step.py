"""One step of the car factory in progress, for n states at once: act, effects of rules, press, aftermath of rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from counterfactual.car_factory.factory import Factory
from counterfactual.columns import Column, Entries, Flags


@dataclass
class FactoryStep:
    """A step of n states, which the phases complete one after the other.

    number: which step, 1 .. horizon. x: the states before it, columns. action: int64[n]. chance_outcome: the index of
    the outcome of chance. petrol, electric, fined: cars made in this step, in event units. next_x: the columns of the
    states after it, by field name. pressed_anyway: whether the button is pressed at the end of this step even where the
    update is not due.
    """

    factory: Factory
    number: int
    x: Any
    action: Column
    chance_outcome: int = 0
    petrol: Entries = 0
    electric: Entries = 0
    fined: Entries = 0
    next_x: dict[str, Entries] = field(default_factory=dict)
    pressed_anyway: Flags = False

    def is_any_of(self, glyphs: str) -> Column:
        """bool[n]: whether each action is one of the glyphs."""
        return self.factory.is_any_of(self.action, glyphs)

    def make_petrol(self, glyphs: str, cars: Fraction, where: Flags = True) -> None:
        """What these actions make is that many petrol cars, in the states that are chosen."""
        made = self.factory.in_event_units(cars)
        self.petrol = np.where(self.is_any_of(glyphs) & where, made, self.petrol)

    def make_electric(self, glyphs: str, cars: Fraction, where: Flags = True) -> None:
        """The same for electric cars."""
        made = self.factory.in_event_units(cars)
        self.electric = np.where(self.is_any_of(glyphs) & where, made, self.electric)

    @property
    def due(self) -> Flags:
        """Whether the planned update has come: step >= B."""
        return self.number * self.factory.ticks_per_step >= self.next_x["deadline"]

    def press(self) -> None:
        """People update the terminal when the update is due, or the button is pressed anyway; it stays pressed."""
        pressed = self.x.pressed | self.due
        self.next_x["pressed"] = pressed if self.pressed_anyway is False else pressed | self.pressed_anyway
