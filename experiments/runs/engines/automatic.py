"""This process at first, and one process per core once the work has taken a while.

Short work is over before a process would have started; long work uses every core. Where no process can be started, or
nothing sent to it, such as an object of a Python session that cannot be pickled, units stay here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from concurrent.futures import Future
from typing import Any

from engine.printable import in_worker
from experiments.runs.engines import EngineOptions, ExecutionEngine
from experiments.runs.engines.local import LocalEngine
from experiments.runs.engines.serial import SerialEngine

SECONDS_HERE = 3.0
"""After which other processes are started."""


class AutomaticEngine(ExecutionEngine):
    """The engine `serial`, and after SECONDS_HERE the engine `local`."""

    stays_here = True
    chunk_seconds = 0.5
    ends_hanging_units = True
    lost = (*SerialEngine.lost, *LocalEngine.lost)

    def __init__(self, options: EngineOptions) -> None:
        self._here = SerialEngine(EngineOptions(unit_timeout=options.unit_timeout))
        self._processes = LocalEngine(options)
        self._running: ExecutionEngine = self._here
        self._stays = in_worker() or self._processes.capacity == 1
        self._began = 0.0

    def start(self) -> None:
        """Note the time; processes start with their first chunks."""
        self._processes.start()
        self._began = time.monotonic()

    @property
    def capacity(self) -> int:
        """That of the engine that runs units now."""
        return self._running.capacity

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Hand it to the engine that runs units now."""
        try:
            return self._running.submit(function, *arguments)
        except Exception:  # whatever pickling raises
            if self._running is self._here:
                raise
            self._running, self._stays = self._here, True
            return self._here.submit(function, *arguments)

    def wait(self, futures: Collection[Future[Any]], timeout: float) -> Collection[Future[Any]]:
        """Return what that engine does; afterwards it may be time for processes."""
        done = self._running.wait(futures, timeout)
        if not self._stays and time.monotonic() - self._began > SECONDS_HERE:
            self._running, self._stays = self._processes, True
        return done

    def gave_up(self, future: Future[Any]) -> bool:
        """Return whether one of the engines ended it for the timeout."""
        return self._processes.gave_up(future) or self._here.gave_up(future)

    def close(self, abandon: bool) -> None:
        """Close both."""
        self._here.close(abandon)
        self._processes.close(abandon)
