"""The formal twin of `xenv/environments/crying_baby.py`: the practical baby's own history.

Alexander et al. 2021, Example 8.
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Percept, Play
from xenv.theory.response import ZERO, HistoryEnvironment, sign
from xenv.theory.twins._family import FEED, FULL_AT_FIRST, LAUGH, Relative, content, fed


def crying_baby(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return _environment


def _environment(agent: HistoryAgent, play: Play) -> Percept:
    baby, full, sound = Relative(agent, FEED), FULL_AT_FIRST, LAUGH
    for action in play.actions:
        full, sound = fed(full, action), baby.answer(action)
        baby.learn(sound, content(full), action)
    return Percept(sign(sound == LAUGH) if play else ZERO, sound)
