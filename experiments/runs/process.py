"""The process that runs units: how it hears that it shall stop, and how it is after each unit as it was before.

Ctrl-C and SIGTERM are a request to stop: first the running units are finished, then, or when asked again, abandoned.
What a unit may do to its process is undone:

    another working directory        the one before is entered again
    standard output or error closed  they are opened again
    an alarm of its own              raises TimeoutError in the unit; one that comes later is called off
    other handlers of signals        those before are set again
    a fork                           the child ends where the unit ends
    processes of multiprocessing     they are ended; one line says so
    search path, environment         what was in them is in them again
    modules that it has unloaded     those that were loaded are loaded again
    recursion limit, umask, seterr   as before
    names of builtins                bound to what they were bound to
    threads that go on               they end with the process, which they cannot keep from ending; one line says so
    exceptions that nobody can catch those of its threads and of `__del__` are one line each

Python does not tell who has sent a signal: a SIGINT or SIGTERM that a unit of `serial` sends to its own process is a
request to stop like any other, and the same command goes on.

Handlers and threads are looked after in the main thread, where `serial` and `local` run their units.
"""

from __future__ import annotations

import builtins
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NamedTuple, TypeVar

import numpy as np

GRACE_SECONDS = 5.0
SECONDS_BETWEEN_ALARMS = 1.0
NOTICE = f"\ncaregrid: finishing what runs, for {GRACE_SECONDS:.0f} s at most; Ctrl-C again abandons it\n".encode()
CallResult = TypeVar("CallResult")

_asked: list[StopRequest] = []
_limits: list[float] = []  # of the calls that run within a time


def is_stop_requested() -> bool:
    """Return whether somebody has asked a run of this process to stop."""
    return any(_asked)


def is_time_limited() -> bool:
    """Return whether a call of this process has to end within a time."""
    return bool(_limits)


class Overtime(BaseException):
    """Raised in the middle of what runs in this process when its time is over; no `except Exception` stops it."""


class StopRequest:
    """Whether somebody asked to stop, and by which signal."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None

    def __bool__(self) -> bool:
        return self.signal is not None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal: the first one asks, the next one (or the alarm that the first one sets) abandons.

        An alarm that nobody's request has set is that of `call_within`.
        """
        if self:
            raise KeyboardInterrupt
        if number == signal.SIGALRM:
            raise Overtime if is_time_limited() else TimeoutError("an alarm that it has set itself went off")
        self.signal = signal.Signals(number)
        os.write(2, NOTICE)
        signal.setitimer(signal.ITIMER_REAL, GRACE_SECONDS)


@contextlib.contextmanager
def listen_for_stop() -> Iterator[StopRequest]:
    """Listen for SIGINT and SIGTERM inside the block (in the main thread; elsewhere nobody is listening)."""
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield request
        return
    heard = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
    before = {number: signal.signal(number, request) for number in heard}
    _asked.append(request)
    try:
        yield request
    finally:
        _asked.remove(request)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def call_within(seconds: float, call: Callable[[], CallResult]) -> CallResult:
    """What a call gives; Overtime is raised in it when the seconds are over, and each second after that until it ends.

    Inside `listen_for_stop`, in the main thread. Compiled code that never returns to Python is not reached.
    """
    _limits.append(seconds)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, SECONDS_BETWEEN_ALARMS)
        try:
            return call()
        finally:
            _cancel_alarm()
    except Overtime:  # also one that came after the call had ended
        _cancel_alarm()
        raise
    finally:
        _limits.remove(seconds)


def _cancel_alarm() -> None:
    if not is_stop_requested():  # then the alarm is the one that abandons
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextlib.contextmanager
def shield_children() -> Iterator[None]:
    """Processes and threads started inside the block never see a Ctrl-C: it is for the parent to stop them.

    The trackers of shared memory are started first, for whoever starts one lets Ctrl-C through again.
    """
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


GUARDED = (signal.SIGALRM, signal.SIGINT, signal.SIGTERM)
STANDARD = (1, 2)


def raise_alarm(number: int, frame: FrameType | None) -> None:
    """Handle an alarm in a process where nobody else does."""
    raise TimeoutError("an alarm that it has set itself went off")


class _Kept(NamedTuple):
    """A setting of the process that counts for whatever runs in it next."""

    read: Callable[[], Any]
    write: Callable[[Any], object]


def _read_umask() -> int:
    umask = os.umask(0o77)
    os.umask(umask)
    return umask


def _read_environment() -> dict[bytes, bytes]:
    """Return the environment without decoding it, which would take longer than many a unit."""
    content: dict[bytes, bytes] = vars(os.environ)["_data"]
    return content


KEPT = (
    _Kept(sys.getrecursionlimit, sys.setrecursionlimit),
    _Kept(_read_umask, os.umask),
    _Kept(np.geterr, lambda handling: np.seterr(**handling)),
)


_BUILTINS = vars(builtins)


class ProcessGuard:
    """How a process was before its units; each runs in a `with` block of it, after which the process is so again."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._in_main_thread = threading.current_thread() is threading.main_thread()
        self._threads = set(threading.enumerate())
        self._folder = ""
        with contextlib.suppress(OSError):
            self._folder = os.getcwd()
        self._copies = {number: _copy(number) for number in STANDARD}
        self._handlers = {number: signal.getsignal(number) for number in GUARDED if self._in_main_thread}
        self._settings = [kept.read() for kept in KEPT]
        self._path, self._modules = [*sys.path], {**sys.modules}
        self._environment = {**_read_environment()}
        self._children = _list_children()
        self._builtins = {**_BUILTINS}
        self._thread: Any = threading.current_thread()
        self._was_daemon = self._thread.daemon

    def __enter__(self) -> None:
        if self._in_main_thread:
            self._thread._daemonic = True  # what threads inherit that a unit starts
            if self._handlers[signal.SIGALRM] == signal.SIG_DFL:
                signal.signal(signal.SIGALRM, raise_alarm)

    def __exit__(self, *raised: object) -> None:
        _BUILTINS.update(self._builtins)  # first, and without any of them
        if os.getpid() != self._pid:
            os._exit(0)  # the child of a fork
        if self._in_main_thread:
            self._thread._daemonic = self._was_daemon
            self._restore_signals()
        self._restore_place()
        self._restore_settings()

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

    def _restore_settings(self) -> None:
        for kept, value in zip(KEPT, self._settings, strict=True):
            if kept.read() != value:
                kept.write(value)
        if not {*self._path} <= {*sys.path}:  # what a library adds stays
            sys.path[:] = [*self._path, *(place for place in sys.path if place not in self._path)]
        if not self._environment.items() <= _read_environment().items():
            os.environb.update(self._environment)

    def close(self) -> str:
        """Let go of what was kept; one line about threads and processes that units have left behind, "" for none."""
        if not self._modules.items() <= sys.modules.items():
            sys.modules.update(self._modules)
        for copy in self._copies.values():
            if copy is not None:
                os.close(copy)
        left = len(set(threading.enumerate()) - self._threads) if self._in_main_thread else 0
        ended = [child for child in _list_children() - self._children if _end_child(child)]
        said = [f"{left} thread{'s' * (left > 1)} running, which end with their process"] if left else []
        said += [f"{len(ended)} process{'es' * (len(ended) > 1)} running, now ended"] if ended else []
        return f"units left {' and '.join(said)}" if said else ""


@contextlib.contextmanager
def hear_uncaught(tell: Callable[[str, BaseException], object]) -> Iterator[None]:
    """Tell, inside the block, of exceptions that nobody can catch, where Python prints their traces.

    tell: takes where it was raised, "in a thread", and the exception. An exception that ends a thread as it should, as
    sys.exit() does, is none.
    """

    def hear_thread(raised: threading.ExceptHookArgs) -> None:
        if raised.exc_value is not None and not isinstance(raised.exc_value, SystemExit):
            tell("in a thread", raised.exc_value)

    def hear_unraisable(raised: sys.UnraisableHookArgs) -> None:
        if raised.exc_value is not None:
            tell("where nobody can catch it", raised.exc_value)

    before = threading.excepthook, sys.unraisablehook
    threading.excepthook, sys.unraisablehook = hear_thread, hear_unraisable
    try:
        yield
    finally:
        threading.excepthook, sys.unraisablehook = before


SECONDS_TO_END = 2.0


def _list_children() -> set[Any]:
    """Return the processes that this one has started by multiprocessing, if any."""
    process = sys.modules.get("multiprocessing.process")
    return {*process.active_children()} if process is not None else set()


def _end_child(child: Any) -> bool:
    """End a process; whether it was running. Otherwise this process waits for it when it ends itself."""
    if child.daemon or not child.is_alive():
        return False
    child.terminate()
    child.join(SECONDS_TO_END)
    if child.is_alive():
        child.kill()
        child.join(SECONDS_TO_END)
    return True


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
