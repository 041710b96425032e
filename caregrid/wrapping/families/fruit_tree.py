"""MO-Gymnasium's fruit tree: a way down a binary tree, a fruit of six nutrients at each leaf."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from caregrid.wrapping.family import WorldFamily, is_of


class TreeState(NamedTuple):
    """The row of the tree and the place in it, counted from the left."""

    row: int
    place: int


class FruitTree(WorldFamily):
    """Nothing in the tree changes; the next agent begins at its root."""

    @classmethod
    def applies(cls, env: Any) -> bool:
        return is_of(env, "mo_gymnasium.", "FruitTreeEnv")

    def save(self) -> TreeState:
        row, place = self.env.current_state
        return TreeState(int(row), int(place))

    def load(self, snapshot: TreeState) -> None:
        self.env.current_state = np.array(snapshot, dtype=np.int32)
        self.env.terminal = False

    def restart(self, state: TreeState, start: TreeState) -> TreeState:
        return start

    def actions(self) -> tuple[str, ...]:
        return ("left", "right")

    def reward_names(self) -> tuple[str, ...]:
        return ("protein", "carbs", "fats", "vitamins", "minerals", "water")
