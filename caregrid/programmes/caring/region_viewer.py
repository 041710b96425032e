"""A map of two coefficients to click on: the region there, and what its behaviour does, step by step.

The map is a grid of coefficients; a cell stands for those in its middle, and bears the number of its best region. A
figure of regions shows the path of each behaviour as a small picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from caregrid.programmes.caring.scenes import NOTHING, PATH, add_solutions, path_until
from craftworld.regions import CaringRegion, CaringRegions, CoefficientAxes
from craftworld.solution.episodes import film_episodes, make_segment_episodes
from craftworld.solution.problem import Problem
from engine.errors import BadValue, argument
from engine.planning.coefficient_regions import find_window
from engine.scene import Film, Heat, Mark, Scene
from experiments.figures.labels import format_name
from renderers.drawing.picture import Painter
from renderers.drawing.shapes import Image
from renderers.drawing.tiles import FACE
from renderers.viewer.viewable import Readings, Viewable, describe_cell

PIXELS, LEAST_TILE, LARGEST_TILE = 480, 12, 40  # pixels across of a picture, and of a cell


def draw_path(problem: Problem, region: CaringRegion) -> Scene:
    """The acting agent's path from the first start state over the world as it is left."""
    start, segment = next(iter(region.region.behaviour.items()))
    first = add_solutions(problem, make_segment_episodes(problem, segment, start)[:1], 0.0)[0]
    last = problem.scenario.scene(first.chapter.episode.states[-1])
    return replace(last, overlays=(path_until(first, len(first) - 1, ""),), caption="", readings=())


def draw_small_picture(scene: Scene) -> Image:
    """A scene without legend and words, as wide as a column of a figure can show."""
    tile = PIXELS // len(scene.floor[0]) if scene.floor else LARGEST_TILE
    tile = min(max(LEAST_TILE, tile), LARGEST_TILE)
    return Painter(tile, legend=False, readings=False).picture(scene)


def name_marks(scenes: list[Scene]) -> str:
    """What the letters of scenes stand for, in words."""
    names = {mark.glyph: mark.name for scene in scenes for mark in scene.marks if mark.glyph != FACE}
    return ", ".join(f"{glyph} {name}" for glyph, name in names.items())


SIDE = 16
MAP_SCENE = (0,)
MOVES = {"more of the first": (0, 1), "less of the first": (0, -1), "more": (-1, 0), "less": (1, 0)}


def require_two(axes: CoefficientAxes) -> CoefficientAxes:
    """The axes; BadValue unless there are two."""
    if len(axes.names) != 2:
        remedy = "choose two agents, as a map has two sides"
        raise BadValue(f"{len(axes.names)} coefficients", place=argument("axes"), remedy=remedy)
    return axes


class ViewableRegions(Viewable):
    """The regions of two coefficients beside the world: a click on the map chooses the coefficients.

    solved: regions of two axes. meanings: what each coefficient is. at: the coefficients chosen at first.
    """

    def __init__(
        self, problem: Problem, solved: CaringRegions, meanings: Sequence[str], at: Sequence[float], seed: int = 0
    ) -> None:
        require_two(solved.axes)
        self.title = f"{format_name(problem.scenario.name)}: {meanings[0]} to the right, {meanings[1]} upwards"
        self._problem = problem
        self._solved = solved
        self._seed = seed
        (left, right), (low, high) = find_window([region.region for region in solved.regions])
        middles = (np.arange(SIDE) + 0.5) / SIDE
        self._x, self._y = left + middles * (right - left), high - middles * (high - low)
        self._numbers = [[self._number(x, y) for x in self._x] for y in self._y]
        self._films: dict[int, Film] = {}
        self._cell = (int(np.abs(self._y - at[1]).argmin()), int(np.abs(self._x - at[0]).argmin()))
        if self._numbers[self._cell[0]][self._cell[1]] is None:
            inside = ((r, c) for r, row in enumerate(self._numbers) for c, n in enumerate(row) if n is not None)
            self._cell = next(inside)

    @property
    def keys(self) -> Mapping[str, tuple[str, str]]:
        """Up and down change the second coefficient, page up and page down the first."""
        return {
            "page up": ("more of the first", "more of the first coefficient"),
            "page down": ("less of the first", "less of the first coefficient"),
            "up": ("more", "more of the second coefficient"),
            "down": ("less", "less of the second coefficient"),
        }

    @property
    def coefficients(self) -> tuple[float, float]:
        """Those that are chosen."""
        row, column = self._cell
        return float(self._x[column]), float(self._y[row])

    @property
    def region(self) -> CaringRegion:
        """The region at the chosen coefficients."""
        return self._solved.regions[self._chosen]

    def __len__(self) -> int:
        return len(self._film)

    def overlays(self) -> Sequence[str]:
        """Path, none."""
        return PATH, NOTHING

    def scene(self, index: int, overlay: str) -> Scene:
        """The map and, beside it, a scene of what the chosen region's behaviour does."""
        world = self._film[index]
        shown = world if overlay == PATH else replace(world, overlays=())
        outcome, (x, y) = self.region.outcome, self.coefficients
        chosen = [("region", f"{self._chosen + 1} of {len(self._solved.regions)}")]
        chosen += [(name, f"{value:.4g}") for name, value in zip(self._solved.axes.names, (x, y), strict=True)]
        chosen += [("own return", f"{outcome.own:g}"), *((name, f"{each:g}") for name, each in outcome.others.items())]
        words = tuple(reading for reading in world.readings if reading[0] in ("who", "step", "action"))
        return Scene(readings=(*chosen, *words), panels=(self._map(), replace(shown, readings=())))

    def inspect(self, index: int, cell: tuple[int, int]) -> Readings:
        """What stands on a cell of the world."""
        return describe_cell(self._film[index], cell)

    def click(self, panel: tuple[int, ...], cell: tuple[int, int], index: int) -> int | None:
        """A click on the map chooses the coefficients there; the film begins again where the region is another."""
        if panel != MAP_SCENE:
            return None
        return self._choose(cell, index)

    def execute(self, command: str, index: int) -> int:
        """Move the chosen coefficients by a cell; at the border they stay."""
        down, right = MOVES[command]
        row, column = self._cell[0] + down, self._cell[1] + right
        return self._choose((row, column), index) if 0 <= row < SIDE and 0 <= column < SIDE else index

    def _choose(self, cell: tuple[int, int], index: int) -> int:
        if self._numbers[cell[0]][cell[1]] is None:
            return index
        before = self._chosen
        self._cell = cell
        return index if self._chosen == before else 0

    @property
    def _chosen(self) -> int:
        number = self._numbers[self._cell[0]][self._cell[1]]
        assert number is not None
        return number

    def _number(self, x: float, y: float) -> int | None:
        """The number of the best region at some coefficients, None outside the domain."""
        point = np.array([x, y])
        if not self._solved.axes.domain.holds(point) or not self._solved.cover.is_finite(point):
            return None
        best = self._solved.cover.at(point)
        return next(number for number, region in enumerate(self._solved.regions) if region.region is best)

    @property
    def _film(self) -> Film:
        """The scenes of the chosen region's behaviour, with the path so far."""
        if self._chosen not in self._films:
            start, segment = next(iter(self.region.region.behaviour.items()))
            chapters = make_segment_episodes(self._problem, segment, start, self._seed)
            first = add_solutions(self._problem, chapters[:1], 0.0)[0]
            scenes = list(film_episodes(chapters))
            for step in range(len(first)):
                scenes[step] = replace(scenes[step], overlays=(path_until(first, step, "agent's path"),))
            self._films[self._chosen] = tuple(scenes)
        return self._films[self._chosen]

    def _map(self) -> Scene:
        floor = tuple("".join("#" if number is None else " " for number in row) for row in self._numbers)
        cells = tuple(
            (r, c, float(number + 1))
            for r, row in enumerate(self._numbers)
            for c, number in enumerate(row)
            if number is not None
        )
        mark = Mark(*self._cell, "+", "chosen", "goal")
        return Scene(floor, (mark,), (Heat("region", cells),), caption="regions: click to choose")
