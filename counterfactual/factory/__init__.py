"""Extensions of the car factory, one rule a file; any of them can be switched on together by their parameters."""

from counterfactual.turn import Rule
from engine.registry import Registry, sole_subclass

RULES: Registry[type[Rule]] = Registry("counterfactual.factory", "factory rule", sole_subclass(Rule))  # type: ignore[type-abstract]
