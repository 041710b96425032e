"""Repeats an action until a reward is negative, then changes between 0 and 1."""

from __future__ import annotations

from xenv.theory.histories import Prompt


def win_stay(prompt: Prompt) -> int:
    """The last action, or the other one of 0 and 1 after a punishment; 0 at first."""
    if not prompt.actions:
        return 0
    return 1 - min(prompt.actions[-1], 1) if prompt.rewards[-1] < 0 else prompt.actions[-1]
