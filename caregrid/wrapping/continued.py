"""What those who come after begin with, and the table in which they act."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from caregrid.wrapping.other import Other
from caregrid.wrapping.worlds.world import WrappedWorld
from craftworld.table_scenario import Beginning
from engine.errors import BadValue, CaregridError, ContractBroken
from engine.mdp.enumeration.walk import Walk, WalkedState
from engine.mdp.mdp import Booleans
from engine.user_code import place_of, user_code

Beginnings = list[list[tuple[Hashable, float]]]
Walker = Callable[[WrappedWorld, Mapping[Hashable, float]], Walk]
Entered = TypeVar("Entered")
ROUNDING = 1e-9


def beginnings(world: WrappedWorld, walked: Walk, after: WrappedWorld, other: Other) -> Beginnings:
    """What an agent that acts in the world `after` begins with, for each of S states: keys and probabilities."""
    if other.continues is not None:
        return [_users_beginning(world, after, other.continues, place.key) for place in walked.places]
    require_same_kind(world.name, world.kind, after.name, after.kind)
    origins = start_keys(walked)
    if after is world:
        return [
            _mixed([(world.continued(place.key, start), chance) for start, chance in origins[number]])
            for number, place in enumerate(walked.places)
        ]
    entered = [after.enter(world.state_of(place.key)) for place in walked.places]
    return [
        _mixed([(after.continued(key, start), chance) for start, chance in after.starts().items()]) for key in entered
    ]


def _users_beginning(
    world: WrappedWorld, after: WrappedWorld, continues: Callable[[Any], Any], key: Hashable
) -> list[tuple[Hashable, float]]:
    described = partial(world.describe, key)
    return users_beginning(continues, world.state_of(key), after.enter, after.name, described)


def users_beginning(
    continues: Callable[[Any], Any],
    state: Any,
    enter: Callable[[Any], Entered],
    name: str,
    described: Callable[[], str],
) -> list[tuple[Entered, float]]:
    """What a user's function continues a state with, and how likely; ContractBroken where that is no state of `name`.

    enter: makes of a state that the function gave what the caller knows states by. described: the state in words.
    """
    with user_code(place_of(continues)):
        given = continues(state)
    pairs = list(given.items()) if isinstance(given, Mapping) else [(given, 1.0)]
    for _, chance in pairs:
        if isinstance(chance, bool) or not isinstance(chance, int | float | np.number):
            raise ContractBroken(
                f"a continuation of state {described()} gave the probability {str(chance)[:60]}",
                place=place_of(continues),
                remedy="give numbers that sum to 1",
            )
    total = sum(chance for _, chance in pairs)
    if not abs(total - 1.0) <= ROUNDING or any(chance < 0 for _, chance in pairs):
        raise ContractBroken(
            f"a continuation of state {described()} has probabilities that sum to {total:g}",
            place=place_of(continues),
            remedy="make them sum to 1",
        )
    try:
        return [(enter(each), float(chance)) for each, chance in pairs]
    except CaregridError:
        raise
    except Exception as error:
        raise ContractBroken(
            f"a continuation of state {described()} gave {str(given)[:80]}: {type(error).__name__}: {error}",
            place=place_of(continues),
            remedy=f"give a state of {name}, of the form of the one it is given",
        ) from error


def require_same_kind(name: str, kind: str, after: str, kind_after: str) -> None:
    """BadValue where the states of one environment say nothing about those of the one that comes after."""
    if kind != kind_after:
        raise BadValue(
            f"how a state of {name} continues in {after} is not known",
            place="others",
            remedy="say so: Other(env, continues=function of the final state)",
        )


def _mixed(parts: Sequence[tuple[Sequence[tuple[Hashable, float]], float]]) -> list[tuple[Hashable, float]]:
    """Several laws, each with its weight, as one."""
    chances: dict[Hashable, float] = {}
    for law, weight in parts:
        for key, chance in law:
            chances[key] = chances.get(key, 0.0) + weight * chance
    return list(chances.items())


def start_keys(walked: Walk) -> list[list[tuple[Hashable, float]]]:
    """For each of S states the start states from which it can be reached, by their probabilities."""
    starts = np.flatnonzero(walked.start)
    keys = [walked.places[int(start)].key for start in starts]
    if len(keys) == 1:
        return [[(keys[0], 1.0)]] * len(walked.places)
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


def continuation(begins: Beginnings, walked: Walk) -> Beginning:
    """The beginnings as numbers of a walk's states."""
    number_of = {place: number for number, place in enumerate(walked.places)}
    most = max(map(len, begins))
    number = np.zeros((len(begins), most), dtype=np.int32)
    probability = np.zeros((len(begins), most))
    for row, law in enumerate(begins):
        for k, (key, chance) in enumerate(law):
            number[row, k], probability[row, k] = number_of[WalkedState(key)], chance
        number[row, len(law) :] = number[row, 0]
    return Beginning(number, probability)


def walk_of(after: WrappedWorld, begins: Beginnings, known: Walk | None, walker: Walker) -> Walk:
    """The walk that holds all beginnings: the known one where it does, else a new one from them."""
    keys = dict.fromkeys(key for law in begins for key, _ in law)
    if known is not None:
        places = set(known.places)
        if all(WalkedState(key) in places for key in keys):
            return known
    return walker(after, dict.fromkeys(keys, 1.0 / len(keys)))
