"""Every optimal behaviour for several coefficients at once, and the region of coefficients in which each is optimal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.input_checks import to_list
from caregrid.programmes.caring.outcome_json import outcome_dict, values_text
from caregrid.results.result import Result
from engine.contracts import require_function
from engine.errors import BadValue
from engine.plain_values import make_json_value
from engine.planning.coefficient_regions import PlotWindow, clip_region, find_window
from engine.printable import show_value
from engine.user_code import describe_place, user_code
from experiments.figures.style import PICTURES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.regions import CaringRegion, CaringRegions, CoefficientAxes
    from craftworld.solution.problem import Problem
    from engine.planning.coverage_set import ShowPlans

MOST_DRAWN = 2
OWN, CARE = "own", "care"  # the acting agent's axis, and that of all agents: `craftworld.regions`


@dataclass(frozen=True, repr=False, eq=False)
class RegionMap(Result):
    """All regions of a problem. solved: see `craftworld.regions`. epsilon: the tolerated loss."""

    problem: Problem
    solved: CaringRegions
    epsilon: float = 0.0

    @property
    def title(self) -> str:
        """Scenario, formulation, and how many regions there are."""
        from experiments.figures.labels import format_name

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
        """A best region at some coefficients, one an axis; BadValue where their number is wrong or they lie outside."""
        import numpy as np

        domain = self.solved.axes.domain
        given = np.array(coefficients, dtype=np.float64)
        if len(given) != len(self.axes):
            raise BadValue(f"{len(given)} coefficients", place="at", remedy=f"give {len(self.axes)}, one an axis")
        if not domain.holds(given) or not self.solved.cover.is_finite(given):
            raise BadValue(
                f"coefficients {coefficients}", place="at", remedy="choose some of the domain that was solved"
            )
        found = self.solved.cover.at(given)
        return next(region for region in self.regions if region.region is found)

    def rows(self) -> list[dict[str, Any]]:
        """A row a region: own return, the others' values, total, the return and an inner coefficient of each axis."""
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
        """{"scenario", "formulation", "axes", "regions", "limits", "solves"}; with beliefs and epsilon also those.

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

    def figure(self) -> Figure:
        """A number line or a map, and the largest regions' paths; BadValue for more than two coefficients."""
        from caregrid.programmes.caring.region_viewer import draw_path, draw_small_picture, name_marks
        from experiments.figures.region_map import DrawnRegion, draw_regions

        _require_drawable(self.axes, self.title)
        window = self._window
        scenes = [draw_path(self.problem, region) for region in self.regions]
        drawn = [
            DrawnRegion(clip_region(region.region, window), self._summary(region), draw_small_picture(scene))
            for region, scene in zip(self.regions, scenes, strict=True)
        ]
        return draw_regions(self.title, self._meanings(), window, drawn, name_marks(scenes))

    def text(self) -> str:
        """The regions as a table: what each earns, and its half-spaces in words."""
        from experiments.rows import align_lines

        cover = self.solved.cover
        head = ("", "own", "total", "others", "optimal where")
        rows = [
            (
                str(number),
                f"{region.outcome.own:g}",
                f"{region.outcome.total:g}",
                values_text(region.outcome.others),
                ", ".join(self._inequality(row) for row in region.region.halfspaces.tolist()) or "everywhere",
            )
            for number, region in enumerate(self.regions, start=1)
        ]
        lines = align_lines([head, *rows], right=range(3))
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
        return "\n".join([letters, *lines, *limits, count])

    def _meanings(self) -> list[str]:
        return explain_axes(self.solved.axes)

    def _letters(self) -> list[str]:
        return ["c"] if len(self.axes) == 1 else [f"c{number + 1}" for number in range(len(self.axes))]

    def _inequality(self, row: list[float]) -> str:
        """a . c <= b in words, the first coefficient without a factor."""
        *factors, bound = row
        terms = [(letter, factor) for letter, factor in zip(self._letters(), factors, strict=True) if factor]
        first = terms[0][1]
        texts = [_term(letter, factor / first) for letter, factor in terms]
        sign = "<=" if first > 0 else ">="
        return f"{' '.join(texts).removeprefix('+ ')} {sign} {bound / first + 0.0:.6g}"

    def _by_axis(self, values: Any) -> zip[tuple[str, Any]]:
        return zip(self.axes, values, strict=True)

    def _summary(self, region: CaringRegion) -> str:
        return f"own {region.outcome.own:g}, {values_text(region.outcome.others)}"

    def _region_dict(self, region: CaringRegion) -> dict[str, Any]:
        outcome = outcome_dict(region.outcome, region.cases)
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
        places = (self.problem.scenario.position(self.problem.mdp.states[number]) for number in segment.path)
        return [[place.row, place.column] for place in places if place is not None]


def _require_drawable(axes: Sequence[str], place: str) -> None:
    if len(axes) > MOST_DRAWN:
        remedy = f"choose one or two axes, as {','.join(axes[:MOST_DRAWN])}"
        raise BadValue(f"{len(axes)} coefficients cannot be drawn", place=place, remedy=remedy)


def explain_axes(axes: CoefficientAxes) -> list[str]:
    """What each coefficient is, in words."""
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


def _term(letter: str, factor: float) -> str:
    """Such as "+ c1" and "- 0.8 c2"."""
    size = f"{abs(factor):.6g} ".removeprefix("1 ")
    return f"{'+' if factor > 0 else '-'} {size}{letter}"


def _guard(progress: ShowPlans) -> ShowPlans:
    """The user's function, whose exceptions name it."""
    require_function("progress", progress, 2, "progress(done, expected)")

    def show(done: int, expected: float) -> None:
        with user_code(describe_place(progress)):
            progress(done, expected)

    return show


def solve_region_map(
    problem: Problem,
    axes: str | Sequence[str],
    beliefs: str | Sequence[str],
    between: tuple[float, float],
    care: float,
    epsilon: float,
    out: str | Path | None,
    progress: ShowPlans | None,
) -> RegionMap:
    """The map of a problem: of beliefs where some are given, else of coefficients; written where `out` says."""
    from craftworld.regions import make_belief_axes, make_coefficient_axes, solve_regions

    named = list_axes(axes)
    believed = list_axes(beliefs)
    if named and believed:
        raise BadValue("axes and beliefs at once", place="regions", remedy="give one of them")
    if believed and between != (0.0, math.inf):
        raise BadValue("a range of beliefs", place="regions", remedy="leave it out: probabilities go from 0 to 1")
    chosen = (
        make_belief_axes(problem, believed, care) if believed else make_coefficient_axes(problem, named, between, care)
    )
    if out is not None and RegionMap.checked_place(out) in PICTURES:
        _require_drawable(chosen.names, "out")
    solved = solve_regions(chosen, epsilon, *(() if progress is None else (_guard(progress),)))
    result = RegionMap(problem, solved, epsilon)
    if out is not None:
        result.save(out)
    return result
