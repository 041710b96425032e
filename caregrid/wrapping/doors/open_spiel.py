"""OpenSpiel: games as trees, whose chance is followed exactly, card by card.

One player acts, by default the first; the others follow fixed policies of the state (`policies={1: function}`, or
an object with `action_probabilities(state)`). A state where everything is seen is known by its own text, any other by
its history; what the acting player is told is what it observes.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from caregrid.wrapping.door import CountedActions, Door, choose_acting, choose_action
from caregrid.wrapping.family import WorldFamily
from caregrid.wrapping.settings import EVERY_DRAW, UNIFORM, WorldSettings
from engine.errors import BadValue, ContractBroken
from engine.mdp.mdp import Floats

__all__ = ["OpenSpiel"]


class OpenSpiel(Door):
    """A game in which players move in turn."""

    names_agent = True
    chance = EVERY_DRAW
    seeds = EVERY_DRAW

    def __init__(self, given: Any, settings: WorldSettings) -> None:
        self.game = given
        kind = given.get_type()
        if "SIMULTANEOUS" in str(kind.dynamics):
            remedy = "turn it into one of turns: pyspiel.convert_to_turn_based(game)"
            raise BadValue("a game of simultaneous moves", place=self.title(), remedy=remedy)
        if "SEQUENTIAL" not in str(kind.dynamics):
            raise BadValue("a mean-field game", place=self.title(), remedy="choose one in which players take turns")
        players = range(given.num_players())
        self._agent = choose_acting(players, settings)
        self._others = tuple(player for player in players if player != self._agent)
        self._policies = settings.name_policies(players)
        self.reward_names = tuple(map(str, (self._agent, *self._others))) if self._others else ()
        self.action_space = CountedActions(given.num_distinct_actions())
        self.is_seen = "PERFECT" in str(kind.information) and "IMPERFECT" not in str(kind.information)
        self.tells = bool(kind.provides_information_state_string)
        self._generator = np.random.default_rng(0)
        self.state = given.new_initial_state()

    @classmethod
    def applies(cls, given: Any) -> bool:
        return all(hasattr(given, name) for name in ("new_initial_state", "num_distinct_actions", "get_type"))

    def title(self) -> str:
        return str(self.game.get_type().short_name)

    def actions(self) -> tuple[str, ...]:
        try:
            return tuple(self.game.action_to_string(self._agent, action) for action in range(self.action_space.n))
        except Exception:  # games of Python need not name their actions
            return super().actions()

    def family(self) -> WorldFamily:
        return SpielStates(self)

    def reset(self, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        self.state = self.game.new_initial_state()
        self._answer()
        self.tell_early_rewards(self._read_returns())
        return self.observe(), {}

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        mask = self.available()
        before = self._read_returns()
        self.state.apply_action(action if mask[action] else mask.index(True))
        self._answer()
        gained = [after - earlier for after, earlier in zip(self._read_returns(), before, strict=True)]
        ended = self.state.is_terminal()
        return None if ended else self.observe(), gained if self._others else gained[0], ended, False, {}

    def available(self) -> list[bool]:
        legal = set(self.state.legal_actions(self._agent)) if not self.state.is_terminal() else set()
        return [not legal or action in legal for action in range(self.action_space.n)]

    def observe(self) -> Any:
        """Return what the acting player is told."""
        return self.state.information_state_string(self._agent) if self.tells else str(self.state)

    def _read_returns(self) -> list[float]:
        returns = self.state.returns()
        return [float(returns[player]) for player in (self._agent, *self._others)]

    def _answer(self) -> None:
        """Let chance and the others move until it is the acting player's turn, or the end."""
        while not self.state.is_terminal():
            if self.state.is_chance_node():
                actions, law = self._read_chance()
                self.state.apply_action(actions[int(self._generator.choice(len(law), p=law))])
                continue
            player = self.state.current_player()
            if player == self._agent:
                return
            policy = self._policies[str(player)]
            answers = getattr(policy, "action_probabilities", policy)
            possible = self.state.legal_actions(player)
            shown = self.state if policy == UNIFORM else self.state.clone()
            every = range(self.action_space.n)
            self.state.apply_action(choose_action(answers, shown, every, possible, self._generator, player))

    def _read_chance(self) -> tuple[list[int], Floats]:
        """Return what chance may do, and how likely; ContractBroken where the game does not say."""
        outcomes = self.state.chance_outcomes()
        law = np.array([chance for _, chance in outcomes])
        if not law.sum() > 0.0:
            after = self.state.history_str()[-60:]
            remedy = "choose a game that lists what chance may do"
            raise ContractBroken(f"no outcomes of chance after {after}", place=self.title(), remedy=remedy)
        return [action for action, _ in outcomes], law / law.sum()


class SpielStates(WorldFamily):
    """env: the door. A snapshot is the history, as the game writes it."""

    env: OpenSpiel

    def __init__(self, env: OpenSpiel) -> None:
        super().__init__(env)
        self.exact_keys = not env.is_seen

    @classmethod
    def applies(cls, env: Any) -> bool:
        return isinstance(env, OpenSpiel)

    def save(self) -> tuple[int, ...]:
        return tuple(self.env.state.history())

    def load(self, snapshot: Sequence[int]) -> None:
        state = self.env.game.new_initial_state()
        for action in snapshot:
            state.apply_action(action)
        self.env.state = state

    def key(self) -> Hashable:
        state = self.env.state
        return (str(state), state.current_player()) if self.env.is_seen else tuple(state.history())

    def mark(self, key: Any) -> Hashable:
        return key  # type: ignore[no-any-return]

    def actions(self) -> tuple[str, ...]:
        return self.env.actions()

    def state(self, snapshot: Any) -> Any:
        """Return the game's own state, which a user's functions are given."""
        self.load(snapshot)
        return self.env.state.clone()

    def snapshot(self, state: Any) -> Any:
        return tuple(state.history())

    def words(self, state: Any) -> dict[str, Any]:
        return {"state": " ".join(str(state).split()), "history": state.history_str()}

    def observation(self) -> Any:
        return self.env.observe()
