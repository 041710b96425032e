"""Watch a scenario's exact solution in a window, or headless into a file.

Keys: space plays, arrows step and change care (solved again at once), o switches the overlay, f the formulation, s
saves a picture, g a GIF, h shows all keys; a click on a cell shows its values. `--episode FILM` replays a film. Other
programmes' worlds: extended/tempting_button, slots/teleport_move, terminal/tamper-grid, with --set NAME=VALUE."""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    from caregrid.arguments import add_formulation, add_scenario
    from caregrid.shows.headless import add_display_options

    add_scenario(parser, default="workshop")
    add_formulation(parser)
    parser.add_argument("--care", metavar="X", type=float, default=1.0, help="the caring coefficient (default 1)")
    parser.add_argument("--episode", metavar="FILM", help="a film written by 'caregrid record --out FILM.json'")
    add_display_options(parser)


def run(arguments: argparse.Namespace) -> int:
    from caregrid.shows.headless import check_display_options, display
    from renderers.viewer.viewable import ViewableFilm

    check_display_options(arguments)
    if arguments.episode:
        from renderers.formats.json import read

        return display(ViewableFilm(read(arguments.episode), arguments.episode), arguments)
    if "/" in arguments.scenario:
        from caregrid.arguments import options_of
        from caregrid.shows.programmes import film_named

        return display(
            ViewableFilm(film_named(arguments.scenario, options_of(arguments.set)), arguments.scenario), arguments
        )
    from caregrid.show_arguments import problem_maker
    from caregrid.shows.explorer import ViewableSolution

    pose, formulations = problem_maker(arguments)
    return display(ViewableSolution(pose, formulations, arguments.care), arguments)
