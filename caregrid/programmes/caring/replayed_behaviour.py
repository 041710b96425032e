"""The world of recorded behaviour as its file names it, and an episode that was replayed there as behaviour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.errors import BadValue

if TYPE_CHECKING:
    from craftworld.identification.behaviour import Behaviour, ObservedWorld
    from craftworld.rollout import ReplayedEpisode
    from craftworld.scenario import Scenario
    from engine.mdp.mdp import TabularMDP


def make_replayed_behaviour(source: Any, replayed: ReplayedEpisode) -> Behaviour:
    """Make behaviour of one episode that was replayed; BadValue for a world that a file cannot describe.

    source: the scenario, as `make_problem_source` gives it.
    """
    from craftworld.identification.behaviour import Behaviour, ObservedStep
    from engine.mdp.tabulate import tabulate

    scenario = replayed.scenario
    if scenario.replay_only:
        remedy = "choose a smaller world"
        raise BadValue(f"'{scenario.name}' is too large for a table", place="rollout", remedy=remedy)
    if not replayed.episode.steps:
        raise BadValue("no step to record", place="rollout", remedy="give actions")
    table = tabulate(scenario)
    numbers = [table.index[state] for state in replayed.episode.states]
    taken = [table.actions.index(step.action) for step in replayed.episode.steps]
    steps = tuple(map(ObservedStep, numbers[:-1], taken, numbers[1:]))
    return Behaviour(describe_world(source, scenario, table), "replayed", (steps,), replayed.seed)


def describe_world(source: Any, scenario: Scenario, table: TabularMDP) -> ObservedWorld:
    """Describe a problem's world by registered name, map and options; BadValue where a file cannot."""
    from craftworld.identification.behaviour import ObservedWorld
    from craftworld.scenarios import SCENARIOS
    from experiments.caring_problem import NamedProblem, parse_options

    named = isinstance(source, NamedProblem)
    if (source.scenario if named else scenario.name) not in tuple(SCENARIOS):
        raise BadValue(f"'{scenario.name}' is not registered", place="record_behaviour", remedy="register the scenario")
    drawn = not named or source.map is not None
    rows = tuple(scenario.grid.rows) if drawn else None
    options = parse_options(source.options) if named else {}
    return ObservedWorld(scenario, table, source.scenario if named else scenario.name, rows, options)
