"""The formal twin of `xenv/environments/deja_vu.py`: as in the theory, but that the first action is worth 0.

Alexander et al. 2021, section 4.
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.examples.deja_vu import deja_vu as example
from xenv.theory.response import HistoryEnvironment
from xenv.theory.twins._as_if import first_action_unrewarded


def deja_vu(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return first_action_unrewarded(example())
