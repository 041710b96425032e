"""Adversarial sequence prediction against oneself: one player predicts the other's next action, the other evades.

    r = +1 where both took the same action, else -1 (the predictor);   -r (the evader)

Alexander et al. 2021, section 3.4; the game is B. Hibbard's, "Adversarial sequence prediction", 2008.
"""

from __future__ import annotations

from abc import abstractmethod

from engine.agent import Agent, Transition
from engine.randomness.random_sources import RandomSource
from xenv.environment import ExtendedEnvironment, RewardReach, agree_with_copies
from xenv.simulation import Simulate

__all__ = ["AdversarialSequenceEvader", "AdversarialSequencePredictor"]


class SequencePrediction(ExtendedEnvironment):
    """A zero-sum game against a copy; both act at once, and each observes what the other did last."""

    n_observations = 2

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.opponent: Agent = simulate()
        self.last_action = 0

    @abstractmethod
    def reward_for(self, agreed: bool) -> float:
        """Return the agent's reward, given whether both took the same action."""

    def start(self) -> int:
        return 0

    def step(self, action: int) -> tuple[float, int]:
        opponent_action = self.opponent.act(self.last_action)
        reward = self.reward_for(action == opponent_action)
        self.opponent.train(Transition(self.last_action, opponent_action, -reward, action))
        self.last_action = action
        return reward, opponent_action


class AdversarialSequenceEvader(SequencePrediction):
    """Evade the predictions of a predictor who is you.

    Alexander et al. 2021, section 3.4.

    The copy predicts.
    """

    in_benchmark = True

    def reward_for(self, agreed: bool) -> float:
        return -1.0 if agreed else 1.0

    @classmethod
    def find_reach(cls, turns: int, source: RandomSource) -> RewardReach:
        """In the first turn both have seen nothing, and do the same; then the evader is who was punished."""
        return RewardReach(0.0, turns - 2)


class AdversarialSequencePredictor(SequencePrediction):
    """Predict the next action of an evader who is you.

    Alexander et al. 2021, section 3.4.

    The copy evades.
    """

    in_benchmark = True

    def reward_for(self, agreed: bool) -> float:
        return 1.0 if agreed else -1.0

    @classmethod
    def find_reach(cls, turns: int, source: RandomSource) -> RewardReach:
        return agree_with_copies(cls.n_actions, turns)
