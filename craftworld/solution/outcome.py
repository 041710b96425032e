"""What a policy leads to, in the scenario's own words: returns, what is handed over, and the actions taken."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from craftworld.others.other_agents import policy_returns
from craftworld.solution.problem import Problem
from engine.mdp.episode import sample
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.termination import proper_states
from engine.planning.dynamic_programming import evaluate_policy
from engine.planning.ending import ending_probability
from engine.planning.time_limit import step_rewards, visits_within
from engine.planning.trade_off.segment import Line, Segment


class CaringOutcome(NamedTuple):
    """What one policy leads to from one start state, or on average over several.

    own: the acting agent's own return. others: newcomer -> its value. total: own + sum_V P(V) V. handover: the final
    state in words, None where it depends on chance or where the policy never ends (the others' values are then nan:
    they never act). actions: names, in order; of an endless policy up to the first repeated state. ends: the
    probability that the policy ever ends, whatever the time limit.
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


def outcome_of(problem: Problem, segment: Segment, start: int) -> CaringOutcome:
    """What a segment's policy leads to, in words."""
    if segment.policy is not None and not problem.mdp.is_deterministic:
        return _expected_outcome(problem, segment, start)
    outcome = followed(problem, segment)
    if problem.mdp.terminal[segment.path[-1]]:
        return outcome
    outcome = outcome._replace(handover=None, ends=0.0)
    if not problem.others.names:
        return outcome
    return outcome._replace(others=dict.fromkeys(problem.others.names, math.nan), total=math.nan)


def policy_outcome(problem: Problem, policy: Policy) -> CaringOutcome:
    """What a policy, int32[S], leads to within the scenario's time limit: the mean over the start states."""
    mdp, limit = problem.mdp, problem.scenario.time_limit
    cases = [
        StartOutcome(
            problem.scenario.describe(mdp.states[start]),
            float(mdp.start[start]),
            limited_outcome(problem, policy, start, limit),
        )
        for start in map(int, mdp.start_states())
    ]
    return mean_outcome(cases)


def limited_outcome(problem: Problem, policy: Policy, start: int, limit: int) -> CaringOutcome:
    """What a policy, int32[S], leads to within a time limit, in words; where that ends it, the others act all the same.

    Where chance decides, the mean of what may come, without a final state and actions.
    """
    mdp = problem.mdp
    if not mdp.is_deterministic:
        visits = visits_within(mdp, policy, start, limit)
        own = float(step_rewards(mdp, policy, mdp.reward) @ visits.acting)
        outcome = _outcome(problem, own, problem.others.limited_returns(mdp, policy, visits), None, ())
        return outcome._replace(ends=ending_probability(mdp, policy, start))
    walk = sample(mdp, lambda state: int(policy[state]), start, limit)
    outcome = followed(problem, Segment(-math.inf, math.inf, Line(math.nan, math.nan), walk.states, walk.actions))
    if mdp.terminal[walk.states[-1]] or ending_probability(mdp, policy, start):
        return outcome
    different = len(set(walk.states))
    return outcome._replace(ends=0.0, actions=outcome.actions[:different])


def followed(problem: Problem, segment: Segment) -> CaringOutcome:
    """What a path leads to, in words; where the time limit ends it, the others act all the same."""
    own = _discounted(problem.mdp, segment)
    returns = problem.others.path_returns(problem.mdp, segment.path, segment.actions)
    actions = tuple(problem.mdp.actions[action] for action in segment.actions)
    return _outcome(problem, own, returns, problem.scenario.describe(problem.mdp.states[segment.path[-1]]), actions)


def _expected_outcome(problem: Problem, segment: Segment, start: int) -> CaringOutcome:
    assert segment.policy is not None
    own = float(evaluate_policy(problem.mdp, segment.policy)[start])
    if not proper_states(problem.mdp, segment.policy)[start]:
        ends = ending_probability(problem.mdp, segment.policy, start)
        return CaringOutcome(own, dict.fromkeys(problem.others.names, math.nan), math.nan, None, (), ends)
    return _outcome(problem, own, policy_returns(problem.others, problem.mdp, segment.policy, start), None, ())


def _outcome(
    problem: Problem, own: float, returns: Floats, handover: Mapping[str, Any] | None, actions: tuple[str, ...]
) -> CaringOutcome:
    others = dict(zip(problem.others.names, map(float, returns), strict=True))
    return CaringOutcome(own, others, own + float(problem.others.probability @ returns), handover, actions)


def mean_outcome(cases: Sequence[StartOutcome]) -> CaringOutcome:
    """The mean outcome over start states; handover and actions are given only for a single start state."""
    if len(cases) == 1:
        return cases[0].outcome
    own = sum(case.probability * case.outcome.own for case in cases)
    total = sum(case.probability * case.outcome.total for case in cases)
    names = cases[0].outcome.others
    others = {name: sum(case.probability * case.outcome.others[name] for case in cases) for name in names}
    return CaringOutcome(own, others, total, None, (), sum(case.probability * case.outcome.ends for case in cases))


def _discounted(mdp: TabularMDP, segment: Segment) -> float:
    """The own return of a path; -inf or its geometric limit where the path never ends."""
    if segment.policy is not None and not mdp.terminal[segment.path[-1]]:
        return float(evaluate_policy(mdp, segment.policy)[segment.path[0]])
    result = 0.0
    for state, action in reversed(list(zip(segment.path, segment.actions, strict=False))):
        result = float(mdp.reward[state, action, 0]) + mdp.discount * result
    return result
