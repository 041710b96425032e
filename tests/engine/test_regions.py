"""Regions of several coefficients: against one coefficient's segments, and against all policies of random tables."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from engine.errors import BadValue, NoPlan
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.planning.coefficient_regions import CoefficientDomain, CoverageSet, clip_region, find_window
from engine.planning.policy_chain import PolicyChain
from engine.planning.reward_regions import find_reward_regions
from engine.planning.trade_off.optimal_segments import find_segments
from tests.engine.random_tables import drawn
from tests.engine.worlds import numbered

STATES, ACTIONS = 5, 3
ENDS = ((0.0, math.inf), (-math.inf, 2.0), (-1.0, math.inf), (-math.inf, math.inf))


def random_rewards(seed: int) -> tuple[TabularMDP, list[Floats], CoefficientDomain]:
    """A table with one to three other rewards, at the end or at every step, deterministic or not, discounted or not."""
    rng = np.random.default_rng(seed)
    axes, successors, discount = int(rng.integers(1, 4)), int(rng.integers(1, 3)), (1.0, 0.9)[seed % 2]
    shape = (STATES, ACTIONS, successors)
    next_state = rng.integers(0, STATES, shape).astype(np.int32)
    for state in range(STATES - 1):
        next_state[state, 0, 0] = rng.integers(state + 1, STATES)
    probability = np.broadcast_to(np.array([1.0] if successors == 1 else [0.75, 0.25]), shape).copy()
    next_state[-1], probability[-1] = STATES - 1, np.eye(successors)[0]
    terminal = np.arange(STATES) == STATES - 1
    rewards = [-rng.integers(0, 3, shape).astype(np.float64)]
    stepwise = bool(rng.integers(2))
    rewards += [
        rng.integers(-4, 5, shape) * (np.ones(shape) if stepwise else terminal[next_state]) for _ in range(axes)
    ]
    for reward in rewards:
        reward[-1] = 0.0
    low, high = zip(*(ENDS[rng.integers(len(ENDS))] for _ in range(axes)), strict=True)
    mdp = numbered(next_state, probability, rewards[0], terminal, discount)
    return mdp, rewards, CoefficientDomain.box(low, high)


def all_returns(mdp: TabularMDP, rewards: list[Floats]) -> tuple[Floats, Floats]:
    """What every policy earns that ends or stays where nothing is earned; average rewards of all cycles one can reach.

    Each chain by dense linear algebra.
    """
    vectors, cycles = [], []
    expected = np.stack([(mdp.probability * reward).sum(axis=2) for reward in rewards], axis=2)
    for choice in itertools.product(range(ACTIONS), repeat=STATES - 1):
        policy: Policy = np.array([*choice, 0], dtype=np.int32)
        chain = PolicyChain(mdp, policy)
        steps = chain.transitions.toarray()
        reached = np.linalg.matrix_power(np.eye(STATES) + steps, STATES)[0] > 0
        earned = expected[np.arange(STATES), policy]
        classes = [each for each in chain.endless_classes() if reached[each[0]]] if mdp.discount == 1.0 else []
        cycles += [chain.long_run_share(each) @ earned[each] for each in classes]
        if any(np.abs(earned[each]).max() > 0.0 for each in classes):
            continue
        inside = reached & ~mdp.terminal
        for each in classes:
            inside[each] = False
        live = np.flatnonzero(inside)
        value = np.zeros((STATES, len(rewards)))
        value[live] = np.linalg.solve(np.eye(len(live)) - mdp.discount * steps[np.ix_(live, live)], earned[live])
        vectors.append(value[0])
    return np.array(vectors), np.array(cycles).reshape(-1, len(rewards))


@pytest.mark.slow_cases(beyond=12)
@pytest.mark.parametrize("seed", range(40))
def test_nothing_beats_the_regions_anywhere(seed: int) -> None:
    mdp, rewards, domain = random_rewards(seed)
    vectors, cycles = all_returns(mdp, rewards)
    rng = np.random.default_rng(seed)
    points = [
        np.array(
            [rng.uniform(max(low, -5.0), min(high, 5.0)) for low, high in zip(domain.low, domain.high, strict=True)]
        )
        for _ in range(30)
    ]
    try:
        found = find_reward_regions(mdp, {0: rewards}, domain)
    except NoPlan:
        assert all((cycles @ np.append(1.0, point) > 0.0).any() for point in points)
        return
    for point in points:
        weights = np.append(1.0, point)
        endless = bool((cycles @ weights > 1e-9).any())
        assert found.is_finite(point) != endless
        if not endless:
            best = found.at(point)
            assert best.value_at(point) == pytest.approx(float((vectors @ weights).max()), abs=1e-9)
            assert best.holds(point)
    for region in found.regions:
        assert [each for each in found.regions if each.holds(region.interior, -1e-12)] == [region]
        assert np.abs(vectors - region.returns).max(axis=1).min() <= 1e-9


@pytest.mark.slow_cases(beyond=16)
@pytest.mark.parametrize("number", range(40))
def test_one_coefficient_gives_the_segments(number: int) -> None:
    table = drawn(number)
    try:
        segments = find_segments(table.mdp, table.auxiliary, 0, (0.0, math.inf))
    except NoPlan:
        with pytest.raises(NoPlan):
            find_reward_regions(
                table.mdp, {0: [table.mdp.reward, table.auxiliary]}, CoefficientDomain.box([0.0], [math.inf])
            )
        return
    lines = sorted(tuple(one.line) for one in segments if math.isfinite(one.line.own) and one.stop > one.start)
    if not lines:
        return
    found = find_reward_regions(
        table.mdp, {0: [table.mdp.reward, table.auxiliary]}, CoefficientDomain.box([0.0], [math.inf])
    )
    np.testing.assert_allclose(sorted(tuple(one.returns) for one in found.regions), lines, rtol=1e-9, atol=1e-12)


def regions_of_points(points: list[list[float]], domain: CoefficientDomain, epsilon: float = 0.0) -> CoverageSet:
    """The regions where each of several actions earns a point and ends."""
    count = len(points)
    next_state = np.ones((2, count, 1), dtype=np.int32)
    rewards = [np.zeros((2, count, 1)) for _ in points[0]]
    for reward, column in zip(rewards, np.array(points).T, strict=True):
        reward[0, :, 0] = column
    mdp = numbered(next_state, None, rewards[0], [1], actions=tuple(map(str, range(count))))
    return find_reward_regions(mdp, {0: rewards}, domain, epsilon)


def test_a_point_on_an_edge_or_inside_has_no_region() -> None:
    found = regions_of_points([[0, 0], [-1, 1], [-2, 2], [-4, 3], [-9, 3.5]], CoefficientDomain.box([0.0], [math.inf]))
    assert [region.returns.tolist() for region in found.regions] == [[0, 0], [-2, 2], [-4, 3], [-9, 3.5]]
    assert sorted(found.regions[1].halfspaces.tolist()) == [[-2.0, -2.0], [1.0, 2.0]]


def test_half_spaces_are_those_of_neighbours_alone() -> None:
    corners = [[0.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0], [-10.0, 2.0, 2.0]]
    found = regions_of_points(corners, CoefficientDomain.box([0.0, 0.0], [math.inf, math.inf]))
    first = found.regions[0]
    assert sorted(first.halfspaces.tolist()) == [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]]
    assert first.behaviour[0].actions == (0,)
    window = find_window(found.regions)
    assert window[0][0] == window[1][0] == 0.0
    np.testing.assert_allclose(sorted(map(tuple, clip_region(first, window))), [(0, 0), (0, 1), (1, 0), (1, 1)])


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0])
def test_a_cover_says_how_much_it_loses(epsilon: float) -> None:
    rng = np.random.default_rng(3)
    angles = rng.uniform(0.0, math.pi / 2, (200, 2))
    points = np.stack(
        [
            np.cos(angles[:, 0]),
            np.sin(angles[:, 0]) * np.cos(angles[:, 1]),
            np.sin(angles[:, 0]) * np.sin(angles[:, 1]),
        ],
        axis=1,
    )
    domain = CoefficientDomain.box([0.0, 0.0], [4.0, 4.0])
    every = regions_of_points(points.tolist(), domain)
    cover = regions_of_points(points.tolist(), domain, epsilon)
    assert len(cover.regions) < len(every.regions)
    assert every.loss == 0.0 < cover.loss <= epsilon
    for point in rng.uniform(0.0, 4.0, (500, 2)):
        lost = every.at(point).value_at(point) - cover.at(point).value_at(point)
        assert -1e-12 <= lost <= cover.loss + 1e-12


def test_probabilities_as_coefficients() -> None:
    found = regions_of_points([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.6, 0.0, 0.0]], CoefficientDomain.simplex(2))
    assert len(found.regions) == 3
    assert found.at(np.array([0.7, 0.1])).returns.tolist() == [0.0, 1.0, 0.0]
    assert all(region.interior.min() > 0.0 and region.interior.sum() < 1.0 for region in found.regions)


def test_domains_are_checked() -> None:
    with pytest.raises(BadValue, match="7 coefficients"):
        CoefficientDomain.box([0.0] * 7, [1.0] * 7)
    for low, high in ((1.0, 1.0), (2.0, 1.0), (math.nan, 1.0)):
        with pytest.raises(BadValue, match="empty"):
            CoefficientDomain.box([0.0, low], [1.0, high])
    with pytest.raises(BadValue, match="epsilon"):
        regions_of_points([[0.0, 1.0]], CoefficientDomain.box([0.0], [1.0]), math.nan)


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("ends", [(-1e4, 1e4), (-1e5, math.inf), (0.0, 1e6), (-1e6, 1.0)])
def test_far_ends_of_a_range_hide_nothing(ends: tuple[float, float]) -> None:
    rng = np.random.default_rng(21)
    for _ in range(8):
        points = rng.normal(size=(9, 3))
        found = regions_of_points(points.tolist(), CoefficientDomain.box([ends[0], 0.0], [ends[1], 1.0]))
        for theta in rng.uniform([max(ends[0], -2.0), 0.0], [min(ends[1], 2.0), 1.0], (400, 2)):
            assert found.at(theta).value_at(theta) == pytest.approx(float((points @ [1.0, *theta]).max()), abs=1e-9)
        for region in found.regions:  # half-spaces end where another point is better
            others = np.abs(points - region.returns).max(axis=1) > 0.0
            gaps = np.hstack([points[others, 1:] - region.returns[1:], region.returns[:1] - points[others, :1]])
            for corner in clip_region(region, ((-2.0, 2.0), (0.0, 1.0))):
                assert (gaps[:, :-1] @ corner <= gaps[:, -1] + 1e-6).all()
                assert ends[0] - 1e-9 <= corner[0] <= ends[1] + 1e-9
                assert -1e-9 <= corner[1] <= 1.0 + 1e-9


def test_ends_that_could_not_be_told_from_infinity_are_refused() -> None:
    for low, high in ((0.0, 1e300), (-1e308, 1e308), (-1e12, 0.0)):
        with pytest.raises(BadValue, match="or none: -inf, inf"):
            regions_of_points([[0.0, 1.0], [1.0, 0.0]], CoefficientDomain.box([low], [high]))


def test_too_many_corners_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.planning.coverage_set.MOST_CORNERS", 500)
    points = np.abs(np.random.default_rng(0).normal(size=(300, 5)))
    sphere = points / np.linalg.norm(points, axis=1, keepdims=True)
    with pytest.raises(BadValue, match="corners, a plan each; name fewer axes"):
        regions_of_points(sphere.tolist(), CoefficientDomain.box([0.0] * 4, [math.inf] * 4))


def test_a_range_that_is_nothing_beside_the_rewards_is_refused() -> None:
    """It was said that no coefficient has a finite optimum."""
    mdp, rewards, _ = random_rewards(1)
    huge = [rewards[0] * 1e12, *(1e-12 * reward for reward in rewards[1:])]
    axes = len(rewards) - 1
    with pytest.raises(BadValue, match="too narrow"):
        find_reward_regions(mdp, {0: huge}, CoefficientDomain.box([0.0] * axes, [1.0] * axes))
