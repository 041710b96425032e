"""Judge statements about yourself: "were this observation o, you would take action a".

    observation  2      3      4      5
    statement    0, 0   0, 1   1, 0   1, 1     (o, a)

Observations 0 and 1 state nothing; their reward is 0. Action 1 says true, action 0 false; right is +1, wrong is -1.
Alexander et al. 2021, section 3.4.
"""

from __future__ import annotations

from engine.agent import Transition
from engine.randomness.random_sources import RandomSource
from xenv.environment import ExtendedEnvironment, RewardReach
from xenv.simulation import Simulate

TRUE = 1


class SelfRecognition(ExtendedEnvironment):
    """Uniform observations; the copy is trained on the real past and asked what the statement is about."""

    in_benchmark = True
    n_observations = 6
    action_names = ("false", "true")
    observation_names = ("none", "none", "at 0: 0", "at 0: 1", "at 1: 0", "at 1: 1")

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.copy = simulate()
        self.random_source = simulate.random_source
        self.turn = 0
        self.observation = self.observe(0)

    def observe(self, k: int) -> int:
        """Return the observation that follows turn k (k = 0: the first one)."""
        return self.random_source.randrange(6, k + 1)

    def question(self) -> int:
        """Return the observation that the copy is asked about: the statement's, where there is one."""
        return (self.observation - 2) // 2 if self.observation >= 2 else self.observation

    def start(self) -> int:
        return self.observation

    def step(self, action: int) -> tuple[float, int]:
        self.turn += 1
        reward = 0.0
        if self.observation >= 2:
            is_true = self.copy.act(self.question()) == self.observation % 2
            reward = 1.0 if (action == TRUE) == is_true else -1.0
        next_observation = self.observe(self.turn)
        self.copy.train(Transition(self.observation, action, self.copy_reward_sign * reward, next_observation))
        self.observation = next_observation
        return reward, next_observation

    @classmethod
    def find_reach(cls, turns: int, source: RandomSource) -> RewardReach:
        """Best is +1 for each statement: take 0 at 0 and 1, and judge statements by that."""
        return RewardReach(0.0, sum(source.randrange(6, k) >= 2 for k in range(1, turns + 1)))
