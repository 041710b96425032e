"""Play a scenario: drive the acting agent, then watch those who come after it and compare with the exact optimum.

Arrows move, digits do the other actions, u takes a step back, h shows all keys. Headless, `--keys` plays; without
keys the exact optimum plays in your place."""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    from caregrid.arguments import add_formulation, add_scenario
    from caregrid.shows.headless import add_display_options

    add_scenario(parser, default="workshop")
    add_formulation(parser)
    parser.add_argument("--care", metavar="X", type=float, default=1.0, help="the caring coefficient (default 1)")
    add_display_options(parser)


def run(arguments: argparse.Namespace) -> int:
    from caregrid.show_arguments import problem_maker
    from caregrid.shows.game import PlayableScenario
    from caregrid.shows.headless import check_display_options, display

    check_display_options(arguments)
    make_problem, (formulation, *_) = problem_maker(arguments)
    viewable = PlayableScenario(make_problem(formulation), arguments.care)
    return display(viewable, arguments, viewable.optimal_keys() if arguments.headless else ())
