"""Play a scenario: drive the acting agent, then watch those who come after it and compare with the exact optimum.

Arrows move, digits do the other actions, u takes a step back, h shows all keys. Headless, `--keys` plays; without
keys the exact optimum plays in your place."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.craft import (
    CareArgument,
    WorkshopProblemArguments,
    named_problem,
    problem_by_formulation,
)
from caregrid.arguments.screen import ScreenArguments


@dataclass(frozen=True, kw_only=True)
class PlayArguments(WorkshopProblemArguments, CareArgument, ScreenArguments):
    """A problem, a coefficient, and the screen."""


def run(arguments: PlayArguments) -> int:
    from caregrid.shows.game import PlayableScenario
    from caregrid.shows.headless import check_display_options, display

    check_display_options(arguments)
    care = arguments.finite_care()
    make_problem, (formulation, *_) = problem_by_formulation(named_problem(arguments))
    viewable = PlayableScenario(make_problem(formulation), care)
    return display(viewable, arguments, viewable.optimal_keys() if arguments.headless else ())
