"""What an extended environment of the theory is, and its response to a play, validated.

    e(T, s) = <r, o>

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Definition 2.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

from engine.contracts import refuse
from engine.errors import BadValue, ContractBroken
from engine.user_code import place_of, user_code
from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Percept, Play
from xenv.theory.numbers import natural, rational

HistoryEnvironment: TypeAlias = Callable[[HistoryAgent, Play], Percept]

ZERO, ONE, MINUS_ONE = Fraction(0), Fraction(1), Fraction(-1)
START = Percept(ZERO, 0)
"""The first percept of most examples."""


def response(environment: HistoryEnvironment, agent: HistoryAgent, play: Play) -> Percept:
    """e(T, s), with a `Fraction` as the reward; ContractBroken, naming the environment, where it gives no percept."""
    try:
        given: Any = environment(agent, play)
    except BaseException:
        with user_code(place_of(environment)):
            raise
    if not isinstance(given, tuple) or len(given) != 2:
        refuse(environment, "it", given, "a Percept (reward, observation)")
    try:
        return Percept(rational(given[0]), natural(given[1], "observation"))
    except BadValue as error:
        problem = f"{error.problem}, given at turn {len(play) // 3 + 1}"
        raise ContractBroken(problem, place=place_of(environment), remedy=error.remedy) from None


def sign(matches: bool) -> Fraction:
    """1 for a match, -1 otherwise."""
    return ONE if matches else MINUS_ONE


def truth(holds: bool) -> Fraction:
    """1 where something holds, 0 otherwise."""
    return ONE if holds else ZERO
