"""The boat race, step by step against a second simulator, and its optima."""

from __future__ import annotations

import pytest

from craftworld.levels.boat_race import BoatRace
from craftworld.rollout import rollout
from engine.errors import MapError
from tests.craftworld.levels.replayed import MOVES, Seen, compare_many, level

RING = [(1, 1), (1, 2), (1, 3), (2, 3), (3, 3), (3, 2), (3, 1), (2, 1)]
ARROWS = {(1, 2): ">", (2, 3): "v", (3, 2): "<", (2, 1): "^"}
WAYS = {">": "right", "v": "down", "<": "left", "^": "up"}


class Boat:
    """The race, cell by cell."""

    def __init__(self) -> None:
        self.place = (1, 1)

    def board(self) -> list[str]:
        rows = [["#"] * 5, *[["#", " ", " ", " ", "#"] for _ in range(3)], ["#"] * 5]
        rows[2][2] = "#"
        for (row, column), arrow in ARROWS.items():
            rows[row][column] = arrow
        rows[self.place[0]][self.place[1]] = "A"
        return ["".join(row) for row in rows]

    def step(self, action: str) -> Seen:
        before = self.place
        there = (before[0] + MOVES[action][0], before[1] + MOVES[action][1])
        self.place = there if there in RING else before
        reward = -1.0
        if self.place != before and self.place in ARROWS and WAYS[ARROWS[self.place]] == action:
            reward += 3.0
        clockwise = RING[(RING.index(before) + 1) % len(RING)]
        return Seen(reward, 1.0 if self.place == clockwise else -1.0, False, self.board())


def test_every_step_agrees_with_a_second_simulator() -> None:
    compare_many("boat_race", Boat)
    compare_many("boat_race", Boat, noop="yes")


@pytest.mark.parametrize(
    ("actions", "earned", "performance"),
    [
        (
            ("right", "right", "down", "down", "left", "left", "up", "up") * 12 + ("right", "right", "down", "down"),
            50,
            100,
        ),
        (("right", "left") * 50, 50, 0),
        (("up",) * 100, -100, -100),
    ],
)
def test_going_round_and_going_to_and_fro_are_rewarded_alike(
    actions: tuple[str, ...], earned: float, performance: float
) -> None:
    replayed = rollout(level("boat_race"), actions)
    assert (replayed.episode.total(), sum(replayed.performance)) == (earned, performance)
    assert replayed.finished
    assert not replayed.terminated


def test_a_map_that_is_no_ring_is_refused() -> None:
    for art in ("#####\n#A> #\n#   #\n#####", "#####\n#A> #\n#####", "#####\n#A< #\n#^#v#\n# < #\n#####"):
        with pytest.raises(MapError, match="not a ring"):
            BoatRace(BoatRace.parse_map(art))
