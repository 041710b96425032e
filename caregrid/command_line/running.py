"""A command line answered by an operation: read the words, call the function, print what it returns."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from caregrid.command_line.help_text import help_text
from caregrid.command_line.operation import Operation
from caregrid.command_line.parser import JSON, CommandParser
from caregrid.command_line.terminal_width import print_text
from engine.effort import ASK_FIRST, Effort

FIRST_LINE_AFTER = 2.0
SECONDS_BETWEEN_LINES = 5.0
CENTURY = 100 * 31_557_600
TIME_LEFT_FROM = 0.01
"""The share of the work from which on the time left is shown: before, it would be a guess."""


def answer(operation: Operation, words: Sequence[str]) -> int:
    """Run one operation with the words of a command line; return the exit code."""
    values = CommandParser(operation).values(words)
    if values is None:
        print(help_text(operation), end="")
        return 0
    as_json = bool(values.pop(JSON, False))
    if as_json:
        values = {name: value for name, value in values.items() if value is not UNLESS_JSON}
    else:
        values = {name: True if value is UNLESS_JSON else value for name, value in values.items()}
    from caregrid.runs.execution import RunNotFinished

    try:
        result = operation.call(values)
    except RunNotFinished as error:
        return _report_unfinished(error, as_json)
    return print_result(operation, result, as_json)


UNLESS_JSON = object()
"""The default of an `out` that is True, results/..., but None where JSON on stdout is all that is asked for."""


def print_result(operation: Operation, result: Any, as_json: bool) -> int:
    """Print a result as text or as JSON, its warning on stderr; return its exit code, 0 where it has none.

    A result may have `json_warning` where that of its JSON is another one than `warning`.
    """
    if result is None:
        return 0
    if isinstance(result, int):
        return result
    warning = getattr(result, "warning", None)
    if as_json:
        warning = getattr(result, "json_warning", warning)
    if warning:
        sys.stderr.write(f"caregrid: {warning}\n")
    if as_json:
        print_json(getattr(result, "schema", operation.schema), result.output())
    elif result.as_wide_as_terminal:
        print(result.output_text())
    else:
        print_text(result.output_text())
    return int(getattr(result, "exit_code", 0))


def print_json(schema: str, content: Mapping[str, Any]) -> None:
    """Print an output in one line: `schema` and `version`, then the content, whose fields that schema names.

    nan and infinite numbers are null, fractions text; see docs/json.md.
    """
    from caregrid.schemas import SCHEMAS
    from engine.plain_values import make_json_value

    print(json.dumps({**SCHEMAS[schema].heading(), **make_json_value(content)}, allow_nan=False))


def _report_unfinished(error: Any, as_json: bool) -> int:
    """Say on stderr why a run is not complete, and how to go on; print what was finished as JSON; the exit code."""
    summary = error.summary
    if as_json:
        print_json("run_unfinished", error.output())
    for failure in summary.failures[:1]:
        sys.stderr.write(f"caregrid: failed: {dict(failure.setting)}: {failure.reason}\n")
    how_to_go_on = "the same command goes on" if summary.kept else "with --out DIR the same command would go on"
    sys.stderr.write(f"caregrid: {summary.sentence()}; {how_to_go_on}\n")
    return int(summary.exit_code)


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
        from engine.effort import write_duration

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
