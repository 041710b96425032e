"""Others' rewards at every step: a distribution P(r) over reward functions of agents that act at the same time.

| symbol  | name          |
| ------- | ------------- |
| r_j^(i) | `reward`      |
| P(r_ij) | `probability` |
| alpha_i | `weight`      |

Reference: "Be Considerate", section 3.3, Eq 6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from craftworld.others.other_agents import WeighedDistribution, list_simultaneous_agents
from craftworld.scenario import Scenario
from engine.mdp.columns import ColumnStates
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.policies import follow_policy
from engine.planning.finite_horizon import Visits, compute_step_rewards


@dataclass(frozen=True)
class RewardDistribution(WeighedDistribution):
    """N reward functions on the acting agent's table, reward: f64[N, S, A, K], and the fields of `OtherAgents`."""

    requirement: ClassVar[str] = "agents that act at the same time"

    names: tuple[str, ...]
    owners: tuple[str, ...]
    reward: Floats
    probability: Floats
    weight: Floats
    fixed: tuple[str, ...] = ()

    @classmethod
    def applies(cls, scenario: Scenario) -> bool:
        return bool(list_simultaneous_agents(scenario))

    @classmethod
    def make(cls, scenario: Scenario, mdp: TabularMDP) -> RewardDistribution:
        return tabulate_simultaneous_rewards(scenario, mdp)

    def terminal_value(self) -> Floats:
        """f64[S]: nothing is left to anybody once the acting agent's episode, which is theirs too, has ended."""
        return np.zeros(self.reward.shape[1])

    def step_reward(self, mdp: TabularMDP) -> Floats:
        """f64[S, A, K]: sum_j P(r_j) r_j."""
        return self.sum_weighted(self.probability)

    def sum_weighted(self, weights: Floats) -> Floats:
        """f64[S, A, K]: sum_j w_j r_j, added in this order, so that results do not depend on a library's threads.

        weights: f64[N].
        """
        total = np.zeros(self.reward.shape[1:])
        for weight, reward in zip(weights, self.reward, strict=True):
            total += weight * reward
        return total

    def path_returns(self, mdp: TabularMDP, path: Sequence[int], actions: Sequence[int]) -> Floats:
        """f64[N]: each one's return, every step counted."""
        result = np.zeros(len(self.names))
        for state, action in reversed(list(zip(path, actions, strict=False))):
            result = self.reward[:, state, action, 0] + mdp.discount * result
        return result

    def return_rewards(self, mdp: TabularMDP) -> tuple[TabularMDP, Sequence[Floats]]:
        """The reward functions themselves."""
        return mdp, list(self.reward)

    def compute_final_values(self, mdp: TabularMDP, policy: Policy | Floats, visits: Visits) -> Floats:
        """f64[N]: each one's expected return until the time limit."""
        followed = follow_policy(mdp, policy)
        steps = (compute_step_rewards(followed.table, followed.still, followed.select(each)) for each in self.reward)
        return np.array([step @ visits.acting for step in steps])


def tabulate_simultaneous_rewards(scenario: Scenario, mdp: TabularMDP) -> RewardDistribution:
    """The rewards that each step of the acting agent's table gives those who act at the same time."""
    simultaneous_agents = list_simultaneous_agents(scenario)
    reward = [tabulate_transition_rewards(mdp, agent.reward) for agent in simultaneous_agents]
    return RewardDistribution(
        tuple(agent.name for agent in simultaneous_agents),
        tuple(agent.owner or agent.name for agent in simultaneous_agents),
        np.array(reward).reshape(len(reward), *mdp.reward.shape),
        np.array([agent.probability for agent in simultaneous_agents]),
        np.array([agent.weight for agent in simultaneous_agents]),
        tuple(agent.owner or agent.name for agent in simultaneous_agents if not agent.swept),
    )


def tabulate_transition_rewards(mdp: TabularMDP, reward: Callable[[Any, int, Any], Any]) -> Floats:
    """f64[S, A, K]: a reward of state, action and next state, columns in and out, on every transition of a table."""
    assert isinstance(mdp.states, ColumnStates)
    result = np.zeros(mdp.reward.shape)
    state = mdp.states.columns()
    for action in range(len(mdp.actions)):
        for slot in range(mdp.next_state.shape[2]):
            next_state = mdp.states.codec.decode(mdp.states.codes[mdp.next_state[:, action, slot]])
            counts = ~mdp.terminal & (mdp.probability[:, action, slot] > 0.0)
            result[:, action, slot] = np.where(counts, reward(state, action, next_state), 0.0)
    return mdp.complete(result)
