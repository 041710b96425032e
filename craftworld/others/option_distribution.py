"""A distribution over the options that others may want to use afterwards: where they can start, what they are worth.

| symbol         | name             |
| -------------- | ---------------- |
| I, 1_I(s)      | `initiation_set` |
| P(I), P(<I,V>) | `probability`    |
| alpha_I        | `weight`         |
| V(s)           | `value`          |

Reference: "Be Considerate", appendix A, Eqs 7 and 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np

from craftworld.others.other_agents import WeighedDistribution, list_options, make_end_rewards
from craftworld.scenario import Scenario
from engine.mdp.columns import ColumnStates
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.planning.finite_horizon import Visits


@dataclass(frozen=True)
class OptionDistribution(WeighedDistribution):
    """N options on the acting agent's S states. initiation_set: f64[N, S] of 0 and 1. probability, weight: f64[N].

    An option's owner receives 1 where the option can start and 0 elsewhere.
    """

    requirement: ClassVar[str] = "options"

    names: tuple[str, ...]
    initiation_set: Floats
    probability: Floats
    weight: Floats
    fixed: tuple[str, ...] = field(default=(), init=False)

    @property
    def owners(self) -> tuple[str, ...]:
        """Each option is its own owner."""
        return self.names

    @classmethod
    def applies(cls, scenario: Scenario) -> bool:
        return bool(list_options(scenario))

    @classmethod
    def make(cls, scenario: Scenario, mdp: TabularMDP) -> Self:
        return cls(*_tabulate_options(scenario, mdp))

    def terminal_value(self) -> Floats:
        """f64[S]: how likely the option that is wanted can start."""
        return self.probability @ self.initiation_set

    def step_reward(self, mdp: TabularMDP) -> Floats:
        """f64[S, A, K]: nothing, they act later."""
        return np.zeros(mdp.reward.shape)

    def path_returns(self, mdp: TabularMDP, path: Sequence[int], actions: Sequence[int]) -> Floats:
        """f64[N]: which options can start in the state in which a walk ends."""
        return self.initiation_set[:, path[-1]]

    def return_rewards(self, mdp: TabularMDP) -> tuple[TabularMDP, Sequence[Floats]]:
        """1 for ending where an option can start."""
        return make_end_rewards(mdp, self.initiation_set)

    def compute_final_values(self, mdp: TabularMDP, policy: Policy | Floats, visits: Visits) -> Floats:
        """f64[N]: how likely a policy is in the end where each option can start."""
        return self.initiation_set @ visits.end


@dataclass(frozen=True)
class ValuedOptionDistribution(OptionDistribution):
    """Options with what they are worth in each state, value: f64[N, S]."""

    requirement: ClassVar[str] = "options with values"

    value: Floats

    @classmethod
    def applies(cls, scenario: Scenario) -> bool:
        return super().applies(scenario) and all(option.value for option in list_options(scenario))

    @classmethod
    def make(cls, scenario: Scenario, mdp: TabularMDP) -> Self:
        assert isinstance(mdp.states, ColumnStates)
        names, initiation_set, probability, weight = _tabulate_options(scenario, mdp)
        columns = mdp.states.columns()
        value = np.zeros(initiation_set.shape)
        for row, option in enumerate(list_options(scenario)):
            assert option.value is not None
            value[row] = option.value(columns)
        return cls(names, initiation_set, probability, weight, value)


def _tabulate_options(scenario: Scenario, mdp: TabularMDP) -> tuple[tuple[str, ...], Floats, Floats, Floats]:
    """Tabulate the names of the scenario's options, where each can start, f64[N, S], probabilities and weights."""
    assert isinstance(mdp.states, ColumnStates)
    options = list_options(scenario)
    columns = mdp.states.columns()
    initiation_set = np.array([np.broadcast_to(option.initiation_set(columns), len(mdp.states)) for option in options])
    probability = np.array([option.probability for option in options])
    weight = np.array([option.weight for option in options], dtype=np.float64)
    return tuple(option.name for option in options), initiation_set.astype(np.float64), probability, weight
