"""The formal twin of `xenv/environments/repeater.py`: every turn happens twice.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.histories import Prompt
from xenv.theory.response import HistoryEnvironment
from xenv.theory.twins._as_if import acting_as_if


def repeater(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return acting_as_if(_imagined)


def _imagined(prompt: Prompt) -> Prompt:
    twice = [entry for turn in range(len(prompt.actions)) for entry in 2 * prompt[3 * turn + 2 : 3 * turn + 5]]
    return Prompt((*prompt[:2], *twice))
