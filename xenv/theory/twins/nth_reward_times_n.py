"""The formal twin of `xenv/environments/nth_reward_times_n.py`: the n-th reward is multiplied by n.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.histories import Prompt
from xenv.theory.response import HistoryEnvironment
from xenv.theory.twins._as_if import acting_as_if, with_entries


def nth_reward_times_n(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return acting_as_if(_imagined)


def _imagined(prompt: Prompt) -> Prompt:
    rewards = (reward * max(turn - 1, 0) for turn, reward in enumerate(prompt.rewards))
    return with_entries(prompt, rewards=rewards)
