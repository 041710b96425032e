"""What an extended environment is: an environment that may make copies of the agent and react to what they would do.

    turn:  a_t = agent.act(o_t);  (r_t, o_{t+1}) = environment.step(a_t);  agent.train(o_t, a_t, r_t, o_{t+1})

Alexander et al. 2021, section 4 (the practical form of Definition 2, in which the environment gets the agent-class).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from engine.compiling.objects import Compilable
from xenv.specs.simulation import Simulate


class ExtendedEnvironment(Compilable):
    """Made with `simulate`, which gives it as many untrained copies of the agent as it likes, and
    `simulate.random_source`.

    n_observations, n_actions: observations and actions are 0 .. n-1. reward_range: the least and greatest reward.
    in_benchmark: part of the paper's battery, whose measures should stay comparable.
    compiled: whether numba can compile it (`engine.compiling.objects`).
    copy_reward_sign: factor, 1 or -1, of the rewards on which copies in the agent's own role are trained.
    """

    n_observations: ClassVar[int] = 1
    n_actions: ClassVar[int] = 2
    reward_range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    in_benchmark: ClassVar[bool] = False
    compiled: ClassVar[bool] = True

    def __init__(self, simulate: Simulate) -> None:
        self.copy_reward_sign = 1.0

    @abstractmethod
    def start(self) -> int:
        """The first observation."""

    @abstractmethod
    def step(self, action: int) -> tuple[float, int]:
        """Answer an action with a reward and the next observation."""
