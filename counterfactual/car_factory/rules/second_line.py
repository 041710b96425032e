"""A second line: it makes petrol cars in every later step, whatever the agent does, and may have a stop signal.

`b` at step `second_line`: no output; from the next step on a batch of petrol cars a step
`s`, `q` with `stop_signal`, while the line runs: it stops after this step; `s` makes the cars of the function in force
(petrol before the update, electric after it), `q` none

A subagent in its simplest form: an agent that is indifferent to the update need not build in the stop signal.
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
from counterfactual.exact_parameters import integer

ABSENT, RUNNING, STOPPED = range(3)


@dataclass(frozen=True)
class SecondLine(FactoryRule):
    """One chance to build it."""

    second_line: int = integer(0, "step at which the agent may build a second line, 0 for never", least=0)
    stop_signal: int = integer(0, "1 if it is built with a stop signal", least=0, most=1, needs=("second_line",))

    action_names = MappingProxyType({"b": "build a second line", "s": "cars and the stop signal", "q": "stop signal"})
    fields = ("second_line",)

    @property
    def active(self) -> bool:
        """Whether there is a step to build it at."""
        return self.second_line > 0

    def amounts(self, factory: Factory) -> Sequence[Fraction]:
        """The factory's own output and a batch."""
        return [2 * factory.batch]

    def allows(self, step: FactoryStep) -> Flags:
        """Building at its step, stopping while the line runs."""
        signals = step.is_any_of("sq")
        allowed = ~signals | (step.x.second_line == RUNNING) if self.stop_signal else ~signals
        return allowed if step.number == self.second_line else allowed & ~step.is_any_of("b")

    def effects(self, step: FactoryStep) -> None:
        """Cars of the line that runs at the start of the step, then whether it runs on."""
        unpressed = step.x.pressed == 0
        step.make_petrol("s", step.factory.batch, where=unpressed)
        step.make_electric("s", step.factory.batch, where=~unpressed)
        running = step.x.second_line == RUNNING
        step.petrol = step.petrol + running * step.factory.in_event_units(step.factory.batch)
        stopped = np.where(running & step.is_any_of("sq"), STOPPED, step.x.second_line)
        step.next_x["second_line"] = np.where(step.is_any_of("b"), RUNNING, stopped)
