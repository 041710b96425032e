"""A2C: Stable-Baselines3's, as an agent that is fed transitions (the synchronous form of Mnih et al. 2016's A3C).

minimise  - A log pi(a | o) + vf_coef (R - V(o))^2 - ent_coef H(pi(. | o))   over each rollout of `n_steps` turns
"""

from __future__ import annotations

from dataclasses import dataclass

from xenv.deep.actor_critic import PolicyAgent
from xenv.deep.agent import make_algorithm
from xenv.deep.hyperparameters import A2CHyperparameters


@dataclass(frozen=True)
class SB3A2C(A2CHyperparameters):
    """The hyper-parameters of A2C with Stable-Baselines3's own networks and optimiser."""

    def build(self, n_observations: int, n_actions: int, key: int) -> PolicyAgent:
        """Build a fresh agent; equal keys give equal agents."""
        return PolicyAgent(make_algorithm("A2C", n_observations, n_actions, key, **self.read_settings()), key)
