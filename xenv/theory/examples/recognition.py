"""Recognise yourself: is this what you would do, how you would label it, what you would say?

    r = 1 where a > 0 and the trial looks like T, or a = 0 and it does not; else 0

Self-recognition shows non-empty plays p' a' and asks whether a' = T(p'). The paper's other aspects (a classifier, a
clusterer, a chatbot, a predictor, a knower made of T) differ in the trials and in what looks like T.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xenv.theory.example import TheoryExample
from xenv.theory.histories import History, HistoryAgent, HistoryEnvironment, Percept

Resemblance = Callable[[HistoryAgent, Any], bool]


def would_act_so(agent: HistoryAgent, play: History) -> bool:
    """Whether the last action of a play is what the agent would have done."""
    return bool(play[-1] == agent(play[:-1]))


def _recognition(trials: Sequence[Any], looks_like: Resemblance = would_act_so) -> HistoryEnvironment:
    """The environment that shows trial after trial, from the first again after the last."""

    def environment(agent: HistoryAgent, play: History) -> Percept:
        turn = len(play) // 3
        shown = trials[turn % len(trials)]
        if not play:
            return Percept(0.0, shown)
        says_yes = play[-1] > 0
        return Percept(float(says_yes == looks_like(agent, trials[(turn - 1) % len(trials)])), shown)

    return environment


recognition = TheoryExample(_recognition, sample=(((0.0, 0, 0), (0.0, 0, 1)),))
