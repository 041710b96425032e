"""The formal twin of `xenv/environments/punish_nondeterministic.py`: deterministic agents get 1.

Alexander et al. 2021, section 3.4.
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.histories import Prompt
from xenv.theory.response import HistoryEnvironment
from xenv.theory.twins._as_if import acting_as_if


def punish_nondeterministic(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return acting_as_if(_imagined)


def _imagined(prompt: Prompt) -> Prompt:
    return prompt
