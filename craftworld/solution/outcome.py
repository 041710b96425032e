"""The outcome of a policy, in the scenario's own words, and the outcomes of other optimal policies.

An outcome has the returns, what is handed over, and the actions taken. An action is optimal where Q(s, a) = V(s) of
the augmented reward. Following optimal actions only, an agent may end in several states, and whoever comes next may
like some of them better. Between these states a formulation does not choose.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from craftworld.others.other_agents import RewardDistribution, compute_policy_returns
from craftworld.solution.problem import Problem
from engine.mdp.mdp import Booleans, Floats, Policy, TabularMDP
from engine.mdp.policies import follow_policy, sample
from engine.mdp.reachability import find_proper_states
from engine.planning.dynamic_programming import compute_ending_probability, evaluate_policy, plan
from engine.planning.finite_horizon import compute_step_rewards, count_visits_within
from engine.planning.trade_off.envelope import Line, Segment, find_segment_policy


class CaringOutcome(NamedTuple):
    """The outcome of one policy from one start state, or its mean over several.

    own: the acting agent's own return. others: newcomer -> its value. total: own + sum_V P(V) V. handover: the final
    state in words, None where it depends on chance or where the policy never ends. Values of newcomers are then nan,
    since they never act; so are returns of others who are there meanwhile if one is not finite. actions: names, in
    order; of an endless policy up to the first repeated state. ends: the probability that the policy ever ends,
    whatever the time limit.
    """

    own: float
    others: Mapping[str, float]
    total: float
    handover: Mapping[str, Any] | None
    actions: tuple[str, ...]
    ends: float = 1.0


class StartOutcome(NamedTuple):
    """One of several start states: its description, its probability, and the outcome from there."""

    start: Mapping[str, Any]
    probability: float
    outcome: CaringOutcome


def describe_outcome(problem: Problem, segment: Segment, start: int) -> CaringOutcome:
    """Describe the outcome of a segment's policy."""
    if segment.policy is not None and not problem.mdp.is_deterministic:
        return _expect_outcome(problem, segment, start)
    outcome = follow_path(problem, segment)
    if problem.mdp.terminal[segment.path[-1]]:
        return outcome
    outcome = outcome._replace(handover=None, ends=0.0)
    if not problem.others.names:
        return outcome
    policy = find_segment_policy(segment, len(problem.mdp.terminal))
    return _make_endless_outcome(problem, outcome.own, policy, start)._replace(actions=outcome.actions)


def describe_policy_outcome(problem: Problem, policy: Policy | Floats, limit: int | None = None) -> CaringOutcome:
    """Describe the mean outcome of a policy, int32[S] or f64[S, A], over the start states, within a time limit.

    limit: the scenario's own by default.
    """
    mdp = problem.mdp
    limit = problem.scenario.time_limit if limit is None else limit
    cases = [
        StartOutcome(
            problem.scenario.describe(mdp.states[start]),
            float(mdp.start[start]),
            describe_limited_outcome(problem, policy, start, limit),
        )
        for start in map(int, mdp.start_states())
    ]
    return average_outcomes(cases)


def describe_limited_outcome(problem: Problem, policy: Policy | Floats, start: int, limit: int) -> CaringOutcome:
    """Describe the outcome of a policy within a time limit; where the limit ends it, the others act as well.

    policy: int32[S] or f64[S, A]. Where chance decides, in steps or in actions, it is the expected outcome, without a
    final state and actions.
    """
    mdp = problem.mdp
    if not mdp.is_deterministic or policy.ndim == 2:
        followed = follow_policy(mdp, policy)
        visits = count_visits_within(followed.table, followed.still, start, limit)
        step = compute_step_rewards(followed.table, followed.still, followed.select(mdp.reward))
        returns = problem.others.compute_final_values(mdp, policy, visits)
        outcome = _make_outcome(problem, float(step @ visits.acting), returns, None, ())
        return outcome._replace(ends=compute_ending_probability(followed.table, followed.still, start))
    actions = policy.astype(np.int32)
    walk = sample(mdp, lambda state: int(actions[state]), start, limit)
    outcome = follow_path(problem, Segment(-math.inf, math.inf, Line(math.nan, math.nan), walk.states, walk.actions))
    if mdp.terminal[walk.states[-1]] or compute_ending_probability(mdp, actions, start):
        return outcome
    different = len(set(walk.states))
    return outcome._replace(ends=0.0, actions=outcome.actions[:different])


def follow_path(problem: Problem, segment: Segment) -> CaringOutcome:
    """Describe the outcome of a path; where the time limit ends it, the others act as well."""
    own = _sum_rewards(problem.mdp, segment)
    returns = problem.others.path_returns(problem.mdp, segment.path, segment.actions)
    actions = tuple(problem.mdp.actions[action] for action in segment.actions)
    return _make_outcome(
        problem, own, returns, problem.scenario.describe(problem.mdp.states[segment.path[-1]]), actions
    )


def _expect_outcome(problem: Problem, segment: Segment, start: int) -> CaringOutcome:
    assert segment.policy is not None
    own = float(evaluate_policy(problem.mdp, segment.policy)[start])
    if not find_proper_states(problem.mdp, segment.policy)[start]:
        return _make_endless_outcome(problem, own, segment.policy, start)
    return _make_outcome(
        problem, own, compute_policy_returns(problem.others, problem.mdp, segment.policy, start), None, ()
    )


def _make_endless_outcome(problem: Problem, own: float, policy: Policy, start: int) -> CaringOutcome:
    """Describe a policy that may never end: the returns of others who are there meanwhile, where they are finite."""
    returns = np.full(len(problem.others.names), math.nan)
    if isinstance(problem.others, RewardDistribution):
        found = compute_policy_returns(problem.others, problem.mdp, policy, start)
        returns = found if np.isfinite(found).all() else returns
    ends = compute_ending_probability(problem.mdp, policy, start)
    return _make_outcome(problem, own, returns, None, ())._replace(ends=ends)


def _make_outcome(
    problem: Problem, own: float, returns: Floats, handover: Mapping[str, Any] | None, actions: tuple[str, ...]
) -> CaringOutcome:
    others = dict(zip(problem.others.names, map(float, returns), strict=True))
    return CaringOutcome(own, others, own + float(problem.others.probability @ returns), handover, actions)


def average_outcomes(cases: Sequence[StartOutcome]) -> CaringOutcome:
    """Average outcomes over start states; only a single start state has a handover and actions."""
    if len(cases) == 1:
        return cases[0].outcome
    own = sum(case.probability * case.outcome.own for case in cases)
    total = sum(case.probability * case.outcome.total for case in cases)
    names = cases[0].outcome.others
    others = {name: sum(case.probability * case.outcome.others[name] for case in cases) for name in names}
    return CaringOutcome(own, others, total, None, (), sum(case.probability * case.outcome.ends for case in cases))


def _sum_rewards(mdp: TabularMDP, segment: Segment) -> float:
    """Sum the own return of a path; -inf or the geometric limit where the path never ends."""
    if segment.policy is not None and not mdp.terminal[segment.path[-1]]:
        return float(evaluate_policy(mdp, segment.policy)[segment.path[0]])
    result = 0.0
    for state, action in reversed(list(zip(segment.path, segment.actions, strict=False))):
        result = float(mdp.reward[state, action, 0]) + mdp.discount * result
    return result


ROUNDING = 1e-9


def find_alternative_outcomes(problem: Problem, care: float, start: int) -> tuple[CaringOutcome, ...]:
    """Find outcomes of optimal policies from a start state that differ in the others' values, the solution's own first.

    One policy for each; among equal ones the shortest. Only where nothing depends on chance and the optimum ends;
    the solution's own outcome alone elsewhere. care: a finite coefficient.
    """
    chosen = problem.find_segment(care, start)
    own = describe_outcome(problem, chosen, start)
    if not problem.mdp.is_deterministic or not math.isfinite(chosen.line.own):
        return (own,)
    table = problem.make_augmented_table(care, start)
    before = _find_optimal_steps(problem.restrict_to_start(start, table), start)  # elsewhere nothing need be finite
    different = [own]
    for end in np.flatnonzero(table.terminal & (before >= 0).any(axis=1)):
        states, actions = _trace_path(before, start, int(end))
        path = Segment(-math.inf, math.inf, Line(math.nan, math.nan), states, actions)
        outcome = follow_path(problem, path)
        if not any(_agree(outcome.others, known.others) for known in different):
            different.append(outcome)
    return tuple(different)


def _find_optimal_steps(table: TabularMDP, start: int) -> NDArray[np.int64]:
    """int64[S, 2]: the state and the action before each state that optimal actions reach from a start; -1 elsewhere."""
    solution = plan(table)
    scale = np.maximum(1.0, np.abs(solution.value))
    with np.errstate(invalid="ignore"):  # -inf where nothing ends
        optimal: Booleans = solution.value[:, None] - solution.action_value <= ROUNDING * scale[:, None]
    before = np.full((len(table.terminal), 2), -1, dtype=np.int64)
    before[start] = start, -1
    reached = np.array([start])
    while len(reached):
        state, action = np.nonzero(optimal[reached] & ~table.terminal[reached, None])
        origin = reached[state]
        target = table.next_state[origin, action, 0].astype(np.int64)
        fresh = before[target, 0] < 0
        reached, first = np.unique(target[fresh], return_index=True)
        before[reached] = np.stack([origin[fresh][first], action[fresh][first]], axis=1)
    before[start] = -1
    return before


def _trace_path(before: NDArray[np.int64], start: int, end: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Trace the states from the start to an end, and the actions between them."""
    states = [end]
    actions = list[int]()
    while states[-1] != start:
        state, action = map(int, before[states[-1]])
        states.append(state)
        actions.append(action)
    return tuple(reversed(states)), tuple(reversed(actions))


def _agree(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    return all(abs(one[name] - other[name]) <= ROUNDING * max(1.0, abs(one[name])) for name in one)
