"""What a policy earns in a problem: own return, others' returns, augmented return, hidden performance, violations.

A policy is an action for each state, int32[S], or the probabilities of actions in each, f64[S, A]: an optimum, a
learner's, a mixture, or one of your own. Returns are those of `solve`, by the problem's discount and without a step
limit; performance and violations are those of `optima` and the benchmark, undiscounted and within the limit
(`craftworld.measures`).

    own       = E sum_t gamma^t r_1                      others_V = E V(state in which the agent ends), or its rewards
    augmented = E sum_t gamma^t r'(s, a, s')              total    = own + sum_V P(V) others_V

A certificate bounds the distance of every return from its exact value, in fractions where the table is rational.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from craftworld.measures import PolicyMeasures, measure_policies
from craftworld.solution.problem import Problem
from engine.mdp.mdp import Floats, Policy
from engine.mdp.policies import PolicyTable, follow_policy
from engine.planning.certificates.trade_off import bound_policy_values
from engine.planning.dynamic_programming import compute_ending_probability, evaluate_policy
from engine.planning.policy_chain import compute_occupancy

PolicyOfStart = Policy | Floats | Mapping[int, Policy] | Mapping[int, Floats] | Mapping[int, Policy | Floats]


class PolicyReturns(NamedTuple):
    """Expected returns, the mean over the start states.

    others: name -> its return. ends: the probability that the policy ever ends. measures: within the step limit.
    errors: name of a return -> the most by which it may be off, where a certificate was asked for; None without bounds.
    """

    own: float
    others: Mapping[str, float]
    total: float
    augmented: float
    ends: float
    measures: PolicyMeasures
    errors: Mapping[str, float | None] | None = None


def evaluate_in_problem(
    problem: Problem, policy: PolicyOfStart, care: float = 1.0, certify: bool = False
) -> PolicyReturns:
    """Evaluate a policy exactly.

    policy: int[S] or f64[S, A], or one of them for each start state's number. Raises BadValue for one that does not
    fit the table.
    """
    starts = [int(start) for start in problem.mdp.start_states()]
    names = ("own", "augmented", *problem.others.names)
    followed = {start: follow_policy(problem.mdp, _choose(policy, start)) for start in starts}
    means = dict.fromkeys(names, 0.0)
    errors: dict[str, float | None] = dict.fromkeys(names, 0.0)
    ends = 0.0
    for start, each in followed.items():
        chance = float(problem.mdp.start[start])
        ends += chance * compute_ending_probability(each.table, each.still, start)
        found = _compute_returns(problem, each, care, start, certify)
        for name, (value, error) in zip(names, found, strict=True):
            means[name] += chance * value
            known = errors[name]
            errors[name] = None if known is None or error is None else known + chance * error
    others = {name: means[name] for name in problem.others.names}
    given = sum(float(p) * value for p, value in zip(problem.others.probability, others.values(), strict=True) if p)
    measures = measure_policies(problem, {start: each.chance for start, each in followed.items()})
    return PolicyReturns(
        means["own"],
        others,
        means["own"] + given,
        means["augmented"],
        ends,
        measures,
        errors if certify else None,
    )


def compute_policy_occupancy(problem: Problem, policy: PolicyOfStart) -> Floats:
    """Return f64[S], the expected discounted visits of each state, the mean over the start states.

    policy: as in `evaluate_in_problem`. A terminal state counts once, when it is entered
    (`engine.planning.policy_chain`).
    """
    visits = np.zeros(len(problem.mdp.terminal))
    for start in map(int, problem.mdp.start_states()):
        followed = follow_policy(problem.mdp, _choose(policy, start))
        begin = np.where(np.arange(len(visits)) == start, problem.mdp.start, 0.0)
        visits += compute_occupancy(followed.table, followed.still, begin)
    return visits


def _choose(policy: PolicyOfStart, start: int) -> Policy | Floats:
    return policy[start] if isinstance(policy, Mapping) else policy


def _compute_returns(
    problem: Problem, followed: PolicyTable, care: float, start: int, certify: bool
) -> list[tuple[float, float | None]]:
    """Return own, augmented and others' returns from one start state, each with a bound of its error."""
    select = followed.select
    discounted = [problem.mdp.reward, problem.make_augmented_table(care, start).reward]
    table_of_others, of_others = problem.others.return_rewards(problem.mdp)
    asked = [(followed.table, select(reward)) for reward in discounted]
    asked += [(followed.table.with_discount(table_of_others.discount), select(reward)) for reward in of_others]
    result = []
    for table, reward in asked:
        value = float(evaluate_policy(table.with_reward(reward), followed.still)[start])
        error: float | None = 0.0
        if certify:
            [bounds] = bound_policy_values(table, [reward], followed.still, start)
            error = None if bounds is None or not math.isfinite(value) else bounds.error(value)
        result.append((value, error))
    return result
