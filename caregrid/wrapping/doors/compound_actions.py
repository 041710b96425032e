"""Gymnasium's compound actions: MultiDiscrete, MultiBinary, Tuple, Dict, whole numbers in a Box, counts from elsewhere.

Each combination is one action, named by its parts: "1,0" is the second choice of the first part and the first of the
second. A world has at most 10,000 of them (`require_few_actions`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from caregrid.wrapping.door import CountedActions, Door, require_few_actions
from caregrid.wrapping.family import WorldFamily, family_of
from caregrid.wrapping.settings import WorldSettings
from engine.errors import BadValue

__all__ = ["CompoundActions"]

DISCRETE, COMPOUND = "Discrete", ("MultiDiscrete", "MultiBinary", "Tuple", "Dict", "Box")


class CompoundActions(Door):
    """An environment of Gymnasium whose action has several parts."""

    holds_state = False

    def __init__(self, given: Any, settings: WorldSettings) -> None:
        self.env = given
        place = type(given.unwrapped).__name__
        space = given.action_space
        count = _count(space)
        if count is None:
            raise BadValue(f"its actions are {space}", place=place, remedy="give a finite number of actions")
        require_few_actions(count, place)
        every = list(_list(space))
        self._take: Callable[[int], Any] = lambda number: every[number][1]
        self._name: Callable[[int], str] = lambda number: ",".join(every[number][0])
        self.action_space = CountedActions(len(every))
        spec, rewards = getattr(given, "spec", None), getattr(given.unwrapped, "reward_space", None)
        self._title = getattr(spec, "id", None) or place
        self._limit = getattr(spec, "max_episode_steps", None)
        if rewards is not None and rewards.shape[0] > 1:
            self.reward_names = tuple(settings.reward_names) or tuple(f"reward {n}" for n in range(rewards.shape[0]))

    @classmethod
    def applies(cls, given: Any) -> bool:
        space = getattr(given, "action_space", None)
        if not (type(space).__module__.startswith("gymnasium.") and hasattr(given, "reset") and hasattr(given, "step")):
            return False
        return type(space).__name__ in COMPOUND or int(getattr(space, "start", 0)) != 0

    @property
    def unwrapped(self) -> Any:
        return self.env.unwrapped

    def title(self) -> str:
        return str(self._title)

    def time_limit(self) -> int | None:
        return None if self._limit is None else int(self._limit)

    def actions(self) -> tuple[str, ...]:
        return tuple(map(self._name, range(self.action_space.n)))

    def family(self) -> WorldFamily | None:
        return family_of(self.unwrapped)

    def reset(self, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        given: tuple[Any, dict[str, Any]] = self.env.reset(seed=seed)
        return given

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        given: tuple[Any, Any, bool, bool, dict[str, Any]] = self.env.step(self._take(action))
        return given


Named = tuple[tuple[str, ...], Any]
"""The names of an action's parts, and the action."""


def _parts(space: Any) -> list[Any] | None:
    """Return the spaces that a compound one is made of; None for one that is not."""
    kind = type(space).__name__
    if kind == "Tuple":
        return list(space.spaces)
    return list(space.spaces.values()) if kind == "Dict" else None


def _ranges(space: Any) -> list[range] | None:
    """Return the choices of each number in a space of whole numbers, in order; None for any other space."""
    kind = type(space).__name__
    if kind == DISCRETE:
        return [range(int(space.start), int(space.start) + int(space.n))]
    if kind == "MultiBinary":
        return [range(2)] * int(np.prod(space.shape))
    if kind == "MultiDiscrete":
        starts = np.ravel(getattr(space, "start", np.zeros_like(space.nvec)))
        return [range(int(s), int(s) + int(n)) for s, n in zip(starts, np.ravel(space.nvec), strict=True)]
    if kind == "Box" and space.dtype.kind in "iu":
        return [range(int(a), int(b) + 1) for a, b in zip(np.ravel(space.low), np.ravel(space.high), strict=True)]
    return None


def _count(space: Any) -> int | None:
    """Return how many actions there are; None where they are not finitely many."""
    parts = _parts(space)
    if parts is None:
        ranges = _ranges(space)
        return None if ranges is None else math.prod(map(len, ranges))
    counts = [_count(part) for part in parts]
    return None if None in counts else math.prod(count for count in counts if count is not None)


def _list(space: Any) -> Sequence[Named]:
    """Return every action of a space, by the names of its parts."""
    parts = _parts(space)
    if parts is None:
        return [(tuple(map(str, each)), _shape(space, each)) for each in itertools.product(*(_ranges(space) or ()))]
    listed = []
    for each in itertools.product(*map(_list, parts)):
        names = tuple(itertools.chain.from_iterable(names for names, _ in each))
        values = tuple(value for _, value in each)
        is_dict = type(space).__name__ == "Dict"
        listed.append((names, dict(zip(space.spaces, values, strict=True)) if is_dict else values))
    return listed


def _shape(space: Any, numbers: Sequence[int]) -> Any:
    """Numbers as an action of a space of whole numbers."""
    return numbers[0] if type(space).__name__ == DISCRETE else np.array(numbers, space.dtype).reshape(space.shape)
