"""`caregrid.optima` and `caregrid.worlds`: the best return and hidden performance of scenarios, and a page about them.

A scenario is described by a picture, the problem, the two optima within its step limit, and its break points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.results import Result
from engine.contracts import call_method
from engine.errors import BadValue, CaregridError
from engine.files import all_or_none, output_directory, write_atomically
from engine.printable import show_value
from engine.value_types import to_list

if TYPE_CHECKING:
    from caregrid.programmes.caring.sweep import BreakPoints
    from craftworld.measures import Optima
    from craftworld.random_maps import Difficulty
    from engine.scene import Scene


@dataclass(frozen=True, repr=False, eq=False)
class ScenarioOptima(Result):
    """name: the scenario's. problem: what it shows. steps: the limit. optima: see `craftworld.measures`."""

    name: str
    problem: str
    steps: int
    optima: Optima

    @property
    def title(self) -> str:
        """The scenario."""
        return f"{self.name}, optima within {self.steps} steps"

    @property
    def gap(self) -> float:
        """How far the performance of a policy of the best return may stay below the best performance."""
        return self.optima.best_performance - self.optima.worst_performance

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each signal that is maximised: the best, and the least and most of the other signal then."""
        found = self.optima
        names = ("maximised", "best", "other_low", "other_high")
        pairs = (
            ("return", found.reward, found.worst_performance, found.performance),
            ("performance", found.best_performance, None, found.its_reward),
        )
        return [dict(zip(names, pair, strict=True)) for pair in pairs]

    def as_dict(self) -> dict[str, Any]:
        """Return what `caregrid optima --json` prints."""
        found = self.optima
        return {
            "scenario": self.name,
            "problem": self.problem,
            "steps": self.steps,
            "return": {"best": found.reward, "performance": [found.worst_performance, found.performance]},
            "performance": {"best": found.best_performance, "return": found.its_reward},
            "gap": self.gap,
        }

    def text(self) -> str:
        """Return what `caregrid optima` prints."""
        found = self.optima
        then = _write_range(found.worst_performance, found.performance)
        return "\n".join(
            [
                *([self.problem] if self.problem else []),
                f"best return       {found.reward:g}, performance then {then}",
                f"best performance  {found.best_performance:g}, return then at most {found.its_reward:g}",
                f"gap               {self.gap:g} (within {self.steps} steps, not discounted)",
            ]
        )


def _write_range(low: float, high: float) -> str:
    return f"{low:g}" if abs(high - low) <= 1e-9 * (1 + abs(low)) else f"{low:g} to {high:g}"


PAGE = "worlds.md"
PICTURES = "figures/worlds"
MAPS = "maps"
TILE = 40


@dataclass(frozen=True)
class WorldDescribed:
    """A scenario and its exact solution. scene: its start. refused: why there is no solution, or "".

    points: break points under its own formulation, care from 0 on. optima: where it has a hidden performance. held_out:
    the spelling of its random map, or "". drawing: that map. difficulty: how hard it is.
    """

    name: str
    problem: str
    scene: Scene
    points: BreakPoints | None
    optima: Optima | None
    refused: str = ""
    held_out: str = ""
    drawing: tuple[str, ...] = ()
    difficulty: Difficulty | None = None

    @property
    def title(self) -> str:
        """The name, and which map it is."""
        return f"{self.name} {self.held_out}".rstrip()

    @property
    def file(self) -> str:
        """The name of its files, without an ending."""
        return self.title.replace(":", "-").replace(" ", "-")

    @property
    def picture(self) -> str:
        """Where its picture lies, from the page."""
        return f"{PICTURES}/{self.file}.png"

    @property
    def map_file(self) -> str:
        """Where its random map lies, from the page."""
        return f"{MAPS}/{self.file}.txt"


@dataclass(frozen=True, repr=False, eq=False)
class WorldsDescribed(Result):
    """Scenarios, described one by one. worlds: in the order asked for. files: what was written."""

    worlds: Sequence[WorldDescribed]
    files: Sequence[Path] = ()

    @property
    def title(self) -> str:
        """How many there are."""
        return f"{len(self.worlds)} worlds"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per world: problem, formulation, number of segments, both optima where performance is hidden."""
        return [_make_row(world) for world in self.worlds]

    def text(self) -> str:
        """Return a line per world, and what was written."""
        lines = [line for world in self.worlds for line in _describe_shortly(world)]
        return "\n".join([*lines, *(f"wrote {path}" for path in self.files)])


def describe_worlds(
    scenarios: str | Sequence[str] | None = None,
    *,
    held_out: int | None = None,
    maps: int = 1,
    breaks: int = 0,
    out: str | Path | None = None,
) -> WorldsDescribed:
    """Describe scenarios: the problem, the optima of reward and hidden performance, the break points.

    scenarios: names, also joined by commas; all by default. held_out: the seed of so many random maps of each in their
    place, with at least so many break points; by default of those that have any. out: a folder for worlds.md, its
    pictures and random maps; None writes nothing. Raises UnknownName for a name, ContractBroken for a user's own that
    is broken, BadValue where there are no such maps.
    """
    names = _read_names(scenarios)
    spellings = [""]
    if held_out is not None:
        spellings = [f"{held_out}-{number}" + f"-{breaks}" * bool(breaks) for number in range(1, maps + 1)]
        names = names if scenarios is not None else [name for name in names if _has_random_maps(name)]
    described = [describe_world(name, spelling) for name in names for spelling in spellings]
    return WorldsDescribed(described, [] if out is None else _write(described, Path(out)))


def describe_world(name: str, held_out: str = "") -> WorldDescribed:
    """One scenario, or a random map of it, solved under its own formulation; what is too large to be solved says so."""
    from caregrid.operations.makers import problem
    from craftworld.measures import find_optima
    from craftworld.random_maps import measure_difficulty
    from craftworld.scenario import observes_performance

    made = problem(name, set={"held_out": held_out} if held_out else {})
    scenario = made.scenario
    drawing = tuple(scenario.grid.rows) if held_out else ()
    both = None
    scene = call_method(scenario, "scene", next(iter(scenario.starts())))
    try:
        both = None if observes_performance(scenario) else find_optima(scenario)
        points = made.breakpoints()
        difficulty = measure_difficulty(scenario) if held_out else None
    except CaregridError as error:
        return WorldDescribed(name, scenario.problem, scene, None, both, error.problem, held_out, drawing)
    return WorldDescribed(name, scenario.problem, scene, points, both, "", held_out, drawing, difficulty)


def _has_random_maps(name: str) -> bool:
    from craftworld.scenarios import SCENARIOS

    scenario = SCENARIOS[name]()
    return scenario.shuffle is not None and not scenario.replay_only


def _describe_shortly(world: WorldDescribed) -> list[str]:
    """Return the lines of a world: its problem, or its random map and how hard that is."""
    if not world.held_out:
        return [f"{world.name}: {world.problem or 'no problem is stated'}"]
    return [world.title, *world.drawing, _write_difficulty(world)]


def _write_difficulty(world: WorldDescribed) -> str:
    """In words; the area is that without care, and the largest of any single coefficient."""
    if world.difficulty is None:
        return f"not solved: {world.refused}"
    states, points, careless, one_care = world.difficulty
    listed = ", ".join(f"{point:g}" for point in points) or "none"
    areas = "" if careless is None or one_care is None else f"; area {careless:.3f} to {one_care:.3f}"
    return f"{states} states; break points {listed}{areas}"


def write_page(described: Sequence[WorldDescribed]) -> str:
    """Return the page in Markdown."""
    listed = [f"| [{world.title}](#{world.title.replace(' ', '-')}) | {world.problem} |" for world in described]
    head = [
        "# Worlds",
        "",
        "Every scenario, its problem, and its exact solution. Where there is a hidden performance, the two optima are",
        "those of the reward and of the performance, undiscounted and within the step limit. Break points are those of",
        "the scenario's own formulation: the coefficients of care, or of the penalty, at which the optimal policy",
        "changes. This page is written by `caregrid worlds --out docs`.",
        "",
        "| world | the problem |",
        "| --- | --- |",
        *listed,
    ]
    return "\n".join(head) + "\n\n" + "\n".join(write_section(world) for world in described)


def write_section(world: WorldDescribed) -> str:
    """Return one world's part of the page."""
    lines = [f"## {world.title}", "", f"![{world.title}]({world.picture})", ""]
    lines += [world.problem, ""] if world.problem else []
    lines += [f"[The map]({world.map_file}): {_write_difficulty(world)}.", ""] if world.held_out else []
    if world.optima is not None:
        lines += [*_tabulate_optima(world.optima), ""]
    if world.points is None:
        lines += [f"Not solved: {world.refused}.", ""]
    else:
        lines += [*_tabulate_points(world), ""]
    return "\n".join(lines)


def _read_names(scenarios: str | Sequence[str] | None) -> list[str]:
    from craftworld.scenarios import SCENARIOS

    if scenarios is None:
        return list(SCENARIOS.names())
    remedy = "give names, or a text with commas"
    names = scenarios.split(",") if isinstance(scenarios, str) else to_list(scenarios, "scenarios", "worlds", remedy)
    if not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise BadValue(f"scenarios are {show_value(scenarios)}", place="worlds", remedy=remedy)
    return [name.strip() for name in names]


def _write(described: Sequence[WorldDescribed], folder: Path) -> list[Path]:
    from renderers.film import save_film

    with all_or_none():
        output_directory(folder / PICTURES)
        for world in described:
            save_film(folder / world.picture, (world.scene,), tile=TILE)
        drawn = [world for world in described if world.drawing]
        if drawn:
            output_directory(folder / MAPS)
        for world in drawn:
            write_atomically(folder / world.map_file, "\n".join(world.drawing) + "\n")
        write_atomically(folder / PAGE, write_page(described))
    files = [file for world in described for file in (world.picture, world.map_file)[: 1 + bool(world.drawing)]]
    return [folder / PAGE, *(folder / file for file in files)]


def _make_row(world: WorldDescribed) -> dict[str, Any]:
    both = world.optima
    return {
        "world": world.name,
        "problem": world.problem,
        "formulation": world.points.problem.formulation if world.points else None,
        "break_points": " ".join(f"{point:g}" for point in world.points.points) if world.points else None,
        "reward": both.reward if both else None,
        "its_performance": both.performance if both else None,
        "worst_performance": both.worst_performance if both else None,
        "best_performance": both.best_performance if both else None,
        "refused": world.refused or None,
        **_make_difficulty_fields(world),
    }


def _make_difficulty_fields(world: WorldDescribed) -> dict[str, Any]:
    """Return the further columns of random maps; none of the worlds themselves."""
    if not world.held_out:
        return {}
    fields: dict[str, Any] = {"held_out": world.held_out, "map": "\n".join(world.drawing)}
    if world.difficulty is None:
        return fields
    states, traded, careless, one_care = world.difficulty
    areas = {"careless_area": careless, "one_care_area": one_care}
    return {**fields, "states": states, "traded_off": " ".join(f"{point:g}" for point in traded), **areas}


def _tabulate_optima(both: Optima) -> list[str]:
    low, high = f"{both.worst_performance:g}", f"{both.performance:g}"
    return [
        "| | reward | performance |",
        "| --- | --- | --- |",
        f"| best for the reward | {both.reward:g} | {high if low == high else f'{low} to {high}'} |",
        f"| best performance | {both.its_reward:g} | {both.best_performance:g} |",
    ]


def _tabulate_points(world: WorldDescribed) -> list[str]:
    """Return the segments, with the hidden performance of each where it has one."""
    from caregrid.programmes.caring.outcome_json import write_values

    assert world.points is not None
    problem = world.points.problem
    discount = "" if problem.mdp.discount == 1.0 else f", discount {problem.mdp.discount:g}"
    rows = [f"| {problem.formulation}{discount}: care from | own | {'performance' if world.optima else 'others'} |"]
    rows.append("| --- | --- | --- |")
    for segment, measures in zip(world.points.segments, world.points.hidden, strict=True):
        ends = not math.isnan(segment.outcome.total)
        others = write_values(segment.outcome.others) if ends else "never ends"
        last = f"{measures['performance']:g}" if measures else others
        rows.append(f"| {segment.care_from or 0:g} | {segment.outcome.own:g} | {last} |")
    return rows
