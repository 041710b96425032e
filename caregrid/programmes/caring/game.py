"""A scenario: a person is the acting agent, others come afterwards (settings of `problem`, and the scenario's own)."""

from __future__ import annotations

from typing import Any

from caregrid.operations.makers import problem
from caregrid.programmes.game import StartGame

PROBLEM_SETTINGS = ("formulation", "map", "own", "discount", "values")


def start_caring_game(name: str, settings: dict[str, Any], seed: int) -> StartGame:
    """The game of a caring problem, compared at one coefficient."""
    care = settings.pop("care", 1.0)
    of_problem = {setting: settings.pop(setting) for setting in PROBLEM_SETTINGS if setting in settings}
    return problem(name, **of_problem, options=settings).game(care, seed)
