"""Plan with an input terminal: what ITF, ITC, CITC and f_c do in a world, or their influence diagrams.

  caregrid terminal car-factory --agent itf --set lobbying=0.4 --set horizon=25 --json
  caregrid terminal tamper-grid --agent itc
  caregrid terminal barricade --agent itc --set units=6 --out film.gif
  caregrid terminal my_file:MyWorld --agent my_file:my_agent
  caregrid terminal diagram --agent itc --horizon 3 --out diagram.svg

Prints the score (the value of the agent's first plan), the return in the real world, and all traces of optimal actions,
real and planned (ties and chance can make many; the first few, unless --limit or --json asks for more). "#" follows the
step in which people update the terminal. `--parameters` lists the parameters for --set.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from caregrid.arguments.declaration import option, positional
from caregrid.arguments.effort import EffortArguments
from caregrid.arguments.printed import JsonArgument, print_json
from caregrid.command_line.terminal_width import print_text
from engine.bounds import Horizon, Listed
from engine.errors import BadValue

FEW, MANY = 10, 1000

GROUP = "Agents with an input terminal"


@dataclass(frozen=True, kw_only=True)
class TerminalArguments(JsonArgument, EffortArguments):
    """A world and an agent, or a diagram."""

    what: str = positional(
        "car-factory, tamper-grid, barricade, off-switch, MODULE:NAME, or diagram",
        metavar="WORLD|diagram",
        kinds=("terminal_worlds",),
    )
    agent: str = option(
        "itc",
        "itf, itc, citc, fc, gc or MODULE:NAME; diagrams: learning too",
        metavar="AGENT",
        kinds=("planning_agents",),
    )
    set: tuple[str, ...] = option((), "a parameter of the world; repeatable", metavar="NAME=VALUE")
    horizon: Horizon | None = option(None, "steps (diagrams: 3 by default)", metavar="N")
    limit: Listed | None = option(None, f"traces to list at most (default {FEW}; with --json {MANY})", metavar="N")
    out: str | None = option(None, "write a film or, of a diagram, a picture (also .svg)", metavar="FILE")
    parameters: bool = option(False, "list the parameters of the world and leave")

    def values(self) -> dict[str, object]:
        """What --set and --horizon say, parameter -> text; BadValue for what is not a setting or set twice."""
        values: dict[str, object] = {}
        horizon = [] if self.horizon is None else [f"horizon={self.horizon}"]
        for given in (*self.set, *horizon):
            name, equals, value = given.partition("=")
            name = name.strip().replace("-", "_")
            if not equals or not name or not value.strip():
                raise BadValue(f"'{given}' is not a setting", place="--set", remedy="write --set NAME=VALUE")
            if name in values:
                raise BadValue(f"'{name}' is set twice", place="--set", remedy="set it once")
            values[name] = value.strip()
        return values

    def listed_traces(self) -> int:
        """How many traces to list at most."""
        return (MANY if self.json else FEW) if self.limit is None else self.limit


def run(arguments: TerminalArguments) -> int:
    if arguments.what == "diagram":
        return _diagram(arguments)
    from caregrid.programmes.terminal.simulation import terminal, terminal_parameters
    from experiments.rows import align_lines
    from renderers.film import format_for

    if arguments.parameters:
        parameters = terminal_parameters(arguments.what)
        if arguments.json:
            print_json("terminal_parameters", {"parameters": parameters})
        else:
            print_text("\n".join(align_lines(parameters.items())))
        return 0
    limit = arguments.listed_traces()
    if arguments.out is not None:
        format_for(arguments.out)
    simulation = terminal(arguments.what, arguments.agent, arguments.effort(), **arguments.values())
    if arguments.out is not None:
        simulation.film().save(arguments.out)
    for name in ("traces", "planned"):
        count = getattr(simulation, name).count
        if count > limit:
            sys.stderr.write(f"{name}: the first {limit} of {count} (raise --limit for more)\n")
    if arguments.json:
        print_json("terminal", simulation.as_dict(limit))
    else:
        print_text(simulation.text(limit))
    return 0


def _diagram(arguments: TerminalArguments) -> int:
    from caregrid.programmes.terminal.diagram import diagram

    for name in ("set", "limit", "parameters"):
        if getattr(arguments, name):
            remedy = "use --agent, --horizon, --out and --json"
            raise BadValue(f"--{name} has no meaning for diagrams", place="terminal diagram", remedy=remedy)
    drawn = diagram(arguments.agent, 3 if arguments.horizon is None else arguments.horizon)
    if arguments.out is not None:
        drawn.save_picture(arguments.out)
    arguments.print_result("terminal_diagram", drawn)
    return 0
