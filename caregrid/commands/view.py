"""Watch a scenario's exact solution in a window, or headless into a file.

Keys: space plays, arrows step and change care (solved again at once), o switches the overlay, f the formulation, s
saves a picture, g a GIF, h shows all keys; a click on a cell shows its values. `--episode FILM` replays a film. Other
programmes' worlds: extended/tempting_button, slots/teleport_move, terminal/tamper-grid, with --set NAME=VALUE."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.craft import (
    CareArgument,
    WorkshopProblemArguments,
    named_problem,
    problem_by_formulation,
)
from caregrid.arguments.declaration import option
from caregrid.arguments.screen import ScreenArguments


@dataclass(frozen=True, kw_only=True)
class ViewArguments(WorkshopProblemArguments, CareArgument, ScreenArguments):
    """A problem or another programme's world, a coefficient, and the screen."""

    episode: str | None = option(None, "a film written by 'caregrid record --out FILM.json'", metavar="FILM")


def run(arguments: ViewArguments) -> int:
    from caregrid.shows.headless import check_display_options, display
    from renderers.viewer.viewable import ViewableFilm

    check_display_options(arguments)
    if arguments.episode:
        from renderers.formats.json import read

        return display(ViewableFilm(read(arguments.episode), arguments.episode), arguments)
    if "/" in arguments.scenario:
        from caregrid.shows.programmes import film_named

        return display(ViewableFilm(film_named(arguments.scenario, arguments.options()), arguments.scenario), arguments)
    from caregrid.shows.explorer import ViewableSolution

    care = arguments.finite_care()
    make_problem, formulations = problem_by_formulation(named_problem(arguments))
    return display(ViewableSolution(make_problem, formulations, care), arguments)
