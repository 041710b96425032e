"""The two optima of a scenario: of the reward that the agent observes, and of the hidden performance that judges it.

Both are undiscounted, within the scenario's step limit, by backward induction, for agents that know the state. Where
several policies are best for the reward, the performance of the best and of the worst of them is given: the reward does
not choose. The gap between the optima is what a world with a hidden performance shows ("AI Safety Gridworlds", section
2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from craftworld.rollout import observes_performance
from craftworld.scenario import Scenario
from engine.mdp.codes import ColumnStates
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.tabulate import tabulate
from engine.planning.backward_induction import finite_horizon_pair
from engine.planning.time_limit import limited_return


class Optima(NamedTuple):
    """Expected returns from the start states.

    reward: the most that can be earned. performance, worst_performance: of the best and the worst of the policies that
    earn it. best_performance: the most that can be reached. its_reward: the most that is earned on the way to it.
    """

    reward: float
    performance: float
    worst_performance: float
    best_performance: float
    its_reward: float


def optima(scenario: Scenario, steps: int | None = None) -> Optima:
    """The optima of a scenario within a number of steps, its own limit by default.

    Raises BadValue where it is too large for a table.
    """
    mdp = tabulate(scenario, 1.0)
    limit = scenario.time_limit if steps is None else steps
    performance = mdp.reward if observes_performance(scenario) else performances(scenario, mdp)
    reward, kindly = finite_horizon_pair(mdp, performance, limit)
    _, unkindly = finite_horizon_pair(mdp, -performance, limit)
    best, earned = finite_horizon_pair(mdp.with_reward(performance), mdp.reward, limit)
    columns = (reward, kindly, -unkindly, best, earned)
    return Optima(*(float(mdp.start @ each) for each in columns))


def policy_performance(scenario: Scenario, mdp: TabularMDP, policy: Policy) -> Floats:
    """f64[S]: the expected performance of a policy, int32[S], within the scenario's step limit, from every state."""
    table = mdp.with_discount(1.0).with_reward(performances(scenario, mdp))
    return limited_return(table, policy, scenario.time_limit)


def performances(scenario: Scenario, mdp: TabularMDP) -> Floats:
    """f64[S, A, K]: what each step of a scenario's table adds to the hidden performance."""
    assert isinstance(mdp.states, ColumnStates)
    result, state = np.zeros(mdp.reward.shape), mdp.states.columns()
    for action in range(len(mdp.actions)):
        for slot in range(mdp.next_state.shape[2]):
            next_state = mdp.states.codec.decode(mdp.states.codes[mdp.next_state[:, action, slot]])
            counts = ~mdp.terminal & (mdp.probability[:, action, slot] > 0.0)
            result[:, action, slot] = np.where(counts, scenario.performance(state, action, next_state), 0.0)
    return mdp.completed(result)
