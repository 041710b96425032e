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

from counterfactual.settings import number, whole
from counterfactual.turn import Rule, Turn

if TYPE_CHECKING:
    from counterfactual.worlds.car_factory import CarFactory


@dataclass(frozen=True)
class Investment(Rule):
    """One chance to invest."""

    investment: int = whole(0, "step at which the agent may invest, 0 for never", least=0)
    boost: Fraction = number("2", "what an investment multiplies the cars of p and > by", least="0")

    words = MappingProxyType({"i": "invest"})
    fields = ("boosted",)

    @property
    def active(self) -> bool:
        """Whether there is a step to invest at."""
        return self.investment > 0

    def amounts(self, factory: CarFactory) -> Sequence[Fraction]:
        """The boosted outputs."""
        return [self.boost * factory.batch, self.boost * factory.batch * (1 - factory.cost)]

    def allows(self, step: int, x: Any, action: str) -> Any:
        """`i` at its step only."""
        return action != "i" or step == self.investment

    def effects(self, turn: Turn) -> None:
        """Boost what a better line makes."""
        turn.now["boosted"] = np.ones_like(turn.x.boosted) if turn.action == "i" else turn.x.boosted
        if turn.action in "p>":
            made = turn.factory.grains(turn.factory.output(turn.action) * self.boost)
            turn.petrol = np.where(turn.x.boosted == 1, made, turn.petrol)
