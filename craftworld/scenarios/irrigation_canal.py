"""A canal that four farmers share, from its head to its tail, and that silts up: a commons with a place for each.

Every season the canal brings as many loads of water as it is deep. From the head to the tail each farmer takes no load,
one or two of what is left, each worth 1 to whoever takes it, or cleans the canal. Every season it silts up by one, and
each who cleans makes it one deeper, up to its full depth. After some seasons the year is over.

Intended: what the farmer at the head leaves reaches the next one first, so that it matters for whom one cares: four
farmers have four interests, and three coefficients. Caring for the last one alone pays only where the others are served
as well. For one season of d loads, with one load for each farmer below the head, the best is the take t that gives

    max over t of t + c_2 + ... + c_(1 + d - t)

References: E. Ostrom, "Governing the commons", 1990, chapter 3 (canals); M. Janssen, J. Anderies, J. Cardenas,
"Head-enders as stationary bandits in asymmetric commons", 2011. Choices: those who are not planned for take one load.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from craftworld.scenario import require_number, where
from craftworld.shared_scenario import SharedScenario
from engine.grid import GridMap
from engine.scene import Mark, Scene

CLEANED = 3


class CanalState(NamedTuple):
    """water: loads in the canal. season: how many are over. taken: by each farmer in the last season, or cleaned."""

    water: int
    season: int
    first_taken: int
    second_taken: int
    third_taken: int
    fourth_taken: int


class IrrigationCanal(SharedScenario):
    """The canal. water: loads in the first season. largest: its full depth. seasons: until the year is over."""

    problem = "Whoever comes first at the water decides for all below, and nobody likes to clean up for others."
    rules = """
    You are farmer 1, at the head of a canal that four share. Each season it brings as many loads of water as it is
    deep. You take no load, one or two, each worth 1 to you, or clean the canal. Then farmer 2, farmer 3 and farmer 4,
    in this order, take one load each while there is any. Every season the canal silts up by one load, and each who
    cleans makes it one deeper, up to {world.largest}. The year is over after {world.seasons} seasons. The fields say
    how much water there is, how many seasons are over, and what each took last.
    """
    wishes = """
    To farmer 2, farmer 3 and farmer 4 each load that they take is worth 1.
    """
    agents = ("farmer 1", "farmer 2", "farmer 3", "farmer 4")
    agent_actions = ("take nothing", "take one", "take two", "clean")
    art = """
###########
#W=1=2=3=4#
###########
"""
    legend: ClassVar[Mapping[str, str | tuple[str, ...]]] = {
        "W": "weir",
        "=": "canal",
        "1": "farmer 1",
        "2": "farmer 2",
        "3": "farmer 3",
        "4": "farmer 4",
    }
    once = ("weir", "farmer 1", "farmer 2", "farmer 3", "farmer 4")
    entrance = "weir"
    shuffle = None

    def __init__(
        self,
        grid: GridMap | None = None,
        *,
        water: int = 4,
        largest: int = 5,
        seasons: int = 3,
        planner: str = "first",
    ) -> None:
        super().__init__(grid, planner=planner)
        bounds = (("seasons", seasons, 1, 50), ("largest", largest, 1, 20), ("water", water, 0, largest))
        for name, value, least, most in bounds:
            require_number(self, name, value, least, most, whole=True)
        self.water, self.largest, self.seasons = water, largest, seasons
        self.sizes = (largest + 1, seasons + 1, *[CLEANED + 1] * len(self.agents))

    def starts(self) -> Mapping[CanalState, float]:
        return {CanalState(self.water, 0, 0, 0, 0, 0): 1.0}

    def act(self, state: CanalState, agent: int, action: Any) -> CanalState:
        cleans = np.asarray(action) == CLEANED
        loads = where(cleans, 0, np.minimum(action, state.water))
        fields = list(state)
        fields[0], fields[2 + agent] = state.water - loads, where(cleans, CLEANED, loads)
        after = CanalState(*fields)
        if agent < len(self.agents) - 1:
            return after
        deep, cleaners = after.water, 0
        for taken in after[2:]:
            deep, cleaners = deep + where(np.asarray(taken) == CLEANED, 0, taken), cleaners + (taken == CLEANED)
        deep = np.clip(deep - 1 + cleaners, 0, self.largest)
        return after._replace(water=deep, season=np.minimum(after.season + 1, self.seasons))

    def agent_reward(self, agent: int, state: CanalState, next_state: CanalState) -> Any:
        return where(np.asarray(next_state[2 + agent]) == CLEANED, 0.0, 1.0 * np.asarray(next_state[2 + agent]))

    def policy(self, agent: int, state: CanalState, so_far: CanalState) -> Any:
        """Return one load a season, whatever the others do."""
        return where(np.asarray(state.water) > 0, 1, 0)

    def is_terminal(self, state: CanalState) -> Any:
        return np.asarray(state.season) == self.seasons

    def scene(self, state: CanalState) -> Scene:
        farmers = [
            Mark(*self.grid.only(name), str(number), name, "agent" if number == 1 else "other")
            for number, name in enumerate(self.agents, start=1)
        ]
        canal = [
            Mark(*cell, "=", "canal with water", "feature")
            if state.water > number
            else Mark(*cell, "-", "canal", "feature")
            for number, cell in enumerate(sorted(self.grid.cells("canal")))
        ]
        weir = Mark(*self.grid.only("weir"), "W", "weir", "feature")
        caption = f"season {state.season} of {self.seasons}: {state.water} loads of water"
        if state.season:
            done = ["cleaned" if taken == CLEANED else f"took {taken}" for taken in state[2:]]
            caption += f"; {', '.join(done)}"
        return Scene(self.grid.walls, (weir, *canal, *farmers), caption=caption)
