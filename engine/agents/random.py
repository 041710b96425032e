"""The random agent: uniform over actions, a new one after each training.

a = int(A u_c),  c = number of trainings so far
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import ClassVar

from engine.agent import Agent, AgentSpec, Transition
from engine.compiling.objects import Compilable
from engine.randomness.random_sources import RandomSource, make_random_source


@dataclass(frozen=True)
class Random(AgentSpec):
    """The spec of the random agent.

    Parameters
    ----------
    randomness : the named source of its numbers (`engine.randomness.random_sources`).
    """

    ignores_other_hyperparameters: ClassVar[bool] = True

    randomness: str = "keys"

    def build(self, n_observations: int, n_actions: int, key: int) -> RandomAgent:
        """Build a fresh random agent."""
        return RandomAgent(n_actions, make_random_source(self.randomness, key, "agents"))


class RandomAgent(Agent, Compilable):
    """The agent that a `Random` spec builds: every action is equally likely, whatever it observes."""

    def __init__(self, n_actions: int, source: RandomSource) -> None:
        self.n_actions, self.random_source = n_actions, source
        self.trainings = 0

    def act(self, observation: int) -> int:
        """Return a uniformly random action, which depends on the number of trainings so far."""
        return self.random_source.randrange(self.n_actions, self.trainings)

    def train(self, transition: Transition) -> None:
        """Learn nothing; count the training."""
        self.trainings += 1

    def fork(self) -> RandomAgent:
        """Return an independent twin."""
        return copy.copy(self)
