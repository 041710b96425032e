"""The formal twin of `xenv/environments/censored_observation.py`: turns that end in observation 2 have not happened.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.histories import Prompt
from xenv.theory.response import HistoryEnvironment
from xenv.theory.twins._as_if import acting_as_if

CENSORED = 2


def censored_observation(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return acting_as_if(_imagined, lambda turn: source.randrange(3, turn) if turn else 0)


def _imagined(prompt: Prompt) -> Prompt:
    steps = (prompt[start : start + 3] for start in range(2, len(prompt), 3))
    return Prompt((*prompt[:2], *(entry for step in steps if step[2] != CENSORED for entry in step)))
