"""From a world to its table: the reachable states, enumerated breadth first, and their transitions as arrays.

The only place where states become integers. A world given state by state (`Model`) is enumerated here, one in columns
by `engine.mdp.column_enumeration`, with the same state numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from engine.contracts import called, refuse
from engine.errors import BadValue, ContractBroken
from engine.mdp.column_enumeration import enumerate_columns
from engine.mdp.columns import CERTAIN
from engine.mdp.mdp import ColumnModel, Model, Outcome, TabularMDP, checked_discount
from engine.mdp.memory import require_at_most
from engine.printable import shown_value
from engine.user_code import place_of
from engine.value_types import is_number

_Entry = tuple[int, float, float]


def tabulate(
    model: Model | ColumnModel,
    discount: float = 1.0,
    starts: Mapping[Any, float] | None = None,
    most_states: int | None = None,
) -> TabularMDP:
    """The table of a world: its reachable states, enumerated breadth first, and their transitions as arrays.

    model: the world. discount: gamma. starts: start state -> probability, by default the model's own.
    most_states: how many there may be; enumeration stops where there are more. State numbers do not depend on the kind
    of model: states are numbered in the order in which they are reached, actions in order.

    A transition that ends the episode leads into an ended state of its own, terminal beside the one of the same name
    in which one can go on; a state that is terminal anyway needs none. Outcomes of one step that agree in state and
    reward become one; those of probability 0 reach nothing. Raises ContractBroken where the model breaks its contract,
    BadValue for a discount outside [0, 1], for more states than `most_states`, and for a world that says itself that it
    is too large (`replay_only`).
    """
    gamma = checked_discount(discount)
    too_large = getattr(model, "replay_only", "")
    if too_large:
        remedy = "replay actions in it with 'caregrid rollout', play it, or choose a smaller map"
        raise BadValue(f"too large for a table: {too_large}", place=place_of(model), remedy=remedy)
    if starts is not None and not (isinstance(starts, Mapping) and all(map(is_number, starts.values()))):
        raise BadValue(f"starts are {shown_value(starts)}", place="tabulate", remedy="give {state: probability}")
    first = dict(called(model, "starts") if starts is None else starts)
    if not first or not abs(sum(first.values()) - 1.0) <= CERTAIN or min(first.values()) < 0:
        raise BadValue("start probabilities that do not sum to 1", place=type(model).__name__, remedy="normalise them")
    if hasattr(model, "sizes"):
        return enumerate_columns(model, gamma, first, most_states)
    return enumerate_states(model, gamma, first, most_states)


def enumerate_states(
    model: Model, discount: float, starts: Mapping[Any, float], most_states: int | None = None
) -> TabularMDP:
    """The table of a `Model`, state by state: any hashable states, any number of outcomes."""
    names = _Numbering(model, starts)
    rows: list[list[list[_Entry]]] = []
    for number, state in enumerate(names.states):  # the list grows meanwhile
        require_at_most(most_states, number + 1, model)
        if names.terminal[number]:
            rows.append([[(number, 1.0, 0.0)]] * len(model.actions))
            continue
        row = [_entries(model, names, state, action) for action in range(len(model.actions))]
        if not any(row):
            raise ContractBroken(
                f"no action is available in state {state}",
                place=place_of(model),
                remedy="give outcomes of one action at least, or make the state terminal",
            )
        rows.append(row)
    shape = (len(rows), len(model.actions), max(len(entries) for row in rows for entries in row))
    next_state = np.zeros(shape, dtype=np.int32)
    probability, reward = np.zeros(shape), np.zeros(shape)
    for number, row in enumerate(rows):
        for action, entries in enumerate(row):
            for slot, entry in enumerate(entries):
                at = (number, action, slot)
                next_state[at], probability[at], reward[at] = entry
    start = np.zeros(len(rows))
    start[: len(starts)] = list(starts.values())
    table = TabularMDP(
        tuple(names.states),
        {**names.ended, **names.going_on},
        tuple(model.actions),
        next_state,
        probability,
        reward,
        np.array(names.terminal, dtype=np.bool_),
        start,
        discount,
    )
    return table.with_available(np.array([[bool(entries) for entries in row] for row in rows]))


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
        """The number of a state. over: whether a transition into it has ended the episode."""
        known = self.ended if over and not self._is_terminal(state) else self.going_on
        if state not in known:
            known[state] = len(self.states)
            self.states.append(state)
            self.terminal.append(over or self._is_terminal(state))
        return known[state]

    def _is_terminal(self, state: Any) -> bool:
        return bool(called(self.model, "is_terminal", state))


def _entries(model: Model, names: _Numbering, state: Any, action: int) -> list[_Entry]:
    """State number, probability and reward of every possible outcome, equal ones made one; none: not available."""
    chances: dict[tuple[int, float], float] = {}
    given = called(model, "outcomes", state, action)
    if not isinstance(given, Iterable):
        refuse(model, "outcomes", given, "a list of Outcome")
    outcomes = list(given)
    place = f"{place_of(model)}, state {state}, action '{model.actions[action]}'"
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
