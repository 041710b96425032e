"""Solve a caring problem for several coefficients at once: every optimal behaviour, and the region where it is optimal.

    r' = r_0 + sum_i theta_i r_i

An axis is the acting agent's own reward, an agent, or a belief about who comes. Agents: r_i is agent i's part of the
formulation, P(V_i) V_i, so that all coefficients at c are the caring coefficient c. Agents without an axis keep one
caring coefficient. Beliefs: theta_i is the probability of
possibility i, and what is left to 1 that of the last one. A formulation in which the agents' parts do not add up has
one axis, all of them together. With one coefficient the regions are the segments of
`craftworld.solution.exact_solution.solve_trade_off`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from craftworld.solution.certificate import CertifiedOutcome, OutcomeBounds, bound_mean, require_bounded
from craftworld.solution.exact_solution import CaringOutcome, StartOutcome, average_outcomes, describe_outcome
from craftworld.solution.problem import Problem
from engine.errors import BadValue, UnknownName, argument
from engine.mdp.mdp import Booleans, Floats
from engine.planning.certificates.interval import Interval, enclose_exactly, enclose_stored, sum_weighted
from engine.planning.certificates.trade_off import OptimumBounds, bound_policy_values, find_largest
from engine.planning.coefficient_regions import CoefficientDomain, CoverageSet, Region
from engine.planning.coverage_set import CornerSolver, ShowPlans, find_coverage_set, show_nothing
from engine.planning.reward_regions import BestPlans
from engine.planning.trade_off.envelope import Range, find_segment_policy
from engine.value_types import Coefficient, require

OWN, CARE = "own", "care"
ADDS_UP = 1e-9


@dataclass(frozen=True)
class CoefficientAxes:
    """The axes of a problem's coefficients.

    names: k axes. domain: of the coefficients. care: of agents without an axis. beliefs: the possibilities whose
    probabilities are the coefficients, the last one not being in `names`; empty where the coefficients weigh agents.
    """

    problem: Problem
    names: tuple[str, ...]
    domain: CoefficientDomain
    care: float
    beliefs: tuple[str, ...] = ()

    def rewards(self, start: int) -> list[Floats]:
        """f64[S, A, K] each: r_0 and r_1 to r_k, by one start state's baseline."""
        own = self.problem.own * self.problem.mdp.reward
        if self.beliefs:
            *parts, last = (self.care * self._compute_possible(name, start) for name in self.beliefs)
            return [own + last, *(part - last for part in parts)]
        if CARE in self.names:
            fixed, swept = self.problem.compute_caring_rewards(start)
            first = fixed if OWN in self.names else own + fixed
            return [first, *(own if name == OWN else swept for name in self.names)]
        parts = [
            own if name == OWN else self._compute_part(_select_owner(self.problem.weighed, name), start)
            for name in self.names
        ]
        rest = self._sum_rest(start)
        return [rest if OWN in self.names else own + rest, *parts]

    def _sum_rest(self, start: int) -> Floats:
        """Sum the parts of agents without an axis; those of fixed weight do not depend on care."""
        weighed = self.problem.weighed
        total = np.zeros_like(self.problem.mdp.reward)
        for owner in dict.fromkeys(weighed.owners):
            if owner not in self.names:
                total = total + (1.0 if owner in weighed.fixed else self.care) * self._compute_part(
                    _select_owner(weighed, owner), start
                )
        return total

    def _compute_part(self, chosen: Booleans, start: int) -> Floats:
        """Compute the part of some possibilities, with their own probabilities."""
        weighed: Any = self.problem.weighed.with_baseline(start)
        only = replace(weighed, probability=np.where(chosen, weighed.probability, 0.0))
        return self.problem.declaration.reward(self.problem.mdp, only)

    def _compute_possible(self, name: str, start: int) -> Floats:
        """Compute the part of one possibility where it is certain."""
        weighed: Any = self.problem.weighed.with_baseline(start)
        certain = replace(weighed, probability=np.array([float(name == each) for each in weighed.names]))
        return self.problem.declaration.reward(self.problem.mdp, certain)


def make_coefficient_axes(
    problem: Problem, axes: Sequence[str] = (), between: Range = (0.0, math.inf), care: float = 1.0
) -> CoefficientAxes:
    """Make an axis for each named agent, "own" for the acting agent; by default one for each agent.

    between: the range of every coefficient. care: the coefficient of agents without an axis. Raises UnknownName for an
    unknown axis, BadValue for one that is named twice, for agents whose parts do not add up, and as
    `CoefficientDomain.box`.
    """
    require("care", care, Coefficient)
    agents = _list_agents(problem)
    if not axes:
        names = agents if len(agents) > 1 and _adds_up(problem) else (CARE,)
    else:
        names = tuple(axes)
        choices = (OWN, *agents, CARE)
        for name in names:
            if name not in choices:
                raise UnknownName("axis", name, choices, place=argument("axes"))
        of_agents = set(names) - {OWN, CARE}
        if len(set(names)) < len(names) or (CARE in names and of_agents):
            raise BadValue(
                f"the axes {', '.join(names)}",
                place=argument("axes"),
                remedy=f"name each once; '{CARE}' is all agents together",
            )
        if (of_agents or CARE not in names) and len(agents) > 1 and not _adds_up(problem):
            raise BadValue(
                f"under '{problem.formulation}' the agents' parts do not add up",
                place=argument("axes"),
                remedy=f"use the axis '{CARE}', beside '{OWN}' if wanted, or a formulation that is a sum",
            )
    low, high = between
    return CoefficientAxes(problem, names, CoefficientDomain.box([low] * len(names), [high] * len(names)), care)


def make_belief_axes(problem: Problem, beliefs: Sequence[str], care: float = 1.0) -> CoefficientAxes:
    """Make an axis for the probability of each named possibility but the last.

    beliefs: names of possibilities, two at least; the others have probability 0. care: the caring coefficient. Raises
    UnknownName for an unknown possibility, BadValue for one that is named twice, and where probabilities do not enter
    the formulation as a sum.
    """
    require("care", care, Coefficient)
    names = tuple(beliefs)
    choices = tuple(getattr(problem.weighed, "names", ()))
    for name in names:
        if name not in choices:
            raise UnknownName("possibility", name, choices, place=argument("beliefs"))
    if len(names) < 2 or len(set(names)) < len(names):
        raise BadValue(
            f"beliefs about {', '.join(names)}", place=argument("beliefs"), remedy="name two possibilities or more"
        )
    if len(choices) > 1 and not _adds_up(problem):
        raise BadValue(
            f"under '{problem.formulation}' probabilities do not enter as a sum",
            place=argument("beliefs"),
            remedy="use a formulation that is an expectation",
        )
    return CoefficientAxes(problem, names[:-1], CoefficientDomain.simplex(len(names) - 1), care, names)


def _list_agents(problem: Problem) -> tuple[str, ...]:
    return tuple(dict.fromkeys(getattr(problem.weighed, "owners", ())))


def _select_owner(weighed: Any, owner: str) -> Booleans:
    return np.array([each == owner for each in weighed.owners])


def _adds_up(problem: Problem) -> bool:
    """Return whether the part of all agents is the sum of the agents' parts."""
    start = int(problem.mdp.start_states()[0])
    axes = CoefficientAxes(problem, (CARE,), CoefficientDomain.box([0.0], [math.inf]), 1.0)
    weighed = problem.weighed
    every = np.ones(len(weighed.owners), dtype=np.bool_)
    parts = [axes._compute_part(_select_owner(weighed, owner), start) for owner in _list_agents(problem)]
    size = np.sum([np.abs(part) for part in parts], axis=0)
    return bool((np.abs(sum(parts) - axes._compute_part(every, start)) <= ADDS_UP * size).all())


class CaringRegion(NamedTuple):
    """A region of coefficients, with the mean outcome of its behaviour and the outcome from each start state."""

    region: Region
    outcome: CaringOutcome
    cases: tuple[StartOutcome, ...]


class CaringRegions(NamedTuple):
    """All regions of a problem. cover: the same as numbers, with the loss of an approximation and limits."""

    axes: CoefficientAxes
    cover: CoverageSet
    regions: tuple[CaringRegion, ...]


def make_best_plans(axes: CoefficientAxes, hears_all: bool = True) -> BestPlans:
    """Make what plans for any coefficients of the axes, from every start state; hears_all: as of `BestPlans`."""
    mdp = axes.problem.mdp
    return BestPlans(
        mdp, {int(start): axes.rewards(int(start)) for start in mdp.start_states()}, axes.domain, hears_all
    )


def solve_regions(
    axes: CoefficientAxes,
    epsilon: float = 0.0,
    show: ShowPlans = show_nothing,
    plan_with: Callable[[BestPlans], AbstractContextManager[CornerSolver]] = nullcontext,
) -> CaringRegions:
    """Find all regions of the axes' domain; with epsilon, behaviours nowhere more than epsilon below the optimum.

    show: called now and then with the numbers of plans done and plans needed. plan_with: what answers the search's
    questions, by default the plans themselves, one after the other. Raises NoPlan where no coefficients have a finite
    optimum, BadValue for an epsilon that is negative or not finite.
    """
    plans = make_best_plans(axes)
    with plan_with(plans) as solver:
        cover = find_coverage_set(solver, axes.domain, plans.unit, epsilon, show)
    return CaringRegions(axes, cover, tuple(_describe_region(axes.problem, region) for region in cover.regions))


def _describe_region(problem: Problem, region: Region) -> CaringRegion:
    cases = tuple(
        StartOutcome(
            problem.scenario.describe(problem.mdp.states[start]),
            float(problem.mdp.start[start]),
            describe_outcome(problem, segment, start),
        )
        for start, segment in region.behaviour.items()
    )
    return CaringRegion(region, average_outcomes(cases), cases)


INSIDE = 1e-9  # of the way from a corner at which a cycle breaks even to a point inside


class RegionCertificate(NamedTuple):
    """The certificate of regions. outcomes: one for each.

    amount: by how much the return  r_0 + theta . r  of any policy that ends may be larger than that of the region, at
    finite corners; None without a bound. slope: by how much more for each unit of the coefficients, where regions
    have no end. scale, slope_scale: the sizes of the returns there.
    """

    outcomes: tuple[CertifiedOutcome, ...]
    amount: Fraction | None
    slope: Fraction | None
    scale: float
    slope_scale: float


def certify_regions(solved: CaringRegions) -> RegionCertificate:
    """Certify regions: what each earns, and the optimum at all of their corners.

    The optimum is convex in the coefficients and a region's return is linear, so that the loss inside a region is at
    most the largest one at its corners. Raises BadValue, with the cost, where that would take very long.
    """
    problem = solved.axes.problem
    starts = [int(start) for start in problem.mdp.start_states()]
    corners = _list_corners(solved)
    require_bounded(problem, (len(corners) + len(solved.regions)) * len(starts))
    chances = [enclose_stored(float(problem.mdp.start[start])) for start in starts]
    rewards = {start: solved.axes.rewards(start) for start in starts}
    optima = [
        OptimumBounds(problem.mdp.with_reward(each[0]), *each[1:], start=start) for start, each in rewards.items()
    ]
    bounds = OutcomeBounds(problem)
    outcomes = tuple(bounds.outcome(region.region.behaviour) for region in solved.regions)
    lines = [_bound_returns(problem, region.region, rewards, chances) for region in solved.regions]
    losses = {True: _Loss(Fraction(0), 0.0), False: _Loss(Fraction(0), 0.0)}
    for weights, number in corners:
        upper = bound_mean(chances, [_enclose(each.upper(weights)) for each in optima])
        line = lines[number]
        lower = None if line is None else sum_weighted(zip(map(enclose_exactly, weights), line, strict=True)).lower
        amount = None if upper is None or lower is None else max(upper.upper - lower, Fraction(0))
        size = float(np.abs([float(weight) for weight in weights]) @ np.abs(solved.regions[number].region.returns))
        losses[weights[0] > 0] = losses[weights[0] > 0].join(_Loss(amount, size))
    largest = max(find_largest(reward) for each in rewards.values() for reward in each)
    finite, beyond = losses[True], losses[False]
    return RegionCertificate(
        outcomes, finite.amount, beyond.amount, max(finite.size, largest), max(beyond.size, largest)
    )


class _Loss(NamedTuple):
    amount: Fraction | None
    size: float

    def join(self, other: _Loss) -> _Loss:
        known = None if self.amount is None or other.amount is None else max(self.amount, other.amount)
        return _Loss(known, max(self.size, other.size))


def _list_corners(solved: CaringRegions) -> list[tuple[tuple[Fraction, ...], int]]:
    """List the corners of all regions as weights, w_0 = 1 or, at infinity, 0, with the number of a region there."""
    listed: dict[tuple[Fraction, ...], int] = {}
    limits = (
        np.hstack([solved.cover.limits[:, -1:], -solved.cover.limits[:, :-1]]) if len(solved.cover.limits) else None
    )
    for number, region in enumerate(solved.regions):
        inner = np.append(1.0, region.region.interior)
        for corner in region.region.corners:
            weights = corner / (corner[0] if corner[0] > 0.0 else np.abs(corner).sum())
            if limits is not None and (limits @ weights <= INSIDE * (np.abs(limits) @ np.abs(weights))).any():
                weights = weights + INSIDE * (inner - weights) if weights[0] > 0.0 else weights + INSIDE * inner
                weights = weights / weights[0]
            listed.setdefault(tuple(map(Fraction, weights.tolist())), number)
    return list(listed.items())


def _bound_returns(
    problem: Problem, region: Region, rewards: Mapping[int, Sequence[Floats]], chances: Sequence[Interval]
) -> list[Interval] | None:
    """Bound what a region's behaviour earns by each reward; None where a return has no bounds."""
    states = len(problem.mdp.terminal)
    found = [
        bound_policy_values(problem.mdp, rewards[start], find_segment_policy(segment, states), start)
        for start, segment in region.behaviour.items()
    ]
    means = [bound_mean(chances, kind) for kind in zip(*found, strict=True)]
    known = [mean for mean in means if mean is not None]
    return known if len(known) == len(means) else None


def _enclose(number: Fraction | None) -> Interval | None:
    return None if number is None else enclose_exactly(number)
