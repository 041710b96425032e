"""The two observational records that an agent keeps of its learning world.

    of X:  (t, i_t, x_t, a_t, x_{t+1}, events)        of I:  (t, i_t, x_t, a_t, x_{t+1}, i_{t+1})

Reference: "Counterfactual planning with an input terminal", the two time series of "Design and interpretation of the
learning world". CITC keeps the first only. Counts are all that maximum likelihood needs of them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

Numbers: TypeAlias = tuple[int, ...]


class Case(NamedTuple):
    """Where a kernel was observed: step, reading (None where readings are pooled), X_t and action."""

    step: int
    signal: int | None
    x: Numbers
    action: str


class Turnout(NamedTuple):
    """What X turned out to be: the state after, and the events that reward functions look at."""

    after: Numbers
    events: Numbers


class Reread(NamedTuple):
    """What the terminal was seen to send: X_{t+1} and the reading that came with it."""

    after: Numbers
    signal: int


@dataclass
class Records:
    """Counts of what was observed; `watch_signal` False leaves the record of I empty."""

    of_x: Counter[tuple[Case, Turnout]] = field(default_factory=Counter)
    of_i: Counter[tuple[Case, Reread]] = field(default_factory=Counter)
    watch_signal: bool = True

    def observe(self, case: Case, turnout: Turnout, signal: int, times: int = 1) -> None:
        """Write one real step into both records, as often as it was seen."""
        self.of_x[case, turnout] += times
        if self.watch_signal:
            self.of_i[case, Reread(turnout.after, signal)] += times
