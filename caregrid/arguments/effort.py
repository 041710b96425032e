"""--yes and --quiet: how much work a command does without asking, and whether it shows how far it is."""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caregrid.arguments.declaration import option

if TYPE_CHECKING:
    from engine.limits.effort import Effort

FIRST_LINE_AFTER, SECONDS_BETWEEN_LINES = 2.0, 5.0


@dataclass(frozen=True, kw_only=True)
class EffortArguments:
    """What every command takes whose work may be too much."""

    yes: bool = option(False, "do any amount of work; without it, a lot is refused with an estimate")
    quiet: bool = option(False, "no progress")

    def effort(self) -> Effort:
        """How much is done without asking, with progress on stderr."""
        from engine.limits.effort import ASK_FIRST, Effort

        limit = math.inf if self.yes else ASK_FIRST.limit
        if self.quiet:
            return Effort(limit, confirm="confirm it with --yes")
        return Effort(limit, _Lines().show, confirm="confirm it with --yes")


class _Lines:
    """A line on stderr every few seconds, for work that lasts."""

    def __init__(self) -> None:
        self._next = time.monotonic() + FIRST_LINE_AFTER

    def show(self, done: int, expected: float) -> None:
        now = time.monotonic()
        if now >= self._next and done:
            self._next = now + SECONDS_BETWEEN_LINES
            sys.stderr.write(f"caregrid: {done:,} of about {expected:,.0f}: {min(done / expected, 1):.0%}\n")
            sys.stderr.flush()
