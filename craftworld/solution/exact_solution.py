"""The exact solution of a problem for a range of caring coefficients at once, and the outcome of a policy.

`solve_trade_off` gives all optimal segments ("Be Considerate", Figure 1(b), whose transition points the authors found
by hand): own return, each other's value, their total, what is handed over and which actions are taken. A break point
belongs to the segment on its right, the one with the larger auxiliary value; `Tie` says what else would have been as
good there, and `Coverage` which range was solved.

An outcome has the returns, what is handed over, and the actions taken, in the scenario's own words. An action is
optimal where Q(s, a) = V(s) of the augmented reward. Following optimal actions only, an agent may end in several
states, and whoever comes next may like some of them better. Between these states a formulation does not choose."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from craftworld.others.other_agents import RewardDistribution, compute_policy_returns
from craftworld.solution.problem import Problem
from craftworld.table_scenario import TableScenario
from engine.errors import BadValue, NoPlan
from engine.mdp.mdp import Booleans, Floats, Policy, TabularMDP
from engine.mdp.policies import follow_policy, sample
from engine.mdp.reachability import find_proper_states, keep_reachable_part
from engine.plain_values import finite_or_none
from engine.planning.dynamic_programming import compute_ending_probability, evaluate_policy, plan
from engine.planning.finite_horizon import compute_step_rewards, count_visits_within
from engine.planning.trade_off.envelope import (
    EQUAL,
    EVERYWHERE,
    Line,
    Range,
    Segment,
    check_epsilon,
    find_covering_segments,
    find_segment_policy,
    is_at_most,
    move_points,
    unite_points,
)
from engine.planning.trade_off.optimal_segments import find_segment_at
from engine.value_types import HEAVIEST, LIGHTEST, Coefficient, require


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


FROM_ZERO: Range = (0.0, math.inf)


class CaringSegment(NamedTuple):
    """The outcome of the optimal policy for coefficients from care_from up to care_to (None: unbounded)."""

    care_from: float | None
    care_to: float | None
    outcome: CaringOutcome
    cases: tuple[StartOutcome, ...]


class Tie(NamedTuple):
    """A coefficient at which several policies are optimal. lines: by rising auxiliary value; the last is followed."""

    care: float
    lines: tuple[Line, ...]


class Coverage(NamedTuple):
    """The range of coefficients that was solved. care_from, care_to: its ends, None for unbounded.

    limits: coefficients within at which the optimum stops being finite: beyond, a cycle has positive reward.
    """

    care_from: float | None
    care_to: float | None
    limits: tuple[float, ...]


def solve(problem: Problem, care: float) -> tuple[CaringOutcome, tuple[StartOutcome, ...]]:
    """Solve one coefficient exactly; return the mean outcome over the start states, and each of them."""
    return _describe_outcomes(
        problem, {start: problem.find_segment(care, start) for start in map(int, problem.mdp.start_states())}
    )


def find_optimal_policies(problem: Problem, care: float) -> dict[int, Policy]:
    """Find the optimal policy at a coefficient from each start state's number: int32[S], an action in every state.

    In the states that it reaches it does what `solve` reports. In the others it is optimal for an agent that were
    there, where a finite optimum exists there.
    """
    policies = {}
    for start in map(int, problem.mdp.start_states()):
        segment = problem.find_segment(care, start)
        followed = problem.mdp.executable(find_segment_policy(segment, len(problem.mdp.terminal)))
        reached = ~keep_reachable_part(follow_policy(problem.mdp, followed).table, start).terminal
        elsewhere = _plan_every_state(problem, care, start, followed)
        policies[start] = problem.mdp.executable(np.where(reached, followed, elsewhere).astype(np.int32))
    return policies


def _plan_every_state(problem: Problem, care: float, start: int, otherwise: Policy) -> Policy:
    """An optimal policy of the whole table, or of its part that a start state leads to; `otherwise` without a plan."""
    table = problem.make_augmented_table(care, start)
    for each in (table, problem.restrict_to_start(start, table)):
        with suppress(NoPlan):
            return plan(each).policy
    return otherwise


def find_mean_outcomes(problem: Problem, cares: Sequence[float]) -> Iterator[CaringOutcome]:
    """Yield the exact optimum at each coefficient, the mean over the start states; shared ones are found once.

    All are solved together, from 0 or the lowest one on. Raises BadValue for a coefficient that is out of bounds.
    """
    solved = problem.find_segments_of(cares)
    known: dict[tuple[int, ...], CaringOutcome] = {}
    outcome = None
    low = math.inf
    high = -math.inf
    for care in cares:
        if outcome is None or not low < care < high:
            require("care", care, Coefficient)
            segments = {start: find_segment_at(each, care) for start, each in solved.items()}
            followed = tuple(map(id, segments.values()))
            if followed not in known:
                known[followed], _ = _describe_outcomes(problem, segments)
            outcome = known[followed]
            least, most = (LIGHTEST, HEAVIEST) if care > 0 else (-HEAVIEST, -LIGHTEST)
            low = max(least, *(_step_beyond_rounding(segment.start, 1.0) for segment in segments.values()))
            high = min(most, *(_step_beyond_rounding(segment.stop, -1.0) for segment in segments.values()))
        yield outcome


def _step_beyond_rounding(point: float, side: float) -> float:
    """Return a coefficient beside a break point, far enough for no rounding to count. side: 1 above it, -1 below."""
    return point + side * 2 * EQUAL * abs(point) if math.isfinite(point) else point


def solve_trade_off(problem: Problem, between: Range = FROM_ZERO, epsilon: float = 0.0) -> list[CaringSegment]:
    """Find all optimal segments of a range of coefficients (-inf and inf for no bound); only the range is solved.

    epsilon: the loss of the augmented return own + care * auxiliary, absolute, up to which segments are left out: the
    fewest are kept (`engine.planning.trade_off.envelope`). Raises BadValue where the range holds no interval.
    """
    chosen = choose_segments(problem, between, epsilon)
    care_min, care_max = between
    points = sorted({start for segments in chosen.values() for start in _find_changes(segments, between)})
    edges = [care_min, *(point for point in points if care_min < point < care_max), care_max]
    result = []
    for left, right in itertools.pairwise(edges):
        care = choose_inner_coefficient(left, right)
        outcome, cases = _describe_outcomes(
            problem, {start: find_segment_at(each, care) for start, each in chosen.items()}
        )
        result.append(CaringSegment(finite_or_none(left), finite_or_none(right), outcome, cases))
    return result


def find_segment_policies_at(problem: Problem, care: float) -> dict[int, Policy]:
    """Find the optimum's policy at a coefficient, start state's number -> int32[S], arbitrary where it never comes."""
    states = len(problem.mdp.terminal)
    starts = map(int, problem.mdp.start_states())
    return {start: find_segment_policy(problem.find_segment(care, start), states) for start in starts}


def find_segment_policies(
    problem: Problem, segments: Sequence[CaringSegment], between: Range = FROM_ZERO, epsilon: float = 0.0
) -> Iterator[dict[int, Policy]]:
    """Yield the policies of each segment of `solve_trade_off`: start state's number -> int32[S].

    What is not reached from a start state may be arbitrary. between, epsilon: as they were solved.
    """
    chosen = choose_segments(problem, between, epsilon)
    states = len(problem.mdp.terminal)
    for segment in segments:
        low = -math.inf if segment.care_from is None else segment.care_from
        care = choose_inner_coefficient(low, math.inf if segment.care_to is None else segment.care_to)
        yield {start: find_segment_policy(find_segment_at(each, care), states) for start, each in chosen.items()}


def find_break_points(problem: Problem, between: Range = EVERYWHERE) -> list[float]:
    """Find the coefficients of a range at which the optimal policy changes from some start state, ascending.

    The ends of the range are among them where they are break points. Raises BadValue where the range holds no interval.
    """
    chosen = choose_segments(problem, between)
    return sorted({start for segments in chosen.values() for start in _find_changes(segments, between)})


def find_ties(problem: Problem, between: Range = EVERYWHERE, epsilon: float = 0.0) -> list[Tie]:
    """Find the tied lines at each break point; with epsilon, where the policies that `solve_trade_off` keeps meet."""
    chosen = choose_segments(problem, between, epsilon)
    points = sorted({start for segments in chosen.values() for start in _find_changes(segments, between)})
    tied: dict[float, set[Line]] = {point: set() for point in points}
    for segments in chosen.values():
        for segment in segments:
            if segment.start in tied:
                tied[segment.start].update(segment.ties)
    return [Tie(point, tuple(sorted(lines, key=lambda line: line.auxiliary))) for point, lines in tied.items()]


def find_coverage(problem: Problem, between: Range = FROM_ZERO) -> Coverage:
    """Find the range that `solve_trade_off` covers, and the limits inside at which the optimum stops being finite."""
    limits = {
        right.start
        for segments in choose_segments(problem, between).values()
        for left, right in itertools.pairwise(segments)
        if math.isinf(left.line.own) != math.isinf(right.line.own)
    }
    return Coverage(finite_or_none(between[0]), finite_or_none(between[1]), tuple(sorted(limits)))


def choose_segments(problem: Problem, between: Range, epsilon: float = 0.0) -> dict[int, list[Segment]]:
    """Choose each start state's segments of a range, all of them or the fewest within epsilon of the optimum.

    Points of several start states that differ by rounding alone are one. Raises BadValue where the range is empty or
    one point.
    """
    low, high = between
    if not low < high:
        raise BadValue(f"care from {low} to {high} is empty", place="care", remedy="give a lower and a higher number")
    tolerated = check_epsilon(epsilon)
    chosen = {
        start: find_covering_segments(_clip_segments(segments, low, high), tolerated)
        for start, segments in problem.find_segments_between(between).items()
    }
    point = unite_points((end for each in chosen.values() for one in each for end in (one.start, one.stop)), between)
    return {start: move_points(segments, point) for start, segments in chosen.items()}


def find_segment_index(segments: Sequence[CaringSegment], care: float) -> int:
    """Return the index of a coefficient's segment; a break point, but for rounding, belongs to the right one."""
    starts = [-math.inf if segment.care_from is None else segment.care_from for segment in segments]
    return max((n for n, start in enumerate(starts) if is_at_most(start, care)), default=0)


def choose_inner_coefficient(left: float, right: float) -> float:
    """Choose a coefficient strictly between two bounds."""
    if math.isinf(left) and math.isinf(right):
        return 0.0
    if math.isinf(left):
        return right - 1.0 - abs(right)
    return left + 1.0 + abs(left) if math.isinf(right) else (left + right) / 2


def _describe_outcomes(
    problem: Problem, segments: Mapping[int, Segment]
) -> tuple[CaringOutcome, tuple[StartOutcome, ...]]:
    """Describe the mean outcome over the start states and each of them. segments: start state -> its segment."""
    if isinstance(problem.scenario, TableScenario):
        _confirm_policies(problem, problem.scenario, segments)
    cases = []
    for start, segment in segments.items():
        outcome = describe_outcome(problem, segment, start)
        state = problem.mdp.states[start]
        cases.append(StartOutcome(problem.scenario.describe(state), float(problem.mdp.start[start]), outcome))
    return average_outcomes(cases), tuple(cases)


def _confirm_policies(problem: Problem, scenario: TableScenario, segments: Mapping[int, Segment]) -> None:
    """Show the scenario the segments' policies, by its own numbers of states."""
    numbers = problem.mdp.states.columns().number  # type: ignore[attr-defined]
    policies = {}
    for start, segment in segments.items():
        policy = policies[int(numbers[start])] = np.full(len(scenario.table.terminal), -1, dtype=np.int32)
        if segment.policy is not None:
            policy[numbers] = segment.policy
        else:
            policy[numbers[list(segment.path[: len(segment.actions)])]] = segment.actions
    scenario.confirm_policies(policies)


def _clip_segments(segments: list[Segment], low: float, high: float) -> list[Segment]:
    """Clip segments, which cover at least a range, to the range."""
    kept = [segment for segment in segments if segment.stop > low and segment.start <= high]
    return [
        replace(segment, start=max(segment.start, low), stop=min(segment.stop, high))
        if segment.start >= low
        else replace(segment, start=low, stop=min(segment.stop, high), ties=())
        for segment in kept
    ]


def _find_changes(segments: list[Segment], between: Range) -> list[float]:
    """Find the coefficients of a range at which one segment ends and the next begins."""
    first = [segment.start for segment in segments[:1] if segment.ties]
    starts = [*first, *(segment.start for segment in segments[1:])]
    return [start for start in starts if math.isfinite(start) and between[0] <= start <= between[1]]
