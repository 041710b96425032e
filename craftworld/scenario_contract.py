"""The contract of a scenario, executable: `check_scenario` makes it, tabulates it and draws it as users would.

    from craftworld.scenario_contract import check_scenario
    check_scenario(Kitchen)

Three parts: the rules of one world, the acting agent's or a newcomer's (start states, steps, rewards, terminal
states); those whom a scenario names (newcomers and what is handed over to them, simultaneous agents, options);
settings, drawings and descriptions. Rules are called on many states in columns and on single states, and must agree.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from craftworld.others.option_distribution import learn_course
from craftworld.others.other_agents import list_newcomers, list_options, list_simultaneous_agents
from craftworld.others.value_distribution import find_followed_policy, tabulate_handover
from craftworld.rollout import random_walk
from craftworld.scenario import LearningProtocol, Newcomer, Scenario, require_declared
from craftworld.scenario_maker import accept_scenario_maker, make_scenario
from craftworld.solution.problem import require_applicable
from engine.contracts import call_method, read_array, refuse
from engine.errors import BadValue, ContractBroken, UnknownName
from engine.mdp.columns import CERTAIN, Branch, ColumnStates, protect_columns, read_branches, read_number_column
from engine.mdp.mdp import Booleans, Floats, TabularMDP
from engine.mdp.reachability import has_proper_policy
from engine.mdp.tabulate import spread_evenly, tabulate
from engine.scene import Mark, Scene
from engine.user_code import describe_place, user_code

MOST_STATES_ALONE = 150
ROUNDING = 1e-9


def check_rules(scenario: Scenario, starts: Mapping[Any, float] | None = None) -> TabularMDP:
    """Check the rules of one world, and return its table; ContractBroken for the first mistake.

    starts: state -> probability, by default the scenario's own start states.
    """
    first = call_method(scenario, "starts") if starts is None else starts
    check_starts(scenario, first)
    for times in (2, 3):  # two states at least: an `if` fails on them; two counts: a column of a fixed length fails
        several = np.array([tuple(state) for state in first] * times, dtype=np.int64)
        columns = protect_columns(type(next(iter(first)))(*several.T.copy()))
        for action in range(len(scenario.actions)):
            _check_step(scenario, columns, len(several), action)
    with user_code(describe_place(scenario)):
        mdp = tabulate(scenario, scenario.discount, first)
    assert isinstance(mdp.states, ColumnStates)
    columns = protect_columns(mdp.states.columns())
    count = len(mdp.states)
    _check_flags(scenario, "is_terminal", columns, count)
    for action in range(len(scenario.actions)):
        _check_step(scenario, columns, count, action)
    for number in spread_evenly(count, MOST_STATES_ALONE):
        _check_alone(scenario, mdp, number)
    return mdp


def check_starts(scenario: Scenario, starts: Any) -> None:
    """Raise ContractBroken unless these are states of plain integers within `sizes` whose probabilities sum to 1."""
    if not isinstance(starts, Mapping) or not starts:
        refuse(scenario, "starts", starts, "a mapping from start states to their probabilities")
    kind = type(next(iter(starts)))
    sizes = scenario.sizes
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
    """Raise ContractBroken where an undiscounted episode from a start state can never end."""
    if mdp.discount < 1.0:
        return
    stuck = mdp.start_states()[~has_proper_policy(mdp)[mdp.start_states()]]
    if len(stuck):
        raise ContractBroken(
            f"no terminal state can be reached from the start state {mdp.states[int(stuck[0])]}",
            place=describe_place(scenario),
            remedy="mend step or is_terminal, or set a discount below 1",
        )


def _check_step(scenario: Scenario, columns: Any, count: int, action: int) -> None:
    """Check the types and shapes of a step and its rewards from many states, and that two calls agree."""
    _check_flags(scenario, "available", columns, count, action)
    asked = _find_available(scenario, columns, count, action)
    for following in _check_branches(scenario, "step", columns, asked, action):
        for method in ("reward", "performance"):
            returned = call_method(scenario, method, columns, action, following)
            read_number_column(returned, count, scenario, method, "iuf", "finite number")
        _check_flags(scenario, "ends", columns, count, action, following)


def check_inaction(scenario: Scenario, columns: Any, count: int) -> None:
    """Raise ContractBroken unless doing nothing leads from each of these states to states, as a step does."""
    for _ in _check_branches(scenario, "inaction", columns, np.ones(count, dtype=np.bool_)):
        pass


def _check_branches(
    scenario: Scenario, method: str, columns: Any, asked: Booleans, action: int | None = None
) -> Iterator[Any]:
    """Yield the next states of each branch of `step` or `inaction`, in columns.

    asked: bool[count], the states for which the answer counts; the others stay where they are. Raises ContractBroken
    where two calls differ, and for states of another class or outside of `sizes`.
    """
    arguments = (columns,) if action is None else (columns, action)
    name = method if action is None else f"{method}, action '{scenario.actions[action]}',"
    once, again = (
        read_branches(call_method(scenario, method, *arguments), len(asked), scenario, name, asked) for _ in range(2)
    )
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
                    place=describe_place(scenario),
                    remedy=f"its size is {size}: give 0 to {size - 1}",
                )
        yield protect_columns(type(after)(*(np.where(counts, *pair) for pair in zip(after, columns, strict=True))))


def _find_available(scenario: Scenario, columns: Any, count: int, action: int) -> Booleans:
    """bool[count]: the states in which an action can be taken."""
    over = read_number_column(
        call_method(scenario, "is_terminal", columns), count, scenario, "is_terminal", "b", "bool"
    )
    available = read_number_column(
        call_method(scenario, "available", columns, action), count, scenario, "available", "b", "bool"
    )
    asked: Booleans = ~over & available
    return asked


def _check_flags(scenario: Scenario, method: str, columns: Any, count: int, *more: Any) -> None:
    read_number_column(call_method(scenario, method, columns, *more), count, scenario, method, "b", "bool")


def _check_same(scenario: Scenario, method: str, one: Branch, other: Branch, as_many: bool) -> None:
    """Raise ContractBroken where two calls of a method differ."""
    pairs = zip(("probability", *one.state._fields), (one[0], *one[1]), (other[0], *other[1]), strict=True)
    for name, column, again in pairs:
        if not as_many or not np.array_equal(column, again):
            raise ContractBroken(
                f"{method} gave two answers for field '{name}'",
                place=describe_place(scenario),
                remedy=f"draw no numbers in {method}: list what may happen with its probability",
            )


def _check_alone(scenario: Scenario, mdp: TabularMDP, number: int) -> None:
    """Check that one state of plain integers leads where the columns lead."""
    state = mdp.states[number]
    if mdp.index[state] != number:  # a transition has ended the episode in it
        return
    if bool(call_method(scenario, "is_terminal", state)) != bool(mdp.terminal[number]):
        _refuse_disagreement(scenario, "is_terminal", state)
    for action in range(0 if mdp.terminal[number] else len(scenario.actions)):
        if bool(call_method(scenario, "available", state, action)) != bool(mdp.action_mask(number)[action]):
            _refuse_disagreement(scenario, f"available, action '{scenario.actions[action]}',", state)
        if mdp.action_mask(number)[action]:
            _check_outcomes_alone(scenario, mdp, number, action)


def _check_outcomes_alone(scenario: Scenario, mdp: TabularMDP, number: int, action: int) -> None:
    """Check that one step from one state has the table's next states, probabilities and expected reward."""
    state = mdp.states[number]
    returned = call_method(scenario, "step", mdp.states[number], action)
    alone: dict[Any, float] = {}
    expected = 0.0
    for chance, after, *_ in [(1.0, returned)] if hasattr(returned, "_fields") else returned:
        if chance > 0.0:
            key = tuple(map(int, after))
            alone[key] = alone.get(key, 0.0) + float(chance)
            expected += float(chance) * float(call_method(scenario, "reward", state, action, after))
    table: dict[Any, float] = {}
    row = number, action
    for chance, target in zip(mdp.probability[row], mdp.next_state[row], strict=True):
        if chance > 0.0:
            key = tuple(mdp.states[int(target)])
            table[key] = table.get(key, 0.0) + float(chance)
    if alone.keys() != table.keys() or any(not math.isclose(alone[key], table[key], abs_tol=CERTAIN) for key in alone):
        _refuse_disagreement(scenario, f"step, action '{scenario.actions[action]}',", state)
    if not math.isclose(expected, float(mdp.probability[row] @ mdp.reward[row]), abs_tol=ROUNDING):
        _refuse_disagreement(scenario, f"reward, action '{scenario.actions[action]}',", state)


def _refuse_disagreement(scenario: Scenario, method: str, state: Any) -> None:
    raise ContractBroken(
        f"{method} gave one thing for {state} alone and another for it among many",
        place=describe_place(scenario),
        remedy="write rules entry by entry: where(condition, yes, no) in place of if",
    )


def check_other_agents(scenario: Scenario, mdp: TabularMDP) -> list[tuple[Newcomer, TabularMDP]]:
    """Check newcomers, simultaneous agents and options; return the newcomers with their tables."""
    assert isinstance(mdp.states, ColumnStates)
    columns = protect_columns(mdp.states.columns())
    count = len(mdp.states)
    tables = []
    newcomers, agents, options = list_newcomers(scenario), list_simultaneous_agents(scenario), list_options(scenario)
    for method, listed in (("newcomers", newcomers), ("simultaneous_agents", agents), ("options", options)):
        _check_distribution(scenario, method, listed)
    for newcomer in newcomers:
        with user_code(f"{describe_place(scenario)}, handover"):
            starts, _ = tabulate_handover(scenario, columns, newcomer)
        table = check_rules(newcomer.scenario, starts)
        find_followed_policy(newcomer, table)
        tables.append((newcomer, table))
    for agent in agents:
        for action in range(len(scenario.actions)):
            for slot in range(mdp.next_state.shape[2]):
                after = protect_columns(mdp.states.codec.decode(mdp.states.codes[mdp.next_state[:, action, slot]]))
                what = f"the reward of '{agent.name}'"
                _check_floats(scenario, what, agent.reward, count, columns, action, after)
    for option in options:
        if option.course is not None:
            learn_course(scenario, mdp, option)
        elif option.initiation_set is None:
            refuse(scenario, "options", option.initiation_set, f"an initiation set or a course for '{option.name}'")
        if option.initiation_set is not None:
            what = f"the initiation set of '{option.name}'"
            indicator = _check_floats(scenario, what, option.initiation_set, count, columns)
            if not np.isin(indicator, (0.0, 1.0)).all():
                refuse(scenario, what, indicator, "true or false")
        if option.value is not None:
            _check_floats(scenario, f"the value of '{option.name}'", option.value, count, columns)
    return tables


def _check_distribution(scenario: Scenario, method: str, listed: Sequence[Any]) -> None:
    """Check that the probabilities of each owner's possibilities sum to 1, or those of all together."""
    chances: dict[str, float] = {}
    for one in listed:
        owner = getattr(one, "owner", "") or one.name
        chances[owner] = chances.get(owner, 0.0) + one.probability
    totals = [sum(chances.values())], list(chances.values())
    if listed and not any(all(abs(total - 1.0) <= ROUNDING for total in way) for way in totals):
        refuse(scenario, method, [one.probability for one in listed], "probabilities that sum to 1")


def _check_floats(scenario: Scenario, what: str, function: Callable[..., Any], count: int, *arguments: Any) -> Floats:
    """Return a function's numbers for `count` states, f64[count]; ContractBroken for anything else."""
    with user_code(f"{describe_place(scenario)}, {what}"):
        returned = function(*arguments)
    array = read_array(returned)
    if array.dtype.kind not in "biuf" or array.shape not in ((), (count,)) or not np.isfinite(array).all():
        refuse(scenario, what, returned, f"a finite number, or a column of {count}")
    return np.broadcast_to(array, (count,)).astype(np.float64)


MOST_DRAWINGS = 20_000
WALKS = 5


def check_scenario(thing: Any) -> None:
    """Check that an object keeps the contract of scenarios.

    Rules are called in columns and on single states, `inaction` in columns; the worlds of all agents are tabulated;
    every state is drawn and described, of more than 20,000 an even sample. A world that is too large for a table is
    checked on random walks.

    Parameters
    ----------
    thing : Scenario, class or function
        A scenario, its class, or a function that makes one; called without a map or options.

    Raises
    ------
    ContractBroken
        One line: the file and class, the method, what it returned, what was expected.

    Examples
    --------
    >>> from craftworld.scenarios.toll_road import TollRoad
    >>> check_scenario(TollRoad)
    """
    maker = accept_scenario_maker(thing)
    scenario = require_declared(thing) if isinstance(thing, Scenario) else make_scenario(maker)
    _check_settings(scenario)
    if scenario.replay_only:
        _check_walks(scenario)
        return
    mdp = check_rules(scenario)
    check_end_is_reachable(scenario, mdp)
    assert isinstance(mdp.states, ColumnStates)
    check_inaction(scenario, protect_columns(mdp.states.columns()), len(mdp.states))
    _check_drawings(scenario, mdp)
    for newcomer, table in check_other_agents(scenario, mdp):
        _check_drawings(newcomer.scenario, table)
    try:
        require_applicable(scenario, scenario.default_formulation, describe_place(scenario))
    except (BadValue, UnknownName) as error:
        raise ContractBroken(error.problem, place=describe_place(scenario), remedy=error.remedy) from None


def _check_walks(scenario: Scenario) -> None:
    """Check a world that is too large for a table on random episodes: steps, rewards, sizes, drawings."""
    check_starts(scenario, call_method(scenario, "starts"))
    for seed in range(WALKS):
        walked, again = (random_walk(scenario, seed) for _ in range(2))
        if walked != again:
            refuse(scenario, "step", "two answers", "the same twice: list what may happen with its probability")
        for state in walked.episode.states:
            for name, value, size in zip(state._fields, state, scenario.sizes, strict=True):
                if not 0 <= value < size:
                    refuse(scenario, "step", value, f"0 to {size - 1} in field '{name}'")
        for state in dict.fromkeys(walked.episode.states):
            call_method(scenario, "inaction", state)
            _check_drawing(scenario, state)


def _check_settings(scenario: Scenario) -> None:
    if not 0.0 <= scenario.discount <= 1.0:
        refuse(scenario, "discount", scenario.discount, "a number from 0 to 1")
    if not isinstance(scenario.time_limit, int) or scenario.time_limit < 1:
        refuse(scenario, "time_limit", scenario.time_limit, "a number of steps, at least 1")
    learning = scenario.learning
    if not isinstance(learning, LearningProtocol) or learning.steps < 1 or not 0.0 <= learning.epsilon <= 1.0:
        refuse(scenario, "learning", learning, "a LearningProtocol of at least 1 step, epsilon from 0 to 1")


def _check_drawings(scenario: Scenario, mdp: TabularMDP) -> None:
    assert isinstance(mdp.states, ColumnStates)
    shown = spread_evenly(len(mdp.states), MOST_DRAWINGS)
    for fields in zip(*(field[shown].tolist() for field in mdp.states.columns()), strict=True):
        _check_drawing(scenario, mdp.states.codec.kind(*fields))


def _check_drawing(scenario: Scenario, state: Any) -> None:
    _check_scene(scenario, call_method(scenario, "scene", state), state)
    described = call_method(scenario, "describe", state)
    try:
        json.dumps(described)
    except TypeError:
        refuse(scenario, "describe", described, "words, numbers and lists that JSON can hold")


def _check_scene(scenario: Scenario, scene: Any, state: Any) -> None:
    """Check that a scene's floor is a rectangle and its marks stand on it."""
    if not isinstance(scene, Scene):
        refuse(scenario, "scene", scene, "a Scene")
    widths = {len(row) for row in scene.floor}
    if len(widths) > 1 or any(set(row) - set("# ") for row in scene.floor):
        refuse(scenario, "scene", scene.floor, "a floor of rows of equal length, '#' and ' '")
    for mark in scene.marks:
        if not isinstance(mark, Mark) or not _has_declared_types(mark):
            refuse(scenario, f"scene of {state}", mark, "a Mark of two integers, a glyph, a name and a role")
        inside = 0 <= mark.row < len(scene.floor) and 0 <= mark.column < len(scene.floor[0])
        if not inside or len(mark.glyph) != 1:
            refuse(scenario, f"scene of {state}", mark, "one letter on the floor")


def _has_declared_types(mark: Mark) -> bool:
    """Return whether a mark's fields have the types that it declares."""
    words = (mark.glyph, mark.name, mark.role)
    return all(hasattr(n, "__index__") for n in mark[:2]) and all(isinstance(word, str) for word in words)
