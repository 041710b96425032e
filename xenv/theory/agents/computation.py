"""Measuring a computation: how many lines of Python it runs and how much its local variables hold.

Lines are counted by Python's own tracing, so that the count does not depend on the machine's speed. Those of the
standard library do not count, so that it hardly depends on Python's version.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from xenv.theory.agents.history_agent import Work

_LIBRARY = os.path.dirname(os.__file__) + os.sep
_CONTAINERS = (tuple, list, dict, set, frozenset, str, bytes)


def measured_work(compute: Callable[[], object]) -> Work:
    """What a computation takes. A container counts as many items as it holds, anything else as one."""
    steps = memory = 0
    held: dict[FrameType, int] = {}

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal steps, memory
        if frame.f_code.co_filename.startswith(_LIBRARY) and "site-packages" not in frame.f_code.co_filename:
            return None
        if event == "return":
            held.pop(frame, None)
        elif event in ("call", "line"):
            steps += event == "line"
            held[frame] = sum(map(_size, frame.f_locals.values()))
            memory = max(memory, sum(held.values()))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        compute()
    finally:
        sys.settrace(before)
    return Work(steps, memory)


def _size(value: object) -> int:
    return len(value) if isinstance(value, _CONTAINERS) else 1
