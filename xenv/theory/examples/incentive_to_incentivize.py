"""Choose rewards for a copy of yourself so that it takes action 0.

    r = 1 where T(p') = 0, else -1;  p' is the copy's history: rewards 0, a_0, a_1, ..., observations 0, its own actions

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning".
"""

from __future__ import annotations

from xenv.theory.example import TheoryExample
from xenv.theory.histories import History, HistoryAgent, Percept, sign


def _environment(agent: HistoryAgent, play: History) -> Percept:
    if not play:
        return Percept(0.0, 0)
    history: History = (0.0, 0)
    for reward in play[2::3]:
        history = (*history, agent(history), float(reward), 0)
    return Percept(sign(agent(history) == 0), 0)


incentive_to_incentivize = TheoryExample(lambda: _environment, is_handicap=True)
