"""A world as `wrap` sees it: what can be walked through, what its states say, and how the next agent continues.

Two kinds, `TableWorld` and `SteppedWorld`. A state is known by its key here; what the user's functions are given is
its `state_of`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.mdp.enumeration.walk import Successor

Pixels = NDArray[np.uint8]


class WrappedWorld(Protocol):
    """An `engine.mdp.enumeration.walk.Explorable` and more.

    rewards: how many a step gives. reward_names: their names. drawing: rows of "#" and " " on which the agent has its
    place, empty without. time_limit: steps after which an episode is cut. discount: the world's own, None where it has
    none. kind: two worlds of one kind understand each other's states.
    """

    name: str
    actions: tuple[str, ...]
    rewards: int
    reward_names: tuple[str, ...]
    drawing: tuple[str, ...]
    time_limit: int
    discount: float | None
    kind: str

    def starts(self) -> Mapping[Hashable, float]:
        """Start state -> probability."""

    def successors(self, key: Hashable, action: int) -> Sequence[Successor]:
        """Every transition that an action may cause in a state."""

    def state_of(self, key: Hashable) -> Any:
        """A state as the user's functions see it."""

    def enter(self, state: Any) -> Hashable:
        """The key of a state that one of the user's functions gave."""

    def continued(self, key: Hashable, start: Hashable) -> Sequence[tuple[Hashable, float]]:
        """What the next agent begins with, and how likely, when an episode that began in `start` has left a state."""

    def words(self, key: Hashable) -> dict[str, Any]:
        """A state in words, ready for JSON."""

    def frame(self, key: Hashable) -> Pixels | None:
        """A picture of a state, uint8[H, W, 3]; None where the environment draws none."""

    def position(self, key: Hashable) -> tuple[int, int] | None:
        """(row, column) of the agent on the drawing."""

    def with_agent_at(self, key: Hashable, cell: tuple[int, int]) -> Hashable | None:
        """The key of the same state with the agent in another cell."""

    def identity(self) -> list[str]:
        """What its table depends on, as texts; empty where that cannot be said."""

    def finish(self) -> None:
        """Called after a walk, for a last check."""

    def describe(self, key: Hashable) -> str:
        """A state in a few words, for messages."""

    def advice(self, keys: Sequence[Hashable]) -> str:
        """What to do about too many states."""

    def continuous(self, keys: Sequence[Hashable]) -> str:
        """What makes states continuous, in a few words; empty where nothing does."""
