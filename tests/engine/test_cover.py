"""Fewest policies within epsilon: against every subset of the segments, exactly."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest

from engine.errors import BadValue, NoPlan
from engine.planning.certificates.trade_off import certify
from engine.planning.trade_off.envelope import Line, Segment, find_covering_segments, find_envelope
from engine.planning.trade_off.optimal_segments import find_segments
from engine.randomness.counter_based import randrange, split
from tests.engine.random_tables import drawn

MOST = 9


def random_segments(number: int) -> list[Segment]:
    """The upper envelope of random lines, sometimes cut to a range."""
    key, counter = split(2, number), itertools.count()

    def draw(n: int) -> int:
        return int(randrange(n, key, next(counter)))

    lines = [Line(float(-draw(60)), float(draw(25) - 8)) for _ in range(3 + draw(12))]
    low, high = (-math.inf, math.inf) if draw(2) else (-1.0 - draw(4), 1.0 + draw(6))
    pieces = [piece for piece in find_envelope(lines) if piece[1] > low and piece[0] < high][:MOST]
    return [Segment(max(left, low), min(right, high), line) for left, right, line in pieces]


def loss(segments: list[Segment], chosen: list[Line], ends: tuple[float, float]) -> Fraction | float:
    """The largest loss of the best of the chosen lines within a range: at one of all crossings, or at its ends."""
    if math.isinf(ends[0]) and segments[0].line not in chosen:
        return math.inf
    if math.isinf(ends[1]) and segments[-1].line not in chosen:
        return math.inf
    exact = [(Fraction(line.own), Fraction(line.auxiliary)) for line in chosen]
    every = [(Fraction(s.line.own), Fraction(s.line.auxiliary)) for s in segments]
    points = [Fraction(end) for end in ends if math.isfinite(end)] or [Fraction(0)]
    for one, other in itertools.combinations(exact, 2):
        meeting = (one[0] - other[0]) / (other[1] - one[1])
        if ends[0] <= meeting <= ends[1]:
            points.append(meeting)
    return max(max(o + c * x for o, x in every) - max(o + c * x for o, x in exact) for c in points)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 4.0, 30.0])
def test_no_smaller_set_of_segments_is_as_good(epsilon: float) -> None:
    for number in range(60):
        segments = random_segments(number)
        ends = segments[0].start, segments[-1].stop
        chosen = find_covering_segments(segments, epsilon)
        lines = [segment.line for segment in chosen]
        assert loss(segments, lines, ends) <= Fraction(epsilon) + Fraction(1, 10**9)
        for few in itertools.combinations([segment.line for segment in segments], len(lines) - 1):
            assert not few or loss(segments, list(few), ends) > Fraction(epsilon) - Fraction(1, 10**9)
        assert (chosen[0].start, chosen[-1].stop) == ends
        for left, right in itertools.pairwise(chosen):
            assert left.stop == right.start
            assert left.start < left.stop
            assert left.line.at(left.stop) == pytest.approx(right.line.at(left.stop))


def test_epsilon_0_keeps_every_segment() -> None:
    segments = random_segments(3)
    assert find_covering_segments(segments, 0.0) == segments


@pytest.mark.parametrize("epsilon", [-1.0, math.nan, math.inf])
def test_a_tolerance_that_is_none(epsilon: float) -> None:
    with pytest.raises(BadValue, match="epsilon"):
        find_covering_segments(random_segments(0), epsilon)


def test_the_certificate_of_a_cover_says_its_largest_loss() -> None:
    """The certified loss of the chosen policies is that of their lines, and at most epsilon."""
    fewer = 0
    for number in range(80):
        world = drawn(number)
        try:
            between = (0.0, 50.0 * world.own_scale / world.auxiliary_scale)
            segments = find_segments(world.mdp, world.auxiliary, 0, between)
        except NoPlan:
            continue
        finite = [segment for segment in segments if math.isfinite(segment.line.own)]
        epsilon = 0.3 * world.own_scale
        chosen = find_covering_segments(segments, epsilon)
        fewer += len(chosen) < len(segments)
        certificate = certify(world.mdp, world.auxiliary, 0, chosen)
        assert certificate.loss.amount is not None
        assert certificate.loss.amount <= Fraction(epsilon) * (1 + Fraction(1, 10**9))
        if finite == segments:
            lines = [segment.line for segment in chosen]
            stated = loss(segments, lines, (segments[0].start, segments[-1].stop))
            assert float(certificate.loss.amount) == pytest.approx(float(stated), abs=1e-9 * world.own_scale)
    assert fewer > 5
