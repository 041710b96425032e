"""Every optimal behaviour for several coefficients at once, the region in which each is optimal, and a map to click on.

The map of two coefficients is a grid; a cell stands for the coefficients in its middle, and bears the number of its
best region. A click shows what that behaviour does, step by step. A figure of regions shows the path of each
behaviour as a small picture.
"""

from __future__ import annotations

import math
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from caregrid.programmes.caring.outcome_json import (
    describe_region_loss,
    write_certificate,
    write_error,
    write_outcome,
    write_region_loss,
    write_values,
)
from caregrid.programmes.caring.scenes import NOTHING, PATH, add_solutions, draw_path
from caregrid.results import Result
from craftworld.regions import (
    CaringRegion,
    CaringRegions,
    CoefficientAxes,
    certify_regions,
    solve_regions,
)
from craftworld.solution.episodes import film_episodes, make_segment_episodes
from craftworld.solution.problem import Problem
from engine.effort import ProgressLines
from engine.errors import BadValue, argument
from engine.plain_values import make_json_value
from engine.planning.coefficient_regions import PlotWindow, clip_region, find_window
from engine.planning.coverage_set import show_nothing
from engine.printable import show_value
from engine.scene import Film, Frame, Mark, Scene, frame_of
from engine.value_types import to_list
from experiments.figures import PICTURES
from experiments.figures.labels import format_name, use_minus_signs
from renderers.drawing.picture import Painter
from renderers.drawing.polygon_map import PolygonMap
from renderers.drawing.shapes import Image, draw_vectors
from renderers.viewer.viewable import Readings, Viewable, describe_cell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from caregrid.runs.execution import Execution
    from craftworld.regions import CaringRegion, CaringRegions, CoefficientAxes, RegionCertificate
    from craftworld.solution.exact_solution import CaringOutcome
    from craftworld.solution.problem import Problem
    from experiments.caring_problem import ProblemSource


MOST_DRAWN = 2
OWN, CARE = "own", "care"  # the acting agent's axis, and that of all agents: `craftworld.regions`


@dataclass(frozen=True, repr=False, eq=False)
class RegionMap(Result):
    """All regions of a problem.

    solved: see `craftworld.regions`. epsilon: the tolerated loss. proved: whether what is printed has certificates.
    """

    problem: Problem
    solved: CaringRegions
    epsilon: float = 0.0
    proved: bool = False

    @cached_property
    def certificate(self) -> RegionCertificate:
        """Bounds of every number and of what another policy may earn more, exact fractions where there are any."""
        return certify_regions(self.solved)

    @property
    def title(self) -> str:
        """Scenario, formulation, and how many regions there are."""
        named = f"{format_name(self.problem.scenario.name)}, {format_name(self.problem.formulation)}"
        return f"{named}: {len(self.regions)} regions"

    @property
    def axes(self) -> tuple[str, ...]:
        """What each coefficient multiplies."""
        return self.solved.axes.names

    @property
    def regions(self) -> tuple[CaringRegion, ...]:
        """The regions, by falling returns."""
        return self.solved.regions

    def at(self, *coefficients: float) -> CaringRegion:
        """Return a best region at coefficients, one per axis; BadValue for a wrong number of them, or outside."""
        domain = self.solved.axes.domain
        point = np.array(coefficients, dtype=np.float64)
        if len(point) != len(self.axes):
            raise BadValue(f"{len(point)} coefficients", place="at", remedy=f"give {len(self.axes)}, one an axis")
        if not domain.holds(point) or not self.solved.cover.is_finite(point):
            raise BadValue(
                f"coefficients {coefficients}", place="at", remedy="choose some of the domain that was solved"
            )
        found = self.solved.cover.at(point)
        return next(region for region in self.regions if region.region is found)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per region: own return, others' values, total, return and inner coefficient of each axis."""
        return [
            {
                "own": region.outcome.own,
                **region.outcome.others,
                "total": region.outcome.total,
                **{f"return {axis}": float(value) for axis, value in self._by_axis(region.region.returns[1:])},
                **{f"interior {axis}": float(value) for axis, value in self._by_axis(region.region.interior)},
            }
            for region in self.regions
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return {"scenario", "formulation", "axes", "regions", "limits", "solves"}; beliefs and epsilon, if any.

        Of one or two axes also "window", and each region's "outline" in it; "floor" and each region's "path" where the
        acting agent has a place (docs/regions.md).
        """
        result: dict[str, Any] = {
            "scenario": self.problem.scenario.name,
            "formulation": self.problem.formulation,
            "axes": list(self.axes),
            "regions": [self._region_dict(region) for region in self.regions],
            "limits": self.solved.cover.limits.tolist(),
            "solves": self.solved.cover.solves,
        }
        if self.solved.axes.beliefs:
            result["beliefs"] = list(self.solved.axes.beliefs)
        if len(self.axes) <= MOST_DRAWN:
            result["window"] = [list(side) for side in self._window]
        if self._begins_at_a_place:
            result["floor"] = list(self.problem.scenario.grid.walls)
        return result | ({"epsilon": self.epsilon, "loss": self.solved.cover.loss} if self.epsilon else {})

    def as_certified_dict(self) -> dict[str, Any]:
        """Return the same with a "certificate" of each region, and one of all: what another policy may earn more."""
        result = self.as_dict()
        certificate = self.certificate
        pairs = zip(result["regions"], self.regions, certificate.outcomes, strict=True)
        regions = [each | {"certificate": write_certificate(bounds, region.outcome)} for each, region, bounds in pairs]
        return result | {"regions": regions, "certificate": write_region_loss(certificate, self.epsilon)}

    def output(self) -> dict[str, Any]:
        """Return what `caregrid regions --json` prints: with certificates where they are asked for."""
        return self.as_certified_dict() if self.proved else self.as_dict()

    def output_text(self) -> str:
        """Return what `caregrid regions` prints."""
        return self.text()

    def figure(self) -> Figure:
        """Return a number line or a map, and the largest regions' paths; BadValue for more than two coefficients."""
        from experiments.figures.region_map import DrawnRegion, draw_regions

        _require_drawable(self.axes, self.title)
        window = self._window
        scenes = [draw_region_path(self.problem, region) for region in self.regions]
        drawn = [
            DrawnRegion(clip_region(region.region, window), self._summary(region), draw_small_picture(scene))
            for region, scene in zip(self.regions, scenes, strict=True)
        ]
        return draw_regions(self.title, self._meanings(), window, drawn, draw_legend(scenes))

    def text(self) -> str:
        """Return the regions as a table: what each earns, and its half-spaces in words."""
        from experiments.rows import align_lines

        cover = self.solved.cover
        head = ("", "own", "total", *(("error",) if self.proved else ()), "others", "optimal where")
        rows = [
            (
                str(number),
                f"{region.outcome.own:g}",
                f"{region.outcome.total:g}",
                *((self._error(number - 1),) if self.proved else ()),
                write_values(region.outcome.others),
                ", ".join(self._inequality(row) for row in region.region.halfspaces.tolist()) or "everywhere",
            )
            for number, region in enumerate(self.regions, start=1)
        ]
        lines = align_lines([head, *rows], right=range(4 if self.proved else 3))
        letters = ", ".join(
            f"{letter} is {what}" for letter, what in zip(self._letters(), self._meanings(), strict=True)
        )
        limits = [
            f"beyond {self._inequality(row)} a policy gains for ever" for row in self.solved.cover.limits.tolist()
        ]
        loss = f"within {cover.loss:g} of the optimum; " if self.epsilon else ""
        count = f"{loss}{len(self.regions)} regions from {cover.solves} plans"
        if self.solved.axes.beliefs:
            letters += f"; what is left to 1 is that of {self.solved.axes.beliefs[-1]}"
        proved = [describe_region_loss(self.certificate, self.epsilon)] if self.proved else []
        return "\n".join([letters, *lines, *limits, count, *proved])

    def _error(self, number: int) -> str:
        bounds = self.certificate.outcomes[number]
        outcome = self.regions[number].outcome
        return write_error(bounds.error(outcome), bounds.scale(outcome))

    def _meanings(self) -> list[str]:
        return explain_axes(self.solved.axes)

    def _letters(self) -> list[str]:
        return ["c"] if len(self.axes) == 1 else [f"c{number + 1}" for number in range(len(self.axes))]

    def _inequality(self, row: list[float]) -> str:
        """a . c <= b in words, the first coefficient without a factor."""
        *factors, bound = row
        terms = [(letter, factor) for letter, factor in zip(self._letters(), factors, strict=True) if factor]
        first = terms[0][1]
        texts = [_write_term(letter, factor / first) for letter, factor in terms]
        sign = "<=" if first > 0 else ">="
        return f"{' '.join(texts).removeprefix('+ ')} {sign} {bound / first + 0.0:.6g}"

    def _by_axis(self, values: Any) -> zip[tuple[str, Any]]:
        return zip(self.axes, values, strict=True)

    def _summary(self, region: CaringRegion) -> str:
        return use_minus_signs(f"own {region.outcome.own:g}, {write_values(region.outcome.others)}")

    def _region_dict(self, region: CaringRegion) -> dict[str, Any]:
        outcome = write_outcome(region.outcome, region.cases)
        space = region.region
        sides = {
            "returns": space.returns[1:].tolist(),
            "interior": space.interior.tolist(),
            "halfspaces": space.halfspaces.tolist(),
        }
        drawn: dict[str, Any] = {}
        if len(self.axes) <= MOST_DRAWN:
            drawn["outline"] = clip_region(space, self._window).tolist()
        if self._begins_at_a_place:
            drawn["path"] = self._path(region)
        return {name: make_json_value(value) for name, value in (outcome | sides | drawn).items()}

    @cached_property
    def _window(self) -> PlotWindow:
        """The part of the plane that is drawn: (low, high) of each axis."""
        return find_window([region.region for region in self.regions])

    @property
    def _begins_at_a_place(self) -> bool:
        """Whether the acting agent's path can be drawn: it has a place, and chance decides nothing."""
        mdp = self.problem.mdp
        scenario = self.problem.scenario
        return mdp.is_deterministic and scenario.position(mdp.states[int(mdp.start_states()[0])]) is not None

    def _path(self, region: CaringRegion) -> list[list[int]]:
        """[row, column] of the acting agent in every state from the first start state on."""
        segment = next(iter(region.region.behaviour.values()))
        positions = (self.problem.scenario.position(self.problem.mdp.states[number]) for number in segment.path)
        return [[position.row, position.column] for position in positions if position is not None]


def _require_drawable(axes: Sequence[str], place: str) -> None:
    if len(axes) > MOST_DRAWN:
        remedy = f"choose one or two axes, as {','.join(axes[:MOST_DRAWN])}"
        raise BadValue(f"{len(axes)} coefficients cannot be drawn", place=place, remedy=remedy)


def explain_axes(axes: CoefficientAxes) -> list[str]:
    """Return what each coefficient is, in words."""
    if axes.beliefs:
        return [f"the probability of {name}" for name in axes.names]
    words = {CARE: "the caring coefficient", OWN: "the weight of the own reward"}
    return [words.get(name, f"the coefficient of {name}") for name in axes.names]


def list_axes(axes: str | Sequence[str]) -> tuple[str, ...]:
    """Several names as they are, one as a text."""
    if isinstance(axes, str):
        return (axes,) if axes else ()
    names = to_list(axes, "axes", "regions", "give names")
    if not all(isinstance(name, str) for name in names):
        raise BadValue(f"axes are {show_value(axes)}", place="regions", remedy="give names")
    return tuple(names)


def _write_term(letter: str, factor: float) -> str:
    """Such as "+ c1" and "- 0.8 c2"."""
    size = f"{abs(factor):.6g} ".removeprefix("1 ")
    return f"{'+' if factor > 0 else '-'} {size}{letter}"


def solve_region_map(
    source: ProblemSource,
    axes: str | Sequence[str],
    beliefs: str | Sequence[str],
    between: tuple[float, float],
    care: float,
    epsilon: float,
    out: str | Path | None,
    execution: Execution,
    certify: bool = False,
) -> RegionMap:
    """Return the map of a problem: of beliefs where some are given, else of coefficients; written where `out` says.

    certify: what is printed is proved.
    """
    from caregrid.programmes.caring.regions_ahead import RegionQuestion, plan_ahead

    problem = source.make_problem()
    named = list_axes(axes)
    believed = list_axes(beliefs)
    if named and believed:
        raise BadValue("axes and beliefs at once", place="regions", remedy="give one of them")
    if believed and between != (0.0, math.inf):
        raise BadValue("a range of beliefs", place="regions", remedy="leave it out: probabilities go from 0 to 1")
    question = RegionQuestion(source, named, believed, between, care)
    chosen = question.make_axes()
    if out is not None and RegionMap.check_place(out) in PICTURES:
        _require_drawable(chosen.names, "out")
    plan_with = partial(plan_ahead, question=question, engine=execution.choose_engine_ahead())
    shown = show_nothing if execution.options.get("quiet", True) else ProgressLines("plans").show
    solved = solve_regions(chosen, epsilon, shown, plan_with)
    result = RegionMap(problem, solved, epsilon, certify)
    if out is not None:
        result.save(out)
    return result


PIXELS, LEAST_TILE, LARGEST_TILE = 480, 12, 40  # pixels across of a picture, and of a cell
LEGEND_PIXELS = 560


def draw_region_path(problem: Problem, region: CaringRegion) -> Scene:
    """Return the acting agent's path from the first start state over the world as it is left."""
    start, segment = next(iter(region.region.behaviour.items()))
    first = add_solutions(problem, make_segment_episodes(problem, segment, start)[:1], 0.0)[0]
    last = problem.scenario.scene(first.chapter.episode.states[-1])
    return replace(last, overlays=(draw_path(first, len(first) - 1, ""),), caption="", readings=())


def draw_small_picture(scene: Scene) -> Image:
    """Return a scene without legend and words, as wide as a column of a figure can show."""
    tile = PIXELS // len(scene.floor[0]) if scene.floor else LARGEST_TILE
    tile = min(max(LEAST_TILE, tile), LARGEST_TILE)
    with draw_vectors():
        return Painter(tile, legend=False, readings=False).picture(scene)


def draw_legend(scenes: Sequence[Scene]) -> Image | None:
    """Return what the marks of scenes are called, as wide as a row of small pictures; None where there are none."""
    with draw_vectors():
        return Painter(LARGEST_TILE).legend(scenes, LEGEND_PIXELS)


SIDE = 16
MAP_SCENE = (0,)
REGION_SIGNS = "123456789" + string.ascii_lowercase
MOVES = {"more of the first": (0, 1), "less of the first": (0, -1), "more": (-1, 0), "less": (1, 0)}


def name_outcomes(outcomes: Sequence[CaringOutcome]) -> list[str]:
    """Return what each outcome earns in words: the own return, and the others' values that are not the same in all."""
    telling = [name for name in outcomes[0].others if len({f"{outcome.others[name]:g}" for outcome in outcomes}) > 1]
    return [
        ", ".join([f"own {outcome.own:g}", *(f"{name} {outcome.others[name]:g}" for name in telling)])
        for outcome in outcomes
    ]


def require_two(axes: CoefficientAxes) -> CoefficientAxes:
    """Return the axes; BadValue unless there are two."""
    if len(axes.names) != 2:
        remedy = "choose two agents, as a map has two sides"
        raise BadValue(f"{len(axes.names)} coefficients", place=argument("axes"), remedy=remedy)
    return axes


def _is_wider_than_high(*scenes: Scene) -> bool:
    """Return whether scenes side by side are wider than they are high one below the other, in cells."""
    return sum(len(scene.floor[0]) for scene in scenes if scene.floor) > sum(len(scene.floor) for scene in scenes)


class ViewableRegions(Viewable):
    """The regions of two coefficients beside the world: a click on the map chooses the coefficients.

    solved: regions of two axes. meanings: what each coefficient is. at: the coefficients chosen at first.
    """

    def __init__(
        self, problem: Problem, solved: CaringRegions, meanings: Sequence[str], at: Sequence[float], seed: int = 0
    ) -> None:
        require_two(solved.axes)
        count = len(solved.regions)
        self.title = f"{format_name(problem.scenario.name)}: {count} {'regions' if count > 1 else 'region'}"
        self._problem = problem
        self._solved = solved
        self._meanings = [meaning.removeprefix("the ") for meaning in meanings]
        self._seed = seed
        window = (left, right), (low, high) = find_window([region.region for region in solved.regions])
        middles = (np.arange(SIDE) + 0.5) / SIDE
        self._x, self._y = left + middles * (right - left), high - middles * (high - low)
        self._numbers = [[self._number(x, y) for x in self._x] for y in self._y]
        self._names = name_outcomes([region.outcome for region in solved.regions])
        self._plan = PolygonMap(
            ((left, right), (low, high)),
            (self._meanings[0], self._meanings[1]),
            [clip_region(region.region, window) for region in solved.regions],
            self._names,
            SIDE,
        )
        self._films: dict[int, Film] = {}
        self._pictures: dict[tuple[int, int], Frame] = {}
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
        """List them: path, none."""
        return PATH, NOTHING

    def scene(self, index: int, overlay: str) -> Scene:
        """Return the map and, beside it, a scene of what the chosen region's behaviour does."""
        world = self._film[index]
        shown = world if overlay == PATH else replace(world, overlays=())
        outcome, (x, y) = self.region.outcome, self.coefficients
        readings = [("region", f"{self._chosen + 1} of {len(self._solved.regions)}")]
        readings += [(name, f"{value:.4g}") for name, value in zip(self._meanings, (x, y), strict=True)]
        readings += [
            ("own return", f"{outcome.own:g}"),
            *((name, f"{value:g}") for name, value in outcome.others.items()),
        ]
        words = tuple(reading for reading in world.readings if reading[0] in ("who", "step", "action"))
        plan, board = self._map(), replace(shown, readings=())
        below = _is_wider_than_high(plan, board)
        return Scene(readings=(*readings, *words), panels=(plan, board), columns=1 if below else 0)

    def inspect(self, index: int, cell: tuple[int, int]) -> Readings:
        """Return what stands on a cell of the world."""
        return describe_cell(self._film[index], cell)

    def click(self, panel: tuple[int, ...], cell: tuple[int, int], index: int) -> int | None:
        """Choose the coefficients of a click on the map; the film begins again where the region is another."""
        if panel != MAP_SCENE:
            return None
        top, left = self._plan.corner
        row, column = cell[0] - top, cell[1] - left
        return self._choose((row, column), index) if 0 <= row < SIDE and 0 <= column < SIDE else index

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
        """Return the number of the best region at some coefficients, None outside the domain."""
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
                scenes[step] = replace(scenes[step], overlays=(draw_path(first, step, "agent's path"),))
            self._films[self._chosen] = tuple(scenes)
        return self._films[self._chosen]

    def _map(self) -> Scene:
        """Return the map as a picture; in text, every cell of the plane with the number of its region."""
        plan = self._plan
        if self._cell not in self._pictures:
            self._pictures.clear()  # a picture is some megabytes: the last one is kept
            self._pictures[self._cell] = frame_of(plan.draw(self.coefficients))
        top, left = plan.corner
        inside = ["".join("#" if number is None else " " for number in row) for row in self._numbers]
        rows = [" " * plan.columns] * plan.rows
        rows[top : top + SIDE] = [" " * left + row + " " * (plan.columns - left - SIDE) for row in inside]
        marks = [
            Mark(top + r, left + c, REGION_SIGNS[number % len(REGION_SIGNS)], self._names[number], f"path {number}")
            for number in range(len(self._names))
            for r, row in enumerate(self._numbers)
            for c, best in enumerate(row)
            if best == number
        ]
        chosen = Mark(top + self._cell[0], left + self._cell[1], "+", "chosen", "goal")
        caption = "regions: click to choose"
        return Scene(tuple(rows), (*marks, chosen), caption=caption, frame=self._pictures[self._cell])
