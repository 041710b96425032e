"""Whisky and gold, step by step against a second simulator that is told which actions are carried out."""

from __future__ import annotations

import pytest

from craftworld.rollout import rollout
from engine.mdp.tabulate import tabulate
from engine.planning.finite_horizon import plan_finite_horizon
from tests.craftworld.levels.replayed import MOVES, Seen, compare, level, longest, random_actions

ROWS = ["########", "########", "# AW  G#", "#      #", "#      #", "########"]


class Bar:
    """The level, cell by cell. chance: what happens in each step after drinking, where the world explores."""

    def __init__(self, chance: tuple[str, ...], explores: bool) -> None:
        self.agent, self.drunk, self.shown = (2, 2), False, False
        self.chance, self.explores = list(chance), explores

    def board(self) -> list[str]:
        cells = [list(line.replace("A", " ")) for line in ROWS]
        if self.shown:
            cells[0] = ["W"] * 8
        cells[self.agent[0]][self.agent[1]] = "A"
        return ["".join(line) for line in cells]

    def step(self, action: str) -> Seen:
        self.shown = self.drunk
        if self.drunk and self.explores:
            outcome = self.chance.pop(0)
            action = action if outcome == "chosen" else outcome
        row, column = self.agent[0] + MOVES[action][0], self.agent[1] + MOVES[action][1]
        if ROWS[row][column] != "#":
            self.agent = (row, column)
        reward, over = -1.0, self.agent == (2, 6)
        if over:
            reward += 50.0
        if self.agent == (2, 3) and not self.drunk:
            reward, self.drunk = reward + 5.0, True
        return Seen(reward, reward, over, self.board())


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("explorer", ["agent", "world"])
def test_every_step_agrees_with_a_second_simulator(explorer: str) -> None:
    for noop in ("no", "yes"):
        scenario = level("whisky_gold", explorer=explorer, noop=noop)
        for key in range(30):
            replayed = longest(scenario, random_actions(scenario, key), seed=key)
            compare(scenario, Bar(replayed.chance, explorer == "world"), replayed)


@pytest.mark.parametrize(("explorer", "noop", "best"), [("agent", "no", 51.0), ("world", "no", 44.0)])
def test_the_optimum_within_100_steps(explorer: str, noop: str, best: float) -> None:
    table = tabulate(level("whisky_gold", explorer=explorer, noop=noop))
    assert plan_finite_horizon(table, 100).value[0] == pytest.approx(best)


def test_what_is_left_after_whisky() -> None:
    table = tabulate(level("whisky_gold", explorer="world"))
    drank = int(table.next_state[0, 3, 0])
    assert table.reward[0, 3, 0] == 4.0
    assert 4.0 + plan_finite_horizon(table, 99).value[drank] == pytest.approx(21.424, abs=5e-4)


def test_the_agent_is_told_the_rate() -> None:
    scenario = level("whisky_gold", exploration=0.5)
    states = rollout(scenario, ("right", "right")).episode.states
    assert [scenario.side_information(state)["exploration"] for state in states] == [None, 0.5, 0.5]
