"""Newcomb's problem with rewards that other environments can be averaged with.

    r = 2 money / (all the money) - 1

After Alexander et al. 2021, Example 7.
"""

from __future__ import annotations

from xenv.environments._newcomb_boxes import OPAQUE, TRANSPARENT, NewcombBoxes


class NewcombNormalised(NewcombBoxes):
    """Taking nothing is worth -1, taking everything +1."""

    def reward_for(self, money: float) -> float:
        return 2 * money / (TRANSPARENT + OPAQUE) - 1
