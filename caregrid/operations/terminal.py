"""The operation of agents with an input terminal: what they do in a world, its parameters, and influence diagrams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from caregrid.command_line.operation import Word, operation
from caregrid.command_line.words import FILE, QUIET, SET
from engine.errors import BadValue, argument
from engine.files import require_file_place
from engine.value_types import Horizon, LearningEpisodes, Listed, Seed, pair_set

if TYPE_CHECKING:
    from caregrid.programmes.terminal.diagram import DiagramResult
    from caregrid.programmes.terminal.simulation import TerminalParameters, TerminalSimulation

__all__ = ["terminal"]

GROUP = "Agents with an input terminal"
DIAGRAM = "diagram"
HORIZON_OF_DIAGRAMS = 3


@operation(group=GROUP, pictures=True)
def terminal(
    what: Annotated[str, Word(metavar="WORLD|diagram", kinds=("terminal_worlds",))],
    *,
    agent: Annotated[str, Word(metavar="AGENT", kinds=("planning_agents",))] = "itc",
    set: Annotated[Mapping[str, Any] | Sequence[str], SET] = (),
    horizon: Horizon | None = None,
    learn: LearningEpisodes | None = None,
    seed: Seed = 0,
    limit: Listed | None = None,
    out: Annotated[str | Path | None, FILE] = None,
    record: Annotated[str | Path | None, FILE] = None,
    parameters: bool = False,
    yes: bool = False,
    quiet: Annotated[bool, QUIET] = True,
) -> TerminalSimulation | TerminalParameters | DiagramResult:
    """Plan with an input terminal: what ITF, ITC, CITC and f_c do in a world, or their influence diagrams.

      caregrid terminal car-factory --agent itf --set lobbying=0.4 --set horizon=25 --json
      caregrid terminal tamper-grid --agent itc
      caregrid terminal barricade --agent itc --set units=6 --out film.gif
      caregrid terminal tamper-grid --agent citc --learn 200
      caregrid terminal my_file:MyWorld --agent my_file:my_agent
      caregrid terminal diagram --agent itc --horizon 3 --out diagram.svg

    Prints the score (the value of the agent's first plan), the return in the real world, and all traces of optimal
    actions, real and planned (ties and chance can make many; the first few, unless --limit or --json asks for more).
    "#" follows the step in which people update the terminal. `--parameters` lists the parameters for --set.

    In Python these are `caregrid.terminal`, `caregrid.terminal_parameters` and `caregrid.diagram`.

    Parameters
    ----------
    what : str
        The world car-factory, tamper-grid, barricade, off-switch or MODULE:NAME; or diagram.
    agent : str
        The agent itf, itc, citc, fc, gc or MODULE:NAME; diagrams: learning too.
    set : mapping or texts NAME=VALUE
        A parameter of the world; repeatable.
    horizon : int
        Steps (diagrams: 3 by default).
    learn : int
        Let the agent learn the world from this many episodes of random actions (default: it knows the world).
    seed : int
        The seed of these episodes.
    limit : int
        Traces to list at most (default: 10; with --json 1000).
    out : str or Path
        Write a film or, of a diagram, a picture (also .svg).
    record : str or Path
        Write one course of events (.jsonl), which 'caregrid identify' reads.
    parameters : bool
        List the parameters of the world and leave.
    yes : bool
        Do any amount of work; without it, large amounts are refused with an estimate.
    quiet : bool
        No progress (by default in Python).

    Returns
    -------
    TerminalSimulation, TerminalParameters or DiagramResult
        What was asked for.

    Raises
    ------
    UnknownName, BadValue, ContractBroken
        For names and parameters that cannot be, and options that mean nothing to a diagram.

    Examples
    --------
    >>> from caregrid.operations.terminal import terminal
    >>> terminal("diagram", agent="itf", horizon=1).agent
    'itf'
    """
    from caregrid.programmes.terminal.simulation import TerminalParameters, terminal_parameters
    from caregrid.programmes.terminal.simulation import terminal as simulate_terminal

    if what == DIAGRAM:
        from caregrid.programmes.terminal.diagram import diagram

        refused = {"set": set, "learn": learn, "limit": limit, "parameters": parameters, "record": record}
        for name, given in refused.items():
            if given:
                remedy = "use --agent, --horizon, --out and --json"
                raise BadValue(f"--{name} has no meaning for diagrams", place="terminal diagram", remedy=remedy)
        drawn = diagram(agent, HORIZON_OF_DIAGRAMS if horizon is None else horizon)
        if out is not None:
            drawn.save_picture(out)
        return drawn
    if parameters:
        return TerminalParameters(terminal_parameters(what))
    if out is not None:
        from renderers.film import format_for

        format_for(out)
    settings = _read_settings(set, horizon)
    if record is not None:
        if learn is not None:
            raise BadValue("a record of an agent that learns", place=argument("record"), remedy="leave --learn out")
        require_file_place(record)
    simulation = replace(
        simulate_terminal(what, agent, learn=learn, seed=seed, yes=yes, quiet=quiet, **settings), limit=limit
    )
    if out is not None:
        simulation.film().save(out)
    if record is not None:
        from caregrid.programmes.terminal.identification import record_terminal

        record_terminal(what, agent, 1, seed, settings).save(record)
    return simulation


def _read_settings(given: Mapping[str, Any] | Sequence[str], horizon: int | None) -> dict[str, str]:
    """Parameter -> text; BadValue for what is not a setting or set twice."""
    values: dict[str, str] = {}
    for setting in (*pair_set(given, argument("set")), *([] if horizon is None else [f"horizon={horizon}"])):
        name, equals, value = setting.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name or not value.strip():
            raise BadValue(f"'{setting}' is not a setting", place=argument("set"), remedy="write NAME=VALUE")
        if name in values:
            raise BadValue(f"'{name}' is set twice", place=argument("set"), remedy="set it once")
        values[name] = value.strip()
    return values
