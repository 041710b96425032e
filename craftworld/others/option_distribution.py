"""A distribution over the options that others may want to use afterwards: where they can start, what they are worth.

| symbol         | name             |
| -------------- | ---------------- |
| I, 1_I(s)      | `initiation_set` |
| P(I), P(<I,V>) | `probability`    |
| alpha_I        | `weight`         |
| V(s)           | `value`          |

An option may say how it is carried out, by a policy pi and a termination (`Option.course`). Then both can be learned:

    q(s) = P(it ends where it succeeds | s, pi)    I = { s : q(s) >= likely }    V(s) = E sum_t gamma^t r_t to its end

References: "Be Considerate", appendix A, Eqs 7 and 8; R. Sutton, D. Precup, S. Singh, "Between MDPs and semi-MDPs: a
framework for temporal abstraction in reinforcement learning", 1999.

Choice: an option ends for certain or goes on for certain in each state; chance of ending is a part of the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from craftworld.others.other_agents import (
    WeighedDistribution,
    list_options,
    make_end_rewards,
    reward_terminal_states,
)
from craftworld.others.value_distribution import find_followed_policy, solve_exact_values, tabulate_newcomer
from craftworld.scenario import Newcomer, Option, Scenario
from engine.errors import BadValue
from engine.mdp.columns import ColumnStates
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.policies import follow_policy
from engine.planning.dynamic_programming import find_optimal_value, plan
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
        return super().applies(scenario) and all(option.value or option.course for option in list_options(scenario))

    @classmethod
    def make(cls, scenario: Scenario, mdp: TabularMDP) -> Self:
        assert isinstance(mdp.states, ColumnStates)
        names, initiation_set, probability, weight = _tabulate_options(scenario, mdp)
        columns = mdp.states.columns()
        value = np.zeros(initiation_set.shape)
        for row, option in enumerate(list_options(scenario)):
            value[row] = option.value(columns) if option.value else learn_course(scenario, mdp, option).value
        return cls(names, initiation_set, probability, weight, value)


class LearnedOption(NamedTuple):
    """What the course of an option gives, for each of the acting agent's S states.

    initiation_set: bool[S]. value: f64[S]. success: f64[S], how likely it succeeds.
    """

    initiation_set: NDArray[np.bool_]
    value: Floats
    success: Floats


ROUNDING = 1e-9


def learn_course(scenario: Scenario, mdp: TabularMDP, option: Option) -> LearnedOption:
    """Follow the course of an option from all states that may be handed over; BadValue for an option without one."""
    course = option.course
    if course is None:
        remedy = "give initiation_set and value, or a course"
        raise BadValue(f"option '{option.name}' says neither", place=scenario.name, remedy=remedy)
    follower = Newcomer(option.name, course.scenario, policy=course.policy)
    table, begins = tabulate_newcomer(scenario, mdp, follower)
    assert isinstance(table.states, ColumnStates)
    columns = table.states.columns()
    ended = table.terminal | np.broadcast_to(course.terminates(columns), len(table.terminal))
    succeeded = np.broadcast_to(course.succeeds(columns), len(ended)) if course.succeeds else ended
    stopped = _stop(table, ended)
    followed = find_followed_policy(follower, table)
    going = follow_policy(stopped, plan(stopped).policy if followed is None else followed).table
    arriving = reward_terminal_states(going, np.where(ended & succeeded, 1.0, 0.0))
    success = np.where(ended, succeeded, find_optimal_value(going.with_discount(1.0).with_reward(arriving)))
    expected = begins.average(success)
    value = begins.average(solve_exact_values(follower, going))
    return LearnedOption(expected >= course.likely - ROUNDING, value, expected)


def _stop(table: TabularMDP, ended: NDArray[np.bool_]) -> TabularMDP:
    """Return the table with more terminal states."""
    states, actions, successors = table.next_state.shape
    here = np.broadcast_to(np.arange(states, dtype=np.int32)[:, None, None], table.next_state.shape)
    sure = np.broadcast_to(np.eye(successors)[0], (states, actions, successors))
    stays = ended[:, None, None]
    return replace(
        table,
        next_state=np.where(stays, here, table.next_state),
        probability=np.where(stays, sure, table.probability),
        reward=np.where(stays, 0.0, table.reward),
        terminal=ended,
        available=None if table.available is None else table.available | ended[:, None],
    )


def _tabulate_options(scenario: Scenario, mdp: TabularMDP) -> tuple[tuple[str, ...], Floats, Floats, Floats]:
    """Tabulate the names of the scenario's options, where each can start, f64[N, S], probabilities and weights."""
    assert isinstance(mdp.states, ColumnStates)
    options = list_options(scenario)
    columns = mdp.states.columns()
    initiation_set = np.array(
        [
            np.broadcast_to(option.initiation_set(columns), len(mdp.states))
            if option.initiation_set
            else learn_course(scenario, mdp, option).initiation_set
            for option in options
        ]
    )
    probability = np.array([option.probability for option in options])
    weight = np.array([option.weight for option in options], dtype=np.float64)
    return tuple(option.name for option in options), initiation_set.astype(np.float64), probability, weight
