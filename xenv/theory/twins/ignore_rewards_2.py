"""The formal twin of `xenv/environments/ignore_rewards_2.py`: turns with a positive reward have not happened.

Alexander et al. 2021, after Example 3.
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.histories import Prompt
from xenv.theory.response import HistoryEnvironment
from xenv.theory.twins._as_if import acting_as_if


def ignore_rewards_2(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return acting_as_if(_imagined)


def _imagined(prompt: Prompt) -> Prompt:
    steps = (prompt[start : start + 3] for start in range(2, len(prompt), 3))
    return Prompt((*prompt[:2], *(entry for step in steps if step[1] <= 0 for entry in step)))
