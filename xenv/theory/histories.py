"""Histories, and what comes of an agent interacting with an extended environment.

    (r_i, o_i) = e(T, <r_0, o_0, a_0, ..., a_{i-1}>),   a_i = T(<r_0, o_0, a_0, ..., r_i, o_i>)

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", section 2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from engine.agent import AgentSpec, Transition

History: TypeAlias = tuple[Any, ...]
HistoryAgent: TypeAlias = Callable[[History], int]


class Percept(NamedTuple):
    """What an environment gives on each turn: a reward and an observation."""

    reward: float
    observation: Any


HistoryEnvironment: TypeAlias = Callable[[HistoryAgent, History], Percept]


def interact(agent: HistoryAgent, environment: HistoryEnvironment, turns: int) -> History:
    """The first turns of the result of the interaction, a play."""
    play: History = ()
    for _ in range(turns):
        prompt = (*play, *environment(agent, play))
        play = (*prompt, agent(prompt))
    return play


def moments(play: History) -> list[tuple[float, Any, int]]:
    """The (reward, observation, action) of each turn of a play."""
    return list(zip(play[0::3], play[1::3], play[2::3], strict=True))


def with_rewards(history: History, reward: Callable[[float], float]) -> History:
    """A history with every reward replaced."""
    return tuple(reward(entry) if place % 3 == 0 else entry for place, entry in enumerate(history))


def with_observations(history: History, observation: Callable[[Any], Any]) -> History:
    """A history with every observation replaced."""
    return tuple(observation(entry) if place % 3 == 1 else entry for place, entry in enumerate(history))


def sign(matches: bool) -> float:
    """+1 for a match, -1 otherwise."""
    return 1.0 if matches else -1.0


def as_history_agent(spec: AgentSpec, n_observations: int, n_actions: int, key: int = 0) -> HistoryAgent:
    """A practical agent as a function of histories: a fresh one, trained on the prompt's transitions, acts."""

    def agent(prompt: History) -> int:
        instance = spec.build(n_observations, n_actions, key)
        for place in range(0, len(prompt) - 2, 3):
            _, observation, action, reward, following = prompt[place : place + 5]
            instance.train(Transition(observation, action, reward, following))
        return instance.act(prompt[-1])

    return agent
