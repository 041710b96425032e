"""MiniGrid: the next agent finds the grid as it was left (doors, keys, boxes) and begins where this one began.

What the agent carries at the end leaves with it. A snapshot is the objects by cell, the doors, the agent's cell and
direction and what it carries: no copy is made of any of them, so that a state is saved and restored in microseconds.

Reward: MiniGrid gives 1 - 0.9 n / T for success after n of at most T steps, which depends on time. The same return
comes out of -0.9 / T for each step and 1 on success, which depends on the state alone; so it is counted. An episode
that ends without success returns -0.9 n / T in place of 0.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from caregrid.wrapping.family import WorldFamily, derives_from
from engine.errors import BadValue, ContractBroken
from engine.mdp.enumeration.frozen_values import is_opaque
from engine.printable import show_value

DIRECTIONS = ("right", "down", "left", "up")
SAVED = {"grid", "agent_pos", "agent_dir", "carrying", "step_count", "_reward", "gen_obs"}


class MinigridState(NamedTuple):
    """x, y: the agent's column and row. direction: one of DIRECTIONS. carrying: such as "yellow key", "" for nothing.

    things: (x, y, description) of everything but walls and floors, such as (2, 3, "yellow door, locked"). layout: the
    number of the reset that laid out the grid. progress: how far a mission of BabyAI has come; () where it begins.
    """

    x: int
    y: int
    direction: str
    carrying: str
    things: tuple[tuple[int, int, str], ...]
    layout: int = 0
    progress: tuple[tuple[Any, ...], ...] = ()


class _Layout(NamedTuple):
    """A grid as one reset laid it out: the attributes of the environment then, its cells, its doors."""

    attributes: dict[str, Any]
    cells: tuple[Any, ...]
    doors: tuple[Any, ...]
    objects: tuple[Any, ...]


class Minigrid(WorldFamily):
    """Every MiniGridEnv but BabyAI's, which are a family of their own."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._layouts: list[_Layout] = []
        self._layout = 0

    @classmethod
    def applies(cls, env: Any) -> bool:
        return derives_from(env, "minigrid.", "MiniGridEnv") and not derives_from(env, "minigrid.", "RoomGridLevel")

    def prepare(self) -> None:
        self.env._reward = _success

    def skip_observations(self) -> None:
        self.env.gen_obs = dict

    def observation(self) -> Any:
        return type(self.env).gen_obs(self.env)

    def begin(self) -> None:
        cells = tuple(self.env.grid.grid)
        held = [self.env.carrying, *cells]
        objects = [thing for thing in held if thing is not None]
        objects += [thing.contains for thing in objects if thing.contains is not None]
        doors = tuple(thing for thing in cells if thing is not None and thing.type == "door")
        self._layout = len(self._layouts)
        self._layouts.append(_Layout(dict(vars(self.env)), cells, doors, tuple(objects)))

    def save(self) -> Any:
        env = self.env
        x, y = env.agent_pos
        doors = tuple([(door.is_open, door.is_locked) for door in self._layouts[self._layout].doors])
        return self._layout, tuple(env.grid.grid), int(x), int(y), int(env.agent_dir), env.carrying, doors

    def load(self, snapshot: Any) -> None:
        layout, cells, x, y, direction, carrying, doors = snapshot
        env = self.env
        if layout != self._layout:
            vars(env).update(self._layouts[layout].attributes)
            self._layout = layout
        env.grid.grid[:] = cells
        env.agent_pos = (x, y)
        env.agent_dir = direction
        env.carrying = carrying
        env.step_count = 0
        for door, condition in zip(self._layouts[layout].doors, doors, strict=True):
            door.is_open, door.is_locked = condition

    def portable(self, snapshot: Any) -> Any:
        """Return the layout and the snapshot, every object copied."""
        layout = self._layouts[snapshot[0]]
        data = {name: value for name, value in layout.attributes.items() if not is_opaque(value)}
        return copy.deepcopy((layout._replace(attributes=data), snapshot), {id(self.env): None})

    def take_over(self, portable: Any) -> Any:
        """The layout takes the place of those that were known."""
        layout, snapshot = portable
        self._layouts = [layout]
        self._layout = -1
        return 0, *snapshot[1:]

    def fingerprint(self) -> Hashable:
        """Return the walls, the mission and the state in words: other environments hold other objects."""
        grid = self.env.grid
        mission = getattr(self.env, "mission", "")
        walls = tuple([n for n, thing in enumerate(grid.grid) if thing is not None and thing.type == "wall"])
        return grid.width, walls, mission, self.state(self.save())

    def mark(self, key: Any) -> Hashable:
        """Return the state in words: other environments hold other objects, and number layouts otherwise."""
        return self.state(key)._replace(layout=0)

    def state(self, snapshot: Any) -> MinigridState:
        layout, cells, x, y, direction, carrying, doors = snapshot
        opened = {id(door): state for door, state in zip(self._layouts[layout].doors, doors, strict=True)}
        width = self.env.grid.width
        things = tuple(
            (number % width, number // width, describe_thing(thing, opened.get(id(thing))))
            for number, thing in enumerate(cells)
            if thing is not None and thing.type not in ("wall", "floor")
        )
        held = "" if carrying is None else describe_thing(carrying)
        return MinigridState(x, y, DIRECTIONS[direction], held, things, layout)

    def snapshot(self, state: MinigridState) -> Any:
        """Raises BadValue, naming it, for a thing that this grid does not have."""
        layout = self._layouts[state.layout]
        cells = [None if thing is None or thing.type not in ("wall", "floor") else thing for thing in layout.cells]
        doors = [(door.is_open, door.is_locked) for door in layout.doors]
        left = list(layout.objects)
        for x, y, description in state.things:
            thing = self._take(left, description)
            if not (0 <= x < self.env.grid.width and 0 <= y < self.env.grid.height):
                raise BadValue(f"{description} at ({x}, {y})", place="MinigridState", remedy="stay on the grid")
            cells[y * self.env.grid.width + x] = thing
            if thing in layout.doors:
                doors[layout.doors.index(thing)] = _door_state(description)
        carrying = self._take(left, state.carrying) if state.carrying else None
        if state.direction not in DIRECTIONS:
            raise BadValue(
                f"direction {show_value(state.direction)}",
                place="MinigridState",
                remedy=f"use one of {', '.join(DIRECTIONS)}",
            )
        where = int(state.x), int(state.y)
        return state.layout, tuple(cells), *where, DIRECTIONS.index(state.direction), carrying, tuple(doors)

    def restart(self, state: MinigridState, start: MinigridState) -> MinigridState:
        return state._replace(x=start.x, y=start.y, direction=start.direction, carrying="")

    def reward(self, reward: float) -> float:
        return reward - 0.9 / float(self.env.max_steps)

    def actions(self) -> tuple[str, ...]:
        names = ("left", "right", "forward", "pick up", "drop", "toggle", "done")
        return names[: int(self.env.action_space.n)]

    def time_limit(self) -> int:
        return int(self.env.max_steps)

    def words(self, state: MinigridState) -> dict[str, Any]:
        words: dict[str, Any] = {"cell": [state.y, state.x], "direction": state.direction}
        words["carrying"] = state.carrying or "none"
        for x, y, description in state.things:
            name, _, condition = description.partition(", ")
            if condition or name.split()[-1] in ("key", "ball", "box"):
                words[name if name not in words else f"{name} at ({y}, {x})"] = condition or [y, x]
        return words

    def drawing(self) -> tuple[str, ...]:
        width = self.env.grid.width
        cells = self._layouts[0].cells
        glyphs = ["#" if thing is not None and thing.type == "wall" else " " for thing in cells]
        return tuple("".join(glyphs[i : i + width]) for i in range(0, len(glyphs), width))

    def position(self, state: MinigridState) -> tuple[int, int]:
        return state.y, state.x

    def with_agent_at(self, state: MinigridState, cell: tuple[int, int]) -> MinigridState:
        return state._replace(y=cell[0], x=cell[1])

    def advice(self, keys: Sequence[Hashable]) -> str:
        return "choose a smaller grid, or one with fewer things to carry"

    def require_nothing_forgotten(self) -> None:
        """ContractBroken where stepping has changed an attribute that a snapshot does not hold."""
        then, now = self._layouts[self._layout].attributes, vars(self.env)
        for name, value in then.items():
            plain = isinstance(value, int | float | str | tuple | np.generic) and name not in SAVED
            if plain and not name.startswith("_") and repr(now.get(name)) != repr(value):
                raise ContractBroken(
                    f"stepping changes its attribute '{name}', which is not in the grid",
                    place=type(self.env).__name__,
                    remedy="give get_state= and set_state=",
                )

    @staticmethod
    def _take(left: list[Any], description: str) -> Any:
        name = description.partition(",")[0]
        for n, thing in enumerate(left):
            if f"{thing.color} {thing.type}" == name:
                return left.pop(n)
        raise BadValue(f"no {name} in this grid", place="MinigridState", remedy="name things that are in it")


def _success() -> float:
    return 1.0


def describe_thing(thing: Any, door: tuple[bool, bool] | None = None) -> str:
    """Return a thing in words. door: whether it is open and locked, where it is not as it stands."""
    if thing.type != "door":
        return f"{thing.color} {thing.type}"
    is_open, is_locked = (thing.is_open, thing.is_locked) if door is None else door
    return f"{thing.color} door, {'open' if is_open else 'locked' if is_locked else 'closed'}"


def _door_state(description: str) -> tuple[bool, bool]:
    condition = description.partition(", ")[2]
    if condition not in ("open", "closed", "locked"):
        raise BadValue(f"'{description}'", place="MinigridState", remedy="a door is open, closed or locked")
    return condition == "open", condition == "locked"
