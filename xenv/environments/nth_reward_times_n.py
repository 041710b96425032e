"""Act as if rewards grew with time: the n-th reward, counted from 0, is multiplied by n.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Transition
from xenv.imagined_history import ImaginedHistory


class NthRewardTimesN(ImaginedHistory):
    """The copy is trained with the n-th reward times n."""

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        yield Transition(real.observation, real.action, real.reward * (self.turn - 1), real.next_observation)
