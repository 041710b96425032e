"""The exact solution of a problem for several coefficients at once: every optimal behaviour and where it is optimal.

With one coefficient the regions are the segments of `craftworld.solution.solution.trade_off`.
"""

from __future__ import annotations

from typing import NamedTuple

from craftworld.regions.coefficient_axes import CoefficientAxes
from craftworld.solution.outcome import CaringOutcome, StartOutcome, mean_outcome, outcome_of
from craftworld.solution.problem import Problem
from engine.planning.regions.coverage_set import ShowPlans, silent
from engine.planning.regions.region import CoverageSet, Region
from engine.planning.regions.reward_regions import reward_regions


class CaringRegion(NamedTuple):
    """A region of coefficients, what its behaviour leads to on average, and from each start state."""

    region: Region
    outcome: CaringOutcome
    cases: tuple[StartOutcome, ...]


class CaringRegions(NamedTuple):
    """All regions of a problem. cover: the same without words, with the loss of a cover and limits."""

    axes: CoefficientAxes
    cover: CoverageSet
    regions: tuple[CaringRegion, ...]


def solve_regions(axes: CoefficientAxes, epsilon: float = 0.0, show: ShowPlans = silent) -> CaringRegions:
    """All regions of the axes' domain; with epsilon, behaviours nowhere more than it below the optimum.

    show: called with the plans done and those known to be needed, now and then. Raises NoPlan where no
    coefficients have a finite optimum, BadValue for an epsilon that is negative or not finite.
    """
    problem = axes.problem
    starts = [int(start) for start in problem.mdp.start_states()]
    cover = reward_regions(problem.mdp, {start: axes.rewards(start) for start in starts}, axes.domain, epsilon, show)
    return CaringRegions(axes, cover, tuple(_in_words(problem, region) for region in cover.regions))


def _in_words(problem: Problem, region: Region) -> CaringRegion:
    cases = tuple(
        StartOutcome(
            problem.scenario.describe(problem.mdp.states[start]),
            float(problem.mdp.start[start]),
            outcome_of(problem, segment, start),
        )
        for start, segment in region.behaviour.items()
    )
    return CaringRegion(region, mean_outcome(cases), cases)
