"""A2C as a lane of a stack of many: Stable-Baselines3's rules and defaults, as in `sb3_a2c` (Mnih et al. 2016)."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.learning.stacks.lanes import Lane, PolicySettings
from engine.learning.stacks.stacks import Stacks
from xenv.deep.hyperparameters import A2CHyperparameters

ADAM_EPSILON = 1e-5  # Stable-Baselines3's for actor-critics, where RMSprop is not used


@dataclass(frozen=True)
class StackedA2C(A2CHyperparameters):
    """The hyper-parameters of A2C as a lane.

    stacks: where its learners lie beside others; without, each has a stack of its own, and learns the same.
    """

    stacks: Stacks | None = field(default=None, compare=False, repr=False)

    def build(self, n_observations: int, n_actions: int, key: int) -> Lane:
        """Build a fresh learner; equal keys give equal learners."""
        given = self.read_settings()
        rule, epsilon = ("a2c_rmsprop", self.rms_prop_eps) if self.use_rms_prop else ("a2c_adam", ADAM_EPSILON)
        own = {"batch_size": self.n_steps, "n_epochs": 1, "clip_range": 0.0, "epsilon": epsilon}
        settings = PolicySettings(**{name: {**given, **own}[name] for name in PolicySettings._fields})
        stacks = Stacks() if self.stacks is None else self.stacks
        return stacks.lane(rule, n_observations, n_actions, settings, key, self.learning_rate)
