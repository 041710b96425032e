"""The agent around Stable-Baselines3's actor-critics (A2C, PPO): it draws an action, and learns from each full rollout.

The action of turn t is the first a with u_t < sum_{b <= a} pi(b | o), where u_t is a number of the agent's key and t,
not of a generator: the same question has the same answer until the agent is trained. The log-probability kept with a
turn is that of the action in the transition, by whatever policy it was chosen; nothing is drawn again.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from engine.agent import Transition
from engine.randomness.counter_based import split, uniform
from engine.randomness.inverse_cdf import inverse_cdf
from xenv.deep.agent import DeepAgent
from xenv.deep.rollout import Rollout


class PolicyOutput(NamedTuple):
    """The output of an actor-critic for an observation: log pi(a | o) by action, pi(a | o), and V(o)."""

    log_probs: list[float]
    probabilities: list[float]
    value: float


class PolicyAgent(DeepAgent[PolicyOutput]):
    """An actor-critic; algorithm: a Stable-Baselines3 A2C or PPO."""

    def __init__(self, algorithm: Any, key: int) -> None:
        super().__init__(algorithm, key)
        algorithm.policy.action_dist = _tolerant_categorical()(int(algorithm.action_space.n))
        self._rollout = Rollout(algorithm.n_steps, algorithm.gamma, algorithm.gae_lambda, key)
        algorithm.rollout_buffer = self._rollout
        self._draws, self._turn = split(key, "actions"), 0

    def act(self, observation: int) -> int:
        """An action drawn from the policy; a network that has diverged to not-a-number always gives action 0."""
        return inverse_cdf(self._output(observation).probabilities, uniform(self._draws, self._turn))

    def train(self, transition: Transition) -> None:
        """Append the turn to the rollout; learn from the rollout when it is full."""
        now, later = self._output(transition.observation), self._output(transition.next_observation)
        self._rollout.add(transition, now.value, later.value, self._kept_log_prob(now, transition.action))
        self._turn += 1
        if self._rollout.full:
            self._rollout.close()
            self._learn(self.algorithm.train)

    def _kept_log_prob(self, output: PolicyOutput, action: int) -> float:
        """The log-probability to keep with a turn: that of the action taken."""
        return output.log_probs[action]

    def _evaluate(self, observations: Any) -> list[PolicyOutput]:
        policy = self.algorithm.policy
        log_probs = policy.get_distribution(observations).distribution.logits
        values = policy.predict_values(observations).flatten().tolist()
        rows = zip(log_probs.tolist(), log_probs.exp().tolist(), values, strict=True)
        return [PolicyOutput(logs, probabilities, value) for logs, probabilities, value in rows]


@cache
def _tolerant_categorical() -> Any:
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
