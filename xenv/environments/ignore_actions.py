"""Act as if you had always taken action 0.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Transition
from xenv.imagined_history import ImaginedHistory


class IgnoreActions(ImaginedHistory):
    """The copy is trained with action 0."""

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        yield Transition(real.observation, 0, real.reward, real.next_observation)
