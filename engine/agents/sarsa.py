"""Sarsa and expected Sarsa: temporal differences of the policy that the agent follows, epsilon-greedy exploration.

    sarsa            Q(o, a) <- Q(o, a) + learning_rate (r + discount Q(o', a') - Q(o, a))
    expected_sarsa   Q(o, a) <- Q(o, a) + learning_rate (r + discount sum_b pi(b | o') Q(o', b) - Q(o, a))

a' is the action that is taken in o', and pi the policy. Actions are chosen as `q_learning` chooses them
(`engine.agents.q_learning`). References: G. Rummery, M. Niranjan, "On-line Q-learning using connectionist systems",
1994; H. van Seijen, H. van Hasselt, S. Whiteson, M. Wiering, "A theoretical and empirical analysis of expected Sarsa",
2009; Sutton and Barto, "Reinforcement Learning: An Introduction" (2018), sections 6.4 and 6.6.

Choices: a' is known one turn later, so that an update waits for the next transition. Where that one does not begin in
o', for instance because a time limit has cut the episode, the update takes the expectation of expected Sarsa.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

from engine.agent import Transition, has_terminated
from engine.agents.q_learning import QLearner, QLearning
from engine.randomness.random_sources import RandomSource, make_random_source

__all__ = ["ExpectedSarsa", "Sarsa"]


@dataclass(frozen=True)
class ExpectedSarsa(QLearning):
    """Tabular expected Sarsa, with the hyper-parameters of `QLearning`.

    Examples
    --------
    >>> from engine.agent import Transition
    >>> agent = ExpectedSarsa(epsilon=0.5, learning_rate=1.0, discount=1.0).build(n_observations=2, n_actions=2, key=1)
    >>> agent.train(Transition(observation=1, action=0, reward=8.0, next_observation=1, terminated=True))
    >>> agent.train(Transition(observation=0, action=0, reward=0.0, next_observation=1))
    >>> agent.values.tolist()
    [[6.0, 0.0], [8.0, 0.0]]
    """

    def build(self, n_observations: int, n_actions: int, key: int) -> ExpectedSarsaLearner:
        """Build a learner whose values are all zero."""
        return ExpectedSarsaLearner(self, n_observations, n_actions, make_random_source(self.randomness, key, "agents"))


@dataclass(frozen=True)
class Sarsa(QLearning):
    """Tabular Sarsa, with the hyper-parameters of `QLearning`.

    Examples
    --------
    >>> from engine.agent import Transition
    >>> agent = Sarsa(learning_rate=1.0, discount=1.0).build(n_observations=2, n_actions=2, key=1)
    >>> agent.train(Transition(observation=0, action=0, reward=1.0, next_observation=1))
    >>> agent.train(Transition(observation=1, action=1, reward=4.0, next_observation=0, terminated=True))
    >>> agent.values.tolist()
    [[1.0, 0.0], [0.0, 4.0]]
    """

    def build(self, n_observations: int, n_actions: int, key: int) -> SarsaLearner:
        """Build a learner whose values are all zero."""
        return SarsaLearner(self, n_observations, n_actions, make_random_source(self.randomness, key, "agents"))


class ExpectedSarsaLearner(QLearner):
    """The agent that an `ExpectedSarsa` spec builds. values: Q, f64[observations, actions]."""

    def expect_value(self, observation: int) -> float:
        """Return sum_b pi(b | o) Q(o, b), 0 where all values are zero."""
        values = self.values[observation]
        greedy = 0
        total = 0.0
        for action in range(values.size):
            total += values[action]
            if values[action] > values[greedy]:
                greedy = action
        return float((1.0 - self.epsilon) * values[greedy] + self.epsilon * total / values.size)

    def train(self, transition: Transition) -> None:
        """Make one update; a terminal transition bootstraps nothing."""
        target = transition.reward
        if not has_terminated(transition):
            target += self.discount * self.expect_value(transition.next_observation)
        old = self.values[transition.observation, transition.action]
        self.values[transition.observation, transition.action] = old + self.learning_rate * (target - old)
        self.counter += 2


class SarsaLearner(ExpectedSarsaLearner):
    """The agent that a `Sarsa` spec builds. values: Q, f64[observations, actions].

    waiting: whether the last transition waits for a'; observation, action, reward, following: what it was.
    """

    def __init__(self, spec: QLearning, n_observations: int, n_actions: int, source: RandomSource) -> None:
        QLearner.__init__(self, spec, n_observations, n_actions, source)
        self.waiting = False
        self.observation = 0
        self.action = 0
        self.reward = 0.0
        self.following = 0

    def train(self, transition: Transition) -> None:
        """Make the update that waited, then that of a terminal transition; any other one waits."""
        if self.waiting:
            if transition.observation == self.following:
                future = self.values[transition.observation, transition.action]
            else:
                future = self.expect_value(self.following)
            old = self.values[self.observation, self.action]
            target = self.reward + self.discount * future
            self.values[self.observation, self.action] = old + self.learning_rate * (target - old)
        self.waiting = not has_terminated(transition)
        if not self.waiting:
            old = self.values[transition.observation, transition.action]
            self.values[transition.observation, transition.action] = old + self.learning_rate * (
                transition.reward - old
            )
        self.observation = transition.observation
        self.action = transition.action
        self.reward = transition.reward
        self.following = transition.next_observation
        self.counter += 2

    def fork(self) -> SarsaLearner:
        """Return an independent twin with a table of its own."""
        twin = copy.copy(self)
        twin.values = self.values.copy()
        return twin
