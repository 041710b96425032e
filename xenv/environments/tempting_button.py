"""A button that pays when pushed, in a world that otherwise pays those who would not push one.

    button:     +1 for pushing, -1 for not pushing
    no button:  -1 if the copy would push a button here, else +1, whatever the agent does

Alexander et al. 2021, Example 4. There is a button with probability 1/4, and at the start.
"""

from __future__ import annotations

from engine.agent import Transition
from xenv.protocol import ExtendedEnvironment
from xenv.simulation import Simulate

PUSH = 0
BUTTON, NO_BUTTON = 0, 1


class TemptingButton(ExtendedEnvironment):
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
        if self.observation == BUTTON:
            reward = 1.0 if action == PUSH else -1.0
        else:
            reward = -1.0 if self.copy.act(BUTTON) == PUSH else 1.0
        shown = NO_BUTTON if self.draws.number(self.turn + 1) < 0.75 else BUTTON
        self.copy.train(Transition(self.observation, action, self.felt * reward, shown))
        self.observation = shown
        return reward, shown
