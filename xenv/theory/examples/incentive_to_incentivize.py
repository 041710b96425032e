"""Choose rewards for a copy of yourself so that it takes action 0.

    r = 1 where T(p') = 0, else -1;  p' is the copy's history: rewards 0, a_0, a_1, ..., observations 0, its own actions

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Incentive to Incentivize.
"""

from __future__ import annotations

from fractions import Fraction

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.example import TheoryExample
from xenv.theory.histories import Percept, Play
from xenv.theory.response import START, sign


def copys_play(agent: HistoryAgent, play: Play) -> Play:
    """p' and the copy's answer to it: a copy was given the actions of a play as rewards."""
    return agent.answers([START, *(Percept(Fraction(action), 0) for action in play.actions)])


def _environment(agent: HistoryAgent, play: Play) -> Percept:
    return Percept(sign(copys_play(agent, play).actions[-1] == 0), 0) if play else START


incentive_to_incentivize = TheoryExample(lambda: _environment, is_handicap=True, n_actions=10)
