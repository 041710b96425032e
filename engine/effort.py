"""Work that is estimated before it is done: refused with its size unless it is confirmed, shown while it lasts.

Work in steps (`Effort`): before each step its number of units is known. From the last steps the sum over all of them is
extrapolated, n + n g + n g^2 + ... where they grow by a factor, and in a line where they hardly do; where that is more
than the limit, the work is refused soon after it began. `make_effort` is what the options `yes` and `quiet` mean: any
amount of work, and lines on standard error with the time left (`ProgressLines`).

Long runs (`require_confirmed`): a hundred million steps of learning or turns and more are refused, with the time that
they would take, until they are confirmed.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from engine.errors import BadValue, argument

UNITS_WITHOUT_ASKING = 5_000_000
EXPLORED = 0.01
"""The part of the limit that is worked through before an extrapolation counts."""
LARGEST_STEP = 10**100
GROWS_BY = 0.05
"""What a step must add, as a part of itself, to be taken for exponential growth."""
FIRST_LINE_AFTER = 2.0
SECONDS_BETWEEN_LINES = 5.0
CENTURY = 100 * 31_557_600
TIME_LEFT_FROM = 0.01
"""The share of the work from which on the time left is shown: before, it would be a guess."""


def _show_nothing(done: int, total: float) -> None:
    """Show nothing."""


@dataclass(frozen=True)
class Effort:
    """How much work may be done without asking, and who is shown how far it is.

    limit: in units, about a microsecond to a few each; infinite where any work is confirmed. show: called with the
    units done and the units expected before each step. confirm: how a user confirms, for messages.
    """

    limit: float = UNITS_WITHOUT_ASKING
    show: Callable[[int, float], None] = _show_nothing
    confirm: str = "confirm it with effort=ANY_EFFORT"

    def require(self, count: int, what: str, place: str = "", remedy: str = "ask for less", each: int = 1) -> None:
        """Raise BadValue, with the number, where work of a known size is more than the limit.

        count, what: how many of what there are to work out. each: how many units each of them takes.
        """
        if count * each > self.limit:
            problem = f"about {_write_power(math.log10(count))} {what} to work out"
            raise BadValue(problem, place=place, remedy=f"{remedy}, or {self.confirm}")

    def in_steps(self, steps: int, what: str, place: str = "", remedy: str = "ask for fewer steps") -> SteppedWork:
        """Begin work of so many steps, whose sizes are found out one after another."""
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
    solved: int = 0
    _sizes: list[int] = field(default_factory=list)
    _total: float = 0.0

    def step(self, size: int) -> None:
        """Begin one more step; raise BadValue, with the estimate, where all of them are too many units."""
        size = min(size, LARGEST_STEP)
        self._sizes = [*self._sizes[-2:], size]
        self.steps -= 1
        self._total = self._extrapolate()
        explored = self.done > EXPLORED * self.effort.limit
        if self.done + size > self.effort.limit or (explored and self._total > _log10(self.effort.limit)):
            problem = f"about {_write_power(self._total)} {self.what} to work out"
            raise BadValue(problem, place=self.place, remedy=f"{self.remedy}, or {self.effort.confirm}")
        self._show()
        self.done += size

    def finish_step(self, size: int) -> None:
        """Finish one step, in work that goes through its steps once more, from the last to the first."""
        self.solved += size
        self._show()

    def _show(self) -> None:
        self.effort.show((self.done + self.solved) // (2 if self.solved else 1), 10.0 ** min(self._total, 300.0))

    def _extrapolate(self) -> float:
        """Return log10 of all units: done, of this step, and of the steps to come, which grow as the last ones did."""
        left, last = max(self.steps, 0), self._sizes[-1]
        slope = (last - self._sizes[0]) / (len(self._sizes) - 1) if len(self._sizes) > 1 else 0.0
        if slope <= GROWS_BY * last or last <= 1:
            return _log10(self.done + last * (left + 1) + max(slope, 0.0) * left * (left + 1) / 2)
        growth = (last / max(self._sizes[0], 1)) ** (1 / (len(self._sizes) - 1))
        if left * math.log10(growth) > 100:
            return _log10(last) + (left + 1) * math.log10(growth) - math.log10(growth - 1)
        return _log10(self.done + last * (growth ** (left + 1) - 1) / (growth - 1))


def _log10(number: float) -> float:
    return math.log10(number) if number >= 1 else 0.0


def _write_power(logarithm: float) -> str:
    """Write a number by its logarithm, as people read it: "40,320" or "3e+12"."""
    if logarithm < 9:
        return f"{round(10**logarithm):,}"
    power = math.floor(logarithm + 0.02)
    return f"{max(round(10 ** (logarithm - power)), 1)}e+{power:,}"


STEPS_WITHOUT_ASKING = 99_999_999
SECONDS_A_LEARNING_STEP = 6e-8
SECONDS_A_TURN = 5e-8
"""Of the fastest agents in extended environments, compiled; plainly a turn takes a hundred times as long."""


def require_confirmed(
    steps: int | None,
    what: str,
    place: str,
    seconds_a_step: float,
    yes: bool,
    without_asking: int = STEPS_WITHOUT_ASKING,
) -> None:
    """Raise BadValue, with the number of steps and the time they take, for many steps that nobody has confirmed.

    steps: None where the command chooses them. what: the steps in words. place: what asked for them: the parameter.
    seconds_a_step: on a common machine, 0 where no number of seconds can be told. yes: whether they are confirmed.
    without_asking: the most steps that need no confirmation.
    """
    if steps is not None and steps > without_asking and not yes:
        time = f"{write_duration(steps * seconds_a_step)} or more" if seconds_a_step else "very long"
        remedy = f"ask for fewer, or confirm it with {argument('yes', True)}"
        raise BadValue(f"{steps:,} {what} take {time}", place=place, remedy=remedy)


def require_learning_confirmed(yes: bool, **steps: int | None) -> None:
    """Require the same for steps of learning, by the names of the parameters that ask for them."""
    for name, count in steps.items():
        require_confirmed(count, "steps of learning", name, SECONDS_A_LEARNING_STEP, yes)


def write_duration(seconds: float) -> str:
    """Write a time in the unit that suits it.

    >>> write_duration(40), write_duration(10_000)
    ('40 seconds', '3 hours')
    """
    for unit, length in (("year", 31_557_600), ("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            count = round(seconds / length)
            return f"{count:,} {unit}{'s' if count > 1 else ''}"
    count = max(round(seconds), 1)
    return f"{count} second{'s' if count > 1 else ''}"


def make_effort(yes: bool, quiet: bool) -> Effort:
    """Return how much work is done without asking, any amount after a yes, and who is shown how far it is."""
    limit = math.inf if yes else ASK_FIRST.limit
    asking = Effort(limit, confirm=f"confirm it with {argument('yes', True)}")
    return asking if quiet else replace(asking, show=ProgressLines().show)


class ProgressLines:
    """A line on stderr every few seconds, for work that lasts, with the time left once a hundredth is done."""

    def __init__(self, units: str = "") -> None:
        self._units = f" {units}" if units else ""
        self._began = time.monotonic()
        self._next = self._began + FIRST_LINE_AFTER

    def show(self, done: int, expected: float) -> None:
        """Write a line if the last one is old enough."""
        now = time.monotonic()
        if now < self._next or not done:
            return
        self._next = now + SECONDS_BETWEEN_LINES
        share = min(done / expected, 1.0)
        left = max(expected - done, 0.0) / done * (now - self._began)
        text = f"{done:,} of about {expected:,.0f}{self._units}: {share:.0%}"
        if share >= TIME_LEFT_FROM:
            text += f", about {write_duration(left)} left" if left < CENTURY else ", more than a century left"
        sys.stderr.write(f"caregrid: {text}\n")
        sys.stderr.flush()
