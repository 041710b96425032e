"""A scenario that is too large for a table to play: its rules step the state, and no optimum is compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from caregrid.shows.game import action_keys
from caregrid.shows.scenes import YOU
from craftworld.rollout import EpisodeReplay
from craftworld.scenario import Scenario
from craftworld.solution.episodes import AgentEpisode, film
from engine.mdp.episode import Episode
from engine.scene import Path, Scene
from renderers.viewer.viewable import Readings, Viewable, cell_contents

PATH, NOTHING = "path", "none"


class PlayableReplay(Viewable):
    """Grows by one scene with every action; `u` undoes the last one. seed: of chance, the same draw for each step."""

    def __init__(self, scenario: Scenario, seed: int = 0) -> None:
        self._scenario, self._seed, self._actions = scenario, seed, list[str]()
        self.title = f"{scenario.name}: your turn"
        self._replay_again()

    @property
    def keys(self) -> Mapping[str, tuple[str, str]]:
        """Arrows move, digits (then letters) do the other actions; after the end the arrows step."""
        return action_keys(() if self._replay.over else self._scenario.actions)

    def __len__(self) -> int:
        return len(self._scenes)

    def overlays(self) -> Sequence[str]:
        """The path, and nothing."""
        return (PATH, NOTHING)

    def scene(self, index: int, overlay: str) -> Scene:
        """A scene with return and performance so far."""
        if overlay != PATH:
            return self._scenes[index]
        places = [self._scenario.position(state) for state in self._episode.states[: index + 1]]
        cells = tuple((place.row, place.column) for place in places if place is not None)
        return replace(self._scenes[index], overlays=(Path(PATH, cells),) if cells else ())

    def inspect(self, index: int, cell: tuple[int, int]) -> Readings:
        """What stands there."""
        return cell_contents(self._scenes[index], cell)

    def execute(self, command: str, index: int) -> int:
        """Take an action, or undo the last one; returns the newest scene."""
        if command == "undo":
            del self._actions[-1:]
        elif command in self._replay.available():
            self._actions.append(command)
        self._replay_again()
        return len(self) - 1

    def demonstration_keys(self) -> list[str]:
        """The keys that play the scenario's first demonstration; none where it has none."""
        named = {command: key for key, (command, _) in self.keys.items()}
        shown = next(iter(self._scenario.demonstrations()), None)
        return [] if shown is None else [named[action] for action in shown.actions]

    def _replay_again(self) -> None:
        self._replay = EpisodeReplay(self._scenario, seed=self._seed)
        for action in self._actions:
            self._replay.take(action)
        replayed = self._replay.episode()
        self._episode: Episode = replayed.episode
        self._scenes = film([AgentEpisode(YOU, self._scenario, self._episode, (), replayed.seed)])
