"""Ctrl-C and SIGTERM as a request to stop: first finish the running units, then, or when asked again, abandon them."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TypeVar

GRACE_SECONDS = 5.0
SECONDS_BETWEEN_ALARMS = 1.0
NOTICE = f"\ncaregrid: finishing what runs, for {GRACE_SECONDS:.0f} s at most; Ctrl-C again abandons it\n".encode()
CallResult = TypeVar("CallResult")

_asked: list[StopRequest] = []
_limits: list[float] = []  # of the calls that run within a time


def is_stop_requested() -> bool:
    """Whether somebody has asked a run of this process to stop."""
    return any(_asked)


def is_time_limited() -> bool:
    """Whether a call of this process has to end within a time."""
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
