"""The contract of a formulation, executable: its function is called with distributions of real scenarios.

It is tried in scenarios to which it applies: those of its own file, if there are any, else shipped ones.
"""

from __future__ import annotations

import inspect
import math
import sys
from dataclasses import fields, replace
from typing import Any

import numpy as np

from craftworld.formulation import FORMULATION, Formulation
from craftworld.scenario import Option, Scenario
from craftworld.scenarios import SCENARIOS
from craftworld.scenarios.mailroom import Mailroom
from engine.errors import BadValue, ContractBroken
from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.tabulate import tabulate
from engine.randomness.counter_based import uniform
from engine.user_code import describe_place, user_code

DISCOUNT = 0.9
MOST_CODES, MOST_SHIPPED = 2_000, 3
"""States, by the sizes of their fields, of a shipped scenario that is tried; and how many are tried."""


def check_formulation(thing: Any) -> None:
    """Check that an object keeps the contract of formulations.

    The reward must have the right shape and type and be finite, two calls must agree and change nothing, and an
    additive formulation must be linear in the agents' weights.

    Parameters
    ----------
    thing : Formulation

    Raises
    ------
    ContractBroken
        One line: the file and function, what was returned, what was expected.

    Examples
    --------
    >>> import caregrid
    >>> check_formulation(caregrid.FORMULATIONS["expected"])
    """
    formulation = FORMULATION.accept(thing)
    for scenario in _list_scenarios(formulation):
        _check_in(formulation, scenario)


class _PricedMailroom(Mailroom):
    """The mailroom whose options have values: no shipped scenario has some."""

    def options(self) -> tuple[Option, ...]:
        return tuple(option._replace(value=_price) for option in super().options())


def _price(state: Any) -> Floats:
    return 3.0 - np.asarray(state[0], dtype=np.float64)


def _list_scenarios(formulation: Formulation) -> list[Scenario]:
    """List the scenarios in which a formulation is tried; BadValue where it applies to none of them."""
    module = sys.modules.get(formulation.__module__)
    own = [
        kind
        for _, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, Scenario) and kind.__module__ == formulation.__module__ and not inspect.isabstract(kind)
    ]
    listed = [scenario for scenario in (kind() for kind in own) if _applies(formulation, scenario)]
    if not listed:
        shipped = [SCENARIOS[name]() for name in SCENARIOS.names() if name not in SCENARIOS.find_installed()]
        small = (
            each
            for each in (*shipped, _PricedMailroom(), SCENARIOS["island_navigation"](noop="yes"))
            if not each.replay_only and math.prod(each.sizes) <= MOST_CODES
        )
        listed = sorted(
            (scenario for scenario in small if _applies(formulation, scenario)),
            key=lambda scenario: math.prod(scenario.sizes),
        )[:MOST_SHIPPED]
    if not listed:
        requirement = formulation.weighs.requirement
        raise BadValue(
            f"no small scenario has {requirement}, which it weighs",
            place=describe_place(formulation),
            remedy="write a small scenario in the same file: the formulation is tried there",
        )
    return listed


def _applies(formulation: Formulation, scenario: Scenario) -> bool:
    with user_code(describe_place(formulation.weighs)):
        return formulation.weighs.applies(scenario)


def _check_in(formulation: Formulation, scenario: Scenario) -> None:
    """Check the rewards of one scenario."""
    with user_code(describe_place(formulation.weighs)):
        planned_in = formulation.weighs.plan_in(scenario)
        mdp = tabulate(planned_in, DISCOUNT)
        others = _vary(formulation.weighs.make(planned_in, mdp).with_baseline(int(mdp.start_states()[0])))
    _freeze_arrays(others)
    reward = formulation.reward(mdp, others)
    if not np.array_equal(reward, formulation.reward(mdp, others)):
        raise ContractBroken(
            "gave two answers to one question", place=describe_place(formulation), remedy="use no chance"
        )
    if formulation.additive:
        _check_additive(formulation, mdp, others)


def _check_additive(formulation: Formulation, mdp: TabularMDP, others: Any) -> None:
    """F of the sum of two weightings is the sum of their F."""
    if not hasattr(others, "weight"):
        raise ContractBroken(
            f"declared additive, but {type(others).__name__} has no weights",
            place=describe_place(formulation),
            remedy="leave out additive=True",
        )
    half = _draw_numbers(1, len(others.weight))
    parts = [formulation.reward(mdp, replace(others, weight=weight)) for weight in (half, others.weight - half)]
    if not np.allclose(sum(parts), formulation.reward(mdp, others)):
        raise ContractBroken(
            "declared additive, but it is not a sum over agents of weight times something",
            place=describe_place(formulation),
            remedy="leave out additive=True, or multiply each agent's part by others.weight",
        )


def _vary(others: Any) -> Any:
    """Give agents different probabilities and weights, where a distribution has these fields: the last agent has 0."""
    names = {field.name for field in fields(others) if field.init} if hasattr(others, "__dataclass_fields__") else set()
    count = len(getattr(others, "names", ()))
    if not {"names", "probability", "weight"} <= names or count < 2:
        return others
    chance = np.linspace(1.0, 0.0, count)
    return replace(others, probability=chance / chance.sum(), weight=np.linspace(0.5, 3.0, count))


def _freeze_arrays(others: Any) -> None:
    """Protect the arrays of a distribution: a formulation that writes into them raises."""
    for value in vars(others).values():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)


def _draw_numbers(key: int, *shape: int) -> Floats:
    """Numbers from [-10, 10)."""
    return 20.0 * np.array([uniform(key, n) for n in range(int(np.prod(shape)))]).reshape(shape) - 10.0
