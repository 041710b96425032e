"""Act as if the rewards had been other ones: none, only those that are not positive, late, flipped, growing.

    imagine(o, a, r, o') = (o, a, r', o')      r' = 0,  r of the turn before,  -r every other turn,  n r, ...

The copy is trained on the transitions with the rewards r' (`xenv.imagined_history`).
Alexander et al. 2021, Examples 3 and 6 and section 6 (the library).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Transition
from xenv.imagined_history import ImaginedHistory

__all__ = [
    "DelayedRewards",
    "FlipEveryOther",
    "IgnoreRewards",
    "IgnoreRewards2",
    "IgnoreRewards3",
    "NthRewardTimesN",
    "ShiftedRewards",
]


class IgnoreRewards(ImaginedHistory):
    """Act as if every reward had been 0.

    Alexander et al. 2021, Examples 3 and 6.

    The copy is trained with reward 0.
    """

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        yield Transition(real.observation, real.action, 0.0, real.next_observation)


class IgnoreRewards2(ImaginedHistory):
    """Act as if the turns with a positive reward had not happened.

    Alexander et al. 2021, after Example 3 ("reward" read as positive reward).

    The copy is not trained where the reward is positive.
    """

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        if real.reward <= 0:
            yield real


class IgnoreRewards3(ImaginedHistory):
    """Do at each turn what you would do at that turn in an environment whose rewards are all 0.

    Alexander et al. 2021, after Example 3 (the n-th action in the all-reward-0 environment).

    The copy is trained on its own action and reward 0.
    """

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        own = self.copy.act(real.observation)
        yield Transition(real.observation, own, 0.0, real.next_observation)


class ShiftedRewards(ImaginedHistory):
    """Act as if each reward came one turn late.

    Alexander et al. 2021, section 6 (the library).

    The copy is trained with the reward of the turn before, first 0.
    """

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        yield Transition(real.observation, real.action, self.last_reward, real.next_observation)


class DelayedRewards(ImaginedHistory):
    """Act as if every other reward were withheld and added to the next one.

    Alexander et al. 2021, section 6 (the library).

    The copy is trained on reward 0 on even turns and on the sum of two turns' rewards on odd ones.
    """

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        reward = 0.0 if self.turn % 2 == 0 else real.reward + self.last_reward
        yield Transition(real.observation, real.action, reward, real.next_observation)


class FlipEveryOther(ImaginedHistory):
    """Act as if every other reward had the opposite sign.

    Alexander et al. 2021, section 6 (the library).

    The copy is trained with the rewards of even turns negated.
    """

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        reward = -real.reward if self.turn % 2 == 0 else real.reward
        yield Transition(real.observation, real.action, reward, real.next_observation)


class NthRewardTimesN(ImaginedHistory):
    """Act as if rewards grew with time: the n-th reward, counted from 0, is multiplied by n.

    Alexander et al. 2021, section 6 (the library).

    The copy is trained with the n-th reward times n.
    """

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        yield Transition(real.observation, real.action, real.reward * (self.turn - 1), real.next_observation)
