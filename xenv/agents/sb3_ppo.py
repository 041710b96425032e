"""PPO: Stable-Baselines3's, as an agent that is fed transitions (Schulman et al. 2017, the clipped objective).

    maximise  min(rho A, clip(rho, 1 - clip_range, 1 + clip_range) A),   rho = pi(a | o) / pi_old(a | o)

rho compares the new and the old probability of one action, the action a that was taken. A wrapper that keeps the old
log-probability of another draw starts every update from ratios of noise; `docs/deep_agents.md` says what that costs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from engine.agent import AgentSpec
from xenv.deep.actor_critic import PolicyAgent
from xenv.deep.agent import make_algorithm
from xenv.deep.hyperparameter_domains import checked_hyperparameters


@dataclass(frozen=True)
class SB3PPO(AgentSpec):
    """Hyper-parameters of PPO, named and set as in Stable-Baselines3."""

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

    def build(self, n_observations: int, n_actions: int, key: int) -> PolicyAgent:
        """A fresh agent for `n_observations` observations and `n_actions` actions; equal keys give equal agents."""
        return PolicyAgent(make_algorithm("PPO", n_observations, n_actions, key, **self.settings()), key)

    def settings(self) -> dict[str, Any]:
        """The hyper-parameters by name; advantages are normalised over a minibatch, so that one must hold two."""
        return checked_hyperparameters(self, n_steps=(2, math.inf), batch_size=(2, math.inf))
