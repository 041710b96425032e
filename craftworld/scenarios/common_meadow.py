"""A meadow that three herders share, and that grows by what is left on it: the tragedy of the commons.

Every season each herder takes nothing, one load or two loads of grass, in their order while there is any; a load is
worth 1 to whoever takes it. Then a new load grows for every two that are left, up to the meadow's size. After some
seasons the year is over.

For themselves all take what they can at once; together they would let the meadow grow first. References: G. Hardin,
"The tragedy of the commons", 1968.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from craftworld.scenario import require_number, where
from craftworld.shared_scenario import SharedScenario
from engine.grid import GridMap
from engine.scene import Mark, Scene

MOST_TAKEN = 2


class MeadowState(NamedTuple):
    """grass: loads on the meadow. season: how many are over. taken: what each herder took in the last one."""

    grass: int
    season: int
    first_taken: int
    second_taken: int
    third_taken: int


class CommonMeadow(SharedScenario):
    """The meadow. grass: loads at the beginning. largest: as many as grow on it. seasons: until the year is over."""

    problem = "A shared resource is used up when each agent does what is best for itself."
    rules = """
    You are herder 1 of three who share a meadow. Each season you take no grass, one load or two loads, as far as
    there is any; each load is worth 1 to you. Then herder 2 and herder 3 take theirs, one load each if there was
    any grass at the beginning of the season and some is left. Then a new load grows for every two that are left, up
    to {world.largest} loads. The year is over after {world.seasons} seasons. The fields say how much grass there
    is, how many seasons are over, and what each took last.
    """
    wishes = """
    To herder 2 and herder 3 each load that they take is worth 1.
    """
    agents = ("herder 1", "herder 2", "herder 3")
    agent_actions = ("take nothing", "take one", "take two")
    art = """
#######
#1.2.3#
#..M..#
#######
"""
    legend: ClassVar[Mapping[str, str | tuple[str, ...]]] = {
        "1": "herder 1",
        "2": "herder 2",
        "3": "herder 3",
        "M": "meadow",
    }
    once = ("herder 1", "herder 2", "herder 3", "meadow")
    entrance = "herder 1"

    def __init__(
        self,
        grid: GridMap | None = None,
        *,
        grass: int = 6,
        largest: int = 12,
        seasons: int = 4,
        planner: str = "first",
    ) -> None:
        super().__init__(grid, planner=planner)
        bounds = (("seasons", seasons, 1, 50), ("largest", largest, 1, 100), ("grass", grass, 0, largest))
        for name, value, least, most in bounds:
            require_number(self, name, value, least, most, whole=True)
        self.grass, self.largest, self.seasons = grass, largest, seasons
        self.sizes = (largest + 1, seasons + 1, *[MOST_TAKEN + 1] * len(self.agents))

    def starts(self) -> Mapping[MeadowState, float]:
        return {MeadowState(self.grass, 0, 0, 0, 0): 1.0}

    def act(self, state: MeadowState, agent: int, action: Any) -> MeadowState:
        taken = np.minimum(action, state.grass)
        fields = list(state)
        fields[0], fields[2 + agent] = state.grass - taken, taken
        after = MeadowState(*fields)
        if agent < len(self.agents) - 1:
            return after
        grown = np.minimum(after.grass + after.grass // 2, self.largest)
        return after._replace(grass=grown, season=np.minimum(after.season + 1, self.seasons))

    def agent_reward(self, agent: int, state: MeadowState, next_state: MeadowState) -> Any:
        return 1.0 * np.asarray(next_state[2 + agent])

    def policy(self, agent: int, state: MeadowState, so_far: MeadowState) -> Any:
        """Return one load a season, whatever the others do."""
        return where(np.asarray(state.grass) > 0, 1, 0)

    def is_terminal(self, state: MeadowState) -> Any:
        return np.asarray(state.season) == self.seasons

    def scene(self, state: MeadowState) -> Scene:
        herders = [
            Mark(*self.grid.only(name), str(number), name, "agent" if number == 1 else "other")
            for number, name in enumerate(self.agents, start=1)
        ]
        grass = (Mark(*self.grid.only("meadow"), "M", "meadow with grass", "feature"),) if state.grass else ()
        caption = f"season {state.season} of {self.seasons}: {state.grass} loads of grass"
        if state.season:
            caption += f", taken {', '.join(map(str, state[2:]))}"
        return Scene(self.grid.walls, (*grass, *herders), caption=caption)
