"""The path of a region's behaviour as a small picture."""

from __future__ import annotations

from dataclasses import replace

from caregrid.shows.scenes import path_until
from caregrid.shows.solved import with_solutions
from craftworld.regions.caring_regions import CaringRegion
from craftworld.solution.episodes import segment_episodes
from craftworld.solution.problem import Problem
from engine.scene import Scene
from renderers.drawing.picture import Painter
from renderers.drawing.shapes import Image
from renderers.drawing.tiles import FACE

PIXELS, LEAST_TILE, LARGEST_TILE = 480, 12, 40  # pixels across of a picture, and of a cell


def path_scene(problem: Problem, region: CaringRegion) -> Scene:
    """The acting agent's path from the first start state over the world as it is left."""
    start, segment = next(iter(region.region.behaviour.items()))
    first = with_solutions(problem, segment_episodes(problem, segment, start)[:1], 0.0)[0]
    last = problem.scenario.scene(first.chapter.episode.states[-1])
    return replace(last, overlays=(path_until(first, len(first) - 1, ""),), caption="", readings=())


def small_picture(scene: Scene) -> Image:
    """A scene without legend and words, as wide as a column of a figure can show."""
    tile = PIXELS // len(scene.floor[0]) if scene.floor else LARGEST_TILE
    tile = min(max(LEAST_TILE, tile), LARGEST_TILE)
    return Painter(tile, legend=False, readings=False).picture(scene)


def names_of_marks(scenes: list[Scene]) -> str:
    """What the letters of scenes stand for, in words."""
    names = {mark.glyph: mark.name for scene in scenes for mark in scene.marks if mark.glyph != FACE}
    return ", ".join(f"{glyph} {name}" for glyph, name in names.items())
