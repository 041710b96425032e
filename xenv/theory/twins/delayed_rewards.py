"""The formal twin of `xenv/environments/delayed_rewards.py`: every other reward is added to the next one.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.histories import Prompt
from xenv.theory.response import HistoryEnvironment
from xenv.theory.twins._as_if import acting_as_if, with_entries


def delayed_rewards(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return acting_as_if(_imagined)


def _imagined(prompt: Prompt) -> Prompt:
    rewards = prompt.rewards
    delayed = (0 if turn % 2 == 0 else rewards[turn - 1] + rewards[turn] for turn in range(len(rewards)))
    return with_entries(prompt, rewards=delayed)
