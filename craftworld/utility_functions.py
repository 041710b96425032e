"""Utility functions u(s) of penalties for side effects: drawn, of a Python session, or of a file.

A file is JSON, a list of rules for each utility function. The first rule that fits a state says its utility; a state
that none fits is worth 0. What a rule says of a state is in words (`craftworld.described_states`):

    {"utilities": [[{"state": {"thing_cell": [3, 2]}, "value": 1}],
                   [{"state": {"done": "yes"}, "value": -1}, {"state": {}, "value": 0.5}]]}

Choice: a utility function that is drawn has a value from [0, 1) for every state, independent and uniform.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from craftworld.described_states import DescribedStates, parse_entries, read_json
from craftworld.scenario import Scenario
from engine.errors import BadFile, BadValue
from engine.mdp.mdp import Floats, TabularMDP
from engine.printable import show_value
from engine.randomness.counter_based import split, uniform
from engine.value_types import UTILITIES, Utilities, require

UtilityFunctions = int | str | Path | Sequence[Mapping[Any, float]]
RULES = 'write {"utilities": [[{"state": {...}, "value": 1}, ...], ...]}'
LARGEST = 1e100
WHOLE = re.compile(r"[+-]?[0-9]{1,20}")


def read_utilities(scenario: Scenario, mdp: TabularMDP, utilities: UtilityFunctions, seed: int) -> list[Floats]:
    """Return utility functions, f64[S] each.

    mdp: the scenario's table. utilities: how many are drawn, also as a text, a file, or mappings from states to
    numbers. Raises BadValue or BadFile, naming function and rule, for what is no utility, and for a discount of 1.
    """
    if mdp.discount >= 1.0:
        remedy = "give a discount below 1, such as 0.99"
        raise BadValue("utilities at discount 1", place=scenario.name, remedy=remedy)
    utilities = read_count(utilities)
    if isinstance(utilities, str | Path):
        return _read_file(scenario, mdp, utilities)
    if not isinstance(utilities, Sequence):
        return draw_utilities(mdp, require("utilities", utilities, Utilities), seed)
    _require_count(len(utilities), "utilities")
    return [_tabulate_mapping(mdp, utility, number) for number, utility in enumerate(utilities, start=1)]


def read_count(utilities: UtilityFunctions) -> UtilityFunctions:
    """Return a whole number that is written as a text as a number, anything else as it is."""
    return int(utilities) if isinstance(utilities, str) and WHOLE.fullmatch(utilities) else utilities


def draw_utilities(mdp: TabularMDP, count: int, seed: int) -> list[Floats]:
    """Draw utility functions, f64[S] each, whose values are uniform in [0, 1)."""
    keys = [split(split(seed, "utilities"), number) for number in range(count)]
    return [np.array([uniform(key, state) for state in range(len(mdp.terminal))]) for key in keys]


def _tabulate_mapping(mdp: TabularMDP, utility: Any, number: int) -> Floats:
    place = f"utilities, function {number}"
    if not isinstance(utility, Mapping):
        raise BadValue(f"it is {show_value(utility)}", place=place, remedy="give a mapping from states to numbers")
    values = np.zeros(len(mdp.terminal))
    for state, amount in utility.items():
        try:
            row = mdp.index[state]
        except (KeyError, TypeError, ValueError):
            remedy = "give states of the problem's table"
            raise BadValue(f"no state is {show_value(state)}", place=place, remedy=remedy) from None
        if not _is_utility(amount):
            raise BadValue(f"the utility of a state is {show_value(amount)}", place=place, remedy=NUMBERS)
        values[row] = amount
    return values


def _read_file(scenario: Scenario, mdp: TabularMDP, path: str | Path) -> list[Floats]:
    file = str(path)
    functions = parse_entries(read_json(path, "utilities", RULES), "utilities", file, RULES)
    _require_count(len(functions), file)
    states = DescribedStates(scenario, mdp, np.arange(len(mdp.terminal)))
    return [_apply_rules(states, rules, f"{file}, function {n}") for n, rules in enumerate(functions, start=1)]


def _apply_rules(states: DescribedStates, rules: Any, place: str) -> Floats:
    """f64[S]: what the first rule says that fits each state, 0 where none does."""
    if not isinstance(rules, list) or not rules:
        raise BadFile(f"it is {show_value(rules)}", place=place, remedy=RULES)
    values = np.full(len(states.numbers), np.nan)
    for number, rule in enumerate(rules, start=1):
        where = f"{place}, rule {number}"
        if not isinstance(rule, dict) or set(rule) != {"state", "value"}:
            raise BadFile("it is no rule", place=where, remedy=RULES)
        if not _is_utility(rule["value"]):
            raise BadFile(f"value is {show_value(rule['value'])}", place=where, remedy=NUMBERS)
        fits = states.find(rule["state"], where)
        values[fits[np.isnan(values[fits])]] = rule["value"]
    return np.where(np.isnan(values), 0.0, values)


NUMBERS = f"give a number from -{LARGEST:g} to {LARGEST:g}"


def _is_utility(value: Any) -> bool:
    if isinstance(value, np.generic):
        value = value.item()
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def _require_count(count: int, place: str) -> None:
    if not 1 <= count <= UTILITIES.most:
        raise BadValue(f"{count} utility functions", place=place, remedy=f"give 1 to {UTILITIES.most:,}")
