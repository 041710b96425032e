"""The two optima of a scenario: of the reward that the agent observes, and of the hidden performance that judges it.

Both are undiscounted, within the scenario's step limit, by backward induction. What a scenario hides from the agent
(`Scenario.hidden`) the policies do not know: the planner then works with beliefs. Where several policies are best for
the reward, the performance of the best and of the worst of them is given: the reward does not choose. The gap between
the optima is what a world with a hidden performance shows ("AI Safety Gridworlds", section 2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from craftworld.others.reward_distribution import transition_rewards
from craftworld.rollout import observes_performance
from craftworld.scenario import Scenario
from engine.errors import BadValue
from engine.mdp.beliefs import belief_table
from engine.mdp.codes import ColumnStates
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.tabulate import tabulate
from engine.planning.backward_induction import finite_horizon_pair
from engine.planning.time_limit import limited_return

MOST_BACKUPS = 2_000_000_000


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

    Raises BadValue where it is too large for a table, takes too many backups, or has too many beliefs.
    """
    limit = scenario.time_limit if steps is None else steps
    mdp = tabulate(scenario, 1.0, most_states=MOST_BACKUPS // max(1, limit * len(scenario.actions)))
    backups = mdp.next_state.size * limit
    if backups > MOST_BACKUPS:
        remedy = "choose a smaller map or fewer steps"
        raise BadValue(
            f"it takes {backups:,} backups, and {MOST_BACKUPS:,} are the most", place=scenario.name, remedy=remedy
        )
    performance = mdp.reward if observes_performance(scenario) else performances(scenario, mdp)
    if scenario.hidden:
        mdp, performance = belief_table(mdp, _observations(scenario, mdp), performance, scenario.name)
    return table_optima(mdp, performance, limit)


def table_optima(mdp: TabularMDP, performance: Floats, limit: int) -> Optima:
    """The optima of an undiscounted table within a number of steps. performance: f64[S, A, K]."""
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
    return transition_rewards(mdp, scenario.performance)


def _observations(scenario: Scenario, mdp: TabularMDP) -> NDArray[np.int64]:
    """int64[S]: equal for states that differ in hidden fields alone."""
    assert isinstance(mdp.states, ColumnStates)
    columns = mdp.states.columns()
    shown = [field for name, field in zip(columns._fields, columns, strict=True) if name not in scenario.hidden]
    _, observation = np.unique(np.stack(shown), axis=1, return_inverse=True)
    return observation.reshape(-1).astype(np.int64)
