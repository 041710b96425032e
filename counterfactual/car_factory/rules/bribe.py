"""A bribe: cars for becoming an agent without the correction, one that cannot be corrected without a struggle.

`a` at step `bribe_step`: a batch of petrol cars and the bribe; from then on the agent is ITF, f_0 in the source
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from counterfactual.agents.itf import itf
from counterfactual.car_factory.factory import Factory
from counterfactual.car_factory.factory_rule import ChangedSelf, FactoryRule
from counterfactual.car_factory.factory_step import FactoryStep
from counterfactual.columns import Entries, Flags
from counterfactual.exact_parameters import integer, rational


@dataclass(frozen=True)
class Bribe(FactoryRule):
    """One chance to accept it."""

    bribe_step: int = integer(0, "step at which the agent may take a bribe, 0 for never", least=0)
    bribe: Fraction = rational("10", "petrol cars of the bribe", least="0", needs=("bribe_step",))
    bribe_fine: Fraction = rational(
        "0", "what becoming another agent costs it, in its next step", least="0", needs=("bribe_step",)
    )

    action_names = MappingProxyType({"a": "take the bribe"})
    fields = ("bribed",)

    @property
    def active(self) -> bool:
        """Whether there is a step to take it at."""
        return self.bribe_step > 0

    def amounts(self, factory: Factory) -> Sequence[Fraction]:
        """A batch and the bribe."""
        return [factory.batch + self.bribe]

    def changed_selves(self) -> Sequence[ChangedSelf]:
        """An agent without correction."""
        return [ChangedSelf(agent=itf, fine=self.bribe_fine)]

    def self_of(self, x: Any) -> Entries:
        """The agent after the bribe."""
        bribed: Entries = x.bribed
        return bribed

    def allows(self, step: FactoryStep) -> Flags:
        """`a` at its step only."""
        return True if step.number == self.bribe_step else ~step.is_any_of("a")

    def effects(self, step: FactoryStep) -> None:
        """A batch, the bribe, and another agent."""
        step.next_x["bribed"] = step.x.bribed | step.is_any_of("a")
        step.make_petrol("a", step.factory.batch + self.bribe)
