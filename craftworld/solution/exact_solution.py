"""The exact solution of a problem for a range of caring coefficients at once.

`solve_trade_off` gives all optimal segments ("Be Considerate", Figure 1(b), whose transition points the authors found
by hand): own return, each other's value, their total, what is handed over and which actions are taken. A break point
belongs to the segment on its right, the one with the larger auxiliary value; `Tie` says what else would have been as
good there, and `Coverage` which range was solved.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from craftworld.solution.outcome import CaringOutcome, StartOutcome, average_outcomes, describe_outcome
from craftworld.solution.problem import Problem
from craftworld.table_scenario import TableScenario
from engine.errors import BadValue, NoPlan
from engine.mdp.mdp import Policy
from engine.mdp.policies import follow_policy
from engine.mdp.reachability import keep_reachable_part
from engine.plain_values import finite_or_none
from engine.planning.dynamic_programming import plan
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
    """A coefficient beside a break point, far enough for no rounding to count. side: 1 above it, -1 below."""
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
