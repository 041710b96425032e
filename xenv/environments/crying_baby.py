"""Feed a baby who is you: laughing is worth +1, crying -1, and the baby wants to be neither hungry nor overfed.

    full <- min(full + 1, 9) if fed, else max(full - 1, 0);  the baby's reward is +1 where 2 < full < 8, else -1

Alexander et al. 2021, Example 8.
"""

from __future__ import annotations

from numba.extending import register_jitable

from engine.agent import Transition
from xenv.environment import ExtendedEnvironment
from xenv.specs.simulation import Simulate

FEED = LAUGH = 0
DO_NOT_FEED = 1


@register_jitable
def next_fullness(full: int, action: int) -> int:
    """How full a baby is after its parent's action."""
    return min(full + 1, 9) if action == FEED else max(full - 1, 0)


@register_jitable
def baby_reward(full: int) -> float:
    """The reward of a baby that is that full."""
    return 1.0 if 2 < full < 8 else -1.0


class CryingBaby(ExtendedEnvironment):
    """The agent is the parent, the copy the baby; each observes what the other did last."""

    in_benchmark = True
    n_observations = 2

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.baby = simulate()
        self.full, self.last_action = 5, FEED

    def start(self) -> int:
        return LAUGH

    def step(self, action: int) -> tuple[float, int]:
        self.full = next_fullness(self.full, action)
        sound = self.baby.act(action)
        self.baby.train(Transition(self.last_action, sound, baby_reward(self.full), action))
        self.last_action = action
        return 1.0 if sound == LAUGH else -1.0, sound
