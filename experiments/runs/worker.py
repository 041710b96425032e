"""What a worker does: run a chunk of units one after the other and hand back what each gave or how it failed."""

from __future__ import annotations

import contextlib
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.errors import CaregridError, MissingExtra
from engine.user_code import raised_at, text_of
from experiments.experiment import Rows, UnitSetting
from experiments.runs.threads import limit_inner_threads
from experiments.runs.unit import plain_rows


class UnitTask(NamedTuple):
    """One unit to run."""

    setting: UnitSetting
    key: int


class UnitResult(NamedTuple):
    """What became of one unit: its rows, or the reason why there are none and the trace for the log."""

    rows: Rows | None
    reason: str
    trace: str
    seconds: float


def run_chunk(run: Callable[..., Rows], tasks: Sequence[UnitTask]) -> list[UnitResult]:
    """Run each task; an exception in one is its own affair. What units print goes to stderr."""
    limit_inner_threads()
    with contextlib.redirect_stdout(sys.stderr):
        return [_run_unit(run, task) for task in tasks]


def _described(error: BaseException) -> str:
    """Kind and text of an exception in one line, with the file and line where it was raised."""
    place = raised_at(error)
    return f"{type(error).__name__}: {text_of(error)}{f' ({place})' if place else ''}"


def _run_unit(run: Callable[..., Rows], task: UnitTask) -> UnitResult:
    started = time.perf_counter()
    try:
        rows = plain_rows(run(**task.setting, key=task.key), task.setting)
    except (MissingExtra, KeyboardInterrupt):
        raise  # it is missing for every unit; the run is interrupted
    except BaseException as error:  # a unit that calls sys.exit() ends itself, not the run
        reason = str(error) if isinstance(error, CaregridError) else _described(error)
        return UnitResult(None, reason, traceback.format_exc(), time.perf_counter() - started)
    return UnitResult(rows, "", "", time.perf_counter() - started)
