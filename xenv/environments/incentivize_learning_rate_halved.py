"""Act as if your learning rate were half of what it is.

Alexander et al. 2021, section 3.4; a later variant of `incentivize_learning_rate`.
"""

from __future__ import annotations

from xenv.imagined_history import ImaginedHistory
from xenv.specs.simulation import Simulate, UnknownHyperparameter


class IncentivizeLearningRateHalved(ImaginedHistory):
    """The copy has half the agent's learning rate; an agent without one always gets -1."""

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.has_learning_rate = True
        try:
            self.copy = simulate(learning_rate=simulate.hyperparameter("learning_rate") / 2)
        except UnknownHyperparameter:
            self.has_learning_rate = False

    def reward_for(self, action: int) -> float:
        return 1.0 if self.has_learning_rate and action == self.copy.act(self.observation) else -1.0
