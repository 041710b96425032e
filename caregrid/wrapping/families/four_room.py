"""MO-Gymnasium's four rooms: shapes that were collected are gone for the next agent; rewards: one a kind of shape."""

from __future__ import annotations

from typing import Any, NamedTuple

from caregrid.wrapping.family import WorldFamily, is_of


class RoomsState(NamedTuple):
    """Where the agent is; collected: 0 or 1 for each shape of the maze."""

    row: int
    column: int
    collected: tuple[int, ...]


class FourRoom(WorldFamily):
    """Any maze; with n shapes it has up to 2^n states a cell."""

    @classmethod
    def applies(cls, env: Any) -> bool:
        return is_of(env, "mo_gymnasium.", "FourRoom")

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
