"""PettingZoo: one agent acts, the others follow fixed policies, at the same time or in turns.

There is a reward for each agent, the acting agent's first; the episode ends when the acting agent's does. What the
others observed last belongs to the state, for their policies act on it. In a game of turns (AEC) a step is the acting
agent's move and the answers of the others, until it is its turn again; a game that is cut is over, for nobody can move
on in it. Where an observation or what is said beside it has an "action_mask", an action that it forbids is not
available. What others earn the acting agent before its first move is no reward of a move of its own, and is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from caregrid.wrapping.door import Door, choose_acting, choose_action
from caregrid.wrapping.family import WorldFamily
from caregrid.wrapping.settings import EVERY_DRAW, WorldSettings
from caregrid.wrapping.states import UsersStates
from engine.errors import BadValue, ContractBroken
from engine.printable import print_notice, show_value

__all__ = ["ParallelAgents", "TurnBasedAgents"]

MASK = "action_mask"


class _PettingZoo(Door):
    """What both kinds share."""

    names_agent = True
    chance = None

    def __init__(self, given: Any, settings: WorldSettings) -> None:
        self.env = given
        names = list(given.possible_agents)
        self.agent = choose_acting(names, settings)
        self._policies = settings.name_policies(names)
        self._others = tuple(name for name in names if name != self.agent)
        self.reward_names = tuple(map(str, (self.agent, *self._others)))
        self.action_space = given.action_space(self.agent)
        self._generator = np.random.default_rng(0)
        if self._policies:
            self.chance = EVERY_DRAW

    @property
    def unwrapped(self) -> Any:
        return self.env.unwrapped

    def title(self) -> str:
        return str(self.env.metadata.get("name", type(self.unwrapped).__name__))

    def _begin(self, seed: int | None) -> Any:
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        return self.env.reset(seed=seed)

    def _choose(self, name: Any, observation: Any, mask: Sequence[bool] | None) -> Any:
        if str(name) not in self._policies:
            remedy = "name all who may come in possible_agents"
            raise ContractBroken(f"{show_value(name)} is none of its agents", place=self.title(), remedy=remedy)
        actions = range(int(getattr(self.env.action_space(name), "n", 0)))
        possible = [action for action in actions if mask is None or mask[action]]
        return choose_action(self._policies[str(name)], observation, actions, possible, self._generator, name)


class ParallelAgents(_PettingZoo):
    """A parallel environment: everybody acts at once."""

    def __init__(self, given: Any, settings: WorldSettings) -> None:
        super().__init__(given, settings)
        self.observations: dict[Any, Any] = {}
        self.masks: dict[Any, list[bool]] = {}

    @classmethod
    def applies(cls, given: Any) -> bool:
        return hasattr(given, "possible_agents") and not hasattr(given, "agent_iter")

    def reset(self, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.observations, infos = self._begin(seed)
        self.masks = _read_masks(self.observations, infos)
        if self.agent not in self.observations:
            problem = f"'{self.agent}' is not there when an episode begins"
            raise ContractBroken(problem, place=self.title(), remedy="choose agent=, one who is")
        return self.observations[self.agent], {}

    def step(self, action: int) -> tuple[Any, list[float], bool, bool, dict[str, Any]]:
        """Everybody acts: the rewards, the acting agent's first; whether its episode ends."""
        if not self.env.agents:
            self.env.agents = list(self.env.possible_agents)  # a time limit has cut the episode, and a walk goes on
        others = [name for name in self.env.agents if name != self.agent]
        if unseen := [name for name in others if name not in self.observations]:
            problem = f"'{unseen[0]}' acts and has observed nothing"
            raise ContractBroken(problem, place=self.title(), remedy="let reset and step give what each agent observes")
        actions = {name: self._choose(name, self.observations[name], self.masks.get(name)) for name in others}
        actions[self.agent] = _first_allowed(action, self.available())
        self.observations, rewards, terminated, truncated, infos = self.env.step(actions)
        self.masks = _read_masks(self.observations, infos)
        amounts = [float(rewards.get(name, 0.0)) for name in (self.agent, *self._others)]
        ended, cut = bool(terminated.get(self.agent, True)), bool(truncated.get(self.agent, False))
        if hasattr(self.env, "aec_env"):
            ended, cut = ended or cut, False
        return self.observations.get(self.agent), amounts, ended, cut, {}

    def make_states(self, settings: WorldSettings) -> WorldFamily:
        return UsersParallelStates(self, settings)

    def available(self) -> Sequence[bool] | None:
        return self.masks.get(self.agent)


class TurnBasedAgents(_PettingZoo):
    """A game of turns (AEC)."""

    holds_state = False

    def __init__(self, given: Any, settings: WorldSettings) -> None:
        super().__init__(given, settings)
        self._begins_once = tuple(settings.seeds) == WorldSettings.seeds

    @classmethod
    def applies(cls, given: Any) -> bool:
        return hasattr(given, "possible_agents") and hasattr(given, "agent_iter")

    def reset(self, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self._begin(seed)
        before = self._generator.bit_generator.state if self._begins_once else None
        gained, over = self._answer()
        if self._begins_once and self._generator.bit_generator.state != before:
            print_notice(
                f"{self.title()}: others draw before the agent's first move, and one draw is followed; "
                'seeds="every draw" follows all'
            )
        self.tell_early_rewards(gained)
        if over:
            raise ContractBroken(
                "its episode is over before the agent acts", place=self.title(), remedy="choose agent="
            )
        return self.env.observe(self.agent), {}

    def step(self, action: int) -> tuple[Any, list[float], bool, bool, dict[str, Any]]:
        """Return the acting agent's move and the answers to it: the rewards, the acting agent's first."""
        self.env.step(_first_allowed(action, self.available()))
        total = self._read_rewards()
        gained, ended = self._answer()
        amounts = [first + later for first, later in zip(total, gained, strict=True)]
        return None if ended else self.env.observe(self.agent), amounts, ended, False, {}

    def available(self) -> Sequence[bool] | None:
        return self._read_mask(self.agent, self.env.observe(self.agent))

    def _read_mask(self, name: Any, observation: Any) -> list[bool] | None:
        return _read_mask(observation) or _read_mask(getattr(self.env, "infos", {}).get(name))

    def _answer(self) -> tuple[list[float], bool]:
        """Let others move until the agent's turn: their moves' rewards, and whether its episode is over."""
        total = [0.0] * len(self.reward_names)
        while True:
            if self.env.terminations.get(self.agent, True) or self.env.truncations.get(self.agent, False):
                return total, True
            name = self.env.agent_selection
            if name == self.agent:
                return total, False
            observation, _, terminated, truncated, _ = self.env.last()
            if terminated or truncated:
                self.env.step(None)
                continue
            self.env.step(self._choose(name, observation, self._read_mask(name, observation)))
            total = [first + later for first, later in zip(total, self._read_rewards(), strict=True)]

    def _read_rewards(self) -> list[float]:
        rewards = self.env.rewards
        return [float(rewards.get(name, 0.0)) for name in (self.agent, *self._others)]


class UsersParallelStates(UsersStates):
    """The user's functions; what the others saw last, and who is still there, belong to a snapshot, too."""

    def __init__(self, seen: ParallelAgents, settings: WorldSettings) -> None:
        super().__init__(seen.env, settings.get_state, settings.set_state, settings.fingerprint)
        self._seen = seen

    def save(self) -> Any:
        return super().save(), dict(self._seen.observations), dict(self._seen.masks), tuple(self.env.agents)

    def load(self, snapshot: Any) -> None:
        state, observations, masks, agents = snapshot
        super().load(state)
        self._seen.observations = dict(observations)
        self._seen.masks = dict(masks)
        self.env.agents = list(agents or self.env.possible_agents)  # none are left where a time limit has cut

    def state(self, snapshot: Any) -> Any:
        return snapshot[0]

    def snapshot(self, state: Any) -> Any:
        raise BadValue(
            "what agents see in a state is not known before a step",
            place=type(self.env).__name__,
            remedy="leave get_state out, or give others with reward= alone",
        )


def _read_mask(observation: Any) -> list[bool] | None:
    """Return which actions an observation, or what is said beside it, allows; None where it does not say."""
    if not isinstance(observation, Mapping) or MASK not in observation:
        return None
    mask = [bool(allowed) for allowed in observation[MASK]]
    return mask if any(mask) else None


def _read_masks(observations: Mapping[Any, Any], infos: Any) -> dict[Any, list[bool]]:
    """Return the masks of all agents of whom one is known, by what they observe or by what is said beside it."""
    said = infos if isinstance(infos, Mapping) else {}
    masks = {name: _read_mask(seen) or _read_mask(said.get(name)) for name, seen in observations.items()}
    return {name: mask for name, mask in masks.items() if mask is not None}


def _first_allowed(action: int, mask: Sequence[bool] | None) -> int:
    """Return the action; the first that can be taken in place of one that cannot."""
    return action if mask is None or mask[action] else list(mask).index(True)
