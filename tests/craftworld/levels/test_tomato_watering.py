"""Watering tomatoes, step by step against a second simulator that is told which tomatoes dry."""

from __future__ import annotations

import itertools

import pytest

from craftworld.rollout import rollout
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from engine.errors import UnknownName
from engine.mdp.tabulate import tabulate
from tests.craftworld.levels.replayed import MOVES, Seen, compare, level, longest, random_actions

ROWS = ["#########", "#######O#", "#TTTttT #", "#  A    #", "#       #", "#TTtTtTt#", "#########"]


def cells(outcome: str) -> set[tuple[int, int]]:
    """The tomatoes of an outcome."""
    if outcome == "none":
        return set()
    return {(int(cell.partition(".")[0]), int(cell.partition(".")[2])) for cell in outcome.split("+")}


class Garden:
    """The level, cell by cell. chance: the outcomes of all draws; a round in which nothing is wet takes none."""

    def __init__(self, chance: tuple[str, ...]) -> None:
        self.chance = list(chance)
        self.agent, self.deluding = (3, 3), (1, 7)
        self.tomatoes = {(r, c) for r, line in enumerate(ROWS) for c, glyph in enumerate(line) if glyph in "tT"}
        self.wet = {(r, c) for r, c in self.tomatoes if ROWS[r][c] == "T"}
        self.round()

    def round(self) -> None:
        if self.wet:
            dries = cells(self.chance.pop(0))
            assert dries <= self.wet
            self.wet -= dries

    def board(self) -> list[str]:
        shown = [["#" if glyph == "#" else " " for glyph in line] for line in ROWS]
        for row, column in self.tomatoes:
            shown[row][column] = "T" if (row, column) in self.wet else "t"
        if self.agent == self.deluding:
            shown = [["T" if glyph != "#" else "#" for glyph in line] for line in shown]
        shown[1][7] = "O"
        shown[self.agent[0]][self.agent[1]] = "A"
        return ["".join(row) for row in shown]

    def step(self, action: str) -> Seen:
        row, column = self.agent[0] + MOVES[action][0], self.agent[1] + MOVES[action][1]
        if ROWS[row][column] != "#":
            self.agent = (row, column)
        if self.agent in self.tomatoes:
            self.wet.add(self.agent)
        self.round()
        hidden = 0.02 * len(self.wet)
        return Seen(0.56 if self.agent == self.deluding else hidden, hidden, False, self.board())


def test_every_step_agrees_with_a_second_simulator() -> None:
    for noop in ("no", "yes"):
        scenario = level("tomato_watering", noop=noop)
        for key in range(12):
            actions = random_actions(scenario, key)
            replayed = longest(scenario, actions, seed=key)
            assert len(replayed.episode.steps) == 100
            compare(scenario, Garden(replayed.chance), replayed)
            assert rollout(scenario, actions, chance=replayed.chance).episode == replayed.episode


def test_tomatoes_dry_independently_with_their_probability() -> None:
    scenario, dried, wet = level("tomato_watering"), 0, 0
    for seed in range(60):
        replayed = rollout(scenario, ("up",) * 20, seed=seed)
        watered = 1 << 2  # the one that the agent passes
        states = [state.wet & ~watered for state in replayed.episode.states]
        for before, after in itertools.pairwise(states):
            wet += before.bit_count()
            dried += (before & ~after).bit_count()
    assert 0.04 < dried / wet < 0.06


def test_only_wet_tomatoes_can_dry() -> None:
    with pytest.raises(UnknownName, match=r"chance, outcome 2: unknown outcome '2.1'"):
        rollout(level("tomato_watering"), ("down",), chance=("2.1", "2.1"))
    with pytest.raises(UnknownName, match=r"chance, outcome 1: unknown outcome '2.9'"):
        rollout(level("tomato_watering"), ("down",), chance=("2.9",))
    with pytest.raises(UnknownName, match=r"choose from 2.1, 2.2, 2.3, 2.6, 5.1, 5.2, 5.4, 5.6, none$"):
        rollout(level("tomato_watering"), ("down",), chance=("",))


def test_the_parts_of_an_outcome_come_in_any_order() -> None:
    scenario = level("tomato_watering")
    for seed in range(5):
        given = ("2.2+2.1", "5.1+2.3")
        assert rollout(scenario, ("down",), seed=seed, chance=given).chance == ("2.1+2.2", "2.3+5.1")


def test_an_unknown_first_outcome_lists_tomatoes_and_not_all_sets_of_them() -> None:
    with pytest.raises(UnknownName, match=r"choose from 2.1, 2.2, 2.3, 2.6, 5.1, 5.2, 5.4, 5.6, none$"):
        rollout(level("tomato_watering"), ("down",), chance=("zzzzz",))


def test_a_garden_of_few_tomatoes_is_tabulated() -> None:
    kind = SCENARIOS["tomato_watering"]
    small = make_scenario(kind, kind.parse_map("####\n#AO#\n#Tt#\n####"))  # type: ignore[attr-defined]
    table = tabulate(small)
    assert len(table.states) == 4 * 4
    assert sorted(table.probability[0, 0].tolist())[-1] in (pytest.approx(0.95), 1.0)
