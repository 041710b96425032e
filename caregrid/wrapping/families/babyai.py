"""BabyAI: MiniGrid's grid, and how far the mission has come; the next agent is given the same mission anew.

A mission is a tree of instructions. Each remembers which part is done and what was carried before, and each description
in it where the described things lay when one was last dropped: a mission may end at a place from which the thing is
gone. Which things are meant was settled at the reset.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caregrid.wrapping.families.minigrid import Minigrid, MinigridState, describe_thing
from caregrid.wrapping.family import derives_from

PARTS = ("first", "second")
CHANGING = ("a_done", "b_done", "lastStepMatch", "preCarrying", "obj_poss")
"""What steps change in an instruction or a description."""
Progress = tuple[tuple[Any, ...], ...]
"""From where the carried thing was taken, and of each instruction and description what it has of CHANGING."""


class Babyai(Minigrid):
    """Every level of BabyAI."""

    @classmethod
    def applies(cls, env: Any) -> bool:
        return derives_from(env, "minigrid.", "RoomGridLevel")

    def save(self) -> Any:
        return *super().save(), self._read_progress()

    def load(self, snapshot: Any) -> None:
        *grid, (place, *parts) = snapshot
        super().load(tuple(grid))
        if self.env.carrying is not None:
            self.env.carrying.cur_pos = place
        for part, values in zip(_list_parts(self.env.instrs), parts, strict=True):
            vars(part).update(zip(_list_names(part), values, strict=True))
            if hasattr(part, "env"):
                part.env = self.env

    def state(self, snapshot: Any) -> MinigridState:
        progress = tuple(tuple(map(_describe, values)) for values in snapshot[-1])
        return super().state(snapshot[:-1])._replace(progress=progress)

    def snapshot(self, state: MinigridState) -> Any:
        grid = super().snapshot(state)
        layout, cells, *_, carrying, _ = grid
        things = [thing for thing in (carrying, *self._layouts[layout].objects) if thing is not None]
        instructions = self._layouts[layout].attributes["instrs"]
        if not state.progress:
            parts = [self._begin_part(part, cells) for part in _list_parts(instructions)]
            return *grid, ((), *parts)
        named = {describe_thing(thing): thing for thing in reversed(things)}
        place, *told = state.progress
        pairs = zip(_list_parts(instructions), told, strict=True)
        parts = [
            tuple(
                named.get(value) if name == "preCarrying" else value
                for name, value in zip(_list_names(part), values, strict=True)
            )
            for part, values in pairs
        ]
        return *grid, (place, *parts)

    def restart(self, state: MinigridState, start: MinigridState) -> MinigridState:
        return super().restart(state, start)._replace(progress=())

    def words(self, state: MinigridState) -> dict[str, Any]:
        parts = [
            word
            for values in state.progress[1:]
            for word, value in zip(PARTS, values, strict=False)
            if value == "success"
        ]
        return super().words(state) | ({"done": ", ".join(parts)} if parts else {})

    def _read_progress(self) -> Progress:
        carrying = self.env.carrying
        place = () if carrying is None else tuple(map(int, carrying.cur_pos))
        parts = (
            tuple(
                [
                    tuple(value) if isinstance(value := getattr(part, name), list) else value
                    for name in _list_names(part)
                ]
            )
            for part in _list_parts(self.env.instrs)
        )
        return place, *parts

    def _begin_part(self, part: Any, cells: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return what is in a part at the reset, the described things lying where they lie now."""
        if not hasattr(part, "obj_poss"):
            return tuple(None if name == "preCarrying" else False for name in _list_names(part))
        width = self.env.grid.width
        meant = list(map(id, part.obj_set))
        places = ((n % width, n // width) for n, thing in enumerate(cells) if id(thing) in meant)
        return (tuple(sorted(places)),)


def _list_parts(instruction: Any) -> Iterator[Any]:
    """Yield an instruction, those in it, and their descriptions of things."""
    yield instruction
    for name in ("desc", "desc_move", "desc_fixed"):
        if hasattr(instruction, name):
            yield getattr(instruction, name)
    for name in ("instr_a", "instr_b"):
        if hasattr(instruction, name):
            yield from _list_parts(getattr(instruction, name))


def _list_names(part: Any) -> list[str]:
    return [name for name in CHANGING if hasattr(part, name)]


def _describe(value: Any) -> Any:
    return describe_thing(value) if hasattr(value, "color") else value
