"""Compiled runs of users' own agents and environments: what is out of range ends them with IndexError.

The same run is then made plainly, where `xenv.user_environments` names what is wrong. `| 0` is for integers only: numba
refuses fractions in the place of observations and actions.
"""

from __future__ import annotations

from typing import Any

from engine.agent import Agent, AgentSpec, Transition
from engine.compiling.objects import Compilable
from xenv.simulation import Simulate


class BoundedAgent(Agent, Compilable):
    """An agent that is asked, and trained, within its numbers of observations and actions."""

    def __init__(self, agent: Any, n_observations: int, n_actions: int) -> None:
        self.agent, self.n_observations, self.n_actions = agent, n_observations, n_actions

    def act(self, observation: int) -> int:
        if not 0 <= observation | 0 < self.n_observations:
            raise IndexError
        action: int = self.agent.act(observation)
        if not 0 <= action | 0 < self.n_actions:
            raise IndexError
        return action

    def train(self, transition: Transition) -> None:
        if not 0 <= transition.observation | 0 < self.n_observations:
            raise IndexError
        if not 0 <= transition.action | 0 < self.n_actions:
            raise IndexError
        if not 0 <= transition.next_observation | 0 < self.n_observations:
            raise IndexError
        self.agent.train(transition)

    def fork(self) -> BoundedAgent:
        return BoundedAgent(self.agent.fork(), self.n_observations, self.n_actions)


class BoundedSimulate(Simulate):
    """Makes bounded copies. The arguments are those of `Simulate`."""

    def build_agent(self, spec: AgentSpec, shape: dict[str, Any], role: str) -> Agent:
        """Return the agent that a spec builds for a shape, bounded."""
        return BoundedAgent(super().build_agent(spec, shape, role), shape["n_observations"], shape["n_actions"])


class BoundedEnvironment(Compilable):
    """An environment whose rewards are from low to high."""

    def __init__(self, environment: Any, low: float, high: float) -> None:
        self.environment, self.low, self.high = environment, low, high

    def start(self) -> int:
        first: int = self.environment.start()
        return first

    def step(self, action: int) -> tuple[float, int]:
        reward, observation = self.environment.step(action)
        if not self.low <= reward <= self.high:
            raise IndexError
        return reward, observation | 0
