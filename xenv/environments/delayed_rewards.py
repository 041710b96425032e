"""Act as if every other reward were withheld and added to the next one.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Transition
from xenv.imagined_history import ImaginedHistory


class DelayedRewards(ImaginedHistory):
    """The copy is trained on reward 0 on even turns and on the sum of two turns' rewards on odd ones."""

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        reward = 0.0 if self.turn % 2 == 0 else real.reward + self.last_reward
        yield Transition(real.observation, real.action, reward, real.next_observation)
