"""New environments from old: handicaps impose more constraints on the agent of a merciful environment.

    (e*h)(T, p) = (r_e, o_e)  where h's reward is 1,   (-1, o_e)  where it is -1

With several handicaps, (e*h*h')(T, p) is (-1, o_e) where any of them gives -1: their order does not matter.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Handicaps.

Differs from the paper:
- before the first action a handicap may also give 0, as those of the paper do; e's own first percept is passed on then
- e*h gives negative rewards, so that (e*h)*h' is not defined in the paper; here it is e with both handicaps
- mercy is checked percept by percept, since it is undecidable for a function
"""

from __future__ import annotations

from engine.contracts import refuse
from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Percept, Play
from xenv.theory.response import MINUS_ONE, HistoryEnvironment, response


def with_handicap(environment: HistoryEnvironment, *handicaps: HistoryEnvironment) -> HistoryEnvironment:
    """e*h, or e*h*h'...; its percepts raise ContractBroken where e is not merciful or one of them is not a handicap."""

    def constrained(agent: HistoryAgent, play: Play) -> Percept:
        percept = response(environment, agent, play)
        if percept.reward < 0:
            refuse(environment, "e of e*h", tuple(map(str, percept)), "a merciful environment: no negative reward")
        constraints = [_constraint(handicap, agent, play) for handicap in handicaps]
        return Percept(MINUS_ONE, percept.observation) if MINUS_ONE in constraints else percept

    return constrained


def is_handicap_percept(percept: Percept, play: Play) -> bool:
    """Whether a handicap may give this after a play: 1 or -1 (or 0 before the first action) and observation 0."""
    return percept.observation == 0 and percept.reward in ((1, -1) if play else (1, -1, 0))


def _constraint(handicap: HistoryEnvironment, agent: HistoryAgent, play: Play) -> object:
    percept = response(handicap, agent, play)
    if not is_handicap_percept(percept, play):
        refuse(handicap, "h of e*h", tuple(map(str, percept)), "a handicap: reward 1 or -1 and observation 0")
    return percept.reward
