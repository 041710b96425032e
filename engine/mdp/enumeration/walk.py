"""Walking through a world breadth first until nothing new is found, and keeping the walk in a file.

A walk begins in the start states. The world is asked one question: which transitions an action may cause in a state
(`Explorable`). A state is known by its key; a state in which an episode has ended is another one than the same
state in passing, for Gymnasium lets transitions end an episode. States are numbered in the order in which they are
reached, actions in order, as by `engine.mdp.tabulate`. Transitions of one action that lead to the same state are
merged; their rewards become the mean.

Through continuous states a walk would find new ones without an end, which is noticed early. A number with a
fractional part that is another one in nearly every state, while many states wait, is no coordinate of a lattice:
there, each coordinate comes back in many states. A counter, or a coordinate without a bound, is noticed by a path: an
action is repeated from the newest state, and where as many new states follow as would fill the table, with all that
wait at their side, the walk has no end that it could reach. Where no single action does, but the walk is narrow, what
grows is said early, and a way of LONGEST_PATH states is refused. Looks come after FIRST_LOOK states. Where fewer take
seconds, what seems to be continuous is said, and not refused: a world of 64 states may have a number that is another
one in each, and how long they take depends on the machine. A walk may not last longer than `most_seconds`.

The file holds plain arrays in `.npz`, no pickle, and a fingerprint of what it was made for. Keys are not stored, for
they may be anything. The file says from which state and by which action each state was found first; a walk is read
back by taking these steps again, one a state in place of one a state and action.
"""

from __future__ import annotations

import math
import time
from array import array
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from engine.array_file import read_arrays, write_arrays
from engine.errors import BadFile, BadValue, ContractBroken
from engine.mdp.mdp import Booleans, Floats, Integers
from engine.printable import print_notice

FIRST_LOOK = 500
"""Fewer states say nothing."""
SLOW_LOOK = 50
"""States that are enough for saying what seems to be so, where they have taken longer than SLOW_SECONDS."""
SLOW_SECONDS = 2.0
NEARLY_EVERY = 0.6
"""The share of states in which a continuous number is another one."""
WAITING = 0.25
"""The share of the states found that still wait where a world keeps growing."""
MOST_NUMBERS = 1000
"""Of a state with more numbers, such as a picture, the first are looked at."""


def keeps_growing(found: int, done: int, least: int = FIRST_LOOK) -> bool:
    """Return whether so many states of a walk wait that it is worth asking what makes them."""
    return found >= least and found - done >= WAITING * found


def count_continuous_values(parts: Sequence[Hashable], least: int = FIRST_LOOK) -> int:
    """How many values the most varied fractional number in n frozen values takes; 0 where it is no continuous one."""
    rows = [_collect_numbers(part) for part in parts]
    width = min((len(row) for row in rows), default=0)
    if len(rows) < least or width == 0:
        return 0
    columns = np.sort(np.array([row[:width] for row in rows]), axis=0)
    is_new = np.ones(columns.shape, dtype=np.bool_)
    is_new[1:] = columns[1:] != columns[:-1]
    fractional = np.where(np.isfinite(columns), columns, 0.0) % 1.0 != 0.0
    most = int((is_new & fractional).sum(axis=0).max())
    return most if most >= NEARLY_EVERY * len(rows) else 0


def _collect_numbers(part: Hashable) -> Floats:
    """Return f64[n], the floating-point numbers of a frozen value, in order."""
    found: list[Floats] = []
    total = 0
    for piece in _iterate_pieces(part):
        found.append(piece)
        total += len(piece)
        if total >= MOST_NUMBERS:
            break
    return np.concatenate(found)[:MOST_NUMBERS] if found else np.zeros(0)


def _iterate_pieces(part: Hashable) -> Iterator[Floats]:
    if isinstance(part, float):
        yield np.array([part])
    elif isinstance(part, tuple):
        if len(part) == 4 and part[0] == "array" and isinstance(part[3], bytes):
            kind = np.dtype(str(part[1]))
            if kind.kind == "f":
                yield np.frombuffer(part[3], dtype=kind).astype(np.float64)
        else:
            for each in part:
                yield from _iterate_pieces(each)


MOST_STATES = 200_000
MOST_SECONDS = 1800.0
CERTAIN = 1e-9
REPORT_EVERY = 512  # states
REPORT_SECONDS = 0.5
NARROW = 4
"""A walk is narrow where the way to its newest state passes through at least one state in NARROW."""
LONGEST_PATH = 20_000
"""New states in a row that have no end, unless more states are asked for than by default."""
SHORTEST_WAY = 5
PATH_SECONDS = 3.0
"""A path that takes longer says nothing."""
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
        """Return every transition that an action may cause in a state."""

    def repeat(self, key: Hashable, action: int) -> Iterator[tuple[Hashable, bool]]:
        """The states to which an action leads when it is repeated, one outcome each, and whether they are ends."""

    def describe(self, key: Hashable) -> str:
        """Return a state in a few words, for messages."""

    def advice(self, keys: Sequence[Hashable]) -> str:
        """Return what to do about too many states, some of which are given."""

    def continuous(self, keys: Sequence[Hashable]) -> str:
        """Return what makes states continuous, in a few words, judged from some of them; empty where nothing does."""

    def growing(self, path: Sequence[Hashable]) -> tuple[str, str]:
        """What is another one in each state of an endless path, and what to do about it; empty where nothing is."""


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


Explore = Callable[[Sequence[WalkedState], int], Sequence[Sequence[Successor]]]
"""The transitions of the state of a number among those found so far, as `explore_here` gives them."""


def explore_here(world: Explorable, key: Hashable) -> list[Sequence[Successor]]:
    """Return what each action may cause in a state, one entry for each state that it may lead to."""
    return [merge_successors(world, key, action) for action in range(len(world.actions))]


def walk(
    world: Explorable,
    starts: Mapping[Hashable, float],
    most_states: int = MOST_STATES,
    progress: WalkProgress | None = None,
    most_seconds: float = MOST_SECONDS,
    explore: Explore | None = None,
    began: float | None = None,
) -> Walk:
    """Return the table of all states that can be reached.

    starts: key -> probability. most_states, most_seconds: refused above, with what it has cost so far. explore: how
    the transitions of a state are found, by default from the world, one state after the other. began: the time, of
    `time.perf_counter`, from which `most_seconds` count, by default now. Raises BadValue where it is refused, which is
    early where states are continuous or a path has no end; ContractBroken for probabilities that do not sum to 1 and
    rewards that are not finite.
    """
    places = [WalkedState(key) for key in starts]
    number_of = {place: number for number, place in enumerate(places)}
    lines, nothing = _Lines(), (0.0,) * world.rewards
    origin = array("i", [-1, -1] * len(places))
    walking = reported = time.perf_counter()
    read_seconds = _start_watch()
    began = walking if began is None else began
    next_look, is_said = FIRST_LOOK, False
    for number, place in enumerate(places):  # the list grows meanwhile
        now = time.perf_counter()
        if progress is not None and (number % REPORT_EVERY == 0 or now - reported > REPORT_SECONDS):
            progress(number, len(places))
            reported = now
        if place.ended:
            following_laws: Sequence[Sequence[Successor]] = [()] * len(world.actions)
        elif explore is None:
            following_laws = explore_here(world, place.key)
        else:
            following_laws = explore(places, number)
        for action, law in enumerate(following_laws):
            if place.ended:
                lines.add(number, 1.0, nothing)
            for probability, key, reward, ended in law:
                target = WalkedState(key, ended)
                following = number_of.get(target)
                if following is None:
                    following = number_of[target] = len(places)
                    places.append(target)
                    origin.extend((number, action))
                lines.add(following, probability, reward)
            lines.close()
        is_slow = next_look == FIRST_LOOK and len(places) >= SLOW_LOOK and read_seconds() > SLOW_SECONDS
        if len(places) >= next_look or is_slow:
            next_look = max(2 * len(places), FIRST_LOOK + 1)
            _judge_continuous(world, places, number, is_slow)
            _refuse_endless(world, places, number_of, number, most_states)
            way = _find_way_to_newest(places, origin)
            is_narrow = len(way) >= NARROW * FIRST_LOOK and NARROW * len(way) >= len(places)
            if is_narrow and len(way) > LONGEST_PATH and most_states <= MOST_STATES:
                raise _make_endless_error(world, way)
            if is_slow or (is_narrow and not is_said):
                is_said = _say_what_grows(world, way)
        now = time.perf_counter()
        if len(places) > most_states or now - began > most_seconds:
            _refuse_more(world, places, number, most_states, most_seconds, now - began, now - walking)
    if progress is not None:
        progress(len(places), len(places))
    start = np.zeros(len(places))
    start[: len(starts)] = list(starts.values())
    found = np.array(origin, dtype=np.int32).reshape(-1, 2)
    return Walk(tuple(places), world.actions, *lines.arrays(len(places), len(world.actions)), start, found)


def merge_successors(world: Explorable, key: Hashable, action: int) -> Sequence[Successor]:
    """Return what an action may cause, checked, one entry for each state that it may lead to."""
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


def _refuse_more(
    world: Explorable,
    places: Sequence[WalkedState],
    done: int,
    most: int,
    most_seconds: float,
    seconds: float,
    walking: float,
) -> None:
    """Raise BadValue. seconds: in all. walking: those of them in which states were visited."""
    still = len(places) - done - 1
    rate = walking / (done + 1)
    is_large = len(places) > most
    raise BadValue(
        f"more than {f'{most:,} states' if is_large else f'{most_seconds:g} s'}: "
        f"{done + 1:,} are done in {seconds:.1f} s, {still:,} wait",
        place=world.name,
        remedy=f"raise {'most_states' if is_large else 'most_seconds'} (each 100,000 states take about "
        f"{100_000 * rate:.0f} s), or {world.advice([place.key for place in places[-1000:]])}",
    )


def _judge_continuous(world: Explorable, places: Sequence[WalkedState], done: int, is_slow: bool) -> None:
    """BadValue where the walk would find new states without an end; in a slow world with few states it is only said."""
    least = SLOW_LOOK if is_slow else FIRST_LOOK
    if not keeps_growing(len(places), done, least):
        return
    cause = world.continuous([place.key for place in places[-1000:]])
    if cause and len(places) < FIRST_LOOK:
        print_notice(f"{world.name}: its states seem to be continuous: {cause}; refused at {FIRST_LOOK} if they are")
    elif cause:
        raise BadValue(
            f"its states are continuous: {cause}",
            place=world.name,
            remedy="no table holds them: give fingerprint= if they are finitely many",
        )


def _refuse_endless(
    world: Explorable,
    places: Sequence[WalkedState],
    number_of: Mapping[WalkedState, int],
    done: int,
    most_states: int,
) -> None:
    """BadValue where one action, repeated from the newest state, leads to new states beyond what a table may hold."""
    wait = max(len(places) - done - 1, 1)
    length = math.ceil((most_states - len(places)) / wait)
    if most_states <= MOST_STATES:
        length = min(length, LONGEST_PATH)
    newest = next((place.key for place in reversed(places) if not place.ended), None)
    if newest is None or length < FIRST_LOOK:
        return
    for action in range(len(world.actions)):
        path = _follow_path(world, newest, action, length, number_of)
        if path:
            raise _make_endless_error(world, path)


def _make_endless_error(world: Explorable, path: Sequence[Hashable]) -> BadValue:
    cause, remedy = world.growing(path)
    return BadValue(
        f"it has no end: {cause or f'{len(path):,} new states follow one another'}",
        place=world.name,
        remedy=remedy or f"raise most_states, or {world.advice(path[-1000:])}",
    )


def _start_watch() -> Callable[[], float]:
    """Start a watch of processor seconds, which other work on the machine does not change; waiting counts a tenth."""
    began, began_waiting = time.process_time(), time.perf_counter()
    return lambda: max(time.process_time() - began, (time.perf_counter() - began_waiting) / 10)


def _find_way_to_newest(places: Sequence[WalkedState], origin: Sequence[int]) -> list[Hashable]:
    """Return the keys of the states through which the newest one was found, from a start state on."""
    number, way = len(places) - 1, []
    while number >= 0:
        way.append(places[number].key)
        number = origin[2 * number]
    return way[::-1]


def _say_what_grows(world: Explorable, way: Sequence[Hashable]) -> bool:
    """Say what is another one in each state of a way, where a world is slow or narrow; return whether anything is."""
    cause, remedy = world.growing(way) if len(way) >= SHORTEST_WAY else ("", "")
    if cause:
        print_notice(f"{world.name}: {cause}; {remedy}")
    return bool(cause)


def _follow_path(
    world: Explorable, start: Hashable, action: int, length: int, number_of: Mapping[WalkedState, int]
) -> list[Hashable]:
    """Return the keys on the path of one action, where all are new and no end is met; empty where one is not."""
    read_seconds = _start_watch()
    passed = {start: None}
    try:
        for key, ended in world.repeat(start, action):
            if ended or read_seconds() > PATH_SECONDS or key in passed or WalkedState(key) in number_of:
                return []
            passed[key] = None
            if len(passed) > length:
                break
    except Exception:  # whatever a world raises: the walk comes there, too, and names the state
        return []
    return list(passed)


class _Lines:
    """Transitions, one line per state and action, of any number of entries, gathered without an object each."""

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
        most = int(length.max())
        rewards = len(self._reward) // len(self._target)
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


FORMAT = "caregrid walk 1"
ARRAYS = {"next_state": "i", "probability": "f", "reward": "f", "start": "f", "origin": "i", "terminal": "b"}


def save_walk(path: str | Path, walked: Walk, mark: str) -> None:
    """Write a file, completely or not at all; its folder is made. mark: the fingerprint."""
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(
            f"cannot write: {(error.strerror or str(error)).lower()}", place=str(path), remedy="choose another place"
        ) from error
    header = {"format": FORMAT, "fingerprint": mark, "actions": list(walked.actions)}
    write_arrays(path, header, {name: getattr(walked, name) for name in ARRAYS})


def load_walk(path: str | Path, mark: str, world: Explorable, starts: Mapping[Hashable, float]) -> Walk | None:
    """Return the walk of a file; None where it was made for another world. Raises BadFile where it is no such file."""
    header, arrays = _read(path)
    if header.get("fingerprint") != mark or header.get("actions") != list(world.actions):
        return None
    count = len(arrays["terminal"])
    places = [WalkedState(key) for key in starts]
    origin, next_state = arrays["origin"], arrays["next_state"]
    for number in range(len(places), count):
        before, action = (int(entry) for entry in origin[number])
        successors = merge_successors(world, places[before].key, action)
        k = int(np.flatnonzero(next_state[before, action] == number)[0])
        if k >= len(successors) or successors[k].terminated != bool(arrays["terminal"][number]):
            return None
        places.append(WalkedState(successors[k].key, successors[k].terminated))
    if len(set(places)) != count:
        return None
    fields: dict[str, Any] = {name: arrays[name] for name in ARRAYS if name != "terminal"}
    return Walk(tuple(places), world.actions, **fields)


def _read(path: str | Path) -> tuple[dict[str, Any], dict[str, Any]]:
    remedy = "delete it: it is made again"
    header, read = read_arrays(path, tuple(ARRAYS), "a walk", remedy)
    arrays = dict(zip(ARRAYS, read, strict=True))
    if header.get("format") != FORMAT or not _fits_walk(arrays):
        raise BadFile("not a walk of this version", place=str(path), remedy=remedy)
    return header, arrays


def _fits_walk(arrays: dict[str, Any]) -> bool:
    """Return whether kinds and shapes are those of a walk, and every state was found from an earlier one."""
    if any(arrays[name].dtype.kind != kind for name, kind in ARRAYS.items()):
        return False
    count, shape = len(arrays["terminal"]), arrays["next_state"].shape
    shapes_fit = (
        len(shape) == 3
        and shape[0] == count
        and arrays["probability"].shape == shape
        and arrays["reward"].shape[:3] == shape
        and arrays["reward"].ndim == 4
        and arrays["start"].shape == (count,)
        and arrays["origin"].shape == (count, 2)
    )
    if not shapes_fit or not count:
        return False
    before, action = arrays["origin"].T
    in_order = (before < np.arange(count)).all() and (action < shape[1]).all()
    within = (arrays["next_state"] >= 0).all() and (arrays["next_state"] < count).all()
    reached = (
        np.array(
            [n < 0 or number in arrays["next_state"][n, a] for number, (n, a) in enumerate(arrays["origin"].tolist())]
        ).all()
        if in_order
        else False
    )
    return bool(in_order and within and reached and np.isfinite(arrays["reward"]).all())
