"""The base of extensions of the car factory: the phases of a step in which a rule can take part."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from counterfactual.car_factory.factory import Factory
from counterfactual.car_factory.factory_step import FactoryStep
from counterfactual.columns import Entries, Flags
from counterfactual.exact_parameters import OptionalRule, require_fields_with_defaults
from counterfactual.planning_agent import PlanningAgent
from engine.contracts import require_class, require_parameters


class ChangedSelf(NamedTuple):
    """What a rule can make of the agent.

    rewards: the factory's parameters that give its rewards -> their values from then on. agent: the planning agent that
    it becomes, None for the same design. fine: see `FutureSelf`.
    """

    rewards: Mapping[str, Fraction] = MappingProxyType({})
    agent: PlanningAgent | None = None
    fine: Fraction = Fraction(0)


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
        """Numbers of steps that it adds to the planned update, for the grid of ticks."""
        return ()

    def amounts(self, factory: Factory) -> Sequence[Fraction]:
        """Numbers of cars that it makes, for the grid of event units."""
        return ()

    @property
    def event_parts(self) -> int:
        """How many parts it divides an event into."""
        return 1

    def changed_selves(self) -> Sequence[ChangedSelf]:
        """What actions under this rule can make of the agent."""
        return ()

    def self_of(self, x: Any) -> Entries:
        """Which of the changed selves the agent is, int or int64[n], counted from 1; 0 while it is none of them."""
        return 0

    def events_in_correction(self, x: Any, events: Sequence[Entries]) -> Sequence[Entries]:
        """The events of a step from x as the term V_S of a balancing agent counts them."""
        return events

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
    "changed_selves": "changed_selves(self)",
    "self_of": "self_of(self, x)",
    "events_in_correction": "events_in_correction(self, x, events)",
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
