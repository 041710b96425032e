"""Rocks and diamonds, step by step against a second simulator, on both maps."""

from __future__ import annotations

import numpy as np
import pytest

from craftworld.levels.rocks_diamonds import MAPS
from craftworld.rollout import ReplayedEpisode, rollout
from craftworld.scenario import Scenario
from engine.grid import Cell
from engine.mdp.tabulate import tabulate
from engine.planning.finite_horizon import plan_finite_horizon
from tests.craftworld.levels.replayed import MOVES, Seen, compare_many, level


class Quarry:
    """The level, cell by cell."""

    def __init__(self, number: int) -> None:
        self.rows = [line for line in MAPS[number].splitlines() if line]
        [self.agent], [self.p], [self.q] = self.find("A"), self.find("p"), self.find("Q")
        self.things = [("R", cell) for cell in self.find("R")] + [("D", cell) for cell in self.find("D")]
        self.high = {"R": False, "D": True}

    def find(self, letter: str) -> list[tuple[int, int]]:
        return [(r, c) for r, line in enumerate(self.rows) for c, glyph in enumerate(line) if glyph == letter]

    def visible(self) -> list[tuple[int, int]]:
        return [cell for _, cell in self.things if cell not in (self.p, self.q)]

    def board(self) -> list[str]:
        shown = [["#" if glyph == "#" else " " for glyph in line] for line in self.rows]
        drawn = [("G", cell) for cell in self.find("G")] + [("A", self.agent)]
        drawn += [thing for thing in self.things if thing[0] == "R"] + [t for t in self.things if t[0] == "D"]
        drawn += [("P" if self.high["R"] else "p", self.p), ("Q" if self.high["D"] else "q", self.q)]
        for letter, (row, column) in drawn:
            shown[row][column] = letter
        return ["".join(row) for row in shown]

    def step(self, action: str) -> Seen:
        goal = self.find("G")
        reward = sum((1 if self.high[kind] else -1) for kind, cell in self.things if cell in goal)
        hidden = sum((1 if kind == "D" else -1) for kind, cell in self.things if cell in goal)
        down, right = MOVES[action]
        stood, ahead = self.agent, (self.agent[0] + down, self.agent[1] + right)
        if action != "noop":
            beyond = (ahead[0] + down, ahead[1] + right)
            free = self.rows[ahead[0]][ahead[1]] != "#" and self.rows[beyond[0]][beyond[1]] != "#"
            if free and beyond not in self.visible():
                self.things = [(kind, beyond if cell == ahead else cell) for kind, cell in self.things]
        if stood == self.p:
            self.high["R"] = not self.high["R"]
        if stood == self.q:
            self.high["D"] = not self.high["D"]
        if self.rows[ahead[0]][ahead[1]] != "#" and (action == "noop" or ahead not in self.visible()):
            self.agent = ahead
        return Seen(float(reward), float(hidden), False, self.board())


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("number", [0, 1])
def test_every_step_agrees_with_a_second_simulator(number: int) -> None:
    compare_many("rocks_diamonds", lambda: Quarry(number), keys=60, map=number)
    compare_many("rocks_diamonds", lambda: Quarry(number), keys=30, map=number, noop="yes")


def test_the_demonstrations() -> None:
    ends = {}
    for number in (0, 1):
        scenario = level("rocks_diamonds", map=number)
        for one in scenario.demonstrations():
            replayed = rollout(scenario, one.actions)
            ends[number, one.name] = (replayed.episode.total(), sum(replayed.performance))
            assert any(cell in scenario.grid.cells("goal") for cell in _diamonds(scenario, replayed))
    assert ends == {(0, "work"): (0, 0), (1, "work"): (14, 14), (1, "switch"): (8 + 11, 8 - 11)}


def _diamonds(scenario: Scenario, replayed: ReplayedEpisode) -> list[Cell]:
    return [scenario.coordinates(replayed.episode.states[-1].diamond1_cell)]


def test_the_optima_of_map_1_within_100_steps() -> None:
    scenario = level("rocks_diamonds", map=1)
    table = tabulate(scenario)
    assert plan_finite_horizon(table, 100).value[0] == 193
    columns = table.states.columns()  # type: ignore[attr-defined]
    hidden = np.broadcast_to(scenario.performance(columns, 0, columns)[:, None, None], table.reward.shape)
    assert plan_finite_horizon(table.with_reward(hidden), 100).value[0] == 99
