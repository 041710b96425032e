"""What all the lanes of one stack have in common, as plain numbers that compiled code takes.

Names and meanings are Stable-Baselines3's. A lane's learning rate is its own and not among them.
"""

from __future__ import annotations

from typing import NamedTuple

CPU = "cpu"  # the device of compiled code
HIDDEN = (64, 64)  # units of the hidden layers of Stable-Baselines3's "MlpPolicy"


class ActionValueSettings(NamedTuple):
    """DQN's."""

    buffer_size: int
    learning_starts: int
    batch_size: int
    tau: float
    gamma: float
    train_freq: int
    gradient_steps: int
    target_update_interval: int
    exploration_fraction: float
    exploration_initial_eps: float
    exploration_final_eps: float
    max_grad_norm: float
    total_timesteps: int

    @property
    def every(self) -> int:
        """Transitions between two times of learning."""
        return self.train_freq


class PolicySettings(NamedTuple):
    """A2C's and PPO's; A2C is one epoch of one minibatch. epsilon: the optimiser's."""

    n_steps: int
    batch_size: int
    n_epochs: int
    gamma: float
    gae_lambda: float
    clip_range: float
    normalize_advantage: bool
    ent_coef: float
    vf_coef: float
    max_grad_norm: float
    epsilon: float

    @property
    def every(self) -> int:
        """Transitions between two times of learning."""
        return self.n_steps
