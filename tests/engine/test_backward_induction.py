"""Theory: backward induction with a few steps left, on a corridor whose values can be counted by hand."""

import pytest

from engine.errors import BadValue
from engine.mdp.mdp import Outcome
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import value_iteration
from engine.planning.finite_horizon import plan_finite_horizon


class Corridor:
    """Cells 0 to 3; every step right of cell 2 has reward 1, going left has 0; cell 0 is terminal."""

    actions = ("left", "right")

    def starts(self) -> dict[int, float]:
        return {1: 1.0}

    def outcomes(self, state: int, action: int) -> list[Outcome]:
        target = min(state + 1, 3) if action else state - 1
        return [Outcome(target, 1.0 if target == 3 else 0.0)]

    def is_terminal(self, state: int) -> bool:
        return state == 0


def test_each_step_left_adds_one_more_reward() -> None:
    mdp = tabulate(Corridor(), 0.5)
    start = mdp.index[1]
    worth = [plan_finite_horizon(mdp, steps).value[start] for steps in range(5)]
    assert worth == [0.0, 0.0, 0.5, 0.75, 0.875]
    assert plan_finite_horizon(mdp, 4).action_value[start].tolist() == [0.0, 0.875]
    assert plan_finite_horizon(mdp, 3).policy[start] == 1


def test_a_long_horizon_gives_the_infinite_horizon_value() -> None:
    mdp = tabulate(Corridor(), 0.5)
    assert plan_finite_horizon(mdp, 60).value == pytest.approx(value_iteration(mdp).value, abs=1e-10)


def test_a_negative_horizon_is_refused() -> None:
    with pytest.raises(BadValue, match="-1 steps"):
        plan_finite_horizon(tabulate(Corridor(), 0.5), -1)
