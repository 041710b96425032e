"""A scenario's exact solution in the viewer; keys change care and formulation, and it is solved again at once."""

from __future__ import annotations

import bisect
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from caregrid.programmes.caring.scenes import (
    PATH,
    SolvedEpisode,
    draw_solution,
    follow_learned_policy,
    list_overlays,
    locate,
    path_until,
    solve_episodes,
    value_text,
    write_possessive,
)
from craftworld.solution.exact_solution import find_break_points, solve
from craftworld.solution.problem import Problem
from engine.errors import BadValue, NoPlan
from engine.plain_values import write_number
from engine.scene import NumberLine, Path, Scene, Stretch
from experiments.figures.labels import format_name
from experiments.learned_policy import LearnedPolicy
from renderers.viewer.viewable import Button, Readings, Viewable, describe_cell

CARE_STEP = 0.25
SOLUTION_KEYS = {
    "up": ("more care", "care up, solved again"),
    "down": ("less care", "care down, solved again"),
    "page up": ("next break point", "care to the next break point"),
    "page down": ("last break point", "care to the break point before"),
    "f": ("formulation", "next formulation"),
}
BUTTONS = (
    Button("page down", "break point before"),
    Button("page up", "next break point"),
    Button("f", "formulation"),
)
MOST_STATES_AT_ONCE = 20_000
POLICY_KEY = {"p": ("policy", "next policy: learned or optimal")}


class ViewableSolution(Viewable):
    """The scenes of a scenario's exact solution.

    make_problem: formulation -> the problem. formulations: those to choose from, the first one is shown first.
    care: the caring coefficient at the beginning. seed: where chance decides, which sample of it is shown.
    learned: learned policies, of which the first is shown first; the paths of all are drawn together.
    """

    def __init__(
        self,
        make_problem: Callable[[str], Problem],
        formulations: Sequence[str],
        care: float,
        seed: int = 0,
        learned: Sequence[LearnedPolicy] = (),
    ) -> None:
        self.care = care
        self._seed = seed
        self._learned: list[LearnedPolicy | None] = [*learned, None]
        self._make_problem = make_problem
        self._formulations = list(formulations)
        self._problems: dict[str, Problem] = {}
        self._points: dict[str, list[float]] = {}
        self._of_learned: dict[tuple[str, str], list[SolvedEpisode]] = {}
        self._optimal: list[SolvedEpisode] = solve_episodes(self.problem, care, seed)
        self.title = format_name(self.problem.scenario.name)

    @property
    def keys(self) -> Mapping[str, tuple[str, str]]:
        """Up, down, page up and page down change the coefficient, f the formulation, p the policy."""
        return SOLUTION_KEYS | (POLICY_KEY if len(self._learned) > 1 else {})

    @property
    def buttons(self) -> Sequence[Button]:
        """Break points and formulations."""
        return BUTTONS if len(self._formulations) > 1 else BUTTONS[:2]

    @property
    def slider(self) -> NumberLine:
        """The coefficient between its break points; those of a large problem are found when they are asked for."""
        known = self._points.get(self._formulations[0])
        if known is None and len(self.problem.mdp.states) <= MOST_STATES_AT_ONCE:
            known = self._break_points()
        points = tuple(point for point in known or () if point > 0)
        number = bisect.bisect_right(points, self.care)
        stretches = tuple(Stretch("", "path 0" if n == number else "plain") for n in range(len(points) + 1))
        return NumberLine("care", points, stretches, at=self.care)

    def slide(self, number: float, index: int) -> int:
        """Another coefficient; the acting agent's whole path is shown, so that what changes is seen at once."""
        self._solve_at(float(write_number(number, 3)))
        return len(self._episodes[0]) - 1

    @property
    def problem(self) -> Problem:
        """The problem under the chosen formulation."""
        name = self._formulations[0]
        if name not in self._problems:
            self._problems[name] = self._make_problem(name)
        return self._problems[name]

    @property
    def _episodes(self) -> list[SolvedEpisode]:
        """The episodes of the policy that is shown."""
        return self._follow_policy(self._learned[0])

    def _follow_policy(self, learned: LearnedPolicy | None) -> list[SolvedEpisode]:
        """The episodes of a learned policy, of the optimal one for None."""
        if learned is None:
            return self._optimal
        key = self._formulations[0], learned.label
        if key not in self._of_learned:
            self._of_learned[key] = follow_learned_policy(self.problem, learned, self._seed)
        return self._of_learned[key]

    def __len__(self) -> int:
        return sum(map(len, self._episodes))

    def overlays(self) -> Sequence[str]:
        """Path, policy, values, visit counts, none."""
        return list_overlays(self._episodes)

    def scene(self, index: int, overlay: str) -> Scene:
        """A scene with one overlay; care and formulation among its readings."""
        scene = draw_solution(self._episodes, index, overlay)
        chosen = [*self._care_readings(), ("formulation", format_name(self._formulations[0]))]
        if len(self._learned) == 1:
            return replace(scene, readings=(*chosen, *scene.readings))
        shown, *others = self._learned
        chosen.insert(0, ("policy", _name_policy(shown)))
        beside = self._paths(others) if overlay == PATH else ()
        return replace(scene, readings=(*chosen, *scene.readings), overlays=(*beside, *scene.overlays))

    def _paths(self, others: Sequence[LearnedPolicy | None]) -> tuple[Path, ...]:
        """The acting agent's whole paths under other policies than the one that is shown."""
        first = [self._follow_policy(other)[0] for other in others]
        labels = [_name_policy(other) for other in others]
        return tuple(
            path_until(episode, len(episode) - 1, f"{label} path", f"path {number}")
            for number, (episode, label) in enumerate(zip(first, labels, strict=True), start=1)
        )

    def whole_path(self) -> Scene:
        """The acting agent's last scene with its whole path."""
        return self.scene(len(self._episodes[0]) - 1, PATH)

    def break_point_readings(self) -> Readings:
        """The coefficient, all break points, and what the optimum leads to."""
        points = ", ".join(value_text(point) for point in self._break_points())
        outcome, _ = solve(self.problem, self.care)
        own = (("own return", value_text(outcome.own)),)
        others = ((f"{write_possessive(name)} return", value_text(value)) for name, value in outcome.others.items())
        return (("break points", points or "none"), *self._care_readings(), *own, *others)

    def on_map(self, make_problem: Callable[[str], Problem], formulations: Sequence[str]) -> ViewableSolution:
        """The same coefficient and formulation on another map; NoPlan where there is no finite solution."""
        chosen = self._formulations[0]
        rest = [name for name in formulations if name != chosen]
        return ViewableSolution(make_problem, [chosen, *rest], self.care, self._seed)

    def inspect(self, index: int, cell: tuple[int, int]) -> Readings:
        """What stands there, and every value and the policy's action if the agent were there."""
        return inspect_cell(self._episodes, index, cell)

    def execute(self, command: str, index: int) -> int:
        """Change care or formulation and solve again; the film starts over where it has become shorter.

        Raises NoPlan, and changes nothing, where there is no finite solution.
        """
        if command == "formulation":
            self._next_formulation()
        elif command == "policy":
            self._learned.append(self._learned.pop(0))
        else:
            self._solve_at(self._next_care(command))
        return index if index < len(self) else 0

    def _solve_at(self, care: float) -> None:
        """Another coefficient; nothing changes where there is no finite solution."""
        self._optimal = solve_episodes(self.problem, care, self._seed)
        self.care = care

    def _next_formulation(self) -> None:
        """The next one that applies to this scenario and can be solved."""
        while True:
            self._formulations.append(self._formulations.pop(0))
            with contextlib.suppress(BadValue, NoPlan):
                self._optimal = solve_episodes(self.problem, self.care, self._seed)
                return

    def _next_care(self, command: str) -> float:
        if command in ("more care", "less care"):
            return self.care + (CARE_STEP if command == "more care" else -CARE_STEP)
        points = self._break_points()
        if command == "next break point":
            return min((point for point in points if point > self.care), default=self.care)
        return max((point for point in points if point < self.care), default=self.care)

    def _break_points(self) -> list[float]:
        """Those of the chosen formulation, found once."""
        name = self._formulations[0]
        if name not in self._points:
            self._points[name] = find_break_points(self.problem)
        return self._points[name]

    def _care_readings(self) -> Readings:
        """The coefficient, and the segment in which it lies where break points are known."""
        care = ("care", value_text(self.care))
        points = self._points.get(self._formulations[0])
        if points is None:
            return (care,)
        number = bisect.bisect_right(points, self.care)
        low = value_text(points[number - 1]) if number else ""
        high = value_text(points[number]) if number < len(points) else ""
        span = f"{low} to {high}" if low and high else f"from {low}" if low else f"up to {high}" if high else "all"
        return (care, ("same path", span))


def _name_policy(learned: LearnedPolicy | None) -> str:
    return "optimal" if learned is None else learned.label


def inspect_cell(episodes: Sequence[SolvedEpisode], scene: int, cell: tuple[int, int]) -> Readings:
    """What stands on a cell of a scene, and every value and the policy's action if the acting agent were there."""
    solved, step = locate(episodes, scene)
    scenario = solved.chapter.scenario
    state = solved.chapter.episode.states[step]
    readings = list(describe_cell(solved.chapter.scene(state), cell))
    table, policy, values = solved.solution
    place = next((floor for floor in scenario.grid.floor if floor == cell), None)
    other = None if place is None else scenario.with_agent_at(state, place)
    index = None if other is None else table.index.get(other)
    if index is not None:
        readings += [(name, value_text(float(value[index]))) for name, value in values.items()]
        if not table.terminal[index]:
            readings.append(("would do", table.actions[policy[index]]))
    return tuple(readings)
