"""A Markov decision process as a table with several rewards, and the caring scenario that it becomes.

One reward is the agent's own; each other one is an agent's that is rewarded at the same time (Eq 6 of "Be
Considerate"): r_1 + alpha_2 sum_i r_i, in every step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from craftworld.table_scenario import PresentAgent, TableOthers, TableScenario, TransitionTable
from engine.errors import BadValue, UnknownName, did_you_mean
from engine.mdp.columns import CERTAIN
from engine.mdp.mdp import Booleans, Floats, Integers
from engine.printable import show_value
from engine.scene import Scene

OWN = "own"
OTHERS = "others"
COST = "_cost"


@dataclass(frozen=True)
class DecisionTable:
    """S states, A actions, at most K next states of each.

    states: each in words, ready for JSON. next_state: int32[S, A, K]; a next state may be named several times, with
    other rewards. probability: f64[S, A, K]; unused entries have probability 0. rewards: name -> f64[S, A, K].
    terminal: bool[S]. start: f64[S], sums to 1. available: bool[S, A].
    """

    name: str
    states: tuple[Mapping[str, Any], ...]
    actions: tuple[str, ...]
    next_state: Integers
    probability: Floats
    rewards: Mapping[str, Floats]
    terminal: Booleans
    start: Floats
    discount: float
    available: Booleans

    def check(self, place: str) -> DecisionTable:
        """Return the table; BadValue, naming the first fault, where it is no Markov decision process."""
        fault = self._find_fault()
        if fault:
            raise BadValue(fault, place=place, remedy="mend the table")
        return self

    def merge(self) -> DecisionTable:
        """Return the table in which each next state of an action is named once, with the mean of its rewards."""
        unused = -1 - np.arange(self.next_state.shape[2])
        named = np.sort(np.where(self.probability > 0.0, self.next_state, unused), axis=2)
        rows = np.argwhere((named[:, :, 1:] == named[:, :, :-1]).any(axis=2))
        if not len(rows):
            return self
        at = tuple(rows.T)
        key = np.arange(len(rows))[:, None] * len(self.states) + self.next_state[at]
        key[self.probability[at] == 0.0] = -1
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        inverse = inverse.ravel()
        chance = self.probability[at].ravel()
        total = np.bincount(inverse, chance)
        probability = np.zeros(key.shape)
        probability.flat[first] = total
        merged = self.probability.copy()
        merged[at] = probability
        rewards = {}
        for name, reward in self.rewards.items():
            amount = reward[at].ravel()
            alone = (amount == amount[first][inverse]) | (chance == 0.0)
            alike = np.bincount(inverse, ~alone) == 0.0  # the mean of equal numbers, without rounding
            mean = np.bincount(inverse, chance * amount) / np.where(total > 0.0, total, 1.0)
            rewards[name] = reward.copy()
            spread = reward[at]
            spread.flat[first] = np.where(alike, amount[first], mean)
            rewards[name][at] = spread
        return replace(self, probability=merged, rewards=rewards)

    def _find_fault(self) -> str:
        states, actions = len(self.states), len(self.actions)
        if not states or not actions or len(set(self.actions)) < actions or not all(self.actions):
            return f"{states} states and the actions {show_value(self.actions)}"
        if not all(isinstance(state, Mapping) for state in self.states):
            return "a state that is not described by names and values"
        shape = self.next_state.shape
        if len(shape) != 3 or shape[:2] != (states, actions) or not shape[2]:
            return f"next_state of shape {shape}, not ({states}, {actions}, K)"
        amounts = {"probability": self.probability, **self.rewards}
        wrong = [f"{name} of shape {one.shape}, not {shape}" for name, one in amounts.items() if one.shape != shape]
        flat: dict[str, tuple[Any, Any]] = {"terminal": (self.terminal, (states,)), "start": (self.start, (states,))}
        flat["available"] = (self.available, (states, actions))
        wrong += [f"{name} of shape {one.shape}, not {want}" for name, (one, want) in flat.items() if one.shape != want]
        if wrong:
            return wrong[0]
        if not self.rewards or not all(self.rewards):
            return "no reward"
        if ((self.next_state < 0) | (self.next_state >= states)).any():
            return f"a next state that is not from 0 to {states - 1}"
        for name, one in {**amounts, "start": self.start}.items():
            if not np.isfinite(one).all():
                return f"a {name} that is not finite"
        if (self.probability < 0.0).any() or (self.start < 0.0).any():
            return "a probability below 0"
        if not abs(self.start.sum() - 1.0) <= CERTAIN:
            return f"start probabilities that sum to {self.start.sum():.12g}"
        asked = self.available & ~self.terminal[:, None]
        if not (asked.any(axis=1) | self.terminal).all():
            return f"no action in state {int(np.argmin(asked.any(axis=1) | self.terminal))}"
        total = self.probability.sum(axis=2)
        off = asked & ~(np.abs(total - 1.0) <= CERTAIN)
        if off.any():
            state, action = map(int, np.argwhere(off)[0])
            return f"probabilities of state {state}, {self.actions[action]} that sum to {total[state, action]:.12g}"
        if isinstance(self.discount, bool) or not isinstance(self.discount, Real) or not 0.0 <= self.discount <= 1.0:
            return f"discount is {show_value(self.discount)}"
        return ""


class StatesInWords:
    """Descriptions of the states of a table, which has no places to draw (`craftworld.table_scenario.StateViews`)."""

    drawing: tuple[str, ...] = ()

    def __init__(self, states: Sequence[Mapping[str, Any]]) -> None:
        self._states = states

    def describe(self, number: int) -> dict[str, Any]:
        """Return the names and values of a state."""
        return dict(self._states[number])

    def scene(self, number: int) -> Scene:
        """Return the state in words."""
        return Scene((), caption=", ".join(f"{name} {value}" for name, value in self._states[number].items()))

    def position(self, number: int) -> None:
        """A state of a table has no place."""

    def with_agent_at(self, number: int, cell: tuple[int, int]) -> None:
        """A state of a table has no place."""


def make_scenario(
    table: DecisionTable,
    own: str | None = None,
    others: Sequence[str] | None = None,
    costs: Sequence[str] = (),
    discount: float | None = None,
) -> TableScenario:
    """Make a caring scenario of a table.

    own: the agent's reward; "own", or the first one, by default. others: the rewards that are others'; by default each
    but the own. costs: rewards that count negatively. A pair NAME and NAME_cost is one reward, NAME - NAME_cost.
    """
    table = table.merge()
    rewards = _pair_costs(table.rewards)
    _require_once(costs, "costs")
    for name in costs:
        rewards[name] = -_find(name, rewards, "costs")
    mine = own if own is not None else OWN if OWN in rewards else next(iter(rewards))
    named = [name for name in rewards if name != mine] if others is None else others
    present = tuple(PresentAgent(name, _find(name, rewards, "others")) for name in named)
    _require_once(named, "others")
    reward = _find(mine, rewards, "own")
    transitions = TransitionTable(
        table.name,
        table.actions,
        table.next_state,
        table.probability,
        reward,
        table.terminal,
        table.start,
        None if table.available.all() else table.available,
    )
    gamma = table.discount if discount is None else discount
    return TableScenario(transitions, StatesInWords(table.states), TableOthers(present=present), discount=gamma)


def _pair_costs(rewards: Mapping[str, Floats]) -> dict[str, Floats]:
    """NAME - NAME_cost where both are there; a file whose rewards must not be negative has them so."""
    paired = {name: rewards[name] - rewards[name + COST] for name in rewards if name + COST in rewards}
    taken = {name + COST for name in paired}
    return {name: paired.get(name, amount) for name, amount in rewards.items() if name not in taken}


def _require_once(names: Sequence[str], place: str) -> None:
    if len({*map(str, names)}) < len(names):
        raise BadValue("a reward is named twice", place=place, remedy="name it once")


def _find(name: str, rewards: Mapping[str, Floats], place: str) -> Floats:
    if name not in rewards:
        if not isinstance(name, str):
            raise BadValue(f"a reward is {show_value(name)}", place=place, remedy=did_you_mean("", list(rewards)))
        raise UnknownName("reward", name, rewards, place=place)
    return rewards[name]
