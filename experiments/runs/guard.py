"""What a unit may do to its process, and how the process is afterwards as it was before.

    another working directory        the one before is entered again
    standard output or error closed  they are opened again
    an alarm of its own              raises TimeoutError in the unit; one that comes later is called off
    other handlers of signals        those before are set again
    a fork                           the child ends where the unit ends
    threads that go on               they end with the process, which they cannot keep from ending; one line says so

Handlers and threads are looked after in the main thread, where `serial` and `local` run their units.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from experiments.runs.interruption import is_stop_requested, is_time_limited

GUARDED = (signal.SIGALRM, signal.SIGINT, signal.SIGTERM)
STANDARD = (1, 2)


def raise_alarm(number: int, frame: FrameType | None) -> None:
    """Handle an alarm in a process where nobody else does."""
    raise TimeoutError("an alarm that it has set itself went off")


class ProcessGuard:
    """How a process was before its units."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._in_main_thread = threading.current_thread() is threading.main_thread()
        self._threads = set(threading.enumerate())
        self._folder = ""
        with contextlib.suppress(OSError):
            self._folder = os.getcwd()
        self._copies = {number: _copy(number) for number in STANDARD}
        self._handlers = {number: signal.getsignal(number) for number in GUARDED if self._in_main_thread}

    @contextlib.contextmanager
    def unit(self) -> Iterator[None]:
        """Run a unit inside; afterwards the process is as it was before."""
        thread = threading.current_thread()
        was_daemon = thread.daemon
        if self._in_main_thread:
            thread._daemonic = True  # type: ignore[attr-defined]  # what threads inherit that a unit starts
            if self._handlers[signal.SIGALRM] == signal.SIG_DFL:
                signal.signal(signal.SIGALRM, raise_alarm)
        try:
            yield
        finally:
            if os.getpid() != self._pid:
                os._exit(0)  # the child of a fork
            if self._in_main_thread:
                thread._daemonic = was_daemon  # type: ignore[attr-defined]
                self._restore_signals()
            self._restore_place()

    def _restore_signals(self) -> None:
        if not is_stop_requested() and not is_time_limited():
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in self._handlers.items():
            if handler is not None and signal.getsignal(number) != handler:
                signal.signal(number, handler)

    def _restore_place(self) -> None:
        with contextlib.suppress(OSError):
            if self._folder and _read_folder() != self._folder:
                os.chdir(self._folder)
        for number, copy in self._copies.items():
            if copy is not None and not _is_open(number):
                os.dup2(copy, number)

    def close(self) -> str:
        """Let go of what was kept; one line about threads that units have left behind, "" for none."""
        for copy in self._copies.values():
            if copy is not None:
                os.close(copy)
        left = len(set(threading.enumerate()) - self._threads) if self._in_main_thread else 0
        return f"units left {left} thread{'s' * (left > 1)} running, which end with their process" if left else ""


def _copy(number: int) -> int | None:
    try:
        return os.dup(number)
    except OSError:
        return None


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _read_folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""
