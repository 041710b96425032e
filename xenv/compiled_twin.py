"""Whether compiled turns are the plain ones: a run is compiled only where its first turns are the same both ways.

What is compared are the first turns of an agent in an environment under a few keys, once a process for every pair of
types. Compiled code counts in 64 bits and adds in its own order, so that no finite comparison is a proof; an integer
that outgrows a field, an index out of range and every other exception of compiled code end in a plain run.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from engine.agent import Agent
from engine.compiling.eligibility import fork_fault, why_not_compilable
from engine.user_code import described
from xenv.turns import STEP, compiled_loop, interaction_loop

TURNS = 300
OTHER_KEYS = (1, 2)
COLOUR = re.compile(r"\x1b\[[\d;]*m")  # numba's, where colorama is installed

_reasons: dict[tuple[Any, ...], str | None] = {}


class Participants(NamedTuple):
    """A fresh environment, a fresh agent in it, and the factor of the agent's rewards."""

    environment: Any
    agent: Agent
    agent_reward_sign: float


def why_plain(make: Callable[[int], Participants], shape: tuple[int, int], key: int) -> str | None:
    """Why an agent cannot be run compiled in an environment, in words; None where it can.

    make: makes both for a key. shape: numbers of observations and actions. key: the run's, compared first.
    """
    environment, agent, _ = make(key)
    reason = why_not_compilable(environment, agent)
    if reason is not None:
        return reason
    pair = (*(str(compiled_loop.compiled.typeof_pyval(thing)) for thing in (environment, agent)), shape)
    if pair not in _reasons:
        _reasons[pair] = next(filter(None, (_difference(make, shape, k) for k in (key, *OTHER_KEYS))), None)
    return _reasons[pair]


def _difference(make: Callable[[int], Participants], shape: tuple[int, int], key: int) -> str | None:
    """How the plain and the compiled turns of a key differ."""
    from numba.core.errors import NumbaError

    try:
        plain, compiled = (_turns(loop, make(key), shape) for loop in (interaction_loop, compiled_loop))
    except NumbaError as error:
        return f"numba refuses: {_gist(error)}"
    except Exception as error:
        return described(error)
    for turn, (one, other) in enumerate(zip(plain.record, compiled.record, strict=True)):
        if one != other:
            return f"turn {turn + 1} is {one}, and {other} compiled"
    if plain.ending != compiled.ending:
        return f"it ends with {plain.ending}, and {compiled.ending} compiled"
    return fork_fault(plain.pair.environment) or fork_fault(plain.pair.agent)


class _Turns(NamedTuple):
    pair: Participants
    record: list[Any]
    ending: tuple[float, int, int, int]


def _turns(loop: Callable[..., Any], pair: Participants, shape: tuple[int, int]) -> _Turns:
    steps = np.zeros(TURNS, dtype=STEP)
    ending = loop(pair.environment, pair.agent, shape, TURNS, pair.agent_reward_sign, pair.environment.start(), steps)
    return _Turns(pair, steps.tolist(), ending)


def _gist(error: BaseException) -> str:
    """What numba could not do, in at most 120 characters, without the steps in which it found out."""
    lines = [line.strip() for line in COLOUR.sub("", str(error)).splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in", "During:", "File ", "- "))]
    return textwrap.shorten(said[0], 120, placeholder=" ...") if said else type(error).__name__
