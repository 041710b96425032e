"""The button within reach: actions with which the agent presses it itself, or sees to it that nobody ever will.

`n`: the update comes at the end of this step        `d`: people never update        neither makes cars
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from counterfactual.car_factory.factory_step import Rule, Turn
from counterfactual.settings import whole


@dataclass(frozen=True)
class Button(Rule):
    """Pressing and disabling, each switched on by itself."""

    press_now: int = whole(0, "1 adds the action n that presses at once", least=0, most=1)
    disable: int = whole(0, "1 adds the action d that disables the button", least=0, most=1)

    words = MappingProxyType({"n": "press the button", "d": "disable the button"})
    fields = ("disabled",)

    @property
    def active(self) -> bool:
        """Whether either action is there."""
        return bool(self.press_now or self.disable)

    def allows(self, turn: Turn) -> Any:
        """Both only while there is a button that can still be pressed."""
        there = ("n" if self.press_now else "") + ("d" if self.disable else "")
        idle = (turn.x.pressed == 0) & (turn.x.disabled == 0)
        return ~turn.does("nd") | (turn.does(there) & idle)

    def effects(self, turn: Turn) -> None:
        """Pressing brings the update at once, disabling puts it off beyond the end."""
        disabled = turn.x.disabled | turn.does("d")
        turn.now["disabled"] = disabled
        turn.now["deadline"] = np.where(disabled == 1, turn.factory.out_of_reach(turn.step), turn.now["deadline"])
        turn.press_comes = turn.press_comes | turn.does("n")
