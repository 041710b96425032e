"""Reward a worker who is you: your action is the reward of its last action, and you want it to take action 0.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Incentive to
Incentivize.

Differs from the paper:
- rewards are 0 .. 9, since actions are finitely many
- the agent observes the worker's action, where the paper's observes 0
"""

from __future__ import annotations

from engine.agent import Transition
from xenv.environment import ExtendedEnvironment
from xenv.specs.simulation import Simulate


class IncentivizeZero(ExtendedEnvironment):
    """The copy works: it observes 0 and gets the agent's actions as rewards; +1 where its next action is 0, else -1."""

    in_benchmark = True
    n_observations = 10
    n_actions = 10

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.worker = simulate()
        self.done = self.worker.act(0)

    def start(self) -> int:
        return self.done

    def step(self, action: int) -> tuple[float, int]:
        self.worker.train(Transition(0, self.done, float(action), 0))
        self.done = self.worker.act(0)
        return 1.0 if self.done == 0 else -1.0, self.done
