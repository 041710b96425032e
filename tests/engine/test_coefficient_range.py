"""A range of coefficients: the same segments as on the whole line, cut; nothing outside is solved or needs to be."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from engine.errors import BadValue, NoPlan
from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.lexicographic import PairIteration
from engine.planning.trade_off.envelope import Segment
from engine.planning.trade_off.optimal_segments import find_segment_at, find_segments
from engine.randomness.counter_based import randrange, split
from tests.engine.random_tables import drawn
from tests.engine.worlds import numbered

RANGES = 4


def two_way(own_gain: float, extra: float) -> tuple[TabularMDP, Floats]:
    """A room that is left with half a chance, or stayed in for own_gain and `extra`: one more room than needed."""
    next_state = np.array([[[1, 0], [0, 0]], [[1, 1], [1, 1]]], dtype=np.int32)
    probability = np.array([[[0.5, 0.5], [0.5, 0.5]], [[1.0, 0.0], [1.0, 0.0]]])
    reward = np.zeros(next_state.shape)
    reward[0, 0], reward[0, 1] = -1.0, own_gain
    auxiliary = np.zeros(next_state.shape)
    auxiliary[0, 1] = extra
    return numbered(next_state, probability, reward, [1], actions=("leave", "stay")), auxiliary


def same(one: Segment, other: Segment, scale: float) -> bool:
    """Whether two segments have the same line."""
    if math.isinf(one.line.own) or math.isinf(other.line.own):
        return one.line.own == other.line.own
    return bool(np.allclose(one.line, other.line, rtol=1e-9, atol=1e-12 * scale))


def check(number: int) -> None:
    """Some ranges of one random table."""
    world = drawn(number)
    try:
        everywhere = find_segments(world.mdp, world.auxiliary, 0)
    except NoPlan:
        return
    unit = world.own_scale / world.auxiliary_scale
    points = [segment.start for segment in everywhere[1:]]
    ends = sorted({*points, *(unit * n for n in (-7.5, -2.0, -0.7, 0.0, 0.3, 1.0, 4.0)), -math.inf, math.inf})
    key, counter = split(1, number), itertools.count()
    for _ in range(RANGES):
        one, other = (ends[int(randrange(len(ends), key, next(counter)))] for _ in range(2))
        low, high = min(one, other), max(one, other)
        if low == math.inf or high == -math.inf:
            continue
        part = find_segments(world.mdp, world.auxiliary, 0, (low, high))
        assert (part[0].start, part[-1].stop) == (low, high)
        for left, right in itertools.pairwise(part):
            assert left.stop == right.start
            endless = math.isinf(left.line.own) or math.isinf(right.line.own)  # a limit may be one point
            assert left.start < left.stop or endless  # what ends where the range begins is no part of it
        inner = [n * unit for n in (-6.1, -1.1, -0.31, 0.11, 0.71, 2.3, 5.7) if low <= n * unit <= high]
        for coefficient in [*inner, *(c for c in (low, high, *points) if math.isfinite(c) and low <= c <= high)]:
            expected, found = find_segment_at(everywhere, coefficient), find_segment_at(part, coefficient)
            assert same(found, expected, max(world.own_scale, world.auxiliary_scale)), (number, low, high, coefficient)
        for segment in part:
            if segment.ties:
                assert segment.ties[-1] == segment.line
                assert any(math.isclose(segment.start, point, rel_tol=1e-9, abs_tol=1e-12 * unit) for point in points)


@pytest.mark.slow
def test_a_range_is_a_part_of_the_whole_line() -> None:
    for number in range(150):
        check(number)


def test_the_rest_of_the_line_may_be_unbounded() -> None:
    """Staying earns c - 1 a step: unbounded above care 1, and the range from 0 to 1 does not touch it."""
    mdp, auxiliary = two_way(-1.0, 1.0)
    (inside,) = find_segments(mdp, auxiliary, 0, (-math.inf, 0.5))
    assert inside.line == pytest.approx((-2.0, 0.0))
    finite, endless = find_segments(mdp, auxiliary, 0, (0.0, 5.0))
    assert (finite.start, finite.stop, endless.stop) == (0.0, pytest.approx(1.0), 5.0)
    assert endless.line.own == -math.inf
    (beyond,) = find_segments(mdp, auxiliary, 0, (2.0, 5.0))
    assert (beyond.start, beyond.stop, beyond.line.own) == (2.0, 5.0, -math.inf)
    (point,) = find_segments(mdp, auxiliary, 0, (0.25, 0.25))
    assert (point.start, point.stop) == (0.25, 0.25)


def test_three_cycles_that_leave_no_coefficient() -> None:
    """One gains below care 1, one above 0, and the third has reward 0 at 1, which is found first."""
    next_state = np.array([[2, 0, 1], [3, 0, 2], [3, 1, 2], [3, 3, 3]], dtype=np.int32)[:, :, None]
    own = np.array([[-1.0, -1.0, 0.0], [-1.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0] * 3])[:, :, None]
    auxiliary = np.array([[0.0, 1.0, 1.0], [-1.0, 1.0, -1.0], [0.0, 0.0, 1.0], [0.0] * 3])[:, :, None]
    mdp = numbered(next_state, None, own, [3])
    for between in ((0.0, math.inf), (-math.inf, math.inf), (0.5, 2.0)):
        with pytest.raises(NoPlan, match="positive reward at every coefficient"):
            find_segments(mdp, auxiliary, 0, between)


def test_only_the_range_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    mdp, auxiliary = two_way(-1.0, 1.0)
    asked = []
    for name in ("best", "better"):
        method = getattr(PairIteration, name)

        def noted(self, first, *others, method=method):  # type: ignore[no-untyped-def]
            asked.append(first)
            return method(self, first, *others)

        monkeypatch.setattr(PairIteration, name, noted)
    find_segments(mdp, auxiliary, 0, (-3.0, 0.5))
    assert asked
    assert all(own == 1.0 and -3.0 <= coefficient <= 0.5 for own, coefficient in asked)


@pytest.mark.parametrize(
    "between", [(1.0, 0.0), (math.nan, 1.0), (0.0, math.nan), (math.inf, math.inf), (-math.inf, -math.inf)]
)
def test_ranges_that_hold_nothing(between: tuple[float, float]) -> None:
    mdp, auxiliary = two_way(-1.0, 1.0)
    with pytest.raises(BadValue, match="coefficients from"):
        find_segments(mdp, auxiliary, 0, between)


def test_a_coefficient_outside_the_range_has_no_segment() -> None:
    mdp, auxiliary = two_way(-1.0, 0.0)
    segments = find_segments(mdp, auxiliary, 0, (0.0, 1.0))
    for coefficient in (-1.0, 2.0):
        with pytest.raises(BadValue, match="choose one from 0 to 1"):
            find_segment_at(segments, coefficient)
