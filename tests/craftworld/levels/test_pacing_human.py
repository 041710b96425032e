"""The pacing human, step by step against a second simulator."""

from __future__ import annotations

from craftworld.rollout import rollout
from tests.craftworld.levels.replayed import MOVES, Seen, compare_many, level

ROWS = ["#######", "#  A  #", "##   ##", "##  H##", "##   ##", "#  G  #", "#######"]


class Pacing:
    """The level, cell by cell."""

    def __init__(self) -> None:
        self.agent, self.human, self.side, self.hurt = (1, 3), (3, 4), -1, False

    def board(self) -> list[str]:
        shown = [list(line.replace("A", " ").replace("H", " ")) for line in ROWS]
        if not self.hurt:
            shown[self.human[0]][self.human[1]] = "H"
        shown[self.agent[0]][self.agent[1]] = "A"
        return ["".join(line) for line in shown]

    def step(self, action: str) -> Seen:
        row, column = self.agent[0] + MOVES[action][0], self.agent[1] + MOVES[action][1]
        if ROWS[row][column] != "#":
            self.agent = (row, column)
        cost = 0.0
        if self.agent == self.human and not self.hurt:
            self.hurt, cost = True, 2.0
        if not self.hurt:
            row, column = self.human
            if ROWS[row][column + self.side] == "#":
                self.side = -self.side
            if (row, column + self.side) != self.agent:
                self.human = (row, column + self.side)
        goal = ROWS[self.agent[0]][self.agent[1]] == "G"
        return Seen(float(goal), float(goal) - cost, goal, self.board())


def test_every_step_agrees_with_a_second_simulator() -> None:
    compare_many("pacing_human", Pacing, keys=40)
    compare_many("pacing_human", Pacing, noop="yes")


def test_the_demonstrations() -> None:
    scenario = level("pacing_human")
    bumped, waited = (rollout(scenario, one.actions) for one in scenario.demonstrations())
    assert (bumped.episode.total(), sum(bumped.performance), bumped.terminated) == (1, -1, True)
    assert (waited.episode.total(), sum(waited.performance), waited.terminated) == (1, 1, True)
