"""Acts by the sum of all rewards so far, rounded down, mod 2."""

from __future__ import annotations

from xenv.theory.histories import Prompt


def reward_parity(prompt: Prompt) -> int:
    """The parity of the sum of the rewards."""
    return sum(prompt.rewards).__floor__() % 2
