"""Act as if the turns with a positive reward had not happened.

Alexander et al. 2021, after Example 3 ("reward" read as positive reward).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Transition
from xenv.imagined_history import ImaginedHistory


class IgnoreRewards2(ImaginedHistory):
    """The copy is not trained where the reward is positive."""

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        if real.reward <= 0:
            yield real
