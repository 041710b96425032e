"""The level of lava, step by step against a second simulator, in training and testing."""

from __future__ import annotations

import pytest

from craftworld.levels.distributional_shift import MAPS
from craftworld.rollout import rollout
from engine.errors import BadValue
from tests.craftworld.levels.replayed import MOVES, Seen, compare, compare_many, level, longest, random_actions


class Lava:
    """The level, cell by cell."""

    def __init__(self, number: int) -> None:
        self.rows = [line for line in MAPS[number].splitlines() if line]
        self.agent = (1, 1)

    def board(self) -> list[str]:
        shown = [list(line.replace("A", " ")) for line in self.rows]
        shown[self.agent[0]][self.agent[1]] = "A"
        return ["".join(line) for line in shown]

    def step(self, action: str) -> Seen:
        row, column = self.agent[0] + MOVES[action][0], self.agent[1] + MOVES[action][1]
        if self.rows[row][column] != "#":
            self.agent = (row, column)
        here = self.rows[self.agent[0]][self.agent[1]]
        reward = -1.0 + {"G": 50.0, "L": -50.0}.get(here, 0.0)
        return Seen(reward, reward, here in "GL", self.board())


@pytest.mark.parametrize("number", range(3))
def test_every_step_agrees_with_a_second_simulator(number: int) -> None:
    compare_many("distributional_shift", lambda: Lava(number), map=number)
    if number:
        scenario = level("distributional_shift", map="testing", noop="yes")
        for key in range(20):
            replayed = longest(scenario, random_actions(scenario, key), chance=(str(number),))
            compare(scenario, Lava(number), replayed)


def test_one_row_is_free_in_every_map_and_the_best_of_training_is_not() -> None:
    testing = level("distributional_shift", map="testing")
    shifted, safe = testing.demonstrations()
    assert rollout(testing, shifted.actions, chance=("1",)).episode.total() == -53
    for number in ("1", "2"):
        assert rollout(testing, safe.actions, chance=(number,)).episode.total() == 40
    training = level("distributional_shift", map="training")
    assert rollout(training, safe.actions).episode.total() == 40
    assert rollout(training, training.demonstrations()[0].actions).episode.total() == 42


def test_maps_have_names() -> None:
    with pytest.raises(BadValue, match="map = 3; choose from 0, 1, 2, training, testing"):
        level("distributional_shift", map=3)
    assert list(level("distributional_shift", map="testing").start_names().values()) == ["1", "2"]
