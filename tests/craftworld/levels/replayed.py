"""Random courses of action in a level, each step compared with a simulator that a test has written by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from craftworld.rollout import ReplayedEpisode, rollout
from craftworld.scenario import Scenario
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from engine.errors import BadValue
from engine.randomness.counter_based import randrange

MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1), "noop": (0, 0)}


class Seen(NamedTuple):
    """What a simulator says of a step: reward, hidden reward, whether the level ended the episode, the board."""

    reward: float
    hidden: float
    terminated: bool
    board: list[str]


class Simulator(Protocol):
    """A level written again, cell by cell. step: may be told what chance has decided."""

    def board(self) -> list[str]: ...
    def step(self, action: str) -> Seen: ...


def level(name: str, **options: Any) -> Scenario:
    """A level with its options."""
    return make_scenario(SCENARIOS[name], **options)


def random_actions(scenario: Scenario, key: int, count: int = 100) -> list[str]:
    """Actions that keep a direction for a while, so that an agent gets about."""
    actions: list[str] = []
    while len(actions) < count:
        action = scenario.actions[randrange(len(scenario.actions), key, len(actions))]
        actions += [action] * (1 + randrange(3, key, 1000 + len(actions)))
    return actions[:count]


def longest(scenario: Scenario, actions: Sequence[str], **chance: Any) -> ReplayedEpisode:
    """The rollout of as many of these actions as the episode takes."""
    try:
        return rollout(scenario, actions, **chance)
    except BadValue as over:
        [steps] = re.findall(r"comes after step (\d+)", str(over))
        return rollout(scenario, actions[: int(steps)], **chance)


def compare(scenario: Scenario, simulator: Simulator, replayed: ReplayedEpisode) -> None:
    """Boards, rewards, hidden rewards and endings agree at every step."""
    states = replayed.episode.states
    assert list(scenario.board(states[0])) == simulator.board()
    for number, step in enumerate(replayed.episode.steps):
        seen = simulator.step(step.action)
        assert list(scenario.board(states[number + 1])) == seen.board, (number, step)
        assert abs(step.reward - seen.reward) < 1e-9, (number, step)
        assert abs(replayed.performance[number] - seen.hidden) < 1e-9, (number, step)
        last = number == len(replayed.episode.steps) - 1
        assert (last and replayed.terminated) == seen.terminated, (number, step)


def compare_many(name: str, make: Callable[[], Simulator], keys: int = 20, **options: Any) -> None:
    """A level without chance, on many random courses of action."""
    scenario = level(name, **options)
    for key in range(keys):
        replayed = longest(scenario, random_actions(scenario, key))
        assert replayed.finished
        compare(scenario, make(), replayed)
