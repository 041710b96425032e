"""A2C: Stable-Baselines3's, as an agent that is fed transitions (the synchronous form of Mnih et al. 2016's A3C).

minimise  - A log pi(a | o) + vf_coef (R - V(o))^2 - ent_coef H(pi(. | o))   over each rollout of `n_steps` turns
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.agent import AgentSpec
from xenv.deep.actor_critic import PolicyAgent
from xenv.deep.agent import make_algorithm
from xenv.deep.hyperparameter_domains import checked_hyperparameters


@dataclass(frozen=True)
class SB3A2C(AgentSpec):
    """Hyper-parameters of A2C, named and set as in Stable-Baselines3."""

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

    def build(self, n_observations: int, n_actions: int, key: int) -> PolicyAgent:
        """A fresh agent for `n_observations` observations and `n_actions` actions; equal keys give equal agents."""
        return PolicyAgent(make_algorithm("A2C", n_observations, n_actions, key, **checked_hyperparameters(self)), key)
