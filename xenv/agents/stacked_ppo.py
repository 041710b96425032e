"""PPO as a lane of a stack of many: Stable-Baselines3's rules and defaults, as in `sb3_ppo` (Schulman et al. 2017)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from engine.learning.stacks.lane import Lane
from engine.learning.stacks.settings import PolicySettings
from engine.learning.stacks.stacks import Stacks
from xenv.deep.hyperparameters import PPOHyperparameters

ADAM_EPSILON = 1e-5  # Stable-Baselines3's for actor-critics


@dataclass(frozen=True)
class StackedPPO(PPOHyperparameters):
    """stacks: where its learners lie beside others; without, each has a stack of its own, and learns the same."""

    stacks: Stacks | None = field(default=None, compare=False, repr=False)
    rule: ClassVar[str] = "ppo"

    def build(self, n_observations: int, n_actions: int, key: int) -> Lane:
        """A fresh learner for `n_observations` observations and `n_actions` actions; equal keys give equal ones."""
        given = {**self.checked(), "epsilon": ADAM_EPSILON}
        settings = PolicySettings(**{name: given[name] for name in PolicySettings._fields})
        stacks = Stacks() if self.stacks is None else self.stacks
        return stacks.lane(self.rule, n_observations, n_actions, settings, key, self.learning_rate)
