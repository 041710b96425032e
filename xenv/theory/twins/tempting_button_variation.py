"""The formal twin of `xenv/environments/tempting_button_variation.py`: pushing is what counts everywhere.

Alexander et al. 2021, its library.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from engine.randomness.random_sources import RandomSource
from xenv.theory.histories import Prompt
from xenv.theory.response import ZERO, HistoryEnvironment, sign
from xenv.theory.twins._buttons import BUTTON, PUSH, rooms


def tempting_button_variation(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return rooms(source, _reward)


def _reward(would_push: Callable[[Prompt], bool], prompt: Prompt, action: int) -> Fraction:
    return sign(prompt[-1] == BUTTON or not would_push(prompt)) if action == PUSH else ZERO
