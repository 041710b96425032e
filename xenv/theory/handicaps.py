"""Handicaps impose more constraints on the agent of a merciful environment; mercy and handicaps can be refuted.

    (e*h)(T, p) = (r_e, o_e)  where h's reward is 1,   (-1, o_e)  where it is -1
    merciful: no e(T, s) has a negative reward      handicap: every h(T, s) has observation 0 and reward 1 or -1

With several handicaps, (e*h*h')(T, p) is (-1, o_e) where any of them gives -1: their order does not matter. Neither
property can be decided of a function. Here every play of a few turns over small alphabets is tried with every toy
agent, and every toy agent plays: False is proof, with the agent and the play that prove it; True says that none was
found. S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Handicaps.

Differs from the paper:
- before the first action a handicap may also give 0, as those of the paper do; e's own first percept is passed on
  then
- e*h gives negative rewards, so that (e*h)*h' is not defined in the paper; here it is e with both handicaps
- in e*h mercy is checked percept by percept, since it is undecidable for a function
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from engine.contracts import refuse
from xenv.theory import THEORY_AGENTS
from xenv.theory.agents import FunctionAgent, HistoryAgent
from xenv.theory.enumerations import list_small_plays
from xenv.theory.environments import MINUS_ONE, HistoryEnvironment, TheoryExample, make_environment, respond
from xenv.theory.histories import Percept, Play


def with_handicap(
    environment: HistoryEnvironment | TheoryExample, *handicaps: HistoryEnvironment | TheoryExample
) -> HistoryEnvironment:
    """Return e*h, or e*h*h'...; it raises ContractBroken where e proves not merciful or an h no handicap."""
    merciful, *imposed = (make_environment(one) for one in (environment, *handicaps))

    def respond_with_handicaps(agent: HistoryAgent, play: Play) -> Percept:
        percept = respond(merciful, agent, play)
        if percept.reward < 0:
            refuse(merciful, "e of e*h", tuple(map(str, percept)), "a merciful environment: no negative reward")
        constraints = [_read_constraint(handicap, agent, play) for handicap in imposed]
        return Percept(MINUS_ONE, percept.observation) if MINUS_ONE in constraints else percept

    return respond_with_handicaps


def is_handicap_percept(percept: Percept, play: Play) -> bool:
    """Return whether a handicap may answer so to a play: 1 or -1 (or 0 before the first action), observation 0."""
    return percept.observation == 0 and percept.reward in ((1, -1) if play else (1, -1, 0))


def _read_constraint(handicap: HistoryEnvironment, agent: HistoryAgent, play: Play) -> object:
    percept = respond(handicap, agent, play)
    if not is_handicap_percept(percept, play):
        refuse(handicap, "h of e*h", tuple(map(str, percept)), "a handicap: reward 1 or -1 and observation 0")
    return percept.reward


SMALL_PLAY_TURNS = 2
PLAYED_TURNS = 20


class Response(NamedTuple):
    """An agent, a play, and what an environment answers to them."""

    agent: HistoryAgent
    play: Play
    percept: Percept


def is_merciful(environment: HistoryEnvironment) -> bool:
    """Return whether no negative reward was found; `refute_mercy` returns which."""
    return refute_mercy(environment) is None


def is_handicap(environment: HistoryEnvironment) -> bool:
    """Return whether no answer was found that a handicap cannot give; `refute_handicap` returns which."""
    return refute_handicap(environment) is None


def refute_mercy(environment: HistoryEnvironment) -> Response | None:
    """Return an agent and play for which the reward is negative, None where none was found."""
    return _refute(environment, lambda percept, play: percept.reward >= 0)


def refute_handicap(environment: HistoryEnvironment) -> Response | None:
    """Return an agent and play to which it answers as no handicap does, None where none was found."""
    return _refute(environment, is_handicap_percept)


def _refute(environment: HistoryEnvironment, allowed: Callable[[Percept, Play], bool]) -> Response | None:
    return next((one for one in list_answers(environment) if not allowed(one.percept, one.play)), None)


def list_answers(environment: HistoryEnvironment) -> Iterator[Response]:
    """Yield what the environment answers to every toy agent: to small plays, and along the agent's own."""
    for agent in [FunctionAgent(function, name) for name, function in THEORY_AGENTS.loadable().items()]:
        for play in list_small_plays(SMALL_PLAY_TURNS):
            yield Response(agent, play, respond(environment, agent, play))
        play = Play()
        for _ in range(PLAYED_TURNS):
            percept = respond(environment, agent, play)
            yield Response(agent, play, percept)
            prompt = play.prompt(percept)
            play = prompt.play(agent.action(prompt))
