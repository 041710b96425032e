"""The arguments that the craftworld commands share, and the problem they describe."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from engine.errors import BadValue

if TYPE_CHECKING:
    from craftworld.scenario import Scenario
    from craftworld.solution.solution import Problem


def add_scenario(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """SCENARIO, --map and --set."""
    if default is None:
        parser.add_argument("scenario", metavar="SCENARIO", help="a scenario (see 'caregrid list')")
    else:
        parser.add_argument("scenario", metavar="SCENARIO", nargs="?", default=default, help=f"default: {default}")
    parser.add_argument("--map", metavar="FILE", help="your own map, drawn with the scenario's legend")
    parser.add_argument(
        "--set", metavar="NAME=VALUE", action="append", default=[], help="an option of the scenario (see 'show')"
    )


def add_formulation(parser: argparse.ArgumentParser) -> None:
    """--formulation, --own, --discount and --values."""
    parser.add_argument("--formulation", metavar="F", default=None, help="how others count (default: the scenario's)")
    parser.add_argument("--own", metavar="Y", type=float, default=1.0, help="weight of the own reward (default 1)")
    parser.add_argument("--discount", metavar="G", type=float, default=None, help="gamma (default: the scenario's)")
    parser.add_argument("--values", metavar="FILE", help="others' values, made by 'caregrid precompute'")


def scenario_of(arguments: argparse.Namespace) -> Scenario:
    """The scenario that the arguments name, on the user's map if there is one."""
    from craftworld.scenario import make_scenario
    from craftworld.scenarios import SCENARIOS

    return make_scenario(SCENARIOS[arguments.scenario], arguments.map, **options_of(arguments.set))


def problem_of(arguments: argparse.Namespace) -> Problem:
    """The problem that the arguments describe."""
    from craftworld.others import value_file
    from craftworld.solution.solution import make_problem
    from engine.mdp.tabulate import tabulate

    scenario = scenario_of(arguments)
    if not arguments.values:
        return make_problem(scenario, arguments.formulation, arguments.own, discount=arguments.discount)
    mdp = tabulate(scenario, scenario.discount if arguments.discount is None else arguments.discount)
    others, _ = value_file.load(arguments.values, value_file.fingerprint(scenario, mdp))
    return make_problem(scenario, arguments.formulation, arguments.own, others, mdp=mdp)


def options_of(pairs: list[str]) -> dict[str, Any]:
    """NAME=VALUE pairs as a dictionary; numbers become numbers."""
    options: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise BadValue(f"'{pair}'", place="--set", remedy="write NAME=VALUE")
        options[name.strip().replace("-", "_")] = _number_or_word(value.strip())
    return options


def _number_or_word(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
