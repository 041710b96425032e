"""Watch a scenario's exact solution in a window, or headless into a file.

Keys: space plays, arrows step and change care (solved again at once), o switches the overlay, f the formulation, s
saves a picture, g a GIF, h shows all keys; a click on a cell shows its values. `--axes NAME,NAME` adds the map of two
coefficients; a click on it chooses the behaviour. `--episode FILM` replays a film. Other programmes'
worlds: extended/tempting_button, slots/teleport_move, terminal/tamper-grid, with --set NAME=VALUE."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.craft import CareArgument, ChanceArgument, PolicyArguments, WorkshopProblemArguments
from caregrid.arguments.declaration import option
from caregrid.arguments.screen import ScreenArguments

GROUP = "Look at worlds and episodes"


@dataclass(frozen=True, kw_only=True)
class ViewArguments(WorkshopProblemArguments, CareArgument, PolicyArguments, ChanceArgument, ScreenArguments):
    """A problem or another programme's world, a coefficient, and the screen."""

    axes: str = option("", "two agents: a map of their coefficients to click on", metavar="NAME,NAME")
    episode: str | None = option(None, "a film written by 'caregrid record --out FILM.json'", metavar="FILM")


def run(arguments: ViewArguments) -> int:
    from caregrid.programmes.viewable import film, load_film

    screen = arguments.screen()
    if arguments.episode:
        load_film(arguments.episode).view(**screen)
    elif "/" in arguments.scenario:
        film(arguments.scenario, **arguments.options()).view(**screen)
    else:
        axes = tuple(name.strip() for name in arguments.axes.split(",")) if arguments.axes.strip() else ()
        arguments.problem().view(arguments.care, seed=arguments.seed, policies=arguments.policy, axes=axes, **screen)
    return 0
