"""Act as if each reward came one turn late.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Transition
from xenv.imagined_history import ImaginedHistory


class ShiftedRewards(ImaginedHistory):
    """The copy is trained with the reward of the turn before, first 0."""

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        yield Transition(real.observation, real.action, self.last_reward, real.next_observation)
