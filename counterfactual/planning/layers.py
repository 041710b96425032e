"""Tabulating a planning world step by step: the states that can occur at each step, and the outcomes of every action.

Layer t holds the S distinct planning states of step t; successors are indices in layer t + 1. A pair is a state with
an action that can be taken in it, numbered state * A + action; M is the number of pairs, A that of actions. Columns
of integers are packed into one key a row, and equal rows get the same index:

    key = sum over columns of (entry - smallest) * product of the spans of the columns before

Where keys are dense a table of marks replaces sorting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from counterfactual.columns import Column, as_column, as_columns, broadcast, repeat, take
from counterfactual.planning_world import Bonus, PlannedOutcome, PlanningState, PlanningWorld
from engine.errors import BadValue, ContractBroken
from engine.user_code import OWN_PACKAGES, describe_place, find_package

Keys: TypeAlias = NDArray[np.int64]
IndexColumn: TypeAlias = NDArray[np.intp]
_LARGEST_KEY = 2**62
ASKED_AGAIN = 150  # pairs of a step of a user's own world


@dataclass(frozen=True)
class StateIndex:
    """The distinct states of one step, in the order of their keys.

    smallest, largest: the range of each column. keys: int64[S], sorted; the index of a state is the place of its key.
    """

    smallest: tuple[int, ...]
    largest: tuple[int, ...]
    keys: Keys

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, columns: list[Keys]) -> IndexColumn:
        """intp[n]: the index of each row, -1 where it has none."""
        inside = np.ones(len(columns[0]), dtype=bool)
        for column, low, high in zip(columns, self.smallest, self.largest, strict=True):
            inside &= (column >= low) & (column <= high)
        keys = _pack(columns, self.smallest, self.largest)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(inside & (self.keys[place] == keys), place, -1)


def index_states(columns: list[Keys]) -> tuple[StateIndex, IndexColumn, IndexColumn]:
    """Return a `StateIndex` of the distinct rows, the index of each row intp[n], and one row for each index intp[S].

    columns: int64[n] a field. Raises BadValue where the columns span more than 64-bit keys hold.
    """
    if len(columns[0]) == 1:  # a step without a choice
        only = tuple(int(column[0]) for column in columns)
        first = np.zeros(1, dtype=np.intp)
        return StateIndex(only, only, np.zeros(1, dtype=np.int64)), first, first
    smallest = tuple(int(column.min()) for column in columns)
    largest = tuple(int(column.max()) for column in columns)
    span = 1
    for low, high in zip(smallest, largest, strict=True):
        span *= high - low + 1
    if span > _LARGEST_KEY:
        raise BadValue("states span more than 64-bit keys hold", place="planning", remedy="use fewer decimals")
    keys = _pack(columns, smallest, largest)
    n = len(keys)
    if span > 8 * n + 4096:
        distinct, first, indices = _find_distinct(keys, span)
        return StateIndex(smallest, largest, distinct), indices, first
    marks = np.full(span, -1, dtype=np.intp)
    marks[keys] = np.arange(n)
    distinct = np.flatnonzero(marks >= 0)
    first = marks[distinct]
    marks[distinct] = np.arange(len(distinct))
    return StateIndex(smallest, largest, distinct.astype(np.int64)), marks[keys], first


def _find_distinct(keys: Keys, span: int) -> tuple[Keys, IndexColumn, IndexColumn]:
    """Return the distinct keys, sorted, the first row of each, and by row the place of its key.

    Rows are sorted together with their keys in one number, where it holds both: faster than sorting rows by keys.
    """
    bits = len(keys).bit_length()
    if span << bits > _LARGEST_KEY:
        distinct, first, indices = np.unique(keys, return_index=True, return_inverse=True)
        return distinct, first, indices
    both = np.sort((keys << bits) | np.arange(len(keys)))
    order, in_order = both & ((1 << bits) - 1), both >> bits
    new = np.ones(len(keys), dtype=bool)
    new[1:] = in_order[1:] != in_order[:-1]
    indices = np.empty(len(keys), dtype=np.intp)
    indices[order] = np.cumsum(new) - 1
    return in_order[new], order[new], indices


def _pack(columns: list[Keys], smallest: tuple[int, ...], largest: tuple[int, ...]) -> Keys:
    keys = np.zeros(len(columns[0]), dtype=np.int64)
    span = 1
    for column, low, high in zip(columns, smallest, largest, strict=True):
        if low == high:
            continue
        from_low = column if low == 0 else column - low
        keys = from_low if span == 1 else keys + from_low * span
        span *= high - low + 1
    return keys


PER_STEP, PAIRS_A_UNIT = 100, 4  # the units of work of a step however few pairs it has, and how many make one more


class PairOutcomes(NamedTuple):
    """One outcome of every pair.

    weight: int64[M], proportional to its probability, 0 where it is impossible. reward: int64[M], in units of the
    world's `reward_table`. successor: intp[M], the index of the next state.
    """

    weight: Column
    reward: Column
    successor: IndexColumn
    bonus: Bonus | None


@dataclass(frozen=True)
class Layer:
    """One step of a tabulated planning world.

    states: columns of length S. index: finds a state's index. outcomes: the possible outcomes of all pairs. pairs:
    intp[M], sorted, or None where every action is allowed everywhere.
    """

    states: PlanningState
    index: StateIndex
    pairs: IndexColumn | None = None
    outcomes: tuple[PairOutcomes, ...] = ()

    def __len__(self) -> int:
        return len(self.index)

    def find_row(self, pair: int) -> int:
        """Find the row of a pair in the columns of the outcomes, -1 where the action is not allowed."""
        if self.pairs is None:
            return pair
        row = int(np.searchsorted(self.pairs, pair))
        return row if row < len(self.pairs) and self.pairs[row] == pair else -1

    def find_rows(self, pairs: Sequence[int] | IndexColumn) -> IndexColumn:
        """Find the rows of allowed pairs."""
        wanted = np.asarray(pairs, dtype=np.intp)
        return wanted if self.pairs is None else np.searchsorted(self.pairs, wanted)

    def list_edges(self, rows: IndexColumn) -> tuple[IndexColumn, IndexColumn]:
        """List the possible outcomes of the pairs in `rows`: the place of each pair, sorted, and its successor."""
        possible = [np.flatnonzero(outcome.weight[rows]) for outcome in self.outcomes]
        successors = [o.successor[rows[at]] for o, at in zip(self.outcomes, possible, strict=True)]
        if len(possible) == 1:
            return possible[0], successors[0]
        places = np.concatenate(possible)
        order = np.argsort(places, kind="stable")
        return places[order], np.concatenate(successors)[order]


def tabulate_layers(world: PlanningWorld, step: int, start: PlanningState) -> list[Layer]:
    """Return all layers from `step` to the horizon and one after it, which has no outcomes.

    start: one state as plain numbers, or several as columns. Raises BadValue, with an estimate, where that is more work
    than the world's `effort` allows.
    """
    learned = world.learned
    work = learned.effort.in_steps(
        learned.horizon - step + 1, "states of a plan", learned.name, "take fewer steps or coarser numbers"
    )
    given = PlanningState(as_columns(start.x), None if start.signal is None else np.atleast_1d(start.signal))
    index, _, first = index_states(list_columns(given))
    states = take_states(given, first)
    layers = []
    for now in range(step, learned.horizon + 1):
        work.step(PER_STEP + len(index) * len(learned.actions) // PAIRS_A_UNIT)
        pairs, planned = _list_planned_outcomes(world, now, states)
        outcomes, next_index, reached = index_outcomes(planned)
        layers.append(Layer(states, index, pairs, outcomes))
        states, index = reached, next_index
    return [*layers, Layer(states, index)]


def list_columns(states: PlanningState) -> list[NDArray[np.int64]]:
    """Return the fields of planning states as one list of columns, the signal last where there is one."""
    signal = [] if states.signal is None else [states.signal]
    return [np.asarray(entry, dtype=np.int64) for entry in (*states.x, *signal)]


def _list_planned_outcomes(
    world: PlanningWorld, step: int, states: PlanningState
) -> tuple[IndexColumn | None, list[PlannedOutcome]]:
    """Return the pairs of a layer and all their outcomes, every column in full length."""
    actions, n = len(world.learned.actions), len(states.x[0])
    signals = None if states.signal is None else np.repeat(states.signal, actions)
    repeated = PlanningState(repeat(states.x, actions), signals)
    action = np.broadcast_to(np.arange(actions), (n, actions)).reshape(-1)
    allowed = world.learned.allows(step, repeated.x, action)
    pairs = None
    if allowed is not True:
        pairs = np.flatnonzero(as_column(allowed, len(action)))
        repeated, action = take_states(repeated, pairs), action[pairs]
    outcomes = [broadcast_outcome(outcome, len(action)) for outcome in world.outcomes(step, repeated, action)]
    if len(action) and _is_of_users_own(world):
        rows = np.arange(len(action))[: -1 - ASKED_AGAIN : -1]
        asked = take_states(repeated, rows)
        again = [broadcast_outcome(outcome, len(rows)) for outcome in world.outcomes(step, asked, action[rows])]
        _require_same_again(world, step, [_take_outcome(outcome, rows) for outcome in outcomes], again)
    return pairs, outcomes


def _is_of_users_own(world: PlanningWorld) -> bool:
    """Return whether the rules of a planning world, or of the world that is planned in, come from a user's own file."""
    return any(find_package(each) not in OWN_PACKAGES for each in (world.learned, world.outcomes))


def _take_outcome(outcome: PlannedOutcome, rows: IndexColumn) -> PlannedOutcome:
    return PlannedOutcome(outcome.weight[rows], take_states(outcome.next_state, rows), outcome.reward[rows])  # type: ignore[index]


def _require_same_again(
    world: PlanningWorld, step: int, before: Sequence[PlannedOutcome], again: Sequence[PlannedOutcome]
) -> None:
    """Raise ContractBroken where states in another order, some alone, lead elsewhere: rules see each state alone."""
    columns, others = ([_list_numbers(outcome) for outcome in outcomes] for outcomes in (before, again))
    if len(columns) == len(others) and all(map(np.array_equal, columns, others)):
        return
    if _list_chances(columns) != _list_chances(others):
        raise ContractBroken(
            f"outcomes of step {step} were others when the same states were asked about again",
            place=f"{describe_place(world.outcomes)}, in {world.learned.name}",
            remedy="let rules depend on each state and action alone, and list what chance decides as outcomes",
        )


def _list_numbers(outcome: PlannedOutcome) -> NDArray[np.int64]:
    """Return the numbers of an outcome, int64[n, fields]: its weight, the reward, the next states."""
    return np.stack([np.asarray(outcome.weight), np.asarray(outcome.reward), *list_columns(outcome.next_state)], axis=1)


def _list_chances(outcomes: Sequence[NDArray[np.int64]]) -> list[dict[tuple[int, ...], Fraction]]:
    """Return reward and next state -> probability, for each row."""
    result = []
    for row in np.stack(outcomes, axis=1).tolist():
        total = sum(weight for weight, *_ in row) or 1
        chances: dict[tuple[int, ...], Fraction] = {}
        for weight, *reached in row:
            if weight:
                chances[tuple(reached)] = chances.get(tuple(reached), Fraction(0)) + Fraction(weight, total)
        result.append(chances)
    return result


def broadcast_outcome(outcome: PlannedOutcome, m: int) -> PlannedOutcome:
    """Return an outcome with every column in full length."""
    x, signal = outcome.next_state
    next_state = PlanningState(broadcast(x, m), None if signal is None else as_column(signal, m))
    return PlannedOutcome(as_column(outcome.weight, m), next_state, as_column(outcome.reward, m), outcome.bonus)


def index_outcomes(planned: list[PlannedOutcome]) -> tuple[tuple[PairOutcomes, ...], StateIndex, PlanningState]:
    """Outcomes with the indices of successors, their index, and the states that are indexed."""
    if len(planned) == 1 and np.all(planned[0].weight):
        return _index_certain_outcome(planned[0])
    possible = [np.flatnonzero(outcome.weight) for outcome in planned]
    entries = [list_columns(outcome.next_state) for outcome in planned]
    stacked = [
        np.concatenate([entry[rows] for entry, rows in zip(of_field, possible, strict=True)])
        for of_field in zip(*entries, strict=True)
    ]
    index, indices, first = index_states(stacked)
    outcomes = []
    begin = 0
    for outcome, rows in zip(planned, possible, strict=True):
        weight, reward = np.asarray(outcome.weight), np.asarray(outcome.reward)
        successor = np.zeros(len(weight), dtype=np.intp)
        successor[rows] = indices[begin : begin + len(rows)]
        begin += len(rows)
        outcomes.append(PairOutcomes(weight, reward, successor, outcome.bonus))
    like = planned[0].next_state
    reached = [entry[first] for entry in stacked]
    fields = len(like.x)
    states = PlanningState(type(like.x)(*reached[:fields]), None if like.signal is None else reached[fields])
    return tuple(outcomes), index, states


def _index_certain_outcome(outcome: PlannedOutcome) -> tuple[tuple[PairOutcomes, ...], StateIndex, PlanningState]:
    """Return the same for one outcome that is possible everywhere."""
    index, successor, first = index_states(list_columns(outcome.next_state))
    found = PairOutcomes(np.asarray(outcome.weight), np.asarray(outcome.reward), successor, outcome.bonus)
    return (found,), index, take_states(outcome.next_state, first)


def take_states(states: PlanningState, rows: IndexColumn) -> PlanningState:
    """Select rows of planning states, whose fields are columns."""
    return PlanningState(take(states.x, rows), None if states.signal is None else states.signal[rows])
