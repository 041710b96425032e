"""Plan with an input terminal: what ITF, ITC, CITC and f_c do in a world, or their influence diagrams.

  caregrid terminal car-factory --agent itf --set lobbying=0.4 --set horizon=25 --json
  caregrid terminal tamper-grid --agent itc
  caregrid terminal barricade --agent itc --set units=6 --out film.gif
  caregrid terminal diagram --agent itc --horizon 3 --out diagram.svg

Worlds print the score (the value of the agent's plan), its return in real_world, and all optimal traces, real and
planned (the first few where many tie, unless --limit or --json asks for more); "#" follows the step in which people
update the terminal. `--parameters` lists what --set understands.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterfactual.influence.picture import DiagramPicture
    from counterfactual.planning_agent import PlanningAgent
    from counterfactual.simulation.traces import Traces
    from counterfactual.terminal_world import TerminalWorld

FEW, MANY = 10, 1000


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="WORLD|diagram", help="car-factory, tamper-grid, barricade, ... or diagram")
    parser.add_argument("--agent", default="itc", help="itf, itc, citc or fc; diagrams: learning, itf, itc or citc")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="settings", help="a parameter of the world"
    )
    parser.add_argument("--horizon", type=int, help="steps (diagrams: 3 by default)")
    parser.add_argument("--limit", type=int, help=f"traces to list at most (default {FEW}; with --json {MANY})")
    parser.add_argument("--out", metavar="FILE", help="write a picture or film; diagrams: FILE.svg")
    parser.add_argument("--parameters", action="store_true", help="list the parameters of the world and leave")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    return _diagram(arguments) if arguments.what == "diagram" else _world(arguments)


def _world(arguments: argparse.Namespace) -> int:
    from counterfactual.agents import PLANNING_AGENTS
    from counterfactual.simulation.simulate import simulate
    from counterfactual.worlds import TERMINAL_WORLDS
    from engine.errors import BadValue, UnknownName

    if arguments.what not in TERMINAL_WORLDS:
        names = [name.replace("_", "-") for name in TERMINAL_WORLDS]
        raise UnknownName("world", arguments.what, [*names, "diagram"], place="terminal")
    kind = TERMINAL_WORLDS[arguments.what]
    if arguments.parameters:
        parameters = kind.parameters()
        lines = [f"{name:14} {says}" for name, says in parameters.items()]
        print(json.dumps(parameters) if arguments.json else "\n".join(lines))
        return 0
    agent = PLANNING_AGENTS[arguments.agent]
    limit = (MANY if arguments.json else FEW) if arguments.limit is None else arguments.limit
    if limit < 1:
        raise BadValue(f"limit {limit}", place="--limit", remedy="list at least 1 trace")
    world = kind.make(_settings(arguments))
    if arguments.out is not None:
        _film(world, agent, arguments.out)
    simulation = simulate(world, agent)
    traces = {name: getattr(simulation, name) for name in ("traces", "planned")}
    listed = {name: _listed(found, name, limit) for name, found in traces.items()}
    score, real_return = float(simulation.score), float(simulation.real_return)
    if arguments.json:
        print(json.dumps({"score": score, **listed, "return": real_return}))
        return 0
    print(f"{world.name}, {arguments.agent}: score {score:.2f}, return {real_return:.2f}")
    for name, shown in listed.items():
        tied = f" {traces[name].count} tie" if traces[name].count > 1 else ""
        print(f"{name}:{tied}", *shown, sep="\n  ")
    print(", ".join(f"{glyph} {word}" for glyph, word in world.action_names.items()) + ", # people update the terminal")
    return 0


def _film(world: TerminalWorld[Any], agent: PlanningAgent, path: str) -> None:
    from counterfactual.simulation.film import simulation_film
    from renderers.film import encoder, save

    encoder(path)
    save(path, simulation_film(world, agent))


def _listed(traces: Traces, name: str, limit: int) -> list[str]:
    if traces.count > limit:
        sys.stderr.write(f"{name}: the first {limit} of {traces.count} (raise --limit for more)\n")
    return traces.first(limit)


def _settings(arguments: argparse.Namespace) -> dict[str, object]:
    from engine.errors import BadValue

    settings: dict[str, object] = {}
    horizon = [] if arguments.horizon is None else [f"horizon={arguments.horizon}"]
    for given in arguments.settings + horizon:
        key, equals, value = given.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not key or not value.strip():
            raise BadValue(f"'{given}' is no setting", place="--set", remedy="write --set KEY=VALUE")
        if key in settings:
            raise BadValue(f"'{key}' is set twice", place="--set", remedy="set it once")
        settings[key] = value.strip()
    return settings


def _diagram(arguments: argparse.Namespace) -> int:
    from counterfactual.influence.picture import NOTE, diagram_picture
    from engine.errors import BadValue

    if arguments.settings:
        raise BadValue("--set has no meaning for diagrams", place="terminal diagram", remedy="use --horizon")
    horizon = 3 if arguments.horizon is None else arguments.horizon
    shown = diagram_picture(arguments.agent, horizon)
    made = shown.made
    if arguments.out is not None:
        _draw(shown, arguments.out)
    if arguments.json:
        print(
            json.dumps(
                {
                    "agent": arguments.agent,
                    "horizon": horizon,
                    "nodes": [{"name": name, **attributes} for name, attributes in shown.diagram.nodes(data=True)],
                    "edges": [list(edge) for edge in shown.diagram.edges],
                    "incentives": shown.incentives,
                    "single_decision": shown.single_decision,
                    "rerouted": [{"before": list(before), "after": list(after)} for before, after in made.rerouted],
                    "deleted": [list(edge) for edge in made.deleted],
                    "note": NOTE,
                }
            )
        )
        return 0
    print(f"{shown.title}, horizon {horizon}: {len(shown.diagram)} nodes, {shown.diagram.number_of_edges()} edges")
    for before, after in made.rerouted:
        print("rerouted:", " -> ".join(before), "to", " -> ".join(after))
    for edge in made.deleted:
        print("deleted: ", " -> ".join(edge))
    if shown.incentives:
        print("control incentives:", " ".join(shown.incentives))
        for criterion, nodes in shown.single_decision.items():
            print(f"{criterion.replace('_', ' ')}:", " ".join(nodes))
        print(NOTE)
    return 0


def _draw(shown: DiagramPicture, path: str) -> None:
    """SVG by our own hand, every other format through the renderers."""
    from counterfactual.influence.picture import diagram_scene
    from counterfactual.influence.svg import diagram_svg
    from engine.files import write_atomically
    from renderers.film import save

    if path.lower().endswith(".svg"):
        write_atomically(path, diagram_svg(shown))
    else:
        save(path, [diagram_scene(shown)])
