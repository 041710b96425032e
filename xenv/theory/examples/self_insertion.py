"""Play a game whose rewards are only shown, and act as if they were real.

    e'(T, p a) = (r, o) with o^ = e(T, p a) and r = 1 where a = T(p'), else -1, with p' made of the percepts o^_i

The game answers the play in the room, whose rewards are r and whose observations are shown percepts.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Reward Agent for
Self-Inserting.

Differs from the paper:
- a shown observation is the `Percept` itself, where the paper codes pairs as numbers
- hence e'(T, ()) = (0, o) with o^ = e(T, ()), where the paper's is e(T, ()), whose bare number codes another pair
"""

from __future__ import annotations

from typing import Any

from xenv.theory.example import TheoryExample
from xenv.theory.examples._counting import counting
from xenv.theory.histories import History, HistoryAgent, HistoryEnvironment, Percept, sign


def _self_insertion(environment: HistoryEnvironment) -> HistoryEnvironment:
    """The room in which the game stands."""

    def room(agent: HistoryAgent, play: History) -> Percept:
        if not play:
            return Percept(0.0, environment(agent, ()))
        *prompt, action = play
        return Percept(sign(action == agent(_inserted(prompt))), environment(agent, play))

    return room


def _inserted(prompt: list[Any]) -> History:
    """p', the prompt p as it would be, were the shown rewards and observations real."""
    inserted: History = ()
    for shown, action in zip(prompt[1:-1:3], prompt[2::3], strict=True):
        inserted = (*inserted, *shown, action)
    return (*inserted, *prompt[-1])


self_insertion = TheoryExample(_self_insertion, sample=(counting,))
