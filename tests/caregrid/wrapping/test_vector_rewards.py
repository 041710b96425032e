"""MO-Gymnasium: published Pareto fronts come out as our segments, their convex parts, nothing else."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

import caregrid
from craftworld.solution.exact_solution import solve, solve_trade_off
from craftworld.solution.problem import make_problem

mo_gymnasium = pytest.importorskip("mo_gymnasium")


def front(name: str, gamma: float) -> np.ndarray[Any, Any]:
    """The published front, f64[points, rewards]."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.array(mo_gymnasium.make(name).unwrapped.pareto_front(gamma=gamma), dtype=np.float64)


def supported(points: np.ndarray[Any, Any]) -> list[tuple[float, float]]:
    """Of points (own, other) those that are best for some own + care * other with care > 0, by rising other."""
    return sorted(
        {
            tuple(points[np.argmax(points @ np.array([1.0, care]))].round(6).tolist())
            for care in np.geomspace(1e-4, 1e4, 40_001)
        },
        key=lambda point: point[1],
    )


def segments(scenario: Any) -> list[tuple[float, float]]:
    """(own, other) of every segment for care > 0; the first and last may be best at the ends of the range alone."""
    outcomes = [segment.outcome for segment in solve_trade_off(make_problem(scenario), (1e-4, 1e4))]
    return [(outcome.own, next(iter(outcome.others.values()))) for outcome in outcomes]


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("name", ["deep-sea-treasure-v0", "deep-sea-treasure-concave-v0"])
@pytest.mark.parametrize("gamma", [1.0, 0.95])
def test_deep_sea_treasure(name: str, gamma: float) -> None:
    published = supported(front(name, gamma)[:, ::-1])
    found = segments(caregrid.wrap(name, own="time", discount=gamma))
    assert np.array(found) == pytest.approx(np.array(published), abs=1e-5)


def test_deep_sea_treasure_without_discount_is_the_hull_of_its_front() -> None:
    points = front("deep-sea-treasure-v0", 1.0)
    hull = points[ConvexHull(points).vertices]
    corners = {tuple(np.round(point, 5)) for point in hull}
    found = segments(caregrid.wrap("deep-sea-treasure-v0", own="time"))
    assert {(round(treasure, 5), time) for time, treasure in found} <= corners | {
        tuple(np.round(point, 5)) for point in points
    }
    assert len(found) == 9


@pytest.mark.parametrize("death", [0.0, 1.0, 10.0])
def test_resource_gathering(death: float) -> None:
    """Gold is one's own, less what death costs; the gem another's. Published returns discount the first step, too."""
    gamma = 0.9
    points = front("resource-gathering-v0", gamma) / gamma
    published = supported(np.stack([death * points[:, 0] + points[:, 1], points[:, 2]], axis=1))
    scenario = caregrid.wrap(
        "resource-gathering-v0",
        own=(death, 1.0, 0.0),
        others=[caregrid.Other(reward=2, name="gem")],
        chance="every draw",
        discount=gamma,
    )
    assert np.array(segments(scenario)) == pytest.approx(np.array(published), abs=1e-5)


def best_somewhere(points: np.ndarray[Any, Any]) -> list[tuple[float, ...]]:
    """Of points f64[n, rewards] those that alone are best for some weights >= 0, by a margin that is found."""
    chosen = []
    for number, point in enumerate(points):
        worse = np.delete(points, number, axis=0) - point
        width = points.shape[1]
        found = linprog(
            np.append(np.zeros(width), -1.0),
            A_ub=np.hstack([worse, np.ones((len(worse), 1))]),
            b_ub=np.zeros(len(worse)),
            A_eq=np.append(np.ones(width), 0.0)[None],
            b_eq=[1.0],
            bounds=[(0.0, None)] * width + [(None, None)],
        )
        if found.x[-1] > 1e-9:
            chosen.append(tuple(point.tolist()))
    return sorted(chosen)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_the_map_of_resource_gathering_is_the_hull_of_its_front(order: tuple[int, int, int]) -> None:
    """Whatever reward is one's own: death, gold or gem. Published returns discount the first step, too.

    At a discount near 1 the published front lacks the way to both resources past all enemies, in 18 steps.
    """
    gamma = 0.9
    names = [("death", "gold", "gem")[reward] for reward in order]
    points = front("resource-gathering-v0", gamma)[:, list(order)] / gamma
    scenario = caregrid.wrap(
        "resource-gathering-v0",
        own=order[0],
        others=[caregrid.Other(reward=reward, name=name) for reward, name in zip(order[1:], names[1:], strict=True)],
        chance="every draw",
        discount=gamma,
    )
    found = caregrid.problem(scenario).regions(names[1:])
    returns = sorted(tuple(region.region.returns.tolist()) for region in found.regions)
    assert len(returns) > 2
    assert np.array(returns) == pytest.approx(np.array(best_somewhere(points)), abs=1e-5)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(("own", "other"), [(0, 1), (2, 5), ((1, 1, 0, 0, 0, 0), (0, 0, 1, 0, 0, 1))])
def test_fruit_tree(own: int | Sequence[float], other: int | Sequence[float]) -> None:
    """Six nutrients, two of them or two sums of them at a time."""
    fruits = front("fruit-tree-v0", 1.0)
    one, two = (np.eye(6)[each] if isinstance(each, int) else np.array(each) for each in (own, other))
    published = supported(np.stack([fruits @ one, fruits @ two], axis=1))
    scenario = caregrid.wrap("fruit-tree-v0", own=own, others=[caregrid.Other(reward=other, name="other")])
    assert np.array(segments(scenario)) == pytest.approx(np.array(published), abs=1e-5)


def test_four_rooms_with_a_maze_of_ones_own() -> None:
    """Blue squares are one's own, red circles somebody else's: one goes for either on the way to the goal, or both."""
    from mo_gymnasium.envs.four_room.four_room import FourRoom

    maze = np.array([list("_ 1"), list(" X "), list("3 G")])
    scenario = caregrid.wrap(
        FourRoom(maze=maze), own="blue squares", others=[caregrid.Other(reward=2, name="red circles")], discount=0.5
    )
    found = segments(scenario)
    straight = (0.5 + 0.125, 0.125)  # the square in the second step, the goal, which gives one of each, in the fourth
    assert found[0] == pytest.approx(straight)
    assert found[-1] == pytest.approx(straight[::-1])


def test_shapes_that_were_collected_are_gone_for_the_next_agent() -> None:
    """One shape: whoever takes it leaves none; the goal gives one of each."""
    from mo_gymnasium.envs.four_room.four_room import FourRoom

    env = FourRoom(maze=np.array([list("_1G")]))
    others = [caregrid.Other(reward=0, continues=lambda state: state._replace(row=0, column=0), name="next agent")]
    outcome, _ = solve(make_problem(caregrid.wrap(env, own=0, others=others)), 0.0)
    assert (outcome.own, outcome.others) == (2.0, {"next agent": 1.0})


def test_wrapped_vector_worlds_show_their_pictures() -> None:
    scenario = caregrid.wrap("deep-sea-treasure-v0", own="time")
    assert scenario.scene(next(iter(scenario.starts()))).frame is not None
