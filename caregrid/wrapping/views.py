"""States of a walk in words and pictures: what a table scenario's numbers stand for."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property, lru_cache
from typing import Any

from caregrid.wrapping.worlds.world import WrappedWorld
from engine.mdp.enumeration.walk import Walk, WalkedState
from engine.scene import Mark, Scene, frame_of


class WalkViews:
    """The states of a walk through a world (a `craftworld.table_scenario.StateViews`). role: of the acting agent."""

    def __init__(self, world: WrappedWorld, walked: Walk, role: str = "agent") -> None:
        self.drawing = world.drawing
        self._world, self._walk, self._role = world, walked, role
        self.scene = lru_cache(maxsize=4096)(self._scene)

    def describe(self, number: int) -> dict[str, Any]:
        return self._world.words(self._walk.places[number].key)

    def position(self, number: int) -> tuple[int, int] | None:
        return self._world.position(self._walk.places[number].key)

    def with_agent_at(self, number: int, cell: tuple[int, int]) -> int | None:
        key = self._world.with_agent_at(self._walk.places[number].key, cell)
        return (
            None if key is None else self._number_of.get(WalkedState(key), self._number_of.get(WalkedState(key, True)))
        )

    @cached_property
    def _number_of(self) -> Mapping[WalkedState, int]:
        return {place: number for number, place in enumerate(self._walk.places)}

    def _scene(self, number: int) -> Scene:
        key: Hashable = self._walk.places[number].key
        place, pixels = self.position(number), self._world.frame(key)
        marks = () if place is None else (Mark(place[0], place[1], "@", "agent", self._role),)
        return Scene(self.drawing, marks, frame=None if pixels is None else frame_of(pixels))
