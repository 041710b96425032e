"""Be an agent of a certain kind: deterministic, quick, with another learning rate, or with one action more.

    reward = +1 where the copy, made or measured so, confirms it, else -1

The copy is trained on the real past. It is the agent itself, whose actions are compared or whose lines of Python
are counted, or another agent of its class: `simulate(learning_rate=1.0)`, `simulate(n_actions=n + 1)`. Alexander et
al. 2021, section 3.4 and section 6 (the library).
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType
from typing import Any

from engine.agent import Agent, Transition
from engine.randomness.random_sources import RandomSource
from xenv.environment import ExtendedEnvironment, RewardReach, agree_with_copies
from xenv.imagined_history import ImaginedHistory
from xenv.simulation import Simulate, UnknownHyperparameter
from xenv.traced_calls import call_traced
from xenv.user_agents import AdaptedAgent

__all__ = [
    "IncentivizeLearningRate",
    "IncentivizeLearningRateHalved",
    "PunishNondeterministic",
    "PunishSlowAgent",
    "ThirdActionForbidden",
]


class PunishNondeterministic(ImaginedHistory):
    """Be deterministic: act as an identically trained copy does.

    Alexander et al. 2021, section 3.4.

    Differs from the paper:
    - the copy is asked in place of asking the agent itself a second time; semi-deterministic agents answer the same

    The copy is trained on the real past.
    """

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        yield real


STEPS_A_TURN = 15
ADAPTER = AdaptedAgent.act.__code__.co_filename


def count_steps_to_act(agent: Agent, observation: int) -> int:
    """Count the lines of Python that an agent runs to answer an observation."""
    steps = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal steps
        if frame.f_code.co_filename == ADAPTER:
            return None
        steps += event == "line"
        return trace

    call_traced(trace, agent.act, observation)
    return steps


class PunishSlowAgent(ExtendedEnvironment):
    """Be quick: acting must take fewer steps of computation than a bound that grows with the turns.

        +1 where steps < 15 turn, else -1; a step is a line of Python that a copy, trained like the agent, runs to act

    Lines are counted by Python's own tracing, so that the count does not depend on the machine's speed. Those that only
    pass a question on to a user's own agent, and check its answer, are not the agent's and do not count; what an agent
    calls does. Alexander et al. 2021, section 3.4 (there counted with the debugger).

    The copy is trained on the real past; its computation is counted.
    """

    compiled = False

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.copy = simulate()
        self.turn = 0

    def start(self) -> int:
        return 0

    def step(self, action: int) -> tuple[float, int]:
        self.turn += 1
        reward = 1.0 if count_steps_to_act(self.copy, 0) < STEPS_A_TURN * self.turn else -1.0
        self.copy.train(Transition(0, action, self.copy_reward_sign * reward, 0))
        return reward, 0


class IncentivizeLearningRate(ImaginedHistory):
    """Act as if your learning rate were 1.

    Alexander et al. 2021, section 3.4 (the rule behind its tables).

    The copy has learning rate 1; an agent whose constructor refuses the keyword always gets -1.

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

    @classmethod
    def find_reach(cls, turns: int, source: RandomSource) -> RewardReach:
        """Of agents that have a learning rate, or take and ignore one."""
        return agree_with_copies(cls.n_actions, turns)


class IncentivizeLearningRateHalved(ImaginedHistory):
    """Act as if your learning rate were half of what it is.

    Alexander et al. 2021, section 3.4; a later variant of `incentivize_learning_rate`.

    The copy has half the learning rate that a fresh agent shows as its attribute `learning_rate`.

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


class ThirdActionForbidden(ImaginedHistory):
    """Act as if there were a third action, which you may not take.

    Alexander et al. 2021, section 6 (the library).

    The copy has one action more than the agent.
    """

    in_benchmark = True

    def make_copy(self, simulate: Simulate) -> Agent:
        return simulate(n_actions=self.n_actions + 1)

    @classmethod
    def find_reach(cls, turns: int, source: RandomSource) -> RewardReach:
        """A random copy takes the agent's action once in one more than n_actions; the first is allowed to both."""
        return agree_with_copies(cls.n_actions + 1, turns)
