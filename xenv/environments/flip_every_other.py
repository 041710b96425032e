"""Act as if every other reward had the opposite sign.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Transition
from xenv.imagined_history import ImaginedHistory


class FlipEveryOther(ImaginedHistory):
    """The copy is trained with the rewards of even turns negated."""

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        reward = -real.reward if self.turn % 2 == 0 else real.reward
        yield Transition(real.observation, real.action, reward, real.next_observation)
