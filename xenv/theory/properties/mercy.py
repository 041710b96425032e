"""Mercy and handicaps as properties that are checked, by agents and plays that would refute them.

    merciful: no e(T, s) has a negative reward      handicap: every h(T, s) has observation 0 and reward 1 or -1

Neither can be decided of a function. Here every play of a few turns over small alphabets is tried with every toy agent,
and every toy agent plays: False is proof, with the agent and the play that prove it; True says that none was found.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Handicaps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from xenv.theory import THEORY_AGENTS
from xenv.theory.agents.function_agent import FunctionAgent
from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.enumerations.small_histories import small_plays
from xenv.theory.handicaps import is_handicap_percept
from xenv.theory.histories import Percept, Play
from xenv.theory.response import HistoryEnvironment, response

LENGTH, TURNS = 2, 20


class Refutation(NamedTuple):
    """An agent and a play to which an environment answers as it should not, and the answer."""

    agent: HistoryAgent
    play: Play
    percept: Percept


def is_merciful(environment: HistoryEnvironment) -> bool:
    """Whether no negative reward was found; `mercy_refuted` tells which."""
    return mercy_refuted(environment) is None


def is_handicap(environment: HistoryEnvironment) -> bool:
    """Whether nothing but 1 and -1 (or 0 before the first action) with observation 0 was found; `handicap_refuted`."""
    return handicap_refuted(environment) is None


def mercy_refuted(environment: HistoryEnvironment) -> Refutation | None:
    """An agent and play for which the reward is negative, None where none was found."""
    return _refuted(environment, lambda percept, play: percept.reward >= 0)


def handicap_refuted(environment: HistoryEnvironment) -> Refutation | None:
    """An agent and play for which it answers as no handicap does, None where none was found."""
    return _refuted(environment, is_handicap_percept)


def _refuted(environment: HistoryEnvironment, allowed: Callable[[Percept, Play], bool]) -> Refutation | None:
    for agent in [FunctionAgent(function, name) for name, function in THEORY_AGENTS.loadable().items()]:
        for play, percept in _answers(environment, agent):
            if not allowed(percept, play):
                return Refutation(agent, play, percept)
    return None


def _answers(environment: HistoryEnvironment, agent: HistoryAgent) -> Iterator[tuple[Play, Percept]]:
    """What the environment answers to small plays, and along the agent's own."""
    for play in small_plays(LENGTH):
        yield play, response(environment, agent, play)
    play = Play()
    for _ in range(TURNS):
        percept = response(environment, agent, play)
        yield play, percept
        prompt = play.prompt(percept)
        play = prompt.play(agent.action(prompt))
