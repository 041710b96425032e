"""Filling records: by wandering at random, or by trying everything once in every situation that can arise."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterfactual.joint import joint
from counterfactual.learning.records import Case, Numbers, Records, Turnout
from counterfactual.world import World, column, one_state, plain, plain_all
from engine.randomness import randrange, split


class _Seen(NamedTuple):
    weight: int
    turnout: Turnout
    signal: int


def wander(world: World[Any], episodes: int, key: int, records: Records | None = None) -> Records:
    """Records of so many episodes of random actions; more of the same where records are given."""
    records = Records() if records is None else records
    for episode in range(episodes):
        of_episode = split(key, episode)
        x, signal = plain_all(world.start()), 0
        for step in range(1, world.horizon + 1):
            actions = _allowed(world, step, x)
            action = actions[randrange(len(actions), of_episode, step, 0)]
            case = Case(step, signal, x, action)
            seen = _draw(_possible(world, case), of_episode, step)
            records.observe(case, seen.turnout, seen.signal)
            x, signal = seen.turnout.after, seen.signal
    return records


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
