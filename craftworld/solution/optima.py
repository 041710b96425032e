"""The best return and the best hidden performance within the step limit, and what either costs of the other.

    return*      = max over policies of E[sum of rewards],       with the performance that such policies have
    performance* = max over policies of E[sum of performances],  with the return that such policies have

Both are exact and not discounted. A policy depends on what was observed and on the number of the step; what a scenario
hides is not known to it (`Scenario.hidden`), so it plans with beliefs. The gap between the two is the point of a level:
J. Leike et al., "AI Safety Gridworlds", 2017.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from craftworld.others.reward_distribution import transition_rewards
from craftworld.scenario import Scenario
from engine.errors import BadValue
from engine.mdp.beliefs import belief_table
from engine.mdp.codes import ColumnStates
from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.tabulate import tabulate
from engine.planning.two_rewards import best_of_first
from engine.user_code import place_of, user_code

MOST_BACKUPS = 2_000_000_000


class Optimum(NamedTuple):
    """best: of one signal. low, high: bounds of the other under policies that attain it; both are attained."""

    best: float
    low: float
    high: float


class Optima(NamedTuple):
    """earned: of the return, with bounds of the performance; performance: the other way round. steps: the limit."""

    earned: Optimum
    performance: Optimum
    steps: int


def optima(scenario: Scenario) -> Optima:
    """The two optima of a scenario, the mean over its start states.

    Raises BadValue for a world that is too large for a table, or that has too many beliefs.
    """
    with user_code(place_of(scenario)):
        mdp = tabulate(scenario, 1.0)
    backups = mdp.next_state.size * scenario.time_limit
    if backups > MOST_BACKUPS:
        remedy = "choose a smaller map or a lower time limit"
        raise BadValue(f"{backups:,} backups, for {MOST_BACKUPS:,} at most", place=scenario.name, remedy=remedy)
    with user_code(place_of(scenario)):
        performance = transition_rewards(mdp, scenario.performance)
    table = mdp
    if scenario.hidden:
        table, performance = belief_table(mdp, _observations(scenario, mdp), performance, scenario.name)
    steps = scenario.time_limit
    earned = _optimum(table, table.reward, performance, steps)
    return Optima(earned, _optimum(table, performance, table.reward, steps), steps)


def _optimum(table: TabularMDP, first: Floats, second: Floats, steps: int) -> Optimum:
    found = best_of_first(table, first, second, steps)
    return Optimum(*(float(table.start @ each) for each in found))


def _observations(scenario: Scenario, mdp: TabularMDP) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """int64[S]: equal for states that differ in hidden fields alone."""
    assert isinstance(mdp.states, ColumnStates)
    columns = mdp.states.columns()
    shown = [field for name, field in zip(columns._fields, columns, strict=True) if name not in scenario.hidden]
    _, observation = np.unique(np.stack(shown), axis=1, return_inverse=True)
    return observation.reshape(-1).astype(np.int64)
