"""The formal twin of `xenv/environments/ignore_observations.py`: every earlier observation is 0.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.histories import Prompt
from xenv.theory.response import HistoryEnvironment
from xenv.theory.twins._as_if import acting_as_if, with_entries


def ignore_observations(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return acting_as_if(_imagined, lambda turn: source.randrange(5, turn))


def _imagined(prompt: Prompt) -> Prompt:
    return with_entries(prompt, observations=(*[0] * len(prompt.actions), prompt.observations[-1]))
