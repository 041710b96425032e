"""DQN: Stable-Baselines3's, as an agent that is fed transitions (Mnih et al. 2015).

    minimise  huber(Q(o, a) - (r + gamma max_b Q_target(o', b)))   over replayed transitions

Differs from Stable-Baselines3
- `learning_starts` is 1 by default, since an agent measured over few turns should not spend them waiting.
- Their exploration falls over a fraction of a training of known length. Here no length is known: `total_timesteps` is
  the length that the schedule assumes; afterwards epsilon stays at its final value.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.agent import AgentSpec
from xenv.deep.action_value import ActionValueAgent
from xenv.deep.agent import make_algorithm
from xenv.deep.hyperparameter_domains import checked_hyperparameters


@dataclass(frozen=True)
class SB3DQN(AgentSpec):
    """Hyper-parameters of DQN, named and set as in Stable-Baselines3 but for those that the module names."""

    learning_rate: float = 1e-4
    buffer_size: int = 1_000_000
    learning_starts: int = 1
    batch_size: int = 32
    tau: float = 1.0
    gamma: float = 0.99
    train_freq: int = 4
    gradient_steps: int = 1
    target_update_interval: int = 10_000
    exploration_fraction: float = 0.1
    exploration_initial_eps: float = 1.0
    exploration_final_eps: float = 0.05
    max_grad_norm: float = 10.0
    total_timesteps: int = 1_000

    def build(self, n_observations: int, n_actions: int, key: int) -> ActionValueAgent:
        """A fresh agent for `n_observations` observations and `n_actions` actions; equal keys give equal agents."""
        settings = checked_hyperparameters(self)
        total_timesteps, buffer_size = settings.pop("total_timesteps"), settings.pop("buffer_size")
        algorithm = make_algorithm("DQN", n_observations, n_actions, key, buffer_size=1, **settings)
        return ActionValueAgent(algorithm, key, buffer_size, total_timesteps)
