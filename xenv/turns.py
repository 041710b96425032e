"""The turns, plain and compiled: an agent acts, an extended environment responds, the agent is trained.

    a_t = agent.act(o_t);  (r_t, o_{t+1}) = environment.step(a_t);  agent.train(o_t, a_t, r_t, o_{t+1})

The loop is written once and runs plainly or compiled. A user's own class is compiled only where its typed code is
known to give what Python gives (`engine.compiling.plain_code`). The first turns are compared, too, under a few keys,
once a process for every pair of types. A number that is about to be another one than Python's, and every other
exception of compiled code, end in a plain run. Alexander et al. 2021, section 4.
"""

from __future__ import annotations

import re
import textwrap
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.agent import Agent, Transition
from engine.compiling.kernel import kernel
from engine.compiling.objects import explain_not_compilable, find_fork_fault
from engine.user_code import describe_exception
from xenv.simulation import Simulate
from xenv.user_agents import AdaptedAgent, list_numbers
from xenv.user_environments import ValidatedEnvironment

STEP = np.dtype(
    [("observation", np.int64), ("action", np.int64), ("reward", np.float64), ("next_observation", np.int64)]
)


def interaction_loop(
    environment: Any,
    agent: Agent,
    shape: tuple[int, int],
    turns: int,
    agent_reward_sign: float,
    observation: int,
    steps: NDArray[np.void],
) -> tuple[float, int, int, int]:
    """Run the turns and return (total reward, turns done, last action, last observation).

    shape: numbers of observations and actions. agent_reward_sign: factor of the agent's rewards, 1 or -1. observation:
    the first one. steps: the record to fill, or an empty one. Ends early at an action or observation out of range.
    """
    n_observations, n_actions = shape
    total, action = 0.0, 0
    if not 0 <= observation < n_observations:
        return total, 0, action, observation
    for turn in range(turns):
        action = agent.act(observation)
        if not 0 <= action < n_actions:
            return total, turn, action, observation
        unsigned, next_observation = environment.step(action)
        if not 0 <= next_observation < n_observations:
            return total, turn, action, next_observation
        reward = agent_reward_sign * unsigned
        agent.train(Transition(observation, action, reward, next_observation))
        total += reward
        if steps.size:
            steps["observation"][turn] = observation
            steps["action"][turn] = action
            steps["reward"][turn] = reward
            steps["next_observation"][turn] = next_observation
        observation = next_observation
    return total, turns, action, observation


compiled_loop = kernel(interaction_loop)


def run_checked_loop(
    environment: ValidatedEnvironment,
    agent: AdaptedAgent,
    turns: int,
    agent_reward_sign: float,
    observation: int,
    steps: NDArray[np.void],
) -> tuple[float, int]:
    """Run the same turns plainly, of users' own, and check each; return total reward and last observation.

    The arguments are those of `interaction_loop`. What is as it should be costs no further call.
    """
    act, step, train = agent.wrapped.act, environment.own_step, agent.wrapped.train
    whole = agent.takes_transition
    observations, actions = list_numbers(environment.n_observations), list_numbers(environment.n_actions)
    low, high = environment.reward_range
    total, recording = 0.0, bool(steps.size)
    known = earlier = None  # two rewards that have been looked at: the same objects are not looked at again
    for turn in range(turns):
        try:
            action = act(observation)
        except BaseException as error:
            agent.name_error("act", error)
        try:
            fits = actions[action] is action
        except Exception:
            fits = False
        if not fits:
            action = agent.require_action(action)
        answer = step(action)
        try:
            unsigned, following = answer
            fits = observations[following] is following and type(answer) is tuple
            if unsigned is not known and unsigned is not earlier:
                fits = fits and (type(unsigned) is float or type(unsigned) is int) and low <= unsigned <= high
                known, earlier = (unsigned, known) if fits else (None, None)
        except Exception:
            fits = False
        if not fits:
            unsigned, following = environment.check_answer(answer)
        reward = agent_reward_sign * unsigned
        try:
            if whole:
                train(Transition(observation, action, reward, following))
            else:
                train(observation, action, reward, following)
        except BaseException as error:
            agent.name_error("train", error)
        total += reward
        if recording:
            steps[turn] = observation, action, reward, following
        observation = following
    return total, observation


LOOPS = (interaction_loop.__code__, run_checked_loop.__code__)


def find_turn(error: BaseException) -> int | None:
    """Return the turn (1, 2, ...) of the plain loop that raised an exception, None where none did."""
    cause: BaseException | None = error
    while cause is not None:
        for frame, _ in traceback.walk_tb(cause.__traceback__):
            if frame.f_code in LOOPS and "turn" in frame.f_locals:
                return int(frame.f_locals["turn"]) + 1
        cause = cause.__cause__
    return None


COMPARED_TURNS = 300
OTHER_KEYS = (1, 2)
COLOUR = re.compile(r"\x1b\[[\d;]*m")  # numba's, where colorama is installed

_reasons: dict[tuple[Any, ...], str | None] = {}


class Participants(NamedTuple):
    """A fresh environment, a fresh agent in it, and the factor of the agent's rewards."""

    environment: Any
    agent: Agent
    agent_reward_sign: float


class Kinds(NamedTuple):
    """What makes the copies in plain and in compiled turns."""

    plain: type[Simulate]
    compiled: type[Simulate]


def why_plain(make: Callable[..., Participants], kinds: Kinds, shape: tuple[int, int], key: int) -> str | None:
    """Return why an agent cannot be run compiled in an environment, in words; None where it can.

    make: makes both for a key, plain or for compiled code. shape: numbers of observations and actions. key: the run's,
    compared first.
    """
    try:
        environment, agent, _ = make(key, kinds.compiled)
    except Exception as error:  # of bounded copies, or the user's own, which the plain run raises again
        return describe_exception(error)
    reason = explain_not_compilable(environment, agent)
    if reason is not None:
        return reason
    pair = (*(str(compiled_loop.compiled.typeof_pyval(thing)) for thing in (environment, agent)), shape)
    if pair not in _reasons:
        keys = (key, *OTHER_KEYS)
        _reasons[pair] = next(filter(None, (_find_difference(make, kinds, shape, k) for k in keys)), None)
    return _reasons[pair]


def _find_difference(make: Callable[..., Participants], kinds: Kinds, shape: tuple[int, int], key: int) -> str | None:
    """Return how the plain and the compiled turns of a key differ."""
    from numba.core.errors import NumbaError

    try:
        plain = _record_turns(interaction_loop, make(key, kinds.plain), shape)
        compiled = _record_turns(compiled_loop, make(key, kinds.compiled), shape)
        fork_fault = find_fork_fault(compiled.pair.environment) or find_fork_fault(compiled.pair.agent)
    except NumbaError as error:
        return f"numba refuses: {_shorten_error(error)}"
    except Exception as error:
        return describe_exception(error)
    for turn, (one, other) in enumerate(zip(plain.record, compiled.record, strict=True)):
        if one != other:
            return f"turn {turn + 1} is {one}, and {other} compiled"
    if plain.ending != compiled.ending or type(compiled.ending[2]) is not int:
        return f"it ends with {plain.ending}, and {compiled.ending} compiled"
    return fork_fault


class _RecordedTurns(NamedTuple):
    pair: Participants
    record: list[Any]
    ending: tuple[float, int, int, int]


def _record_turns(loop: Callable[..., Any], pair: Participants, shape: tuple[int, int]) -> _RecordedTurns:
    steps = np.zeros(COMPARED_TURNS, dtype=STEP)
    ending = loop(
        pair.environment, pair.agent, shape, COMPARED_TURNS, pair.agent_reward_sign, pair.environment.start(), steps
    )
    return _RecordedTurns(pair, steps.tolist(), ending)


def _shorten_error(error: BaseException) -> str:
    """Shorten what numba says to at most 120 characters, without the steps of its search."""
    lines = [line.strip() for line in COLOUR.sub("", str(error)).splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in", "During:", "File ", "- "))]
    return textwrap.shorten(said[0], 120, placeholder=" ...") if said else type(error).__name__
