"""Certificates at extreme discounts and scales: bounds are a tiny part of returns apart, and hold the truth."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.certificates.superharmonic import (
    ROUNDED,
    Pair,
    add_exactly,
    add_pairs,
    multiply_exactly,
    scale_pair,
)
from engine.planning.certificates.trade_off import certify
from engine.planning.trade_off.optimal_segments import find_segments
from tests.engine.test_certificates import as_stored
from tests.engine.worlds import numbered

DISCOUNTS = (0.5, 0.9, 0.99, 0.9999, 0.99999, 0.999999, 0.9999999)
SIZES = (2, 3, 5, 10, 30, 100, 200)
WIDE, WRONG = 5e-13, 1e-11
FLOATS = st.floats(-1e100, 1e100).filter(lambda number: number == 0.0 or abs(number) > 1e-100)


def extreme(number: int) -> tuple[TabularMDP, Floats]:
    """A random table whose numbers have all their digits, every third one with a terminal state, and another reward."""
    rng = np.random.default_rng(number)
    states, actions, successors = SIZES[number % len(SIZES)], int(rng.integers(1, 4)), int(rng.integers(1, 4))
    shape, scale = (states, actions, successors), 10.0 ** rng.integers(-12, 13)
    next_state = rng.integers(0, states, shape).astype(np.int32)
    probability = rng.dirichlet(np.ones(successors), shape[:2])
    if successors > 1 and rng.integers(3) == 0:  # a tiny chance
        probability[..., 0] = 1e-9
        probability /= probability.sum(axis=2, keepdims=True)
    reward, auxiliary = rng.normal(size=shape) * scale, rng.normal(size=shape) * 10.0 ** rng.integers(-12, 13)
    terminal = (np.arange(states) == states - 1) & (number % 3 == 0)
    next_state[terminal], probability[terminal] = states - 1, np.eye(successors)[0]
    reward[terminal], auxiliary[terminal] = 0.0, 0.0
    return numbered(next_state, probability, reward, terminal, float(rng.choice(DISCOUNTS))), auxiliary


@pytest.mark.slow
def test_errors_are_a_small_part_of_returns() -> None:
    for number in range(9):
        mdp, auxiliary = extreme(number)
        unit = float(np.abs(mdp.reward).max() / np.abs(auxiliary).max()) if auxiliary.any() else 1.0
        segments = find_segments(mdp, auxiliary, 0, (0.0, unit))
        certificate = certify(mdp, auxiliary, 0, segments)
        for segment, line in zip(segments, certificate.lines, strict=True):
            assert line is not None
            for bounds, value, reward in (
                (line.own, segment.line.own, mdp.reward),
                (line.auxiliary, segment.line.auxiliary, auxiliary),
            ):
                scale = max(abs(value), float(np.abs(reward).max()))
                assert float(bounds.upper - bounds.lower) <= WIDE * scale, number
                assert bounds.error(value) <= WRONG * scale, number
        assert certificate.loss.amount is not None
        assert float(certificate.loss.amount) <= 1e-9 * certificate.loss.scale, number


def test_bounds_hold_the_truth() -> None:
    for number in range(70):
        mdp, _ = extreme(number)
        if len(mdp.terminal) > 5:
            continue
        only = replace(
            mdp, actions=("",), next_state=mdp.next_state[:, :1], probability=mdp.probability[:, :1],
            reward=mdp.reward[:, :1],
        )  # fmt: skip
        [segment] = find_segments(only, np.zeros(only.reward.shape), 0)
        certificate = certify(only, np.zeros(only.reward.shape), 0, [segment])
        [line] = certificate.lines
        assert line is not None
        truth = as_stored(only)
        assert line.own.lower <= truth <= line.own.upper


@given(FLOATS, FLOATS, FLOATS, FLOATS)
def test_pairs_of_floats_add_and_multiply_in_twice_the_precision(
    one: float, other: float, low: float, by: float
) -> None:
    def true(pair: Pair) -> Fraction:
        return Fraction(float(pair[0])) + Fraction(float(pair[1]))

    a, b, c, factor = (np.float64(number) for number in (one, other, low, by))
    assert true(add_exactly(a, b)) == Fraction(one) + Fraction(other)
    assert true(multiply_exactly(a, b)) == Fraction(one) * Fraction(other)
    pair = add_exactly(a, c)
    total, product = add_pairs(pair, (b, np.float64(0.0))), scale_pair(pair, factor)
    size = abs(Fraction(one)) + abs(Fraction(low)) + abs(Fraction(other))
    assert abs(true(total) - true(pair) - Fraction(other)) <= Fraction(ROUNDED) * size
    assert abs(true(product) - true(pair) * Fraction(by)) <= Fraction(ROUNDED) * abs(true(pair) * Fraction(by))
