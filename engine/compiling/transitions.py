"""Whether a transition ended its episode, in plain and compiled code alike.

Compiled code builds a `Transition` without its default values, so that one written without `terminated` has four
fields there; it did not end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import overload

from engine.agent import Transition


def has_terminated(transition: Transition) -> bool:
    """Whether the episode ended with this transition (reaching a time limit is not an ending)."""
    return transition.terminated


@overload(has_terminated, strict=False)
def _compiled(transition: Any) -> Callable[[Any], bool]:
    if len(transition) == len(Transition._fields):
        return lambda transition: transition.terminated
    return lambda transition: False
