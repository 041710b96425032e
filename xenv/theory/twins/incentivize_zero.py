"""The formal twin of `xenv/environments/incentivize_zero.py`: the agent is shown what the worker did.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

from engine.randomness.random_sources import RandomSource
from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.examples.incentive_to_incentivize import copys_play
from xenv.theory.histories import Percept, Play
from xenv.theory.response import ZERO, HistoryEnvironment, sign


def incentivize_zero(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return _environment


def _environment(agent: HistoryAgent, play: Play) -> Percept:
    done = copys_play(agent, play).actions[-1]
    return Percept(sign(done == 0) if play else ZERO, done)
