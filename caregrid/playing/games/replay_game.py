"""A scenario that is too large for a table to play: its rules step the state; no optimum is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from caregrid.playing.game import NOTHING, Facts, Game, Move
from caregrid.playing.games.scenario_goal import action_menu, company, step_text, step_to, world_text
from caregrid.shows.scenes import PATH, YOU
from craftworld.rollout import EpisodeReplay, ReplayedEpisode, observes_performance, rollout
from craftworld.scenario import Scenario
from craftworld.solution.episodes import AgentEpisode, film
from engine.scene import Film, Path, Scene


class ReplayGame(Game):
    """seed: of chance, the same draw for each step."""

    def __init__(self, scenario: Scenario, seed: int = 0) -> None:
        self._scenario = scenario
        self.title = f"{scenario.name}: your turn"
        self.about = world_text(scenario)
        self.goal = f"You are the acting agent. {company(scenario)} What counts is your return."
        self._replay = EpisodeReplay(scenario, seed=seed)
        self._scenes: Film = ()

    def menu(self) -> tuple[Move, ...]:
        """Arrows move, digits (then letters) do the other actions."""
        return action_menu(self._scenario.actions, self._replay.available()) if not self._replay.over else ()

    def take(self, action: str) -> str:
        """A step by the rules."""
        self._replay.take(action)
        self._scenes = ()
        return step_text(self._replay.episode().episode)

    def __len__(self) -> int:
        return self._replay.steps + 1

    def overlays(self) -> Sequence[str]:
        """The path, and nothing."""
        return (PATH, NOTHING)

    def scene(self, index: int, overlay: str = NOTHING) -> Scene:
        """A scene with return and performance so far."""
        replayed = self._replay.episode()
        if not self._scenes:
            self._scenes = film([AgentEpisode(YOU, self._scenario, replayed.episode, (), replayed.seed)])
        if overlay != PATH:
            return self._scenes[index]
        places = [self._scenario.position(state) for state in replayed.episode.states[: index + 1]]
        cells = tuple((place.row, place.column) for place in places if place is not None)
        return replace(self._scenes[index], overlays=(Path(PATH, cells),) if cells else ())

    def move_to(self, cell: tuple[int, int]) -> str | None:
        """The step to a neighbouring cell."""
        return step_to(self._scenario, self._replay.state, cell, self._replay.available())

    def result(self) -> Facts:
        """Return and hidden performance, beside those of the demonstrations."""
        shown = [
            (f"{one.name} (demonstration)", rollout(self._scenario, one.actions, chance=one.chance))
            for one in self._scenario.demonstrations()
        ]
        return tuple((label, _scores(replayed)) for label, replayed in [("you", self._replay.episode()), *shown])

    def suggestion(self) -> str | None:
        """What the first demonstration does next, as long as it has been followed."""
        done = self._replay.episode().episode.actions
        first = next(iter(self._scenario.demonstrations()), None)
        followed = first is not None and first.actions[: len(done)] == done and not self._replay.over
        return first.actions[len(done)] if first and followed and len(done) < len(first.actions) else None


def _scores(replayed: ReplayedEpisode) -> str:
    own = f"return {replayed.episode.total():g}"
    return own if observes_performance(replayed.scenario) else f"{own}, performance {sum(replayed.performance):g}"
