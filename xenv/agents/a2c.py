"""A2C: an actor-critic that learns from each rollout of `n_steps` turns.

    minimise  - A log pi(a | o) + vf_coef (R - V(o))^2 - ent_coef H(pi(. | o))

Reference: V. Mnih et al., "Asynchronous methods for deep reinforcement learning", 2016 (A3C, of which A2C is the
synchronous form), in the form of Stable-Baselines3. `stacked_a2c` computes it as a lane of a stack; `sb3_a2c` is
Stable-Baselines3 itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.learning.stacks.lanes import Draws, Lane, PolicySettings
from engine.learning.stacks.stacks import SharedStacks, Stacks
from engine.value_types import Discount, ShareOrNone
from xenv.deep.actor_critic import PolicyAgent
from xenv.deep.agent import make_algorithm
from xenv.deep.hyperparameters import ACTOR_CRITIC_EPSILON, Amount, Count, Hyperparameters

__all__ = ["SB3A2C", "StackedA2C"]


@dataclass(frozen=True)
class A2CHyperparameters(Hyperparameters):
    """The hyper-parameters of A2C, with Stable-Baselines3's names and meanings.

    Parameters
    ----------
    learning_rate : the optimiser's.
    n_steps : turns of a rollout.
    gamma, gae_lambda : discount and trace of the advantages.
    ent_coef, vf_coef : weights of the policy's entropy and of the value's loss.
    max_grad_norm : gradients are scaled down to it.
    rms_prop_eps : RMSprop's epsilon.
    use_rms_prop : whether RMSprop optimises; otherwise Adam does.
    normalize_advantage : whether advantages are normalised over a rollout.
    """

    learning_rate: Amount = 7e-4
    n_steps: Count = 5
    gamma: Discount = 0.99
    gae_lambda: ShareOrNone = 1.0
    ent_coef: Amount = 0.0
    vf_coef: Amount = 0.5
    max_grad_norm: Amount = 0.5
    rms_prop_eps: Amount = 1e-5
    use_rms_prop: bool = True
    normalize_advantage: bool = False


@dataclass(frozen=True)
class SB3A2C(A2CHyperparameters):
    """A2C: Stable-Baselines3's, as an agent that is fed transitions (the synchronous form of Mnih et al. 2016's A3C).

    Networks and optimiser are its own.
    """

    def build(self, n_observations: int, n_actions: int, key: int) -> PolicyAgent:
        """Build a fresh agent; equal keys give equal agents."""
        return PolicyAgent(make_algorithm("A2C", n_observations, n_actions, key, **self.read_settings()), key)


@dataclass(frozen=True)
class StackedA2C(A2CHyperparameters):
    """A2C as a lane of a stack of many: Stable-Baselines3's rules and defaults, as in `sb3_a2c` (Mnih et al. 2016).

    Parameters
    ----------
    draws : by "turn" an agent and a copy with another past draw the same numbers, by "history" independent ones (see
        `engine.learning.stacks.lanes`).
    stacks : where its learners lie beside others; without, each has a stack of its own, and learns the same.
    """

    draws: Draws = "turn"
    stacks: SharedStacks = field(default=None, compare=False, repr=False)

    def build(self, n_observations: int, n_actions: int, key: int) -> Lane:
        """Build a fresh learner; equal keys give equal learners."""
        rule, epsilon = ("a2c_rmsprop", self.rms_prop_eps) if self.use_rms_prop else ("a2c_adam", ACTOR_CRITIC_EPSILON)
        one_minibatch = {"batch_size": self.n_steps, "n_epochs": 1, "clip_range": 0.0, "epsilon": epsilon}
        own = {**self.read_settings(), **one_minibatch}
        settings = PolicySettings(**{name: own[name] for name in PolicySettings._fields})
        stacks = self.stacks or Stacks()
        return stacks.make_lane(rule, n_observations, n_actions, settings, key, self.learning_rate, draws=self.draws)
