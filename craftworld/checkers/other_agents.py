"""Those whom a scenario names: newcomers and what is handed over to them, simultaneous agents, options."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from craftworld.checkers.rules import ROUNDING, check_rules
from craftworld.others.value_distribution import handed_over
from craftworld.scenario import Newcomer, Option, Scenario, SimultaneousAgent
from engine.contracts import called, refuse
from engine.errors import ContractBroken
from engine.mdp.codes import ColumnStates
from engine.mdp.columns import read_only
from engine.mdp.mdp import Floats, TabularMDP
from engine.user_code import place_of, user_code


def check_other_agents(scenario: Scenario, mdp: TabularMDP) -> list[tuple[Newcomer, TabularMDP]]:
    """ContractBroken for the first newcomer, simultaneous agent or option that is wrong; the newcomers' tables."""
    assert isinstance(mdp.states, ColumnStates)
    columns, count = read_only(mdp.states.columns()), len(mdp.states)
    tables = []
    for newcomer in _named(scenario, "newcomers", Newcomer):
        if not isinstance(newcomer.scenario, Scenario):
            refuse(scenario, "newcomers", newcomer.scenario, f"'{newcomer.name}' to act in a scenario (an instance)")
        with user_code(f"{place_of(scenario)}, handover"):
            starts, _ = handed_over(scenario, columns, newcomer)
        tables.append((newcomer, check_rules(newcomer.scenario, starts)))
    agents = _named(scenario, "simultaneous_agents", SimultaneousAgent)
    for agent in agents:
        for action in range(len(scenario.actions)):
            for slot in range(mdp.next_state.shape[2]):
                after = read_only(mdp.states.codec.decode(mdp.states.codes[mdp.next_state[:, action, slot]]))
                what = f"the reward of '{agent.name}'"
                _check_floats(scenario, what, agent.reward, count, columns, action, after)
    for option in _named(scenario, "options", Option):
        what = f"the initiation set of '{option.name}'"
        indicator = _check_floats(scenario, what, option.initiation_set, count, columns)
        if not np.isin(indicator, (0.0, 1.0)).all():
            refuse(scenario, what, indicator, "true or false")
        if option.value is not None:
            _check_floats(scenario, f"the value of '{option.name}'", option.value, count, columns)
    return tables


def _named(scenario: Scenario, method: str, kind: type[Any]) -> Sequence[Any]:
    """What a method lists: of one class, no name twice, probabilities that are a distribution, finite weights."""
    listed = called(scenario, method)
    if not isinstance(listed, tuple | list) or not all(isinstance(one, kind) for one in listed):
        refuse(scenario, method, listed, f"a tuple of {kind.__name__}")
    names = [one.name for one in listed]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ContractBroken(f"{method} names '{twice[0]}' twice", place=place_of(scenario), remedy="give each a name")
    if listed:
        _check_probabilities(scenario, method, listed)
    for one in listed:
        if not math.isfinite(getattr(one, "weight", 1.0)):
            refuse(scenario, method, one.weight, f"a finite weight for '{one.name}'")
    return listed


def _check_probabilities(scenario: Scenario, method: str, listed: Sequence[Any]) -> None:
    """The probabilities of each owner's possibilities sum to 1, or those of all together do."""
    chances: dict[str, float] = {}
    for one in listed:
        if not 0.0 <= one.probability <= 1.0:
            refuse(scenario, method, one.probability, f"a probability between 0 and 1 for '{one.name}'")
        owner = getattr(one, "owner", "") or one.name
        chances[owner] = chances.get(owner, 0.0) + one.probability
    totals = [sum(chances.values())], list(chances.values())
    if not any(all(abs(total - 1.0) <= ROUNDING for total in way) for way in totals):
        refuse(scenario, method, [one.probability for one in listed], "probabilities that sum to 1")


def _check_floats(scenario: Scenario, what: str, function: Callable[..., Any], count: int, *arguments: Any) -> Floats:
    """What a function gives for `count` states, as f64[count]; ContractBroken where it is no such thing."""
    with user_code(f"{place_of(scenario)}, {what}"):
        given = function(*arguments)
    array = np.asarray(given)
    if array.dtype.kind not in "biuf" or array.shape not in ((), (count,)) or not np.isfinite(array).all():
        refuse(scenario, what, given, f"a finite number, or a column of {count}")
    return np.broadcast_to(array, (count,)).astype(np.float64)
