"""A scenario in the viewer: its solution plays; care and formulation change under one's hands, solved again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from caregrid.shows.scenes import locate, moved, overlay_names, scene_of, spoken
from caregrid.shows.solved import Act, acts_of
from craftworld.solution.solution import Problem, break_points
from engine.errors import BadValue, NoPlan
from engine.scene import Scene
from renderers.viewer.viewable import Readings, whats_there

CARE_STEP = 0.25
KEYS = {
    "up": ("more care", "care up, solved again"),
    "down": ("less care", "care down, solved again"),
    "page up": ("next break point", "care to the next break point"),
    "page down": ("last break point", "care to the break point before"),
    "f": ("formulation", "next formulation"),
}


class CraftShow:
    """A show of a scenario's exact solution.

    pose: formulation -> the problem. formulations: those to choose from, the first one is shown first.
    """

    def __init__(self, pose: Callable[[str], Problem], formulations: Sequence[str], care: float) -> None:
        self.keys: Mapping[str, tuple[str, str]] = KEYS
        self.care = care
        self._pose, self._formulations, self._problems = pose, list(formulations), dict[str, Problem]()
        self._acts: list[Act] = acts_of(self.problem, care)
        self.title = self.problem.scenario.name

    @property
    def problem(self) -> Problem:
        """The problem under the formulation chosen."""
        name = self._formulations[0]
        if name not in self._problems:
            self._problems[name] = self._pose(name)
        return self._problems[name]

    def __len__(self) -> int:
        return sum(map(len, self._acts))

    def overlays(self) -> Sequence[str]:
        """Path, policy, values, visit counts, none."""
        return overlay_names(self._acts)

    def scene(self, number: int, overlay: str) -> Scene:
        """A scene with one overlay; care and formulation among its readings."""
        scene = scene_of(self._acts, number, overlay)
        chosen = (("care", f"{self.care:g}"), ("formulation", self._formulations[0]))
        return replace(scene, readings=(*scene.readings, *chosen))

    def inspect(self, number: int, cell: tuple[int, int]) -> Readings:
        """What stands there, and every value and the action if the agent were there."""
        return inspect(self._acts, number, cell)

    def do(self, word: str, number: int) -> int:
        """Change care or formulation and solve again; the film starts over where it has become shorter.

        What cannot be solved changes nothing: the errors of planning.
        """
        if word == "formulation":
            self._next_formulation()
        else:
            care = self._next_care(word)
            self._acts, self.care = acts_of(self.problem, care), care
        return number if number < len(self) else 0

    def _next_formulation(self) -> None:
        """The next one that fits this scenario and can be solved; the present one does."""
        while True:
            self._formulations.append(self._formulations.pop(0))
            with contextlib.suppress(BadValue, NoPlan):
                self._acts = acts_of(self.problem, self.care)
                return

    def _next_care(self, word: str) -> float:
        if word in ("more care", "less care"):
            return self.care + (CARE_STEP if word == "more care" else -CARE_STEP)
        points = break_points(self.problem)
        if word == "next break point":
            return min((point for point in points if point > self.care), default=self.care)
        return max((point for point in points if point < self.care), default=self.care)


def inspect(acts: Sequence[Act], number: int, cell: tuple[int, int]) -> Readings:
    """What stands on a cell of a scene, and every value and the action if the one who acts were there."""
    act, step = locate(acts, number)
    scenario, state = act.chapter.scenario, act.chapter.episode.states[step]
    readings = list(whats_there(scenario.scene(state), cell))
    table, policy, values = act.foresight
    place = next((n for n, floor in enumerate(scenario.grid.floor) if floor == cell), None)
    there = None if place is None else table.index.get(moved(state, place))
    if there is not None:
        readings += [(name, spoken(float(value[there]))) for name, value in values.items()]
        if not table.terminal[there]:
            readings.append(("would do", table.actions[policy[there]]))
    return tuple(readings)
