"""Tables filled by observations, which notice when two of them contradict each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from craftworld.scenario import Scenario
from engine.errors import BadValue
from engine.mdp.mdp import Booleans, Floats


def no_cell_rules(scenario: Scenario, why: str) -> BadValue:
    """The refusal: why a world's map cannot be changed in the page."""
    return BadValue(why, place=scenario.name, remedy="its map cannot be changed in the page")


class Seen:
    """A number for each key. values: f64[shape], nan where nothing was seen."""

    def __init__(self, scenario: Scenario, shape: tuple[int, ...]) -> None:
        self._scenario = scenario
        self.values: Floats = np.full(shape, np.nan)

    @property
    def seen(self) -> Booleans:
        """Where something was seen."""
        return ~np.isnan(self.values)

    def add(self, key: tuple[Any, ...], given: Any) -> None:
        """Add numbers at keys; BadValue where another one was seen there."""
        if not self.agrees(key, given):
            raise no_cell_rules(self._scenario, "what its cells do depends on more than their features")

    def agrees(self, key: tuple[Any, ...], given: Any) -> bool:
        """Add numbers at keys; whether each is the first one there or the same as before."""
        numbers = np.asarray(given, dtype=np.float64)
        before = self.values[key]
        self.values[key] = numbers
        return bool((np.isnan(before) | (before == numbers)).all() and (self.values[key] == numbers).all())


class ObservedEffects:
    """What an action does, key by key: whether it moves, the rest afterwards, the reward."""

    def __init__(self, scenario: Scenario, shape: tuple[int, ...]) -> None:
        self._tables = tuple(Seen(scenario, shape) for _ in range(3))

    def add(self, key: tuple[Any, ...], moved: Any, rest: Any, reward: Any, certain: Any) -> bool:
        """Whether observations agree with those before. certain: where it can be said whether the agent moves."""
        moves, rests, rewards = self._tables
        known = tuple(part[certain] for part in key)
        return moves.agrees(known, moved[certain]) and rests.agrees(key, rest) and rewards.agrees(key, reward)

    def columns(self) -> tuple[Booleans, Any, Floats, Booleans]:
        """Moved, rest, reward, and where they were seen; a step only seen into walls counts as a move."""
        moves, rests, rewards = self._tables
        seen = rests.seen
        moved = np.where(moves.seen, moves.values, 1.0) == 1.0
        return moved, np.where(seen, rests.values, 0).astype(np.int64), np.where(seen, rewards.values, 0.0), seen
