"""What the lessons about caring agents share: their problems, films at several coefficients, and live worlds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

from caregrid.lessons.lesson import LiveProblem, Variant
from caregrid.programmes.caring.comparison import film_solutions, summarise_outcome
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.problem import Problem, make_problem


@lru_cache(maxsize=16)
def pose_problem(scenario: str, formulation: str | None = None, **options: str) -> Problem:
    """Return the problem of a scenario on its own map. options: the scenario's."""
    return make_problem(make_scenario(SCENARIOS[scenario], **options), formulation)


def make_live_problem(label: str, scenario: str, formulation: str | None = None, **options: str) -> LiveProblem:
    """Return a live world of a scenario, whose map can be changed where its rules allow it."""
    make = partial(SCENARIOS[scenario], **options)
    return LiveProblem(label, pose_problem(scenario, formulation, **options), make, options=options)


def vary_care(problem: Problem, cares: Sequence[float]) -> tuple[Variant, ...]:
    """Return one variant for each caring coefficient."""
    problem.find_segments_of(cares)
    return tuple(
        Variant(f"{care:g}", partial(film_solutions, problem, [care]), summarise_outcome(problem, care))
        for care in cares
    )
