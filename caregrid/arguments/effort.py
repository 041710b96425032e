"""--yes and --quiet: how much work a command does without asking, and whether it shows how far it is."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from caregrid.arguments.declaration import option

if TYPE_CHECKING:
    from engine.effort import Effort

FIRST_LINE_AFTER, SECONDS_BETWEEN_LINES = 2.0, 5.0
CENTURY = 100 * 31_557_600
TIME_LEFT_FROM = 0.01
"""The share of the work from which on the time left is shown: before, it would be a guess."""


@dataclass(frozen=True, kw_only=True)
class QuietArgument:
    """--quiet, of a command whose work may last."""

    quiet: bool = option(False, "no progress")

    def progress(self, units: str = "") -> Callable[[int, float], None] | None:
        """What shows on stderr how much is done and how much is expected, none where it is to be quiet."""
        return None if self.quiet else _Lines(units).show


@dataclass(frozen=True, kw_only=True)
class EffortArguments(QuietArgument):
    """What every command takes whose work may be too much."""

    yes: bool = option(False, "do any amount of work; without it, a lot is refused with an estimate")

    def effort(self) -> Effort:
        """How much is done without asking, with progress on stderr."""
        from engine.effort import ASK_FIRST, Effort

        limit = math.inf if self.yes else ASK_FIRST.limit
        asking, show = Effort(limit, confirm="confirm it with --yes"), self.progress()
        return asking if show is None else replace(asking, show=show)


class _Lines:
    """A line on stderr every few seconds, for work that lasts, with the time left once a hundredth is done."""

    def __init__(self, units: str) -> None:
        self._units, self._began = f" {units}" if units else "", time.monotonic()
        self._next = self._began + FIRST_LINE_AFTER

    def show(self, done: int, expected: float) -> None:
        from engine.effort import write_duration

        now = time.monotonic()
        if now >= self._next and done:
            self._next = now + SECONDS_BETWEEN_LINES
            share, left = min(done / expected, 1.0), max(expected - done, 0.0) / done * (now - self._began)
            time_left = f"about {write_duration(left)} left" if left < CENTURY else "more than a century left"
            text = f"{done:,} of about {expected:,.0f}{self._units}: {share:.0%}"
            if share >= TIME_LEFT_FROM:
                text += f", {time_left}"
            sys.stderr.write(f"caregrid: {text}\n")
            sys.stderr.flush()
