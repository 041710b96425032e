"""The contract of factory rules: names of their own, inactive by default, a lawful factory once they are active."""

from __future__ import annotations

from typing import Any

from counterfactual.car_factory.factory_rule import FactoryRule, accept_factory_rule
from counterfactual.checkers.terminal_world import check_made_world
from counterfactual.worlds.car_factory import ACTION_NAMES, CarFactory
from engine.contracts import refuse
from engine.errors import BadValue, ContractBroken
from engine.user_code import place_of, user_code

VALUES = ("1/2", 1, 2)  # tried as the value of each parameter until the rule is active


def check_factory_rule(kind: Any) -> None:
    """Switch a rule on in a small factory and check that world; ContractBroken for the first mistake.

    kind: a class derived from `FactoryRule`.
    """
    accepted = accept_factory_rule(kind)
    _check_names(accepted)
    with user_code(place_of(kind)):
        inactive = accepted()
        if inactive.active:
            raise ContractBroken("active by default", place=place_of(kind), remedy="switch it on by a parameter")
        rules = [rule for rule in _variants(accepted) if rule.active]
    if not rules:
        names = ", ".join(kind.parameters()) or "a parameter"
        remedy = f"let the value 1/2, 1 or 2 of {names} do so"
        raise ContractBroken("no parameter makes it active", place=place_of(kind), remedy=remedy)
    for rule in rules:
        try:
            check_made_world(CarFactory(horizon=4, update=2, rules=(rule,)))  # type: ignore[arg-type]
        except ContractBroken as error:
            problem = f"in a factory with it, {error.problem}"
            raise ContractBroken(problem, place=place_of(kind), remedy=error.remedy) from error


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


def _variants(kind: type[FactoryRule]) -> list[FactoryRule]:
    """The rule with each of its parameters, alone, at each of the values that lie in its domain."""
    variants = []
    for name in kind.parameters():
        for value in VALUES:
            try:
                variants.append(kind.make({name: value}))
            except BadValue:
                continue
    return variants
