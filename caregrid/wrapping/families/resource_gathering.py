"""MO-Gymnasium's resource gathering: the next agent begins where this one began; rewards: death, gold, gem.

Fights are lost by chance: wrap it with chance='every draw'. Gold that is gone is gold that one carries, and is rewarded
at home; so a next agent finds both resources again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from caregrid.wrapping.family import WorldFamily, is_of


class GatheringState(NamedTuple):
    """Where the agent is; has_gold, has_gem: 0 or 1."""

    row: int
    column: int
    has_gold: int
    has_gem: int


class ResourceGathering(WorldFamily):
    """The last action, which only pictures show, is not part of the state."""

    @classmethod
    def applies(cls, env: Any) -> bool:
        return is_of(env, "mo_gymnasium.", "ResourceGathering")

    def save(self) -> GatheringState:
        row, column = self.env.current_pos
        return GatheringState(int(row), int(column), int(self.env.has_gold), int(self.env.has_gem))

    def load(self, snapshot: GatheringState) -> None:
        self.env.current_pos = np.array(snapshot[:2], dtype=np.int32)
        self.env.has_gold, self.env.has_gem = snapshot.has_gold, snapshot.has_gem

    def restart(self, state: GatheringState, start: GatheringState) -> GatheringState:
        return start

    def actions(self) -> tuple[str, ...]:
        return ("up", "down", "left", "right")

    def reward_names(self) -> tuple[str, ...]:
        return ("death", "gold", "gem")

    def drawing(self) -> tuple[str, ...]:
        return (" " * self.env.map.shape[1],) * int(self.env.map.shape[0])

    def position(self, state: GatheringState) -> tuple[int, int]:
        return state.row, state.column

    def with_agent_at(self, state: GatheringState, cell: tuple[int, int]) -> GatheringState:
        return state._replace(row=cell[0], column=cell[1])
