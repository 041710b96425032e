"""The rules of one world, the acting agent's or a newcomer's: start states, steps, rewards and terminal states."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from craftworld.scenario import Scenario
from engine.contracts import called, refuse
from engine.errors import ContractBroken
from engine.mdp.codes import ColumnStates
from engine.mdp.columns import read_only, state_columns
from engine.mdp.mdp import TabularMDP
from engine.mdp.tabulate import tabulate
from engine.mdp.termination import has_proper_policy
from engine.user_code import place_of, user_code

MOST_STATES_ALONE = 150
ROUNDING = 1e-9


def check_rules(scenario: Scenario, starts: Mapping[Any, float] | None = None) -> TabularMDP:
    """The table of a world whose rules keep the contract; ContractBroken for the first thing that is wrong.

    starts: where somebody may begin here, by default the scenario's own start states.
    """
    first = called(scenario, "starts") if starts is None else starts
    check_starts(scenario, first)
    for times in (2, 3):  # two states at least: an `if` fails on them; two counts: a column of a fixed length fails
        several = np.array([tuple(state) for state in first] * times, dtype=np.int64)
        columns = read_only(type(next(iter(first)))(*several.T.copy()))
        for action in range(len(scenario.actions)):
            _check_step(scenario, columns, len(several), action)
    with user_code(place_of(scenario)):
        mdp = tabulate(scenario, scenario.discount, first)
    assert isinstance(mdp.states, ColumnStates)
    columns, count = read_only(mdp.states.columns()), len(mdp.states)
    _check_array(scenario, "is_terminal", called(scenario, "is_terminal", columns), count, "b", "bool")
    for action in range(len(scenario.actions)):
        _check_step(scenario, columns, count, action)
    for number in evenly_spread(count):
        _check_alone(scenario, mdp, number)
    return mdp


def evenly_spread(count: int, most: int = MOST_STATES_ALONE) -> list[int]:
    """At most `most` numbers below `count`, evenly spread, the first and the last among them."""
    return sorted({*np.linspace(0, count - 1, min(count, most)).astype(int).tolist()})


def check_starts(scenario: Scenario, starts: Any) -> None:
    """ContractBroken unless these are states of plain integers within `sizes`, with probabilities that sum to 1."""
    if not isinstance(starts, Mapping) or not starts:
        refuse(scenario, "starts", starts, "a mapping from start states to their probabilities")
    kind, sizes = type(next(iter(starts))), scenario.sizes
    for state in starts:
        if type(state) is not kind or not hasattr(state, "_fields"):
            refuse(scenario, "starts", state, "states that are all of one NamedTuple class")
        if len(state) != len(sizes):
            refuse(scenario, "sizes", sizes, f"one size for each of {', '.join(state._fields)}")
        for name, value, size in zip(state._fields, state, sizes, strict=True):
            if isinstance(value, float) or not isinstance(value, int | np.integer) or not 0 <= value < size:
                refuse(scenario, "starts", state, f"an integer from 0 to {size - 1} in field '{name}'")
    total = sum(starts.values())
    if min(starts.values()) < 0 or not abs(total - 1.0) <= ROUNDING:
        refuse(scenario, "starts", list(starts.values()), f"probabilities that sum to 1, not to {total:g}")


def check_end_is_reachable(scenario: Scenario, mdp: TabularMDP) -> None:
    """ContractBroken where an undiscounted episode that begins in a start state can never end."""
    if mdp.discount < 1.0:
        return
    stuck = mdp.start_states()[~has_proper_policy(mdp)[mdp.start_states()]]
    if len(stuck):
        raise ContractBroken(
            f"no terminal state can be reached from the start state {mdp.states[int(stuck[0])]}",
            place=place_of(scenario),
            remedy="mend step or is_terminal, or set a discount below 1",
        )


def _check_step(scenario: Scenario, columns: Any, count: int, action: int) -> None:
    """Types and shapes of a step from many states, and that it gives the same twice."""
    after, again = (state_columns(called(scenario, "step", columns, action), count, scenario, "step") for _ in range(2))
    if type(after) is not type(columns):
        refuse(scenario, "step", type(after).__name__, f"{type(columns).__name__}, as starts gave")
    for name, field, other in zip(after._fields, after, again, strict=True):
        if not np.array_equal(field, other):
            raise ContractBroken(
                f"step gave two answers for field '{name}'", place=place_of(scenario), remedy="use no chance in step"
            )
    for name, field, size in zip(after._fields, after, scenario.sizes, strict=True):
        if field.min() < 0 or field.max() >= size:
            raise ContractBroken(
                f"step, action '{scenario.actions[action]}', gave {field.min()} to {field.max()} in field '{name}'",
                place=place_of(scenario),
                remedy=f"its size is {size}: give 0 to {size - 1}",
            )
    reward = called(scenario, "reward", columns, action, read_only(after))
    _check_array(scenario, "reward", reward, count, "iuf", "finite number")


def _check_array(scenario: Scenario, method: str, given: Any, count: int, kinds: str, what: str) -> None:
    """A number, or one a state, of one of numpy's kinds."""
    array = np.asarray(given)
    fits = array.dtype.kind in kinds and array.shape in ((), (count,))
    if not fits or not np.isfinite(array).all():
        shown = f"an array of {array.dtype} of shape {array.shape}" if array.ndim else repr(given)
        raise ContractBroken(
            f"{method} gave {shown}", place=place_of(scenario), remedy=f"expected one {what}, or a column of {count}"
        )


def _check_alone(scenario: Scenario, mdp: TabularMDP, number: int) -> None:
    """One state of plain integers must lead where the columns lead."""
    state = mdp.states[number]
    if bool(called(scenario, "is_terminal", state)) != bool(mdp.terminal[number]):
        _disagrees(scenario, "is_terminal", state)
    for action in range(0 if mdp.terminal[number] else len(scenario.actions)):
        after = called(scenario, "step", state, action)
        reward = float(called(scenario, "reward", state, action, after))
        target = mdp.states[int(mdp.next_state[number, action, 0])]
        if tuple(map(int, after)) != tuple(target):
            _disagrees(scenario, f"step, action '{scenario.actions[action]}',", state)
        if not math.isclose(reward, mdp.reward[number, action, 0], abs_tol=ROUNDING):
            _disagrees(scenario, f"reward, action '{scenario.actions[action]}',", state)


def _disagrees(scenario: Scenario, method: str, state: Any) -> None:
    raise ContractBroken(
        f"{method} gave one thing for {state} alone and another for it among many",
        place=place_of(scenario),
        remedy="write rules entry by entry: where(condition, yes, no) in place of if",
    )
