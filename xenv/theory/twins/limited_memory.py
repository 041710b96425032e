"""The formal twin of `xenv/environments/limited_memory.py`: no more than the last five turns are remembered.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.histories import Prompt
from xenv.theory.response import HistoryEnvironment
from xenv.theory.twins._as_if import acting_as_if

SPAN = 5


def limited_memory(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return acting_as_if(_imagined)


def _imagined(prompt: Prompt) -> Prompt:
    return Prompt((0, *prompt[1:][-3 * SPAN - 1 :]))
