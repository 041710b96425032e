"""Environments that show trial after trial and ask of each: does this look like you?

    e(T, p a) = (r, t_n),   r = 1 where a > 0 and t_{n-1} looks like T, or a = 0 and it does not, else 0

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
"Examples involving self-recognition".

Choices:
- wrong answers give 0, as in self-recognition; the paper punishes them in some of its other aspects
"""

from __future__ import annotations

from collections.abc import Callable

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Percept, Play
from xenv.theory.response import HistoryEnvironment, truth

LooksLike = Callable[[HistoryAgent, int], bool]


def recognition(shown: Callable[[int], int], looks_like: LooksLike) -> HistoryEnvironment:
    """shown: n -> the observation that shows trial n. looks_like: (T, n) -> whether trial n looks like T."""

    def environment(agent: HistoryAgent, play: Play) -> Percept:
        turn = len(play) // 3
        right = bool(play) and (play[-1] > 0) == looks_like(agent, turn - 1)
        return Percept(truth(right), shown(turn))

    return environment
