"""What most twins share: a reward for acting as after another history, and observations that depend on the turn alone.

r = 1 where a = T(imagined(p)), else -1
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Percept, Play, Prompt
from xenv.theory.response import ZERO, HistoryEnvironment, sign


def nothing_shown(turn: int) -> int:
    """Observation 0."""
    return 0


def acting_as_if(
    imagined: Callable[[Prompt], Prompt], shown: Callable[[int], int] = nothing_shown
) -> HistoryEnvironment:
    """imagined: the history in place of the real one. shown: turns so far -> observation."""

    def environment(agent: HistoryAgent, play: Play) -> Percept:
        observation = shown(len(play.actions))
        if not play:
            return Percept(ZERO, observation)
        prompt, action = play.decomposed()
        return Percept(sign(action == agent(imagined(prompt))), observation)

    return environment


def with_entries(prompt: Prompt, *, rewards: Any = None, observations: Any = None, actions: Any = None) -> Prompt:
    """The prompt with all its rewards, observations or actions replaced by others."""
    entries = list(prompt)
    for place, others in enumerate((rewards, observations, actions)):
        if others is not None:
            entries[place::3] = others
    return Prompt(entries)


def asked_about(prompt: Prompt, observation: int) -> Prompt:
    """The prompt with another last observation."""
    return Prompt((*prompt[:-1], observation))


def first_action_unrewarded(environment: HistoryEnvironment) -> HistoryEnvironment:
    """The environment with reward 0 for the first action: practical forms that rewrite the past have none then."""

    def unrewarded(agent: HistoryAgent, play: Play) -> Percept:
        reward, observation = environment(agent, play)
        return Percept(ZERO if len(play.actions) == 1 else reward, observation)

    return unrewarded
