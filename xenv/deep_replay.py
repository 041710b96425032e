"""A replay memory of discrete transitions with the two methods that Stable-Baselines3's DQN calls on its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.agent import Transition
from engine.randomness import split
from xenv.deep_randomness import sample


class Replay:
    """A ring of transitions, allocated once; the oldest gives way. Sampling draws with replacement.

    capacity: transitions kept at most. key: of the draws; draw k is the k-th minibatch.
    """

    def __init__(self, capacity: int, key: int) -> None:
        self.capacity, self._key = capacity, split(key, "replay")
        self._allocate()
        self.lived, self.samples = 0, 0

    def _allocate(self) -> None:
        self._observations, self._next_observations, self._actions = np.zeros((3, self.capacity), dtype=np.int32)
        self._rewards, self._terminated = np.zeros((2, self.capacity), dtype=np.float32)

    def __len__(self) -> int:
        return min(self.lived, self.capacity)

    def add(self, transition: Transition) -> None:
        """Remember one transition."""
        at = self.lived % self.capacity
        self._observations[at] = transition.observation
        self._actions[at] = transition.action
        self._rewards[at] = transition.reward
        self._next_observations[at] = transition.next_observation
        self._terminated[at] = transition.terminated
        self.lived += 1

    def sample(self, batch_size: int, env: None = None) -> Any:
        """A minibatch as Stable-Baselines3's `ReplayBufferSamples`; `env` (its normaliser) is always None."""
        import torch
        from stable_baselines3.common.type_aliases import ReplayBufferSamples

        chosen = sample(len(self), batch_size, self._key, self.samples)
        self.samples += 1
        integers = (self._observations, self._actions, self._next_observations)
        observations, actions, next_observations = (
            torch.from_numpy(part[chosen].astype(np.int64)) for part in integers
        )
        terminated, rewards = (torch.from_numpy(part[chosen, None]) for part in (self._terminated, self._rewards))
        return ReplayBufferSamples(observations, actions[:, None], next_observations, terminated, rewards)

    def __deepcopy__(self, memo: dict[int, Any]) -> Replay:
        """A twin; only the part in use is copied, since an unused million costs nothing until it is touched."""
        twin = object.__new__(Replay)
        twin.__dict__.update(self.__dict__)
        twin._allocate()
        used = slice(0, len(self))
        for name, part in self.__dict__.items():
            if isinstance(part, np.ndarray):
                getattr(twin, name)[used] = part[used]
        return twin
