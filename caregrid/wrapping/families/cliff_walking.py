"""Gymnasium's CliffWalking: the cliff stays as it is; the next agent begins where this one began."""

from __future__ import annotations

from typing import Any, NamedTuple

from caregrid.wrapping.family import WorldFamily, is_of


class CliffState(NamedTuple):
    """Where the agent is."""

    row: int
    column: int


class CliffWalking(WorldFamily):
    """Actions in Gymnasium's order."""

    @classmethod
    def applies(cls, env: Any) -> bool:
        return is_of(env, "gymnasium.envs.toy_text", "CliffWalkingEnv")

    def save(self) -> int:
        return int(self.env.s)

    def load(self, snapshot: Any) -> None:
        self.env.s, self.env.lastaction = int(snapshot), None

    def state(self, snapshot: Any) -> CliffState:
        return CliffState(*divmod(int(snapshot), self.env.shape[1]))

    def snapshot(self, state: CliffState) -> int:
        return int(state[0]) * int(self.env.shape[1]) + int(state[1])

    def restart(self, state: CliffState, start: CliffState) -> CliffState:
        return start

    def actions(self) -> tuple[str, ...]:
        return ("up", "right", "down", "left")

    def drawing(self) -> tuple[str, ...]:
        return (" " * self.env.shape[1],) * int(self.env.shape[0])

    def position(self, state: CliffState) -> tuple[int, int]:
        return state

    def with_agent_at(self, state: CliffState, cell: tuple[int, int]) -> CliffState:
        return CliffState(*cell)
