"""The formal twin of `xenv/environments/adversarial_sequence_predictor.py`: the opponent is a copy.

Alexander et al. 2021, section 3.4.
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.response import HistoryEnvironment
from xenv.theory.twins._opponents import against_oneself


def adversarial_sequence_predictor(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return against_oneself(wins_by_agreeing=1)
