"""Walking through a world breadth first, from its start states until nothing new is found.

The world is asked one question: which transitions an action may cause in a state (`Explorable`). A state is known by
its key; a state in which an episode has ended is another one than the same state in passing, for Gymnasium lets
transitions end an episode. States are numbered in the order in which they are reached, actions in order, as by
`engine.mdp.tabulate`. Transitions of one action that lead to the same state are merged; their rewards become the mean.
"""

from __future__ import annotations

import math
import time
from array import array
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from engine.errors import BadValue, ContractBroken
from engine.mdp.enumeration.continuous import FIRST_LOOK, keeps_growing
from engine.mdp.mdp import Booleans, Floats, Integers

MOST_STATES = 200_000
CERTAIN = 1e-9
REPORT_EVERY = 512  # states
WalkProgress = Callable[[int, int], None]
"""Called with the number of states that are done and the number found so far."""


class Successor(NamedTuple):
    """A transition that may happen: its probability, the next state's key, its rewards, whether it ends the episode."""

    probability: float
    key: Hashable
    reward: tuple[float, ...]
    terminated: bool


class Explorable(Protocol):
    """A world to walk through. name: for messages. actions: their names. rewards: how many a transition gives."""

    name: str
    actions: tuple[str, ...]
    rewards: int

    def successors(self, key: Hashable, action: int) -> Sequence[Successor]:
        """Every transition that an action may cause in a state."""

    def describe(self, key: Hashable) -> str:
        """A state in a few words, for messages."""

    def advice(self, keys: Sequence[Hashable]) -> str:
        """What to do about too many states, some of which are given."""

    def continuous(self, keys: Sequence[Hashable]) -> str:
        """What makes states continuous, in a few words, judged from some of them; empty where nothing does."""


class WalkedState(NamedTuple):
    """A state of a walk: its key and whether an episode has ended in it."""

    key: Hashable
    ended: bool = False


@dataclass(frozen=True)
class Walk:
    """The table of a walk: S states, A actions, K transitions at most, R rewards each.

    places: S. next_state: int32[S, A, K]. probability: f64[S, A, K]. reward: f64[S, A, K, R]. start: f64[S].
    origin: int32[S, 2], from which state and by which action each was found first, -1 for start states.
    """

    places: Sequence[WalkedState]
    actions: tuple[str, ...]
    next_state: Integers
    probability: Floats
    reward: Floats
    start: Floats
    origin: Integers

    @property
    def terminal(self) -> Booleans:
        """bool[S]: where an episode has ended."""
        return np.array([place.ended for place in self.places], dtype=np.bool_)


def walk(
    world: Explorable,
    starts: Mapping[Hashable, float],
    most_states: int = MOST_STATES,
    progress: WalkProgress | None = None,
) -> Walk:
    """The table of all states that can be reached.

    starts: key -> probability. most_states: refused above, with what it has cost so far. Raises BadValue there and,
    early, where states are continuous; ContractBroken for probabilities that do not sum to 1 and rewards that are not
    finite.
    """
    places = [WalkedState(key) for key in starts]
    number_of = {place: number for number, place in enumerate(places)}
    lines, nothing = _Lines(), (0.0,) * world.rewards
    origin = array("i", [-1, -1] * len(places))
    began, next_look = time.perf_counter(), FIRST_LOOK
    for number, place in enumerate(places):  # the list grows meanwhile
        if progress is not None and number % REPORT_EVERY == 0:
            progress(number, len(places))
        for action in range(len(world.actions)):
            if place.ended:
                lines.add(number, 1.0, nothing)
                lines.close()
                continue
            for probability, key, reward, ended in merged_successors(world, place.key, action):
                target = WalkedState(key, ended)
                following = number_of.get(target)
                if following is None:
                    following = number_of[target] = len(places)
                    places.append(target)
                    origin.extend((number, action))
                lines.add(following, probability, reward)
            lines.close()
        if len(places) >= next_look:
            next_look = 2 * len(places)
            _refuse_continuous(world, places, number)
        if len(places) > most_states:
            _refuse_more(world, places, number, most_states, time.perf_counter() - began)
    if progress is not None:
        progress(len(places), len(places))
    start = np.zeros(len(places))
    start[: len(starts)] = list(starts.values())
    found = np.array(origin, dtype=np.int32).reshape(-1, 2)
    return Walk(tuple(places), world.actions, *lines.arrays(len(places), len(world.actions)), start, found)


def merged_successors(world: Explorable, key: Hashable, action: int) -> Sequence[Successor]:
    """What an action may cause, checked, one entry for each state that it may lead to."""
    successors = world.successors(key, action)
    if len(successors) == 1:
        if not all(map(math.isfinite, successors[0].reward)) or successors[0].probability != 1.0:
            _check(world, key, action, successors)
        return successors
    _check(world, key, action, successors)
    sums: dict[tuple[Hashable, bool], list[float]] = {}
    for probability, target, reward, ended in successors:
        if probability == 0.0:
            continue
        total = sums.setdefault((target, ended), [0.0] * (1 + len(reward)))
        total[0] += probability
        for i, amount in enumerate(reward, start=1):
            total[i] += probability * amount
    return [
        Successor(total[0], target, tuple(amount / total[0] for amount in total[1:]), ended)
        for (target, ended), total in sums.items()
    ]


def _check(world: Explorable, key: Hashable, action: int, successors: Sequence[Successor]) -> None:
    total = sum(successor.probability for successor in successors)
    problem, remedy = "", "make them sum to 1"
    if not abs(total - 1.0) <= CERTAIN:
        problem = f"probabilities sum to {total:g}"
    for successor in successors:
        if not successor.probability >= 0.0:
            problem, remedy = f"probability {successor.probability}", "give none below 0"
        if not all(map(math.isfinite, successor.reward)):
            amounts = ", ".join(map(str, successor.reward))
            problem, remedy = f"reward {amounts} is not finite", "give finite numbers"
    if problem:
        place = f"{world.name}, state {world.describe(key)}, action '{world.actions[action]}'"
        raise ContractBroken(problem, place=place, remedy=remedy)


def _refuse_more(world: Explorable, places: Sequence[WalkedState], done: int, most: int, seconds: float) -> None:
    still = len(places) - done - 1
    rate = seconds / (done + 1)
    raise BadValue(
        f"more than {most:,} states: {done + 1:,} are done in {seconds:.1f} s, {still:,} wait",
        place=world.name,
        remedy=f"raise most_states (each 100,000 states take about {100_000 * rate:.0f} s), or "
        + world.advice([place.key for place in places[-1000:]]),
    )


def _refuse_continuous(world: Explorable, places: Sequence[WalkedState], done: int) -> None:
    """BadValue where the walk would find new states without an end."""
    if keeps_growing(len(places), done) and (cause := world.continuous([place.key for place in places[-1000:]])):
        raise BadValue(
            f"its states are continuous: {cause}",
            place=world.name,
            remedy="no table holds them: give fingerprint= if they are finitely many",
        )


class _Lines:
    """Transitions, one line a state and action, of any number of entries, gathered without an object each."""

    def __init__(self) -> None:
        self._target, self._probability, self._reward = array("i"), array("d"), array("d")
        self._end = array("q", [0])

    def add(self, target: int, probability: float, reward: tuple[float, ...]) -> None:
        self._target.append(target)
        self._probability.append(probability)
        self._reward.extend(reward)

    def close(self) -> None:
        self._end.append(len(self._target))

    def arrays(self, states: int, actions: int) -> tuple[Integers, Floats, Floats]:
        """next_state, probability, reward: padded to the longest line with probability 0."""
        end = np.array(self._end)
        length = np.diff(end)
        most, rewards = int(length.max()), len(self._reward) // len(self._target)
        line = np.repeat(np.arange(len(length)), length)
        slot = np.arange(len(self._target)) - end[line]
        next_state = np.zeros((len(length), most), dtype=np.int32)
        probability = np.zeros((len(length), most))
        reward = np.zeros((len(length), most, rewards))
        next_state[line, slot] = self._target
        probability[line, slot] = self._probability
        reward[line, slot] = np.array(self._reward).reshape(-1, rewards)
        shape = (states, actions, most)
        return next_state.reshape(shape), probability.reshape(shape), reward.reshape(*shape, rewards)
