"""The formal twin of `xenv/environments/tempting_button.py`: as in Example 4, the rooms by the practical one's source.

Alexander et al. 2021, Example 4.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from engine.randomness.random_sources import RandomSource
from xenv.theory.histories import Prompt
from xenv.theory.response import HistoryEnvironment, sign
from xenv.theory.twins._buttons import BUTTON, PUSH, rooms


def tempting_button(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return rooms(source, _reward)


def _reward(would_push: Callable[[Prompt], bool], prompt: Prompt, action: int) -> Fraction:
    return sign(action == PUSH if prompt[-1] == BUTTON else not would_push(prompt))
