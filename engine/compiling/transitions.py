"""Whether a transition ended its episode, in plain and compiled code alike (`engine.compiling.teaching`)."""

from __future__ import annotations

from engine.agent import Transition


def has_terminated(transition: Transition) -> bool:
    """Whether the episode ended with this transition (reaching a time limit is not an ending)."""
    return transition.terminated
