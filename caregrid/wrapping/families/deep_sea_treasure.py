"""MO-Gymnasium's deep sea treasure: a submarine in a sea that stays as it is; rewards: treasure, time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from caregrid.wrapping.family import WorldFamily, is_of


class SeaState(NamedTuple):
    """Where the submarine is."""

    row: int
    column: int


class DeepSeaTreasure(WorldFamily):
    """Convex, concave and mirrored maps."""

    @classmethod
    def applies(cls, env: Any) -> bool:
        return is_of(env, "mo_gymnasium.", "DeepSeaTreasure")

    def save(self) -> SeaState:
        row, column = self.env.current_state
        return SeaState(int(row), int(column))

    def load(self, snapshot: SeaState) -> None:
        self.env.current_state = np.array(snapshot, dtype=np.int32)

    def restart(self, state: SeaState, start: SeaState) -> SeaState:
        return start

    def actions(self) -> tuple[str, ...]:
        return ("up", "down", "left", "right")

    def reward_names(self) -> tuple[str, ...]:
        return ("treasure", "time")

    def drawing(self) -> tuple[str, ...]:
        return tuple("".join("#" if depth == -10 else " " for depth in row) for row in self.env.sea_map)

    def position(self, state: SeaState) -> tuple[int, int]:
        return state

    def with_agent_at(self, state: SeaState, cell: tuple[int, int]) -> SeaState:
        return SeaState(*cell)
