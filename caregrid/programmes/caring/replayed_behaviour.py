"""The world of recorded behaviour as its file names it; an episode that was replayed or played there as behaviour."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import BadFile, BadValue, CaregridError

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


def make_registered_worlds(path: str | Path) -> dict[str, ObservedWorld]:
    """Make the worlds of a file of behaviour that are registered environments, gym:ID: fingerprint -> world.

    Raises BadFile for one that cannot be made, that is another one now, or whose id names code.
    """
    from caregrid.programmes.caring.problem_source import make_problem_source
    from caregrid.wrapping.gym_names import PREFIX
    from craftworld.identification.behaviour import ObservedWorld
    from engine.behaviour_file import read_lines, split_worlds
    from engine.mdp.tabulate import tabulate

    worlds: dict[str, ObservedWorld] = {}
    for lines in split_worlds(read_lines(path)):
        try:
            header = json.loads(lines[0])
        except ValueError:
            continue  # the reader of the file says what is wrong
        name = header.get("scenario") if isinstance(header, dict) else None
        if not isinstance(name, str) or not name.startswith(PREFIX):
            continue
        options, discount, mark = header.get("options"), header.get("discount"), header.get("fingerprint")
        if not isinstance(options, dict) or not isinstance(discount, int | float) or not isinstance(mark, str):
            continue
        if ":" in name.removeprefix(PREFIX):
            remedy = "make its problem in Python, and record it anew"
            raise BadFile(f"'{name}' names code, which a file may not", place=str(path), remedy=remedy)
        try:
            scenario = make_problem_source(name, set=options).make_scenario()
            world = ObservedWorld(scenario, tabulate(scenario, float(discount)), name, None, options)
        except CaregridError as error:
            problem = f"its world cannot be made: {error}"
            raise BadFile(problem, place=str(path), remedy="correct scenario and options") from None
        if world.fingerprint != mark:
            problem = f"it was recorded in another world than '{name}' is with these options"
            raise BadFile(problem, place=str(path), remedy="record it again")
        worlds[mark] = world
    return worlds
