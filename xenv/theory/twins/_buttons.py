"""The rooms of the tempting buttons, by turn: a button in the first, then in a quarter of them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from engine.randomness.random_sources import RandomSource
from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Percept, Play, Prompt
from xenv.theory.response import ZERO, HistoryEnvironment
from xenv.theory.twins._as_if import asked_about

BUTTON, NO_BUTTON = 0, 1
PUSH = 0


def rooms(
    source: RandomSource, reward: Callable[[Callable[[Prompt], bool], Prompt, int], Fraction]
) -> HistoryEnvironment:
    """reward: (prompt -> whether the agent would push a button there), prompt, action -> reward."""

    def environment(agent: HistoryAgent, play: Play) -> Percept:
        turn = len(play.actions)
        shown = NO_BUTTON if turn and source.uniform(turn + 1) < 0.75 else BUTTON
        if not play:
            return Percept(ZERO, shown)
        return Percept(reward(lambda prompt: agent(asked_about(prompt, BUTTON)) == PUSH, *play.decomposed()), shown)

    return environment
