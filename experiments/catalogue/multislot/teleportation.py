"""Teleportation in the booth corridor: who goes to the booth, by machine, look of the rooms, future and horizon.

The copy-centred agent travels and lets itself be copied when the horizon is long enough, and avoids machines that
delete one of two; the slot-centred agents use the booth for the bonus alone, the dynamic one only where its later self
can observe which room it is in. `multislot.scenarios.booth_corridor` has the rooms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.experiment import Claim, Experiment, Length, Rows, Scalar
from experiments.figures.curves import Curve, draw_curves, join_names
from experiments.figures.labels import format_label
from experiments.figures.style import GREY, new_figure, set_whole_ticks
from experiments.rows import numbers, only, select, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONG = 10


def run(machine: str, look: str, value: str, horizon: int, discount: str, key: int) -> Rows:
    """Return the exact action values at the start; the booth is on the right, the small coin on the left."""
    from fractions import Fraction

    from multislot.planning.planner import evaluate
    from multislot.scenarios.booth_corridor import make_booth_corridor_rooms

    answer = evaluate(make_booth_corridor_rooms(machine, look), value, horizon, Fraction(discount))
    worth = {str(action): number for action, number in answer.Q.items()}
    return [
        {
            "goes": answer.action == "right",
            "stay": str(worth["left"]),
            "go": str(worth["right"]),
            "advantage": float(worth["right"] - worth["left"]),
        }
    ]


def _list_goers(rows: Rows, **where: str | int) -> set[tuple[str, str]]:
    return {(str(row["look"]), str(row["value"])) for row in select(rows, **where) if row["goes"]}


def _travels(rows: Rows) -> bool:
    return _list_goers(rows, machine="move", horizon=LONG) == {("alike", "cpy"), ("coloured", "cpy")}


def _is_copied(rows: Rows) -> bool:
    return _list_goers(rows, machine="copy", horizon=LONG) == {("alike", "cpy"), ("coloured", "cpy")}


def _nobody_goes(rows: Rows) -> bool:
    return not _list_goers(rows, machine="inert") and not _list_goers(rows, machine="delete")


def _is_wary(rows: Rows) -> bool:
    return not _list_goers(rows, machine="copy-then-delete", horizon=LONG)


def _bonus_attracts(rows: Rows) -> bool:
    going = _list_goers(rows, machine="copy-with-bonus", horizon=LONG)
    everyone = {(look, value) for look in ("alike", "coloured") for value in ("cpy", "sta:1", "dyn")}
    return going == everyone - {("alike", "dyn")}


def _colour_helps(rows: Rows) -> bool:
    def read_advantage(look: str) -> float:
        row = only(rows, machine="copy", look=look, value="cpy", horizon=LONG)
        return float(str(row["advantage"]))

    return read_advantage("coloured") > read_advantage("alike")


def _make_curves(rows: Rows) -> dict[str, Curve]:
    """Return the different curves of a machine; an agent's look of rooms is named where it makes a difference."""
    different: dict[tuple[tuple[float, ...], tuple[float, ...]], list[tuple[Scalar, Scalar]]] = {}
    for value, look in dict.fromkeys((row["value"], row["look"]) for row in rows):
        horizons, gains = (tuple(numbers(rows, name, value=value, look=look)) for name in ("horizon", "advantage"))
        different.setdefault((horizons, gains), []).append((value, look))
    curves = {}
    for (horizons, gains), members in different.items():
        by_agent: dict[Scalar, list[Scalar]] = {}
        for value, look in members:
            by_agent.setdefault(value, []).append(look)
        every = len(values(rows, "look"))
        names = [
            format_label(value) if len(looks) == every else f"{format_label(value)}, rooms {format_label(looks[0])}"
            for value, looks in by_agent.items()
        ]
        curves["all agents" if len(different) == 1 else join_names(names)] = Curve(horizons, gains)
    return curves


def _draw(rows: Rows) -> Figure:
    """Return the advantage of going, a panel per machine; curves that coincide are named together."""
    machines = values(rows, "machine")
    figure = new_figure(9.0, 1.9 * -(-len(machines) // 2))
    every = figure.subplots(-(-len(machines) // 2), 2, sharex=True, sharey=True, squeeze=False).flatten()
    for axes, machine in zip(every, machines, strict=False):
        axes.set_title(f"machine: {format_label(machine)}")
        set_whole_ticks(axes, "x")
        axes.axhline(0.0, color=GREY, linewidth=0.6)
        draw_curves(axes, _make_curves(select(rows, machine=machine)))
    for unused in every[len(machines) :]:
        unused.set_axis_off()
    figure.supxlabel("horizon (steps)")
    figure.supylabel("value of going to the booth minus value of staying (discounted rewards)")
    return figure


experiment = Experiment(
    reproduces="The Multi-slot Framework, sections 1 and 4: teleportation, copies and deletion",
    settings={
        "machine": ("inert", "delete", "move", "copy", "copy-then-delete", "copy-with-bonus"),
        "look": ("alike", "coloured"),
        "value": ("cpy", "sta:1", "dyn"),
        "horizon": (4, 6, 8, LONG, 12),
        "discount": ("9/10",),
    },
    quick={"horizon": (4, LONG)},
    run=run,
    lengths={"horizon": Length("slots ahead", least=0, without_asking=100)},
    claims=(
        Claim("the copy-centred agent travels by a machine that moves it; the slot-centred ones stay", _travels),
        Claim("the copy-centred agent lets itself be copied; the slot-centred ones see nothing in it", _is_copied),
        Claim("nobody walks to a machine that does nothing or deletes", _nobody_goes),
        Claim("copying and then deleting the original is not travelling: nobody accepts", _is_wary),
        Claim("for a bonus all accept but the dynamic agent that cannot observe its room", _bonus_attracts),
        Claim("a copy that can observe its room has a higher value", _colour_helps),
    ),
    figure=_draw,
)
