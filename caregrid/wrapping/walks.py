"""Walks through a world, kept in files so that each happens once, and what those who come after begin with.

Progress is shown while a walk lasts. For each of S states a beginning says in which states of the next world another
agent begins, and how likely each is; the walk through that world is the table in which it acts.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from caregrid.wrapping.settings import Other
from caregrid.wrapping.worlds import WrappedWorld
from craftworld.table_scenario import NewcomerStart
from engine.errors import BadValue, CaregridError, ContractBroken
from engine.mdp.enumeration.frozen_values import freeze_value
from engine.mdp.enumeration.walk import (
    MOST_SECONDS,
    Explore,
    Walk,
    WalkedState,
    WalkProgress,
    load_walk,
    save_walk,
    walk,
)
from engine.mdp.mdp import Booleans
from engine.user_code import describe_place, user_code

Beginnings = list[list[tuple[Hashable, float]]]
Walker = Callable[[WrappedWorld, Mapping[Hashable, float]], Walk]
Entered = TypeVar("Entered")
ROUNDING = 1e-9


def find_beginnings(world: WrappedWorld, walked: Walk, after: WrappedWorld, other: Other) -> Beginnings:
    """Return what an agent that acts in the world `after` begins with, for each of S states: keys and probabilities."""
    if other.continues is not None:
        return [_find_users_beginning(world, after, other.continues, place.key) for place in walked.places]
    require_same_kind(world.name, world.kind, after.name, after.kind)
    origins = find_start_keys(walked)
    if after is world:
        return [
            _mix([(world.list_continuations(place.key, start), chance) for start, chance in origins[number]])
            for number, place in enumerate(walked.places)
        ]
    entered = [after.enter(world.state_of(place.key)) for place in walked.places]
    return [
        _mix([(after.list_continuations(key, start), chance) for start, chance in after.starts().items()])
        for key in entered
    ]


def _find_users_beginning(
    world: WrappedWorld, after: WrappedWorld, continues: Callable[[Any], Any], key: Hashable
) -> list[tuple[Hashable, float]]:
    described = partial(world.describe, key)
    return call_users_beginning(continues, world.state_of(key), after.enter, after.name, described)


def call_users_beginning(
    continues: Callable[[Any], Any],
    state: Any,
    enter: Callable[[Any], Entered],
    name: str,
    described: Callable[[], str],
) -> list[tuple[Entered, float]]:
    """What a user's function continues a state with, and how likely; ContractBroken where that is no state of `name`.

    enter: makes of a state that the function gave what the caller knows states by. described: the state in words.
    """
    with user_code(describe_place(continues)):
        given = continues(state)
    pairs = list(given.items()) if isinstance(given, Mapping) else [(given, 1.0)]
    for _, chance in pairs:
        if isinstance(chance, bool) or not isinstance(chance, int | float | np.number):
            raise ContractBroken(
                f"a continuation of state {described()} gave the probability {str(chance)[:60]}",
                place=describe_place(continues),
                remedy="give numbers that sum to 1",
            )
    total = sum(chance for _, chance in pairs)
    if not abs(total - 1.0) <= ROUNDING or any(chance < 0 for _, chance in pairs):
        raise ContractBroken(
            f"a continuation of state {described()} has probabilities that sum to {total:g}",
            place=describe_place(continues),
            remedy="make them sum to 1",
        )
    try:
        return [(enter(each), float(chance)) for each, chance in pairs]
    except CaregridError:
        raise
    except Exception as error:
        raise ContractBroken(
            f"a continuation of state {described()} gave {str(given)[:80]}: {type(error).__name__}: {error}",
            place=describe_place(continues),
            remedy=f"give a state of {name}, of the form of the one it is given",
        ) from error


def require_same_kind(name: str, kind: str, after: str, kind_after: str) -> None:
    """BadValue where the states of one environment say nothing about those of the next agent's."""
    if kind != kind_after:
        raise BadValue(
            f"how a state of {name} continues in {after} is not known",
            place="others",
            remedy="say so: Other(env, continues=function of the final state)",
        )


def _mix(parts: Sequence[tuple[Sequence[tuple[Hashable, float]], float]]) -> list[tuple[Hashable, float]]:
    """Several laws, each with its weight, as one."""
    chances: dict[Hashable, float] = {}
    for law, weight in parts:
        for key, chance in law:
            chances[key] = chances.get(key, 0.0) + weight * chance
    return list(chances.items())


def find_start_keys(walked: Walk) -> list[list[tuple[Hashable, float]]]:
    """For each of S states the start states from which it can be reached, by their probabilities."""
    starts = np.flatnonzero(walked.start)
    keys = [walked.places[int(start)].key for start in starts]
    if len(keys) == 1:
        return [[(keys[0], 1.0)]] * len(walked.places)
    from scipy import sparse
    from scipy.sparse import csgraph

    states, actions, most = walked.next_state.shape
    used = walked.probability.ravel() > 0.0
    origin = np.repeat(np.arange(states), actions * most)[used]
    graph = sparse.csr_matrix(
        (np.ones(len(origin), dtype=np.int8), (origin, walked.next_state.ravel()[used])), shape=(states, states)
    )
    reached: Booleans = np.zeros((len(starts), states), dtype=np.bool_)
    for row, start in enumerate(starts):
        reached[row, csgraph.breadth_first_order(graph, int(start), return_predecessors=False)] = True
    chance = np.where(reached, walked.start[starts][:, None], 0.0)
    chance /= chance.sum(axis=0)
    return [
        [(keys[row], float(chance[row, state])) for row in np.flatnonzero(reached[:, state])] for state in range(states)
    ]


def number_beginnings(begins: Beginnings, walked: Walk) -> NewcomerStart:
    """Return the beginnings as numbers of a walk's states."""
    number_of = {place: number for number, place in enumerate(walked.places)}
    most = max(map(len, begins))
    number = np.zeros((len(begins), most), dtype=np.int32)
    probability = np.zeros((len(begins), most))
    for row, law in enumerate(begins):
        for k, (key, chance) in enumerate(law):
            number[row, k], probability[row, k] = number_of[WalkedState(key)], chance
        number[row, len(law) :] = number[row, 0]
    return NewcomerStart(number, probability)


def find_walk(after: WrappedWorld, begins: Beginnings, known: Walk | None, walker: Walker) -> Walk:
    """Return the walk that holds all beginnings: the known one where it does, else a new one from them."""
    keys = dict.fromkeys(key for law in begins for key, _ in law)
    if known is not None:
        places = set(known.places)
        if all(WalkedState(key) in places for key in keys):
            return known
    return walker(after, dict.fromkeys(keys, 1.0 / len(keys)))


SILENT_SECONDS = 1.0
LINE_SECONDS = 30.0
"""How often a line is printed where there is no terminal."""
PACKAGES = ("gymnasium", "minigrid", "mo-gymnasium", "pettingzoo")


def load_or_make_walk(
    world: WrappedWorld,
    starts: Mapping[Hashable, float],
    most_states: int,
    progress: WalkProgress | None = None,
    table: str | Path | None = None,
    most_seconds: float = MOST_SECONDS,
    explore: Explore | None = None,
    began: float | None = None,
) -> Walk:
    """The walk from some start states: from the file where it is there and fits, else made, and kept in the file.

    explore, began: as of `walk`. table: a `.npz` file; walks of those who come after go into others beside it. A file
    made for another world, or by other code, is made again.
    """
    path = None if table is None else _choose_file(world, starts, Path(table))
    if path is not None and os.path.isfile(path):
        with world.walking():
            kept = load_walk(path, fingerprint_world(world, starts), world, starts)
        if kept is not None:
            return kept
    with world.walking():
        shown = show_progress(world.name) if progress is None else _guard(progress)
        made = walk(world, starts, most_states, shown, most_seconds, explore, began)
        world.finish()
    if path is not None and world.identity():
        save_walk(path, made, fingerprint_world(world, starts))
    return made


def find_cache_file(name: str, options: Mapping[str, Any]) -> Path:
    """Where commands keep the table of a registered environment: in the user's cache folder."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "caregrid" / "worlds"
    options_text = json.dumps(sorted((key, repr(value)) for key, value in options.items()))
    mark = hashlib.blake2b(options_text.encode(), digest_size=6).hexdigest()
    return folder / f"{name.replace('/', '-').replace(':', '-')}-{mark}.npz"


def fingerprint_world(world: WrappedWorld, starts: Mapping[Hashable, float]) -> str:
    """32 hexadecimal digits: of the environment's code, its packages, its start states and how it was declared."""
    digest = hashlib.blake2b(digest_size=16)
    versions = [f"{name} {_version(name)}" for name in PACKAGES]
    first = [repr(freeze_value(world.state_of(key))) for key in starts]
    for text in [*versions, *world.identity(), *first, *(float(p).hex() for p in starts.values())]:
        digest.update(text.encode())
        digest.update(b"\0")
    return digest.hexdigest()


def show_progress(name: str) -> WalkProgress:
    """Progress on a terminal's last line from the first second on; elsewhere a line now and then."""
    began = time.perf_counter()
    printed = began

    def show(done: int, found: int) -> None:
        nonlocal printed
        now = time.perf_counter()
        text = f"{name}: {done:,} of {found:,} states found so far are done"
        if sys.stderr.isatty():
            if now - began > SILENT_SECONDS:
                is_over = done == found
                print(
                    "\r" + (" " * len(text) if is_over else text),
                    end="\r" if is_over else "",
                    file=sys.stderr,
                    flush=True,
                )
        elif now - printed > LINE_SECONDS and done < found:
            printed = now
            print(f"{text}, in {now - began:.0f} s", file=sys.stderr, flush=True)

    return show


def _guard(progress: WalkProgress) -> WalkProgress:
    """Return the user's function, whose exceptions name it."""

    def show(done: int, found: int) -> None:
        with user_code(describe_place(progress)):
            progress(done, found)

    return show


def _choose_file(world: WrappedWorld, starts: Mapping[Hashable, float], table: Path) -> Path:
    """Return the file itself for the world's own start states, one beside it for others."""
    if dict(starts) == dict(world.starts()):
        return table
    return table.with_name(f"{table.stem}-{fingerprint_world(world, starts)[:8]}{table.suffix}")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
