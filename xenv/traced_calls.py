"""Calling a function while Python traces it, and nothing else with it."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def call_traced(trace: Callable[[FrameType, str, Any], Any], function: Callable[..., object], *arguments: Any) -> None:
    """Call a function; `trace` hears of every call, line and return in it, as `sys.settrace` says.

    Garbage waits until it is done. What collecting it would call (finalisers, callbacks of other packages) comes at
    moments that depend on everything else in the process, and would be traced too.
    """
    before, collecting = sys.gettrace(), gc.isenabled()
    gc.disable()
    sys.settrace(trace)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
        if collecting:
            gc.enable()
