"""DQN: Stable-Baselines3's, as an agent that is fed transitions (Mnih et al. 2015).

minimise  huber(Q(o, a) - (r + gamma max_b Q_target(o', b)))   over replayed transitions
"""

from __future__ import annotations

from dataclasses import dataclass

from xenv.deep.action_value import ActionValueAgent
from xenv.deep.agent import make_algorithm
from xenv.deep.hyperparameters import DQNHyperparameters


@dataclass(frozen=True)
class SB3DQN(DQNHyperparameters):
    """The hyper-parameters of DQN with Stable-Baselines3's own networks and optimiser."""

    def build(self, n_observations: int, n_actions: int, key: int) -> ActionValueAgent:
        """Build a fresh agent; equal keys give equal agents."""
        settings = self.read_settings()
        total_timesteps, buffer_size = settings.pop("total_timesteps"), settings.pop("buffer_size")
        algorithm = make_algorithm("DQN", n_observations, n_actions, key, buffer_size=1, **settings)
        return ActionValueAgent(algorithm, key, buffer_size, total_timesteps)
