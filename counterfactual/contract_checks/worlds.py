"""The contracts of terminal worlds and factory rules: what they declare, and how their kernels move many states.

A world is made, and every action is taken in the states of its first steps: columns must be integers of the right
length, weights not negative, states like the initial one, and one state alone must move as it does among others.
Where actions make the agent another one, the world must say which self it is and what each self is. A rule must have
names of its own, be inactive by default, and make a lawful factory once it is active.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfactual.agents import PlanningAgent
from counterfactual.car_factory import FACTORY_RULE, FACTORY_RULES, ChangedSelf, FactoryRule
from counterfactual.columns import as_column, as_ints, broadcast, get_state, take
from counterfactual.worlds import (
    TERMINAL_WORLD,
    FutureSelf,
    PhysicsOutcome,
    Signal,
    SignalOutcome,
    TerminalWorld,
)
from counterfactual.worlds.car_factory import ACTION_NAMES, CarFactory
from engine.contracts import (
    Contract,
    Field,
    call_method,
    is_mapping_of_texts,
    is_name_tuple,
    is_tuple_of,
    read_array,
    refuse,
    require_steady,
)
from engine.errors import BadValue, ContractBroken
from engine.scene import Scene
from engine.user_code import describe_place, user_code

IntegerColumn = NDArray[np.int64]


def require_integers(owner: Any, method: str, value: Any, n: int, what: str) -> IntegerColumn:
    """Return the value as int64[n]; ContractBroken unless it is an integer, or n of them."""
    array = read_array(value)
    if array.dtype.kind not in "iub" or array.shape not in ((), (n,)):
        refuse(owner, method, value, f"{what} as an integer or as int64[{n}]")
    return np.broadcast_to(array.astype(np.int64), (n,))


def require_weights(owner: Any, method: str, weights: Iterable[Any], n: int) -> list[IntegerColumn]:
    """Return the weights as int64[n] each; ContractBroken unless none is negative and every row has a positive one."""
    columns = [require_integers(owner, method, weight, n, "a weight") for weight in weights]
    for column in columns:
        if (column < 0).any():
            refuse(owner, method, int(column.min()), "weights of at least 0")
    if not columns or (np.sum(columns, axis=0) <= 0).any():
        refuse(owner, method, f"{len(columns)} outcomes", "an outcome of positive weight for every state")
    return columns


def require_states(owner: Any, method: str, x: Any, like: Any, n: int) -> Any:
    """Return the states as columns of length n; ContractBroken unless they are of the class of `like`, of integers."""
    if type(x) is not type(like):
        refuse(owner, method, x, f"states of class {type(like).__name__}, as start gives")
    for field, value in zip(like._fields, x, strict=True):
        require_integers(owner, method, value, n, f"'{field}'")
    return broadcast(x, n)


def require_instances(owner: Any, method: str, values: Any, expected: type) -> list[Any]:
    """Return the values as a list; ContractBroken unless there is at least one, all of the class."""
    if isinstance(values, expected) or not isinstance(values, Sequence) or not values:
        refuse(owner, method, values, f"a list of {expected.__name__}, at least one")
    for value in values:
        if not isinstance(value, expected):
            refuse(owner, method, value, f"a list of {expected.__name__}")
    return list(values)


def select_distinct_states(x: Any, signal: IntegerColumn, most: int) -> list[tuple[tuple[int, ...], int]]:
    """At most `most` of the distinct (X_t, I_t) among rows, as plain numbers, evenly spread over their order."""
    rows = zip(*(column.tolist() for column in (*x, signal)), strict=True)
    states = sorted({(as_ints(row[:-1]), int(row[-1])) for row in rows})
    return states[:: -(-len(states) // most)]


def check_future_selves(world: TerminalWorld[Any], x: Any) -> set[int]:
    """Ask which self the agent is in n states given as columns, and what each of them is; ContractBroken.

    Returns the indices of the selves that occur.
    """
    n = len(x[0])
    before = [column.copy() for column in x]
    selves = _ask_selves(world, x, n)
    if any((now != then).any() for now, then in zip(x, before, strict=True)):
        raise ContractBroken("self_of changes its arguments", place=describe_place(world), remedy="change copies")
    for row in {0, n - 1}:
        alone = _ask_selves(world, take(x, np.array([row])), 1)
        if alone[0] != selves[row]:
            problem = f"self_of gives {alone[0]} for {get_state(x, row)}, and {selves[row]} among other states"
            raise ContractBroken(problem, place=describe_place(world), remedy="write it elementwise on columns")
    found = {int(index) for index in selves}
    for index in sorted(found - {world.self_index}):
        _check_self(world, index)
    return found


def _ask_selves(world: TerminalWorld[Any], x: Any, n: int) -> IntegerColumn:
    given = call_method(world, "self_of", x)
    selves = require_integers(world, "self_of", given, n, "which self the agent is")
    if (selves < 0).any():
        refuse(world, "self_of", int(selves.min()), "numbers of selves, at least 0")
    if isinstance(given, int) and given != world.self_index:
        refuse(world, "self_of", given, f"int64[{n}] where the agent can become another one")
    return selves


def _is_agent_or_none(agent: Any) -> bool:
    """Return whether it is None or can be used as a planning agent."""
    try:
        return agent is None or bool(PlanningAgent.accept(agent))
    except ContractBroken:
        return False


FUTURE_SELF = (
    Field("fine", "a Fraction as fine", lambda fine: isinstance(fine, Fraction | int)),
    Field("agent", "a PlanningAgent as agent, or None for the same design", _is_agent_or_none),
    Field("world", "a TerminalWorld as its world", lambda world: isinstance(world, TerminalWorld)),
)
SHARED_BY_SELVES: dict[str, Callable[[TerminalWorld[Any]], object]] = {
    "actions": lambda world: world.actions,
    "features": lambda world: world.features,
    "horizon": lambda world: world.horizon,
    "discount": lambda world: world.discount,
    "number of signals": lambda world: len(world.signals),
    "fields in its state": lambda world: getattr(world.start(), "_fields", None),
}


def _check_self(world: TerminalWorld[Any], index: int) -> None:
    """One self: the same world, told apart by its reward functions, its design or its fine."""
    future = call_method(world, "future_self", index)
    if not isinstance(future, FutureSelf):
        refuse(world, "future_self", future, "a FutureSelf")
    for field in FUTURE_SELF:
        if not field.holds(getattr(future, field.name)):
            refuse(world, "future_self", getattr(future, field.name), field.remedy)
    of_self = future.world
    if of_self.self_index != index:
        refuse(world, "future_self", f"a world of self_index {of_self.self_index}", f"self_index={index} in that world")
    with user_code(f"{describe_place(world)}, future_self"):
        for name, of in SHARED_BY_SELVES.items():
            if of(of_self) != of(world):
                refuse(world, "future_self", f"a world with other {name}", "the same world, with other rewards")
        _ = of_self.reward_table


STATES, STEPS, ROWS = 48, 40, 3  # states looked at in a step, steps looked at, rows compared with single states


def check_terminal_world(kind: Any, settings: Mapping[str, object] | None = None) -> None:
    """Make a world and take every action in the states of its first steps.

    Parameters
    ----------
    kind : type
        A class derived from `TerminalWorld`.
    settings : mapping, optional
        Parameter -> value; the world's defaults by default.

    Raises
    ------
    ContractBroken
        For the first mistake, in one line.

    Examples
    --------
    >>> from counterfactual.worlds import TERMINAL_WORLDS
    >>> check_terminal_world(TERMINAL_WORLDS["barricade"], {"units": 4})
    """
    accepted = TERMINAL_WORLD.accept(kind)
    with user_code(f"{describe_place(kind)}, make"):
        world = accepted.make(settings or {})
    check_made_world(world)


def check_made_world(world: TerminalWorld[Any]) -> None:
    """`check_terminal_world` of a world that is made already."""
    require_steady(world)
    with user_code(describe_place(world)):
        MADE_WORLD.accept(world)
    start = call_method(world, "start")
    if not isinstance(start, tuple) or not hasattr(start, "_fields"):
        refuse(world, "start", start, "a NamedTuple of integers")
    for field, value in zip(start._fields, start, strict=True):
        require_integers(world, "start", value, 1, f"'{field}'")
    states = select_distinct_states(require_states(world, "start", start, start, 1), as_column(0, 1), 1)
    for step in range(1, min(world.horizon, STEPS) + 1):
        x = type(start)(*(np.array(entries) for entries in zip(*(numbers for numbers, _ in states), strict=True)))
        signal = np.array([sent for _, sent in states])
        view = call_method(world, "view", get_state(x, 0))
        if not isinstance(view, Scene):
            refuse(world, "view", view, "a Scene")
        check_future_selves(world, x)
        states = _check_step(world, step, x, signal)


def _are_glyphs(names: Mapping[str, str]) -> bool:
    return bool(names) and all(len(glyph) == 1 and glyph != "#" for glyph in names)


def _require_consistent(world: TerminalWorld[Any]) -> None:
    """ContractBroken unless actions are the glyphs, and every signal rewards every feature."""
    if world.actions != tuple(world.action_names):
        refuse(world, "actions", world.actions, "the glyphs of action_names")
    for signal in world.signals:
        numbers = signal.feature_rewards
        if len(numbers) != len(world.features) or not all(isinstance(number, Fraction | int) for number in numbers):
            refuse(world, "signals", signal, f"a Fraction for each of the {len(world.features)} features")
    _ = world.reward_table


MADE_WORLD = Contract[TerminalWorld[Any]](
    "terminal world",
    instance_of=TerminalWorld,
    place=describe_place,
    fields=(
        Field("action_names", "expected a mapping from each action's glyph to its meaning", is_mapping_of_texts),
        Field("action_names", "expected glyphs of one character, '#' not among them", _are_glyphs),
        Field("features", "expected a tuple of names", lambda names: is_name_tuple(names) and bool(names)),
        Field("signals", "expected a tuple of Signal, at least one", lambda value: is_tuple_of(value, Signal)),
        Field("horizon", "expected an integer of at least 1", lambda steps: isinstance(steps, int) and steps >= 1),
        Field(
            "discount",
            "expected a Fraction between 0 and 1",
            lambda discount: isinstance(discount, Fraction | int) and 0 <= discount <= 1,
        ),
        Field("event_unit", "expected a positive Fraction", lambda u: isinstance(u, Fraction | int) and u > 0),
    ),
    require=_require_consistent,
)


def _check_step(
    world: TerminalWorld[Any], step: int, x: Any, signal: IntegerColumn
) -> list[tuple[tuple[int, ...], int]]:
    """Take every action that is allowed in n states; the states that it may lead to."""
    actions, n = len(world.actions), len(signal)
    x, signal = take(x, np.repeat(np.arange(n), actions)), np.repeat(signal, actions)
    action = np.tile(np.arange(actions), n)
    allowed = call_method(world, "allows", step, x, action)
    flags = read_array(allowed)
    if flags.dtype != bool or flags.shape not in ((), (len(action),)):
        refuse(world, "allows", allowed, f"True, False or bool[{len(action)}]")
    available = np.broadcast_to(allowed, action.shape)
    if not available.reshape(n, actions).any(axis=1).all():
        refuse(world, "allows", "no action", f"at least one in every state of step {step}")
    x, signal, action = take(x, available), signal[available], action[available]
    _check_kernel(world, "physics", step, x, signal, action)
    next_x, sent = _check_kernel(world, "physics_given", step, x, signal, action)
    return select_distinct_states(next_x, sent, STATES)


def _check_kernel(
    world: TerminalWorld[Any], method: str, step: int, x: Any, signal: IntegerColumn, action: IntegerColumn
) -> tuple[Any, IntegerColumn]:
    """Return one of the kernels of X, and that of I after it, in all rows; the possible next states and signals."""
    given = (signal, step, x, action) if method == "physics_given" else (step, x, action)
    before = [array.copy() for array in (*x, signal, action)]
    n = len(action)
    reached = []
    rows = _require_outcome_rows(world, method, call_method(world, method, *given), n)
    for weight, next_x, _ in rows:
        sent = require_instances(
            world, "terminal", call_method(world, "terminal", signal, step, x, action, next_x), SignalOutcome
        )
        chances = require_weights(world, "terminal", [outcome.weight for outcome in sent], n)
        for outcome, chance in zip(sent, chances, strict=True):
            following = require_integers(world, "terminal", outcome.signal, n, "the signal")
            possible = (weight > 0) & (chance > 0)
            if (possible & ((following < 0) | (following >= len(world.signals)))).any():
                refuse(world, "terminal", outcome.signal, f"signals from 0 to {len(world.signals) - 1}")
            reached.append((take(next_x, possible), following[possible]))
        updates = read_array(call_method(world, "updates", step, x, next_x))
        if updates.dtype != bool or updates.shape not in ((), (n,)):
            refuse(world, "updates", updates, f"True, False or bool[{n}]")
    if any((now != then).any() for now, then in zip((*x, signal, action), before, strict=True)):
        raise ContractBroken(
            f"{method} or terminal changes its arguments", place=describe_place(world), remedy="change copies"
        )
    for row in sorted({0, n // 2, n - 1})[:ROWS]:
        _check_row(world, method, rows, (signal, step, x, action), row)
    next_x = type(x)(*(np.concatenate(entries) for entries in zip(*(x for x, _ in reached), strict=True)))
    return next_x, np.concatenate([sent for _, sent in reached])


def _require_outcome_rows(
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
    outcomes = call_method(world, method, *(alone if method == "physics_given" else alone[1:]))
    single = _require_outcome_rows(world, method, outcomes, 1)
    if _collect_moves(single, 0) != _collect_moves(rows, row):
        state = get_state(x, row)
        glyph = world.actions[int(action[row])]
        raise ContractBroken(
            f"{method} moves {state} under '{glyph}' differently among other states",
            place=describe_place(world),
            remedy="write it elementwise: numpy functions and operators, no if on columns",
        )


def _collect_moves(
    outcomes: list[tuple[IntegerColumn, Any, list[IntegerColumn]]], row: int
) -> dict[tuple[Any, ...], Fraction]:
    """Next state and events of one row -> their probability."""
    total = sum(int(weight[row]) for weight, _, _ in outcomes)
    moves: dict[tuple[Any, ...], Fraction] = {}
    for weight, next_x, events in outcomes:
        if weight[row] > 0:
            key = (tuple(get_state(next_x, row)), tuple(int(count[row]) for count in events))
            moves[key] = moves.get(key, Fraction(0)) + Fraction(int(weight[row]), total)
    return moves


TRIED_VALUES = ("1/2", 1, 2)  # tried as the value of each parameter until the rule is active


def _is_number(value: Any) -> bool:
    return isinstance(value, Fraction | int)


LISTS_OF_RULES: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("delays", _is_number, "a list of Fractions, numbers of steps"),
    ("amounts", _is_number, "a list of Fractions, numbers of cars"),
    ("list_changed_selves", lambda value: isinstance(value, ChangedSelf), "a list of ChangedSelf"),
)


def check_factory_rule(kind: Any) -> None:
    """Switch a rule on in a small factory and check that world; ContractBroken for the first mistake.

    kind: a class derived from `FactoryRule`.
    """
    accepted = FACTORY_RULE.accept(kind)
    _check_names(accepted)
    with user_code(describe_place(kind)):
        inactive = accepted()
        if inactive.active:
            raise ContractBroken("active by default", place=describe_place(kind), remedy="switch it on by a parameter")
        rules = [rule for rule in _make_variants(accepted) if rule.active]
    known = {*ACTION_NAMES, *(glyph for rule in (accepted, *FACTORY_RULES.values()) for glyph in rule.action_names)}
    if not rules:
        names = ", ".join(kind.parameters()) or "a parameter"
        remedy = f"let the value 1/2, 1 or 2 of {names} do so"
        raise ContractBroken("no parameter makes it active", place=describe_place(kind), remedy=remedy)
    for rule in rules:
        for name, is_one, expected in LISTS_OF_RULES:
            arguments = (CarFactory(),) if name == "amounts" else ()
            given = call_method(rule, name, *arguments)
            if not isinstance(given, list | tuple) or not all(map(is_one, given)):
                refuse(kind, name, given, expected)
        factory = CarFactory(horizon=4, update=2, rules=(rule,))  # type: ignore[arg-type]
        try:
            check_made_world(factory)
        except ContractBroken as error:
            problem = f"in a factory with it, {error.problem}"
            raise ContractBroken(problem, place=describe_place(kind), remedy=error.remedy) from error
        if strange := sorted(set("".join(factory.asked_glyphs)) - known):
            problem = f"it asks for the action {strange[0]!r}, which no rule adds"
            raise ContractBroken(
                problem, place=describe_place(kind), remedy="add it to action_names, or ask for another"
            )


def _check_names(kind: type[FactoryRule]) -> None:
    factory = CarFactory()
    taken = {"action_names": set(ACTION_NAMES) | {"#"}, "fields": set(factory.start()._fields)}
    for name, used in taken.items():
        clash = sorted(used & set(getattr(kind, name)))
        if clash:
            refuse(kind, name, clash, "names that the factory does not use itself")
    own = {name for name in CarFactory.__dataclass_fields__ if name != "rules"}
    if clash := sorted(own & set(kind.parameters())):
        refuse(kind, "parameters", clash, "names that the factory does not use itself")


def _make_variants(kind: type[FactoryRule]) -> list[FactoryRule]:
    """Return the rule with each of its parameters, alone, at each of the values that lie in its domain."""
    variants = []
    for name in kind.parameters():
        for value in TRIED_VALUES:
            try:
                variants.append(kind.make({name: value}))
            except BadValue:
                continue
    return variants
