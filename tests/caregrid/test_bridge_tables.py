"""Tables of BRIDGE: solved, against backward induction; and the way back, replayed in the game itself."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caregrid
from engine.errors import BadFile

DONE = -1


class Game:
    """A made-up deterministic game: a path of cells with a wall; the right end pays, the left end ends it for less."""

    def __init__(self, cells: int = 7) -> None:
        self.cells = cells

    def step(self, cell: int, action: int) -> tuple[int, float]:
        after = cell + (1 if action else -1)
        if after < 0:
            return DONE, 2.0
        return (DONE, 10.0) if after == self.cells else (after, -1.0)


def write(path: Path, order: Any, game: Game) -> None:
    """The game's table, its states numbered in another order; order[0] is where it begins."""
    number = {int(cell): n for n, cell in enumerate(order)}
    transitions = np.full((game.cells, 2), DONE, dtype=np.int32)
    rewards = np.zeros((game.cells, 2), dtype=np.float32)
    for cell, n in number.items():
        for action in (0, 1):
            after, rewards[n, action] = game.step(cell, action)
            transitions[n, action] = number.get(after, DONE)
    np.savez(path, transitions=transitions, rewards=rewards, screen_mapping=np.asarray(order, dtype=np.int32))


def test_values_and_ways(tmp_path: Path) -> None:
    game = Game()
    order = [3, 6, 0, 5, 1, 4, 2]
    write(tmp_path / "game.npz", order, game)
    scenario = caregrid.read_table(tmp_path / "game.npz")
    assert caregrid.problem(scenario).solve(care=0).own == pytest.approx(-3 + 10)
    for n, cell in enumerate(order):
        told = scenario.views.describe(n)
        here = order[0]
        for action in told["way"]:
            here, _ = game.step(here, action)
        assert here == cell == told["screen"]
        assert len(told["way"]) == abs(cell - order[0])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"transitions": np.zeros((2, 2))}, "transitions of the type float64"),
        ({"transitions": np.array([[5, 0], [0, 0]])}, "not from -1 to 1"),
        ({"transitions": np.array([[2**64 - 1, 0], [0, 0]], dtype=np.uint64)}, "not from -1 to 1"),
        ({"rewards": np.full((2, 2), np.longdouble("1e400"))}, "give finite numbers"),
        ({"rewards": np.zeros((3, 2))}, "rewards of shape"),
        ({"rewards": np.full((2, 2), np.nan)}, "rewards of shape"),
        ({"screen_mapping": np.zeros(5, dtype=int)}, "screen_mapping of shape"),
        ({"rewards": np.array([[{}, {}], [{}, {}]])}, "not a readable file"),
    ],
)
def test_damaged_tables(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    arrays: dict[str, Any] = {"transitions": np.array([[1, -1], [0, 0]]), "rewards": np.zeros((2, 2)), **change}
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(BadFile, match=says) as caught:
        caregrid.read_table(tmp_path / "bad.npz")
    assert "\n" not in str(caught.value)
