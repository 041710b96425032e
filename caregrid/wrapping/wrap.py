"""From an environment and others to a caring scenario, on which everything in caregrid works.

lake = caregrid.wrap("FrozenLake-v1")
door = caregrid.wrap("MiniGrid-DoorKey-6x6-v0", others=[caregrid.Other(goal=holds_the_key)])
sea = caregrid.wrap("deep-sea-treasure-v0", own="time")
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from caregrid.wrapping.continued import beginnings, continuation, walk_of
from caregrid.wrapping.given import real_number, refuse_setting, require_all, whole_number
from caregrid.wrapping.other import Component, Other, component_weights, names_of
from caregrid.wrapping.stored import stored_walk
from caregrid.wrapping.views import WalkViews
from caregrid.wrapping.worlds.settings import WorldSettings
from caregrid.wrapping.worlds.world import WrappedWorld
from caregrid.wrapping.worlds.world_of import world_of
from craftworld.scenario import Newcomer, Option
from craftworld.table_scenario import (
    Beginning,
    NumberedState,
    Present,
    TableOthers,
    TableScenario,
    TransitionTable,
)
from engine.contracts import require_function
from engine.errors import BadValue, UnknownName
from engine.mdp.enumeration.walk import MOST_STATES, Walk, WalkProgress
from engine.mdp.mdp import Floats
from engine.user_code import place_of, user_code


def wrap(
    env: Any,
    others: Sequence[Other] | None = None,
    options: Sequence[Option] = (),
    discount: float | None = None,
    *,
    own: str | Component = 0,
    most_states: int = MOST_STATES,
    table: str | Path | None = None,
    progress: WalkProgress | None = None,
    **settings: Any,
) -> TableScenario:
    """A caring scenario of any environment that can be enumerated.

    env: a Gymnasium environment with a transition table `P` or one that can be put into a state, one with vector
    rewards (MO-Gymnasium), a parallel environment of PettingZoo, a `TabularMDP`, the id of a registered environment,
    or a function that makes one of these. others: by default one agent that acts in the same environment, continued
    from the final state with the agent back at its start; where there are several rewards, those that are not one's
    own, each another agent's. options: what others may want to use, with functions of one state. discount: gamma, by
    default 1 or the table's own. own: which of several rewards is one's own: its name or number, or weights.
    most_states: more are refused. table: a `.npz` file that keeps the table, made where it is missing. progress:
    called with the number of states done and found. settings: see `WorldSettings`.

    Raises BadValue, UnknownName or ContractBroken, in one line, for what cannot be wrapped.
    """
    _check_given(others, options, most_states, table, progress)
    parameters = inspect.signature(wrap).parameters.values()
    beside = [each.name for each in parameters if each.kind is not each.VAR_KEYWORD and each.name != "env"]
    world = world_of(env, WorldSettings.of(settings, beside))
    given = discount if discount is not None else world.discount
    gamma = real_number(1.0 if given is None else given, "discount", 0.0, 1.0)

    def walker(any_world: WrappedWorld, starts: Mapping[Any, float]) -> Walk:
        return stored_walk(any_world, starts, most_states, progress, table)

    walked = walker(world, world.starts())
    mine = component_weights(_number_of_reward(own, world), world.rewards, "own")
    chosen = _usual_others(world, mine) if others is None else tuple(others)
    newcomers, present = [], []
    for other, name in zip(chosen, names_of(chosen), strict=True):
        if other.is_present:
            present.append(_present(world, walked, other, name))
        else:
            newcomers.append(_newcomer(world, walked, other, name, mine, gamma, walker))
    shown = TableOthers(tuple(newcomers), tuple(present), tuple(_option(world, walked, one) for one in options))
    return TableScenario(
        _transition_table(world.name, walked, _weighted(walked, mine)),
        WalkViews(world, walked),
        shown,
        discount=gamma,
        time_limit=world.time_limit,
    )


def _check_given(others: Any, options: Any, most_states: Any, table: Any, progress: Any) -> None:
    if others is not None:
        require_all(others, Other, "others")
    require_all(options, Option, "options")
    whole_number(most_states, "most_states", 1)
    if table is not None and not (isinstance(table, str | Path) and str(table)):
        refuse_setting("table", table, "the name of a file")
    if progress is not None:
        require_function("progress", progress, 2, "progress(done, found)")


def _number_of_reward(own: str | Component, world: WrappedWorld) -> Component:
    if not isinstance(own, str):
        return own
    if own not in world.reward_names:
        raise UnknownName("reward", own, world.reward_names, place="own")
    return world.reward_names.index(own)


def _usual_others(world: WrappedWorld, mine: Sequence[float]) -> tuple[Other, ...]:
    """Of one reward, the next agent; of several, those without weight in one's own, each another agent's."""
    if world.rewards == 1:
        return (Other(),)
    return tuple(Other(reward=n, name=world.reward_names[n]) for n, weight in enumerate(mine) if not weight)


def _weighted(walked: Walk, weights: Sequence[float]) -> Floats:
    """f64[S, A, K]: a weighted sum of the rewards."""
    result: Floats = walked.reward @ np.array(weights)
    return result


def _transition_table(name: str, walked: Walk, reward: Floats) -> TransitionTable:
    return TransitionTable(
        name, walked.actions, walked.next_state, walked.probability, reward, walked.terminal, walked.start
    )


def _present(world: WrappedWorld, walked: Walk, other: Other, name: str) -> Present:
    assert other.reward is not None
    if callable(other.reward):
        reward = _rewards(world, walked, other.reward)
    else:
        reward = _weighted(walked, component_weights(other.reward, world.rewards, f"others, {name}"))
    return Present(name, reward, other.probability, other.weight, other.owner, other.swept)


def _newcomer(
    world: WrappedWorld,
    walked: Walk,
    other: Other,
    name: str,
    mine: Sequence[float],
    discount: float,
    walker: Callable[[WrappedWorld, Mapping[Any, float]], Walk],
) -> tuple[Newcomer, Beginning]:
    after = world if other.env is None else world_of(other.env, WorldSettings())
    begins = beginnings(world, walked, after, other)
    its_walk = walk_of(after, begins, walked if after is world else None, walker)
    reward = other.reward
    if callable(reward):
        amounts = _rewards(after, its_walk, reward)
    elif other.goal is not None and reward is None:
        amounts = np.where(its_walk.terminal[:, None, None], 0.0, np.full(its_walk.probability.shape, -1.0))
    else:
        usual = mine if after.rewards == len(mine) else [1.0] * after.rewards
        weights = usual if reward is None else component_weights(reward, after.rewards, f"others, {name}")
        amounts = _weighted(its_walk, weights)
    table = _transition_table(f"{after.name}, {name}", its_walk, amounts)
    if other.goal is not None:
        table = _ending_at(table, after, its_walk, other.goal)
    gamma = after.discount if after is not world and after.discount is not None else discount
    scenario = TableScenario(table, WalkViews(after, its_walk, "other"), discount=gamma, time_limit=after.time_limit)
    newcomer = Newcomer(name, scenario, other.probability, other.weight, other.owner, other.swept)
    return newcomer, continuation(begins, its_walk)


def _ending_at(
    table: TransitionTable, world: WrappedWorld, walked: Walk, goal: Callable[[Any], bool]
) -> TransitionTable:
    """The table with the goal's states terminal: they lead to themselves without reward."""
    with user_code(place_of(goal)):
        reached = np.array([bool(goal(world.state_of(place.key))) for place in walked.places], dtype=np.bool_)
    if not reached.any():
        raise BadValue("no state fulfils it", place=f"goal, {place_of(goal)}", remedy="make it true in a state")
    next_state, probability, reward = table.next_state.copy(), table.probability.copy(), table.reward.copy()
    next_state[reached] = np.flatnonzero(reached)[:, None, None]
    probability[reached], reward[reached] = 0.0, 0.0
    probability[reached, :, 0] = 1.0
    return TransitionTable(
        table.name, table.actions, next_state, probability, reward, table.terminal | reached, table.start
    )


def _rewards(world: WrappedWorld, walked: Walk, function: Callable[[Any, str, Any], float]) -> Floats:
    """f64[S, A, K]: a user's reward of every transition."""
    result = np.zeros(walked.probability.shape)
    terminal = walked.terminal
    with user_code(place_of(function)):
        for number, action, k in np.argwhere(walked.probability > 0.0).tolist():
            if not terminal[number]:
                target = walked.places[walked.next_state[number, action, k]]
                before, after = world.state_of(walked.places[number].key), world.state_of(target.key)
                result[number, action, k] = function(before, walked.actions[action], after)
    if not np.isfinite(result).all():
        raise BadValue("a reward that is not finite", place=place_of(function), remedy="give finite numbers")
    return result


def _option(world: WrappedWorld, walked: Walk, option: Option) -> Option:
    """An option whose functions take one state of the world, as one whose functions take columns of numbers."""
    states = [world.state_of(place.key) for place in walked.places]
    with user_code(place_of(option.initiation_set)):
        can_start = np.array([bool(option.initiation_set(state)) for state in states], dtype=np.bool_)
    if option.value is None:
        return Option(option.name, lambda state: can_start[state.number], option.probability)
    with user_code(place_of(option.value)):
        worth = np.array([float(option.value(state)) for state in states])

    def value(state: NumberedState) -> Any:
        return worth[state.number]

    return Option(option.name, lambda state: can_start[state.number], option.probability, value)
