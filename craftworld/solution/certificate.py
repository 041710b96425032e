"""Certificates of a problem's numbers: own return, others' values, totals, break points, and the largest loss.

Every number is between two bounds, which meet where fractions show it exactly. They hold for the rewards and
probabilities in the tables, and for others' values from a file as they stand there. Newcomers' planned values are
compared with bounds of their optimum. References: the modules of `engine.planning.certificates`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy.sparse import csgraph

from craftworld.others.other_agents import RewardDistribution
from craftworld.others.value_distribution import (
    ValueDistribution,
    list_valued_newcomers,
    replace_endless_values,
    tabulate_followed_newcomer,
)
from craftworld.scenario import Scenario
from craftworld.solution.exact_solution import CaringOutcome, CaringSegment, choose_inner_coefficient
from craftworld.solution.problem import Problem
from engine.errors import BadValue
from engine.mdp.mdp import Booleans, Floats, Policy, TabularMDP
from engine.mdp.policies import RandomStates
from engine.mdp.reachability import find_proper_states
from engine.planning.certificates.interval import Interval, as_fraction, enclose_exactly, enclose_stored, sum_weighted
from engine.planning.certificates.trade_off import (
    Loss,
    OptimumBounds,
    TradeOffCertificate,
    bound_policy_values,
    certify,
    find_largest,
)
from engine.planning.dynamic_programming import plan
from engine.planning.policy_chain import PolicyChain
from engine.planning.trade_off.envelope import Segment, find_segment_policy
from engine.planning.trade_off.optimal_segments import find_segment_at

ROUNDED_SUM = Fraction(1, 10**13)


class _NewcomerPlan(NamedTuple):
    """A newcomer's plan. finishes: bool[S], where the plan is not cut by the time limit."""

    table: TabularMDP
    begins: RandomStates
    value: Floats
    policy: Policy
    finishes: Booleans


class NewcomerBounds:
    """Bounds of the errors of newcomers' values, for one newcomer and final state at a time; tables are made once."""

    def __init__(self, scenario: Scenario, mdp: TabularMDP, values: ValueDistribution) -> None:
        self._scenario, self._mdp, self._values = scenario, mdp, values
        self._plans: dict[int, _NewcomerPlan] = {}
        self._optima: dict[tuple[int, int], Interval | None] = {}

    def error(self, newcomer: int, state: int) -> Fraction | None:
        """Bound |V - V*| where the acting agent ends in a state: 0 where V* is exact, None without a bound.

        Values from elsewhere, such as a file, are trusted: their bound is 0.
        """
        plan_of = self._plans.get(newcomer) or self._plan(newcomer)
        number, probability = plan_of.begins.number[state], plan_of.begins.probability[state]
        stored = float(self._values.value[newcomer, state])
        if float(plan_of.begins.average(plan_of.value)[state]) != stored:
            return Fraction(0)
        begins = [(float(p), int(start)) for p, start in zip(probability, number, strict=True) if p]
        optima = [self._find_optimum(newcomer, start) for _, start in begins]
        known = [optimum for optimum in optima if optimum is not None]
        if len(known) < len(optima):
            return None
        mean = sum_weighted(zip([enclose_stored(p) for p, _ in begins], known, strict=True))
        meant = as_fraction(stored) if mean.exact is not None else None
        here = Fraction(stored) if meant is None else meant
        return max(mean.upper - here, here - mean.lower, Fraction(0))

    def _plan(self, newcomer: int) -> _NewcomerPlan:
        who = list_valued_newcomers(self._scenario, self._values)[newcomer]
        table, begins = tabulate_followed_newcomer(self._scenario, self._mdp, who)
        solution = plan(table)
        value = replace_endless_values(table, solution.value, who.scenario.time_limit)
        planned = _NewcomerPlan(table, begins, value, solution.policy, np.isfinite(solution.value))
        self._plans[newcomer] = planned
        return planned

    def _find_optimum(self, newcomer: int, start: int) -> Interval | None:
        """Find bounds of a newcomer's optimal value from one of its start states."""
        if (newcomer, start) not in self._optima:
            self._optima[newcomer, start] = _bound_optimum(self._plans[newcomer], start)
        return self._optima[newcomer, start]


def _bound_optimum(planned: _NewcomerPlan, start: int) -> Interval | None:
    table = planned.table
    value = Fraction(float(planned.value[start]))
    if not planned.finishes[start]:  # what the time limit lets it collect: a sum of rewards
        whole = table.discount == 1.0 and table.is_deterministic and bool((table.reward == np.rint(table.reward)).all())
        room = Fraction(0) if whole else ROUNDED_SUM * abs(value)
        return Interval(value - room, value + room)
    nothing = np.zeros(table.reward.shape)
    weights = (Fraction(1), Fraction(0))
    upper = OptimumBounds(table, nothing, start=start).upper(weights)
    [own] = bound_policy_values(table, [table.reward], planned.policy, start)
    if upper is None or own is None:
        return None
    return enclose_exactly(upper) if own.exact == upper else Interval(min(own.lower, upper), upper)


def bound_mean(weights: Sequence[Interval], values: Sequence[Interval | None]) -> Interval | None:
    """Bound the weighted sum; None where a value has no bounds."""
    known = [value for value in values if value is not None]
    return sum_weighted(zip(weights, known, strict=True)) if len(known) == len(values) else None


MOST_ENDS = 100
MOST_WORK = 2 * 10**8  # successors looked at, over all segments
SECONDS_EACH = 1e-5


class CertifiedOutcome(NamedTuple):
    """Bounds of an outcome's own return, the others' values and the total; None for no bounds.

    largest_reward: of the acting agent, in absolute value.
    """

    own: Interval | None
    others: Mapping[str, Interval | None]
    total: Interval | None
    largest_reward: float = 1.0

    def scale(self, outcome: CaringOutcome) -> float:
        """Return the scale of errors: the outcome's largest number or the largest reward, in absolute value."""
        numbers = (outcome.own, outcome.total, *outcome.others.values())
        return max([self.largest_reward, *(abs(number) for number in numbers if math.isfinite(number))])

    def error(self, outcome: CaringOutcome) -> float:
        """Return the largest error of the outcome's numbers, but for nan; infinite where one has no bounds."""
        pairs = [(self.own, outcome.own), (self.total, outcome.total)]
        pairs += [(self.others[name], value) for name, value in outcome.others.items()]
        finite = [(bounds, value) for bounds, value in pairs if math.isfinite(value)]
        return max((math.inf if bounds is None else bounds.error(value) for bounds, value in finite), default=math.inf)


class CaringCertificate(NamedTuple):
    """The certificate of a trade-off. outcomes: one for each segment. points: the break points between them.

    loss: by how much the return of any policy that ends may be larger than that of the segment, from some start state.
    point_scale: the coefficient at which the largest own and the largest auxiliary reward are equal.
    """

    outcomes: tuple[CertifiedOutcome, ...]
    points: tuple[Interval | None, ...]
    loss: Loss
    point_scale: float


def certify_trade_off(
    problem: Problem, listed: Sequence[CaringSegment], segments: Mapping[int, Sequence[Segment]]
) -> CaringCertificate:
    """Certify a trade-off.

    listed: as `craftworld.solution.exact_solution.solve_trade_off` returns them. segments: start state -> the segments
    from which they were made. Raises BadValue, with the cost, where that would take very long.
    """
    require_bounded(problem, sum(map(len, segments.values())))
    certificates = {start: _certify_start(problem, start, each) for start, each in segments.items()}
    ends = [[math.inf if end is None else end for end in (segment.care_from, segment.care_to)] for segment in listed]
    inside = [choose_inner_coefficient(-low if math.isinf(low) else low, high) for low, high in ends]
    bounds = OutcomeBounds(problem)
    outcomes = tuple(
        bounds.outcome({start: find_segment_at(each, care) for start, each in segments.items()}) for care in inside
    )
    points = tuple(
        _bound_point(segment.care_to, segments, certificates) for segment in listed[:-1] if segment.care_to is not None
    )
    return CaringCertificate(outcomes, points, *_combine_certificates(list(certificates.values())))


def certify_solution(problem: Problem, care: float) -> CaringCertificate:
    """Certify the optimum at one coefficient: one outcome, and the largest loss against another policy."""
    segments = problem.find_segments_between((care, care))
    alone = {start: [replace(find_segment_at(each, care), start=care, stop=care)] for start, each in segments.items()}
    outcome = OutcomeBounds(problem).outcome({start: each[0] for start, each in alone.items()})
    certificates = [_certify_start(problem, start, each) for start, each in alone.items()]
    return CaringCertificate((outcome,), (), *_combine_certificates(certificates))


class OutcomeBounds:
    """Bounds of outcomes of one problem, one policy a start state after the other."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._largest_reward = find_largest(problem.mdp.reward)
        values = problem.others
        self._newcomers: NewcomerBounds | None = None
        if isinstance(values, ValueDistribution) and len(problem.scenario.newcomers()) == len(values.names):
            self._newcomers = NewcomerBounds(problem.scenario, problem.mdp, values)

    def outcome(self, segments: Mapping[int, Segment]) -> CertifiedOutcome:
        """Bound the mean outcome over start states. segments: start state -> the segment followed from there."""
        return self._mean(segments)._replace(largest_reward=self._largest_reward)

    def _mean(self, segments: Mapping[int, Segment]) -> CertifiedOutcome:
        cases = [self._bound_case(segment, start) for start, segment in segments.items()]
        chances = [enclose_stored(float(self._problem.mdp.start[start])) for start in segments]
        if len(cases) == 1:
            return cases[0]
        names = self._problem.others.names
        return CertifiedOutcome(
            bound_mean(chances, [case.own for case in cases]),
            {name: bound_mean(chances, [case.others[name] for case in cases]) for name in names},
            bound_mean(chances, [case.total for case in cases]),
        )

    def _bound_case(self, segment: Segment, start: int) -> CertifiedOutcome:
        mdp = self._problem.mdp
        others = self._problem.others
        nothing = CertifiedOutcome(None, dict.fromkeys(others.names), None)
        if math.isinf(segment.line.own):
            return nothing
        policy = find_segment_policy(segment, len(mdp.terminal))
        [own] = bound_policy_values(mdp, [mdp.reward], policy, start)
        meanwhile = isinstance(others, RewardDistribution)
        if not (meanwhile or find_proper_states(mdp, policy)[start]):
            return nothing._replace(own=own, total=None if others.names else own)
        table, rewards = others.return_rewards(mdp)
        returns = bound_policy_values(table, rewards, policy, start)
        ends = self._list_ends(policy, start) if self._newcomers is not None else []
        returns = [self._widen(bounds, number, ends) for number, bounds in enumerate(returns)]
        values = [own, *returns]
        weights = [enclose_exactly(1), *(enclose_stored(float(chance)) for chance in others.probability)]
        return CertifiedOutcome(own, dict(zip(others.names, returns, strict=True)), bound_mean(weights, values))

    def _list_ends(self, policy: Policy, start: int) -> list[int]:
        """List the terminal states in which a policy may end."""
        chain = PolicyChain(self._problem.mdp, policy).transitions
        reached = csgraph.breadth_first_order(chain, start, return_predecessors=False)
        return [int(state) for state in reached if self._problem.mdp.terminal[state]]

    def _widen(self, bounds: Interval | None, number: int, ends: list[int]) -> Interval | None:
        """Widen bounds by the errors of the newcomers' values."""
        if bounds is None or self._newcomers is None:
            return bounds
        if len(ends) > MOST_ENDS:
            return None
        errors = [self._newcomers.error(number, state) for state in ends]
        known = [error for error in errors if error is not None]
        if len(known) < len(errors):
            return None
        room = max(known, default=Fraction(0))
        return Interval(bounds.lower - room, bounds.upper + room)


def require_bounded(problem: Problem, count: int) -> None:
    """Raise BadValue, with the minutes, for more than `MOST_WORK`."""
    work = count * problem.mdp.next_state.size
    if work > MOST_WORK:
        raise BadValue(
            f"{count} segments of {len(problem.mdp.terminal)} states take about {SECONDS_EACH * work / 60:.0f} minutes",
            place="certificate",
            remedy="choose a smaller range of care, or fewer policies by an epsilon",
        )


def _certify_start(problem: Problem, start: int, segments: Sequence[Segment]) -> TradeOffCertificate:
    fixed, swept = problem.compute_caring_rewards(start)
    return certify(problem.mdp.with_reward(problem.own * problem.mdp.reward + fixed), swept, start, segments)


def _combine_certificates(certificates: Sequence[TradeOffCertificate]) -> tuple[Loss, float]:
    """Combine start states: their largest loss, and the least scale of their break points."""
    return _find_worst_loss([each.loss for each in certificates]), min(each.point_scale for each in certificates)


def _find_worst_loss(losses: Sequence[Loss]) -> Loss:
    """Find the largest loss and the largest slopes; None where one of them is unknown."""
    unknown = next((loss for loss in losses if loss.amount is None), None)
    if unknown is not None:
        return unknown
    worst = max(losses, key=lambda loss: loss.amount or Fraction(0))
    return replace(
        worst,
        low_slope=_find_largest_slope([loss.low_slope for loss in losses]),
        high_slope=_find_largest_slope([loss.high_slope for loss in losses]),
    )


def _find_largest_slope(slopes: Sequence[Fraction | None]) -> Fraction | None:
    known = [slope for slope in slopes if slope is not None]
    return max(known) if len(known) == len(slopes) else None


def _bound_point(
    care: float, segments: Mapping[int, Sequence[Segment]], certificates: Mapping[int, TradeOffCertificate]
) -> Interval | None:
    """Bound a break point by the certificate of its start state."""
    for start, each in segments.items():
        for n, (left, _) in enumerate(itertools.pairwise(each)):
            if left.stop == care:
                return certificates[start].points[n]
    return None
