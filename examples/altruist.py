#!/usr/bin/env python3
"""An altruist's two worlds: whether to open a door for somebody whose aims one does not know.

The button is a detour of 4 steps. Where the other is shut in, the open door adds 7 cells to those that it can reach;
where there is another way out, 1. So whoever counts them opens the door from 4/7 on in the one world, from 4 in the
other. T. Franzmeyer, M. Malinowski, J. Henriques, "Learning altruistic behaviours in reinforcement learning without
external rewards", 2021; empowerment: A. Klyubin, D. Polani, C. Nehaniv, 2005.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import caregrid
from craftworld.scenario import MOVES, Newcomer, move, where
from engine.scene import Scene

SHUT_IN = """
#######
#EA#o #
#  +  #
#B #  #
#######
"""
FREE = SHUT_IN.replace("#B #", "#B  ")


class DoorState(NamedTuple):
    """Who walks, and whether the door is open."""

    cell: int
    open: int


class Door(caregrid.Scenario):
    """The altruist ends at the exit; afterwards the other walks, and is paid for nothing that one knows of."""

    art = SHUT_IN
    legend: ClassVar[Mapping[str, str]] = {"E": "exit", "A": "start", "B": "button", "+": "door", "o": "other"}
    once = ("exit", "start", "button", "door", "other")
    entrance, actions = "start", MOVES

    def __init__(self, grid: caregrid.GridMap | None = None, *, walker: str = "start") -> None:
        super().__init__(grid)
        self.walker = walker
        self.sizes = (len(self.grid.floor), 2)

    def starts(self) -> Mapping[Any, float]:
        """At the walker's cell, the door shut."""
        return {DoorState(self.cell(self.walker), 0): 1.0}

    def step(self, state: Any, action: int) -> Any:
        """A shut door is a wall; the altruist's first step on the button opens it for good."""
        cell = move(self, state.cell, action)
        cell = where(self.at("door")[cell] & (state.open == 0), state.cell, cell)
        pressed = self.at("button")[cell] & (self.walker == "start")
        return DoorState(cell, where(pressed, 1, state.open))

    def reward(self, state: Any, action: int, next_state: Any) -> Any:
        """Steps cost the altruist 1."""
        return -1.0 if self.walker == "start" else 0.0

    def is_terminal(self, state: Any) -> Any:
        """The altruist leaves by the exit."""
        return self.at("exit")[state.cell] & (self.walker == "start")

    def newcomers(self) -> tuple[Newcomer, ...]:
        """The other, after the altruist."""
        return (Newcomer("other", Door(self.grid, walker="other")),) if self.walker == "start" else ()

    def handover(self, state: Any, newcomer: Newcomer) -> Any:
        """It finds the door as it was left."""
        return DoorState(state.cell * 0 + self.cell("other"), state.open)

    def scene(self, state: Any) -> Scene:
        """The map and who walks."""
        return self.picture(state.cell)


for formulation in ("discrete_choice", "entropic_choice", "empowerment"):
    drawn = {"shut in": SHUT_IN, "free": FREE}
    worlds = {name: caregrid.problem(Door, formulation, map=art) for name, art in drawn.items()}
    points = {name: [round(point, 3) for point in world.breakpoints().points] for name, world in worlds.items()}
    print(f"{formulation}: the door opens from {points}")
