"""The base of extensions of the car factory: the phases of a step in which a rule can take part."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar

from counterfactual.car_factory.factory import Factory
from counterfactual.car_factory.factory_step import FactoryStep
from counterfactual.columns import Entries, Flags
from counterfactual.exact_parameters import OptionalRule, require_fields_with_defaults
from engine.contracts import require_class, require_parameters


@dataclass(frozen=True)
class FactoryRule(OptionalRule, ABC):
    """An extension of the car factory: a frozen dataclass with its parameters as fields, and the phases it changes.

    action_names: glyph -> meaning of the actions that it adds. fields: names of the state that it adds, 0 at the start.
    watches_update: whether the planned update matters even after the press. Rules act in the order of their names; at
    most one of the active ones may use chance.
    """

    action_names: ClassVar[Mapping[str, str]] = MappingProxyType({})
    fields: ClassVar[tuple[str, ...]] = ()
    watches_update: ClassVar[bool] = False

    def delays(self) -> Sequence[Fraction]:
        """StateNumbers of steps that it adds to the planned update, for the grid of ticks."""
        return ()

    def amounts(self, factory: Factory) -> Sequence[Fraction]:
        """StateNumbers of cars that it makes, for the grid of event units."""
        return ()

    def allows(self, step: FactoryStep) -> Flags:
        """Whether each action stays available under this rule: True, False or bool[n]."""
        return True

    def chances(self, step: FactoryStep) -> Sequence[Entries]:
        """Weights of the outcomes of chance, int or int64[n] each; empty where chance has no part."""
        return ()

    def effects(self, step: FactoryStep) -> None:
        """Change what the action did, before people press the button."""

    def aftermath(self, step: FactoryStep) -> None:
        """What happens at the end of the step, whether people pressed the button or not."""


PHASE_CALLS = {
    "delays": "delays(self)",
    "amounts": "amounts(self, factory)",
    "allows": "allows(self, step)",
    "chances": "chances(self, step)",
    "effects": "effects(self, step)",
    "aftermath": "aftermath(self, step)",
}


def accept_factory_rule(thing: Any) -> type[FactoryRule]:
    """The class of rules; ContractBroken where a method or a parameter's default is missing."""
    require_class(thing, FactoryRule, "factory rule")
    kind: type[FactoryRule] = thing
    require_fields_with_defaults(kind)
    for method, call in PHASE_CALLS.items():
        require_parameters(getattr(kind, method), call.count(",") + 1, call)
    return kind
