"""An extended environment: a person against copies of that person (`--set turns=20`, `--set agents=simple`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from caregrid.programmes.extended.film import Turn, film_turns, find_copy_action, read_labels
from caregrid.programmes.extended.identification import list_turns
from caregrid.programmes.game import NOTHING, Facts, Game, Move, StartGame, assign_keys
from caregrid.programmes.turns import RecordedTurns, record_played
from engine.agent import Agent, AgentSpec, Transition
from engine.errors import argument
from engine.scene import Scene
from engine.value_types import GameTurns, require, split_outside_brackets
from xenv import names
from xenv.environments import ENVIRONMENTS
from xenv.interaction_loop import run_environment
from xenv.simulation import Simulate
from xenv.user_environments import ValidatedEnvironment


@dataclass(frozen=True)
class PlayerModel(AgentSpec):
    """A copy of the player does what it has most often been shown for an observation.

        act(o) = the action that was taken most often after o, of several the latest; action 0 where o is new

    Choices: an environment trains its copies on the pasts that it imagines, so the copy learns from the player's moves
    as the environment shows them to it. Rewards do not matter to it, nor what came before the present observation;
    where the player's behaviour depends on them, the copy is a bad likeness, and the player meets that. Another agent
    may stand for the player (`--set copy=...`); it is trained in the same way.
    """

    ignores_other_hyperparameters: ClassVar[bool] = True

    def build(self, n_observations: int, n_actions: int, key: int) -> PlayerCopy:
        """Return a fresh copy, which has been shown nothing."""
        return PlayerCopy()


class PlayerCopy(Agent):
    """counts: observation -> action -> how often it was shown, the latest last."""

    def __init__(self) -> None:
        self.counts: dict[int, dict[int, int]] = {}

    def act(self, observation: int) -> int:
        """Return the action shown most often, of several the latest."""
        shown = self.counts.get(observation, {0: 0})
        return max(reversed(shown), key=shown.__getitem__)

    def train(self, transition: Transition) -> None:
        """Count the action."""
        shown = self.counts.setdefault(transition.observation, {})
        shown[transition.action] = shown.pop(transition.action, 0) + 1

    def fork(self) -> PlayerCopy:
        """Return a copy with the same counts."""
        twin = PlayerCopy()
        twin.counts = {observation: dict(shown) for observation, shown in self.counts.items()}
        return twin


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
        self.title = f"{name}: your turn"
        self.about = about
        self._name = name
        self._turns, self._key, self._agents, copy = played
        habit = "does what it has most often been shown for an observation"
        does = habit if copy == PlayerModel() else f"is {names.agent_title(copy)}, an agent of the battery"
        self.goal = (
            f"You are the agent, for {self._turns} turns; what counts is your mean reward. Where the environment asks "
            f"a copy of you, that {does}: it learns from your moves, as the environment tells them."
        )
        make = names.environment_factory(name)
        self._shape = make.n_observations, make.n_actions
        self._labels = read_labels(make)
        self._world = make(Simulate(copy, *self._shape, self._key))
        self._checked = ValidatedEnvironment(self._world, *self._shape)
        self._observation = self._checked.start()
        self._history = list[Turn]()

    def menu(self) -> tuple[Move, ...]:
        """Return the actions by their numbers."""
        if len(self._history) >= self._turns:
            return ()
        keys = assign_keys(map(str, range(self._shape[1])))
        return tuple(
            Move(keys[name], name, self._name_action(int(name)), effect=self._prediction(int(name))) for name in keys
        )

    def take(self, action: str) -> str:
        """Take one turn."""
        number = int(action)
        copied = find_copy_action(self._world, number)
        reward, following = self._checked.step(number)
        self._history.append(Turn(self._observation, number, copied, float(reward)))
        self._observation = int(following)
        asked = "" if copied is None else f"; your copy would have done {self._labels.name_action(copied)}"
        return f"{self._name_action(number)}: reward {reward:+g}{asked}"

    def _name_action(self, number: int) -> str:
        """Its name, "action 1" where it has none."""
        name = self._labels.actions[number]
        return f"action {name}" if name == str(number) else name

    def __len__(self) -> int:
        return len(self._history) + 1

    def scene(self, index: int, overlay: str = NOTHING) -> Scene:
        """Return the turns so far as strips, and in the present what is observed."""
        films = film_turns(self._history[:index], self._labels, self._name, "copy's action")
        scene = films[-1] if films else Scene(caption=f"{self._name}: before the first turn")
        if index < len(self._history) or len(self._history) >= self._turns:
            return scene
        now = [("turn", f"{index + 1} of {self._turns}"), ("you observe", self._labels.observations[self._observation])]
        return replace(scene, readings=(*now, *self._copy_readings(), *scene.readings))

    def _copy_readings(self) -> Facts:
        """Return what the copy would do now, where it does not depend on the present action, and what it was shown."""
        now = find_copy_action(self._world)
        shown = getattr(getattr(self._world, "copy", None), "counts", {})
        seen = "; ".join(
            f"at {self._labels.observations[observation]}: "
            + ", ".join(f"{self._labels.name_action(action)} x{times}" for action, times in sorted(counts.items()))
            for observation, counts in sorted(shown.items())
        )
        readings = [("your copy would do", self._labels.name_action(now))] if now is not None else []
        return (*readings, *((("your copy was shown", seen),) if seen else ()))

    def _prediction(self, action: int) -> str:
        """Return what the copy would do after an action, where the environment rewrites the past by it."""
        if find_copy_action(self._world) is not None:
            return ""
        copied = find_copy_action(self._world, action)
        return "" if copied is None else f"your copy would do {self._labels.name_action(copied)}"

    def result(self) -> Facts:
        """Return the player's mean reward per turn, and the agents' in as many turns."""
        played = len(self._history)
        if not played:
            return (("your reward per turn", "no turns yet"),)
        own = sum(turn.reward for turn in self._history) / played
        means = {agent: run_environment(self._name, agent, played, self._key).mean for agent in self._agents}
        return (("your reward per turn", f"{own:+.2f}"), *((agent, f"{mean:+.2f}") for agent, mean in means.items()))

    def behaviour(self) -> RecordedTurns:
        """Return the turns so far."""
        following = [*(turn.observation for turn in self._history[1:]), self._observation]
        turns = list_turns(self._history, following[: len(self._history)], self._shape[1])
        return record_played("extended", self._name, {}, turns, self._key)

    def suggestion(self) -> str | None:
        """Return what the first of the agents would do after these turns."""
        if not self.menu():
            return None
        agent: Any = Simulate(names.agent_spec(self._agents[0]), *self._shape, self._key).make_measured_agent()
        observations = [*(turn.observation for turn in self._history), self._observation]
        for turn, following in zip(self._history, observations[1:], strict=True):
            agent.train(Transition(turn.observation, turn.action, turn.reward, following))
        return str(int(agent.act(self._observation)))


AGENTS = "simple,q_learning,reality_check(q_learning),random,constant"


def start_environment_game(name: str, settings: dict[str, Any], seed: int) -> StartGame:
    """Return the game of an environment, compared with agents of the battery."""
    turns = settings.get("turns", 20)
    require(argument("turns", option="--set turns"), turns, GameTurns)
    agents = list(dict.fromkeys(agent.strip() for agent in split_outside_brackets(str(settings.get("agents", AGENTS)))))
    for agent in agents:
        names.agent_spec(agent)
    name = names.normalise_name(name, ENVIRONMENTS)
    names.environment_factory(name)
    text = ENVIRONMENTS.documentation(name.rpartition("(")[2].rstrip(")"))
    copy = names.agent_spec(str(settings["copy"])) if "copy" in settings else PlayerModel()
    return lambda: EnvironmentGame(name, text, TurnsPlayed(turns, seed, agents, copy))
