"""Running an agent in an extended environment, turn by turn, and what comes of it.

The turn loop is written once. It runs plainly with any agent and environment, and compiled where the
environment is a registered one, the agent is `Compilable` and the run is long enough; the results are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from engine.agent import Transition
from engine.compiling.objects import is_compilable
from engine.errors import BadValue, ContractBroken
from xenv.environments import ENVIRONMENTS
from xenv.opposites import SignedEnvironment
from xenv.specs import names
from xenv.specs.simulation import Simulate

WORTH_COMPILING = 20_000
STEP = np.dtype(
    [("observation", np.int64), ("action", np.int64), ("reward", np.float64), ("next_observation", np.int64)]
)


@dataclass(frozen=True)
class Result:
    """What an agent earned; record: [turns] of (observation, action, reward, next_observation), on demand."""

    total_reward: float
    turns: int
    record: NDArray[np.void] | None = None

    @property
    def mean(self) -> float:
        """Reward a turn."""
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
) -> Result:
    """Run an agent for some turns: it acts, the environment answers, it is trained.

    environment: a class or factory of extended environments that takes `simulate`, or a name. agent: a spec, a factory
    of objects with act and train, or a name. key: an integer; with the published source, its seed. randomness: a named
    source of numbers (`engine.randomness.random_sources`). record: keep every turn. compiled: by default, long runs of what can be.
    Raises BadValue for fewer than 1 turn, ContractBroken for an action or observation out of range.
    """
    if not hasattr(turns, "__index__") or turns < 1:
        raise BadValue(f"{turns} turns", remedy="run a whole number of turns, at least 1")
    make, spec = names.maker_of(environment), names.spec_of(agent)
    simulate = Simulate(spec, make.n_observations, make.n_actions, key, randomness)
    world, actor = make(simulate), simulate()
    first, paid = world.start(), 1.0
    if isinstance(world, SignedEnvironment):
        world, paid = world.environment, world.paid
    if compiled is None:
        ours = type(world).__module__.startswith(ENVIRONMENTS.package) and world.compiled
        compiled = turns >= WORTH_COMPILING and ours and is_compilable(world, actor)
    steps = np.zeros(turns if record else 0, dtype=STEP)
    shape = (make.n_observations, make.n_actions)
    loop = _compiled_turns if compiled else live
    total, done, action, observation = loop(world, actor, shape, turns, paid, first, steps)
    if done < turns:
        _complain(shape, done, action, observation)
    return Result(int(total) if float(total).is_integer() else float(total), turns, steps if record else None)


def live(
    world: Any, actor: Any, shape: tuple[int, int], turns: int, paid: float, observation: int, steps: NDArray[np.void]
) -> tuple[float, int, int, int]:
    """The turn loop: (total reward, turns done, last action, last observation); ends early at one out of range."""
    n_observations, n_actions = shape
    total, action = 0.0, 0
    if not 0 <= observation < n_observations:
        return total, 0, action, observation
    for turn in range(turns):
        action = actor.act(observation)
        if not 0 <= action < n_actions:
            return total, turn, action, observation
        unsigned, next_observation = world.step(action)
        if not 0 <= next_observation < n_observations:
            return total, turn, action, next_observation
        reward = paid * unsigned
        actor.train(Transition(observation, action, reward, next_observation))
        total += reward
        if steps.size:
            steps["observation"][turn] = observation
            steps["action"][turn] = action
            steps["reward"][turn] = reward
            steps["next_observation"][turn] = next_observation
        observation = next_observation
    return total, turns, action, observation


_compiled_turns = numba.njit(cache=True)(live)


def _complain(shape: tuple[int, int], done: int, action: int, observation: int) -> None:
    """ContractBroken, naming what was out of range."""
    n_observations, n_actions = shape
    if not 0 <= observation < n_observations:
        raise ContractBroken(f"observation {observation} is not in 0 .. {n_observations - 1}", place=f"turn {done + 1}")
    raise ContractBroken(f"action {action} is not in 0 .. {n_actions - 1}", place=f"turn {done + 1}")
