"""The path of a region's behaviour as a small picture."""

from __future__ import annotations

from dataclasses import replace

from caregrid.shows.scenes import path_until
from caregrid.shows.solved import with_solutions
from craftworld.regions.caring_regions import CaringRegion
from craftworld.solution.episodes import segment_episodes
from craftworld.solution.problem import Problem
from renderers.drawing.picture import Painter
from renderers.drawing.shapes import Image


def path_image(problem: Problem, region: CaringRegion, tile: int) -> Image:
    """The acting agent's path from the first start state over the world as it is left. tile: pixels a cell."""
    start, segment = next(iter(region.region.behaviour.items()))
    first = with_solutions(problem, segment_episodes(problem, segment, start)[:1], 0.0)[0]
    last = problem.scenario.scene(first.chapter.episode.states[-1])
    path = path_until(first, len(first) - 1, "")
    return Painter(tile, legend=False, readings=False).picture(replace(last, overlays=(path,), caption="", readings=()))
