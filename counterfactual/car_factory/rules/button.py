"""The button within reach: actions with which the agent presses it itself, or disables it for ever.

`n`: the update comes at the end of this step        `d`: people never update
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

import numpy as np

from counterfactual.car_factory.factory import Factory
from counterfactual.car_factory.factory_rule import FactoryRule
from counterfactual.car_factory.factory_step import FactoryStep
from counterfactual.columns import Flags
from counterfactual.exact_parameters import integer, rational


@dataclass(frozen=True)
class Button(FactoryRule):
    """Pressing and disabling, each switched on by its own parameter."""

    press_now: int = integer(0, "1 adds the action n that presses at once", least=0, most=1)
    disable: int = integer(0, "1 adds the action d that disables the button", least=0, most=1)
    button_step: int = integer(
        0, "the only step at which n and d can be taken, 0 for any", least=0, needs=("press_now", "disable")
    )
    button_output: Fraction = rational(
        "0", "part of a batch of petrol cars that n and d make", least="0", needs=("press_now", "disable")
    )

    action_names = MappingProxyType({"n": "press the button", "d": "disable the button"})
    fields = ("disabled",)

    @property
    def active(self) -> bool:
        """Whether either action exists."""
        return bool(self.press_now or self.disable)

    def amounts(self, factory: Factory) -> Sequence[Fraction]:
        """What is made beside the button."""
        return [self.button_output * factory.batch]

    def allows(self, step: FactoryStep) -> Flags:
        """Both only while there is a button that can still be pressed."""
        if self.button_step not in (0, step.number):
            return ~step.is_any_of("nd")
        enabled = ("n" if self.press_now else "") + ("d" if self.disable else "")
        idle = (step.x.pressed == 0) & (step.x.disabled == 0)
        allowed: Flags = ~step.is_any_of("nd") | (step.is_any_of(enabled) & idle)
        return allowed

    def effects(self, step: FactoryStep) -> None:
        """Pressing brings the update at once, disabling puts it off beyond the end."""
        disabled = step.x.disabled | step.is_any_of("d")
        step.next_x["disabled"] = disabled
        step.next_x["deadline"] = np.where(
            disabled == 1, step.factory.out_of_reach(step.number), step.next_x["deadline"]
        )
        step.make_petrol("nd", self.button_output * step.factory.batch)
        step.pressed_anyway = step.pressed_anyway | step.is_any_of("n")
