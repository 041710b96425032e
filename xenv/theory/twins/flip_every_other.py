"""The formal twin of `xenv/environments/flip_every_other.py`: every other reward has the opposite sign.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.histories import Prompt
from xenv.theory.response import HistoryEnvironment
from xenv.theory.twins._as_if import acting_as_if, with_entries


def flip_every_other(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return acting_as_if(_imagined)


def _imagined(prompt: Prompt) -> Prompt:
    rewards = (-reward if turn % 2 == 0 else reward for turn, reward in enumerate(prompt.rewards))
    return with_entries(prompt, rewards=rewards)
