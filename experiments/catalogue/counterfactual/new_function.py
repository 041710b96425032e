"""Indifference to what the new function will say: ITC, CITC and f_c before the update, whatever e will be worth.

ITF lobbies for a later update where that will cost it, and for an earlier one where it will gain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from experiments.catalogue.counterfactual._worlds import make_exact_world, simulate_worlds
from experiments.experiment import Claim, Experiment, Rows
from experiments.figures.curves import Curve, draw_curves
from experiments.figures.labels import format_label
from experiments.figures.style import new_figure, set_whole_ticks
from experiments.rows import numbers, select

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from counterfactual.simulation.simulate import Simulation
    from counterfactual.worlds import TerminalWorld

AGENT_NAMES = ("itf", "itc", "citc", "fc")
WORTHS = tuple(step / 10 for step in range(36))


def make_world(new_electric: float, lobbying: float) -> TerminalWorld[Any]:
    """Return the car factory with one worth of electric cars under the new function."""
    return make_exact_world("car-factory", new_electric=new_electric, lobbying=lobbying)


def run(new_electric: float, lobbying: float, key: int) -> Rows:
    """Return all agents under one new function."""
    [rows] = run_together([{"new_electric": new_electric, "lobbying": lobbying}])
    return rows


def run_together(settings: Sequence[Mapping[str, Any]]) -> list[Rows]:
    """Return the rows of many new functions at once."""
    factories = [make_world(**setting) for setting in settings]
    of_agents = [simulate_worlds(factories, [agent] * len(factories)) for agent in AGENT_NAMES]
    return [_make_rows(of_factory) for of_factory in zip(*of_agents, strict=True)]


def _make_rows(of_agents: Sequence[Simulation]) -> Rows:
    """Return a row per agent."""
    before = [simulation.traces.first(1)[0].partition("#") for simulation in of_agents]
    same = len({simulation.traces for simulation in of_agents[1:]}) == 1
    return [
        {
            "agent": agent,
            "before": begun,
            "update_step": len(begun) if mark else None,
            "all_agree": same,
            "score": float(simulation.score),
            "traces": simulation.traces.count,
        }
        for agent, simulation, (begun, mark, _) in zip(AGENT_NAMES, of_agents, before, strict=True)
    ]


def _obey(rows: Rows) -> bool:
    return all(row["before"] == "pppppp" for agent in AGENT_NAMES[1:] for row in select(rows, agent=agent))


def _itf_turns(rows: Rows) -> bool:
    shown = [row for row in select(rows, agent="itf") if row["update_step"] is not None]
    steps, worths = numbers(shown, "update_step"), numbers(shown, "new_electric")
    hastened = [worth for worth, step in zip(worths, steps, strict=True) if step < 6]
    put_off = [worth for worth, step in zip(worths, steps, strict=True) if step > 6]
    return bool(hastened and put_off) and min(hastened) > max(put_off)


def _draw(rows: Rows) -> Figure:
    lobbying = min(numbers(rows, "lobbying"))
    figure = new_figure(6.0, 3.2)
    axes = figure.subplots()
    axes.set(xlabel="worth of an electric car under the new function (reward)", ylabel="step of the update")
    axes.set_title(f"ITF moves the update, the others leave it at step 6 (lobbying power {lobbying:g})")
    set_whole_ticks(axes, "y")
    curves = {}
    for agent in AGENT_NAMES:
        shown = [row for row in select(rows, agent=agent, lobbying=lobbying) if row["update_step"] is not None]
        if shown:
            curves[format_label(agent)] = Curve(numbers(shown, "new_electric"), numbers(shown, "update_step"))
    draw_curves(axes, curves, steps=True)
    return figure


experiment = Experiment(
    reproduces="Counterfactual planning with an input terminal, relation to the balancing agent",
    settings={"new_electric": WORTHS, "lobbying": (0.4, 1.0)},
    quick={"new_electric": (0.0, 1.0, 2.0, 3.5), "lobbying": (0.4,)},
    run=run,
    together=run_together,
    prepare=make_world,
    claims=(
        Claim("ITC, CITC and f_c have the same optimal traces", lambda rows: all(r["all_agree"] for r in select(rows))),
        Claim("they make petrol cars up to the planned update, whatever comes after", _obey),
        Claim("ITF puts off an update that costs it and hastens one that pays", _itf_turns),
    ),
    figure=_draw,
)
