"""What the lessons about caring agents share: their scenarios solved, as films at several cares and as one picture."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from caregrid.lessons.lesson import Variant
from caregrid.shows.films import film_of, paths_picture, summary
from craftworld.scenario import build
from craftworld.scenarios import SCENARIOS
from craftworld.solution.solution import Problem, pose
from engine.scene import Scene


@lru_cache(maxsize=16)
def craft_problem(scenario: str, formulation: str | None = None) -> Problem:
    """A scenario on its own map."""
    return pose(build(SCENARIOS[scenario]), formulation)


def at_cares(problem: Problem, cares: Sequence[float]) -> tuple[Variant, ...]:
    """A knob that is the care."""
    return tuple(Variant(f"{care:g}", film_of(problem, [care]), summary(problem, care)) for care in cares)


def side_by_side(problems: Sequence[Problem], cares: Sequence[float]) -> Scene:
    """What `caregrid compare` draws."""
    return paths_picture(problems, cares)
