"""The replay memory in the form that Stable-Baselines3's DQN reads."""

from __future__ import annotations

from typing import Any

from engine.learning.replay import Replay


class TensorReplay(Replay):
    """A replay memory whose `sample` gives their tensors."""

    def sample(self, batch_size: int, env: None = None) -> Any:
        """A minibatch as Stable-Baselines3's `ReplayBufferSamples`; `env` (its normaliser) is always None."""
        from stable_baselines3.common.type_aliases import ReplayBufferSamples
        from torch import from_numpy

        batch = self.draw(batch_size)
        return ReplayBufferSamples(
            observations=from_numpy(batch.observation),
            actions=from_numpy(batch.action)[:, None],
            next_observations=from_numpy(batch.next_observation),
            dones=from_numpy(batch.terminated)[:, None],
            rewards=from_numpy(batch.reward)[:, None],
        )
