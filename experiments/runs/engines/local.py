"""Processes of this machine: one loky executor per worker, so that a death concerns one chunk and no other.

loky starts fresh interpreters and never forks, for numba's threads do not survive a fork.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import logging
import os
import signal
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import BrokenExecutor, Future
from pathlib import Path
from typing import Any

from engine.errors import CaregridError, argument
from engine.user_code import read_exception
from experiments.runs.engines import EngineOptions, ExecutionEngine, _in_worker
from experiments.runs.engines._letter import call_by_text, seal_call
from experiments.runs.process import shield_children
from experiments.runs.unit import NO_CURRENT_FOLDER, THREAD_LIMITS

NOTICE_SECONDS = 1.0  # within which loky notices a death by itself, where it can
ENDING_SECONDS = 1.0  # within which a worker with nothing to do ends by itself


def _find_left_semaphores(folder: Path) -> Iterator[Path]:
    """Semaphores of loky whose process is gone, and with it whoever would have removed them: all were killed at once.

    One that is still alive removes what a killed run has left, within a second.
    """
    for path in folder.glob("sem.loky-*-*"):
        pid = path.name.split("-")[1]
        with contextlib.suppress(OSError):
            if pid.isdecimal() and path.stat().st_uid == os.getuid() and not _is_alive(int(pid)):
                yield path


def _is_not_by_loky(record: logging.LogRecord) -> bool:
    """Return whether a record is another's than loky's, which logs the traces of failures that we say in one line."""
    return f"{os.sep}loky{os.sep}" not in record.pathname


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


class LocalEngine(ExecutionEngine):
    """As many workers as asked for, each replaced when it dies."""

    stays_here = True
    chunk_seconds = 2.0
    ends_hanging_units = True
    lost: tuple[type[BaseException], ...] = (BrokenExecutor,)

    def __init__(self, options: EngineOptions) -> None:
        options.require_no_cluster("local")
        from loky import cpu_count

        self._workers = [_Worker() for _ in range(options.workers or cpu_count())]
        self._timeout = options.unit_timeout
        self._given_up: set[Future[Any]] = set()

    def start(self) -> None:
        """Tidy up after those that were killed; a worker starts with its first chunk."""
        logging.getLogger("concurrent.futures").addFilter(_is_not_by_loky)
        for left in _find_left_semaphores(Path("/dev/shm")):
            with contextlib.suppress(OSError):
                left.unlink()

    @property
    def capacity(self) -> int:
        """One chunk a worker."""
        return len(self._workers)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Hand it to an idle worker; there is one whenever fewer than `capacity` futures are unfinished."""
        return next(worker for worker in self._workers if worker.idle).submit(function, *arguments)

    def wait(self, futures: Collection[Future[Any]], timeout: float) -> Collection[Future[Any]]:
        """Those that are done by then; a worker whose unit has taken longer than the timeout is killed."""
        for worker in self._workers:
            if self._timeout is not None and worker.seconds > self._timeout:
                self._given_up.add(worker.kill())
            worker.notice_death()
        return concurrent.futures.wait(futures, timeout, concurrent.futures.FIRST_COMPLETED).done

    def gave_up(self, future: Future[Any]) -> bool:
        """Return whether its worker was killed for the timeout."""
        return future in self._given_up

    def close(self, abandon: bool) -> None:
        """Stop the workers."""
        for worker in self._workers:
            worker.stop(abandon)


class _Worker:
    """One process behind an executor of its own."""

    def __init__(self) -> None:
        self._executor: Any = None
        self._future: Future[Any] | None = None
        self._began = 0.0
        self._dead_since: float | None = None

    @property
    def seconds(self) -> float:
        """How long what was submitted last has been running; 0 where nothing runs or the worker is still starting."""
        return 0.0 if self.idle or not self._began else time.monotonic() - self._began

    def kill(self) -> Future[Any]:
        """Kill the process and return the future that it was running."""
        self._kill()
        assert self._future is not None
        return self._future

    def _kill(self) -> None:
        for pid in list(self._executor._processes):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def notice_death(self) -> None:
        """Wake loky where the process was killed in the middle of a result: it would wait for the rest for ever."""
        if self.idle or not any((process.exitcode or 0) < 0 for process in list(self._executor._processes.values())):
            self._dead_since = None
        elif self._dead_since is None:
            self._dead_since = time.monotonic()
        elif time.monotonic() - self._dead_since > NOTICE_SECONDS:
            self._end_pipes(self._executor)

    @staticmethod
    def _end_pipes(executor: Any) -> None:
        """Close our copies of the ends that the process used: as long as we hold them, its death ends no pipe."""
        for queue, end in ((executor._result_queue, "_writer"), (executor._call_queue, "_reader")):
            if queue is not None:
                getattr(queue, end).close()

    @property
    def idle(self) -> bool:
        return self._future is None or self._future.done()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        call, letter = seal_call(function, arguments)
        ready = seal_call(_ready, arguments[:1])  # the start, and what it imports, does not count
        if self._future is not None and isinstance(self._future.exception(), BrokenExecutor):
            self.stop(abandon=True)
        with shield_children():
            if self._executor is None:
                self._start(*ready)
            elif self._began:
                self._began = time.monotonic()
            try:
                self._future = self._executor.submit(call, *letter)
            except BrokenExecutor as error:  # it died with nothing to do, which loky says only now
                self._future = Future()
                self._future.set_exception(error)
        return self._future

    def _start(self, ready: Callable[..., Any], needed: tuple[Any, ...]) -> None:
        """Start the process; CaregridError where the machine gives no more files, processes or threads."""
        from loky import ProcessPoolExecutor
        from loky.backend import resource_tracker

        initializer, initargs = call_by_text(_in_worker.end_with_parent, parent=os.getpid())
        self._began = 0.0
        try:
            resource_tracker.ensure_running()
            self._executor = ProcessPoolExecutor(
                max_workers=1,
                initializer=initializer,
                initargs=initargs,
                env={**THREAD_LIMITS, **NO_CURRENT_FOLDER},
            )
            self._executor.submit(ready, *needed).add_done_callback(self._begin)
        except (OSError, RuntimeError, UnboundLocalError) as error:  # the last is loky's own, where a pipe is lacking
            cause = error.__context__ if isinstance(error, UnboundLocalError) else error
            reason = (getattr(cause, "strerror", None) or read_exception(cause or error)).lower()
            fewer = f"give fewer {argument('workers')}"
            remedy = f"{fewer}, or raise what ulimit shows (-n files, -u processes and threads)"
            raise CaregridError(f"no worker can be started: {reason}", place="engine 'local'", remedy=remedy) from error

    def _begin(self, ready: Future[Any]) -> None:
        self._began = time.monotonic()

    def stop(self, abandon: bool) -> None:
        """End the process, at once where `abandon` says so."""
        if self._executor is None:
            return
        if abandon:  # loky's own `kill_workers` races with the thread that feeds the worker
            self._kill()
            manager = self._executor._executor_manager_thread
            if manager is not None:  # there is none where the first process could not be started
                manager.join(NOTICE_SECONDS)
                if manager.is_alive():
                    self._end_pipes(self._executor)
        processes = list(self._executor._processes.values())
        self._executor.shutdown(wait=False)
        for process in processes:  # one may wait for ever for a thread that a unit has left behind
            process.join(ENDING_SECONDS)
        for process in (process for process in processes if process.exitcode is None):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        self._executor.shutdown(wait=True)
        self._executor = None


def _ready(needed: object) -> None:
    """In a worker: nothing; what is needed has been imported to get here."""
