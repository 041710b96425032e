"""Gymnasium's toy text environments: CliffWalking, FrozenLake and Taxi."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from caregrid.wrapping.family import WorldFamily, derives_from

__all__ = ["CliffWalking", "FrozenLake", "Taxi"]


class CliffState(NamedTuple):
    """Where the agent is."""

    row: int
    column: int


class CliffWalking(WorldFamily):
    """Gymnasium's CliffWalking: the cliff stays as it is; the next agent begins where this one began.

    Actions in Gymnasium's order.
    """

    @classmethod
    def applies(cls, env: Any) -> bool:
        return derives_from(env, "gymnasium.envs.toy_text", "CliffWalkingEnv")

    def save(self) -> int:
        return int(self.env.s)

    def load(self, snapshot: Any) -> None:
        self.env.s = int(snapshot)
        self.env.lastaction = None

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


class LakeState(NamedTuple):
    """Where the agent is."""

    row: int
    column: int


class FrozenLake(WorldFamily):
    """Gymnasium's FrozenLake: the lake stays as it is; the next agent begins where this one began.

    Actions in Gymnasium's order.
    """

    @classmethod
    def applies(cls, env: Any) -> bool:
        return derives_from(env, "gymnasium.envs.toy_text", "FrozenLakeEnv")

    def save(self) -> int:
        return int(self.env.s)

    def load(self, snapshot: Any) -> None:
        self.env.s = int(snapshot)
        self.env.lastaction = None

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


PLACES = ("red", "green", "yellow", "blue")


class TaxiState(NamedTuple):
    """passenger, destination: red, green, yellow, blue as 0 to 3; 4: in the taxi."""

    row: int
    column: int
    passenger: int
    destination: int


class Taxi(WorldFamily):
    """Gymnasium's Taxi: the next driver finds taxi and passenger where they were left, and another destination.

    As in the environment's own start states, every destination that is not where the passenger stands is equally
    likely; a passenger who sits in the taxi may want to go to any of the four.

    It has no drawing: the cells of Gymnasium's picture are not squares of one grid.
    """

    @classmethod
    def applies(cls, env: Any) -> bool:
        return derives_from(env, "gymnasium.envs.toy_text", "TaxiEnv")

    def save(self) -> int:
        return int(self.env.s)

    def load(self, snapshot: Any) -> None:
        self.env.s = int(snapshot)
        self.env.lastaction = None

    def state(self, snapshot: Any) -> TaxiState:
        return TaxiState(*map(int, self.env.decode(int(snapshot))))

    def snapshot(self, state: TaxiState) -> int:
        return int(self.env.encode(*state))

    def restart(self, state: TaxiState, start: TaxiState) -> Mapping[TaxiState, float]:
        wanted = [place for place in range(len(PLACES)) if place != state.passenger]
        return {state._replace(destination=place): 1.0 / len(wanted) for place in wanted}

    def actions(self) -> tuple[str, ...]:
        return ("down", "up", "right", "left", "pick up", "drop off")

    def words(self, state: TaxiState) -> dict[str, Any]:
        names = (*PLACES, "in the taxi")
        return {
            "cell": [state.row, state.column],
            "passenger": names[state.passenger],
            "destination": names[state.destination],
        }
