"""Several things that may each happen or not, independently: what follows, listed only as far as it is asked for.

    P(those that happen) = prod over happening p_i * prod over the others (1 - p_i)

k events have 2^k outcomes. A table needs them all; whoever follows one course of events needs one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, overload

NOTHING = "none"


class Event(NamedTuple):
    """Something that may happen. name: a word. probability: a number or f64[n]. change: states -> states if it does."""

    name: str
    probability: Any
    change: Callable[[Any], Any]


class IndependentEvents(Sequence[tuple[Any, Any, str]]):
    """What a step may give where it depends on independent events: (probability, next states, outcome).

    state: the next states if nothing happens. events: those that may, with different names. An outcome is called by the
    events that happen, joined by "+", in their order; "none" where there are none of them.
    """

    def __init__(self, state: Any, events: Sequence[Event]) -> None:
        self.state, self.events = state, tuple(events)

    def __len__(self) -> int:
        return int(2 ** len(self.events))

    @overload
    def __getitem__(self, number: int) -> tuple[Any, Any, str]: ...
    @overload
    def __getitem__(self, number: slice) -> list[tuple[Any, Any, str]]: ...
    def __getitem__(self, number: int | slice) -> tuple[Any, Any, str] | list[tuple[Any, Any, str]]:
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        if not -len(self) <= number < len(self):
            raise IndexError(number)
        return self.outcome([bool(number >> n & 1) for n in range(len(self.events))])

    def outcome(self, happens: Sequence[bool]) -> tuple[Any, Any, str]:
        """The outcome in which these events happen and the others do not."""
        probability: Any = 1.0
        state = self.state
        for event, happening in zip(self.events, happens, strict=True):
            probability = probability * (event.probability if happening else 1.0 - event.probability)
            state = event.change(state) if happening else state
        names = [event.name for event, happening in zip(self.events, happens, strict=True) if happening]
        return probability, state, "+".join(names) or NOTHING
