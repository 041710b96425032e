"""Act as you would act if everything so far, this action included, repeated itself.

    r = 1 where T(p a p) = a, else -1

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning".
"""

from __future__ import annotations

from xenv.theory.example import TheoryExample
from xenv.theory.histories import History, HistoryAgent, Percept, sign


def _environment(agent: HistoryAgent, play: History) -> Percept:
    if not play:
        return Percept(0.0, 0)
    return Percept(sign(play[-1] == agent((*play, *play[:-1]))), 0)


deja_vu = TheoryExample(lambda: _environment, is_handicap=True)
