"""Work as it is sent to another process: a function of Python itself, the text of `_in_worker`, and bytes.

    eval("exec(source) or opened(**arguments)", {"source": ..., "arguments": {"content": ..., ...}})

The bytes are opened by that text, not by the library that carries them, so that neither a scheduler on the way nor a
worker that lacks something fails in a way of its own.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.user_code import OWN_PACKAGES
from experiments.runs.engines import _in_worker

DISTRIBUTIONS = ("Python", "caregrid", "numpy", "numba")
Call = tuple[Callable[..., Any], tuple[Any, ...]]


def seal_call(
    function: Callable[..., Any], arguments: tuple[Any, ...], announced: tuple[str, str] | None = None
) -> Call:
    """A call as another call, which any worker can receive; whatever pickling raises where it does not travel."""
    import cloudpickle

    content = cloudpickle.dumps((function, arguments))
    return call_by_text(
        _in_worker.open_letter,
        content=content,
        versions=_read_versions(),
        packages=OWN_PACKAGES,
        folder=os.getcwd(),
        announced=announced,
    )


def call_by_text(function: Callable[..., Any], **arguments: Any) -> Call:
    """Return the call of a function of `_in_worker`, with its text."""
    return eval, (
        f"exec(source) or {function.__name__}(**arguments)",
        {"source": _read_worker_source(), "arguments": arguments},
    )


@functools.cache
def _read_worker_source() -> str:
    return Path(_in_worker.__file__).read_text(encoding="utf-8")


@functools.cache
def _read_versions() -> dict[str, str]:
    return {name: _in_worker.read_version(name) for name in DISTRIBUTIONS}
