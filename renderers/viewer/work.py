"""Work beside the window: a call in a thread, so that the window stays alive; it can be stopped."""

from __future__ import annotations

import contextvars
import ctypes
import threading
from collections.abc import Callable


class Stopped(KeyboardInterrupt):
    """Raised in work that is stopped: as an interruption, which nothing takes for a mistake of a user's code."""


class Work:
    """A call in a thread of its own, begun at once."""

    def __init__(self, call: Callable[[], object]) -> None:
        self._call = call
        self._error: BaseException | None = None
        context = contextvars.copy_context()  # how errors name arguments
        self._thread = threading.Thread(target=context.run, args=(self._run,), daemon=True)
        self._thread.start()

    def is_over(self, seconds: float) -> bool:
        """Wait so long at most; whether it is over. What the call raised is raised here, `Stopped` too."""
        self._thread.join(seconds)
        if self._thread.is_alive():
            return False
        if self._error is not None:
            raise self._error
        return True

    def stop(self) -> None:
        """Ask it to stop: it does before its next step in Python."""
        if self._thread.ident is not None:
            raise_in_thread = ctypes.pythonapi.PyThreadState_SetAsyncExc
            raise_in_thread(ctypes.c_ulong(self._thread.ident), ctypes.py_object(Stopped))

    def _run(self) -> None:
        try:
            self._call()
        except BaseException as error:
            self._error = error
