"""Acts 1 once any reward so far was positive, 0 before."""

from __future__ import annotations

from xenv.theory.histories import Prompt


def once_rewarded(prompt: Prompt) -> int:
    """1 where some reward is positive, else 0."""
    return int(any(reward > 0 for reward in prompt.rewards))
