"""What the others get meanwhile: a distribution P(r) over reward functions of agents that act at the same time.

| symbol  | name          |
| ------- | ------------- |
| r_j^(i) | `reward`      |
| P(r_ij) | `probability` |
| alpha_i | `weight`      |

Reference: "Be Considerate", section 3.3, Eq 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from craftworld.scenario import Scenario
from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.tabulate import ColumnStates
from engine.planning.dynamic_programming import Policy, evaluate_policy


@dataclass(frozen=True)
class RewardDistribution:
    """N possible reward functions on the acting agent's table, reward: f64[N, S, A, K]; else as `craftworld.others.other_agents`."""

    names: tuple[str, ...]
    owners: tuple[str, ...]
    reward: Floats
    probability: Floats
    weight: Floats
    fixed: tuple[str, ...] = ()

    def since(self, start: int) -> RewardDistribution:
        """The same: rewards know no baseline."""
        return self

    def prospects(self) -> Floats:
        """f64[S]: nothing is left to anybody once the acting agent's episode, which is theirs too, has ended."""
        return np.zeros(self.reward.shape[1])

    def meanwhile(self, mdp: TabularMDP) -> Floats:
        """f64[S, A, K]: sum_j P(r_j) r_j."""
        return np.tensordot(self.probability, self.reward, axes=1)

    def received(self, mdp: TabularMDP, path: Sequence[int], actions: Sequence[int]) -> Floats:
        """f64[N]: each one's return, every step counted."""
        answer = np.zeros(len(self.names))
        for state, action in reversed(list(zip(path, actions, strict=False))):
            answer = self.reward[:, state, action, 0] + mdp.discount * answer
        return answer

    def expected(self, mdp: TabularMDP, policy: Policy, start: int) -> Floats:
        """f64[N]: each one's expected return."""
        return np.array([evaluate_policy(mdp.with_reward(each), policy)[start] for each in self.reward])


def companion_rewards(scenario: Scenario, mdp: TabularMDP) -> RewardDistribution:
    """What every step of the acting agent's table pays its companions."""
    assert isinstance(mdp.states, ColumnStates)
    companions = scenario.companions()
    reward = np.zeros((len(companions), *mdp.reward.shape))
    state = mdp.states.columns()
    for action in range(len(mdp.actions)):
        next_state = mdp.states.codec.decode(mdp.states.codes[mdp.next_state[:, action, 0]])
        for row, companion in enumerate(companions):
            reward[row, :, action, 0] = np.where(mdp.terminal, 0.0, companion.reward(state, action, next_state))
    return RewardDistribution(
        tuple(companion.name for companion in companions),
        tuple(companion.owner or companion.name for companion in companions),
        reward,
        np.array([companion.probability for companion in companions]),
        np.array([companion.weight for companion in companions]),
        tuple(companion.owner or companion.name for companion in companions if not companion.swept),
    )
