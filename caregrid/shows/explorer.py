"""A scenario's exact solution in the viewer; keys change care and formulation, and it is solved again at once."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from caregrid.shows.scenes import PATH, locate, overlay_names, path_until, solution_scene, value_text
from caregrid.shows.solved import SolvedEpisode, learned_episodes, solved_episodes
from craftworld.solution.problem import Problem
from craftworld.solution.solution import break_points
from engine.errors import BadValue, NoPlan
from engine.scene import Path, Scene
from experiments.training.learned_policy import LearnedPolicy
from renderers.viewer.viewable import Readings, Viewable, cell_contents

CARE_STEP = 0.25
SOLUTION_KEYS = {
    "up": ("more care", "care up, solved again"),
    "down": ("less care", "care down, solved again"),
    "page up": ("next break point", "care to the next break point"),
    "page down": ("last break point", "care to the break point before"),
    "f": ("formulation", "next formulation"),
}
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
        self.care, self._seed = care, seed
        self._learned: list[LearnedPolicy | None] = [*learned, None]
        self._make_problem, self._formulations = make_problem, list(formulations)
        self._problems: dict[str, Problem] = {}
        self._of_learned: dict[tuple[str, str], list[SolvedEpisode]] = {}
        self._optimal: list[SolvedEpisode] = solved_episodes(self.problem, care, seed)
        self.title = self.problem.scenario.name

    @property
    def keys(self) -> Mapping[str, tuple[str, str]]:
        """Up, down, page up and page down change the coefficient, f the formulation, p the policy."""
        return SOLUTION_KEYS | (POLICY_KEY if len(self._learned) > 1 else {})

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
        return self._followed(self._learned[0])

    def _followed(self, learned: LearnedPolicy | None) -> list[SolvedEpisode]:
        """The episodes of a learned policy, of the optimal one for None."""
        if learned is None:
            return self._optimal
        key = self._formulations[0], learned.label
        if key not in self._of_learned:
            self._of_learned[key] = learned_episodes(self.problem, learned, self._seed)
        return self._of_learned[key]

    def __len__(self) -> int:
        return sum(map(len, self._episodes))

    def overlays(self) -> Sequence[str]:
        """Path, policy, values, visit counts, none."""
        return overlay_names(self._episodes)

    def scene(self, index: int, overlay: str) -> Scene:
        """A scene with one overlay; care and formulation among its readings."""
        scene = solution_scene(self._episodes, index, overlay)
        chosen = [("care", f"{self.care:g}"), ("formulation", self._formulations[0])]
        if len(self._learned) == 1:
            return replace(scene, readings=(*scene.readings, *chosen))
        shown, *others = self._learned
        chosen.insert(0, ("policy", _label(shown)))
        beside = self._paths(others) if overlay == PATH else ()
        return replace(scene, readings=(*scene.readings, *chosen), overlays=(*beside, *scene.overlays))

    def _paths(self, others: Sequence[LearnedPolicy | None]) -> tuple[Path, ...]:
        """The acting agent's whole paths under other policies than the one that is shown."""
        first = [self._followed(other)[0] for other in others]
        labels = [_label(other) for other in others]
        return tuple(
            path_until(episode, len(episode) - 1, f"{label} path", f"path {number}")
            for number, (episode, label) in enumerate(zip(first, labels, strict=True), start=1)
        )

    def inspect(self, index: int, cell: tuple[int, int]) -> Readings:
        """What stands there, and every value and the policy's action if the agent were there."""
        return inspect(self._episodes, index, cell)

    def execute(self, command: str, index: int) -> int:
        """Change care or formulation and solve again; the film starts over where it has become shorter.

        Raises NoPlan, and changes nothing, where there is no finite solution.
        """
        if command == "formulation":
            self._next_formulation()
        elif command == "policy":
            self._learned.append(self._learned.pop(0))
        else:
            care = self._next_care(command)
            self._optimal, self.care = solved_episodes(self.problem, care, self._seed), care
        return index if index < len(self) else 0

    def _next_formulation(self) -> None:
        """The next one that applies to this scenario and can be solved."""
        while True:
            self._formulations.append(self._formulations.pop(0))
            with contextlib.suppress(BadValue, NoPlan):
                self._optimal = solved_episodes(self.problem, self.care, self._seed)
                return

    def _next_care(self, command: str) -> float:
        if command in ("more care", "less care"):
            return self.care + (CARE_STEP if command == "more care" else -CARE_STEP)
        points = break_points(self.problem)
        if command == "next break point":
            return min((point for point in points if point > self.care), default=self.care)
        return max((point for point in points if point < self.care), default=self.care)


def _label(learned: LearnedPolicy | None) -> str:
    return "optimal" if learned is None else learned.label


def inspect(episodes: Sequence[SolvedEpisode], scene: int, cell: tuple[int, int]) -> Readings:
    """What stands on a cell of a scene, and every value and the policy's action if the acting agent were there."""
    solved, step = locate(episodes, scene)
    scenario, state = solved.chapter.scenario, solved.chapter.episode.states[step]
    readings = list(cell_contents(solved.chapter.scene(state), cell))
    table, policy, values = solved.solution
    place = next((floor for floor in scenario.grid.floor if floor == cell), None)
    other = None if place is None else scenario.with_agent_at(state, place)
    index = None if other is None else table.index.get(other)
    if index is not None:
        readings += [(name, value_text(float(value[index]))) for name, value in values.items()]
        if not table.terminal[index]:
            readings.append(("would do", table.actions[policy[index]]))
    return tuple(readings)
