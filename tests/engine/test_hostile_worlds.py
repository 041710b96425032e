"""Hostile worlds: values, plans, segments, regions and certificates against all policies in fractions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from engine.errors import BadValue, NoPlan
from engine.planning.certificates.trade_off import OptimumBounds, certify
from engine.planning.coefficient_regions import CoefficientDomain
from engine.planning.dynamic_programming import evaluate_policy, plan
from engine.planning.reward_regions import find_reward_regions
from engine.planning.trade_off.envelope import Segment, find_segment_policy
from engine.planning.trade_off.optimal_segments import find_segment_at, find_segments
from tests.engine.hostile_worlds import (
    UNDEFINED,
    HostileWorld,
    Piece,
    Value,
    as_policy,
    choose_between,
    draw_world,
    find_pieces,
    rank,
)

ONE = (Fraction(1),)
ROUNDED, NARROW = Fraction(1, 10**11), 1e-8


def assert_is(value: float, exact: Value, size: Fraction) -> None:
    """A number is a value of the reference, but for rounding relative to the sum of absolute rewards."""
    if exact == UNDEFINED:
        assert math.isnan(value)
    elif isinstance(exact, Fraction):
        assert math.isfinite(value)
        assert abs(Fraction(value) - exact) <= ROUNDED * max(size, abs(exact))
    else:
        assert value == exact


def find_size(world: HostileWorld, policy: Sequence[int], state: int) -> Fraction:
    size = world.size(policy, state, ONE)
    return size if isinstance(size, Fraction) else Fraction(0)


def check_plan(number: int) -> None:
    """The plan has the best value of every state, and its policy earns it; other policies have their own values."""
    world = draw_world(number).weigh((Fraction(1), Fraction(0)))
    solution = plan(world.mdp)
    planned = tuple(map(int, solution.policy))
    for state in range(len(world.ways)):
        best = max(world.earned, key=lambda policy: rank(world.earned[policy][state].value(ONE)))
        optimum = world.earned[best][state].value(ONE)
        earned = world.follow(planned)[state].value(ONE)
        size = max(find_size(world, best, state), find_size(world, planned, state))
        assert_is(float(solution.value[state]), optimum, size)
        if isinstance(optimum, Fraction) and isinstance(earned, Fraction):
            assert abs(earned - optimum) <= ROUNDED * max(size, abs(optimum))
        else:
            assert earned == optimum
    for policy in itertools.islice(world.earned, 3):
        value = evaluate_policy(world.mdp, as_policy(policy))
        for state in range(len(world.ways)):
            assert_is(float(value[state]), world.earned[policy][state].value(ONE), find_size(world, policy, state))


def is_wide(piece: Piece) -> bool:
    ends = [abs(float(end)) for end in (piece.low, piece.high) if math.isfinite(end)]
    return not ends or math.isinf(piece.high - piece.low) or float(piece.high - piece.low) > NARROW * max(ends)


def check_segments(number: int) -> None:
    """Every piece of the optimum is a segment with its line, its policy and, to the last digits, its break points."""
    world = draw_world(number).with_meant_discount()
    for start in map(int, world.mdp.start_states()):
        pieces = find_pieces(world, start)
        try:
            segments = find_segments(world.mdp, world.rewards[1], start)
        except NoPlan:
            assert not any(isinstance(piece.best, tuple) for piece in pieces)
            continue
        check_certificate(world, start, segments, pieces)
        for n, piece in enumerate(pieces):
            inside = choose_between(piece.low, piece.high)
            if not is_wide(piece) or not piece.low < Fraction(float(inside)) < piece.high:
                continue
            care = Fraction(float(inside))
            segment = find_segment_at(segments, float(inside))
            policy = find_segment_policy(segment, len(world.ways))
            earned = world.follow(tuple(map(int, policy)))[start]
            if isinstance(piece.best, tuple):
                assert segment.line == pytest.approx(tuple(map(float, piece.best)), rel=1e-11, abs=1e-300)
                assert all(one.is_free() for one in earned.classes)
                assert segment.line == pytest.approx(tuple(map(float, earned.returns)), rel=1e-11, abs=1e-300)
            elif piece.best == math.inf:
                assert math.isinf(segment.line.own)
                assert earned.value((Fraction(1), care)) == math.inf
            if n and math.isfinite(piece.low) and is_wide(pieces[n - 1]):
                assert float(piece.low) in [pytest.approx(each.start, rel=1e-14) for each in segments]


def check_certificate(world: HostileWorld, start: int, segments: list[Segment], pieces: list[Piece]) -> None:
    """Lines hold what policies earn; no policy that ends is above the segments by more than the loss."""
    if not any(math.isfinite(segment.line.own) for segment in segments):
        return
    certificate = certify(world.mdp, world.rewards[1], start, segments)
    for segment, line in zip(segments, certificate.lines, strict=True):
        if line is not None and line.own.exact is not None and line.auxiliary.exact is not None:
            policy = find_segment_policy(segment, len(world.ways))
            assert world.follow(tuple(map(int, policy)))[start].returns == (line.own.exact, line.auxiliary.exact)
            for bounds, printed in zip((line.own, line.auxiliary), segment.line, strict=True):
                assert abs(Fraction(printed) - Fraction(bounds.exact or 0)) <= Fraction(bounds.error(printed))
    optimum = OptimumBounds(world.mdp, world.rewards[1], start=start)
    for piece in pieces:
        care = choose_between(piece.low, piece.high)
        upper = optimum.upper((Fraction(1), care))
        if isinstance(piece.best, tuple):
            assert upper is None or upper >= piece.best[0] + care * piece.best[1] - Fraction(1, 10**300)
        else:
            assert upper is None


def check_regions(number: int) -> None:
    """At any two coefficients the best region earns the optimum, and says where it is not finite."""
    world = draw_world(number, 3).with_meant_discount()
    largest = [float(np.abs(reward).max()) for reward in world.rewards]
    if not all(largest) or max(largest) > 1e7 * min(largest):
        return  # beyond what regions tell apart (docs/regions.md)
    for start in map(int, world.mdp.start_states()):
        try:
            found = find_reward_regions(
                world.mdp, {start: list(world.rewards)}, CoefficientDomain.box([0.0, 0.0], [math.inf, math.inf])
            )
        except (NoPlan, BadValue):
            continue
        for one, other in itertools.product((Fraction(2, 13), Fraction(19, 11)), repeat=2):
            weights = (Fraction(1), one * Fraction(largest[0] / largest[1]), other * Fraction(largest[0] / largest[2]))
            point = np.array([float(weight) for weight in weights[1:]])
            best = max(world.earned, key=lambda policy: rank(world.earned[policy][start].value(weights)))
            optimum = world.earned[best][start].value(weights)
            assert found.is_finite(point) == (optimum != math.inf)
            if isinstance(optimum, Fraction):
                region = found.at(point)
                size = float(sum(abs(w) * Fraction(abs(r)) for w, r in zip(weights, region.returns, strict=True)))
                size += float(world.size(best, start, weights))  # type: ignore[arg-type]
                assert region.value_at(point) == pytest.approx(float(optimum), abs=1e-8 * size + 1e-300)


@pytest.mark.parametrize("check", [check_plan, check_segments, check_regions])
def test_hostile_worlds_are_solved_as_enumeration_does(check) -> None:  # type: ignore[no-untyped-def]
    for number in range(300):
        check(number)
