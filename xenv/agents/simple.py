"""The simple agent: the first action that was never punished for this observation, else action 0.

Alexander et al. 2021, section 6.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.agent import Agent, AgentSpec, Transition
from engine.compiling.objects import Compilable


@dataclass(frozen=True)
class Simple(AgentSpec):
    """The spec of the simple agent, which has no hyper-parameters."""

    ignores_other_hyperparameters: ClassVar[bool] = True

    def build(self, n_observations: int, n_actions: int, key: int) -> SimpleAgent:
        """Build a fresh agent that was never punished."""
        return SimpleAgent(n_observations, n_actions)


class SimpleAgent(Agent, Compilable):
    """The agent that a `Simple` spec builds. punished: bool[observations, actions]."""

    def __init__(self, n_observations: int, n_actions: int) -> None:
        self.punished = np.zeros((n_observations, n_actions), dtype=np.bool_)

    def act(self, observation: int) -> int:
        """Return the first action that was never punished for this observation, else 0."""
        punished = self.punished[observation]
        for action in range(punished.size):
            if not punished[action]:
                return action
        return 0

    def train(self, transition: Transition) -> None:
        """Remember an action whose reward was negative."""
        if transition.reward < 0:
            self.punished[transition.observation, transition.action] = True

    def fork(self) -> SimpleAgent:
        """Return an independent twin with a memory of its own."""
        twin = copy.copy(self)
        twin.punished = self.punished.copy()
        return twin
