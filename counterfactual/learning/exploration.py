"""Filling records: by acting at random, by planning and exploring, or by trying every action in every real state."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from counterfactual.columns import as_int, as_ints, column, one_state
from counterfactual.learning.learned_world import LearnedWorld
from counterfactual.learning.records import KernelInput, ObservedTransition, Records, StateNumbers
from counterfactual.planning.joint_transition import joint_transition
from counterfactual.planning.replanning import Replanner
from counterfactual.planning_agent import PlanningAgent
from counterfactual.terminal_world import TerminalWorld
from engine.randomness.counter_based import randrange, split, uniform
from engine.randomness.inverse_cdf import inverse_cdf


class _Observation(NamedTuple):
    weight: int
    transition: ObservedTransition
    signal: int


Choices: TypeAlias = Callable[[int, StateNumbers, int, list[str]], list[str]]


def record_random_episodes(
    world: TerminalWorld[Any], episodes: int, key: int, records: Records | None = None
) -> Records:
    """Records of episodes with uniformly random actions.

    world: the real world. episodes: how many. key: of all random numbers. records: what to add to, by default nothing.
    """
    records = Records() if records is None else records
    for episode in range(episodes):
        _episode(world, records, split(key, episode), lambda step, x, signal, actions: actions)
    return records


def record_planning_episodes(
    world: TerminalWorld[Any], agent: PlanningAgent, episodes: int, key: int, *, epsilon: Fraction = Fraction(1, 2)
) -> Records:
    """Records of episodes in which the agent plans anew, from its records so far, at every real step.

    epsilon: the probability of exploring, that is of a uniformly random action. Ties are broken at random. The other
    arguments are those of `record_random_episodes`.
    """
    records = Records()

    def choices(episode_key: int, step: int, x: StateNumbers, signal: int, actions: list[str]) -> list[str]:
        if uniform(episode_key, step, 2) < epsilon:
            return actions
        planner, state = Replanner(agent, LearnedWorld(world, records)), type(world.start())(*x)
        return [world.actions[action] for action in planner.actions(step, state, signal)]

    for episode in range(episodes):
        episode_key = split(key, episode)
        _episode(world, records, episode_key, partial(choices, episode_key))
    return records


def _episode(world: TerminalWorld[Any], records: Records, key: int, choices: Choices) -> None:
    """One episode added to the records; at every step one of the choices is drawn."""
    x, signal = as_ints(world.start()), 0
    for step in range(1, world.horizon + 1):
        actions = choices(step, x, signal, _allowed(world, step, x))
        given = KernelInput(step, signal, x, actions[randrange(len(actions), key, step, 0)])
        observation = _draw(_possible(world, given), key, step)
        records.observe(given, observation.transition, observation.signal)
        x, signal = observation.transition.next_x, observation.signal


def record_every_action(world: TerminalWorld[Any], *, watch_signal: bool = True) -> Records:
    """Records in which every action was taken in every real state, as often as its outcomes weigh."""
    records = Records(watch_signal=watch_signal)
    states = {(as_ints(world.start()), 0): None}
    for step in range(1, world.horizon + 1):
        following: dict[tuple[StateNumbers, int], None] = {}
        for x, signal in states:
            for action in _allowed(world, step, x):
                given = KernelInput(step, signal, x, action)
                for observation in _possible(world, given):
                    records.observe(given, observation.transition, observation.signal, observation.weight)
                    following[observation.transition.next_x, observation.signal] = None
        states = following
    return records


def _allowed(world: TerminalWorld[Any], step: int, x: StateNumbers) -> list[str]:
    state = one_state(type(world.start())(*x))
    allowed = [world.allows(step, state, column(index, 1)) for index in range(len(world.actions))]
    return [action for action, answer in zip(world.actions, allowed, strict=True) if np.all(answer)]


def _possible(world: TerminalWorld[Any], given: KernelInput) -> list[_Observation]:
    assert given.signal is not None  # what really happens has a signal
    x, signal = one_state(type(world.start())(*given.x)), column(given.signal, 1)
    action = column(world.actions.index(given.action), 1)
    physics = world.physics_given(signal, given.step, x, action)
    return [
        _Observation(weight, ObservedTransition(as_ints(next_x), as_ints(events)), as_int(sent))
        for weights, next_x, events, sent in joint_transition(world, physics, signal, given.step, x, action)
        if (weight := as_int(weights))
    ]


def _draw(possible: list[_Observation], key: int, step: int) -> _Observation:
    weights = [observation.weight for observation in possible]
    return possible[inverse_cdf(weights, randrange(sum(weights), key, step, 1))]
