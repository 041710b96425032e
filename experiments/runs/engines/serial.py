"""No workers: units run one by one in this process, which is what a debugger or profiler wants to see."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import Future
from typing import Any

from engine.errors import BadValue
from experiments.runs.engines import EngineOptions, ExecutionEngine


class SerialEngine(ExecutionEngine):
    """Runs what was submitted inside `wait`, so that a result is stored before the next unit starts."""

    def __init__(self, options: EngineOptions) -> None:
        options.require_no_cluster("serial")
        if options.workers not in (None, 1):
            raise BadValue(
                f"engine 'serial' has no {options.workers} workers", place="--workers", remedy="add --engine local"
            )
        self._queue: deque[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = deque()

    def start(self) -> None:
        """Nothing to start."""

    @property
    def capacity(self) -> int:
        """One unit at a time."""
        return 1

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Note what to run."""
        future: Future[Any] = Future()
        self._queue.append((future, function, arguments))
        return future

    def wait(self, futures: Collection[Future[Any]], timeout: float) -> Collection[Future[Any]]:
        """Run the first of the queue to its end, however long it takes."""
        future, function, arguments = self._queue.popleft()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return {future}

    def close(self, abandon: bool) -> None:
        """Forget the queue."""
        self._queue.clear()
