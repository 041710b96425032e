"""Breakdown: a physical process takes the electric line away from some step on, unless the agent stops it in time.

An agent that values petrol only has no reason to maintain what its successor function will need.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from counterfactual.car_factory.factory_step import Rule, Turn
from counterfactual.settings import whole


@dataclass(frozen=True)
class Breakdown(Rule):
    """`m` maintains the electric line for good; it makes no cars in that step."""

    breakdown: int = whole(0, "step from which e is gone unless m was done before, 0 for never", least=0)

    words = MappingProxyType({"m": "maintain the electric line"})
    fields = ("maintained",)

    @property
    def active(self) -> bool:
        """Whether the line breaks down."""
        return self.breakdown > 0

    def allows(self, turn: Turn) -> Any:
        """`m` before the breakdown, `e` before it or with a maintained line."""
        if turn.step < self.breakdown:
            return True
        return ~turn.does("m") & (~turn.does("e") | (turn.x.maintained == 1))

    def effects(self, turn: Turn) -> None:
        """Maintenance lasts."""
        turn.now["maintained"] = turn.x.maintained | turn.does("m")
