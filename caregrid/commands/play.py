"""Play a scenario: drive the acting agent, then watch those who come after it and compare with the exact optimum.

Arrows move, digits do the other actions, u takes a step back, h shows all keys. Headless, `--keys` plays; without
keys the exact optimum plays in your place."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.craft import CareArgument, ChanceArgument, WorkshopProblemArguments
from caregrid.arguments.screen import ScreenArguments

GROUP = "Look at worlds and episodes"


@dataclass(frozen=True, kw_only=True)
class PlayArguments(WorkshopProblemArguments, CareArgument, ChanceArgument, ScreenArguments):
    """A problem, a coefficient, and the screen."""


def run(arguments: PlayArguments) -> int:
    screen = arguments.screen()
    arguments.problem().play(arguments.care, seed=arguments.seed, **screen)
    return 0
