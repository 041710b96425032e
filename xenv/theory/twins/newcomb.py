"""The formal twin of `xenv/environments/newcomb.py`: as in the theory.

Alexander et al. 2021, Example 7.
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.examples.newcomb import newcomb as example
from xenv.theory.response import HistoryEnvironment


def newcomb(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return example()
