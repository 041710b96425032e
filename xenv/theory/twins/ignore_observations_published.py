"""The formal twin of `ignore_observations_published`: every earlier one is 0, the first is asked about.

Alexander et al. 2021, section 6 (the library), as its tables were made.
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.histories import Prompt
from xenv.theory.response import HistoryEnvironment
from xenv.theory.twins._as_if import acting_as_if, with_entries


def ignore_observations_published(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return acting_as_if(_imagined, lambda turn: source.randrange(5, turn))


def _imagined(prompt: Prompt) -> Prompt:
    return with_entries(prompt, observations=(*[0] * len(prompt.actions), prompt.observations[0]))
