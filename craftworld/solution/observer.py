"""The best that an agent can do in a problem that it observes in part: the optimum over beliefs, by care.

An agent that cannot tell its start states apart learns and plans for all of them at once. With memory it can do as
well as a planner that knows, after every step, how likely each state is (`engine.mdp.beliefs`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple, get_args

import numpy as np

from craftworld.solution.problem import Problem
from engine.errors import BadValue
from engine.mdp.beliefs import build_belief_table
from engine.mdp.mdp import TabularMDP
from engine.mdp.tabulate import require_memory
from engine.planning.dynamic_programming import evaluate_policy, plan
from engine.planning.endless_returns import average_over_starts
from engine.printable import show_value


class ObserverOptimum(NamedTuple):
    """Expectations over the start states. augmented: the augmented return. total: own return and others' values."""

    augmented: float
    own: float
    total: float


Observes = Literal["observation", "state"]
"""What a learner sees where the scenario hides a part of the state: what an agent observes there, or all of it."""


def require_observes(observes: Observes) -> Observes:
    """Return what a learner sees; BadValue for another word."""
    if observes not in get_args(Observes):
        raise BadValue(f"observes = {show_value(observes)}", remedy=f"choose {' or '.join(get_args(Observes))}")
    return observes


def observe_states(mdp: TabularMDP, observes: Observes) -> TabularMDP:
    """Return a table of which learners see the observation or the state."""
    return replace(mdp, observation=None) if require_observes(observes) == "state" else mdp


def make_table_of_all_starts(problem: Problem, care: float, observes: Observes = "observation") -> TabularMDP:
    """Make the table with the augmented reward and all start states, of S states or of B S.

    Where the formulation compares with the start state (Eq 3), the B start states have rewards of their own. Where a
    part of the state is hidden, the table then holds a copy of the world for each, and its copies look alike: state
    b S + s is state s after start b. Where nothing is, learners tell states apart and B problems are to be learned:
    BadValue.
    """
    mdp = observe_states(problem.mdp, observes)
    starts = mdp.start_states().tolist()
    rewards = [problem.make_augmented_table(care, start).reward for start in starts]
    if all(np.array_equal(each, rewards[0], equal_nan=True) for each in rewards[1:]):
        return mdp.with_reward(rewards[0])
    if mdp.observation is None:
        raise BadValue(
            f"the formulation '{problem.formulation}' rewards each start state by another baseline",
            place=problem.scenario.name,
            remedy="give the scenario one start state, or choose another formulation",
        )
    copies, states = len(starts), len(mdp.terminal)
    require_memory(copies * states, len(mdp.actions), mdp.next_state.shape[2], problem.scenario)
    start = np.zeros((copies, states))
    start[np.arange(copies), starts] = mdp.start[starts]
    first = np.arange(0, copies * states, states, dtype=np.int32)
    return TabularMDP(
        range(copies * states),
        {},
        mdp.actions,
        (mdp.next_state + first[:, None, None, None]).reshape(-1, *mdp.next_state.shape[1:]),
        np.tile(mdp.probability, (copies, 1, 1)),
        np.concatenate(rewards),
        np.tile(mdp.terminal, copies),
        start.reshape(-1),
        mdp.discount,
        None if mdp.available is None else np.tile(mdp.available, (copies, 1)),
        np.tile(mdp.observations, copies),
    )


def find_observer_optimum(problem: Problem, care: float, observes: Observes = "observation") -> ObserverOptimum:
    """Find the best expected returns over beliefs at a coefficient.

    Raises BadValue for more than 20,000 beliefs, NoPlan where no finite optimum exists.
    """
    mdp = problem.mdp
    table = make_table_of_all_starts(problem, care, observes)
    copies = len(table.terminal) // len(mdp.terminal)
    over = mdp.terminal[mdp.next_state] & ~mdp.terminal[:, None, None]
    welfare = np.where(over, problem.others.terminal_value()[mdp.next_state], 0.0) + problem.others.step_reward(mdp)
    beliefs, own = build_belief_table(table, np.tile(mdp.reward, (copies, 1, 1)), problem.scenario.name)
    _, others = build_belief_table(table, np.tile(welfare, (copies, 1, 1)), problem.scenario.name)
    solution = plan(beliefs)
    augmented, earned, given = (
        average_over_starts(beliefs, value)
        for value in (
            solution.value,
            evaluate_policy(beliefs.with_reward(own), solution.policy),
            evaluate_policy(beliefs.with_reward(others), solution.policy),
        )
    )
    return ObserverOptimum(augmented, earned, earned + given)
