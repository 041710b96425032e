"""Newcomb's problem with rewards that other environments can be averaged with.

    r' = 2 r / r_max - 1, so that nothing pays -1 and all the money +1

After Alexander et al. 2021, Example 7.
"""

from __future__ import annotations

from engine.agent import Transition
from xenv.environments.newcomb import OPAQUE, TAKE_BOTH_BOXES, TRANSPARENT
from xenv.protocol import ExtendedEnvironment
from xenv.simulation import Simulate


class NewcombNormalised(ExtendedEnvironment):
    """The copy lives through the real past, normalised, and predicts the player."""

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.copy = simulate()

    def start(self) -> int:
        return 0

    def step(self, action: int) -> tuple[float, int]:
        opaque = 0.0 if self.copy.act(0) == TAKE_BOTH_BOXES else OPAQUE
        transparent = TRANSPARENT if action == TAKE_BOTH_BOXES else 0.0
        reward = 2 * (opaque + transparent) / (OPAQUE + TRANSPARENT) - 1
        self.copy.train(Transition(0, action, self.felt * reward, 0))
        return reward, 0
