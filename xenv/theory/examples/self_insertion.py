"""Play a game whose rewards are only shown, and act as if they were real.

    e'(T, p a) = (r, o) with o^ = e(T, p a) and r = 1 where a = T(p'), else -1, with p' made of the percepts o^_i

A shown observation is the `Percept` itself, where the paper codes pairs as numbers.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning".
"""

from __future__ import annotations

from xenv.theory.example import TheoryExample
from xenv.theory.examples._counting import counting
from xenv.theory.histories import History, HistoryAgent, HistoryEnvironment, Percept, sign


def _self_insertion(environment: HistoryEnvironment) -> HistoryEnvironment:
    """The room in which the game stands."""

    def room(agent: HistoryAgent, play: History) -> Percept:
        if not play:
            return Percept(0.0, environment(agent, ()))
        inserted = _inserted(play)
        return Percept(sign(play[-1] == agent(inserted[:-1])), environment(agent, inserted))

    return room


def _inserted(play: History) -> History:
    """The play as it would be, were the shown rewards and observations real."""
    inserted: History = ()
    for shown, action in zip(play[1::3], play[2::3], strict=True):
        inserted = (*inserted, *shown, action)
    return inserted


self_insertion = TheoryExample(_self_insertion, sample=(counting,))
