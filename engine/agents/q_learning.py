"""Tabular Q-learning with epsilon-greedy exploration.

    Q(o, a) <- Q(o, a) + learning_rate (r + discount max_a' Q(o', a') - Q(o, a))

With probability epsilon, or where all values are zero, the action is random; other ties go to the lowest action. Both
random numbers of a turn depend only on the number of trainings so far. Alexander et al. 2021, section 6, for the
defaults; C. Watkins, "Learning from delayed rewards", 1989, for the rule, by which `engine.learning.q_learning` learns
tables.

Differs from the paper
- There epsilon is the probability of acting greedily, 0.9; here it is that of exploring, 0.1.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from engine.agent import Agent, AgentSpec, Transition, has_terminated
from engine.compiling.objects import Compilable
from engine.randomness.random_sources import RandomSource, make_random_source
from engine.value_types import Discount, Probability, ShareOrNone


@dataclass(frozen=True)
class QLearning(AgentSpec):
    """Hyper-parameters of the tabular Q-learner.

    Parameters
    ----------
    epsilon : probability of a random action.
    learning_rate : step size.
    discount : gamma.
    randomness : the named source of its numbers (`engine.randomness.random_sources`).

    Raises
    ------
    BadValue : for anything but a number from 0 to 1.

    Examples
    --------
    >>> from engine.agent import Transition
    >>> agent = QLearning(learning_rate=0.5).build(n_observations=1, n_actions=2, key=1)
    >>> agent.train(Transition(observation=0, action=1, reward=4.0, next_observation=0))
    >>> agent.values
    array([[0., 2.]])
    """

    epsilon: Probability = 0.1
    learning_rate: ShareOrNone = 0.1
    discount: Discount = 0.9
    randomness: str = "keys"

    def build(self, n_observations: int, n_actions: int, key: int) -> QLearner:
        """Build a Q-learner whose values are all zero."""
        return QLearner(self, n_observations, n_actions, make_random_source(self.randomness, key, "agents"))


class QLearner(Agent, Compilable):
    """The agent that a `QLearning` spec builds. values: Q, f64[observations, actions]."""

    def __init__(self, spec: QLearning, n_observations: int, n_actions: int, source: RandomSource) -> None:
        self.epsilon, self.learning_rate = float(spec.epsilon), float(spec.learning_rate)
        self.discount = float(spec.discount)
        self.values = np.zeros((n_observations, n_actions))
        self.random_source = source
        self.counter = 0

    def act(self, observation: int) -> int:
        """Return the epsilon-greedy action, a random one where all values are zero."""
        values = self.values[observation]
        greedy, all_zero = 0, True
        for action in range(values.size):
            all_zero = all_zero and values[action] == 0
            if values[action] > values[greedy]:
                greedy = action
        if all_zero or self.random_source.uniform(self.counter) > 1.0 - self.epsilon:
            return self.random_source.randrange(values.size, self.counter + 1)
        return greedy

    def train(self, transition: Transition) -> None:
        """Make one Q-learning update; a terminal transition bootstraps nothing."""
        values = self.values
        observation = transition.observation
        action = transition.action
        target = transition.reward
        if not has_terminated(transition):
            best = values[transition.next_observation, 0]
            for value in values[transition.next_observation]:
                best = max(best, value)  # compiled, a fifth of the time that `max()` of the row takes
            target += self.discount * best
        values[observation, action] += self.learning_rate * (target - values[observation, action])
        self.counter += 2

    def fork(self) -> QLearner:
        """Return an independent twin with a table of its own."""
        twin = copy.copy(self)
        twin.values = self.values.copy()
        return twin
