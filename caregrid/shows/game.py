"""A scenario to play: a person drives the acting agent, then watches the newcomers, and sees the exact optimum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from caregrid.shows.explorer import inspect
from caregrid.shows.scenes import YOU, overlay_names, scene_of, spoken
from caregrid.shows.solved import Act, acting
from craftworld.solution.episodes import Chapter, follow
from craftworld.solution.solution import Problem, solve
from engine.errors import BadValue
from engine.mdp.episode import Episode, Step
from engine.planning.dynamic_programming import plan
from engine.scene import Scene
from renderers.viewer.viewable import Readings

MOVES = ("up", "down", "left", "right")
KEYS_FOR_DEEDS = "1234567890abcdeijklmnprtvwxyz"


class PlayShow:
    """A show that grows by a scene with every deed; `u` takes a deed back; at the end the newcomers follow.

    Raises BadValue for worlds of chance.
    """

    def __init__(self, problem: Problem, care: float) -> None:
        if not problem.mdp.is_deterministic:
            raise BadValue("a world of chance", place="play", remedy="play one where every action has one outcome")
        self.problem, self.care = problem, care
        self.title = f"{problem.scenario.name}: your turn"
        self._start = int(problem.mdp.start_states()[0])
        self._path, self._deeds = [self._start], list[int]()
        self._acts: list[Act] = []
        self._verdict: Readings = ()
        self._stage_acts()

    @property
    def keys(self) -> Mapping[str, tuple[str, str]]:
        """While playing, arrows move, digits (then letters) act; afterwards the arrows step through the film again."""
        undo = {"u": ("undo", "take the last step back")}
        if self.finished:
            return undo
        actions = self.problem.mdp.actions
        moves = {name: (name, f"go {name}") for name in MOVES if name in actions}
        others = [name for name in actions if name not in MOVES]
        return {**moves, **{key: (name, name) for key, name in zip(KEYS_FOR_DEEDS, others, strict=False)}, **undo}

    @property
    def finished(self) -> bool:
        """Whether the acting agent is done."""
        return bool(self.problem.mdp.terminal[self._path[-1]])

    def __len__(self) -> int:
        return sum(map(len, self._acts))

    def overlays(self) -> Sequence[str]:
        """As in the viewer; values and policy are hints."""
        return overlay_names(self._acts)

    def scene(self, number: int, overlay: str) -> Scene:
        """A scene; when the play is over, the exact optimum stands beside what was reached."""
        scene = scene_of(self._acts, number, overlay)
        told = [entry for entry in scene.readings if self.finished or not entry[0].endswith("value")]
        return replace(scene, readings=(*told, ("care", f"{self.care:g}"), *self._verdict))

    def inspect(self, number: int, cell: tuple[int, int]) -> Readings:
        """What stands there, and what it is worth."""
        return inspect(self._acts, number, cell)

    def do(self, word: str, number: int) -> int:
        """Act, or take a step back; the newest scene is shown."""
        if word == "undo":
            del self._deeds[-1:]
            del self._path[len(self._deeds) + 1 :]
        elif not self.finished:
            action = self.problem.mdp.actions.index(word)
            self._deeds.append(action)
            self._path.append(int(self.problem.mdp.next_state[self._path[-1], action, 0]))
        self._stage_acts()
        return len(self._deeds)

    def verdict(self) -> Readings:
        """What was reached and what the exact optimum reaches, for the augmented reward that both maximise."""
        table = self.problem.augmented(self.care, self._start)
        reached = sum(
            float(table.reward[state, action, 0]) * table.discount**i
            for i, (state, action) in enumerate(zip(self._path, self._deeds, strict=False))
        )
        best, _ = solve(self.problem, self.care)
        return (
            ("your augmented return", spoken(reached)),
            ("the optimum's", spoken(float(plan(table).value[self._start]))),
            ("the optimum's own return", spoken(best.own)),
            *((f"the {name}'s, then", spoken(value)) for name, value in best.others.items()),
        )

    def optimal_keys(self) -> list[str]:
        """The keys that play the exact optimum from the start."""
        best, cases = solve(self.problem, self.care)
        named = {word: key for key, (word, _) in self.keys.items()}
        return [named[action] for action in (best.actions or cases[0].outcome.actions)]

    def _stage_acts(self) -> None:
        mdp = self.problem.mdp
        states = [mdp.states[number] for number in self._path]
        steps = tuple(
            Step(states[i], mdp.actions[action], float(mdp.reward[self._path[i], action, 0]), states[i + 1])
            for i, action in enumerate(self._deeds)
        )
        ending: Literal["terminated", "truncated"] = "terminated" if self.finished else "truncated"
        chapters = [Chapter(YOU, self.problem.scenario, Episode(states[0], steps, ending))]
        chapters += follow(self.problem, self._path[-1]) if self.finished else []
        self._acts = acting(self.problem, chapters, self.care)
        self._verdict = self.verdict() if self.finished else ()
