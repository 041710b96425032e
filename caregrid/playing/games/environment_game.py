"""An extended environment to play: a person is the agent, and the environment's copies are copies of that person.

A copy is a `PlayerModel`, or another agent that stands for the player, trained by the environment on the player's moves
as the environment tells them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from caregrid.playing.game import NOTHING, Facts, Game, Move, keyed
from caregrid.playing.games.player_model import PlayerModel
from caregrid.shows.copy_actions import copy_action
from caregrid.shows.extended_film import EnvironmentLabels, Turn, film_of_turns
from engine.agent import AgentSpec, Transition
from engine.scene import Scene
from xenv.interaction_loop import run_environment
from xenv.specs import names
from xenv.specs.simulation import Simulate
from xenv.validation import ValidatedEnvironment


class TurnsPlayed(NamedTuple):
    """How an environment is played. turns: how many. key: of chance. agents: names of those to compare with.

    copy: the spec of the player's copies.
    """

    turns: int
    key: int
    agents: Sequence[str]
    copy: AgentSpec = PlayerModel()


class EnvironmentGame(Game):
    """Turns in an environment. name: of the environment. about: what it is. played: how it is played."""

    def __init__(self, name: str, about: str, played: TurnsPlayed) -> None:
        self.title, self.about, self._name = f"{name}: your turn", about, name
        self._turns, self._key, self._agents, copy = played
        habit = "does what it has most often been shown for an observation"
        does = habit if copy == PlayerModel() else f"is {names.agent_title(copy)}, an agent of the battery"
        self.goal = (
            f"You are the agent, for {self._turns} turns; what counts is your mean reward. Where the environment asks "
            f"a copy of you, that {does}: it learns from your moves, as the environment tells them."
        )
        make = names.environment_factory(name)
        self._shape = make.n_observations, make.n_actions
        self._world = make(Simulate(copy, *self._shape, self._key))
        self._checked = ValidatedEnvironment(self._world, *self._shape)
        self._observation, self._history = self._checked.start(), list[Turn]()

    def menu(self) -> tuple[Move, ...]:
        """The actions by their numbers."""
        if len(self._history) >= self._turns:
            return ()
        keys = keyed(map(str, range(self._shape[1])))
        return tuple(Move(keys[name], name, f"action {name}", effect=self._prediction(int(name))) for name in keys)

    def take(self, action: str) -> str:
        """One turn."""
        number = int(action)
        copied = copy_action(self._world, number)
        reward, following = self._checked.step(number)
        self._history.append(Turn(self._observation, number, copied, float(reward)))
        self._observation = int(following)
        asked = "" if copied is None else f"; your copy would have done {copied}"
        return f"action {number}: reward {reward:+g}{asked}"

    def __len__(self) -> int:
        return len(self._history) + 1

    def scene(self, index: int, overlay: str = NOTHING) -> Scene:
        """The turns so far as strips, and in the present what is observed."""
        labels = EnvironmentLabels(*({n: str(n) for n in range(count)} for count in reversed(self._shape)))
        films = film_of_turns(self._history[:index], labels, self._name, "copy's action")
        scene = films[-1] if films else Scene(caption=f"{self._name}: before the first turn")
        if index < len(self._history) or len(self._history) >= self._turns:
            return scene
        now = [("turn", f"{index + 1} of {self._turns}"), ("you observe", str(self._observation))]
        return replace(scene, readings=(*now, *self._copy_readings(), *scene.readings))

    def _copy_readings(self) -> Facts:
        """What the copy would do now, where it does not depend on the present action, and what it was shown."""
        now = copy_action(self._world)
        shown = getattr(getattr(self._world, "copy", None), "counts", {})
        seen = "; ".join(
            f"at {observation}: " + ", ".join(f"{action} x{times}" for action, times in sorted(counts.items()))
            for observation, counts in sorted(shown.items())
        )
        readings = [("your copy would do", str(now))] if now is not None else []
        return (*readings, *((("your copy was shown", seen),) if seen else ()))

    def _prediction(self, action: int) -> str:
        """What the copy would do after an action, where the environment rewrites the past by it."""
        if copy_action(self._world) is not None:
            return ""
        copied = copy_action(self._world, action)
        return "" if copied is None else f"your copy would do {copied}"

    def result(self) -> Facts:
        """The player's mean reward per turn, and the agents' in as many turns."""
        played = len(self._history)
        if not played:
            return (("your reward per turn", "no turns yet"),)
        own = sum(turn.reward for turn in self._history) / played
        means = {agent: run_environment(self._name, agent, played, self._key).mean for agent in self._agents}
        return (("your reward per turn", f"{own:+.2f}"), *((agent, f"{mean:+.2f}") for agent, mean in means.items()))

    def suggestion(self) -> str | None:
        """What the first of the agents would do after these turns."""
        if not self.menu():
            return None
        agent: Any = Simulate(names.agent_spec(self._agents[0]), *self._shape, self._key).measured_agent()
        observations = [*(turn.observation for turn in self._history), self._observation]
        for turn, following in zip(self._history, observations[1:], strict=True):
            agent.train(Transition(turn.observation, turn.action, turn.reward, following))
        return str(int(agent.act(self._observation)))
