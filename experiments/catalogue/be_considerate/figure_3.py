"""Where to leave the key: with care, more and more of the others can start their option "collect a package" (Eq 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.catalogue.be_considerate._episodes import draw_paths_figure, make_episode_rows, make_exact_problem
from experiments.experiment import Claim, Experiment, Published, Rows
from experiments.rows import never_falls, never_rises, numbers, only

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROOMS = {1.0: "room 1", 5.0: "room 2", 25.0: "common area"}
SERVED = {1.0: 0.4, 5.0: 0.8, 25.0: 1.0}


def run(care: float, key: int) -> Rows:
    """The acting agent's path, where the key is left, and the share of the others whose option can start there."""
    from craftworld.solution.exact_solution import solve

    best, _ = solve(make_exact_problem("mailroom", "options"), care)
    [row] = make_episode_rows("mailroom", "options", care)
    return [{**row, "room": str((best.handover or {})["key"]), "served": sum(best.others.values()) / len(best.others)}]


def _read_served(rows: Rows, care: float) -> float:
    return numbers(rows, "served", care=care)[0]


def _tabulate(rows: Rows) -> Rows:
    return [{name: row[name] for name in ("care", "room", "served", "return")} for row in rows]


def _draw(rows: Rows) -> Figure:
    """Return the paths, and below them the share of the others whose option can start."""
    paths = {f"care {row['care']:g}: {row['room']}": str(row["path"]) for row in rows}
    return draw_paths_figure("mailroom", paths, below=lambda axes: _draw_served(axes, rows))


def _draw_served(axes: Axes, rows: Rows) -> None:
    from experiments.figures.curves import choose_look
    from experiments.figures.style import explain_printed

    cares = numbers(rows, "care")
    for place, care in enumerate(cares):
        colour, marker, _ = choose_look(place)
        axes.plot(place, 100 * _read_served(rows, care), marker, color=colour)
    explain_printed(axes, [(place, 100 * SERVED[care]) for place, care in enumerate(cares) if care in SERVED])
    axes.set_xticks(range(len(cares)), [f"{care:g}" for care in cares])
    axes.set(xlim=(-0.5, len(cares) - 0.5), ylim=(0, 112), yticks=(0, 20, 40, 60, 80, 100))
    axes.set(xlabel="caring coefficient", ylabel="others served (%)")


experiment = Experiment(
    reproduces="Be Considerate, Figure 3",
    settings={"care": tuple(ROOMS)},
    run=run,
    claims=(
        Claim(
            "care 1 leaves the key in Room 1, 5 in Room 2, 25 in the Common Area",
            lambda rows: all(only(rows, care=care)["room"] == room for care, room in ROOMS.items()),
        ),
        Claim("more care never serves fewer", lambda rows: never_falls([_read_served(rows, care) for care in ROOMS])),
        Claim("and never pays the agent more", lambda rows: never_rises(numbers(rows, "return"))),
    ),
    published=tuple(
        Published(f"share of agents served at care {care:g}", share, lambda rows, care=care: _read_served(rows, care))  # type: ignore[misc]
        for care, share in SERVED.items()
    ),
    figure=_draw,
    table=_tabulate,
)
