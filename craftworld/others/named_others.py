"""Those whom a scenario names, checked: newcomers, simultaneous agents, options; each has a name and a probability."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, TypeVar

from craftworld.scenario import Newcomer, Option, Scenario, SimultaneousAgent
from engine.contracts import called, refuse
from engine.errors import ContractBroken
from engine.limits.coefficients import LARGEST
from engine.user_code import place_of

Named = TypeVar("Named", Newcomer, SimultaneousAgent, Option)


def newcomers_of(scenario: Scenario) -> Sequence[Newcomer]:
    """The agents that may act afterwards; ContractBroken for the first thing that is wrong with them."""
    listed = _named(scenario, "newcomers", Newcomer)
    for one in listed:
        if not isinstance(one.scenario, Scenario):
            refuse(scenario, "newcomers", one.scenario, f"'{one.name}' to act in a scenario (an instance)")
    return listed


def simultaneous_agents_of(scenario: Scenario) -> Sequence[SimultaneousAgent]:
    """The agents that act at the same time; ContractBroken for the first thing that is wrong with them."""
    return _named(scenario, "simultaneous_agents", SimultaneousAgent)


def options_of(scenario: Scenario) -> Sequence[Option]:
    """The options that others may want afterwards; ContractBroken for the first thing that is wrong with them."""
    return _named(scenario, "options", Option)


def _named(scenario: Scenario, method: str, kind: type[Named]) -> Sequence[Named]:
    """What a method lists: of one class, no name twice, probabilities from 0 to 1, finite weights."""
    listed = called(scenario, method)
    if not isinstance(listed, tuple | list) or not all(isinstance(one, kind) for one in listed):
        refuse(scenario, method, listed, f"a tuple of {kind.__name__}")
    names = [one.name for one in listed]
    if not all(isinstance(name, str) and name for name in names):
        refuse(scenario, method, names, "a word for each name")
    if twice := [name for name in names if names.count(name) > 1]:
        raise ContractBroken(f"{method} names '{twice[0]}' twice", place=place_of(scenario), remedy="give each a name")
    for one in listed:
        weight: Any = getattr(one, "weight", 1.0)
        if not isinstance(one.probability, Real) or not 0.0 <= float(one.probability) <= 1.0:
            refuse(scenario, method, one.probability, f"a probability between 0 and 1 for '{one.name}'")
        if not isinstance(weight, Real) or not abs(float(weight)) <= LARGEST:
            refuse(scenario, method, weight, f"a finite weight, at most {LARGEST:g}, for '{one.name}'")
    return listed
