"""The rules of one world, the acting agent's or a newcomer's: start states, steps, rewards and terminal states."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from craftworld.scenario import Scenario
from engine.contracts import called, refuse
from engine.errors import ContractBroken
from engine.mdp.codes import ColumnStates
from engine.mdp.columns import CERTAIN, Branch, branches, number_column, read_only
from engine.mdp.mdp import Booleans, TabularMDP
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
    _check_flags(scenario, "is_terminal", columns, count)
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
    """Types and shapes of a step from many states, of what it earns, and that it gives the same twice."""
    _check_flags(scenario, "available", columns, count, action)
    asked = _asked(scenario, columns, count, action)
    for following in _checked_branches(scenario, "step", columns, asked, action):
        for method in ("reward", "performance"):
            given = called(scenario, method, columns, action, following)
            number_column(given, count, scenario, method, "iuf", "finite number")
        _check_flags(scenario, "ends", columns, count, action, following)


def check_inaction(scenario: Scenario, columns: Any, count: int) -> None:
    """ContractBroken unless doing nothing leads from each of these states to states, as a step does."""
    for _ in _checked_branches(scenario, "inaction", columns, np.ones(count, dtype=np.bool_)):
        pass


def _checked_branches(
    scenario: Scenario, method: str, columns: Any, asked: Booleans, action: int | None = None
) -> Iterator[Any]:
    """The next states that `step` or `inaction` gives, those of one branch after the other, in columns.

    asked: bool[count], for which states the answer counts; the others stay where they are. ContractBroken for what
    differs when it is asked twice, is of another class, or does not fit into `sizes`.
    """
    arguments = (columns,) if action is None else (columns, action)
    name = method if action is None else f"{method}, action '{scenario.actions[action]}',"
    once, again = (branches(called(scenario, method, *arguments), len(asked), scenario, name, asked) for _ in range(2))
    for after, other in zip(once, again, strict=False):
        _check_same(scenario, method, after, other, len(once) == len(again))
    for chance, after, _ in once:
        if type(after) is not type(columns):
            refuse(scenario, name, type(after).__name__, f"{type(columns).__name__}, as starts gave")
        counts = asked & (chance > 0.0)
        for field, label, size in zip(after, after._fields, scenario.sizes, strict=True):
            seen = field[counts]
            if seen.size and (seen.min() < 0 or seen.max() >= size):
                raise ContractBroken(
                    f"{name} gave {seen.min()} to {seen.max()} in field '{label}'",
                    place=place_of(scenario),
                    remedy=f"its size is {size}: give 0 to {size - 1}",
                )
        yield read_only(type(after)(*(np.where(counts, *pair) for pair in zip(after, columns, strict=True))))


def _asked(scenario: Scenario, columns: Any, count: int, action: int) -> Booleans:
    """bool[count]: the states in which an action can be taken."""
    over = number_column(called(scenario, "is_terminal", columns), count, scenario, "is_terminal", "b", "bool")
    available = number_column(called(scenario, "available", columns, action), count, scenario, "available", "b", "bool")
    asked: Booleans = ~over & available
    return asked


def _check_flags(scenario: Scenario, method: str, columns: Any, count: int, *more: Any) -> None:
    number_column(called(scenario, method, columns, *more), count, scenario, method, "b", "bool")


def _check_same(scenario: Scenario, method: str, one: Branch, other: Branch, as_many: bool) -> None:
    """ContractBroken where a method that is asked twice answers differently."""
    pairs = zip(("probability", *one.state._fields), (one[0], *one[1]), (other[0], *other[1]), strict=True)
    for name, column, again in pairs:
        if not as_many or not np.array_equal(column, again):
            raise ContractBroken(
                f"{method} gave two answers for field '{name}'",
                place=place_of(scenario),
                remedy=f"draw no numbers in {method}: list what may happen with its probability",
            )


def _check_alone(scenario: Scenario, mdp: TabularMDP, number: int) -> None:
    """One state of plain integers must lead where the columns lead."""
    state = mdp.states[number]
    if mdp.index[state] != number:  # a transition has ended the episode in it
        return
    if bool(called(scenario, "is_terminal", state)) != bool(mdp.terminal[number]):
        _disagrees(scenario, "is_terminal", state)
    for action in range(0 if mdp.terminal[number] else len(scenario.actions)):
        if bool(called(scenario, "available", state, action)) != bool(mdp.action_mask(number)[action]):
            _disagrees(scenario, f"available, action '{scenario.actions[action]}',", state)
        if mdp.action_mask(number)[action]:
            _check_outcomes_alone(scenario, mdp, number, action)


def _check_outcomes_alone(scenario: Scenario, mdp: TabularMDP, number: int, action: int) -> None:
    """The outcomes of one step from one state, by their expectation of next state and reward, as in the table."""
    state, given = mdp.states[number], called(scenario, "step", mdp.states[number], action)
    alone: dict[Any, float] = {}
    expected = 0.0
    for chance, after, *_ in [(1.0, given)] if hasattr(given, "_fields") else given:
        if chance > 0.0:
            key = tuple(map(int, after))
            alone[key] = alone.get(key, 0.0) + float(chance)
            expected += float(chance) * float(called(scenario, "reward", state, action, after))
    table: dict[Any, float] = {}
    row = number, action
    for chance, target in zip(mdp.probability[row], mdp.next_state[row], strict=True):
        if chance > 0.0:
            key = tuple(mdp.states[int(target)])
            table[key] = table.get(key, 0.0) + float(chance)
    if alone.keys() != table.keys() or any(not math.isclose(alone[key], table[key], abs_tol=CERTAIN) for key in alone):
        _disagrees(scenario, f"step, action '{scenario.actions[action]}',", state)
    if not math.isclose(expected, float(mdp.probability[row] @ mdp.reward[row]), abs_tol=ROUNDING):
        _disagrees(scenario, f"reward, action '{scenario.actions[action]}',", state)


def _disagrees(scenario: Scenario, method: str, state: Any) -> None:
    raise ContractBroken(
        f"{method} gave one thing for {state} alone and another for it among many",
        place=place_of(scenario),
        remedy="write rules entry by entry: where(condition, yes, no) in place of if",
    )
