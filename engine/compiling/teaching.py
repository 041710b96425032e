"""What numba has to learn before it takes plain objects: their type, with fields and methods, and what ends an episode.

Compiled code builds a `Transition` without its default values, so that one written without `terminated` has four
fields there; it did not end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core.extending import typeof_impl
from numba.extending import overload

from engine.agent import Transition, has_terminated
from engine.compiling import fields
from engine.compiling.numba_objects import typeof

__all__ = ["fields", "teach"]


def teach(marker: type, thing: Any) -> Any:
    """Teach numba about the classes that derive from a marker; return its type of one of their objects."""
    typeof_impl.register(marker)(typeof)
    return numba.typeof(thing)


@overload(has_terminated, strict=False)
def _overload_has_terminated(transition: Any) -> Callable[[Any], bool]:
    if len(transition) > Transition._fields.index("terminated"):
        return lambda transition: transition.terminated
    return lambda transition: False
