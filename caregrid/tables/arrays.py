"""Tables as arrays: our own `.npz`, MDPtoolbox's P and R, QuantEcon's `DiscreteDP`.

MDPtoolbox: P[A, S, S], R[S], R[S, A] or R[A, S, S]. QuantEcon: R[S, A] and Q[S, A, S], or R[L], Q[L, S] with the state
and the action of each of L pairs; a reward of -inf means that an action cannot be taken. Neither has terminal states:
a state is terminal that nothing leaves and in which every reward is 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from caregrid.tables.decision_table import OWN, DecisionTable
from engine.array_file import read_arrays, write_arrays
from engine.errors import BadFile, BadValue
from engine.mdp.mdp import Floats
from engine.printable import show_value

if TYPE_CHECKING:
    from quantecon.markov import DiscreteDP

FORMAT = "caregrid table"
VERSION = 1
NAMES = ("next_state", "probability", "rewards", "terminal", "start", "available")
REMEDY = "give a table that 'caregrid export' wrote"


def write_npz(table: DecisionTable, path: str | Path) -> None:
    """Write a table: arrays of the names NAMES, rewards: f64[N, S, A, K], and words in a header of JSON."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "name": table.name,
        "states": [dict(state) for state in table.states],
        "actions": list(table.actions),
        "rewards": list(table.rewards),
        "discount": table.discount,
    }
    arrays = {name: getattr(table, name) for name in NAMES if name != "rewards"}
    write_arrays(path, header, {**arrays, "rewards": np.stack(list(table.rewards.values()))})


def read_npz(path: str | Path, most_states: int) -> DecisionTable:
    """Read a table of ours; BadFile, in one line, for any other file."""
    place = str(path)
    header, arrays = read_arrays(path, NAMES, "a table", REMEDY)
    words: dict[str, Any] = {name: header.get(name) for name in ("states", "actions", "rewards")}
    if header.get("format") != FORMAT or header.get("version") != VERSION:
        raise BadFile("not a table of this version of caregrid", place=place, remedy=REMEDY)
    for called, listed in words.items():
        if not isinstance(listed, list) or (called != "states" and not all(isinstance(one, str) for one in listed)):
            raise BadFile(f"{called} are {show_value(listed)}", place=place, remedy=REMEDY)
    if len(words["states"]) > most_states:
        remedy = "raise most_states"
        raise BadFile(f"{len(words['states']):,} states, more than {most_states:,}", place=place, remedy=remedy)
    kinds = dict(zip(NAMES, "iffbfb", strict=True))
    for (called, kind), array in zip(kinds.items(), arrays, strict=True):
        if array.dtype.kind != kind:
            raise BadFile(f"{called} is of the type {array.dtype}", place=place, remedy=REMEDY)
    next_state, probability, rewards, terminal, start, available = arrays
    discount: Any = header.get("discount")
    name: Any = header.get("name")
    if not isinstance(name, str):
        raise BadFile(f"the name is {show_value(name)}", place=place, remedy=REMEDY)
    if type(discount) not in (int, float) or not 0.0 <= discount <= 1.0:
        raise BadFile(f"discount is {show_value(discount)}", place=place, remedy="choose one between 0 and 1")
    if rewards.ndim != 4 or len(rewards) != len(set(words["rewards"])):
        raise BadFile(f"rewards of shape {rewards.shape}", place=place, remedy=REMEDY)
    states = len(words["states"])
    if next_state.size and (next_state.min() < 0 or next_state.max() >= states):
        raise BadFile(f"a next state that is not from 0 to {states - 1}", place=place, remedy=REMEDY)
    with np.errstate(over="ignore"):  # of a wider float, which becomes infinite and is refused
        probability, rewards, start = (one.astype(np.float64) for one in (probability, rewards, start))
    return DecisionTable(
        name,
        tuple(words["states"]),
        tuple(words["actions"]),
        next_state.astype(np.int32),
        probability,
        dict(zip(words["rewards"], rewards, strict=True)),
        terminal,
        start,
        float(discount),
        available,
    )


def from_mdptoolbox(
    transitions: Any, rewards: Any, discount: float = 1.0, *, start: int = 0, name: str = "arrays"
) -> DecisionTable:
    """Make a table of MDPtoolbox's arrays.

    transitions: P[A, S, S], or A matrices [S, S], also sparse ones. rewards: R[S], R[S, A] or R[A, S, S], or several
    of these by name. start: the state in which episodes begin. Raises BadValue for what is no Markov decision process.
    """
    chance = np.moveaxis(_stack(transitions, "P"), 0, 1)  # [S, A, S]
    if chance.ndim != 3 or chance.shape[0] != chance.shape[2]:
        raise BadValue(f"P of shape {chance.shape}", place=name, remedy="give P[A, S, S]")
    states, actions, _ = chance.shape
    named = rewards if isinstance(rewards, Mapping) else {OWN: rewards}
    amounts = {str(called): _read_reward(one, states, actions, str(called)) for called, one in named.items()}
    return _make_table(name, chance, amounts, np.ones((states, actions), dtype=np.bool_), discount, start)


def from_quantecon(
    process: DiscreteDP, others: Mapping[str, Any] | None = None, *, start: int = 0, name: str = "DiscreteDP"
) -> DecisionTable:
    """Make a table of QuantEcon's `DiscreteDP`, in either form.

    others: name -> reward of others, an array like the process's own R. start: the state in which episodes begin.
    """
    reward, chance = np.asarray(process.R, dtype=np.float64), process.Q
    listed = {OWN: reward, **{called: np.asarray(one, dtype=np.float64) for called, one in (others or {}).items()}}
    for called, one in listed.items():
        if one.shape != reward.shape:
            raise BadValue(f"{called} of shape {one.shape}", place=name, remedy=f"give shape {reward.shape}")
    chance = np.asarray(chance.toarray() if hasattr(chance, "toarray") else chance, dtype=np.float64)
    if reward.ndim == 1:
        state, action = np.asarray(process.s_indices), np.asarray(process.a_indices)
        states, actions = chance.shape[1], int(action.max()) + 1
        full = np.zeros((states, actions, states))
        full[state, action] = chance
        spread = {called: np.full((states, actions), -np.inf) for called in listed}
        for called, one in listed.items():
            spread[called][state, action] = one
    else:
        full, spread = chance, listed
    available = np.isfinite(spread[OWN])
    for called, one in spread.items():
        if (available & ~np.isfinite(one)).any() or np.isposinf(one).any() or np.isnan(one).any():
            raise BadValue(f"a reward {called} that is not finite", place=name, remedy="give finite numbers, or -inf")
    amounts = {
        called: np.broadcast_to(np.where(available, one, 0.0)[:, :, None], full.shape) for called, one in spread.items()
    }
    return _make_table(name, full, amounts, available, float(process.beta), start)


def to_mdptoolbox(table: DecisionTable, reward: str = OWN) -> tuple[Floats, Floats]:
    """P: f64[A, S, S] and R: f64[S, A] of a table in which every action can be taken; terminal states lead to
    themselves with reward 0.
    """
    if not (table.available | table.terminal[:, None]).all():
        raise BadValue("an action that cannot be taken", place=table.name, remedy="use to_quantecon, which says so")
    chance, gain, _ = _to_dense(table, reward)
    return np.moveaxis(chance, 1, 0), gain


def to_quantecon(table: DecisionTable, reward: str = OWN) -> tuple[Floats, Floats, float]:
    """R: f64[S, A], -inf where an action cannot be taken, Q: f64[S, A, S] and beta, the arguments of `DiscreteDP`."""
    chance, gain, available = _to_dense(table, reward)
    return np.where(available, gain, -np.inf), chance, table.discount


def _to_dense(table: DecisionTable, reward: str) -> tuple[Floats, Floats, Any]:
    states, actions, _ = table.next_state.shape
    chance = np.zeros((states, actions, states))
    rows = tuple(np.indices(table.next_state.shape)[:2])
    np.add.at(chance, (*rows, table.next_state), table.probability)
    chance[table.terminal] = 0.0
    ends = np.flatnonzero(table.terminal)
    chance[ends, :, ends] = 1.0
    gain = np.where(table.terminal[:, None], 0.0, (table.probability * table.rewards[reward]).sum(axis=2))
    return chance, gain, table.available | table.terminal[:, None]


def _stack(arrays: Any, name: str) -> Floats:
    try:
        if isinstance(arrays, list | tuple) or getattr(arrays, "dtype", np.dtype(float)).kind == "O":
            arrays = [one.toarray() if hasattr(one, "toarray") else np.asarray(one) for one in arrays]
        stacked = _read_numbers(arrays)
    except (TypeError, ValueError) as error:
        raise BadValue(f"{name} is no array of numbers", place=name, remedy=f"give {name}[A, S, S]") from error
    if stacked.ndim != 3 or 0 in stacked.shape:
        raise BadValue(f"{name} of shape {stacked.shape}", place=name, remedy=f"give {name}[A, S, S]")
    return stacked


def _read_numbers(arrays: Any) -> Floats:
    """TypeError for complex numbers and for words, of which numpy would make numbers."""
    given = np.asarray(arrays)
    if given.dtype.kind not in "biufO":
        raise TypeError
    with np.errstate(over="ignore"):
        return given.astype(np.float64)


def _read_reward(array: Any, states: int, actions: int, name: str) -> Floats:
    """f64[S, A, S]"""
    shapes = {(states,): "S", (states, actions): "SA", (actions, states, states): "ASS"}
    try:
        if isinstance(array, list | tuple) and any(hasattr(one, "toarray") for one in array):
            array = [one.toarray() for one in array]
        amount = _read_numbers(array.toarray() if hasattr(array, "toarray") else array)
    except (TypeError, ValueError) as error:
        raise BadValue(f"{name} is no array of numbers", place=name, remedy="give R[S, A]") from error
    kind = shapes.get(amount.shape)
    if kind is None:
        remedy = f"give shape {', '.join(map(str, shapes))}"
        raise BadValue(f"a reward of shape {amount.shape}", place=name, remedy=remedy)
    if kind == "ASS":
        return np.moveaxis(amount, 0, 1)
    wide = amount[:, None, None] if kind == "S" else amount[:, :, None]
    return np.broadcast_to(wide, (states, actions, states))


def _make_table(
    name: str, chance: Floats, rewards: Mapping[str, Floats], available: Any, discount: float, start: int
) -> DecisionTable:
    """Return a table of f64[S, A, S], with room for the most next states of one action."""
    states, actions, _ = chance.shape
    if isinstance(start, bool) or not isinstance(start, int | np.integer) or not 0 <= start < states:
        raise BadValue(f"start is {show_value(start)}", place=name, remedy=f"choose from 0 to {states - 1}")
    if not np.isfinite(chance).all() or (chance < 0.0).any():
        raise BadValue("a probability that is below 0 or not finite", place=name, remedy="mend it")
    width = max(int((chance > 0.0).sum(axis=2).max()), 1)
    following = np.argsort(chance == 0.0, axis=2, kind="stable")[:, :, :width]
    probability = np.take_along_axis(chance, following, axis=2)
    amounts = {called: np.take_along_axis(np.array(one), following, axis=2) for called, one in rewards.items()}
    stays = ((following == np.arange(states)[:, None, None]) | (probability == 0.0)).all(axis=2)
    idle = np.all([((one == 0.0) | (probability == 0.0)).all(axis=2) for one in amounts.values()], axis=0)
    terminal = ((stays & idle) | ~available).all(axis=1) & available.any(axis=1)
    begin = np.zeros(states)
    begin[start] = 1.0
    return DecisionTable(
        name,
        tuple({"state": number} for number in range(states)),
        tuple(f"action {number}" for number in range(actions)),
        following.astype(np.int32),
        probability,
        amounts,
        np.asarray(terminal, dtype=np.bool_),
        begin,
        discount,
        available,
    ).check(name)
