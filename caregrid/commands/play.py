"""Play a scenario: drive the acting agent, then watch those who come after it and compare with the exact optimum.

Arrows move, digits do the other actions, u takes a step back, h shows all keys. Headless, `--keys` plays; without
keys the exact optimum plays in your place."""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    from caregrid.arguments import add_formulation, add_scenario
    from caregrid.shows.headless import add_screen

    add_scenario(parser, default="workshop")
    add_formulation(parser)
    parser.add_argument("--care", metavar="X", type=float, default=1.0, help="the caring coefficient (default 1)")
    add_screen(parser)


def run(arguments: argparse.Namespace) -> int:
    from caregrid.show_arguments import posing
    from caregrid.shows.game import PlayShow
    from caregrid.shows.headless import check_screen, screen

    check_screen(arguments)
    pose, (formulation, *_) = posing(arguments)
    show = PlayShow(pose(formulation), arguments.care)
    return screen(show, arguments, show.optimal_keys() if arguments.headless else ())
