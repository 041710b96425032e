"""The table of a world in columns: breadth-first enumeration, a frontier at once.

Each round steps the whole frontier with every action and keeps the first occurrence of each new code in (state, action,
outcome) order, so states get the numbers that enumeration one by one would give them. Code + count stands for a state
in which a transition has ended the episode.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.contracts import called
from engine.errors import BadValue, ContractBroken
from engine.mdp.codes import Codec, Codes, ColumnIndex, ColumnStates
from engine.mdp.columns import branches, number_column, read_only
from engine.mdp.enumeration.growing_rows import GrowingRows
from engine.mdp.mdp import Booleans, ColumnModel, Floats, TabularMDP
from engine.mdp.memory import require_at_most, require_memory, require_memory_for_about
from engine.printable import shown_value
from engine.user_code import place_of

SAMPLE = 50_000


class _Steps(NamedTuple):
    """What n states of a frontier lead to. code: int64[n, A, K]. probability, reward: f64[n, A, K]; unused outcomes
    have probability 0 and the state's own code. terminal: bool[n]. available: bool[n, A].
    """

    code: Codes
    probability: Floats
    reward: Floats
    terminal: Booleans
    available: Booleans


def enumerate_columns(
    model: Any, discount: float, starts: Mapping[Any, float], most_states: int | None = None
) -> TabularMDP:
    """The table of a `ColumnModel`: states of small integers."""
    codec = Codec(type(next(iter(starts))), model.sizes, model)
    frontier = codec.encode(_start_columns(model, codec, starts), "starts")
    if len(np.unique(frontier)) != len(frontier):
        raise BadValue("a start state is given twice", place=type(model).__name__, remedy="merge them")
    number_of = np.full(codec.count, -1, dtype=np.int32)
    number_of[frontier] = np.arange(len(frontier))
    layers, target, probability, reward, terminal, available = [], *(GrowingRows() for _ in range(5))
    number_of_states, outcomes, sampled = 0, 1, False
    while len(frontier):
        layers.append(frontier)
        number_of_states += len(frontier)
        require_at_most(most_states, number_of_states, model)
        if number_of_states >= SAMPLE and not sampled:
            require_memory_for_about(_expected_states(codec, layers), len(model.actions), outcomes, model)
            sampled = True
        require_memory(number_of_states, len(model.actions), outcomes, model)
        steps = _step_frontier(model, codec, frontier)
        outcomes = max(outcomes, steps.code.shape[2])
        if steps.code.shape[2] > 1 and not len(probability):  # the first ones that are left to chance
            probability.append(np.broadcast_to(np.float64(1.0), (len(target), len(model.actions), 1)))
        if len(probability) or steps.code.shape[2] > 1:
            probability.append(steps.probability)
        reward.append(steps.reward)
        terminal.append(steps.terminal)
        available.append(steps.available)
        code = steps.code.reshape(-1)
        if len(number_of) == codec.count and code.max() >= codec.count:
            number_of = np.concatenate([number_of, np.full(codec.count, -1, dtype=np.int32)])
        number = number_of[code]
        unknown = number < 0
        new = code[unknown]
        number_of[new[::-1]] = np.arange(len(new) - 1, -1, -1)  # the first occurrence is written last
        frontier = new[number_of[new] == np.arange(len(new))]
        number_of[frontier] = number_of_states + np.arange(len(frontier))
        number[unknown] = number_of[new]
        target.append(number.reshape(steps.code.shape))
    states, next_state = ColumnStates(codec, np.concatenate(layers) % codec.count), target.array()
    chance = np.broadcast_to(np.float64(1.0), next_state.shape)
    if next_state.shape[2] > 1:
        chance = probability.array()
        next_state[chance == 0.0] = 0
    start = np.zeros(len(states))
    start[: len(starts)] = list(starts.values())
    table = TabularMDP(
        states,
        ColumnIndex(states, _going_on_first(number_of, codec.count)),
        tuple(model.actions),
        next_state,
        chance,
        reward.array(),
        terminal.array(),
        start,
        discount,
    )
    return table.with_available(available.array())


def _expected_states(codec: Codec, layers: Sequence[Codes]) -> int:
    """How many states there are if all combinations of fields are as frequent as among those that were reached first.

    These hold so many values of each field; of all combinations of these values, so large a share was reached.
    """
    seen = codec.decode(np.concatenate(layers) % codec.count)
    combinations = math.prod(len(np.unique(field)) for field in seen)
    return round(codec.count * min(1.0, sum(map(len, layers)) / combinations))


def _start_columns(model: Any, codec: Codec, starts: Mapping[Any, float]) -> Any:
    """Start states as columns; ContractBroken for one whose fields are not integers."""
    for state in starts:
        for name, value in zip(codec.kind._fields, state, strict=True):
            if not isinstance(value, int | np.integer):
                raise ContractBroken(
                    f"starts gave {shown_value(value)} for field '{name}'",
                    place=place_of(model),
                    remedy="expected an integer",
                )
    return codec.columns(starts)


def _step_frontier(model: ColumnModel, codec: Codec, frontier: Codes) -> _Steps:
    """Every action in every state of a frontier."""
    codes = frontier % codec.count
    state = read_only(codec.decode(codes))
    terminal = _flags(model, "is_terminal", state, len(frontier)) | (frontier >= codec.count)
    available = _available(model, state, terminal)
    asked = available & ~terminal[:, None]
    outcomes = [
        _outcomes(model, codec, (state, codes), action, asked[:, action], available[:, action])
        for action in range(len(model.actions))
    ]
    shape = (*asked.shape, max(map(len, outcomes)))
    code = np.empty(shape, dtype=np.int64) if shape[2] == 1 else np.tile(frontier[:, None, None], (1, *shape[1:]))
    reward, probability = np.zeros(shape), np.broadcast_to(np.float64(1.0), shape)
    if shape[2] > 1:
        probability = np.zeros(shape)
    for action, listed in enumerate(outcomes):
        for slot, (chance, following, gain) in enumerate(listed):
            code[:, action, slot] = np.where(asked[:, action], following, frontier)
            reward[:, action, slot] = np.where(asked[:, action], gain, 0.0)
            if shape[2] > 1:
                probability[:, action, slot] = np.where(asked[:, action], chance, float(slot == 0))
    if shape[2] > 1:
        code, probability, reward = _merged(code, probability, reward)
    return _Steps(code, probability, reward, terminal, available)


def _available(model: ColumnModel, state: Any, terminal: Booleans) -> Booleans:
    """bool[n, A]: which actions can be taken; all in terminal states. ContractBroken where none can."""
    available: Booleans = np.ones((len(terminal), len(model.actions)), dtype=np.bool_)
    if not hasattr(model, "available"):
        return available
    for action in range(len(model.actions)):
        given = called(model, "available", state, action)
        if given is not True:
            flags = number_column(given, len(terminal), model, "available", "b", "bool")
            available[:, action] = terminal | flags
    stuck = np.flatnonzero(~available.any(axis=1))
    if len(stuck):
        raise ContractBroken(
            f"available gave no action in {type(state)(*(int(field[stuck[0]]) for field in state))}",
            place=place_of(model),
            remedy="leave one, or make the state terminal",
        )
    return available


def _outcomes(
    model: ColumnModel, codec: Codec, frontier: tuple[Any, Codes], action: int, asked: Booleans, looked_at: Booleans
) -> list[tuple[Floats, Codes, Floats]]:
    """Probability, code and reward, each [n], of every branch of an action.

    frontier: n states, as columns and as codes. asked: bool[n], the states in which it can be taken. looked_at: those
    in which its rules must hold all the same.
    """
    name, (state, codes) = f"action '{model.actions[action]}',", frontier
    listed = branches(called(model, "step", state, action), len(asked), model, f"step, {name}", asked)
    result = []
    for chance, after, _ in listed:
        if type(after) is not codec.kind:
            raise ContractBroken(
                f"step, {name} gave {type(after).__name__}",
                place=place_of(model),
                remedy=f"expected {codec.kind.__name__}, as starts gave",
            )
        counts = looked_at if len(listed) == 1 else looked_at & (chance > 0.0)
        following = after if counts.all() else _kept(state, after, counts)
        code = codec.encode(following, f"step, {name}", state, codes)
        ending = called(model, "ends", state, action, following) if hasattr(model, "ends") else False
        if ending is not False:
            over = asked & counts & number_column(ending, len(asked), model, "ends", "b", "bool")
            if over.any():  # a state that is terminal anyway needs no ended one beside it
                code = code + codec.count * (over & ~_flags(model, "is_terminal", following, len(asked)))
        result.append((chance, code, _rewards(model, state, action, following, asked & counts)))
    return result


def _rewards(model: ColumnModel, state: Any, action: int, following: Any, counts: Booleans) -> Floats:
    """The rewards of a step, f64[n]; ContractBroken where they count and are not finite."""
    name = f"reward, action '{model.actions[action]}'"
    given = called(model, "reward", state, action, following)
    gain = number_column(given, len(counts), model, f"{name},", "iuf", "finite number")
    if not np.isfinite(gain).all():
        culprit = counts & ~np.isfinite(gain)
        if culprit.any():
            place, remedy = f"{place_of(model)}, {name}", "give finite numbers"
            raise ContractBroken(f"reward {gain[culprit][0]} is not finite", place=place, remedy=remedy)
    return gain


def _kept(state: Any, after: Any, counts: Booleans) -> Any:
    """The next states where they count, elsewhere the states as they were."""
    fields = zip(after, state, strict=True)
    return type(state)(*(old if new is old else np.where(counts, new, old) for new, old in fields))


def _flags(model: Any, method: str, state: Any, count: int, *more: Any) -> Booleans:
    """bool[count]: what a method that answers yes or no gives."""
    given = called(model, method, state, *more)
    return np.asarray(number_column(given, count, model, method, "b", "bool"), dtype=np.bool_)


def _merged(code: Codes, probability: Floats, reward: Floats) -> tuple[Codes, Floats, Floats]:
    """Outcomes [n, A, K] with those of one code made one, impossible ones last, and as many slots as are needed.

    The order of the others stays. Outcomes of one code have one reward, which depends on the states alone.
    """
    slots = np.arange(code.shape[2])
    label = np.where(probability > 0.0, code, -1 - slots)  # impossible outcomes are like no other
    order = np.argsort(label, axis=2, kind="stable")
    ordered = np.take_along_axis(label, order, axis=2)
    begins = np.concatenate([np.ones_like(ordered[:, :, :1]), np.diff(ordered, axis=2)], axis=2) != 0
    first = np.maximum.accumulate(np.where(begins, slots, 0), axis=2)  # of its group, in sorted order
    chance = np.zeros_like(probability)
    rows = tuple(np.indices(code.shape)[:2])
    np.add.at(chance, (*rows, np.take_along_axis(order, first, axis=2)), np.take_along_axis(probability, order, axis=2))
    kept = np.argsort(chance == 0.0, axis=2, kind="stable")[:, :, : int((chance > 0.0).sum(axis=2).max())]
    merged = np.take_along_axis(chance, kept, axis=2)
    gain = np.where(merged > 0.0, np.take_along_axis(reward, kept, axis=2), 0.0)
    return np.take_along_axis(code, kept, axis=2), merged, gain


def _going_on_first(number_of: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """The number of each code: of the state in which one can go on, where there is one, else of the ended one."""
    if len(number_of) == count:
        return number_of
    return np.where(number_of[:count] >= 0, number_of[:count], number_of[count:])
