"""How much work is done without asking, and what stderr shows of it: what `yes` and `quiet` mean."""

from __future__ import annotations

import math
import sys
import time
from dataclasses import replace

from engine.effort import ASK_FIRST, Effort, write_duration
from engine.errors import argument

FIRST_LINE_AFTER = 2.0
SECONDS_BETWEEN_LINES = 5.0
CENTURY = 100 * 31_557_600
TIME_LEFT_FROM = 0.01
"""The share of the work from which on the time left is shown: before, it would be a guess."""


def make_effort(yes: bool, quiet: bool) -> Effort:
    """How much work is done without asking, any amount after a yes, and who is shown how far it is."""
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
