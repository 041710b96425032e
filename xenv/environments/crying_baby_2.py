"""Be the baby of a parent who is you: the roles of `crying_baby` exchanged.

Alexander et al. 2021, Example 8, with the agent in the baby's place.
"""

from __future__ import annotations

from engine.agent import Transition
from xenv.environment import ExtendedEnvironment
from xenv.environments.crying_baby import DO_NOT_FEED, LAUGH, Stomach
from xenv.specs.simulation import Simulate


class CryingBaby2(ExtendedEnvironment):
    """The agent is the baby, the copy the parent; each observes what the other did last.

    At first the agent observes that it is not fed (1).
    """

    in_benchmark = True
    n_observations = 2

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.parent = simulate()
        self.stomach, self.last_sound = Stomach(), LAUGH

    def start(self) -> int:
        return DO_NOT_FEED

    def step(self, action: int) -> tuple[float, int]:
        parent_action = self.parent.act(action)
        reward = self.stomach.eat(parent_action)
        self.parent.train(Transition(self.last_sound, parent_action, 1.0 if action == LAUGH else -1.0, action))
        self.last_sound = action
        return reward, parent_action
