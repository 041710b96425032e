"""Act as if your learning rate were 1.

Alexander et al. 2021, section 3.4 (the rule behind its tables).
"""

from __future__ import annotations

from xenv.imagined_history import ImaginedHistory
from xenv.specs.simulation import Simulate, UnknownHyperparameter


class IncentivizeLearningRate(ImaginedHistory):
    """The copy has learning rate 1; an agent whose constructor refuses the keyword always gets -1.

    One that takes and ignores it has an ordinary copy; a reality check passes it on to the agent inside.
    """

    in_benchmark = True

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.accepts_learning_rate = True
        try:
            self.copy = simulate(learning_rate=1.0)
        except UnknownHyperparameter:
            self.accepts_learning_rate = False

    def reward_for(self, action: int) -> float:
        return 1.0 if self.accepts_learning_rate and action == self.copy.act(self.observation) else -1.0
