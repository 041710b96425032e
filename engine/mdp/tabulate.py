"""From a world to its table: the reachable states, enumerated breadth first, and their transitions as arrays.

The only place where states become integers. A world given state by state (`Model`) is enumerated by
`enumerate_states`, one in columns (`ColumnModel`) by `enumerate_columns`, with the same state numbers.

In columns the enumeration takes a frontier at once. Each round steps the whole frontier with every action and keeps
the first occurrence of each new code in (state, action, outcome) order, so states get the numbers that enumeration
one by one would give them. Code + count stands for a state in which a transition has ended the episode.

Rules of a user's own are asked again about some states, in another order: a world whose answers change, for it draws
its next state or remembers what it was asked, has no table. One that would not fit into memory is refused, and so is
one of more states than asked for. `GrowingRows` is an array whose rows are found piece by piece."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.contracts import call_method, call_steadily, refuse
from engine.errors import BadValue, ContractBroken
from engine.mdp.columns import (
    CERTAIN,
    Codec,
    Codes,
    ColumnIndex,
    ColumnStates,
    protect_columns,
    read_branches,
    read_number_column,
)
from engine.mdp.mdp import Booleans, ColumnModel, Floats, Model, Outcome, TabularMDP, check_discount
from engine.printable import show_value
from engine.user_code import OWN_PACKAGES, describe_place, find_package, user_code
from engine.value_types import is_number

SAMPLE = 50_000
ASKED_AGAIN = 150  # states
ROUNDING = 1e-9  # numpy may round a column of another length otherwise


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
    """Return the table of a `ColumnModel`: states of small integers."""
    codec = Codec(type(next(iter(starts))), model.sizes, model)
    frontier = codec.encode(_read_starts(model, codec, starts), "starts")
    if len(set(frontier.tolist())) != len(frontier):
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
            require_memory_for_about(_estimate_states(codec, layers), len(model.actions), outcomes, model)
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
    rewards, terminals = reward.array(), terminal.array()
    asked_again = _list_asked_again(model, terminals)
    if asked_again:
        again = _step_frontier(model, codec, np.concatenate(layers)[asked_again])
        known = again.code < len(number_of)
        numbers = np.where(known, number_of[np.where(known, again.code, 0)], -1)
        before = _Outcomes(next_state[asked_again], chance[asked_again], rewards[asked_again])
        after = _Outcomes(numbers, again.probability, again.reward)
        _require_same_again(model, [states[row] for row in asked_again], before, after)
    start = np.zeros(len(states))
    start[: len(starts)] = list(starts.values())
    table = TabularMDP(
        states,
        ColumnIndex(states, _number_codes(number_of, codec.count)),
        tuple(model.actions),
        next_state,
        chance,
        rewards,
        terminals,
        start,
        discount,
        observation=_number_observations(model, states),
    )
    return table.with_available(available.array())


class _Outcomes(NamedTuple):
    """What some states lead to, each [n, A, K]: the numbers of the next states, their probabilities, the rewards."""

    target: NDArray[Any]
    probability: Floats
    reward: Floats


def _list_asked_again(model: Any, terminal: Booleans) -> list[int]:
    """Return the states whose rules are asked again, the last one first; none in worlds of our own packages."""
    if find_package(model) in OWN_PACKAGES:
        return []
    going_on = np.flatnonzero(~terminal)
    return [int(going_on[place]) for place in reversed(spread_evenly(len(going_on), ASKED_AGAIN))]


def spread_evenly(count: int, most: int) -> list[int]:
    """Return at most `most` numbers below `count`, evenly spread, the first and the last among them."""
    return sorted({*np.linspace(0, count - 1, min(count, most)).astype(int).tolist()})


def _require_same_again(model: Any, states: Sequence[Any], before: _Outcomes, again: _Outcomes) -> None:
    """Raise ContractBroken where the rules say something else of a state and an action than before."""
    before, again = (_sort_outcomes(each, max(before[0].shape[2], again[0].shape[2])) for each in (before, again))
    same = [before.target == again.target]
    same += [np.isclose(*pair, rtol=ROUNDING, atol=ROUNDING) for pair in zip(before[1:], again[1:], strict=True)]
    for state, action in np.argwhere(~np.logical_and.reduce(same).all(axis=2)):
        what = "the next states" if not (same[0] & same[1])[state, action].all() else "rewards"
        raise ContractBroken(
            f"{what} of action '{model.actions[action]}' in {states[state]} were others when it was asked again",
            place=describe_place(model),
            remedy="let the rules depend on state and action alone, and list outcomes of chance with probabilities",
        )


def _sort_outcomes(outcomes: _Outcomes, slots: int) -> _Outcomes:
    """Outcomes in the order of the next states, impossible ones last and as zeros, in so many slots."""
    width = [(0, 0), (0, 0), (0, slots - outcomes.target.shape[2])]
    target, probability, reward = (np.pad(each, width) for each in outcomes)
    none = probability == 0.0
    order = np.lexsort((reward, target, none))
    return _Outcomes(*(np.take_along_axis(np.where(none, 0, x), order, axis=2) for x in (target, probability, reward)))


def _number_observations(model: Any, states: ColumnStates) -> NDArray[np.int64] | None:
    """int64[S]: the number of what the agent observes of each state; None where no two states look alike."""
    if not hasattr(model, "observe"):
        return None
    columns = protect_columns(states.columns())
    seen = call_method(model, "observe", columns)
    if not isinstance(seen, tuple) or not seen:
        refuse(model, "observe", seen, "a tuple of columns, one for each number that is observed")
    if len(seen) >= len(columns) and all(map(np.array_equal, seen, columns)):
        return None
    listed = [read_number_column(each, len(states), model, "observe", "iub", "integer") for each in seen]
    _, observation = np.unique(np.stack(listed), axis=1, return_inverse=True)
    return observation.reshape(-1).astype(np.int64)


def _estimate_states(codec: Codec, layers: Sequence[Codes]) -> int:
    """How many states there are if all combinations of fields are as frequent as among those that were reached first.

    These hold so many values of each field; of all combinations of these values, so large a share was reached.
    """
    seen = codec.decode(np.concatenate(layers) % codec.count)
    combinations = math.prod(len(np.unique(field)) for field in seen)
    return round(codec.count * min(1.0, sum(map(len, layers)) / combinations))


def _read_starts(model: Any, codec: Codec, starts: Mapping[Any, float]) -> Any:
    """Start states as columns; ContractBroken for one whose fields are not integers."""
    for state in starts:
        for name, value in zip(codec.kind._fields, state, strict=True):
            if not isinstance(value, int | np.integer):
                raise ContractBroken(
                    f"starts gave {show_value(value)} for field '{name}'",
                    place=describe_place(model),
                    remedy="expected an integer",
                )
    return codec.columns(starts)


def _step_frontier(model: ColumnModel, codec: Codec, frontier: Codes) -> _Steps:
    """Return every action in every state of a frontier."""
    codes = frontier % codec.count
    state = protect_columns(codec.decode(codes))
    terminal = _read_flags(model, "is_terminal", state, len(frontier)) | (frontier >= codec.count)
    available = _read_available(model, state, terminal)
    asked = available & ~terminal[:, None]
    outcomes = [
        _read_outcomes(model, codec, (state, codes), action, asked[:, action], available[:, action])
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
        code, probability, reward = _merge_outcomes(code, probability, reward)
    return _Steps(code, probability, reward, terminal, available)


def _read_available(model: ColumnModel, state: Any, terminal: Booleans) -> Booleans:
    """Return bool[n, A], which actions can be taken; all in terminal states. ContractBroken where none can."""
    available: Booleans = np.ones((len(terminal), len(model.actions)), dtype=np.bool_)
    if not hasattr(model, "available"):
        return available
    for action in range(len(model.actions)):
        given = call_method(model, "available", state, action)
        if given is not True:
            flags = read_number_column(given, len(terminal), model, "available", "b", "bool")
            available[:, action] = terminal | flags
    stuck = np.flatnonzero(~available.any(axis=1))
    if len(stuck):
        raise ContractBroken(
            f"available gave no action in {type(state)(*(int(field[stuck[0]]) for field in state))}",
            place=describe_place(model),
            remedy="leave one, or make the state terminal",
        )
    return available


def _read_outcomes(
    model: ColumnModel, codec: Codec, frontier: tuple[Any, Codes], action: int, asked: Booleans, looked_at: Booleans
) -> list[tuple[Floats, Codes, Floats]]:
    """Probability, code and reward, each [n], of every branch of an action.

    frontier: n states, as columns and as codes. asked: bool[n], the states in which it can be taken. looked_at: those
    in which its rules must hold all the same.
    """
    name = f"action '{model.actions[action]}',"
    state, codes = frontier
    listed = read_branches(call_method(model, "step", state, action), len(asked), model, f"step, {name}", asked)
    result = []
    for chance, after, _ in listed:
        if type(after) is not codec.kind:
            raise ContractBroken(
                f"step, {name} gave {type(after).__name__}",
                place=describe_place(model),
                remedy=f"expected {codec.kind.__name__}, as starts gave",
            )
        counts = looked_at if len(listed) == 1 else looked_at & (chance > 0.0)
        following = after if counts.all() else _keep_where_counted(state, after, counts)
        code = codec.encode(following, f"step, {name}", state, codes)
        ending = call_method(model, "ends", state, action, following) if hasattr(model, "ends") else False
        if ending is not False:
            over = asked & counts & read_number_column(ending, len(asked), model, "ends", "b", "bool")
            if over.any():  # a state that is terminal anyway needs no ended one beside it
                code = code + codec.count * (over & ~_read_flags(model, "is_terminal", following, len(asked)))
        result.append((chance, code, _read_rewards(model, state, action, following, asked & counts)))
    return result


def _read_rewards(model: ColumnModel, state: Any, action: int, following: Any, counts: Booleans) -> Floats:
    """Return the rewards of a step, f64[n]; ContractBroken where they count and are not finite."""
    name = f"reward, action '{model.actions[action]}'"
    given = call_method(model, "reward", state, action, following)
    gain = read_number_column(given, len(counts), model, f"{name},", "iuf", "finite number")
    if not np.isfinite(gain).all():
        culprit = counts & ~np.isfinite(gain)
        if culprit.any():
            place, remedy = f"{describe_place(model)}, {name}", "give finite numbers"
            raise ContractBroken(f"reward {gain[culprit][0]} is not finite", place=place, remedy=remedy)
    return gain


def _keep_where_counted(state: Any, after: Any, counts: Booleans) -> Any:
    """Return the next states where they count, elsewhere the states as they were."""
    fields = zip(after, state, strict=True)
    return type(state)(*(old if new is old else np.where(counts, new, old) for new, old in fields))


def _read_flags(model: Any, method: str, state: Any, count: int, *more: Any) -> Booleans:
    """Return bool[count], what a method that answers yes or no gives."""
    given = call_method(model, method, state, *more)
    return np.asarray(read_number_column(given, count, model, method, "b", "bool"), dtype=np.bool_)


def _merge_outcomes(code: Codes, probability: Floats, reward: Floats) -> tuple[Codes, Floats, Floats]:
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


def _number_codes(number_of: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """The number of each code: of the state in which one can go on, where there is one, else of the ended one."""
    if len(number_of) == count:
        return number_of
    return np.where(number_of[:count] >= 0, number_of[:count], number_of[count:])


_Entry = tuple[int, float, float]


def tabulate(
    model: Model | ColumnModel,
    discount: float = 1.0,
    starts: Mapping[Any, float] | None = None,
    most_states: int | None = None,
) -> TabularMDP:
    """Return the table of a world: its reachable states, enumerated breadth first, and their transitions as arrays.

    State numbers do not depend on the kind of model: states are numbered in the order in which they are reached,
    actions in order. A transition that ends the episode leads into an ended state of its own, terminal beside the one
    of the same name in which one can go on; a state that is terminal anyway needs none. Outcomes of one step that agree
    in state and reward become one; those of probability 0 reach nothing.

    Parameters
    ----------
    model : Model or ColumnModel
        The world.
    discount : float from 0 to 1
        gamma.
    starts : mapping, optional
        Start state -> probability; the model's own by default.
    most_states : int, optional
        How many there may be; enumeration stops where there are more.

    Returns
    -------
    TabularMDP

    Raises
    ------
    ContractBroken
        Where the model breaks its contract.
    BadValue
        For a discount outside [0, 1], for more states than `most_states`, and for a world that says itself that it is
        too large (`replay_only`).

    Examples
    --------
    >>> import caregrid
    >>> table = caregrid.tabulate(caregrid.SCENARIOS["garden"]())
    >>> table.next_state.shape
    (84, 5, 1)
    """
    gamma = check_discount(discount)
    with user_code(describe_place(model)):
        too_large = getattr(model, "replay_only", "")
        enumerate_all: Callable[..., TabularMDP] = enumerate_columns if hasattr(model, "sizes") else enumerate_states
    if too_large:
        remedy = "replay actions in it with 'caregrid rollout', play it, or choose a smaller map"
        raise BadValue(f"too large for a table: {too_large}", place=describe_place(model), remedy=remedy)
    if starts is not None and not (isinstance(starts, Mapping) and all(map(is_number, starts.values()))):
        raise BadValue(f"starts are {show_value(starts)}", place="tabulate", remedy="give {state: probability}")
    first = dict(call_steadily(model, "starts") if starts is None else starts)
    if not first or not abs(sum(first.values()) - 1.0) <= CERTAIN or min(first.values()) < 0:
        raise BadValue("start probabilities that do not sum to 1", place=type(model).__name__, remedy="normalise them")
    return enumerate_all(model, gamma, first, most_states)


def enumerate_states(
    model: Model, discount: float, starts: Mapping[Any, float], most_states: int | None = None
) -> TabularMDP:
    """Return the table of a `Model`, state by state: any hashable states, any number of outcomes."""
    names = _Numbering(model, starts)
    rows: list[list[list[_Entry]]] = []
    for number, state in enumerate(names.states):  # the list grows meanwhile
        require_at_most(most_states, number + 1, model)
        if names.terminal[number]:
            rows.append([[(number, 1.0, 0.0)]] * len(model.actions))
            continue
        row = [_list_entries(model, names, state, action) for action in range(len(model.actions))]
        if not any(row):
            raise ContractBroken(
                f"no action is available in state {state}",
                place=describe_place(model),
                remedy="give outcomes of one action at least, or make the state terminal",
            )
        rows.append(row)
    outcomes = _join_rows(rows)
    terminal = np.array(names.terminal, dtype=np.bool_)
    asked_again = _list_asked_again(model, terminal)
    if asked_again:
        listed = [
            [_list_entries(model, names, names.states[number], action) for action in range(len(model.actions))]
            for number in asked_again
        ]
        before = _Outcomes(*(each[asked_again] for each in outcomes))
        _require_same_again(model, [names.states[number] for number in asked_again], before, _join_rows(listed))
    start = np.zeros(len(rows))
    start[: len(starts)] = list(starts.values())
    table = TabularMDP(
        tuple(names.states),
        {**names.ended, **names.going_on},
        tuple(model.actions),
        *outcomes,
        terminal,
        start,
        discount,
    )
    return table.with_available(np.array([[bool(entries) for entries in row] for row in rows]))


def _join_rows(rows: Sequence[Sequence[Sequence[_Entry]]]) -> _Outcomes:
    """Arrays of the outcomes of each state and action."""
    shape = (len(rows), len(rows[0]), max(len(entries) for row in rows for entries in row))
    outcomes = _Outcomes(np.zeros(shape, dtype=np.int32), np.zeros(shape), np.zeros(shape))
    for number, row in enumerate(rows):
        for action, entries in enumerate(row):
            for slot, entry in enumerate(entries):
                for array, value in zip(outcomes, entry, strict=True):
                    array[number, action, slot] = value
    return outcomes


class _Numbering:
    """The states found so far, in order, and which of them are terminal.

    going_on: the number of each state, terminal ones among them. ended: of a state in which a transition has ended the
    episode where one could otherwise go on.
    """

    def __init__(self, model: Model, starts: Iterable[Any]) -> None:
        self.model = model
        self.states: list[Any] = []
        self.terminal: list[bool] = []
        self.going_on: dict[Any, int] = {}
        self.ended: dict[Any, int] = {}
        for state in starts:
            self.number(state, over=False)

    def number(self, state: Any, over: bool) -> int:
        """Return the number of a state. over: whether a transition into it has ended the episode."""
        known = self.ended if over and not self._is_terminal(state) else self.going_on
        if state not in known:
            known[state] = len(self.states)
            self.states.append(state)
            self.terminal.append(over or self._is_terminal(state))
        return known[state]

    def _is_terminal(self, state: Any) -> bool:
        return bool(call_method(self.model, "is_terminal", state))


def _list_entries(model: Model, names: _Numbering, state: Any, action: int) -> list[_Entry]:
    """State number, probability and reward of every possible outcome, equal ones made one; none: not available."""
    chances: dict[tuple[int, float], float] = {}
    given = call_method(model, "outcomes", state, action)
    if not isinstance(given, Iterable):
        refuse(model, "outcomes", given, "a list of Outcome")
    outcomes = list(given)
    place = f"{describe_place(model)}, state {state}, action '{model.actions[action]}'"
    for outcome in outcomes:
        _check_types(model, outcome)
        if outcome.probability < 0.0:
            raise ContractBroken(f"probability {outcome.probability}", place=place, remedy="give none below 0")
        if not math.isfinite(outcome.reward):
            raise ContractBroken(f"reward {outcome.reward} is not finite", place=place, remedy="give finite numbers")
        if outcome.probability == 0.0:
            continue
        key = names.number(outcome.state, outcome.terminated), float(outcome.reward)
        chances[key] = chances.get(key, 0.0) + outcome.probability
    total = sum(outcome.probability for outcome in outcomes)
    if outcomes and not abs(total - 1.0) <= CERTAIN:
        raise ContractBroken(f"probabilities sum to {total}", place=place, remedy="make them sum to 1")
    return [(target, chance, gain) for (target, gain), chance in chances.items()]


def _check_types(model: Model, outcome: Any) -> None:
    """ContractBroken unless this is an Outcome of a hashable state and two numbers."""
    if not isinstance(outcome, Outcome):
        refuse(model, "outcomes", outcome, "an Outcome of engine.mdp.mdp")
    for name in ("reward", "probability"):
        if not isinstance(getattr(outcome, name), Real):
            refuse(model, "outcomes", getattr(outcome, name), f"a number as {name}")
    try:
        {outcome.state}  # noqa: B018  # what is not a key raises
    except TypeError:
        refuse(model, "outcomes", outcome.state, "a state that can be hashed, such as a NamedTuple of numbers")


BYTES = 110  # a state, action and outcome, from enumeration to the end of planning; measured by benchmarks/scaling.py
UNSURE = 2.0
LIMIT_FILE = Path("/sys/fs/cgroup/memory.max")


def available_bytes() -> float:
    """Return the machine's memory, or the limit of the container; infinite where neither can be read."""
    try:
        total = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return float("inf")
    try:
        return min(total, float(LIMIT_FILE.read_text()))
    except (OSError, ValueError):
        return total


def require_at_most(most: int | None, states: int, world: Any) -> None:
    """BadValue where more states have been found than there may be. most: None for no bound."""
    if most is not None and states > most:
        remedy = "draw a smaller map, or ask for what takes less"
        raise BadValue(f"more than {most:,} states", place=describe_place(world), remedy=remedy)


def require_memory(states: int, actions: int, outcomes: int, world: Any) -> None:
    """BadValue where a table of at least so many states would not fit. world: whose table it is, for the message."""
    needed = float(states) * actions * outcomes * BYTES
    there = available_bytes()
    if needed > there:
        raise _make_size_error(f"at least {states:,} states", needed, there, world)


def require_memory_for_about(states: int, actions: int, outcomes: int, world: Any) -> None:
    """BadValue where a table of about so many states would not fit by far: by a factor of UNSURE."""
    needed = float(states) * actions * outcomes * BYTES
    there = available_bytes()
    if needed > UNSURE * there:
        raise _make_size_error(f"about {states:,} states", needed, there, world)


def _make_size_error(states: str, needed: float, there: float, world: Any) -> BadValue:
    return BadValue(
        f"{states} take {needed / 2**30:.1f} GiB of memory, and there are {there / 2**30:.1f}",
        place=describe_place(world),
        remedy="draw a smaller map",
    )


GROWTH = 1.2


class GrowingRows:
    """Rows [m, ...] of one kind of number, appended at the end. Pieces may differ in width; zeros fill what is missing.

    A large array grows in place: the operating system moves its pages and copies nothing.
    """

    def __init__(self) -> None:
        self._room: NDArray[Any] | None = None
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, rows: NDArray[Any]) -> None:
        """Add rows [m, ...]."""
        if self._room is None:
            self._room = np.zeros(rows.shape, rows.dtype)
        end, shape = self._count + len(rows), np.maximum(self._room.shape, rows.shape)[1:].tolist()
        if shape != list(self._room.shape[1:]):
            wider = np.zeros((len(self._room), *shape), rows.dtype)
            wider[tuple(map(slice, self._room.shape))] = self._room
            self._room = wider
        if end > len(self._room):
            self._room.resize((max(end, int(GROWTH * len(self._room))), *shape), refcheck=False)
        self._room[(slice(self._count, end), *map(slice, rows.shape[1:]))] = rows
        self._count = end

    def array(self) -> NDArray[Any]:
        """Return all rows as one array, which this object gives up."""
        assert self._room is not None
        whole, self._room = self._room, None
        whole.resize((self._count, *whole.shape[1:]), refcheck=False)
        return whole
