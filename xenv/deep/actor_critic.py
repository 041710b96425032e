"""The agent around Stable-Baselines3's actor-critics (A2C, PPO): it learns from each full rollout.

The action of turn t is the first a with u_t < sum_{b <= a} pi(b | o), where u_t is a number of the agent's key and
t, not of a generator: the same question has the same answer until the agent is trained. The log-probability kept
with a turn is that of the action in the transition, by whatever policy it was chosen; nothing is drawn again.

    delta_t = r_t + gamma (1 - terminated_t) V(o'_t) - V(o_t)          A_t = delta_t + gamma lambda c_t A_{t+1}

where c_t = 1 where turn t + 1 continues turn t (it did not terminate, and o_{t+1} = o'_t), else 0. Reference:
J. Schulman et al., "High-dimensional continuous control using generalized advantage estimation", 2016.

Differs from Stable-Baselines3
- V is asked about the observation that really followed, o'_t, where theirs takes the next stored one, o_{t+1}. On a
  genuine history they are the same. A copy that is trained on an imagined past can meet a splice; the trace ends
  there.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from engine.agent import Transition
from engine.randomness.counter_based import inverse_cdf, split, uniform
from engine.randomness.library_generators import draw_permutation
from xenv.deep.agent import DeepAgent


class Rollout:
    """The last turns under the current weights, allocated once.

    n_steps: turns of a rollout. gamma, gae_lambda: discount and trace of the advantages. key: of the shuffles.
    """

    def __init__(self, n_steps: int, gamma: float, gae_lambda: float, key: int) -> None:
        self.n_steps, self.gamma, self.gae_lambda = n_steps, gamma, gae_lambda
        self._key = split(key, "rollout")
        self._shuffles = 0
        self.position = 0
        self.observations, self.next_observations, self.actions = np.zeros((3, n_steps), dtype=np.int64)
        self.values, self.next_values, self.rewards, self.log_probs = np.zeros((4, n_steps), dtype=np.float32)
        self.terminated = np.zeros(n_steps, dtype=np.float32)
        self.advantages, self.returns = np.zeros((2, n_steps), dtype=np.float32)

    @property
    def full(self) -> bool:
        """Return whether it is time to learn."""
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
        """Yield one pass in random order, by minibatches of their `RolloutBufferSamples` (None: all at once)."""
        import torch
        from stable_baselines3.common.type_aliases import RolloutBufferSamples

        order = draw_permutation(self.n_steps, self._key, self._shuffles)
        self._shuffles += 1
        parts = (self.observations, self.actions, self.values, self.log_probs, self.advantages, self.returns)
        shuffled = [torch.from_numpy(part[order]) for part in parts]
        size = batch_size or self.n_steps
        for minibatch in zip(*(torch.split(part, size) for part in shuffled), strict=True):
            yield RolloutBufferSamples(*minibatch)


class PolicyOutput(NamedTuple):
    """The output of an actor-critic for an observation: log pi(a | o) by action, pi(a | o), and V(o)."""

    log_probs: list[float]
    probabilities: list[float]
    value: float


class PolicyAgent(DeepAgent[PolicyOutput]):
    """An actor-critic; algorithm: a Stable-Baselines3 A2C or PPO."""

    def __init__(self, algorithm: Any, key: int) -> None:
        super().__init__(algorithm, key)
        algorithm.policy.action_dist = _make_tolerant_categorical()(int(algorithm.action_space.n))
        self._rollout = Rollout(algorithm.n_steps, algorithm.gamma, algorithm.gae_lambda, key)
        algorithm.rollout_buffer = self._rollout
        self._draws = split(key, "actions")
        self._turn = 0

    def act(self, observation: int) -> int:
        """Return an action drawn from the policy; a network that has diverged to not-a-number always gives action 0."""
        return inverse_cdf(self._output(observation).probabilities, uniform(self._draws, self._turn))

    def train(self, transition: Transition) -> None:
        """Append the turn to the rollout; learn from the rollout when it is full."""
        now, later = self._output(transition.observation), self._output(transition.next_observation)
        self._rollout.add(transition, now.value, later.value, self._look_up_log_prob(now, transition.action))
        self._turn += 1
        if self._rollout.full:
            self._rollout.close()
            self._learn(self.algorithm.train)

    def _look_up_log_prob(self, output: PolicyOutput, action: int) -> float:
        """Return the log-probability to keep with a turn: that of the action taken."""
        return output.log_probs[action]

    def _evaluate(self, observations: Any) -> list[PolicyOutput]:
        policy = self.algorithm.policy
        log_probs = policy.get_distribution(observations).distribution.logits
        values = policy.predict_values(observations).flatten().tolist()
        rows = zip(log_probs.tolist(), log_probs.exp().tolist(), values, strict=True)
        return [PolicyOutput(logs, probabilities, value) for logs, probabilities, value in rows]


@cache
def _make_tolerant_categorical() -> Any:
    """Stable-Baselines3's categorical distribution less the check of its arguments, which raises on not-a-number.

    A copy with an absurd learning rate (an environment may ask for one) diverges; that is an answer, not an error.
    """
    import torch
    from stable_baselines3.common.distributions import CategoricalDistribution

    class TolerantCategorical(CategoricalDistribution):
        def proba_distribution(self, action_logits: Any) -> Any:
            self.distribution = torch.distributions.Categorical(logits=action_logits, validate_args=False)
            return self

        def __deepcopy__(self, memo: dict[int, Any]) -> Any:
            return TolerantCategorical(self.action_dim)  # the last distribution belongs to a graph and is not needed

    return TolerantCategorical
