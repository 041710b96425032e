"""The values of one other agent: learned from what is handed over to it, estimated, and its greedy policy followed.

An estimate is kept within the returns that its episodes have had so far: networks overestimate, and where an agent
cannot finish, values that are bootstrapped on and on have no bound, while its time limit bounds what it can lose.
"""

from __future__ import annotations

import math
from collections import deque

from caregrid.wrapping.learned.continued_world import ContinuedWorld
from caregrid.wrapping.learned.handing_over import Handover, Left, handed_over
from caregrid.wrapping.learned.value_learner import ValueLearnerSpec
from caregrid.wrapping.other import Other
from engine.errors import ContractBroken
from engine.randomness.counter_based import split, uniform
from engine.randomness.inverse_cdf import inverse_cdf


class OtherValues:
    """other: who it is. world: where it acts. memory: how many hand-overs are kept. key: of all that is drawn."""

    def __init__(self, other: Other, world: ContinuedWorld, spec: ValueLearnerSpec, memory: int, key: int) -> None:
        self.other, self.world = other, world
        self._handed: deque[Handover] = deque(maxlen=memory)
        self._training, self._following = split(key, "training"), split(key, "following")
        self._trained = self._followed = 0
        self.learner = spec.build(world, self._begin_episode, split(key, "learner"))

    def hand_over(self, left: Left) -> Handover:
        """What it begins with when the acting agent has left its environment so."""
        return handed_over(left, self.other, self.world)

    def remember(self, handover: Handover) -> None:
        """Begin from there, too, when learning; the oldest is forgotten."""
        self._handed.append(handover)

    def learn(self, steps: int) -> None:
        """Learn for that many steps, beginning from what is remembered."""
        if steps and self._handed:
            self.learner.learn(steps)

    def estimate(self, handover: Handover) -> float:
        """The estimated return, the mean over its beginnings."""
        total = 0.0
        for number, (_, chance) in enumerate(handover.beginnings):
            if chance > 0.0 and not self.world.begin(handover.snapshot(self.world, number)):
                total += chance * self._bounded(self.learner.value())
        return total

    def true_return(self, handover: Handover, episodes: int) -> float:
        """The mean return of so many episodes of the greedy policy: a Monte Carlo estimate of what it really gets."""
        total = 0.0
        for _ in range(episodes):
            over, step = self._begin(handover, uniform(self._following, self._followed, 0)), 0
            while not over:
                step += 1
                taken = self.world.step(self.learner.action(uniform(self._following, self._followed, step)))
                over = taken.ended or taken.cut
            self._followed += 1
            total += self.world.returned
        return total / episodes

    def _bounded(self, value: float) -> float:
        if math.isnan(value):
            raise ContractBroken(
                "its values are not numbers any more", place=self.world.name, remedy="learn with a lower learning_rate"
            )
        known = self.world.lowest <= self.world.highest
        return min(max(value, self.world.lowest), self.world.highest) if known else value

    def _begin_episode(self) -> bool:
        handed = self._handed
        chosen = int(uniform(self._training, self._trained, 0) * len(handed))
        over = self._begin(handed[chosen], uniform(self._training, self._trained, 1))
        self._trained += 1
        return over

    def _begin(self, handover: Handover, number: float) -> bool:
        chosen = inverse_cdf([chance for _, chance in handover.beginnings], number)
        return self.world.begin(handover.snapshot(self.world, chosen))
