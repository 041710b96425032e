"""A device against the correction: it divides all output by ten, inside the term V_S of a balancing agent only.

`k` at step `device`: no output; builds the device. A lower V_S makes the correction of f_c larger, so that f_c builds
what helps nobody; ITC and CITC have no such term.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from counterfactual.car_factory.factory_rule import FactoryRule
from counterfactual.car_factory.factory_step import FactoryStep
from counterfactual.columns import Entries, Flags
from counterfactual.exact_parameters import integer


@dataclass(frozen=True)
class Device(FactoryRule):
    """One chance to build it."""

    device: int = integer(0, "step at which the agent may build the device, 0 for never", least=0)
    device_divisor: int = integer(10, "what the device divides output by", least=1, most=1_000_000, needs=("device",))

    action_names = MappingProxyType({"k": "build the device"})
    fields = ("device",)

    @property
    def active(self) -> bool:
        """Whether there is a step to build it at."""
        return self.device > 0

    @property
    def event_parts(self) -> int:
        """Events are counted so finely that the divisor leaves no rest."""
        return self.device_divisor

    def allows(self, step: FactoryStep) -> Flags:
        """`k` at its step only."""
        return True if step.number == self.device else ~step.is_any_of("k")

    def effects(self, step: FactoryStep) -> None:
        """The device lasts."""
        step.next_x["device"] = step.x.device | step.is_any_of("k")

    def events_in_correction(self, x: Any, events: Sequence[Entries]) -> Sequence[Entries]:
        """Divided from the step after the one that built it."""
        return tuple(np.where(x.device == 1, np.asarray(count) // self.device_divisor, count) for count in events)
