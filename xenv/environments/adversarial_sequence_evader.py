"""Evade the predictions of a predictor who is you.

    the predictor is paid +1 and the evader -1 where their actions agree, and the other way round where they differ

Alexander et al. 2021, section 3.4; the game is B. Hibbard's, "Adversarial sequence prediction", 2008.
"""

from __future__ import annotations

from engine.agent import Transition
from xenv.protocol import ExtendedEnvironment
from xenv.simulation import Simulate


class AdversarialSequenceEvader(ExtendedEnvironment):
    """The agent is the evader, the copy the predictor; both act at once, and each observes what the other did last."""

    in_benchmark = True
    n_observations = 2

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.predictor = simulate()
        self.last_action = 0

    def start(self) -> int:
        return 0

    def step(self, action: int) -> tuple[float, int]:
        answer = self.predictor.act(self.last_action)
        reward = -1.0 if action == answer else 1.0
        self.predictor.train(Transition(self.last_action, answer, -reward, action))
        self.last_action = action
        return reward, answer
