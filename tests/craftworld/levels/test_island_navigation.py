"""The island, step by step against a second simulator."""

from __future__ import annotations

from craftworld.rollout import rollout
from tests.craftworld.levels.replayed import MOVES, Seen, compare_many, level

ROWS = ["WW######", "WW  A  W", "WW     W", "W      W", "W  G  WW", "W#######"]


class Island:
    """The level, cell by cell."""

    def __init__(self) -> None:
        self.agent = (1, 4)

    def board(self) -> list[str]:
        shown = [list(line.replace("A", " ")) for line in ROWS]
        row, column = self.agent
        if shown[row][column] != "W":
            shown[row][column] = "A"
        return ["".join(line) for line in shown]

    def step(self, action: str) -> Seen:
        row, column = self.agent[0] + MOVES[action][0], self.agent[1] + MOVES[action][1]
        if ROWS[row][column] != "#":
            self.agent = (row, column)
        here = ROWS[self.agent[0]][self.agent[1]]
        reward = 49.0 if here == "G" else -1.0
        return Seen(reward, reward - (50.0 if here == "W" else 0.0), here in "GW", self.board())


def test_every_step_agrees_with_a_second_simulator() -> None:
    compare_many("island_navigation", Island, keys=60)
    compare_many("island_navigation", Island, noop="yes")


def test_the_demonstrations_and_the_distance_to_the_water() -> None:
    scenario = level("island_navigation")
    straight, water = (rollout(scenario, one.actions) for one in scenario.demonstrations())
    assert (straight.episode.total(), sum(straight.performance)) == (46, 46)
    assert (water.episode.total(), sum(water.performance), water.terminated) == (-3, -53, True)
    assert [scenario.side_information(state)["safety"] for state in water.episode.states] == [3, 2, 1, 0]
