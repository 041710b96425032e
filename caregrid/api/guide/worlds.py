"""`caregrid.worlds`: scenarios described on a page: a picture, the problem, the two optima, the break points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.api.checked import checked
from caregrid.api.results.result import Result
from caregrid.api.several import several
from engine.contracts import called
from engine.errors import BadValue, CaregridError
from engine.printable import shown_value

if TYPE_CHECKING:
    from caregrid.api.caring.breakpoints import BreakPoints
    from craftworld.optima import Optima
    from craftworld.solution.problem import Problem
    from craftworld.solution.solution import CaringSegment
    from engine.scene import Scene

PAGE, PICTURES, TILE = "worlds.md", "figures/worlds", 40


@dataclass(frozen=True)
class WorldDescribed:
    """A scenario and its exact solution. scene: its start. refused: why there is no solution, or "".

    points: break points under its own formulation, care from 0 on. optima: where it has a hidden performance.
    """

    name: str
    problem: str
    scene: Scene
    points: BreakPoints | None
    optima: Optima | None
    refused: str = ""

    @property
    def picture(self) -> str:
        """Where its picture lies, from the page."""
        return f"{PICTURES}/{self.name.replace(':', '-')}.png"


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
        """A row a world: problem, formulation, how many segments, and the two optima where performance is hidden."""
        return [_row(world) for world in self.worlds]

    def text(self) -> str:
        """A line a world, and what was written."""
        lines = [f"{world.name}: {world.problem or 'no problem is stated'}" for world in self.worlds]
        return "\n".join([*lines, *(f"wrote {path}" for path in self.files)])


@checked
def worlds(scenarios: str | Sequence[str] | None = None, *, out: str | Path | None = None) -> WorldsDescribed:
    """Describe scenarios: the problem, the optima of reward and hidden performance, the break points.

    scenarios: names, also joined by commas; all by default. out: a folder for worlds.md and its pictures; None writes
    nothing. Raises UnknownName for a name, ContractBroken for a user's own that is broken.
    """
    described = [describe_world(name) for name in _names(scenarios)]
    return WorldsDescribed(described, [] if out is None else _write(described, Path(out)))


def describe_world(name: str) -> WorldDescribed:
    """One scenario, solved under its own formulation; what is too large to be solved says so."""
    from caregrid.api.caring.problem import problem
    from craftworld.optima import optima
    from craftworld.rollout import observes_performance

    made = problem(name)
    scenario = made.scenario
    both, scene = None, called(scenario, "scene", next(iter(scenario.starts())))
    try:
        both = None if observes_performance(scenario) else optima(scenario)
        points = made.breakpoints()
    except CaregridError as error:
        return WorldDescribed(name, scenario.problem, scene, None, both, error.problem)
    return WorldDescribed(name, scenario.problem, scene, points, both)


def page_of(described: Sequence[WorldDescribed]) -> str:
    """The page in Markdown."""
    listed = [f"| [{world.name}](#{world.name}) | {world.problem} |" for world in described]
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
    return "\n".join(head) + "\n\n" + "\n".join(section_of(world) for world in described)


def section_of(world: WorldDescribed) -> str:
    """One world's part of the page."""
    lines = [f"## {world.name}", "", f"![{world.name}]({world.picture})", ""]
    lines += [world.problem, ""] if world.problem else []
    if world.optima is not None:
        lines += [*_optima_table(world.optima), ""]
    if world.points is None:
        lines += [f"Not solved: {world.refused}.", ""]
    else:
        lines += [*_points_table(world), ""]
    return "\n".join(lines)


def _names(scenarios: str | Sequence[str] | None) -> list[str]:
    from craftworld.scenarios import SCENARIOS

    if scenarios is None:
        return list(SCENARIOS.names())
    remedy = "give names, or a text with commas"
    given = scenarios.split(",") if isinstance(scenarios, str) else several(scenarios, "scenarios", "worlds", remedy)
    if not given or not all(isinstance(name, str) and name.strip() for name in given):
        raise BadValue(f"scenarios are {shown_value(scenarios)}", place="worlds", remedy=remedy)
    return [name.strip() for name in given]


def _write(described: Sequence[WorldDescribed], folder: Path) -> list[Path]:
    from engine.files import all_or_none, output_directory, write_atomically
    from renderers.film import save_film

    with all_or_none():
        output_directory(folder / PICTURES)
        for world in described:
            save_film(folder / world.picture, (world.scene,), tile=TILE)
        write_atomically(folder / PAGE, page_of(described))
    return [folder / PAGE, *(folder / world.picture for world in described)]


def _row(world: WorldDescribed) -> dict[str, Any]:
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
    }


def _optima_table(both: Optima) -> list[str]:
    low, high = f"{both.worst_performance:g}", f"{both.performance:g}"
    return [
        "| | reward | performance |",
        "| --- | --- | --- |",
        f"| best for the reward | {both.reward:g} | {high if low == high else f'{low} to {high}'} |",
        f"| best performance | {both.its_reward:g} | {both.best_performance:g} |",
    ]


def _points_table(world: WorldDescribed) -> list[str]:
    """The segments, with the hidden performance of each where it has one."""
    from caregrid.api.caring.outcome_json import values_text

    assert world.points is not None
    problem = world.points.problem
    discount = "" if problem.mdp.discount == 1.0 else f", discount {problem.mdp.discount:g}"
    hidden = world.optima is not None
    rows = [f"| {problem.formulation}{discount}: care from | own | {'performance' if hidden else 'others'} |"]
    rows.append("| --- | --- | --- |")
    for segment in world.points.segments:
        ends = not math.isnan(segment.outcome.total)
        others = values_text(segment.outcome.others) if ends else "never ends"
        last = f"{_performance(problem, segment):g}" if hidden else others
        rows.append(f"| {segment.care_from or 0:g} | {segment.outcome.own:g} | {last} |")
    return rows


def _performance(problem: Problem, segment: CaringSegment) -> float:
    """The expected performance, within the step limit, of a segment's policy."""
    from craftworld.optima import policy_performance
    from craftworld.solution.solution import inner_coefficient
    from engine.planning.certificates.trade_off import policy_of

    high = math.inf if segment.care_to is None else segment.care_to
    care = inner_coefficient(segment.care_from or 0.0, high)
    starts = map(int, problem.mdp.start_states())
    policies = {start: policy_of(problem.segment(care, start), len(problem.mdp.terminal)) for start in starts}
    performance = {start: policy_performance(problem.scenario, problem.mdp, each) for start, each in policies.items()}
    return sum(float(problem.mdp.start[start] * each[start]) for start, each in performance.items())
