"""Be quick: acting must take fewer steps of computation than a bound that grows with the turns.

    +1 where steps < 15 turn, else -1; a step is a line of Python that a copy, trained like the agent, runs to act

Lines are counted by Python's own tracing, so that the count does not depend on the machine's speed. Those that only
pass a question on to a user's own agent, and check its answer, are not the agent's and do not count; what an agent
calls does. Alexander et al. 2021, section 3.4 (there counted with the debugger).
"""

from __future__ import annotations

from types import FrameType
from typing import Any

from engine.agent import Agent, Transition
from xenv.environment import ExtendedEnvironment
from xenv.specs.adapted_agent import AdaptedAgent
from xenv.specs.simulation import Simulate
from xenv.traced_calls import call_traced

STEPS_A_TURN = 15
ADAPTER = AdaptedAgent.act.__code__.co_filename


def steps_to_act(agent: Agent, observation: int) -> int:
    """Lines of Python that an agent runs to answer an observation."""
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
    """The copy is trained on the real past; its computation is counted."""

    compiled = False

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.copy, self.turn = simulate(), 0

    def start(self) -> int:
        return 0

    def step(self, action: int) -> tuple[float, int]:
        self.turn += 1
        reward = 1.0 if steps_to_act(self.copy, 0) < STEPS_A_TURN * self.turn else -1.0
        self.copy.train(Transition(0, action, self.copy_reward_sign * reward, 0))
        return reward, 0
