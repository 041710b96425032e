"""A corridor too narrow to pass, with two passing places: who gives way?

Walker 1 crosses from left to right, walker 2 from right to left, and walker 3 leaves a passing place for the right end.
Nobody enters a cell where another stands; moves take effect in the walkers' order. Every step costs a walker 1 until it
has reached its end of the corridor, where it is out of everybody's way.

Where walker 1 plans alone, walker 2 walks on whoever comes, and walker 3 waits until both are gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from craftworld.scenario import MOVES, move, where
from craftworld.shared_scenario import WAIT, SharedScenario
from engine.grid import Cell, GridMap
from engine.scene import Mark, Scene

STEP = -1.0
LEFT, RIGHT = "left end", "right end"


class CorridorState(NamedTuple):
    """Where each walker stands, and whether it is gone: then its cell says nothing."""

    first_cell: int
    second_cell: int
    third_cell: int
    first_gone: int
    second_gone: int
    third_gone: int


class PassingPlaces(SharedScenario):
    """The corridor."""

    problem = "If nobody gives way, nobody gets through; whoever gives way bears the cost."
    rules = """
    You are walker 1 in a corridor that is too narrow to pass in. You begin at the left end L and want to reach the
    right end R; each step until then costs you 1. Nobody enters a cell where another stands; in each step you move
    first, then walker 2, then walker 3. Walker 2 walks from R to L, whoever comes. Walker 3 waits in the passing
    place P until both of you are gone, and then walks to R. Whoever has reached their end is gone and out of
    everybody's way. The episode ends when all are gone.
    """
    wishes = """
    Walker 2 and walker 3 want to reach their ends; each step until then costs them 1.
    """
    agents = ("walker 1", "walker 2", "walker 3")
    agent_actions = ("wait", *MOVES)
    art = """
#########
#L.....R#
##.##P###
#########
"""
    legend: ClassVar[Mapping[str, str | tuple[str, ...]]] = {"L": LEFT, "R": RIGHT, "P": "passing place"}
    once = (LEFT, RIGHT, "passing place")
    entrance = LEFT

    def __init__(self, grid: GridMap | None = None, *, planner: str = "first") -> None:
        super().__init__(grid, planner=planner)
        cells = len(self.grid.floor)
        self.sizes = (*[cells] * len(self.agents), *[2] * len(self.agents))
        self.words = {name: ("no", "yes") for name in CorridorState._fields if name.endswith("gone")}
        self.goals = (self.cell(RIGHT), self.cell(LEFT), self.cell(RIGHT))
        self.ways = tuple(map(self._find_way, self.goals))

    def starts(self) -> Mapping[CorridorState, float]:
        return {CorridorState(self.cell(LEFT), self.cell(RIGHT), self.cell("passing place"), 0, 0, 0): 1.0}

    def act(self, state: CorridorState, agent: int, action: Any) -> CorridorState:
        count = len(self.agents)
        here = np.asarray(state[agent])
        gone = np.asarray(state[count + agent]) == 1
        moving = (np.asarray(action) != WAIT) & ~gone
        target = where(moving, move(self, here, where(moving, action - 1, 0)), here)
        for other in range(count):
            if other != agent:
                blocked = (target == state[other]) & (np.asarray(state[count + other]) == 0)
                target = where(blocked, here, target)
        arrived = gone | (target == self.goals[agent])
        fields = list(state)
        fields[agent], fields[count + agent] = where(arrived, self.goals[agent], target), 1 * arrived
        return CorridorState(*fields)

    def agent_reward(self, agent: int, state: CorridorState, next_state: CorridorState) -> Any:
        return where(np.asarray(state[len(self.agents) + agent]) == 1, 0.0, STEP)

    def policy(self, agent: int, state: CorridorState, so_far: CorridorState) -> Any:
        """Straight to the goal; the third walker waits until the others are gone."""
        way = self.ways[agent][np.asarray(state[agent])]
        if agent < len(self.agents) - 1:
            return way
        return where((np.asarray(state.first_gone) == 1) & (np.asarray(state.second_gone) == 1), way, WAIT)

    def is_terminal(self, state: CorridorState) -> Any:
        return np.all([np.asarray(gone) == 1 for gone in state[len(self.agents) :]], axis=0)

    def scene(self, state: CorridorState) -> Scene:
        here = [number for number in range(len(self.agents)) if not state[len(self.agents) + number]]
        walkers = [
            Mark(*self.coordinates(state[number]), str(number + 1), self.agents[number], "other" if number else "agent")
            for number in here
        ]
        features = [
            Mark(*cell, self.glyph(name), name, "feature")
            for name, cells in self.grid.features.items()
            for cell in cells
        ]
        return Scene(self.grid.walls, (*features, *walkers))

    def position(self, state: CorridorState) -> Cell | None:
        return self.grid.floor[state.first_cell]

    def with_agent_at(self, state: CorridorState, cell: Cell) -> CorridorState:
        return state._replace(first_cell=self.grid.number[cell])

    def _find_way(self, goal: int) -> NDArray[np.int64]:
        """int64[cells]: the first action on a shortest way to a cell, waiting there."""
        steps = self.grid.distances(self.coordinates(goal)).by_cell[self.grid.is_floor]
        closer = steps[self.moves] < steps[:, None]
        return np.where(steps == 0, WAIT, 1 + closer.argmax(axis=1)).astype(np.int64)
