"""An agent of the theory as a practical one: trained on transitions, it remembers them, and acts by the whole history.

    act(o) = T(0, o_0, a_0, r_1, o_1, a_1, ..., r_n, o)  after train(o_i, a_i, r_{i+1}, .) for i = 0 .. n-1

So the environments of the battery can be run with any function of histories.

Choices:
- a history begins with reward 0, which no transition tells; its last observation is the one that is asked about
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.agent import Agent, AgentSpec, Transition
from xenv.theory.agents.coercion import as_agent
from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Prompt
from xenv.theory.reading import exact_reward


@dataclass(frozen=True)
class HistorySpec(AgentSpec):
    """The spec of the practical form of an agent. agent: a `HistoryAgent`, or a function of prompts."""

    agent: Any

    def build(self, n_observations: int, n_actions: int, key: int) -> TrainedOnHistory:
        """An instance without a past."""
        return TrainedOnHistory(as_agent(self.agent))


class TrainedOnHistory(Agent):
    """agent: T. past: what it was trained on, r_0, o_0, a_0, r_1, ..., up to the last reward."""

    def __init__(self, agent: HistoryAgent, past: tuple[Any, ...] = (0,)) -> None:
        self.agent, self.past = agent, past

    def act(self, observation: int) -> int:
        return self.agent(Prompt((*self.past, observation)))

    def train(self, transition: Transition) -> None:
        reward = exact_reward(transition.reward)
        self.past = (*self.past, int(transition.observation), int(transition.action), reward)

    def fork(self) -> TrainedOnHistory:
        return TrainedOnHistory(self.agent, self.past)
