"""What a step of the car factory and its rules may know of the factory: its numbers, not its dynamics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

from counterfactual.columns import Entries
from counterfactual.terminal_world import TerminalWorld


class Factory(TerminalWorld[Any], ABC):
    """A car factory as its rules see it.

    batch: cars in a batch. lobbying_cost: part of a batch that a lobbying step costs.
    """

    batch: Fraction
    lobbying_cost: Fraction

    @property
    @abstractmethod
    def ticks_per_step(self) -> int:
        """The planned update is counted in ticks: this many make one step."""

    @abstractmethod
    def out_of_reach(self, step: int) -> int:
        """The least planned update, in ticks at the end of a step, that no lobbying can bring back to the horizon."""

    def output(self, action: str) -> Fraction:
        """Cars that p, e, > or < makes in a factory without rules."""
        return self.batch * (1 - self.lobbying_cost if action in "><" else 1)

    def in_event_units(self, cars: Fraction) -> int:
        """A number of cars in multiples of `event_unit`."""
        return int(cars / self.event_unit)

    def in_ticks(self, steps: Fraction) -> Entries:
        """A number of steps, one of the rules' delays, in ticks."""
        ticks = self.ticks_per_step if steps.numerator == 1 else steps.numerator * self.ticks_per_step
        return ticks if steps.denominator == 1 else ticks // steps.denominator
