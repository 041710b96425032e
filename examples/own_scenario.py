#!/usr/bin/env python3
"""A scenario of one's own: a dark corridor, a light, and somebody who comes afterwards."""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import caregrid
from craftworld.scenario import MOVES, Newcomer, move, where
from engine.scene import Mark, Scene


class CorridorState(NamedTuple):
    """The agent's cell, and whether the light is on."""

    cell: int
    lit: int


class Corridor(caregrid.Scenario):
    """In the dark, every step costs twice as much; switching the light on is a step."""

    art = """
#######
#A   E#
#######
"""
    legend: ClassVar[Mapping[str, str]] = {"A": "entrance", "E": "exit"}
    once = ("entrance", "exit")
    actions = (*MOVES, "switch the light on")

    def __init__(self, grid: caregrid.GridMap | None = None, *, alone: str = "no") -> None:
        super().__init__(grid)
        self.alone = alone
        self.sizes = (len(self.grid.floor), 2)

    def starts(self) -> Mapping[Any, float]:
        """In the dark, at the entrance."""
        return {CorridorState(self.cell("entrance"), 0): 1.0}

    def step(self, state: Any, action: int) -> Any:
        """The light stays on."""
        if action == len(MOVES):
            return CorridorState(state.cell, state.lit * 0 + 1)
        return CorridorState(move(self, state.cell, action), state.lit)

    def reward(self, state: Any, action: int, next_state: Any) -> Any:
        """The acting agent sees in the dark, who comes afterwards does not."""
        return where(state.lit == 1, -1.0, -2.0) if self.alone == "yes" else -1.0

    def is_terminal(self, state: Any) -> Any:
        """At the exit."""
        return self.at("exit")[state.cell]

    def newcomers(self) -> tuple[Newcomer, ...]:
        """The next agent, which nobody follows."""
        return () if self.alone == "yes" else (Newcomer("next agent", Corridor(self.grid, alone="yes")),)

    def handover(self, state: Any, newcomer: Newcomer) -> Any:
        """The next agent begins at the entrance, with the light as it was left."""
        return CorridorState(state.cell * 0 + self.cell("entrance"), state.lit)

    def scene(self, state: Any) -> Scene:
        """The map, the agent, the light."""
        lamp = (Mark(*self.grid.only("exit"), "*", "light"),) if state.lit else ()
        return self.picture(state.cell, lamp)


print(caregrid.validate("scenarios", Corridor))
problem = caregrid.problem(Corridor)
print(problem.breakpoints())
longer = problem.scenario.parse_map("#########\n#A     E#\n#########")
print(caregrid.problem(Corridor, map=longer).solve(care=1))
