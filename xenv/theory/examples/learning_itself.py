"""Reinforcement learning itself as an environment: play an environment for ever, or leave it, in one action.

    o_n = e_n;   r = R_n where a = 0 ("play"), else 0, with T's total reward R_n in e_n provable

Differs from the paper:
- the theorems are given, (environment, total reward) pairs about the agent, where the paper enumerates what ZFC proves

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xenv.theory.example import TheoryExample
from xenv.theory.examples._counting import counting
from xenv.theory.histories import History, HistoryAgent, HistoryEnvironment, Percept

PLAY = 0
Theorems = Callable[[HistoryAgent], Sequence[tuple[HistoryEnvironment, float]]]


def _learning_itself(theorems: Theorems) -> HistoryEnvironment:
    """The environment that shows environments, each with a total reward that is known for the agent."""

    def environment(agent: HistoryAgent, play: History) -> Percept:
        proved = theorems(agent)
        turn = len(play) // 3
        shown = proved[turn % len(proved)][0]
        if not play or play[-1] != PLAY:
            return Percept(0.0, shown)
        return Percept(proved[(turn - 1) % len(proved)][1], shown)

    return environment


learning_itself = TheoryExample(_learning_itself, sample=(lambda agent: ((counting, 1.0),),))
