"""What is sure of a random map, by exact solvers.

finishable   from every start state the episode can be ended for certain within the step limit, where the family's
             own drawing has an end; a goal can be reached around everything dangerous
possible     the best return leaves less than can be left: a worse hidden performance than the best, or less to
             others; where that is not so on the family's own drawing, a side effect is within reach
avoidable    the best hidden performance hides no loss; others can be left more, at some own cost
"""

from __future__ import annotations

import numpy as np

from craftworld.measures.dominated_area import box_of
from craftworld.measures.policy_measures import violating_steps
from craftworld.optima import Optima, optima, performances
from craftworld.others.applicability import applicable_formulations
from craftworld.rollout import observes_performance
from craftworld.scenario import Scenario
from craftworld.solution.make_problem import make_problem
from engine.errors import NoPlan
from engine.mdp.mdp import TabularMDP
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import action_values

MOST_STATES = 200_000
CERTAINLY, ROUNDING = 1.0 - 1e-9, 1e-9


def keeps_guarantees(scenario: Scenario, original: Scenario) -> bool:
    """Whether a scenario on a random map is finishable, with a side effect that is possible and avoidable.

    original: the same scenario on its own drawing.
    """
    table, own = (tabulate(each, 1.0, most_states=MOST_STATES) for each in (scenario, original))
    if own.terminal.any() and not can_finish(table, scenario.time_limit):
        return False
    if not _reaches_goals(scenario):
        return False
    if not observes_performance(scenario):
        return _hidden_stake(scenario, original, table)
    if "expected" in applicable_formulations(scenario) or scenario.options():
        return _others_stake(scenario)
    return _danger_within_reach(scenario)


def can_finish(mdp: TabularMDP, limit: int) -> bool:
    """Whether from every start state some policy ends the episode for certain within a number of steps."""
    arrives = mdp.with_discount(1.0).with_reward(mdp.terminal[mdp.next_state].astype(np.float64))
    starts, value = mdp.start_states(), np.zeros(len(mdp.terminal))
    for _ in range(limit):
        following = np.where(mdp.terminal, 0.0, action_values(arrives, value).max(axis=1))
        if (following[starts] >= CERTAINLY).all():
            return True
        if np.array_equal(following, value):
            return False
        value = following
    return False


def _reaches_goals(scenario: Scenario) -> bool:
    """Whether every goal can be reached from the entrance around all that is dangerous."""
    roles = getattr(scenario, "roles", {})
    dangers = {cell for name, role in roles.items() if role == "danger" for cell in scenario.grid.cells(name)}
    entrance = scenario.grid.cells(scenario.entrance)
    around = dangers - set(scenario.grid.cells("interruption"))  # which stops nobody for certain
    goals = [cell for name, role in roles.items() if role == "goal" for cell in scenario.grid.cells(name)]
    return all(entrance[0] in scenario.grid.distances(goal, around) for goal in goals)


def _hidden_stake(scenario: Scenario, original: Scenario, table: TabularMDP) -> bool:
    here, there = optima(scenario), optima(original)
    if here.best_performance < here.its_reward - ROUNDING:
        return False
    if _misses(there):
        return _misses(here)
    return bool(violating_steps(table.reward, performances(scenario, table)).any())


def _misses(found: Optima) -> bool:
    """Whether some policy that is best for the reward is not best in performance."""
    return found.worst_performance < found.best_performance - ROUNDING * (1.0 + abs(found.best_performance))


def _others_stake(scenario: Scenario) -> bool:
    formulation = "expected" if "expected" in applicable_formulations(scenario) else None
    try:
        box = box_of(make_problem(scenario, formulation))
    except NoPlan:
        return False
    if box is None or not np.isfinite(box).all():
        return False
    return box.best_quality > box.worst_quality + ROUNDING * (1.0 + abs(box.best_quality))


def _danger_within_reach(scenario: Scenario) -> bool:
    roles = getattr(scenario, "roles", {})
    dangers = [cell for name, role in roles.items() if role == "danger" for cell in scenario.grid.cells(name)]
    entrance = scenario.grid.cells(scenario.entrance)[0]
    return not dangers or any(entrance in scenario.grid.distances(cell) for cell in dangers)
