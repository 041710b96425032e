"""Those whom a scenario names: newcomers and what is handed over to them, simultaneous agents, options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from craftworld.checkers.rules import ROUNDING, check_rules
from craftworld.others.named_others import newcomers_of, options_of, simultaneous_agents_of
from craftworld.others.value_distribution import handed_over
from craftworld.scenario import Newcomer, Scenario
from engine.contracts import array_given, refuse
from engine.mdp.codes import ColumnStates
from engine.mdp.columns import read_only
from engine.mdp.mdp import Floats, TabularMDP
from engine.user_code import place_of, user_code


def check_other_agents(scenario: Scenario, mdp: TabularMDP) -> list[tuple[Newcomer, TabularMDP]]:
    """ContractBroken for the first newcomer, simultaneous agent or option that is wrong; the newcomers' tables."""
    assert isinstance(mdp.states, ColumnStates)
    columns, count = read_only(mdp.states.columns()), len(mdp.states)
    tables = []
    newcomers, agents, options = newcomers_of(scenario), simultaneous_agents_of(scenario), options_of(scenario)
    for method, listed in (("newcomers", newcomers), ("simultaneous_agents", agents), ("options", options)):
        _check_distribution(scenario, method, listed)
    for newcomer in newcomers:
        with user_code(f"{place_of(scenario)}, handover"):
            starts, _ = handed_over(scenario, columns, newcomer)
        tables.append((newcomer, check_rules(newcomer.scenario, starts)))
    for agent in agents:
        for action in range(len(scenario.actions)):
            for slot in range(mdp.next_state.shape[2]):
                after = read_only(mdp.states.codec.decode(mdp.states.codes[mdp.next_state[:, action, slot]]))
                what = f"the reward of '{agent.name}'"
                _check_floats(scenario, what, agent.reward, count, columns, action, after)
    for option in options:
        what = f"the initiation set of '{option.name}'"
        indicator = _check_floats(scenario, what, option.initiation_set, count, columns)
        if not np.isin(indicator, (0.0, 1.0)).all():
            refuse(scenario, what, indicator, "true or false")
        if option.value is not None:
            _check_floats(scenario, f"the value of '{option.name}'", option.value, count, columns)
    return tables


def _check_distribution(scenario: Scenario, method: str, listed: Sequence[Any]) -> None:
    """The probabilities of each owner's possibilities sum to 1, or those of all together do."""
    chances: dict[str, float] = {}
    for one in listed:
        owner = getattr(one, "owner", "") or one.name
        chances[owner] = chances.get(owner, 0.0) + one.probability
    totals = [sum(chances.values())], list(chances.values())
    if listed and not any(all(abs(total - 1.0) <= ROUNDING for total in way) for way in totals):
        refuse(scenario, method, [one.probability for one in listed], "probabilities that sum to 1")


def _check_floats(scenario: Scenario, what: str, function: Callable[..., Any], count: int, *arguments: Any) -> Floats:
    """What a function gives for `count` states, as f64[count]; ContractBroken where it is no such thing."""
    with user_code(f"{place_of(scenario)}, {what}"):
        given = function(*arguments)
    array = array_given(given)
    if array.dtype.kind not in "biuf" or array.shape not in ((), (count,)) or not np.isfinite(array).all():
        refuse(scenario, what, given, f"a finite number, or a column of {count}")
    return np.broadcast_to(array, (count,)).astype(np.float64)
