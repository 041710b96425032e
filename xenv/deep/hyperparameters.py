"""The hyper-parameters of DQN, A2C and PPO, named and set as in Stable-Baselines3.

Each is a spec without `build`: who builds decides whether Stable-Baselines3's own networks learn (`sb3_dqn`, ...) or a
lane of a stack (`stacked_dqn`, ...).

Differs from Stable-Baselines3
- `learning_starts` of DQN is 1 by default, since an agent measured over few turns should not spend them waiting.
- Their exploration falls over a fraction of a training of known length. Here no length is known: `total_timesteps` is
  the length that the schedule assumes; afterwards epsilon stays at its final value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from engine.agent import AgentSpec
from xenv.deep.hyperparameter_domains import checked_hyperparameters


class Hyperparameters(AgentSpec):
    """What the three have in common."""

    def checked(self) -> dict[str, Any]:
        """The hyper-parameters by name; BadValue where one is out of its domain."""
        return checked_hyperparameters(self)


@dataclass(frozen=True)
class DQNHyperparameters(Hyperparameters):
    """DQN's."""

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


@dataclass(frozen=True)
class A2CHyperparameters(Hyperparameters):
    """A2C's."""

    learning_rate: float = 7e-4
    n_steps: int = 5
    gamma: float = 0.99
    gae_lambda: float = 1.0
    ent_coef: float = 0.0
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    rms_prop_eps: float = 1e-5
    use_rms_prop: bool = True
    normalize_advantage: bool = False


@dataclass(frozen=True)
class PPOHyperparameters(Hyperparameters):
    """PPO's."""

    learning_rate: float = 3e-4
    n_steps: int = 2048
    batch_size: int = 64
    n_epochs: int = 10
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    normalize_advantage: bool = True
    ent_coef: float = 0.0
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5

    def checked(self) -> dict[str, Any]:
        """The hyper-parameters by name; BadValue where one is out of its domain.

        Advantages are normalised over a minibatch, so that one must hold two.
        """
        return checked_hyperparameters(self, n_steps=(2, math.inf), batch_size=(2, math.inf))
