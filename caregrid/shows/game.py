"""A scenario to play: a person controls the acting agent, then sees the newcomers and the exact optimum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from caregrid.shows.explorer import inspect
from caregrid.shows.scenes import YOU, overlay_names, solution_scene, value_text
from caregrid.shows.solved import SolvedEpisode, with_solutions
from craftworld.solution.episodes import acting_episode, acting_key, episodes, newcomer_episodes
from craftworld.solution.problem import Problem
from craftworld.solution.solution import solve
from engine.grid import MOVES
from engine.mdp.episode import Trajectory, successor
from engine.planning.dynamic_programming import plan
from engine.randomness.counter_based import uniform
from engine.scene import Scene
from renderers.viewer.viewable import Readings, Viewable

ACTION_KEYS = "1234567890abcdeijklmnprtvwxyz"


def action_keys(actions: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Key -> (command, what it does): arrows for moves, digits, then letters, for other actions, and `u` to undo."""
    moves = {name: (name, f"go {name}") for name in MOVES if name in actions}
    others = [name for name in actions if name not in MOVES]
    named = {key: (name, name) for key, name in zip(ACTION_KEYS, others, strict=False)}
    return {**moves, **named, "u": ("undo", "take the last step back")}


class PlayableScenario(Viewable):
    """Grows by one scene with every action; `u` undoes the last one; at the end the newcomers' episodes follow.

    problem: any. care: the coefficient of the augmented return that is compared. seed: of chance, in worlds that have
    any: the nth step draws the same number each time. An action that is not available does nothing.
    """

    def __init__(self, problem: Problem, care: float, seed: int = 0) -> None:
        self.problem, self.care, self.seed = problem, care, seed
        self.title = f"{problem.scenario.name}: your turn"
        self._start = int(problem.mdp.start_states()[0])
        self._path, self._taken, self._slots = [self._start], list[int](), list[int]()
        self._episodes: list[SolvedEpisode] = []
        self._comparison: Readings = ()
        self._update_episodes()

    @property
    def keys(self) -> Mapping[str, tuple[str, str]]:
        """While playing, arrows move, digits (then letters) do the other actions; afterwards the arrows step."""
        return action_keys(() if self.finished else self.problem.mdp.actions)

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
        return replace(scene, readings=(*visible, ("care", f"{self.care:g}"), *self._choice(), *self._comparison))

    def inspect(self, index: int, cell: tuple[int, int]) -> Readings:
        """What stands there, and its values."""
        return inspect(self._episodes, index, cell)

    def execute(self, command: str, index: int) -> int:
        """Take an action, or undo the last one; returns the newest scene."""
        if command == "undo":
            del self._taken[-1:], self._slots[-1:]
            del self._path[len(self._taken) + 1 :]
        elif not self.finished:
            self._take(self.problem.mdp.actions.index(command))
        self._update_episodes()
        return len(self._taken)

    def _take(self, action: int) -> None:
        mdp, here = self.problem.mdp, self._path[-1]
        if mdp.action_mask(here)[action]:
            number = uniform(acting_key(self.seed), len(self._taken))
            self._taken.append(action)
            self._slots.append(successor(mdp, here, action, number))
            self._path.append(int(mdp.next_state[here, action, self._slots[-1]]))

    def _choice(self) -> Readings:
        """The actions that are available, where not all are."""
        mask = self.problem.mdp.action_mask(self._path[-1])
        if self.finished or mask.all():
            return ()
        return (("you can", ", ".join(name for name, can in zip(self.problem.mdp.actions, mask, strict=True) if can)),)

    def comparison(self) -> Readings:
        """The augmented return that was reached, the optimal one, and the optimum's own and others' returns."""
        table = self.problem.augmented(self.care, self._start)
        reached = sum(
            float(table.reward[state, action, slot]) * table.discount**i
            for i, (state, action, slot) in enumerate(zip(self._path, self._taken, self._slots, strict=False))
        )
        best, _ = solve(self.problem, self.care)
        return (
            ("your augmented return", value_text(reached)),
            ("the optimum's", value_text(float(plan(table).value[self._start]))),
            ("the optimum's own return", value_text(best.own)),
            *((f"the {name}'s, then", value_text(value)) for name, value in best.others.items()),
        )

    def optimal_keys(self) -> list[str]:
        """The keys that play an optimal episode from the start, as chance will have it."""
        best = episodes(self.problem, self.care, self._start, self.seed)[0].episode
        named = {command: key for key, (command, _) in self.keys.items()}
        return [named[action] for action in best.actions]

    def _update_episodes(self) -> None:
        taken = Trajectory(tuple(self._path), tuple(self._taken), tuple(self._slots))
        chapters = [acting_episode(self.problem, YOU, taken, self.seed)]
        chapters += newcomer_episodes(self.problem, self._path[-1], self.seed)
        self._episodes = with_solutions(self.problem, chapters, self.care)
        self._comparison = self.comparison() if self.finished else ()
