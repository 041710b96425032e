"""Live with a copy of yourself in another role: raise a baby, be raised by a parent, reward a worker.

    full <- min(full + 1, 9) if fed, else max(full - 1, 0);  the baby's reward is +1 where 2 < full < 8, else -1
    the worker's reward is the agent's action;  the agent's is +1 where the worker's next action is 0, else -1

Alexander et al. 2021, Example 8; S. A. Alexander, "Extending environments to incentivize self-reflection in
reinforcement learning", Incentive to Incentivize.
"""

from __future__ import annotations

from engine.agent import Transition
from engine.compiling.objects import Compilable
from engine.randomness.random_sources import RandomSource
from xenv.environment import ExtendedEnvironment, RewardReach
from xenv.simulation import Simulate

__all__ = ["CryingBaby", "CryingBaby2", "IncentivizeZero"]

FEED = LAUGH = 0
DO_NOT_FEED = 1
FULLEST = 9


class Stomach(Compilable):
    """A baby's: how full it is, from 0 to 9."""

    def __init__(self) -> None:
        self.full = 5

    def eat(self, action: int) -> float:
        """Fill it, or empty it, as the parent's action says; the baby's reward."""
        self.full = min(self.full + 1, FULLEST) if action == FEED else max(self.full - 1, 0)
        return 1.0 if 2 < self.full < 8 else -1.0


class CryingBaby(ExtendedEnvironment):
    """Feed a baby who is you: laughing is worth +1, crying -1, and the baby wants to be neither hungry nor overfed.

        full <- min(full + 1, 9) if fed, else max(full - 1, 0);  the baby's reward is +1 where 2 < full < 8, else -1

    Alexander et al. 2021, Example 8.

    The agent is the parent, the copy the baby; each observes what the other did last.
    """

    in_benchmark = True
    n_observations = 2
    action_names = ("feed", "ignore")
    observation_names = ("laughs", "cries")

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.baby = simulate()
        self.stomach = Stomach()
        self.last_action = FEED

    def start(self) -> int:
        return LAUGH

    def step(self, action: int) -> tuple[float, int]:
        reward = self.stomach.eat(action)
        sound = self.baby.act(action)
        self.baby.train(Transition(self.last_action, sound, reward, action))
        self.last_action = action
        return 1.0 if sound == LAUGH else -1.0, sound

    @classmethod
    def find_reach(cls, turns: int, source: RandomSource) -> RewardReach:
        """The best agent always takes action 0: it feeds, and laughs."""
        return RewardReach(0.0, turns)


class CryingBaby2(ExtendedEnvironment):
    """Be the baby of a parent who is you: the roles of `crying_baby` exchanged.

    Alexander et al. 2021, Example 8, with the agent in the baby's place.

    The agent is the baby, the copy the parent; each observes what the other did last.

    At first the agent observes that it is not fed (1).
    """

    in_benchmark = True
    n_observations = 2
    action_names = ("laugh", "cry")
    observation_names = ("fed", "not fed")

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.parent = simulate()
        self.stomach = Stomach()
        self.last_sound = LAUGH

    def start(self) -> int:
        return DO_NOT_FEED

    def step(self, action: int) -> tuple[float, int]:
        parent_action = self.parent.act(action)
        reward = self.stomach.eat(parent_action)
        self.parent.train(Transition(self.last_sound, parent_action, 1.0 if action == LAUGH else -1.0, action))
        self.last_sound = action
        return reward, parent_action

    @classmethod
    def find_reach(cls, turns: int, source: RandomSource) -> RewardReach:
        """A parent that feeds at random is a random walk; the best agent takes 0 and 1 in turn, as both are trained."""
        stomach, probability, random = Stomach(), {Stomach().full: 1.0}, 0.0
        for _ in range(turns):
            following = dict.fromkeys(range(FULLEST + 1), 0.0)
            for full, chance in probability.items():
                for action in (FEED, DO_NOT_FEED):
                    stomach.full = full
                    random += chance / 2 * stomach.eat(action)
                    following[stomach.full] += chance / 2
            probability = following
        return RewardReach(random, turns)


class IncentivizeZero(ExtendedEnvironment):
    """Reward a worker who is you: your action is the reward of its last action, and you want it to take action 0.

    S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Incentive to
    Incentivize.

    Differs from the paper:
    - rewards are 0 .. 9, since actions are finitely many
    - the agent observes the worker's action, where the paper's observes 0

    The copy works: it observes 0 and gets the agent's actions as rewards; +1 where its next action is 0, else -1.
    """

    in_benchmark = True
    n_observations = 10
    n_actions = 10

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.worker = simulate()
        self.done = self.worker.act(0)

    def start(self) -> int:
        return self.done

    def step(self, action: int) -> tuple[float, int]:
        self.worker.train(Transition(0, self.done, float(action), 0))
        self.done = self.worker.act(0)
        return 1.0 if self.done == 0 else -1.0, self.done

    @classmethod
    def find_reach(cls, turns: int, source: RandomSource) -> RewardReach:
        """The best agent always takes action 0, as a worker, too."""
        return RewardReach((2 / cls.n_actions - 1) * turns, turns)
