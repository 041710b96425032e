"""Filling records: by wandering at random, by living, or by trying everything in every situation that can arise."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from counterfactual.learning.learned_world import LearnedWorld
from counterfactual.learning.records import Case, Numbers, Records, Turnout
from counterfactual.planning.joint_transition import joint
from counterfactual.planning.replanning import Replanner
from counterfactual.planning_world import PlanningWorldOf
from counterfactual.world import World, column, one_state, plain, plain_all
from engine.randomness.counter_based import randrange, split, uniform


class _Seen(NamedTuple):
    weight: int
    turnout: Turnout
    signal: int


Choices: TypeAlias = Callable[[int, Numbers, int, list[str]], list[str]]


def wander(world: World[Any], episodes: int, key: int, records: Records | None = None) -> Records:
    """Records of so many episodes of random actions; more of the same where records are given."""
    records = Records() if records is None else records
    for episode in range(episodes):
        _episode(world, records, split(key, episode), lambda step, x, signal, actions: actions)
    return records


def live_and_learn(
    world: World[Any], agent: PlanningWorldOf, episodes: int, key: int, *, exploration: Fraction = Fraction(1, 2)
) -> Records:
    """Records of episodes in which the agent plans anew, from its records so far, at every real step.

    With the probability `exploration` it acts at random instead; so do ties.
    """
    records = Records()

    def choices(of_episode: int, step: int, x: Numbers, signal: int, actions: list[str]) -> list[str]:
        if uniform(of_episode, step, 2) < exploration:
            return actions
        planner, state = Replanner(agent, LearnedWorld(world, records)), type(world.start())(*x)
        return [world.actions[action] for action in planner.actions(step, state, signal)]

    for episode in range(episodes):
        of_episode = split(key, episode)
        _episode(world, records, of_episode, partial(choices, of_episode))
    return records


def _episode(world: World[Any], records: Records, key: int, choices: Choices) -> None:
    """One episode written into the records; of the choices one is drawn."""
    x, signal = plain_all(world.start()), 0
    for step in range(1, world.horizon + 1):
        actions = choices(step, x, signal, _allowed(world, step, x))
        case = Case(step, signal, x, actions[randrange(len(actions), key, step, 0)])
        seen = _draw(_possible(world, case), key, step)
        records.observe(case, seen.turnout, seen.signal)
        x, signal = seen.turnout.after, seen.signal


def try_everything(world: World[Any], *, watch_signal: bool = True) -> Records:
    """Records in which every action was taken in every real situation, as often as its outcomes weigh."""
    records = Records(watch_signal=watch_signal)
    situations = {(plain_all(world.start()), 0): None}
    for step in range(1, world.horizon + 1):
        following: dict[tuple[Numbers, int], None] = {}
        for x, signal in situations:
            for action in _allowed(world, step, x):
                case = Case(step, signal, x, action)
                for seen in _possible(world, case):
                    records.observe(case, seen.turnout, seen.signal, seen.weight)
                    following[seen.turnout.after, seen.signal] = None
        situations = following
    return records


def _allowed(world: World[Any], step: int, x: Numbers) -> list[str]:
    state = one_state(type(world.start())(*x))
    allowed = [world.allows(step, state, column(number, 1)) for number in range(len(world.actions))]
    return [action for action, open_ in zip(world.actions, allowed, strict=True) if np.all(open_)]


def _possible(world: World[Any], case: Case) -> list[_Seen]:
    x, signal = one_state(type(world.start())(*case.x)), column(case.signal, 1)
    action = column(world.actions.index(case.action), 1)
    branches = world.physics_given(signal, case.step, x, action)
    return [
        _Seen(weight, Turnout(plain_all(after), plain_all(events)), plain(reading))
        for weights, after, events, reading in joint(world, branches, signal, case.step, x, action)
        if (weight := plain(weights))
    ]


def _draw(possible: list[_Seen], key: int, step: int) -> _Seen:
    left = randrange(sum(seen.weight for seen in possible), key, step, 1)
    for seen in possible:
        left -= seen.weight
        if left < 0:
            return seen
    return possible[-1]
