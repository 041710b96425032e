"""A scenario: the episodes of the exact solution (`--set care=2`, settings of `problem`, and the scenario's own)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import caregrid
from caregrid.programmes.programme import Programme

if TYPE_CHECKING:
    from caregrid.programmes.caring.problem import CaringProblem
    from caregrid.programmes.caring.solution import CaringSolution
    from caregrid.programmes.game import StartGame

PROBLEM_SETTINGS = ("formulation", "map", "own", "discount", "values")


def solve(scenario: str, settings: dict[str, Any]) -> CaringSolution:
    """Solve a scenario at one coefficient."""
    problem, care = _pose(scenario, settings)
    return problem.solve(care)


def start_game(scenario: str, settings: dict[str, Any], seed: int) -> StartGame:
    """Start the game of a scenario, which is compared with the optimum at one coefficient."""
    problem, care = _pose(scenario, settings)
    return problem.game(care, seed)


def _pose(scenario: str, settings: dict[str, Any]) -> tuple[CaringProblem, float]:
    """Return the problem and the coefficient; settings that are of neither are the scenario's options."""
    options = dict(settings)
    care = options.pop("care", 1.0)
    parts = {name: options.pop(name) for name in PROBLEM_SETTINGS if name in options}
    return caregrid.problem(scenario, **parts, set=options), care


caring = Programme(
    example="garden",
    worlds="scenarios",
    solve=solve,
    game=start_game,
    suites=("corrigibility", "how_much_care", "side_effects"),
)
