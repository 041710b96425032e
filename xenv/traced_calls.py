"""Call a function while Python traces it, and nothing else."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def call_traced(trace: Callable[[FrameType, str, Any], Any], function: Callable[..., object], *arguments: Any) -> None:
    """Call a function and trace its calls, lines and returns, as `sys.settrace` does.

    Garbage is not collected meanwhile: its finalisers, and callbacks of other packages, would run at moments that
    depend on everything else in the process, and would be traced too.
    """
    before = sys.gettrace()
    collecting = gc.isenabled()
    gc.disable()
    sys.settrace(trace)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
        if collecting:
            gc.enable()
