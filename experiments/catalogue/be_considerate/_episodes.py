"""What happens in a craft world, as rows and as a picture of paths: the acting agent first, then those who come after.

A row holds one agent's episode: `who`, `return`, `actions` and `path` (cells as "row,column", joined by spaces), and
the acting agent's row also `handover`, what it leaves behind.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from experiments.experiment import ResultRow, Rows
from experiments.problems.named_problem import NamedProblem

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from craftworld.solution.episodes import AgentEpisode
    from craftworld.solution.problem import Problem

ACTING = "agent"
SPREAD = 0.09


def problem_of(scenario: str, formulation: str | None = None) -> Problem:
    """The exact problem of a scenario, on its own map; by default with its own formulation."""
    return NamedProblem(scenario, formulation).make_problem()


def episode_rows(scenario: str, formulation: str | None, care: float) -> Rows:
    """A row for the acting agent at its exact optimum, and one for each agent that comes after."""
    from craftworld.solution.episodes import episodes
    from craftworld.solution.solution import solve

    problem = problem_of(scenario, formulation)
    best, _ = solve(problem, care)
    first, *others = [_episode_row(part) for part in episodes(problem, care)]
    handover = ", ".join(f"{what} {_words(value)}" for what, value in (best.handover or {}).items() if what != "cell")
    first |= {"return": best.own, "handover": handover}
    return [first, *({**row, "return": best.others.get(str(row["who"]), row["return"])} for row in others)]


def _episode_row(part: AgentEpisode) -> ResultRow:
    episode = part.episode
    cells = [part.scenario.coordinates(int(state.cell)) for state in episode.states]
    return {
        "who": part.agent,
        "return": float(sum(step.reward for step in episode.steps)),
        "actions": ", ".join(step.action for step in episode.steps),
        "path": " ".join(f"{row},{column}" for row, column in cells),
    }


def _words(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else str(value)


def paths_figure(scenario: str, paths: Mapping[str, str]) -> Figure:
    """The scenario's map with paths on it, label -> path as in the rows, each in a colour of its own."""
    from experiments.figures.style import CYCLE, new_figure

    figure = new_figure(5.0, 5.6)
    axes = figure.subplots()
    _draw_map(axes, problem_of(scenario).scenario.grid)
    for number, ((label, path), colour) in enumerate(zip(paths.items(), itertools.cycle(CYCLE), strict=False)):
        shift = (number - (len(paths) - 1) / 2) * SPREAD
        cells = [tuple(map(int, cell.split(","))) for cell in path.split()]
        xs, ys = [column + shift for _, column in cells], [row + shift for row, _ in cells]
        axes.plot(xs, ys, color=colour, linewidth=2.2, label=label, solid_joinstyle="round")
        axes.plot(xs[-1:], ys[-1:], "o", color=colour, markersize=7)
    axes.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, 0.0))
    return figure


def _draw_map(axes: Axes, grid: Any) -> None:
    rows, columns = grid.shape
    for row, column in itertools.product(range(rows), range(columns)):
        if grid.rows[row][column] == "#":
            axes.add_patch(_square(row, column))
    labels: dict[tuple[int, int], list[str]] = {}
    for name, cells in grid.features.items():
        for cell in cells:
            labels.setdefault(cell, []).append(name)
    for (row, column), names in labels.items():
        axes.text(column, row - 0.32, ", ".join(names), ha="center", va="center", fontsize=6, color="#555555")
    axes.set(xlim=(0, columns - 1), ylim=(rows - 1, 0), aspect="equal", xticks=[], yticks=[])


def _square(row: int, column: int) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.5, row - 0.5), 1, 1, color="#D0D0D0", linewidth=0)
