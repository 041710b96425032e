"""Extensions of the car factory, one rule a file; any of them can be switched on together by their parameters."""

from counterfactual.car_factory.factory_step import Rule
from engine.registry import Registry, sole_subclass

RULES: Registry[type[Rule]] = Registry("counterfactual.car_factory.rules", "factory rule", sole_subclass(Rule))  # type: ignore[type-abstract]
