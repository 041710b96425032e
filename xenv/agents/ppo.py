"""PPO: an actor-critic whose policy moves only a little away from the one that collected a rollout.

    maximise  min(rho A, clip(rho, 1 - clip_range, 1 + clip_range) A)
    rho = pi(a | o) / pi_old(a | o)            sb3_ppo, stacked_ppo
    rho = pi(a | o) / pi_old(a' | o),  a' drawn anew from pi_old(. | o)         stacked_ppo_redrawn

rho compares the new and the old probability of one action, the action a that was taken. A wrapper that keeps the old
log-probability of another draw starts every update from ratios of noise; `docs/deep_agents.md` says what that costs,
and `extended_environments/ppo_artefact` measures it.

Reference: J. Schulman et al., "Proximal policy optimization algorithms", 2017 (the clipped objective), in the form of
Stable-Baselines3. `stacked_ppo` computes it as a lane of a stack; `sb3_ppo` is Stable-Baselines3 itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from engine.learning.stacks.lanes import Draws, Lane, PolicySettings
from engine.learning.stacks.stacks import SharedStacks, Stacks
from engine.value_types import Discount, ShareOrNone
from xenv.deep.actor_critic import PolicyAgent
from xenv.deep.agent import make_algorithm
from xenv.deep.hyperparameters import ACTOR_CRITIC_EPSILON, Amount, Count, CountForVariance, Hyperparameters

__all__ = ["SB3PPO", "StackedPPO", "StackedPPORedrawn"]


@dataclass(frozen=True)
class PPOHyperparameters(Hyperparameters):
    """The hyper-parameters of PPO, with Stable-Baselines3's names and meanings.

    Parameters
    ----------
    learning_rate : Adam's.
    n_steps : turns of a rollout.
    batch_size : turns of a minibatch.
    n_epochs : passes over a rollout.
    gamma, gae_lambda : discount and trace of the advantages.
    clip_range : how far rho may be from 1.
    normalize_advantage : whether advantages are normalised over a minibatch.
    ent_coef, vf_coef : weights of the policy's entropy and of the value's loss.
    max_grad_norm : gradients are scaled down to it.
    """

    learning_rate: Amount = 3e-4
    n_steps: CountForVariance = 2048
    batch_size: CountForVariance = 64
    n_epochs: Count = 10
    gamma: Discount = 0.99
    gae_lambda: ShareOrNone = 0.95
    clip_range: Amount = 0.2
    normalize_advantage: bool = True
    ent_coef: Amount = 0.0
    vf_coef: Amount = 0.5
    max_grad_norm: Amount = 0.5


@dataclass(frozen=True)
class SB3PPO(PPOHyperparameters):
    """PPO: Stable-Baselines3's, as an agent that is fed transitions (Schulman et al. 2017, the clipped objective)."""

    def build(self, n_observations: int, n_actions: int, key: int) -> PolicyAgent:
        """Build a fresh agent; equal keys give equal agents."""
        return PolicyAgent(make_algorithm("PPO", n_observations, n_actions, key, **self.read_settings()), key)


@dataclass(frozen=True)
class StackedPPO(PPOHyperparameters):
    """PPO as a lane of a stack of many: Stable-Baselines3's rules and defaults, as in `sb3_ppo` (Schulman et al. 2017).

    Parameters
    ----------
    draws : by "turn" an agent and a copy with another past draw the same numbers, by "history" independent ones (see
        `engine.learning.stacks.lanes`).
    stacks : where its learners lie beside others; without, each has a stack of its own, and learns the same.
    """

    draws: Draws = "turn"
    stacks: SharedStacks = field(default=None, compare=False, repr=False)
    rule: ClassVar[str] = "ppo"

    def build(self, n_observations: int, n_actions: int, key: int) -> Lane:
        """Build a fresh learner; equal keys give equal learners."""
        own = {**self.read_settings(), "epsilon": ACTOR_CRITIC_EPSILON}
        settings = PolicySettings(**{name: own[name] for name in PolicySettings._fields})
        stacks = self.stacks or Stacks()
        return stacks.make_lane(
            self.rule, n_observations, n_actions, settings, key, self.learning_rate, draws=self.draws
        )


@dataclass(frozen=True)
class StackedPPORedrawn(StackedPPO):
    """PPO with the mistake of published wrappers: the old log-probabilities are those of actions drawn again.

    Everything else is `stacked_ppo`.
    """

    rule: ClassVar[str] = "ppo_redrawn"
