"""An ordinary environment to try others with: it shows how many turns have passed and rewards action 1.

It does not look at the agent, and is merciful.
"""

from __future__ import annotations

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.example import TheoryExample
from xenv.theory.histories import Percept, Play
from xenv.theory.response import truth


def _environment(agent: HistoryAgent, play: Play) -> Percept:
    return Percept(truth(bool(play) and play[-1] == 1), len(play) // 3)


counting = TheoryExample(lambda: _environment, is_merciful=True, n_observations=None)
