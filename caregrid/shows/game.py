"""A scenario to play: a person controls the acting agent, then sees the newcomers and the exact optimum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from caregrid.shows.explorer import inspect
from caregrid.shows.scenes import YOU, overlay_names, solution_scene, value_text
from caregrid.shows.solved import SolvedEpisode, with_solutions
from craftworld.solution.episodes import AgentEpisode, newcomer_episodes
from craftworld.solution.problem import Problem
from craftworld.solution.solution import solve
from engine.errors import BadValue
from engine.grid import MOVES
from engine.mdp.episode import Episode, Step
from engine.planning.dynamic_programming import plan
from engine.scene import Scene
from renderers.viewer.viewable import Readings, Viewable

ACTION_KEYS = "1234567890abcdeijklmnprtvwxyz"


class PlayableScenario(Viewable):
    """Grows by one scene with every action; `u` undoes the last one; at the end the newcomers' episodes follow.

    problem: deterministic, BadValue otherwise. care: the coefficient of the augmented return that is compared.
    """

    def __init__(self, problem: Problem, care: float) -> None:
        if not problem.mdp.is_deterministic:
            raise BadValue("a stochastic world", place="play", remedy="play one where every action has one outcome")
        self.problem, self.care = problem, care
        self.title = f"{problem.scenario.name}: your turn"
        self._start = int(problem.mdp.start_states()[0])
        self._path, self._taken = [self._start], list[int]()
        self._episodes: list[SolvedEpisode] = []
        self._comparison: Readings = ()
        self._update_episodes()

    @property
    def keys(self) -> Mapping[str, tuple[str, str]]:
        """While playing, arrows move, digits (then letters) do the other actions; afterwards the arrows step."""
        undo = {"u": ("undo", "take the last step back")}
        if self.finished:
            return undo
        actions = self.problem.mdp.actions
        moves = {name: (name, f"go {name}") for name in MOVES if name in actions}
        others = [name for name in actions if name not in MOVES]
        return {**moves, **{key: (name, name) for key, name in zip(ACTION_KEYS, others, strict=False)}, **undo}

    @property
    def finished(self) -> bool:
        """Whether the acting agent's episode has ended."""
        return bool(self.problem.mdp.terminal[self._path[-1]])

    def __len__(self) -> int:
        return sum(map(len, self._episodes))

    def overlays(self) -> Sequence[str]:
        """As in the viewer; values and policy are hints."""
        return overlay_names(self._episodes)

    def scene(self, index: int, overlay: str) -> Scene:
        """A scene; after the end, the exact optimum beside the return that was reached."""
        scene = solution_scene(self._episodes, index, overlay)
        visible = [entry for entry in scene.readings if self.finished or not entry[0].endswith("value")]
        return replace(scene, readings=(*visible, ("care", f"{self.care:g}"), *self._comparison))

    def inspect(self, index: int, cell: tuple[int, int]) -> Readings:
        """What stands there, and its values."""
        return inspect(self._episodes, index, cell)

    def execute(self, command: str, index: int) -> int:
        """Take an action, or undo the last one; returns the newest scene."""
        if command == "undo":
            del self._taken[-1:]
            del self._path[len(self._taken) + 1 :]
        elif not self.finished:
            action = self.problem.mdp.actions.index(command)
            self._taken.append(action)
            self._path.append(int(self.problem.mdp.next_state[self._path[-1], action, 0]))
        self._update_episodes()
        return len(self._taken)

    def comparison(self) -> Readings:
        """The augmented return that was reached, the optimal one, and the optimum's own and others' returns."""
        table = self.problem.augmented(self.care, self._start)
        reached = sum(
            float(table.reward[state, action, 0]) * table.discount**i
            for i, (state, action) in enumerate(zip(self._path, self._taken, strict=False))
        )
        best, _ = solve(self.problem, self.care)
        return (
            ("your augmented return", value_text(reached)),
            ("the optimum's", value_text(float(plan(table).value[self._start]))),
            ("the optimum's own return", value_text(best.own)),
            *((f"the {name}'s, then", value_text(value)) for name, value in best.others.items()),
        )

    def optimal_keys(self) -> list[str]:
        """The keys that play an optimal episode from the start."""
        best, cases = solve(self.problem, self.care)
        named = {command: key for key, (command, _) in self.keys.items()}
        return [named[action] for action in (best.actions or cases[0].outcome.actions)]

    def _update_episodes(self) -> None:
        mdp = self.problem.mdp
        states = [mdp.states[number] for number in self._path]
        steps = tuple(
            Step(states[i], mdp.actions[action], float(mdp.reward[self._path[i], action, 0]), states[i + 1])
            for i, action in enumerate(self._taken)
        )
        ending: Literal["terminated", "truncated"] = "terminated" if self.finished else "truncated"
        chapters = [AgentEpisode(YOU, self.problem.scenario, Episode(states[0], steps, ending))]
        chapters += newcomer_episodes(self.problem, self._path[-1]) if self.finished else []
        self._episodes = with_solutions(self.problem, chapters, self.care)
        self._comparison = self.comparison() if self.finished else ()
