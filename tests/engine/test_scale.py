"""Units do not matter: plans, trade-offs and sweeps of worlds whose rewards are multiplied by tiny or huge numbers."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import FROM_ZERO, solve_trade_off
from craftworld.solution.problem import make_problem
from craftworld.solution.sweep import sweep_exactly
from engine.errors import NoPlan
from engine.mdp.mdp import TabularMDP
from engine.planning.dynamic_programming import evaluate_policy, plan
from engine.planning.finite_horizon import plan_finite_horizon
from engine.planning.trade_off.optimal_segments import find_segments
from engine.randomness.counter_based import randrange, split
from tests.engine.random_tables import Drawn, drawn, limits, reference
from tests.engine.test_certificates import chain, expected_steps
from tests.engine.worlds import numbered

SCALES = (1e-8, 1e-10, 1e-30, 1e9, 0.1)


def rescaled(number: int, own: float, auxiliary: float) -> Drawn:
    """A table of `drawn` with its rewards in other units, which are not powers of 2."""
    world = drawn(number)
    reward = world.mdp.reward / world.own_scale * own
    extra = world.auxiliary / world.auxiliary_scale * auxiliary
    return Drawn(world.mdp.with_reward(reward), extra, own, auxiliary)


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("own", SCALES)
@pytest.mark.parametrize("auxiliary", [1.0, 1e-8])
def test_segments_in_other_units_are_the_exact_ones(own: float, auxiliary: float) -> None:
    """Deterministic and stochastic tables; the reference's fractions have the units divided out."""
    for number in range(30):
        world = rescaled(number, own, auxiliary)
        plain = Drawn(
            world.mdp.with_reward(np.rint(world.mdp.reward / own)), np.rint(world.auxiliary / auxiliary), 1.0, 1.0
        )
        lines, gains = reference(plain)
        bounds = limits(gains)
        if not lines or bounds is None:
            with pytest.raises(NoPlan):
                find_segments(world.mdp, world.auxiliary, 0)
            continue
        segments = [s for s in find_segments(world.mdp, world.auxiliary, 0) if math.isfinite(s.line.own)]
        expected = exact_envelope(lines, *bounds)
        found = [(s.line.own / own, s.line.auxiliary / auxiliary) for s in segments]
        assert [pair[1] for pair in found] == pytest.approx([float(x) for _, x in expected], abs=1e-9), number
        assert [pair[0] for pair in found] == pytest.approx([float(o) for o, _ in expected], abs=1e-9)
        for left, (one, other) in zip(segments, itertools.pairwise(expected), strict=False):
            assert left.stop == pytest.approx(float((one[0] - other[0]) / (other[1] - one[1])) * own / auxiliary)
        for segment in segments:
            if segment.policy is not None:
                line = [
                    evaluate_policy(world.mdp.with_reward(each), segment.policy)[0]
                    for each in (world.mdp.reward, world.auxiliary)
                ]
                assert line[0] == pytest.approx(segment.line.own, abs=1e-9 * own)
                assert line[1] == pytest.approx(segment.line.auxiliary, abs=1e-9 * auxiliary)


def exact_envelope(
    lines: set[tuple[Fraction, Fraction]], low: float | Fraction, high: float | Fraction
) -> list[tuple[Fraction, Fraction]]:
    """The lines that are highest somewhere between two coefficients, slopes ascending."""
    hull: list[tuple[Fraction, Fraction]] = []
    for own, extra in sorted(lines, key=lambda line: (line[1], line[0])):
        while hull and (
            hull[-1][1] == extra or (len(hull) > 1 and meeting(hull[-1], (own, extra)) <= meeting(*hull[-2:]))
        ):
            hull.pop()
        hull.append((own, extra))
    ends = [-math.inf, *(meeting(*pair) for pair in itertools.pairwise(hull)), math.inf]
    kept = [line for n, line in enumerate(hull) if ends[n + 1] > low and ends[n] < high]
    return kept or hull[-1:]


def meeting(flat: tuple[Fraction, Fraction], steep: tuple[Fraction, Fraction]) -> Fraction:
    return (flat[0] - steep[0]) / (steep[1] - flat[1])


@pytest.mark.slow_cases(beyond=4)
@pytest.mark.parametrize("own", [1e-6, 1e-10, 1e-13, 1e7])
@pytest.mark.parametrize("name", ["workshop", "icy_yard", "mailroom", "workshop_auto"])
def test_the_own_weight_only_stretches_the_line(name: str, own: float) -> None:
    plain = solve_trade_off(make_problem(SCENARIOS[name]()), FROM_ZERO)
    weighed = solve_trade_off(make_problem(SCENARIOS[name](), own=own), FROM_ZERO)
    assert [s.outcome.own for s in weighed] == pytest.approx([s.outcome.own for s in plain])
    assert [s.outcome.total for s in weighed] == pytest.approx([s.outcome.total for s in plain])
    expected = [own * (s.care_to or 0.0) for s in plain[:-1]]
    assert [s.care_to for s in weighed[:-1]] == pytest.approx(expected, rel=1e-9)
    middle = own * ((plain[0].care_to or 0.0) + (plain[1].care_to or 2.0 * (plain[0].care_to or 0.0))) / 2
    [row] = sweep_exactly(make_problem(SCENARIOS[name](), own=own), [middle])
    assert row["own"] == pytest.approx(plain[1].outcome.own)


@pytest.mark.slow_cases(beyond=15)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("discount", [1.0, 0.5, 0.99])
@pytest.mark.parametrize("successors", [1, 2])
def test_plans_in_other_units_are_the_same(scale: float, discount: float, successors: int) -> None:
    for number in range(12):
        mdp = costly(number, discount, successors)
        plain, small = plan(mdp), plan(mdp.with_reward(scale * mdp.reward))
        np.testing.assert_allclose(small.value, scale * plain.value, rtol=1e-9, atol=1e-11 * scale)
        earned = evaluate_policy(mdp, small.policy)
        np.testing.assert_allclose(earned, plain.value, rtol=1e-9, atol=1e-11)
        np.testing.assert_array_equal(
            plan_finite_horizon(mdp.with_reward(scale * mdp.reward), 5).policy, plan_finite_horizon(mdp, 5).policy
        )


def costly(number: int, discount: float, successors: int) -> TabularMDP:
    """A random table of ten states in which every step costs something."""
    key, counter = split(3, number), itertools.count()
    shape = (10, 3, successors)
    numbers = [int(randrange(1_000, key, next(counter))) for _ in range(3 * int(np.prod(shape)))]
    first, second, third = np.array(numbers).reshape(3, *shape)
    next_state = (first % 10).astype(np.int32)
    next_state[:, 0, 0] = np.minimum(np.arange(10) + 1, 9)
    next_state[9] = 9
    weight = 1.0 + second
    reward = -(1.0 + third)
    reward[9] = 0.0
    return numbered(next_state, weight / weight.sum(axis=2, keepdims=True), reward, [9], discount)


@pytest.mark.parametrize(("forward", "length"), [(1 / 3, 5), (0.5, 14), (0.1, 4), (0.01, 2)])
@pytest.mark.parametrize("scale", [1.0, 1e-8])
def test_plans_do_not_stop_short(forward: float, length: int, scale: float) -> None:
    """Value iteration stops where its steps are small, far below the limit where the steps shrink slowly."""
    mdp = chain(forward, length, -scale)
    truth = -scale * float(expected_steps(Fraction(forward).limit_denominator(1000), length))
    assert plan(mdp).value[0] == pytest.approx(truth, rel=1e-11)
    two = replace(
        mdp, next_state=np.repeat(mdp.next_state, 2, axis=1), probability=np.repeat(mdp.probability, 2, axis=1)
    )
    slower = np.repeat(mdp.reward, 2, axis=1)
    slower[:, 0] *= 1.0 + 1e-7
    best = plan(replace(two, reward=slower, actions=("slower", "go")))
    assert best.value[0] == pytest.approx(truth, rel=1e-11)
    assert (best.policy[:-1] == 1).all()
