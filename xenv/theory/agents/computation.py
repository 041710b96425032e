"""Measuring a computation: how many lines of Python it runs and how much its local variables hold.

Lines are counted by Python's own tracing, so that the count does not depend on the machine's speed. Those of the
standard library do not count, so that it hardly depends on Python's version.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import FrameType
from typing import Any

from xenv.theory.agents.history_agent import Work
from xenv.traced_calls import call_traced

_LIBRARY = os.path.dirname(os.__file__) + os.sep
_CONTAINERS = (tuple, list, dict, set, frozenset, str, bytes)


def measured_work(compute: Callable[[], object]) -> Work:
    """What a computation takes. A container counts as many items as it holds, anything else as one."""
    steps = memory = total = 0
    held: dict[FrameType, int] = {}

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal steps, memory, total
        if event == "line":
            steps += 1
            items = 0
            for value in frame.f_locals.values():
                items += len(value) if isinstance(value, _CONTAINERS) else 1
            total += items - held.get(frame, 0)
            held[frame] = items
            memory = max(memory, total)
        elif event == "return":
            total -= held.pop(frame, 0)
        elif event == "call" and _of_the_library(frame.f_code.co_filename):
            return None
        return trace

    call_traced(trace, compute)
    return Work(steps, memory)


@functools.cache
def _of_the_library(file: str) -> bool:
    return file.startswith(_LIBRARY) and "site-packages" not in file
