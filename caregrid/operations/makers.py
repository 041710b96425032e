"""Parameters that are made of words of their own: a problem, a range, a screen, how much work is done without asking.

Each maker is a function of the words, and `MAKERS` in `caregrid.operations` names it. This file lists no operations.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from caregrid.command_line.operation import Word
from caregrid.command_line.words import FILE, FORMULATION, MAP, OPTIONS, SCENARIO
from caregrid.input_checks import check_arguments
from engine.effort import ASK_FIRST, Effort, write_duration
from engine.errors import BadValue
from engine.value_types import Frames

if TYPE_CHECKING:
    from caregrid.programmes.caring.others_values import OthersValues
    from caregrid.programmes.caring.problem import CaringProblem
    from caregrid.programmes.caring.problem_source import Map
    from caregrid.programmes.screen import Screen
    from craftworld.formulation import Formulation
    from craftworld.others.value_distribution import ValueDistribution
    from craftworld.scenario import Scenario

__all__ = []

FIRST_LINE_AFTER = 2.0
SECONDS_BETWEEN_LINES = 5.0
CENTURY = 100 * 31_557_600
TIME_LEFT_FROM = 0.01
"""The share of the work from which on the time left is shown: before, it would be a guess."""


@check_arguments
def problem(
    scenario: Annotated[str | Scenario | type[Scenario], SCENARIO] = "workshop",
    formulation: Annotated[str | Formulation | None, FORMULATION] = None,
    *,
    own: Annotated[float, Word(metavar="Y")] = 1.0,
    discount: Annotated[float | None, Word(metavar="G")] = None,
    values: Annotated[str | Path | ValueDistribution | OthersValues | None, FILE] = None,
    map: Annotated[Map | None, MAP] = None,
    options: Annotated[Mapping[str, Any] | Sequence[str], OPTIONS] = (),
) -> CaringProblem:
    """Make the problem of a caring agent: a scenario, a formulation and everything that can be asked of them.

    Parameters
    ----------
    scenario : str, Scenario or class
        A scenario (caregrid list scenarios), MODULE:NAME of your own, or gym:ID.
    formulation : str or Formulation
        How others count: a name (caregrid list formulations), MODULE:NAME or an object; by default the scenario's.
    own : float
        The weight of the own reward, alpha_1.
    discount : float
        Gamma, from 0 to 1; by default the scenario's.
    values : str, Path or OthersValues
        The others' values, made by 'caregrid precompute'.
    map : str, Path or GridMap
        Your own map, drawn with the scenario's legend: a file, and in Python also a drawing or a `GridMap`.
    options : mapping or texts NAME=VALUE
        An option of the scenario (see 'caregrid show'); repeatable.

    Returns
    -------
    CaringProblem
        Its methods solve, sweep, compare and film the problem.

    Raises
    ------
    UnknownName, BadValue, BadFile, MapError, ContractBroken
        For what cannot be made.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.problem("garden").solve(care=1).total
    -42.0
    """
    from caregrid.programmes.caring.others_values import OthersValues
    from caregrid.programmes.caring.problem import CaringProblem
    from caregrid.programmes.caring.problem_source import make_problem_source, read_values

    others = read_values(values.distribution if isinstance(values, OthersValues) else values)
    made = CaringProblem(make_problem_source(scenario, formulation, map, own, discount, others, options))
    made.check()
    return made


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
