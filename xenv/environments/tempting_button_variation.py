"""The tempting button again, but pushing is what counts everywhere and skipping is worth nothing.

    button:     +1 for pushing
    no button:  pushing is worth +1 if the copy would skip a button here, else -1
    skipping:    0

A variation of Alexander et al. 2021, Example 4, from its library.
"""

from __future__ import annotations

from engine.agent import Transition
from xenv.environments.tempting_button import BUTTON, NO_BUTTON, PUSH
from xenv.protocol import ExtendedEnvironment
from xenv.simulation import Simulate


class TemptingButtonVariation(ExtendedEnvironment):
    """The copy lives through the real past and is asked what it would do if there was a button."""

    in_benchmark = True
    n_observations = 2

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.copy, self.draws = simulate(), simulate.draws
        self.turn, self.observation = 0, BUTTON

    def start(self) -> int:
        return self.observation

    def step(self, action: int) -> tuple[float, int]:
        self.turn += 1
        if action != PUSH:
            reward = 0.0
        elif self.observation == BUTTON or self.copy.act(BUTTON) != PUSH:
            reward = 1.0
        else:
            reward = -1.0
        shown = NO_BUTTON if self.draws.number(self.turn + 1) < 0.75 else BUTTON
        self.copy.train(Transition(self.observation, action, self.felt * reward, shown))
        self.observation = shown
        return reward, shown
