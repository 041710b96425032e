"""The interaction loop: an agent acts, an extended environment responds, the agent is trained.

    a_t = agent.act(o_t);  (r_t, o_{t+1}) = environment.step(a_t);  agent.train(o_t, a_t, r_t, o_{t+1})

The loop is written once. It runs plainly with any agent and environment, and compiled where the environment is a
registered one, the agent is `Compilable` and the run is long enough; the results are the same.
Alexander et al. 2021, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numba
import numpy as np
from numpy.typing import NDArray

from engine.agent import Agent, Transition
from engine.compiling.objects import is_compilable
from engine.errors import ContractBroken
from engine.user_code import place_of, user_code
from xenv.environments import ENVIRONMENTS
from xenv.limits import require_key, require_turns
from xenv.opposites import SignedEnvironment, SignedFactory
from xenv.specs import names
from xenv.specs.simulation import Simulate
from xenv.validation import ValidatedEnvironment

WORTH_COMPILING = 20_000
STEP = np.dtype(
    [("observation", np.int64), ("action", np.int64), ("reward", np.float64), ("next_observation", np.int64)]
)


@dataclass(frozen=True)
class InteractionResult:
    """What an agent earned. record: [turns] of (observation, action, reward, next_observation), on demand."""

    total_reward: float
    turns: int
    record: NDArray[np.void] | None = None

    @property
    def mean(self) -> float:
        """The mean reward per turn."""
        return self.total_reward / self.turns


def run_environment(
    environment: Any,
    agent: Any,
    turns: int,
    key: int = 0,
    *,
    randomness: str = "keys",
    record: bool = False,
    compiled: bool | None = None,
) -> InteractionResult:
    """Run an agent in an extended environment for a number of turns.

    environment: a class or factory of extended environments that takes `simulate`, or a name. agent: a spec, a factory
    of objects with act and train, or a name. key: an integer; with the published source, its seed. randomness: a named
    source of numbers (`engine.randomness.random_sources`). record: keep every turn. compiled: by default, long runs of
    what can be.

    Raises BadValue for turns or a key that `xenv.limits` refuses, ContractBroken for an action or observation out of
    range.
    """
    turns, key = require_turns(turns), require_key(key)
    factory, spec = names.environment_factory(environment), names.agent_spec(agent)
    simulate = Simulate(spec, factory.n_observations, factory.n_actions, key, randomness)
    shape, steps = (factory.n_observations, factory.n_actions), np.zeros(turns if record else 0, dtype=STEP)
    unsigned = factory.environment if isinstance(factory, SignedFactory) else factory
    registered = getattr(unsigned, "__module__", "").startswith(f"{ENVIRONMENTS.package}.")
    with user_code(f"in {unsigned.__name__}" if registered else place_of(unsigned)):
        instance, actor, agent_reward_sign = factory(simulate), simulate(), 1.0
        if isinstance(instance, SignedEnvironment):
            instance, agent_reward_sign = instance.environment, instance.agent_reward_sign
        if compiled is None:
            compiled = turns >= WORTH_COMPILING and registered and instance.compiled and is_compilable(instance, actor)
        checked = instance if registered else ValidatedEnvironment(instance, *shape)
        first = checked.start()
        loop, environment = (_compiled_loop, instance) if compiled else (interaction_loop, checked)
        total, done, action, observation = loop(environment, actor, shape, turns, agent_reward_sign, first, steps)
    if done < turns:
        _refuse_out_of_range(shape, done, action, observation, instance, actor)
    total = int(total) if float(total).is_integer() else float(total)
    return InteractionResult(total, turns, steps if record else None)


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


_compiled_loop = numba.njit(cache=True)(interaction_loop)


def _refuse_out_of_range(
    shape: tuple[int, int], done: int, action: int, observation: int, environment: Any, agent: Any
) -> NoReturn:
    """ContractBroken, naming what was out of range and the class that gave it."""
    n_observations, n_actions = shape
    if not 0 <= observation < n_observations:
        raise ContractBroken(
            f"observation {observation} is not in 0 .. {n_observations - 1}",
            place=f"{place_of(environment)}, turn {done + 1}",
            remedy="give one that n_observations declares",
        )
    raise ContractBroken(
        f"action {action} is not in 0 .. {n_actions - 1}",
        place=f"{place_of(agent)}, turn {done + 1}",
        remedy="choose from the n_actions of the environment",
    )
