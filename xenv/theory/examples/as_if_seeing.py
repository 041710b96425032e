"""Act as if you saw something made of what you see: only the mirror, or one world from two eyes.

    r = 1 where a = T(r_0, f(o_0), a_0, ..., r_n, f(o_n)), else -1, with observations from e

Playing in the mirror: f keeps of each snapshot what the mirror shows. Binocular vision: f fuses the snapshots of both
eyes into one model.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xenv.theory.example import TheoryExample
from xenv.theory.examples._counting import counting
from xenv.theory.histories import History, HistoryAgent, HistoryEnvironment, Percept, sign, with_observations


def _as_if_seeing(environment: HistoryEnvironment, view: Callable[[Any], Any]) -> HistoryEnvironment:
    """The environment that shows what e shows and rewards acting as if it were f of that."""

    def viewed(agent: HistoryAgent, play: History) -> Percept:
        reward, shown = environment(agent, play)
        if not play:
            return Percept(reward, shown)
        *prompt, action = play
        return Percept(sign(action == agent(with_observations(tuple(prompt), view))), shown)

    return viewed


as_if_seeing = TheoryExample(_as_if_seeing, sample=(counting, lambda turn: turn // 2))
