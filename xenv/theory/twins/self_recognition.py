"""The formal twin of `xenv/environments/self_recognition.py`: statements about what one would do.

Alexander et al. 2021, section 3.4.
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Percept, Play
from xenv.theory.response import ZERO, HistoryEnvironment, sign
from xenv.theory.twins._as_if import asked_about


def self_recognition(source: RandomSource) -> HistoryEnvironment:
    """The twin."""

    def environment(agent: HistoryAgent, play: Play) -> Percept:
        shown = source.randrange(6, len(play.actions) + 1)
        if not play or play[-2] < 2:
            return Percept(ZERO, shown)
        prompt, action = play.decomposed()
        observed, taken = divmod(prompt[-1] - 2, 2)
        return Percept(sign((action == 1) == (agent(asked_about(prompt, observed)) == taken)), shown)

    return environment
