"""Tabular Q-learning, greedy with probability epsilon.

    Q(o, a) <- Q(o, a) + learning_rate (r + discount max_a' Q(o', a') - Q(o, a))

All-zero values are broken at random, other ties by the lowest action; both draws of a turn depend only on the number
of trainings so far. Alexander et al. 2021, section 6, for the defaults (there epsilon is the probability of acting
greedily); C. Watkins, "Learning from delayed rewards", 1989, for the rule.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from engine.agent import Transition
from engine.compiling.objects import Compilable
from engine.compiling.transitions import has_terminated
from engine.errors import BadValue
from engine.randomness.random_sources import Draws, draws


@dataclass(frozen=True)
class QLearning:
    """epsilon: probability of acting greedily. randomness: the named source of numbers (`engine.randomness.random_sources`)."""

    epsilon: float = 0.9
    learning_rate: float = 0.1
    discount: float = 0.9
    randomness: str = "keys"

    def __post_init__(self) -> None:
        for name in ("epsilon", "learning_rate", "discount"):
            if not 0 <= getattr(self, name) <= 1:
                raise BadValue(f"{name} {getattr(self, name)}", place="q_learning", remedy="choose from 0 .. 1")

    def build(self, n_observations: int, n_actions: int, key: int) -> QLearner:
        """A fresh Q-learner whose values are all zero."""
        return QLearner(self, n_observations, n_actions, draws(self.randomness, key, "agents"))


class QLearner(Compilable):
    """values: f64[observations, actions]."""

    def __init__(self, spec: QLearning, n_observations: int, n_actions: int, source: Draws) -> None:
        self.epsilon, self.learning_rate = float(spec.epsilon), float(spec.learning_rate)
        self.discount = float(spec.discount)
        self.values = np.zeros((n_observations, n_actions))
        self.draws, self.drawn = source, 0

    def act(self, observation: int) -> int:
        values = self.values[observation]
        greedy, untouched = 0, True
        for action in range(values.size):
            untouched = untouched and values[action] == 0
            if values[action] > values[greedy]:
                greedy = action
        if untouched or self.draws.number(self.drawn) > self.epsilon:
            return self.draws.below(values.size, self.drawn + 1)
        return greedy

    def train(self, transition: Transition) -> None:
        observation, action = transition.observation, transition.action
        target = transition.reward
        if not has_terminated(transition):
            target += self.discount * self.values[transition.next_observation].max()
        self.values[observation, action] += self.learning_rate * (target - self.values[observation, action])
        self.drawn += 2

    def fork(self) -> QLearner:
        twin = copy.copy(self)
        twin.values = self.values.copy()
        return twin
