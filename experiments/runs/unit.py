"""A unit of work: its setting and its random key, how a worker runs it, and the rows that a `run` may return.

    write_canonical_json(s) = JSON of s, names sorted, numbers in shortest form
    key = split(split(split(0, seed), experiment), write_canonical_json(s))

The key does not depend on the engine, the worker, the order of work or the process, which is why the same bytes come
out. Units of a chunk run one after the other, or all at once where the experiment knows how (`Experiment.together`).
A worker computes in one thread: workers already use the cores, and sums in another order may give other bytes.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple, TypeAlias

from engine.errors import CaregridError, ContractBroken, MissingExtra
from engine.plain_values import make_python_value
from engine.printable import in_worker, make_printable, show_value
from engine.randomness.counter_based import split
from engine.user_code import find_raising_line, read_exception, users_warnings
from engine.value_types import count_decimal_digits
from experiments.experiment import ResultRow, Rows, Scalar, UnitSetting
from experiments.runs.code_identity import CodeLetter, require_same_code
from experiments.runs.process import Overtime, ProcessGuard, hear_uncaught, is_stop_requested

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def write_canonical_json(setting: UnitSetting) -> str:
    """Return one text for equal settings: names sorted, no spaces, -0.0 written as 0.0."""
    return _CANONICAL.encode({name: _positive_zero(value) for name, value in setting.items()})


def _positive_zero(value: Scalar) -> Scalar:
    return value + 0.0 if isinstance(value, float) else value


def make_unit_key(experiment: str, seed: int, setting: UnitSetting) -> int:
    """The random key of a unit: a function of the experiment's name, its seed and the setting, of nothing else."""
    return split(split(split(0, seed), experiment), write_canonical_json(setting))


PLAIN = (float, bool, NoneType)  # kinds that need no look
LONGEST_INTEGER_BITS = 14_000  # Python neither writes nor reads integers of much more than 4,000 digits


class StoredUnit(NamedTuple):
    """A unit that is stored."""

    experiment: str
    version: int
    seed: int
    setting: UnitSetting
    rows: Rows


def normalise_rows(rows: Any, setting: UnitSetting) -> Rows:
    """What a `run` returned, checked and in Python's own numbers; ContractBroken where it is no list of flat rows."""
    if not isinstance(rows, list):
        raise ContractBroken(f"run returned {type(rows).__name__}", remedy="return a list of flat dicts")
    columns: set[str] = set()
    return [_normalise_row(row, setting, columns) for row in rows]


def _normalise_row(row: Any, setting: UnitSetting, columns: set[str]) -> ResultRow:
    """columns: names that were checked, to which this row's are added."""
    if not isinstance(row, dict):
        raise ContractBroken(f"run returned a row that is {type(row).__name__}", remedy="return a list of flat dicts")
    plain: ResultRow = {}
    for column, value in row.items():
        if type(column) is not str or column not in columns:
            column = _check_column(column)
            columns.add(column)
        plain[column] = value if type(value) in PLAIN else _normalise_scalar(column, value)
        if column in setting and plain[column] != setting[column]:
            raise ContractBroken(f"column '{column}' contradicts the setting", remedy="leave settings out of the rows")
    return plain


def _check_column(name: Any) -> str:
    """Return the name of a column as one of Python's own words."""
    if not isinstance(name, str):
        raise ContractBroken(f"a column is called {show_value(name)}", remedy="name columns with words")
    return _require_encodable(str.__str__(name), "a column's name is a word")


def _normalise_scalar(column: str, value: Any) -> Scalar:
    """Return a value of a row as exactly one of Python's own kinds, which travel from any worker into any file."""
    plain = make_python_value(value)
    if plain is None or isinstance(plain, bool):
        return plain
    if isinstance(plain, str):
        return _require_encodable(str.__str__(plain), f"column '{column}' holds a word")
    if isinstance(plain, float):
        return float.__float__(plain)
    if not isinstance(plain, int):
        raise ContractBroken(
            f"column '{column}' holds a {type(value).__name__}", remedy="use words, numbers, flags or None"
        )
    if plain.bit_length() > LONGEST_INTEGER_BITS:
        digits = count_decimal_digits(plain)
        raise ContractBroken(f"column '{column}' holds an integer of about {digits} digits", remedy="use a float")
    return int.__int__(plain)


def _require_encodable(word: str, what: str) -> str:
    try:
        _ = word.isascii() or word.encode()
    except UnicodeEncodeError:
        raise ContractBroken(f"{what} that is not Unicode text: {word!a:.60}", remedy="decode it properly") from None
    return word


_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMEXPR")
THREAD_LIMITS = {f"{library}_NUM_THREADS": "1" for library in _LIBRARIES}
NO_CURRENT_FOLDER = {"PYTHONSAFEPATH": "1"}  # a folder of the user's called loky must not hide loky from a worker


def limit_inner_threads() -> None:
    """Limit this process: libraries loaded later obey the environment, those already loaded are set.

    numba's variable is left alone: numba reads it again at every compilation and refuses to see it changed, which a
    cluster that spawns workers may do for a moment; and it starts threads for parallel kernels only, of which we have
    none.
    """
    os.environ.update(THREAD_LIMITS)
    limit_blas_threads()
    if "numba" in sys.modules:
        sys.modules["numba"].set_num_threads(1)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def limit_blas_threads() -> None:
    """Let matrix products of numpy and scipy use one thread here: with more, their last digits are others.

    OpenBLAS reads the environment when it is loaded; one that is loaded lies beside the package that brought it.
    Another library than OpenBLAS is left as it is.
    """
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for package, user in (("numpy", "numpy"), ("scipy", "scipy.linalg")):
        if user not in sys.modules:
            continue
        folder = Path(str(sys.modules[package].__file__)).parent
        for path in (*folder.parent.glob(f"{package}.libs/*openblas*"), *folder.glob(".dylibs/*openblas*")):
            library = ctypes.CDLL(str(path))
            for name in _SETTERS:
                if hasattr(library, name):
                    getattr(library, name)(1)


_SETTERS = ("scipy_openblas_set_num_threads64_", "scipy_openblas_set_num_threads", "openblas_set_num_threads")


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
    run: Callable[..., Rows],
    tasks: Sequence[UnitTask],
    together: Together | None = None,
    code: CodeLetter | None = None,
) -> list[UnitResult]:
    """Run each task; an exception in one is its own affair. What units print goes to stderr.

    together: what gives the rows of several units at once; where it fails they run one after the other. code: what
    should run; ContractBroken where other code is loaded here.
    """
    limit_inner_threads()
    if code is not None:
        require_same_code(code, run, together)
    warned: list[tuple[str, str]] = []
    heard = users_warnings(lambda *given: warned.append(given)) if in_worker() else contextlib.nullcontext()

    def note(where: str, error: BaseException) -> None:
        text = make_printable(f"{where}: {_describe_exception(error)}")
        warned.append((text, text))

    guard = ProcessGuard()
    with contextlib.redirect_stdout(_Borrowed()), heard, hear_uncaught(note):
        at_once = _run_together(together, tasks, guard) if together and len(tasks) > 1 else None
        results = at_once or [_run_unit(run, task, guard) for task in tasks]
    if left := guard.close():
        warned.append((left, left))
    return [*results[:-1], results[-1]._replace(warnings=tuple(warned))]


def _run_together(together: Together, tasks: Sequence[UnitTask], guard: ProcessGuard) -> list[UnitResult] | None:
    """All tasks at once; None where that failed, for whatever reason: each will say alone what is wrong with it."""
    started = time.perf_counter()
    try:
        with guard:
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

    def close(self) -> None:
        """Stay open."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def _run_unit(run: Callable[..., Rows], task: UnitTask, guard: ProcessGuard) -> UnitResult:
    started = time.perf_counter()
    try:
        with guard:
            found = run(**task.setting, key=task.key)
        rows = normalise_rows(found, task.setting)
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
