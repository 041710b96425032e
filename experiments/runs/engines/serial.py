"""No workers: units run one by one in this process, which is what a debugger or profiler wants to see."""

from __future__ import annotations

import functools
import threading
from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import Future
from typing import Any

from engine.errors import BadValue, argument
from experiments.runs.engines import EngineOptions, ExecutionEngine
from experiments.runs.process import Overtime, call_within


class SerialEngine(ExecutionEngine):
    """Runs what was submitted inside `wait`, so that a result is stored before the next unit starts."""

    stays_here = True
    ends_hanging_units = True
    lost: tuple[type[BaseException], ...] = (Overtime,)

    def __init__(self, options: EngineOptions) -> None:
        options.require_no_cluster("serial")
        if options.workers not in (None, 1):
            raise BadValue(
                f"engine 'serial' does not use {options.workers} workers",
                place=argument("workers"),
                remedy=f"add {argument('engine', 'local')}",
            )
        if options.unit_timeout is not None and threading.current_thread() is not threading.main_thread():
            remedy = f"use {argument('engine', 'local')}"
            raise BadValue(
                "engine 'serial' ends units in the main thread only", place=argument("unit_timeout"), remedy=remedy
            )
        self._timeout = options.unit_timeout
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
        """Run the first of the queue to its end, or to that of its time."""
        future, function, arguments = self._queue.popleft()
        call = functools.partial(function, *arguments)
        try:
            future.set_result(call() if self._timeout is None else call_within(self._timeout, call))
        except (Exception, Overtime) as error:
            future.set_exception(error)
        return {future}

    def gave_up(self, future: Future[Any]) -> bool:
        """Return whether its time was over."""
        return isinstance(future.exception(), Overtime)

    def close(self, abandon: bool) -> None:
        """Forget the queue."""
        self._queue.clear()
