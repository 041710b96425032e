"""Work that is estimated before it is done: refused with its size unless it is confirmed, shown while it lasts.

Whoever works in steps says before each one how many units it takes. From the growth of the steps so far the sum over
all of them is extrapolated, n + n g + n g^2 + ...; where that is more than the limit, the work is refused after a small
part of it. What fits into the limit is never refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.errors import BadValue

UNITS_WITHOUT_ASKING = 5_000_000
EXPLORED = 0.01
"""The part of the limit that is worked through before an extrapolation counts."""


def _silent(done: int, total: float) -> None:
    """Nothing is shown."""


@dataclass(frozen=True)
class Effort:
    """How much work may be done without asking, and who is shown how far it is.

    limit: in units, about a microsecond to a few each; infinite where any work is confirmed. show: called with the
    units done and the units expected before each step. confirm: how a user confirms, for messages.
    """

    limit: float = UNITS_WITHOUT_ASKING
    show: Callable[[int, float], None] = _silent
    confirm: str = "confirm it with effort=ANY_EFFORT"

    def require(self, units: float, what: str, place: str = "", remedy: str = "ask for less") -> None:
        """BadValue, with the number, where work of a known size is more than the limit. what: the plural of a unit."""
        if units > self.limit:
            problem = f"about {_number(math.log10(units))} {what} to work out"
            raise BadValue(problem, place=place, remedy=f"{remedy}, or {self.confirm}")

    def in_steps(self, steps: int, what: str, place: str = "", remedy: str = "ask for fewer steps") -> SteppedWork:
        """Work of so many steps, whose sizes are found out one after another."""
        return SteppedWork(self, steps, what, place, remedy)


ANY_EFFORT = Effort(limit=math.inf)
ASK_FIRST = Effort()


@dataclass
class SteppedWork:
    """The steps of one piece of work so far. what: the plural of a unit. place, remedy: for messages."""

    effort: Effort
    steps: int
    what: str
    place: str
    remedy: str
    done: int = 0
    _sizes: list[int] = field(default_factory=list)

    def step(self, size: int) -> None:
        """One more step is about to begin; BadValue, with the estimate, where all of them are too many units."""
        self._sizes = [*self._sizes[-2:], max(size, 1)]
        left = max(self.steps - 1, 0)
        total = self.done + size if not left else None
        logarithm = math.log10(max(total, 1)) if total is not None else self._extrapolated(left)
        limit = math.log10(self.effort.limit) if math.isfinite(self.effort.limit) else math.inf
        known_too_large = self.done + size > self.effort.limit
        if known_too_large or (self.done > EXPLORED * self.effort.limit and logarithm > limit):
            problem = f"about {_number(logarithm)} {self.what} to work out"
            raise BadValue(problem, place=self.place, remedy=f"{self.remedy}, or {self.effort.confirm}")
        self.effort.show(self.done, 10.0 ** min(logarithm, 300))
        self.done += size
        self.steps -= 1

    def _extrapolated(self, left: int) -> float:
        """log10 of done + n (1 + g + ... + g^left), n the last size and g the growth of the last steps, at least 1."""
        last = self._sizes[-1]
        growth = max((last / self._sizes[0]) ** (1 / (len(self._sizes) - 1)), 1.0) if len(self._sizes) > 1 else 1.0
        if growth - 1 < 1e-9:
            to_come = math.log10(last) + math.log10(left + 1)
        elif (left + 1) * math.log10(growth) > 15:
            to_come = math.log10(last) + (left + 1) * math.log10(growth) - math.log10(growth - 1)
        else:
            to_come = math.log10(last * (growth ** (left + 1) - 1) / (growth - 1))
        if self.done and to_come < 300:
            return math.log10(self.done + 10.0**to_come)
        return to_come


def _number(logarithm: float) -> str:
    """A number by its logarithm, as people read it: "40,320" or "3e+12"."""
    if logarithm < 9:
        return f"{round(10**logarithm):,}"
    power = math.floor(logarithm)
    return f"{round(10 ** (logarithm - power))}e+{power:,}"
