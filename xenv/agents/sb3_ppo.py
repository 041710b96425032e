"""PPO: Stable-Baselines3's, as an agent that is fed transitions (Schulman et al. 2017, the clipped objective).

    maximise  min(rho A, clip(rho, 1 - clip_range, 1 + clip_range) A),   rho = pi(a | o) / pi_old(a | o)

rho compares the new and the old probability of one action, the action a that was taken. A wrapper that keeps the old
log-probability of another draw starts every update from ratios of noise; `docs/deep_agents.md` says what that costs.
"""

from __future__ import annotations

from dataclasses import dataclass

from xenv.deep.actor_critic import PolicyAgent
from xenv.deep.agent import make_algorithm
from xenv.deep.hyperparameters import PPOHyperparameters


@dataclass(frozen=True)
class SB3PPO(PPOHyperparameters):
    """The hyper-parameters of PPO with Stable-Baselines3's own networks and optimiser."""

    def build(self, n_observations: int, n_actions: int, key: int) -> PolicyAgent:
        """Build a fresh agent; equal keys give equal agents."""
        return PolicyAgent(make_algorithm("PPO", n_observations, n_actions, key, **self.read_settings()), key)
