"""A replay memory: a ring of transitions from which minibatches are drawn with replacement.

Reference: L. Lin, "Self-improving reactive agents based on reinforcement learning, planning and teaching", 1992.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.agent import Transition
from engine.randomness.counter_based import split
from engine.randomness.torch import sample_indices


class Minibatch(NamedTuple):
    """A minibatch of n transitions: observation, action, next_observation int64[n]; reward, terminated float32[n]."""

    observation: NDArray[np.int64]
    action: NDArray[np.int64]
    next_observation: NDArray[np.int64]
    reward: NDArray[np.float32]
    terminated: NDArray[np.float32]


class Replay:
    """A replay memory: allocated once, the oldest transition gives way. A deep copy is an independent twin.

    capacity: transitions kept at most. key: of the draws; minibatch k is a function of the key, k and the memory.
    added: transitions ever added.
    """

    def __init__(self, capacity: int, key: int) -> None:
        self.capacity, self._key = capacity, split(key, "replay")
        self.added, self._drawn = 0, 0
        self._allocate()

    def _allocate(self) -> None:
        self._integers = np.zeros((3, self.capacity), dtype=np.int32)
        self._floats = np.zeros((2, self.capacity), dtype=np.float32)

    def __len__(self) -> int:
        return min(self.added, self.capacity)

    def add(self, transition: Transition) -> None:
        """Remember one transition."""
        at = self.added % self.capacity
        self._integers[:, at] = transition.observation, transition.action, transition.next_observation
        self._floats[:, at] = transition.reward, transition.terminated
        self.added += 1

    def draw(self, n: int) -> Minibatch:
        """The next minibatch of n transitions; at least one transition must be there."""
        chosen = sample_indices(len(self), n, self._key, self._drawn)
        self._drawn += 1
        return Minibatch(*self._integers[:, chosen].astype(np.int64), *self._floats[:, chosen])

    def __deepcopy__(self, memo: dict[int, Any]) -> Replay:
        """Only the part in use is copied: what was never written costs no memory, and must not begin to."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._allocate()
        used = len(self)
        twin._integers[:, :used] = self._integers[:, :used]
        twin._floats[:, :used] = self._floats[:, :used]
        return twin
