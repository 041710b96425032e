"""Plan with an input terminal: what ITF, ITC, CITC and f_c do in a world, or their influence diagrams.

  caregrid terminal car-factory --agent itf --set lobbying=0.4 --set horizon=25 --json
  caregrid terminal tamper-grid --agent itc
  caregrid terminal barricade --agent itc --set units=6 --out film.gif
  caregrid terminal my_file:MyWorld --agent my_file:my_agent
  caregrid terminal diagram --agent itc --horizon 3 --out diagram.svg

Worlds print the score (the value of the agent's first plan), its return in the real world, and all optimal traces,
real and planned (the first few where many tie, unless --limit or --json asks for more); "#" follows the step in which
people update the terminal. `--parameters` lists what --set understands.
"""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caregrid.arguments.declaration import option, positional
from caregrid.arguments.printed import JsonArgument
from engine.errors import BadValue, UnknownName
from engine.user_code import names_user_code, user_code

if TYPE_CHECKING:
    from counterfactual.influence.picture import DiagramPicture
    from counterfactual.planning_agent import PlanningAgent
    from counterfactual.simulation.simulate import Simulation
    from counterfactual.simulation.traces import Traces
    from counterfactual.terminal_world import TerminalWorld

FEW, MANY = 10, 1000


@dataclass(frozen=True, kw_only=True)
class TerminalArguments(JsonArgument):
    """A world and an agent, or a diagram."""

    what: str = positional("car-factory, tamper-grid, barricade, MODULE:NAME, or diagram", metavar="WORLD|diagram")
    agent: str = option(
        "itc",
        "itf, itc, citc, fc, gc or MODULE:NAME; diagrams: learning, itf, itc, citc or MODULE:NAME",
        metavar="AGENT",
    )
    set: tuple[str, ...] = option((), "a parameter of the world; repeatable", metavar="NAME=VALUE")
    horizon: int | None = option(None, "steps (diagrams: 3 by default)", metavar="N")
    limit: int | None = option(None, f"traces to list at most (default {FEW}; with --json {MANY})", metavar="N")
    out: str | None = option(None, "write a film or, of a diagram, a picture (also .svg)", metavar="FILE")
    parameters: bool = option(False, "list the parameters of the world and leave")

    def values(self) -> dict[str, object]:
        """What --set and --horizon say, parameter -> text; BadValue for what is no setting or set twice."""
        values: dict[str, object] = {}
        horizon = [] if self.horizon is None else [f"horizon={self.horizon}"]
        for given in (*self.set, *horizon):
            name, equals, value = given.partition("=")
            name = name.strip().replace("-", "_")
            if not equals or not name or not value.strip():
                raise BadValue(f"'{given}' is no setting", place="--set", remedy="write --set NAME=VALUE")
            if name in values:
                raise BadValue(f"'{name}' is set twice", place="--set", remedy="set it once")
            values[name] = value.strip()
        return values

    def listed_traces(self) -> int:
        """How many traces to list at most."""
        limit = (MANY if self.json else FEW) if self.limit is None else self.limit
        if limit < 1:
            raise BadValue(f"limit {limit}", place="--limit", remedy="list at least 1 trace")
        return limit


def run(arguments: TerminalArguments) -> int:
    if arguments.what == "diagram":
        return _diagram(arguments)
    from experiments.tables import aligned_lines

    kind = _world_class(arguments.what)
    if arguments.parameters:
        parameters = kind.parameters()
        print(json.dumps(parameters) if arguments.json else "\n".join(aligned_lines(parameters.items())))
        return 0
    return _world(arguments, kind)


def _world_class(name: str) -> type[TerminalWorld[Any]]:
    from counterfactual.worlds import TERMINAL_WORLDS

    if name not in TERMINAL_WORLDS and not names_user_code(name):
        names = [known.replace("_", "-") for known in TERMINAL_WORLDS]
        raise UnknownName("terminal world", name, [*names, "diagram"], place="terminal")
    return TERMINAL_WORLDS[name]


def _world(arguments: TerminalArguments, kind: type[TerminalWorld[Any]]) -> int:
    from counterfactual.agents import PLANNING_AGENTS
    from counterfactual.simulation.simulate import simulate

    agent, limit, values = PLANNING_AGENTS[arguments.agent], arguments.listed_traces(), arguments.values()
    _check_own(arguments, kind, agent, values)
    with _named_in_errors(arguments):
        world = kind.make(values)
        if arguments.out is not None:
            _film(world, agent, arguments.out)
        simulation = simulate(world, agent)
    _print(arguments, world, simulation, limit)
    return 0


def _check_own(
    arguments: TerminalArguments, kind: type[TerminalWorld[Any]], agent: PlanningAgent, values: dict[str, object]
) -> None:
    """A user's own world and agent pass their checkers before anything is printed or written."""
    if names_user_code(arguments.what):
        from counterfactual.checkers import check_terminal_world

        check_terminal_world(kind, values)
    if names_user_code(arguments.agent):
        from counterfactual.checkers import check_planning_agent

        check_planning_agent(agent)


def _named_in_errors(arguments: TerminalArguments) -> AbstractContextManager[None]:
    """Whatever a user's own world or agent raises is one line that names it."""
    own = [name for name in (arguments.what, arguments.agent) if names_user_code(name)]
    return user_code(" with ".join(own)) if own else nullcontext()


def _film(world: TerminalWorld[Any], agent: PlanningAgent, path: str) -> None:
    from counterfactual.simulation.film import simulation_film
    from renderers.film import format_for, save_film

    format_for(path)
    save_film(path, simulation_film(world, agent))


def _print(arguments: TerminalArguments, world: TerminalWorld[Any], simulation: Simulation, limit: int) -> None:
    traces = {"traces": simulation.traces, "planned": simulation.planned}
    listed = {name: _listed(of_name, name, limit) for name, of_name in traces.items()}
    score, real_return = float(simulation.score), float(simulation.real_return)
    if arguments.json:
        print(json.dumps({"score": score, **listed, "return": real_return}))
        return
    print(f"{world.name}, {arguments.agent}: score {score:.2f}, return {real_return:.2f}")
    for name, lines in listed.items():
        tied = f" {traces[name].count} tie" if traces[name].count > 1 else ""
        print(f"{name}:{tied}", *lines, sep="\n  ")
    legend = ", ".join(f"{glyph} {name}" for glyph, name in world.action_names.items())
    print(f"{legend}, # people update the terminal")


def _listed(traces: Traces, name: str, limit: int) -> list[str]:
    if traces.count > limit:
        sys.stderr.write(f"{name}: the first {limit} of {traces.count} (raise --limit for more)\n")
    return traces.first(limit)


def _diagram(arguments: TerminalArguments) -> int:
    from counterfactual.influence.diagrams import INFLUENCE_DIAGRAMS
    from counterfactual.influence.picture import diagram_picture

    for name in ("set", "limit", "parameters"):
        if getattr(arguments, name):
            remedy = "use --agent, --horizon, --out and --json"
            raise BadValue(f"--{name} has no meaning for diagrams", place="terminal diagram", remedy=remedy)
    if names_user_code(arguments.agent):
        from counterfactual.checkers import check_influence_diagram

        check_influence_diagram(INFLUENCE_DIAGRAMS[arguments.agent])
    horizon = 3 if arguments.horizon is None else arguments.horizon
    picture = diagram_picture(arguments.agent, horizon)
    if arguments.out is not None:
        _draw(picture, arguments.out)
    if arguments.json:
        print(json.dumps(_diagram_dict(arguments.agent, horizon, picture)))
        return 0
    diagram, made = picture.diagram, picture.made
    print(f"{picture.title}, horizon {horizon}: {len(diagram)} nodes, {diagram.number_of_edges()} edges")
    for before, after in made.rerouted:
        print("rerouted:", " -> ".join(before), "to", " -> ".join(after))
    for edge in made.deleted:
        print("deleted: ", " -> ".join(edge))
    if picture.incentives:
        print("control incentives:", " ".join(picture.incentives))
        for criterion, nodes in picture.single_decision.items():
            print(f"{criterion.replace('_', ' ')}:", " ".join(nodes))
        print(picture.note)
    return 0


def _diagram_dict(agent: str, horizon: int, picture: DiagramPicture) -> dict[str, Any]:
    diagram, made = picture.diagram, picture.made
    return {
        "agent": agent,
        "horizon": horizon,
        "nodes": [{"name": name, **attributes} for name, attributes in diagram.nodes(data=True)],
        "edges": [list(edge) for edge in diagram.edges],
        "incentives": picture.incentives,
        "single_decision": picture.single_decision,
        "rerouted": [{"before": list(before), "after": list(after)} for before, after in made.rerouted],
        "deleted": [list(edge) for edge in made.deleted],
        "note": picture.note,
    }


def _draw(picture: DiagramPicture, path: str) -> None:
    """A diagram as SVG text, or through the renderers."""
    from counterfactual.influence.picture import diagram_scene
    from counterfactual.influence.svg import diagram_svg
    from engine.files import write_atomically
    from renderers.film import save_film

    if path.lower().endswith(".svg"):
        write_atomically(path, diagram_svg(picture))
    else:
        save_film(path, [diagram_scene(picture)])
