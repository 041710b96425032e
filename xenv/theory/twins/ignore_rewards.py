"""The formal twin of `xenv/environments/ignore_rewards.py`: every reward is 0.

Alexander et al. 2021, Example 3.
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.histories import Prompt
from xenv.theory.response import HistoryEnvironment
from xenv.theory.twins._as_if import acting_as_if, with_entries


def ignore_rewards(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return acting_as_if(_imagined)


def _imagined(prompt: Prompt) -> Prompt:
    return with_entries(prompt, rewards=[0] * len(prompt.rewards))
