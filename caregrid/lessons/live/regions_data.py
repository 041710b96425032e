"""A map of coefficients as plain data: the polygon of every behaviour within a window, its returns and its path."""

from __future__ import annotations

from typing import Any

from caregrid.lessons.live.steps_data import steps_data
from craftworld.regions.caring_regions import CaringRegion, solve_regions
from craftworld.regions.coefficient_axes import coefficient_axes
from craftworld.solution.episodes import segment_episodes
from craftworld.solution.problem import Problem
from engine.errors import BadValue
from engine.planning.regions.plane import PlotWindow, outline, window_of


def regions_data(problem: Problem, axes: tuple[str, ...], drawn: str) -> dict[str, Any] | None:
    """{"axes", "window", "regions"} of two agents' coefficients from 0 on, the others' at 1; None without axes.

    drawn: the glyphs of the map that the page draws by itself.
    """
    if not axes:
        return None
    if len(axes) != 2:
        remedy = "name two"
        raise BadValue(f"{len(axes)} axes of a map of regions", place=problem.scenario.name, remedy=remedy)
    solved = solve_regions(coefficient_axes(problem, axes, (0.0, float("inf")), 1.0))
    window = window_of([each.region for each in solved.regions])
    regions = [_region(problem, each, window, drawn) for each in solved.regions]
    return {"axes": list(axes), "window": [list(side) for side in window], "regions": regions}


def _region(problem: Problem, region: CaringRegion, window: PlotWindow, drawn: str) -> dict[str, Any]:
    start, segment = next(iter(region.region.behaviour.items()))
    return {
        "corners": outline(region.region, window).tolist(),
        "own": region.outcome.own,
        "others": dict(region.outcome.others),
        "total": region.outcome.total,
        "steps": steps_data(segment_episodes(problem, segment, start)[0], drawn),
    }
