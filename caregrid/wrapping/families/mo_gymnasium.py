"""MO-Gymnasium's grids, whose rewards are vectors: deep sea treasure, four rooms, fruit tree, resource gathering."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from caregrid.wrapping.family import WorldFamily, derives_from

__all__ = ["DeepSeaTreasure", "FourRoom", "FruitTree", "ResourceGathering"]


class SeaState(NamedTuple):
    """Where the submarine is."""

    row: int
    column: int


class DeepSeaTreasure(WorldFamily):
    """MO-Gymnasium's deep sea treasure: a submarine in a sea that stays as it is; rewards: treasure, time.

    Convex, concave and mirrored maps.
    """

    @classmethod
    def applies(cls, env: Any) -> bool:
        return derives_from(env, "mo_gymnasium.", "DeepSeaTreasure")

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


class RoomsState(NamedTuple):
    """Where the agent is; collected: 0 or 1 for each shape of the maze."""

    row: int
    column: int
    collected: tuple[int, ...]


class FourRoom(WorldFamily):
    """MO-Gymnasium's four rooms: shapes that were collected are gone for the next agent; rewards: one per kind.

    Any maze; with n shapes it has up to 2^n states a cell.
    """

    @classmethod
    def applies(cls, env: Any) -> bool:
        return derives_from(env, "mo_gymnasium.", "FourRoom")

    def save(self) -> RoomsState:
        (row, column), collected = self.env.state
        return RoomsState(row, column, collected)

    def load(self, snapshot: RoomsState) -> None:
        self.env.state = ((snapshot.row, snapshot.column), snapshot.collected)

    def restart(self, state: RoomsState, start: RoomsState) -> RoomsState:
        return state._replace(row=start.row, column=start.column)

    def actions(self) -> tuple[str, ...]:
        return ("left", "up", "right", "down")

    def reward_names(self) -> tuple[str, ...]:
        return ("blue squares", "green triangles", "red circles")

    def drawing(self) -> tuple[str, ...]:
        return tuple("".join("#" if glyph == "X" else " " for glyph in row) for row in self.env.maze)

    def position(self, state: RoomsState) -> tuple[int, int]:
        return state.row, state.column

    def with_agent_at(self, state: RoomsState, cell: tuple[int, int]) -> RoomsState:
        return state._replace(row=cell[0], column=cell[1])


class TreeState(NamedTuple):
    """The row of the tree and the place in it, counted from the left."""

    row: int
    place: int


class FruitTree(WorldFamily):
    """MO-Gymnasium's fruit tree: a way down a binary tree, a fruit of six nutrients at each leaf.

    Nothing in the tree changes; the next agent begins at its root.
    """

    @classmethod
    def applies(cls, env: Any) -> bool:
        return derives_from(env, "mo_gymnasium.", "FruitTreeEnv")

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


class GatheringState(NamedTuple):
    """Where the agent is; has_gold, has_gem: 0 or 1."""

    row: int
    column: int
    has_gold: int
    has_gem: int


class ResourceGathering(WorldFamily):
    """MO-Gymnasium's resource gathering: the next agent begins where this one began; rewards: death, gold, gem.

    Fights are lost by chance: wrap it with chance='every draw'. Gold that is gone is gold that one carries, and is
    rewarded at home; so a next agent finds both resources again.

    The last action, which only pictures show, is not part of the state.
    """

    @classmethod
    def applies(cls, env: Any) -> bool:
        return derives_from(env, "mo_gymnasium.", "ResourceGathering")

    def save(self) -> GatheringState:
        row, column = self.env.current_pos
        return GatheringState(int(row), int(column), int(self.env.has_gold), int(self.env.has_gem))

    def load(self, snapshot: GatheringState) -> None:
        self.env.current_pos = np.array(snapshot[:2], dtype=np.int32)
        self.env.has_gold = snapshot.has_gold
        self.env.has_gem = snapshot.has_gem

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
