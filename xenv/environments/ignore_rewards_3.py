"""Do at each turn what you would do at that turn in an environment whose rewards are all 0.

Alexander et al. 2021, after Example 3 (the n-th action in the all-reward-0 environment).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Transition
from xenv.imagined_history import ImaginedHistory


class IgnoreRewards3(ImaginedHistory):
    """The copy is trained on its own action and reward 0."""

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        own = self.copy.act(real.observation)
        yield Transition(real.observation, own, 0.0, real.next_observation)
