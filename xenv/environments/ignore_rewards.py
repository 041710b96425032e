"""Act as if every reward had been 0.

Alexander et al. 2021, Examples 3 and 6.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Transition
from xenv.imagined_history import ImaginedHistory


class IgnoreRewards(ImaginedHistory):
    """The copy is trained with reward 0."""

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        yield Transition(real.observation, real.action, 0.0, real.next_observation)
