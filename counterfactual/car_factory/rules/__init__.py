"""Extensions of the car factory, one rule a file; any of them can be switched on together by their parameters."""

from counterfactual.car_factory.factory_rule import FactoryRule, accept_factory_rule
from engine.registry import Registry, sole_subclass

FACTORY_RULES: Registry[type[FactoryRule]] = Registry(
    "counterfactual.car_factory.rules",
    "factory rule",
    sole_subclass(FactoryRule),
    accept=accept_factory_rule,
    group="caregrid.factory_rules",
)
