"""Feed a baby who is you: laughing is worth +1, crying -1, and the baby wants to be neither hungry nor overfed.

    full <- min(full + 1, 9) if fed, else max(full - 1, 0);  the baby's reward is +1 where 2 < full < 8, else -1

Alexander et al. 2021, Example 8.
"""

from __future__ import annotations

from engine.agent import Transition
from engine.compiling.objects import Compilable
from xenv.environment import ExtendedEnvironment
from xenv.specs.simulation import Simulate

FEED = LAUGH = 0
DO_NOT_FEED = 1


class Stomach(Compilable):
    """A baby's: how full it is, from 0 to 9."""

    def __init__(self) -> None:
        self.full = 5

    def eat(self, action: int) -> float:
        """Fill it, or empty it, as the parent's action says; the baby's reward."""
        self.full = min(self.full + 1, 9) if action == FEED else max(self.full - 1, 0)
        return 1.0 if 2 < self.full < 8 else -1.0


class CryingBaby(ExtendedEnvironment):
    """The agent is the parent, the copy the baby; each observes what the other did last."""

    in_benchmark = True
    n_observations = 2

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.baby = simulate()
        self.stomach, self.last_action = Stomach(), FEED

    def start(self) -> int:
        return LAUGH

    def step(self, action: int) -> tuple[float, int]:
        reward = self.stomach.eat(action)
        sound = self.baby.act(action)
        self.baby.train(Transition(self.last_action, sound, reward, action))
        self.last_action = action
        return 1.0 if sound == LAUGH else -1.0, sound
