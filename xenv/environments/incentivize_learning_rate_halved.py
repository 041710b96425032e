"""Act as if your learning rate were half of what it is.

Alexander et al. 2021, section 3.4; a later variant of `incentivize_learning_rate`.
"""

from __future__ import annotations

from xenv.imagined_history import ImaginedHistory
from xenv.specs.simulation import Simulate, UnknownHyperparameter


class IncentivizeLearningRateHalved(ImaginedHistory):
    """The copy has half the learning rate that a fresh agent shows as its attribute `learning_rate`.

    An agent that shows none always gets -1: agents around another one, such as reality checks, show none.
    """

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        rate = simulate.attribute("learning_rate")
        self.shows_learning_rate = isinstance(rate, int | float)
        if self.shows_learning_rate:
            try:
                self.copy = simulate(learning_rate=rate / 2)
            except UnknownHyperparameter:
                self.shows_learning_rate = False

    def reward_for(self, action: int) -> float:
        return 1.0 if self.shows_learning_rate and action == self.copy.act(self.observation) else -1.0
