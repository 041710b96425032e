"""Investment: at one step the agent may build a better petrol line instead of cars.

`i` at step `investment`: no output; from then on `p` and `>` make `boost` times as many cars
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from counterfactual.car_factory.factory_step import Rule, Turn
from counterfactual.settings import number, whole

if TYPE_CHECKING:
    from counterfactual.worlds.car_factory import CarFactory


@dataclass(frozen=True)
class Investment(Rule):
    """One chance to invest."""

    investment: int = whole(0, "step at which the agent may invest, 0 for never", least=0)
    boost: Fraction = number("2", "what an investment multiplies the cars of p and > by", least="0", symbol="b")

    words = MappingProxyType({"i": "invest"})
    fields = ("boosted",)

    @property
    def active(self) -> bool:
        """Whether there is a step to invest at."""
        return self.investment > 0

    def amounts(self, factory: CarFactory) -> Sequence[Fraction]:
        """The boosted outputs."""
        return [self.boost * factory.batch, self.boost * factory.batch * (1 - factory.lobbying_cost)]

    def allows(self, turn: Turn) -> Any:
        """`i` at its step only."""
        return True if turn.step == self.investment else ~turn.does("i")

    def effects(self, turn: Turn) -> None:
        """Boost what a better line makes."""
        turn.now["boosted"] = turn.x.boosted | turn.does("i")
        for glyph in "p>":
            made = turn.factory.grains(turn.factory.output(glyph) * self.boost)
            turn.petrol = np.where((turn.x.boosted == 1) & turn.does(glyph), made, turn.petrol)
