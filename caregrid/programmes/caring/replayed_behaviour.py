"""The world of recorded behaviour as its file names it; an episode that was replayed or played there as behaviour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from caregrid.wrapping.gym_names import PREFIX, SCENARIO
from engine.errors import BadValue, argument
from engine.printable import show_value

if TYPE_CHECKING:
    from caregrid.programmes.caring.problem_source import SourcedProblem
    from craftworld.identification.behaviour import Behaviour, ObservedWorld
    from craftworld.rollout import ReplayedEpisode
    from craftworld.scenario import Scenario
    from craftworld.solution.problem import Problem
    from engine.mdp.mdp import TabularMDP
    from engine.mdp.policies import Trajectory


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
    """Describe a problem's world as a file names it: a registered scenario, gym:ID, a model's file; map and options.

    Any other world has its own name, by which no file can make it: readers are given it (`make_observed_world`).
    """
    from caregrid.programmes.caring.problem_source import READ_FILE
    from craftworld.identification.behaviour import ObservedWorld
    from craftworld.scenarios import SCENARIOS
    from experiments.caring_problem import NamedProblem, parse_options

    if not isinstance(source, NamedProblem):
        rows = tuple(scenario.grid.rows) if scenario.name in tuple(SCENARIOS) else None
        return ObservedWorld(scenario, table, scenario.name, rows, {})
    options, name = parse_options(source.options), source.scenario
    if name == SCENARIO:
        name = f"{PREFIX}{options.pop('id')}"
    elif name == READ_FILE:
        name = str(options.pop("file"))
    return ObservedWorld(scenario, table, name, tuple(scenario.grid.rows) if source.map else None, options)


def make_observed_world(world: str | Scenario | SourcedProblem) -> ObservedWorld:
    """Make the world in which behaviour is observed: NAME or NAME,OPTION=VALUE, a scenario, or a problem.

    Raises BadValue for a problem with more in it than a world, CaregridError for what cannot be made.
    """
    from caregrid.programmes.caring.problem_source import make_problem_source
    from craftworld.scenario import Scenario
    from craftworld.scenarios import SCENARIOS
    from experiments.bench.suite import make_observed_world as make_registered
    from experiments.bench.suite import split_world

    source: Any
    if isinstance(world, str):
        name, options = split_world(world)
        if name in tuple(SCENARIOS):
            return make_registered(world)
        source = make_problem_source(name, set=options)
    elif isinstance(world, Scenario):
        source = make_problem_source(world)
    else:
        source = getattr(world, "source", None)
        if source is None:
            remedy = "give a scenario or a problem"
            raise BadValue(f"world is {show_value(world)}", place=argument("world"), remedy=remedy)
        if source.own != 1.0 or source.values is not None:
            remedy = "leave own and values out"
            raise BadValue("a world with another own weight or values", place=argument("world"), remedy=remedy)
    problem = source.make_problem()
    return describe_world(source, problem.scenario, problem.mdp)


def make_named_world(
    name: str, map: Sequence[str] | None, options: Mapping[str, Any], discount: float
) -> ObservedWorld:
    """Make the world that a file of behaviour names: a scenario, gym:ID, or a model's file.

    Raises BadValue for a name or an option that names code, CaregridError for what cannot be made.
    """
    from caregrid.programmes.caring.problem_source import is_model_file, make_problem_source
    from craftworld.identification.behaviour import ObservedWorld
    from engine.mdp.tabulate import tabulate
    from engine.user_code import find_code_names

    for code in find_code_names([name.removeprefix(PREFIX), options]):
        raise BadValue(f"'{code}' names code, which a file may not")
    if not name.startswith(PREFIX) and not is_model_file(name):
        return ObservedWorld.make(name, map, options, discount)
    scenario = make_problem_source(name, set=options).make_scenario()
    return ObservedWorld(scenario, tabulate(scenario, discount), name, None, options)
