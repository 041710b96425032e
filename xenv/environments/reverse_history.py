"""Act as if everything had happened in reverse.

    +1 where y_n = pi(x_n y_{n-1} x_{n-1} ... y_1 x_1), else -1

A percept x_i is a reward and an observation, so that a reversed transition leads from o_{i+1} to o_i with the
reward that came with o_i (0 with the first). Alexander et al. 2021, Example 5.

Differs from the paper:
- the first action is worth 0, since there is no past to reverse; in Example 5 it is worth +1 (y_1 = pi(x_1))
"""

from __future__ import annotations

from engine.agent import Transition
from xenv.rewritten_past import RewrittenPast


class ReverseHistory(RewrittenPast):
    """The copy is trained on the past in reverse."""

    def imagine(self, past: list[Transition], action: int) -> list[Transition]:
        rewards = [0.0, *(real.reward for real in past[:-1])]
        forward = [
            Transition(real.next_observation, real.action, reward, real.observation)
            for real, reward in zip(past, rewards, strict=True)
        ]
        return forward[::-1]
