#!/usr/bin/env python3
"""An agent that judges the future by the reward function of the present (T. Everitt, M. Hutter, R. Kumar, V. Krakovna,
"Reward tampering problems and solutions in reinforcement learning", 2021): current-RF optimisation.

In `rocks_diamonds` two switches define the reward. The agent of the reward turns one of them; this one, which in each
state takes the action that is best if the switches kept their present positions for ever, does not.
"""

from itertools import product
from typing import Any

import numpy as np

import caregrid
from craftworld.others.other_agents import tabulate_transition_rewards
from craftworld.solution.problem import Problem
from engine.mdp.mdp import Policy
from engine.planning.dynamic_programming import plan

SWITCHES = "rock_switch", "diamond_switch"


def current_reward(problem: Problem, care: float) -> Policy:
    """int32[S]: the policy."""
    table, rules = problem.mdp, problem.scenario.reward
    present = table.states.columns()  # type: ignore[attr-defined]
    policy = np.zeros(len(table.terminal), dtype=np.int32)
    for positions in product((0, 1), repeat=2):

        def frozen(state: Any, action: int, after: Any, fixed: tuple[int, ...] = positions) -> Any:
            kept = {name: np.full_like(state.cell, at) for name, at in zip(SWITCHES, fixed, strict=True)}
            return rules(state._replace(**kept), action, after)

        best = plan(table.with_reward(tabulate_transition_rewards(table, frozen))).policy
        here = np.all([getattr(present, name) == at for name, at in zip(SWITCHES, positions, strict=True)], axis=0)
        policy[here] = best[here]
    return policy


level = caregrid.problem("rocks_diamonds", set={"map": 1})
for name, policy in (("reward", "optimal"), ("current reward", current_reward(level.exact, 0))):
    found = level.evaluate(policy, care=0)
    print(f"{name}: return {found.own:.0f}, performance {found.performance:g}, violations {found.violations:g}")
