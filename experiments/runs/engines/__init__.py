"""Where chunks of units run: engines, one file each, all over the interface of `concurrent.futures`.

An engine's file holds a class `Engine` made from `EngineOptions`. Results never depend on which engine it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol

from engine.errors import BadValue
from engine.registry import Registry


@dataclass(frozen=True)
class EngineOptions:
    """workers: how many processes (None: one a core). scheduler, slurm: see `experiments.runs.engines.dask`."""

    workers: int | None = None
    scheduler: str | None = None
    slurm: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise BadValue(f"{self.workers} workers", place="--workers", remedy="give at least 1")

    def require_no_cluster(self, engine: str) -> None:
        """BadValue where options of a cluster come with an engine that has none."""
        for option, value in (("--scheduler", self.scheduler), ("--slurm", self.slurm)):
            if value:
                raise BadValue(f"engine '{engine}' has no cluster", place=option, remedy="add --engine dask")


class Engine(Protocol):
    """Contract of an engine: making one checks its options, and only `start` starts anything.

    capacity: chunks that are worth submitting at once. chunk_seconds: how long a chunk should take.
    lost: the exceptions by which a future says that the process which ran it died.
    """

    chunk_seconds: float
    lost: tuple[type[BaseException], ...]

    def start(self) -> None:
        """Start the workers."""

    @property
    def capacity(self) -> int: ...

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have `function(*arguments)` run."""

    def wait(self, futures: Collection[Future[Any]], timeout: float) -> Collection[Future[Any]]:
        """Those that are done, after at most `timeout` seconds if none is (an engine without workers works here)."""

    def close(self, abandon: bool) -> None:
        """Stop the workers, killing what still runs where `abandon` says so."""


ENGINES: Registry[Callable[[EngineOptions], Engine]] = Registry(__name__, "engine", pick=lambda module: module.Engine)
