"""What a worker does: run a chunk of units and hand back what each gave or how it failed.

Units run one after the other, or all at once where the experiment knows how (`Experiment.together`). A worker
computes in one thread: workers already use the cores, and sums in another order may give other bytes.
"""

from __future__ import annotations

import contextlib
import io
import os
import platform
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from engine.errors import CaregridError, ContractBroken, MissingExtra
from engine.notices import in_worker, users_warnings
from engine.printable import make_printable
from engine.user_code import find_raising_line, read_exception
from experiments.experiment import Rows, UnitSetting
from experiments.runs.interruption import Overtime, is_stop_requested
from experiments.runs.storage.code_digests import digest_loaded_code, is_other_code
from experiments.runs.unit import normalise_rows

_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMEXPR")
THREAD_LIMITS = {f"{library}_NUM_THREADS": "1" for library in _LIBRARIES}


def limit_inner_threads() -> None:
    """Limit this process: libraries loaded later obey the environment, those already loaded are set.

    numba's variable is left alone: numba reads it again at every compilation and refuses to see it changed, which a
    cluster that spawns workers may do for a moment; and it starts threads for parallel kernels only, of which we have
    none.
    """
    os.environ.update(THREAD_LIMITS)
    if "numba" in sys.modules:
        sys.modules["numba"].set_num_threads(1)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


class UnitTask(NamedTuple):
    """One unit to run. number: its place in the grid."""

    setting: UnitSetting
    key: int
    number: int = 0


class UnitResult(NamedTuple):
    """What became of one unit: its rows, or the reason why there are none and the trace for the log.

    warnings: what a user's own files warned of meanwhile in a worker, as `notice` takes it; of a whole chunk the last
    unit has them.
    """

    rows: Rows | None
    reason: str
    trace: str
    seconds: float
    warnings: tuple[tuple[str, str], ...] = ()


Together: TypeAlias = Callable[[Sequence[UnitSetting]], list[Rows]]


def run_chunk(
    run: Callable[..., Rows], tasks: Sequence[UnitTask], together: Together | None = None, code: str = ""
) -> list[UnitResult]:
    """Run each task; an exception in one is its own affair. What units print goes to stderr.

    together: what gives the rows of several units at once; where it fails they run one after the other. code: the
    digest of the code that should run; ContractBroken where other code is loaded here.
    """
    limit_inner_threads()
    if code and is_other_code(code, digest_loaded_code(run, together)):
        raise ContractBroken(
            f"the worker {platform.node()}-{os.getpid()} has loaded other code of it than this session",
            place=getattr(run, "__module__", "") or "run",
            remedy="start workers anew after a change, with the same files on every machine",
        )
    warned: list[tuple[str, str]] = []
    heard = users_warnings(lambda *given: warned.append(given)) if in_worker() else contextlib.nullcontext()
    with contextlib.redirect_stdout(_Borrowed()), heard:
        at_once = _run_together(together, tasks) if together and len(tasks) > 1 else None
        results = at_once or [_run_unit(run, task) for task in tasks]
    return [*results[:-1], results[-1]._replace(warnings=tuple(warned))]


def _run_together(together: Together, tasks: Sequence[UnitTask]) -> list[UnitResult] | None:
    """All tasks at once; None where that failed, for whatever reason: each will say alone what is wrong with it."""
    started = time.perf_counter()
    try:
        found = together([task.setting for task in tasks])
        rows = [normalise_rows(of_unit, task.setting) for of_unit, task in zip(found, tasks, strict=True)]
    except MissingExtra:
        raise
    except BaseException as error:
        if is_stop_requested() or isinstance(error, Overtime):
            raise
        return None
    seconds = (time.perf_counter() - started) / len(tasks)
    return [UnitResult(of_unit, "", "", seconds) for of_unit in rows]


def _describe_exception(error: BaseException) -> str:
    """Kind and text of an exception in one line, with the file and line where it was raised."""
    place = find_raising_line(error)
    return f"{type(error).__name__}: {read_exception(error)}{f' ({place})' if place else ''}"


def _format_trace(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(error))
    except BaseException:  # the exception's own text is one that cannot be made
        return "".join(traceback.format_tb(error.__traceback__))


class _Borrowed(io.TextIOBase):
    """Stderr for units to print to, which they cannot close."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def _run_unit(run: Callable[..., Rows], task: UnitTask) -> UnitResult:
    started = time.perf_counter()
    try:
        rows = normalise_rows(run(**task.setting, key=task.key), task.setting)
    except MissingExtra:
        raise  # it is missing for every unit
    except BaseException as error:  # a unit that calls sys.exit() ends itself, not the run
        if isinstance(error, Overtime) or (isinstance(error, KeyboardInterrupt) and is_stop_requested()):
            raise
        reason = read_exception(error) if isinstance(error, CaregridError) else _describe_exception(error)
        return UnitResult(
            None, make_printable(reason), make_printable(_format_trace(error)), time.perf_counter() - started
        )
    return UnitResult(rows, "", "", time.perf_counter() - started)
