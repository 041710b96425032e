"""The two observational records that an agent keeps of its learning world.

    of X:  (t, i_t, x_t, a_t, x_{t+1}, events)        of I:  (t, i_t, x_t, a_t, x_{t+1}, i_{t+1})

Reference: "Counterfactual planning with an input terminal", the two time series of "Design and interpretation of the
learning world". CITC keeps the first only. Counts are all that maximum likelihood needs of them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

StateNumbers: TypeAlias = tuple[int, ...]


class KernelInput(NamedTuple):
    """What a kernel is conditioned on: step, signal (None where signals are pooled), X_t and the action's glyph."""

    step: int
    signal: int | None
    x: StateNumbers
    action: str


class ObservedTransition(NamedTuple):
    """The X_{t+1} that was observed: the next state, and the events that reward functions look at."""

    next_x: StateNumbers
    events: StateNumbers


class ObservedSignal(NamedTuple):
    """The I_{t+1} that was observed, and the X_{t+1} that it came with."""

    next_x: StateNumbers
    signal: int


@dataclass
class Records:
    """Counts of what was observed.

    of_x, of_i: the two records. watch_signal: False leaves the record of I empty.
    """

    of_x: Counter[tuple[KernelInput, ObservedTransition]] = field(default_factory=Counter)
    of_i: Counter[tuple[KernelInput, ObservedSignal]] = field(default_factory=Counter)
    watch_signal: bool = True

    def observe(self, given: KernelInput, transition: ObservedTransition, signal: int, times: int = 1) -> None:
        """Add one real step, and the signal that followed, to both records; `times` is how often it was observed."""
        self.of_x[given, transition] += times
        if self.watch_signal:
            self.of_i[given, ObservedSignal(transition.next_x, signal)] += times
