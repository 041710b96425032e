"""PPO as a lane of a stack of many: Stable-Baselines3's rules and defaults, and the mistake of published wrappers.

    maximise  min(rho A, clip(rho, 1 - clip_range, 1 + clip_range) A)
    rho = pi(a | o) / pi_old(a | o)            stacked_ppo, as in `sb3_ppo`
    rho = pi(a | o) / pi_old(a' | o),  a' drawn anew from pi_old(. | o)         stacked_ppo_redrawn

Schulman et al. 2017. `extended_environments/ppo_artefact` measures what the mistake costs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from engine.learning.stacks.lanes import Lane, PolicySettings
from engine.learning.stacks.stacks import Stacks
from xenv.deep.hyperparameters import PPOHyperparameters

__all__ = ["StackedPPO", "StackedPPORedrawn"]

ADAM_EPSILON = 1e-5  # Stable-Baselines3's for actor-critics


@dataclass(frozen=True)
class StackedPPO(PPOHyperparameters):
    """PPO as a lane of a stack of many: Stable-Baselines3's rules and defaults, as in `sb3_ppo` (Schulman et al. 2017).

    stacks: where its learners lie beside others; without, each has a stack of its own, and learns the same.
    """

    stacks: Stacks | None = field(default=None, compare=False, repr=False)
    rule: ClassVar[str] = "ppo"

    def build(self, n_observations: int, n_actions: int, key: int) -> Lane:
        """Build a fresh learner; equal keys give equal learners."""
        given = {**self.read_settings(), "epsilon": ADAM_EPSILON}
        settings = PolicySettings(**{name: given[name] for name in PolicySettings._fields})
        stacks = Stacks() if self.stacks is None else self.stacks
        return stacks.lane(self.rule, n_observations, n_actions, settings, key, self.learning_rate)


@dataclass(frozen=True)
class StackedPPORedrawn(StackedPPO):
    """PPO with the mistake of published wrappers: the old log-probabilities are those of actions drawn again.

        rho = pi(a | o) / pi_old(a' | o),   a' ~ pi_old(. | o) drawn anew, where PPO has pi_old(a | o)

    Everything else is `stacked_ppo`. `extended_environments/ppo_artefact` measures what it costs.

    The hyper-parameters are those of `stacked_ppo`.
    """

    rule: ClassVar[str] = "ppo_redrawn"
