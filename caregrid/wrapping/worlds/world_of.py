"""Which kind of world an environment is, and how it is made one."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np

from caregrid.wrapping.family import WorldFamily, family_of
from caregrid.wrapping.given import refuse_setting
from caregrid.wrapping.pictures import pictures_of
from caregrid.wrapping.registered import make_registered
from caregrid.wrapping.worlds.attributes import AttributeStates
from caregrid.wrapping.worlds.parallel import ParallelAgent
from caregrid.wrapping.worlds.settings import WorldSettings
from caregrid.wrapping.worlds.stepped import STANDARD_WRAPPERS, SteppedWorld, layers, reset, stepped_part
from caregrid.wrapping.worlds.tables import TableWorld, mdp_world, require_steps_follow
from caregrid.wrapping.worlds.users_state import UsersParallelStates, UsersStates
from caregrid.wrapping.worlds.world import WrappedWorld
from craftworld.scenario import TIME_LIMIT
from engine.errors import BadValue, ContractBroken, with_article
from engine.mdp.mdp import TabularMDP
from engine.user_code import place_of, user_code


def world_of(env: Any, settings: WorldSettings) -> WrappedWorld:
    """The world of an environment, of the id of one, of a function that makes one, or of a table.

    Raises BadValue or ContractBroken, in one line, for what none of these can be made of.
    """
    if isinstance(env, TabularMDP):
        return mdp_world(env, settings.name or "table")
    source, env = env, made_environment(env)
    if not is_maker(source):
        source = env
    if hasattr(env, "possible_agents"):
        return _parallel_world(env, settings)
    require_environment(env)
    bare = env.unwrapped
    family = family_of(bare)
    name = settings.name or (env.spec.id if getattr(env, "spec", None) is not None else type(bare).__name__)
    if hasattr(bare, "P") and len(layers(env)) == len(_standard(env)) and not settings.steps_it:
        return _table_world(env, bare, family, name, source, settings)
    return _stepped_world(env, family, name, source, settings)


def is_maker(given: Any) -> bool:
    """Whether it makes environments: an id, a class or a function, and no environment."""
    return isinstance(given, str | type) or (callable(given) and not hasattr(given, "reset"))


def made_environment(given: Any) -> Any:
    """A new environment from an id or what makes one; of an environment a copy, itself where it cannot be copied."""
    if isinstance(given, str):
        return make_registered(given)
    if not is_maker(given):
        return _copy_of(given)
    with user_code(place_of(given)):
        return given()


def _copy_of(env: Any) -> Any:
    """A copy to walk through, so that the user's environment stays as it is; itself where it cannot be copied."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return copy.deepcopy(env)
    except Exception:  # windows, files and sockets raise what they like
        return env


def require_environment(env: Any, place: str = "wrap") -> None:
    """ContractBroken unless it can be reset and stepped; BadValue unless its actions are finite and count from 0."""
    if isinstance(env, type) or not all(hasattr(env, method) for method in ("reset", "step", "action_space")):
        raise ContractBroken(
            f"{with_article(type(env).__name__)} is not an environment",
            place=place,
            remedy="give a Gymnasium or PettingZoo environment, its id, a function that makes one, or a TabularMDP",
        )
    if not hasattr(env.action_space, "n"):
        raise BadValue(
            f"its actions are {env.action_space}",
            place=type(env.unwrapped).__name__,
            remedy="give a finite number of actions",
        )
    if int(getattr(env.action_space, "start", 0)) != 0:
        raise BadValue(
            f"its actions are counted from {env.action_space.start}",
            place=type(env.unwrapped).__name__,
            remedy="count them from 0: wrap it with gymnasium.wrappers.TransformAction",
        )


def _table_world(
    env: Any, bare: Any, family: WorldFamily | None, name: str, source: Any, settings: WorldSettings
) -> TableWorld:
    require_steps_follow(bare, name)
    actions = family.actions() if family is not None else tuple(map(str, range(int(bare.action_space.n))))
    law = getattr(bare, "initial_state_distrib", None)
    if law is not None:
        starts = {int(state): float(law[state]) for state in np.flatnonzero(law)}
    else:
        starts = {}
        for seed in settings.seeds:
            observation, _ = env.reset(seed=int(seed))
            starts[int(observation)] = starts.get(int(observation), 0.0) + 1.0 / len(settings.seeds)
    draw = pictures_of(source, env, family, settings.seeds) if family is not None else None
    return TableWorld(
        name,
        actions,
        lambda state, action: bare.P[state][action],
        starts,
        family=family,
        frame=None if draw is None or family is None else lambda key: draw(family.state(key)),
        time_limit=settings.time_limit or limit_of(env) or TIME_LIMIT,
    )


def _stepped_world(
    env: Any, family: WorldFamily | None, name: str, source: Any, settings: WorldSettings
) -> SteppedWorld:
    states = _states(env, family, settings)
    if isinstance(states, UsersStates):
        states.require_round_trip()
    return SteppedWorld(
        env,
        states,
        settings.seeds,
        name=name,
        reward_names=_reward_names(env, family, settings),
        chance=settings.chance_of(env),
        time_limit=settings.time_limit or limit_of(env),
        frame=pictures_of(source, env, states, settings.seeds),
        declared=settings.declared(),
    )


def _states(env: Any, family: WorldFamily | None, settings: WorldSettings) -> WorldFamily:
    if settings.get_state is None and settings.set_state is None and _family_knows(family, settings):
        assert family is not None
        return family
    with user_code(place_of(env.unwrapped)):
        reset(env, settings.seeds[0])
    return states_of(env, family, settings)


def _family_knows(family: WorldFamily | None, settings: WorldSettings) -> bool:
    return family is not None and settings.fingerprint is None and not settings.ignore


def states_of(env: Any, family: WorldFamily | None, settings: WorldSettings) -> WorldFamily:
    """How the states of an environment that has been reset are saved: as the user, its family or its attributes say."""
    if settings.get_state is not None or settings.set_state is not None:
        return UsersStates(env, settings.get_state, settings.set_state, settings.fingerprint)
    if _family_knows(family, settings):
        assert family is not None
        return family
    agent = (settings.agent,) if isinstance(settings.agent, str) else settings.agent
    return AttributeStates(env.unwrapped, layers(stepped_part(env)), settings.ignore, agent, settings.fingerprint)


def _parallel_world(env: Any, settings: WorldSettings) -> SteppedWorld:
    if settings.agent is not None and not isinstance(settings.agent, str):
        refuse_setting("agent", settings.agent, "the name of the acting agent")
    seen = ParallelAgent(env, settings.agent, settings.policies)
    require_environment(seen)
    name = settings.name or str(env.metadata.get("name", type(env.unwrapped).__name__))
    with user_code(place_of(env.unwrapped)):
        reset(seen, settings.seeds[0])
    if settings.get_state is not None or settings.set_state is not None:
        states: WorldFamily = UsersParallelStates(seen, settings.get_state, settings.set_state, settings.fingerprint)
    else:
        states = AttributeStates(env.unwrapped, layers(seen), settings.ignore, None, settings.fingerprint)
    return SteppedWorld(
        seen,
        states,
        settings.seeds,
        name=name,
        reward_names=tuple(map(str, seen.names)),
        chance=settings.chance_of(seen),
        time_limit=settings.time_limit,
        frame=pictures_of(env, env, states, settings.seeds),
        declared=settings.declared(),
        actions=tuple(map(str, range(int(seen.action_space.n)))),
    )


def _reward_names(env: Any, family: WorldFamily | None, settings: WorldSettings) -> tuple[str, ...]:
    """Names of the rewards: one where the environment declares no vector of them."""
    space = getattr(env.unwrapped, "reward_space", None)
    shape = getattr(space, "shape", None)
    count = int(shape[0]) if shape else 1
    known = family.reward_names() if family is not None else ()
    names = tuple(map(str, settings.reward_names)) or known or tuple(f"reward {n}" for n in range(count))
    if len(names) != count:
        raise BadValue(f"{len(names)} reward names", place="reward_names", remedy=f"it has {count} rewards")
    return names if count > 1 else ("reward",)


def limit_of(env: Any) -> int | None:
    """The steps after which Gymnasium cuts an episode, None where it does not."""
    spec = getattr(env, "spec", None)
    return None if spec is None or spec.max_episode_steps is None else int(spec.max_episode_steps)


def _standard(env: Any) -> list[Any]:
    every = layers(env)
    return [layer for layer in every[:-1] if type(layer).__name__ in STANDARD_WRAPPERS] + every[-1:]
