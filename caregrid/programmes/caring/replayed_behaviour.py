"""The world of recorded behaviour as its file names it; an episode that was replayed or played there as behaviour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.errors import BadValue

if TYPE_CHECKING:
    from craftworld.identification.behaviour import Behaviour, ObservedWorld
    from craftworld.rollout import ReplayedEpisode
    from craftworld.scenario import Scenario
    from craftworld.solution.problem import Problem
    from engine.mdp.episode import Trajectory
    from engine.mdp.mdp import TabularMDP


def make_replayed_behaviour(source: Any, replayed: ReplayedEpisode) -> Behaviour:
    """Make behaviour of one episode that was replayed; BadValue for a world that a file cannot describe.

    source: the scenario, as `make_problem_source` gives it.
    """
    from craftworld.identification.behaviour import Behaviour, follow_states
    from engine.mdp.tabulate import tabulate

    scenario = replayed.scenario
    if scenario.replay_only:
        remedy = "choose a smaller world"
        raise BadValue(f"'{scenario.name}' is too large for a table", place="rollout", remedy=remedy)
    if not replayed.episode.steps:
        raise BadValue("no step to record", place="rollout", remedy="give actions")
    table = tabulate(scenario)
    taken = [(step.action, step.next_state) for step in replayed.episode.steps]
    steps = follow_states(table, replayed.episode.start, taken, replayed.terminated)
    return Behaviour(describe_world(source, scenario, table), "replayed", (steps,), replayed.seed)


def make_played_behaviour(source: Any, problem: Problem, path: Trajectory, seed: int) -> Behaviour:
    """Make behaviour of one episode that a person played; BadValue without a step.

    source: the problem's, as `describe_world` takes it; None for a world that need not be written into a file.
    """
    from craftworld.identification.behaviour import Behaviour, ObservedStep, ObservedWorld

    if not path.actions:
        raise BadValue("no step to record", place="play", remedy="make a move")
    scenario, mdp = problem.scenario, problem.mdp
    world = (
        ObservedWorld(scenario, mdp, scenario.name, None, {})
        if source is None
        else describe_world(source, scenario, mdp)
    )
    steps = tuple(map(ObservedStep, path.states[:-1], path.actions, path.states[1:]))
    return Behaviour(world, "you", (steps,), seed)


def describe_world(source: Any, scenario: Scenario, table: TabularMDP) -> ObservedWorld:
    """Describe a problem's world by registered name or gym:ID, map and options; BadValue where a file cannot."""
    from caregrid.wrapping.gym_names import PREFIX
    from caregrid.wrapping.gym_names import SCENARIO as REGISTERED
    from craftworld.identification.behaviour import ObservedWorld
    from craftworld.scenarios import SCENARIOS
    from experiments.caring_problem import NamedProblem, parse_options

    named = isinstance(source, NamedProblem)
    if named and source.scenario == REGISTERED:
        options = parse_options(source.options)
        return ObservedWorld(scenario, table, f"{PREFIX}{options.pop('id')}", None, options)
    if (source.scenario if named else scenario.name) not in tuple(SCENARIOS):
        raise BadValue(f"'{scenario.name}' is not registered", place="record_behaviour", remedy="register the scenario")
    drawn = not named or source.map is not None
    rows = tuple(scenario.grid.rows) if drawn else None
    options = parse_options(source.options) if named else {}
    world = ObservedWorld(scenario, table, source.scenario if named else scenario.name, rows, options)
    if not named and ObservedWorld.make(world.name, rows, {}, table.discount).fingerprint != world.fingerprint:
        problem, remedy = f"'{scenario.name}' was made with options that it does not say", "name scenario and options"
        raise BadValue(problem, place="record_behaviour", remedy=remedy)
    return world


def make_named_world(
    name: str, map: Sequence[str] | None, options: Mapping[str, Any], discount: float
) -> ObservedWorld:
    """Make the world that a file of behaviour names: a scenario, or a registered environment, gym:ID.

    Raises BadValue for an id that names code, CaregridError for what cannot be made.
    """
    from caregrid.programmes.caring.problem_source import make_problem_source
    from caregrid.wrapping.gym_names import PREFIX
    from craftworld.identification.behaviour import ObservedWorld
    from engine.mdp.tabulate import tabulate

    if not name.startswith(PREFIX):
        return ObservedWorld.make(name, map, options, discount)
    if ":" in name.removeprefix(PREFIX):
        raise BadValue(f"'{name}' names code, which a file may not", remedy="make its problem in Python")
    scenario = make_problem_source(name, set=options).make_scenario()
    return ObservedWorld(scenario, tabulate(scenario, discount), name, None, options)
