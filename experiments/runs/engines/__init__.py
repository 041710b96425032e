"""Where chunks of units run: engines, one file each, all over the interface of `concurrent.futures`.

An engine's file holds one class derived from `ExecutionEngine`, made from `EngineOptions`. Results never depend on
which engine it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from engine.contracts import called, refuse
from engine.errors import BadValue
from engine.registry import Registry, sole_subclass, subclass_of

SHORTEST_TIMEOUT, LONGEST_TIMEOUT = 0.001, 1e8  # seconds: what timers of every system keep
CHECK_SECONDS, CHECK_POLLS = 0.5, 120


@dataclass(frozen=True)
class EngineOptions:
    """workers: how many processes (None: one a core). scheduler, slurm: see `experiments.runs.engines.dask`.

    unit_timeout: seconds after which a unit is ended and tried again, for engines that can (`ends_hanging_units`).
    """

    workers: int | None = None
    scheduler: str | None = None
    slurm: tuple[str, ...] = ()
    unit_timeout: float | None = None

    def __post_init__(self) -> None:
        if self.unit_timeout is not None and not SHORTEST_TIMEOUT <= self.unit_timeout <= LONGEST_TIMEOUT:
            remedy = f"give seconds, from {SHORTEST_TIMEOUT:g} to {LONGEST_TIMEOUT:g}"
            raise BadValue(f"a time of {self.unit_timeout}", place="--unit-timeout", remedy=remedy)
        if self.workers is not None and self.workers < 1:
            raise BadValue(f"{self.workers} workers", place="--workers", remedy="give at least 1")

    def require_no_cluster(self, engine: str) -> None:
        """BadValue where options of a cluster come with an engine that has none."""
        for option, value in (("--scheduler", self.scheduler), ("--slurm", self.slurm)):
            if value:
                raise BadValue(f"engine '{engine}' has no cluster", place=option, remedy="add --engine dask")


class ExecutionEngine(ABC):
    """Contract of an engine: making one checks its options, and only `start` starts anything.

    capacity: chunks that are worth submitting at once. chunk_seconds: how long a chunk should take; 0: one unit.
    lost: the exceptions by which a future says that the process which ran it died. ends_hanging_units: whether it kills
    the process of a unit that runs longer than `options.unit_timeout`; it then gets its units one by one.
    """

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
        """Have `function(*arguments)` run."""

    @abstractmethod
    def wait(self, futures: Collection[Future[Any]], timeout: float) -> Collection[Future[Any]]:
        """Those that are done, after at most `timeout` seconds if none is (an engine without workers works here)."""

    def plan(self) -> str:
        """What `start` would start, in words, or as a script where it is one."""
        return f"{type(self).__name__}: no jobs, only processes of this machine or workers that run already\n"

    def news(self) -> list[str]:
        """What has happened to the workers since this was last asked, a line each."""
        return []

    def began(self, future: Future[Any], submitted: float) -> float | None:
        """When a worker began with a future, by `time.monotonic`; None while it waits for one."""
        return submitted

    def gave_up(self, future: Future[Any]) -> bool:
        """Whether the engine itself ended what ran a future, since it took longer than the timeout."""
        return False

    def ended(self, future: Future[Any]) -> bool:
        """Whether a lost future's worker was ended from outside, at its wall time for example, and not by its units."""
        return False

    @abstractmethod
    def close(self, abandon: bool) -> None:
        """Stop the workers, killing what still runs where `abandon` says so."""


ENGINES: Registry[type[ExecutionEngine]] = Registry(
    "experiments.runs.engines",
    "engine",
    sole_subclass(ExecutionEngine),
    accept=subclass_of(ExecutionEngine, "engine"),
)


def check_engine(engine: type[ExecutionEngine], options: EngineOptions | None = None) -> None:
    """Start an engine, have it compute `pow(2, 10)` and `int("x")`, stop it; ContractBroken for what goes wrong."""
    ENGINES.accept(engine)
    running = engine(options or EngineOptions(workers=1))
    called(running, "start")
    try:
        if running.capacity < 1:
            refuse(running, "capacity", running.capacity, "at least 1")
        for function, arguments, expected in ((pow, (2, 10), 1024), (int, ("x",), ValueError)):
            future = called(running, "submit", function, *arguments)
            if not isinstance(future, Future):
                refuse(running, "submit", future, "a concurrent.futures.Future")
            _check_future(running, future, expected)
    finally:
        called(running, "close", abandon=False)


def _check_future(running: ExecutionEngine, future: Future[Any], expected: Any) -> None:
    """Wait for a future; ContractBroken unless it gives the value, or the class of exception, that is expected."""
    for _ in range(CHECK_POLLS):
        if future.done():
            break
        finished = called(running, "wait", [future], CHECK_SECONDS)
        if any(one is not future for one in finished):
            refuse(running, "wait", finished, "futures among those it was given")
    if not future.done():
        refuse(running, "wait", "an unfinished future", f"a result within {CHECK_POLLS * CHECK_SECONDS:g} s")
    error = future.exception()
    result = type(error) if error is not None else future.result()
    if result != expected:
        refuse(running, "submit", result, f"a future of {expected!r}")
