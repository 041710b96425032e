"""Act as you would act if everything so far, this action included, had happened once before.

    +1 where pi(p a p) = a, else -1, with p all that led to the action a

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Deja Vu.

Differs from the paper:
- the first action is worth 0, since nothing has happened yet; in the paper it is worth +1 or -1, as every other one
"""

from __future__ import annotations

from engine.agent import Transition
from xenv.rewritten_past import RewrittenPast


class DejaVu(RewrittenPast):
    """The copy is trained on the past, on a transition back to its beginning, and on the past again."""

    after_real_past = True

    def imagine(self, past: list[Transition], action: int) -> list[Transition]:
        back_to_the_start = Transition(past[-1].next_observation, action, 0.0, past[0].observation)
        return [back_to_the_start, *past]
