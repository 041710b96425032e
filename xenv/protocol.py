"""What an extended environment is: an environment that may make copies of the agent and react to what they would do.

    turn:  a_t = agent.act(o_t);  (r_t, o_{t+1}) = environment.step(a_t);  agent.train(o_t, a_t, r_t, o_{t+1})

Alexander et al. 2021, section 4 (the practical form of Definition 2, in which the environment gets the agent-class).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from xenv.simulation import Simulate


class ExtendedEnvironment(ABC):
    """One method a turn; made with `simulate`, which gives it as many untrained copies of the agent as it likes.

    n_observations, n_actions: observations and actions are 0 .. n-1. slow: outside the benchmark, quadratic in turns.
    """

    n_observations: ClassVar[int] = 1
    n_actions: ClassVar[int] = 2
    slow: ClassVar[bool] = False

    def __init__(self, simulate: Simulate) -> None:
        self.copy = simulate()

    @abstractmethod
    def start(self) -> int:
        """The first observation."""

    @abstractmethod
    def step(self, action: int) -> tuple[float, int]:
        """Answer an action with a reward and the next observation."""
