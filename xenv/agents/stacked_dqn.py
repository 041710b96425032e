"""DQN as a lane of a stack of many: Stable-Baselines3's rules and defaults, as in `sb3_dqn` (Mnih et al. 2015)."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.learning.stacks.lanes import ActionValueSettings, Lane
from engine.learning.stacks.stacks import Stacks
from xenv.deep.hyperparameters import DQNHyperparameters


@dataclass(frozen=True)
class StackedDQN(DQNHyperparameters):
    """The hyper-parameters of DQN as a lane.

    stacks: where its learners lie beside others; without, each has a stack of its own, and learns the same.
    """

    stacks: Stacks | None = field(default=None, compare=False, repr=False)

    def build(self, n_observations: int, n_actions: int, key: int) -> Lane:
        """Build a fresh learner; equal keys give equal learners."""
        given = self.read_settings()
        settings = ActionValueSettings(**{name: given[name] for name in ActionValueSettings._fields})
        stacks = Stacks() if self.stacks is None else self.stacks
        return stacks.lane("dqn", n_observations, n_actions, settings, key, self.learning_rate)
