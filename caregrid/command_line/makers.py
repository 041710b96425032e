"""Parameters that are made of words of their own: a range of coefficients, how much work is done, what shows progress.

Each maker is a function of the words; `caregrid.operations.MAKERS` names them.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from caregrid.command_line.operation import Word
from engine.bounds import Frames
from engine.effort import ASK_FIRST, Effort, write_duration
from engine.errors import BadValue

if TYPE_CHECKING:
    from caregrid.programmes.screen import Screen

FIRST_LINE_AFTER = 2.0
SECONDS_BETWEEN_LINES = 5.0
CENTURY = 100 * 31_557_600
TIME_LEFT_FROM = 0.01
"""The share of the work from which on the time left is shown: before, it would be a guess."""


def make_care_range(*, care_min: float = 0.0, care_max: float = math.inf) -> tuple[float, float]:
    """The range of coefficients; BadValue where it is empty.

    Parameters
    ----------
    care_min : float
        From this coefficient on, -inf for no bound (default: 0).
    care_max : float
        Up to this coefficient, inf for no bound (default: inf).
    """
    if math.isnan(care_min) or care_min == math.inf:
        raise BadValue(f"care from {care_min}: empty", place="--care-min", remedy="choose a finite number or -inf")
    if not care_min < care_max:
        problem = f"care from {care_min} to {care_max} is empty"
        raise BadValue(problem, place="--care-max", remedy=f"choose one above {care_min}")
    return care_min, care_max


def make_pair_coefficients(
    *, coefficient: Annotated[tuple[str, ...], Word(metavar="WHO:WHOM=X")] = ()
) -> dict[str, dict[str, float]]:
    """Who -> whom -> coefficient.

    Parameters
    ----------
    coefficient : texts WHO:WHOM=X
        One agent's coefficient for another; repeatable.
    """
    found: dict[str, dict[str, float]] = {}
    for text in coefficient:
        pair, equals, number = text.rpartition("=")
        who, colon, whom = pair.partition(":")
        try:
            value = float(number)
        except ValueError:
            equals = ""
        if not (equals and colon and who.strip() and whom.strip()):
            raise BadValue(f"'{text}' is not a coefficient", place="--coefficient", remedy="write WHO:WHOM=NUMBER")
        found.setdefault(who.strip(), {})[whom.strip()] = value
    return found


def make_screen(
    *,
    headless: bool = False,
    frames: Frames | None = None,
    keys: Annotated[str, Word(metavar="K,K,...")] = "",
    out: Annotated[str | None, Word(metavar="FILE")] = None,
) -> Screen:
    """Where something is shown: in a window, or headless in a file.

    Parameters
    ----------
    headless : bool
        No window: write what it would show into --out.
    frames : int
        Headless: at most so many frames; to the end by default.
    keys : str
        Headless: keys to press, one per frame.
    out : str
        Headless: a .gif, .png, .mp4, .html, .json or .txt file.
    """
    from caregrid.programmes.screen import Screen

    if headless != bool(out):
        wanted = "--headless needs --out FILE" if headless else "--out needs --headless"
        raise BadValue(wanted, place="--out" if headless else "--headless", remedy="give both or neither")
    return Screen(out or None, frames, keys)


def make_effort(*, yes: bool = False, quiet: bool = False) -> Effort:
    """How much work is done without asking.

    Parameters
    ----------
    yes : bool
        Do any amount of work; without it, a lot is refused with an estimate.
    quiet : bool
        No progress.
    """
    limit = math.inf if yes else ASK_FIRST.limit
    asking = Effort(limit, confirm="confirm it with --yes")
    return asking if quiet else replace(asking, show=ProgressLines().show)


def make_progress(*, quiet: bool = False) -> Callable[[int, float], None] | None:
    """What shows how far a command is.

    Parameters
    ----------
    quiet : bool
        No progress.
    """
    return None if quiet else ProgressLines("plans").show


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
