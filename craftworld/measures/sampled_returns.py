"""Own return, others' returns and hidden performance of a policy, estimated from sampled episodes.

All are undiscounted, within the scenario's step limit, and of the same episodes. For worlds and policies that
`policy_measures` can solve it is a check; for policies that draw their actions it is the way.
"""

from __future__ import annotations

import numpy as np

from craftworld.optima import performances
from craftworld.rollout import observes_performance
from craftworld.solution.problem import Problem
from engine.randomness.counter_based import split
from engine.rollouts.outcome_table import AnyPolicy
from engine.rollouts.sampled_episodes import ReturnEstimate, estimate_return


def sampled_returns(
    problem: Problem, policy: AnyPolicy, episodes: int, seed: int = 0, threads: int | None = None
) -> dict[str, ReturnEstimate]:
    """The estimates, "own", and "others" and "performance" where there are any.

    policy: an action for each state, the probabilities of actions in each, or one of them for each start state.
    others: what those who come afterwards can expect of the last state, and what those who are there meanwhile get. The
    other arguments are those of `estimate_return`.
    """
    mdp, others, scenario = problem.mdp.with_discount(1.0), problem.others, problem.scenario
    given = (mdp, policy, episodes, scenario.time_limit, split(seed, "sampled returns"))
    found = {"own": estimate_return(*given, threads=threads)}
    if others.names:
        reward = np.broadcast_to(others.step_reward(mdp), mdp.reward.shape)
        found["others"] = estimate_return(*given, reward=reward, final=others.terminal_value(), threads=threads)
    if not observes_performance(scenario):
        found["performance"] = estimate_return(*given, reward=performances(scenario, mdp), threads=threads)
    return found
