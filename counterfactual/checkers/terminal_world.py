"""The contract of terminal worlds: what they declare, and kernels that move many states as they move each of them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from counterfactual.checkers.columns import (
    IntegerColumn,
    distinct_states,
    require_instances,
    require_integers,
    require_states,
    require_weights,
)
from counterfactual.checkers.future_selves import check_future_selves
from counterfactual.columns import column, state_at, take
from counterfactual.terminal_world import PhysicsOutcome, Signal, SignalOutcome, TerminalWorld, accept_terminal_world
from engine.contracts import array_given, called, refuse
from engine.errors import ContractBroken
from engine.scene import Scene
from engine.user_code import place_of, user_code

STATES, STEPS, ROWS = 48, 40, 3  # states looked at in a step, steps looked at, rows compared with single states


def check_terminal_world(kind: Any, settings: Mapping[str, object] | None = None) -> None:
    """Make a world and take every action in the states of its first steps; ContractBroken for the first mistake.

    kind: a class derived from `TerminalWorld`. settings: parameter -> value, its defaults by default.
    """
    accepted = accept_terminal_world(kind)
    with user_code(f"{place_of(kind)}, make"):
        world = accepted.make(settings or {})
    check_made_world(world)


def check_made_world(world: TerminalWorld[Any]) -> None:
    """`check_terminal_world` of a world that is made already."""
    _check_declarations(world)
    start = called(world, "start")
    if not isinstance(start, tuple) or not hasattr(start, "_fields"):
        refuse(world, "start", start, "a NamedTuple of integers")
    for field, value in zip(start._fields, start, strict=True):
        require_integers(world, "start", value, 1, f"'{field}'")
    states = distinct_states(require_states(world, "start", start, start, 1), column(0, 1), 1)
    for step in range(1, min(world.horizon, STEPS) + 1):
        x = type(start)(*(np.array(entries) for entries in zip(*(numbers for numbers, _ in states), strict=True)))
        signal = np.array([sent for _, sent in states])
        view = called(world, "view", state_at(x, 0))
        if not isinstance(view, Scene):
            refuse(world, "view", view, "a Scene")
        check_future_selves(world, x)
        states = _check_step(world, step, x, signal)


def _check_declarations(world: TerminalWorld[Any]) -> None:
    declared = {name: _declared(world, name) for name in ("action_names", "features", "signals", "horizon", "discount")}
    names, features, signals = declared["action_names"], declared["features"], declared["signals"]
    if not isinstance(names, Mapping) or not all(isinstance(glyph, str) for glyph in (*names, *names.values())):
        refuse(world, "action_names", names, "a mapping from each action's glyph to its meaning")
    if not names or any(len(glyph) != 1 or glyph == "#" for glyph in names):
        refuse(world, "action_names", list(names), "glyphs of one character, '#' not among them")
    actions = _declared(world, "actions")
    if not isinstance(actions, tuple) or actions != tuple(names):
        refuse(world, "actions", actions, "the glyphs of action_names")
    if not isinstance(features, tuple) or not features or not all(isinstance(name, str) for name in features):
        refuse(world, "features", features, "a tuple of names")
    if not isinstance(signals, tuple) or not signals or not all(isinstance(signal, Signal) for signal in signals):
        refuse(world, "signals", signals, "a tuple of Signal, at least one")
    for signal in signals:
        numbers = signal.feature_rewards
        if len(numbers) != len(features) or not all(isinstance(number, Fraction | int) for number in numbers):
            refuse(world, "signals", signal, f"a Fraction for each of the {len(features)} features")
    if not isinstance(declared["horizon"], int) or declared["horizon"] < 1:
        refuse(world, "horizon", declared["horizon"], "an integer of at least 1")
    if not isinstance(declared["discount"], Fraction | int) or not 0 <= declared["discount"] <= 1:
        refuse(world, "discount", declared["discount"], "a Fraction between 0 and 1")
    unit = _declared(world, "event_unit")
    if not isinstance(unit, Fraction | int) or unit <= 0:
        refuse(world, "event_unit", unit, "a positive Fraction")
    with user_code(f"{place_of(world)}, signals"):
        _ = world.reward_table


def _declared(world: TerminalWorld[Any], name: str) -> Any:
    with user_code(f"{place_of(world)}, {name}"):
        return getattr(world, name)


def _check_step(
    world: TerminalWorld[Any], step: int, x: Any, signal: IntegerColumn
) -> list[tuple[tuple[int, ...], int]]:
    """Take every action that is allowed in n states; the states that it may lead to."""
    actions, n = len(world.actions), len(signal)
    x, signal = take(x, np.repeat(np.arange(n), actions)), np.repeat(signal, actions)
    action = np.tile(np.arange(actions), n)
    allowed = called(world, "allows", step, x, action)
    flags = array_given(allowed)
    if flags.dtype != bool or flags.shape not in ((), (len(action),)):
        refuse(world, "allows", allowed, f"True, False or bool[{len(action)}]")
    available = np.broadcast_to(allowed, action.shape)
    if not available.reshape(n, actions).any(axis=1).all():
        refuse(world, "allows", "no action", f"at least one in every state of step {step}")
    x, signal, action = take(x, available), signal[available], action[available]
    _check_kernel(world, "physics", step, x, signal, action)
    next_x, sent = _check_kernel(world, "physics_given", step, x, signal, action)
    return distinct_states(next_x, sent, STATES)


def _check_kernel(
    world: TerminalWorld[Any], method: str, step: int, x: Any, signal: IntegerColumn, action: IntegerColumn
) -> tuple[Any, IntegerColumn]:
    """One of the kernels of X, and that of I after it, in all rows; the possible next states and signals."""
    given = (signal, step, x, action) if method == "physics_given" else (step, x, action)
    before = [array.copy() for array in (*x, signal, action)]
    n, reached = len(action), []
    rows = _outcome_rows(world, method, called(world, method, *given), n)
    for weight, next_x, _ in rows:
        sent = require_instances(
            world, "terminal", called(world, "terminal", signal, step, x, action, next_x), SignalOutcome
        )
        chances = require_weights(world, "terminal", [outcome.weight for outcome in sent], n)
        for outcome, chance in zip(sent, chances, strict=True):
            following = require_integers(world, "terminal", outcome.signal, n, "the signal")
            possible = (weight > 0) & (chance > 0)
            if (possible & ((following < 0) | (following >= len(world.signals)))).any():
                refuse(world, "terminal", outcome.signal, f"signals from 0 to {len(world.signals) - 1}")
            reached.append((take(next_x, possible), following[possible]))
        updates = array_given(called(world, "updates", step, x, next_x))
        if updates.dtype != bool or updates.shape not in ((), (n,)):
            refuse(world, "updates", updates, f"True, False or bool[{n}]")
    if any((now != then).any() for now, then in zip((*x, signal, action), before, strict=True)):
        raise ContractBroken(
            f"{method} or terminal changes its arguments", place=place_of(world), remedy="change copies"
        )
    for row in sorted({0, n // 2, n - 1})[:ROWS]:
        _check_row(world, method, rows, (signal, step, x, action), row)
    next_x = type(x)(*(np.concatenate(entries) for entries in zip(*(x for x, _ in reached), strict=True)))
    return next_x, np.concatenate([sent for _, sent in reached])


def _outcome_rows(
    world: TerminalWorld[Any], method: str, outcomes: Any, n: int
) -> list[tuple[IntegerColumn, Any, list[IntegerColumn]]]:
    """Weights, next states and events of every outcome, as columns of length n."""
    listed = require_instances(world, method, outcomes, PhysicsOutcome)
    weights = require_weights(world, method, [outcome.weight for outcome in listed], n)
    rows = []
    for weight, outcome in zip(weights, listed, strict=True):
        next_x = require_states(world, method, outcome.next_x, world.start(), n)
        if not isinstance(outcome.events, tuple) or len(outcome.events) != len(world.features):
            refuse(world, method, outcome.events, f"events as a tuple, one for each of {', '.join(world.features)}")
        events = [
            require_integers(world, method, count, n, f"the events '{feature}'")
            for feature, count in zip(world.features, outcome.events, strict=True)
        ]
        rows.append((weight, next_x, events))
    return rows


def _check_row(
    world: TerminalWorld[Any],
    method: str,
    rows: list[tuple[IntegerColumn, Any, list[IntegerColumn]]],
    given: tuple[IntegerColumn, int, Any, IntegerColumn],
    row: int,
) -> None:
    """Whether one state alone moves as it does among others."""
    signal, step, x, action = given
    one = np.array([row])
    alone = (signal[one], step, take(x, one), action[one])
    outcomes = called(world, method, *(alone if method == "physics_given" else alone[1:]))
    single = _outcome_rows(world, method, outcomes, 1)
    if _moves(single, 0) != _moves(rows, row):
        state, glyph = state_at(x, row), world.actions[int(action[row])]
        raise ContractBroken(
            f"{method} moves {state} under '{glyph}' differently among other states",
            place=place_of(world),
            remedy="write it elementwise: numpy functions and operators, no if on columns",
        )


def _moves(outcomes: list[tuple[IntegerColumn, Any, list[IntegerColumn]]], row: int) -> dict[tuple[Any, ...], Fraction]:
    """Next state and events of one row -> their probability."""
    total = sum(int(weight[row]) for weight, _, _ in outcomes)
    moves: dict[tuple[Any, ...], Fraction] = {}
    for weight, next_x, events in outcomes:
        if weight[row] > 0:
            key = (tuple(state_at(next_x, row)), tuple(int(count[row]) for count in events))
            moves[key] = moves.get(key, Fraction(0)) + Fraction(int(weight[row]), total)
    return moves
