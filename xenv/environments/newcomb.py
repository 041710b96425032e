"""Newcomb's problem, played again and again for money.

Alexander et al. 2021, Example 7.
"""

from __future__ import annotations

from xenv.environments._newcomb_boxes import OPAQUE, TRANSPARENT, NewcombBoxes


class Newcomb(NewcombBoxes):
    """A reward is the money taken."""

    reward_range = (0.0, TRANSPARENT + OPAQUE)

    def reward_for(self, money: float) -> float:
        return money
