"""Acts 1 after a negative reward, 0 otherwise."""

from __future__ import annotations

from xenv.theory.histories import Prompt


def after_punishment(prompt: Prompt) -> int:
    """1 where the last reward is negative, else 0."""
    return int(prompt.rewards[-1] < 0)
