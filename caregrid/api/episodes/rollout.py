"""`caregrid.rollout`: actions replayed in any scenario, with boards, rewards and the hidden performance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from caregrid.api.caring.given import Map, problem_source
from caregrid.api.checked import checked
from caregrid.api.results.film import MILLISECONDS, TILE, RecordedFilm, film_writers
from caregrid.api.results.result import Result, Writer
from engine.errors import BadValue, UnknownName
from engine.limits.whole_numbers import Milliseconds, Seed, TileSize
from engine.printable import shown_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.rollout import ReplayedEpisode
    from craftworld.scenario import Scenario
    from engine.scene import Film, Scene

GivenNames = str | Sequence[str]


@checked
def rollout(
    scenario: str | Scenario | type[Scenario],
    actions: GivenNames = (),
    *,
    demonstration: str | None = None,
    seed: Seed = 0,
    chance: GivenNames = (),
    map: Map | None = None,
    options: Mapping[str, Any] | Sequence[str] = (),
) -> RolloutResult:
    """Actions replayed in a scenario, from a start state on.

    scenario, map, options: as in `caregrid.problem`. actions: names, also joined by commas. demonstration: the name of
    one of the scenario's own, in place of actions. chance: names of the outcomes of chance, in order: the start state
    where there are several, then each step in which more than one thing may happen. seed: of what `chance` leaves open.
    Raises UnknownName for an action, an outcome or a demonstration that is unknown, BadValue for an action that cannot
    be taken, or that comes after the end, and for an outcome for which there is no draw.
    """
    from craftworld.rollout import rollout as replay

    made = problem_source(scenario, None, map, 1.0, None, None, options).make_scenario()
    named, outcomes = _words(actions, "actions"), _words(chance, "chance")
    if demonstration is not None:
        if named:
            raise BadValue("actions and a demonstration", place=made.name, remedy="give one of them")
        known = {one.name: one for one in made.demonstrations()}
        if demonstration not in known:
            raise UnknownName("demonstration", demonstration, known, place=made.name)
        named, outcomes = known[demonstration].actions, outcomes or known[demonstration].chance
    return RolloutResult(replay(made, named, seed=seed, chance=outcomes))


@dataclass(frozen=True, repr=False, eq=False)
class RolloutResult(Result):
    """An episode, or its beginning; rollout: its states, actions, rewards and performances."""

    rollout: ReplayedEpisode

    @property
    def title(self) -> str:
        """The scenario, and the number of steps."""
        return f"{self.scenario.name}, {len(self.rollout.episode.steps)} steps"

    @property
    def scenario(self) -> Scenario:
        """The scenario in which the actions were replayed."""
        return self.rollout.scenario

    @property
    def own(self) -> float:
        """The return: the sum of the observed rewards."""
        return self.rollout.episode.total()

    @property
    def performance(self) -> float:
        """The hidden performance."""
        return float(sum(self.rollout.performance))

    @property
    def chance(self) -> tuple[str, ...]:
        """The outcomes of chance, by name; given back to `rollout`, they replay the same."""
        return self.rollout.chance

    @property
    def boards(self) -> tuple[tuple[str, ...], ...]:
        """What the agent observes in each state, the first among them, as rows of letters."""
        return tuple(self.scenario.board(state) for state in self.rollout.episode.states)

    def rows(self) -> list[dict[str, Any]]:
        """A row a step: action, reward, performance, whether the world ended the episode, the board after it."""
        steps = self.rollout.episode.steps
        return [
            {
                "action": step.action,
                "reward": step.reward,
                "performance": hidden,
                "terminated": self.rollout.terminated and number == len(steps),
                "board": "\n".join(self.scenario.board(step.next_state)),
            }
            for number, (step, hidden) in enumerate(zip(steps, self.rollout.performance, strict=True), start=1)
        ]

    def as_dict(self) -> dict[str, Any]:
        """What `caregrid rollout --json` prints."""
        steps = [{**row, "board": row["board"].split("\n")} for row in self.rows()]
        return {"scenario": self.scenario.name, "steps": steps, "return": self.own, "performance": self.performance}

    @property
    def scenes(self) -> Film:
        """One scene a state."""
        from craftworld.solution.episodes import AgentEpisode, film

        return film([AgentEpisode("agent", self.scenario, self.rollout.episode, (), self.rollout.seed)])

    @checked
    def film(self, tile: TileSize = TILE, milliseconds: Milliseconds = MILLISECONDS) -> RecordedFilm:
        """The episode, one scene a state."""
        return RecordedFilm(self.title, self.scenes, tile, milliseconds)

    def storyboard(self) -> Scene:
        """All states side by side in one scene."""
        from experiments.figures.names import name_of
        from renderers.storyboard import storyboard

        scenes = [replace(scene, readings=()) for scene in self.scenes]
        return storyboard(scenes, f"{name_of(self.title)}: {self._summary()}")

    def figure(self) -> Figure:
        """The storyboard."""
        from caregrid.api.results.pictures import scene_figure

        return scene_figure(self.storyboard())

    def text(self) -> str:
        """What `caregrid rollout` prints: every state drawn, then return, performance and how it ended."""
        from renderers.text import draw

        return "\n\n".join([*(draw(scene, legend=False) for scene in self.scenes), self._summary()])

    def writers(self) -> dict[str, Writer]:
        """As every result, and films: .gif, .mp4, and .html with a player; .png is the storyboard."""
        sheet = RecordedFilm(self.title, (self.storyboard(),))
        return super().writers() | film_writers(self.film) | {"png": partial(sheet.save, kind="png")}

    def _summary(self) -> str:
        ended = (
            "ended by the world" if self.rollout.terminated else "step limit" if self.rollout.finished else "goes on"
        )
        drawn = f", chance {','.join(self.chance)}" if self.chance else ""
        return f"return {self.own:g}, performance {self.performance:g}, {ended}{drawn}"


def _words(given: GivenNames, what: str) -> tuple[str, ...]:
    """Names from a text with commas, or from several; BadValue for anything else."""
    if isinstance(given, str):
        return tuple(word.strip() for word in given.split(",")) if given.strip() else ()
    if not isinstance(given, Sequence) or not all(isinstance(word, str) for word in given):
        raise BadValue(f"{what} are {shown_value(given)}", place="rollout", remedy="give names, or a text with commas")
    return tuple(given)
