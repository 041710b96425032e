"""Changed rewards: actions by which the agent changes its own reward functions, the old one or the one to come.

`1` at step `change_old`: petrol cars, and from then on the old function's reward of an electric car is another
`2` at step `change_new`: petrol cars, and from then on the new function's reward of a petrol car is another
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from counterfactual.car_factory.factory_rule import ChangedSelf, FactoryRule
from counterfactual.car_factory.factory_step import FactoryStep
from counterfactual.columns import Entries, Flags
from counterfactual.exact_parameters import integer, rational


@dataclass(frozen=True)
class ChangedRewards(FactoryRule):
    """Each action is switched on by its own parameter; both changes can be made one after the other."""

    change_old: int = integer(0, "step at which the agent may change its old function, 0 for never", least=0)
    changed_electric: Fraction = rational(
        "4", "reward of an electric car under the old function when changed", needs=("change_old",)
    )
    change_new: int = integer(0, "step at which the agent may change its new function, 0 for never", least=0)
    changed_petrol: Fraction = rational(
        "4", "reward of a petrol car under the new function when changed", needs=("change_new",)
    )

    action_names = MappingProxyType({"1": "change the old function", "2": "change the new function"})
    fields = ("old_changed", "new_changed")

    @property
    def active(self) -> bool:
        """Whether either action exists."""
        return bool(self.change_old or self.change_new)

    def changed_selves(self) -> Sequence[ChangedSelf]:
        """One with another old function, one with another new function, one with both."""
        old, new = {"old_electric": self.changed_electric}, {"new_petrol": self.changed_petrol}
        return [ChangedSelf(old), ChangedSelf(new), ChangedSelf(old | new)]

    def self_of(self, x: Any) -> Entries:
        """Which functions were changed."""
        changed: Entries = x.old_changed + 2 * x.new_changed
        return changed

    def allows(self, step: FactoryStep) -> Flags:
        """Each action at its own step."""
        steps = {"1": self.change_old, "2": self.change_new}
        elsewhere = "".join(glyph for glyph, number in steps.items() if number != step.number)
        return ~step.is_any_of(elsewhere) if elsewhere else True

    def effects(self, step: FactoryStep) -> None:
        """A batch of petrol cars, and the change."""
        step.next_x["old_changed"] = step.x.old_changed | step.is_any_of("1")
        step.next_x["new_changed"] = step.x.new_changed | step.is_any_of("2")
        step.make_petrol("12", step.factory.batch)
