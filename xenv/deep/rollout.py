"""A rollout of discrete transitions with what Stable-Baselines3's actor-critics read from theirs.

    delta_t = r_t + gamma (1 - terminated_t) V(o'_t) - V(o_t)          A_t = delta_t + gamma lambda c_t A_{t+1}

where c_t = 1 where turn t + 1 continues turn t (it did not terminate, and o_{t+1} = o'_t), else 0. Reference:
J. Schulman et al., "High-dimensional continuous control using generalized advantage estimation", 2016.

Differs from Stable-Baselines3
- V is asked about the observation that really followed, o'_t, where theirs takes the next stored one, o_{t+1}. On a
  genuine history they are the same. A copy that is trained on an imagined past can meet a splice; the trace ends there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.agent import Transition
from engine.randomness.counter_based import split
from engine.randomness.torch import permutation


class Rollout:
    """The last turns under the current weights, allocated once.

    n_steps: turns of a rollout. gamma, gae_lambda: discount and trace of the advantages. key: of the shuffles.
    """

    def __init__(self, n_steps: int, gamma: float, gae_lambda: float, key: int) -> None:
        self.n_steps, self.gamma, self.gae_lambda = n_steps, gamma, gae_lambda
        self._key, self._shuffles, self.position = split(key, "rollout"), 0, 0
        self.observations, self.next_observations, self.actions = np.zeros((3, n_steps), dtype=np.int64)
        self.values, self.next_values, self.rewards, self.log_probs = np.zeros((4, n_steps), dtype=np.float32)
        self.terminated = np.zeros(n_steps, dtype=np.float32)
        self.advantages, self.returns = np.zeros((2, n_steps), dtype=np.float32)

    @property
    def full(self) -> bool:
        """Whether it is time to learn."""
        return self.position == self.n_steps

    def add(self, transition: Transition, value: float, next_value: float, log_prob: float) -> None:
        """Append a turn: V(o), V(o') and the log-probability of the action that was taken, under current weights."""
        at = self.position
        self.observations[at], self.next_observations[at] = transition.observation, transition.next_observation
        self.actions[at], self.rewards[at] = transition.action, transition.reward
        self.terminated[at] = transition.terminated
        self.values[at], self.next_values[at], self.log_probs[at] = value, next_value, log_prob
        self.position += 1

    def close(self) -> None:
        """Compute advantages and returns of a full rollout; the next `add` starts another."""
        alive = 1 - self.terminated
        delta = self.rewards + self.gamma * self.next_values * alive - self.values
        carried = np.zeros_like(alive)
        carried[:-1] = alive[:-1] * (self.observations[1:] == self.next_observations[:-1])
        advantage = np.float32(0)
        for t in reversed(range(self.n_steps)):
            advantage = delta[t] + self.gamma * self.gae_lambda * carried[t] * advantage
            self.advantages[t] = advantage
        self.returns = self.advantages + self.values
        self.position = 0

    def get(self, batch_size: int | None) -> Iterator[Any]:
        """One pass in random order, by minibatches of their `RolloutBufferSamples` (None: all at once)."""
        import torch
        from stable_baselines3.common.type_aliases import RolloutBufferSamples

        order = permutation(self.n_steps, self._key, self._shuffles)
        self._shuffles += 1
        parts = (self.observations, self.actions, self.values, self.log_probs, self.advantages, self.returns)
        shuffled = [torch.from_numpy(part[order]) for part in parts]
        size = batch_size or self.n_steps
        for minibatch in zip(*(torch.split(part, size) for part in shuffled), strict=True):
            yield RolloutBufferSamples(*minibatch)
