"""A small table as plain data, for worlds whose map cannot be changed: steps, rewards, and what its ends are worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from caregrid.lessons.live.observed_map import rest_code
from caregrid.lessons.live.steps_data import loose_marks
from caregrid.shows.scenes import state_words
from craftworld.formulation import RewardTiming
from craftworld.solution.problem import Problem
from engine.mdp.mdp import Floats, TabularMDP
from engine.plain_values import json_value
from engine.planning.trade_off.terminal_lines import rewards_come_at_the_end

MOST_STATES = 2000


def table_data(problem: Problem, start: int, drawn: str) -> dict[str, Any] | None:
    """The table; None where it is too large, discounted, or its rewards are not steps' costs and ends' values.

    drawn: the glyphs of the map that the page draws by itself.
    """
    mdp, scenario = problem.mdp, problem.scenario
    fixed, swept = problem.caring_rewards(start)
    plain = (
        mdp.discount == 1.0 and mdp.available is None and problem.declaration.reward_timing is RewardTiming.AT_THE_END
    )
    if not plain or len(mdp.states) > MOST_STATES or fixed.any() or not rewards_come_at_the_end(mdp, swept):
        return None
    inner = ~mdp.terminal[:, None, None] & ~mdp.terminal[mdp.next_state]
    if (mdp.reward[inner] >= 0.0).any():
        return None
    rewards = problem.others.return_rewards(mdp)[1]
    return {
        "actions": list(mdp.actions),
        "next": mdp.next_state[:, :, 0].tolist(),
        "reward": (problem.own * mdp.reward[:, :, 0]).tolist(),
        "terminal": mdp.terminal.tolist(),
        "ends": _at_the_end(mdp, swept).tolist(),
        "others": {
            name: json_value(_at_the_end(mdp, reward))
            for name, reward in zip(problem.others.names, rewards, strict=True)
        },
        "cell": [int(state.cell) for state in mdp.states],
        "rest": [int(rest_code(scenario, state)) for state in mdp.states],
        "words": [state_words(scenario, state) for state in mdp.states],
        "marks": [[list(mark) for mark in loose_marks(scenario, state, drawn)] for state in mdp.states],
        "starts": [start],
    }


def _at_the_end(mdp: TabularMDP, reward: Floats) -> Floats:
    """What a reward f64[S, A, K] gives for ending in each state, 0 for the states in which nothing ends."""
    ends, acting = np.zeros(len(mdp.states)), ~mdp.terminal
    ends[mdp.next_state[acting]] = np.where(mdp.terminal[mdp.next_state[acting]], reward[acting], 0.0)
    return ends
