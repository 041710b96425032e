"""What happens in a craft world, as rows and as a picture of paths: the acting agent first, then those who come after.

A row holds one agent's episode: `who`, `return`, `actions` and `path` (cells as "row,column", joined by spaces), and
the acting agent's row also `handover`, what it leaves behind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.grid import Cell
from experiments.caring_problem import NamedProblem
from experiments.experiment import ResultRow, Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from craftworld.solution.episodes import AgentEpisode
    from craftworld.solution.problem import Problem
    from engine.scene import Scene
    from renderers.drawing.shapes import Image

ACTING = "agent"
TILE = 48  # pixels a cell, of which outlines are traced


def make_exact_problem(scenario: str, formulation: str | None = None) -> Problem:
    """Return the exact problem of a scenario, on its own map; by default with its own formulation."""
    return NamedProblem(scenario, formulation).make_problem()


def make_episode_rows(scenario: str, formulation: str | None, care: float) -> Rows:
    """Return a row for the acting agent at its exact optimum, and one for each agent that comes after."""
    from craftworld.solution.episodes import make_episodes
    from craftworld.solution.exact_solution import solve

    problem = make_exact_problem(scenario, formulation)
    best, _ = solve(problem, care)
    first, *others = [_make_episode_row(part) for part in make_episodes(problem, care)]
    handover = ", ".join(
        f"{what} {_join_words(value)}" for what, value in (best.handover or {}).items() if what != "cell"
    )
    first |= {"return": best.own, "handover": handover}
    return [first, *({**row, "return": best.others.get(str(row["who"]), row["return"])} for row in others)]


def _make_episode_row(part: AgentEpisode) -> ResultRow:
    episode = part.episode
    cells = [part.scenario.coordinates(int(state.cell)) for state in episode.states]
    return {
        "who": part.agent,
        "return": float(sum(step.reward for step in episode.steps)),
        "actions": ", ".join(step.action for step in episode.steps),
        "path": " ".join(f"{row},{column}" for row, column in cells),
    }


def _join_words(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else str(value)


def draw_paths_figure(
    scenario: str,
    paths: Mapping[str, str],
    things: Mapping[str, str] | None = None,
    below: Callable[[Axes], None] | None = None,
) -> Figure:
    """Return the scenario as it is at first, with paths on it, label -> path as in the rows.

    things: name -> cells, likewise. below: draws a panel under it.
    """
    from experiments.figures.paths import draw_paths

    world = make_exact_problem(scenario).scenario
    floor = _draw_floor(world.scene(next(iter(world.starts()))))
    grid = world.grid
    return draw_paths(grid.rows, grid.features, _parse_cells(paths), _parse_cells(things or {}), below, floor)


def _draw_floor(scene: Scene) -> Image:
    """Draw a scene's floor and what stands on it, as vectors, without the acting agent, whose path is drawn."""
    from renderers.drawing.raster import Raster
    from renderers.drawing.shapes import draw_vectors

    marks = tuple(mark for mark in scene.marks if mark.role != "agent")
    with draw_vectors():
        return Raster(TILE).draw_shared_grid(replace(scene, marks=marks, overlays=()))


def _parse_cells(texts: Mapping[str, str]) -> dict[str, list[Cell]]:
    return {name: [Cell(*map(int, cell.split(","))) for cell in text.split()] for name, text in texts.items()}
