"""The formal twin of `xenv/environments/crying_baby_2.py`: the agent is the baby, the copy its parent.

Alexander et al. 2021, Example 8, with the roles exchanged.
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Percept, Play
from xenv.theory.response import ZERO, HistoryEnvironment, sign
from xenv.theory.twins._family import DO_NOT_FEED, FULL_AT_FIRST, LAUGH, Relative, content, fed


def crying_baby_2(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return _environment


def _environment(agent: HistoryAgent, play: Play) -> Percept:
    parent, full, care = Relative(agent, LAUGH), FULL_AT_FIRST, DO_NOT_FEED
    for sound in play.actions:
        care = parent.answer(sound)
        full = fed(full, care)
        parent.learn(care, sign(sound == LAUGH), sound)
    return Percept(content(full) if play else ZERO, care)
