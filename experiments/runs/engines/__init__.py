"""Where chunks of units run: engines, one file each, all over the interface of `concurrent.futures`.

An engine's file holds one class derived from `ExecutionEngine`, made from `EngineOptions`. Results never depend on
which engine it is.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from engine.contracts import Contract, call_method, refuse
from engine.errors import BadValue, argument
from engine.registry import Registry, find_sole_subclass
from engine.value_types import Seconds, Workers, is_number, require

CHECK_SECONDS = 0.5
CHECK_POLLS = 120


@dataclass(frozen=True)
class EngineOptions:
    """The options of an engine.

    Parameters
    ----------
    workers : int, optional
        The number of processes; None for one a core.
    scheduler : str, optional
        The address or the file of a running dask scheduler (`experiments.runs.engines.dask`).
    slurm : tuple of str
        Options NAME=VALUE of SLURM jobs (`experiments.runs.engines.dask`).
    without_tls : bool
        Let processes of a dask cluster talk to each other openly (`experiments.runs.engines.dask`).
    unit_timeout : float, optional
        Seconds after which a unit is ended and tried again, for engines that can (`ends_hanging_units`).

    Raises
    ------
    BadValue
        For fewer workers than 1, or a timeout out of range.
    """

    workers: int | None = None
    scheduler: str | None = None
    slurm: tuple[str, ...] = ()
    without_tls: bool = False
    unit_timeout: float | None = None

    def __post_init__(self) -> None:
        require(argument("unit_timeout"), self.unit_timeout, Seconds | None)
        require(argument("workers"), self.workers, Workers | None)

    def require_no_cluster(self, engine: str) -> None:
        """BadValue where options of a cluster come with an engine that has none."""
        for name, value in (
            ("scheduler", self.scheduler),
            ("slurm", self.slurm),
            ("without_tls", self.without_tls),
        ):
            if value:
                remedy = f"add {argument('engine', 'dask')}"
                raise BadValue(f"engine '{engine}' has no cluster", place=argument(name), remedy=remedy)


class ExecutionEngine(ABC):
    """The contract of an engine: the constructor checks options, and only `start` starts anything.

    Attributes
    ----------
    capacity : int
        Chunks that are worth submitting at once, at least 1.
    chunk_seconds : float
        Seconds that a chunk should take; 0 for one unit per chunk.
    lost : tuple of exception classes
        The exceptions by which a future says that the process which ran it died.
    stays_here : bool
        Whether all workers run the files of this machine, so that none can have loaded other code.
    ends_hanging_units : bool
        Whether the engine kills the process of a unit that runs longer than `options.unit_timeout`; it then gets its
        units one by one.
    """

    stays_here = False
    ends_hanging_units = False
    chunk_seconds: float = 0.0
    lost: tuple[type[BaseException], ...] = ()

    def __init__(self, options: EngineOptions) -> None:
        """Check the options; BadValue for those that mean nothing here, MissingExtra for a missing package."""
        self.options = options

    @abstractmethod
    def start(self) -> None:
        """Start the workers."""

    @property
    @abstractmethod
    def capacity(self) -> int:
        """Chunks that are worth submitting at once, at least 1."""

    @abstractmethod
    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Run `function(*arguments)` on a worker; return its future."""

    @abstractmethod
    def wait(self, futures: Collection[Future[Any]], timeout: float) -> Collection[Future[Any]]:
        """Return the futures that are done, after at most `timeout` seconds where none is.

        An engine without workers runs its units here.
        """

    def plan(self) -> str:
        """Return what `start` would start, in words or as a script."""
        return f"{type(self).__name__}: no jobs, only processes of this machine or workers that run already\n"

    def news(self) -> list[str]:
        """Return what has happened to the workers since the last call, a line each."""
        return []

    def began(self, future: Future[Any], submitted: float) -> float | None:
        """Return when a worker began with a future, by `time.monotonic`; None while it waits for a worker."""
        return submitted

    def gave_up(self, future: Future[Any]) -> bool:
        """Return whether the engine itself ended a future's work because it took longer than the timeout."""
        return False

    def was_ended(self, future: Future[Any]) -> bool:
        """Return whether a lost future's worker was ended from outside, such as at its wall time, not by its units."""
        return False

    @abstractmethod
    def close(self, abandon: bool) -> None:
        """Stop the workers, killing what still runs where `abandon` says so."""


ENGINE = Contract[type[ExecutionEngine]]("engine", derives=ExecutionEngine, called="MyEngine(options)")
ENGINES: Registry[type[ExecutionEngine]] = Registry(
    "experiments.runs.engines",
    "engine",
    find_sole_subclass(ExecutionEngine),
    accept=ENGINE.accept,
)


def require_declared(running: ExecutionEngine) -> None:
    """ContractBroken unless what a started engine declares is of its kind."""
    if not isinstance(running.capacity, int) or running.capacity < 1:
        refuse(running, "capacity", running.capacity, "a whole number from 1 on")
    if not is_number(running.chunk_seconds) or not 0 <= running.chunk_seconds < math.inf:
        refuse(running, "chunk_seconds", running.chunk_seconds, "a number of seconds from 0 on")
    lost = running.lost
    if not isinstance(lost, tuple) or not all(isinstance(one, type) and issubclass(one, BaseException) for one in lost):
        refuse(running, "lost", lost, "a tuple of classes of exceptions")


def require_future(running: ExecutionEngine, future: Any) -> Future[Any]:
    """Return what `submit` gave; ContractBroken unless it is a future."""
    if not isinstance(future, Future):
        refuse(running, "submit", future, "a concurrent.futures.Future")
    return future


def wait_for_futures(running: ExecutionEngine, futures: Collection[Future[Any]], timeout: float) -> list[Future[Any]]:
    """Return what `wait` gives; ContractBroken unless these are some of the futures, each once and done."""
    found: Any = running.wait(futures, timeout)
    finished: list[Any] = list(found) if isinstance(found, Collection) else [None]
    known = all(isinstance(one, Future) and one in futures for one in finished)
    if not known or len(set(finished)) < len(finished):
        refuse(running, "wait", found, "some of the futures that it was given, each once")
    if not all(one.done() for one in finished):
        refuse(running, "wait", found, "futures that are done")
    return finished


def read_news(running: ExecutionEngine) -> list[str]:
    """Return what `news` gives; ContractBroken unless it is a list of texts."""
    found: Any = running.news()
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        refuse(running, "news", found, "a list of texts")
    return list(found)


def check_engine(engine: type[ExecutionEngine], options: EngineOptions | None = None) -> None:
    """Start an engine, have it compute `pow(2, 10)` and `int("x")`, stop it; ContractBroken for what goes wrong."""
    ENGINES.accept(engine)
    running = engine(options or EngineOptions(workers=1))
    call_method(running, "start")
    try:
        require_declared(running)
        for function, arguments, expected in ((pow, (2, 10), 1024), (int, ("x",), ValueError)):
            future = require_future(running, call_method(running, "submit", function, *arguments))
            _check_future(running, future, expected)
    finally:
        call_method(running, "close", abandon=False)


def _check_future(running: ExecutionEngine, future: Future[Any], expected: Any) -> None:
    """Wait for a future; ContractBroken unless it gives the value, or the class of exception, that is expected."""
    for _ in range(CHECK_POLLS):
        if future.done():
            break
        wait_for_futures(running, [future], CHECK_SECONDS)
    if not future.done():
        refuse(running, "wait", "an unfinished future", f"a result within {CHECK_POLLS * CHECK_SECONDS:g} s")
    if future.cancelled():
        refuse(running, "submit", "a future that is cancelled", "one that runs")
    error = future.exception()
    result = type(error) if error is not None else future.result()
    if result != expected:
        refuse(running, "submit", result, f"a future of {expected!r}")
