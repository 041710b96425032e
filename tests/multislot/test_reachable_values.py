"""What policies reach in two futures, against all deterministic policies one by one, as the planner evaluates each."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest

from engine.errors import BadValue
from multislot.futures import admit_any_slot, find_future
from multislot.planning.belief import compute_belief
from multislot.planning.planner import evaluate
from multislot.planning.reachable_values import find_convex_hull, find_reachable_values, find_upper_right
from multislot.scenarios import SLOT_SCENARIOS, slot_scenario
from multislot.worlds.environment import AgentHistory

FUTURES = ("cpy_joint", "every")
HALF = Fraction(1, 2)


def evaluate_every_policy(environment: Any, steps: int) -> list[tuple[Fraction, ...]]:
    """The values of all functions to actions from the histories of fewer steps, of those that somebody can have."""
    pairs = list(itertools.product(environment.actions, environment.rewards))
    asked: list[AgentHistory] = [()]
    for length in range(1, steps):
        histories = itertools.product(pairs, repeat=length)
        asked += [history for history in histories if compute_belief(environment, history, admit_any_slot)]
    found = []
    for chosen in itertools.product(environment.actions, repeat=len(asked)):
        actions = dict(zip(asked, chosen, strict=True))
        values = [evaluate(environment, name, steps, HALF, policy=actions.__getitem__).V for name in FUTURES]
        found.append(tuple(map(Fraction, values)))
    return found


@pytest.mark.parametrize(("name", "steps"), [*((name, 2) for name in SLOT_SCENARIOS.names()), ("copy_bonus", 3)])
def test_the_hull_and_the_mean_are_those_of_all_policies(name: str, steps: int) -> None:
    """Each history's action is drawn by itself, so that random actions have the mean of all policies."""
    environment = slot_scenario(name).environment
    every = evaluate_every_policy(environment, steps)
    found = find_reachable_values(environment, tuple(map(find_future, FUTURES)), steps, HALF)  # type: ignore[arg-type]
    assert found.hull == find_convex_hull(every)  # type: ignore[arg-type]
    assert found.random == tuple(sum(column) / len(every) for column in zip(*every, strict=True))


def test_optimal_policies_lie_on_the_edge_four_steps_ahead() -> None:
    for name in ("split_tree", "threshold", "copy_delete_original"):
        environment = slot_scenario(name).environment
        found = find_reachable_values(environment, tuple(map(find_future, FUTURES)), 4, HALF)  # type: ignore[arg-type]
        for place, future in enumerate(FUTURES):
            assert max(point[place] for point in found.hull) == evaluate(environment, future, 4, HALF).V


def test_hulls_by_hand() -> None:
    square = [(Fraction(x), Fraction(y)) for x in range(3) for y in range(3)]
    assert find_convex_hull(square) == ((0, 0), (2, 0), (2, 2), (0, 2))
    assert find_upper_right(square) == [(2, 2)]
    assert find_upper_right([(0, 3), (1, 2), (3, 0), (2, 2), (1, 1)]) == [(3, 0), (2, 2), (0, 3)]  # type: ignore[list-item]
    assert find_upper_right([(3, -3), (1, 0), (0, 2)]) == [(3, -3), (0, 2)]  # type: ignore[list-item]  # mixtures exceed (1, 0)
    assert find_upper_right([]) == []
    assert find_convex_hull([(0, 0), (1, 1), (2, 2)]) == ((0, 0), (2, 2))  # type: ignore[list-item]


def test_futures_on_a_slot_are_refused() -> None:
    with pytest.raises(BadValue, match="follows all copies"):
        find_reachable_values(slot_scenario("swap").environment, (find_future("dyn"), find_future("every")), 2, HALF)
