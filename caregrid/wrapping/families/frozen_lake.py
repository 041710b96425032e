"""Gymnasium's FrozenLake: the lake stays as it is; the next agent begins where this one began."""

from __future__ import annotations

from typing import Any, NamedTuple

from caregrid.wrapping.family import WorldFamily, is_of


class LakeState(NamedTuple):
    """Where the agent is."""

    row: int
    column: int


class FrozenLake(WorldFamily):
    """Actions in Gymnasium's order."""

    @classmethod
    def applies(cls, env: Any) -> bool:
        return is_of(env, "gymnasium.envs.toy_text", "FrozenLakeEnv")

    def save(self) -> int:
        return int(self.env.s)

    def load(self, snapshot: Any) -> None:
        self.env.s, self.env.lastaction = int(snapshot), None

    def state(self, snapshot: Any) -> LakeState:
        return LakeState(*divmod(int(snapshot), self.env.ncol))

    def snapshot(self, state: LakeState) -> int:
        return int(state[0]) * int(self.env.ncol) + int(state[1])

    def restart(self, state: LakeState, start: LakeState) -> LakeState:
        return start

    def actions(self) -> tuple[str, ...]:
        return ("left", "down", "right", "up")

    def drawing(self) -> tuple[str, ...]:
        return (" " * self.env.ncol,) * int(self.env.nrow)

    def position(self, state: LakeState) -> tuple[int, int]:
        return state

    def with_agent_at(self, state: LakeState, cell: tuple[int, int]) -> LakeState:
        return LakeState(*cell)
