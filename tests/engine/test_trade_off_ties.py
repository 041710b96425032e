"""Every optimal segment of random tables that are rich in ties, against all their policies in exact fractions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest

from engine.errors import NoPlan
from engine.planning.dynamic_programming import evaluate_policy
from engine.planning.trade_off.envelope import Segment
from engine.planning.trade_off.optimal_segments import find_segments
from tests.engine.random_tables import Drawn, drawn, limits, reference


def check(number: int, top: int = 0) -> None:
    """The segments of one table are exactly the reference's."""
    world = drawn(number, top)
    lines, gains = reference(world)
    bounds = limits(gains)
    if not lines or bounds is None:
        with pytest.raises(NoPlan, match="positive reward at every coefficient" if lines else None):
            find_segments(world.mdp, world.auxiliary, 0)
        return
    segments = find_segments(world.mdp, world.auxiliary, 0)
    unit = world.own_scale / world.auxiliary_scale
    low, high = bounds
    finite = [segment for segment in segments if math.isfinite(segment.line.own)]
    assert segments[0].start == -math.inf
    assert segments[-1].stop == math.inf
    for left, right in itertools.pairwise(segments):
        assert left.stop == right.start
    assert finite[0].start == pytest.approx(float(low) * unit, rel=1e-9, abs=1e-12 * unit)
    assert finite[-1].stop == pytest.approx(float(high) * unit, rel=1e-9, abs=1e-12 * unit)
    for segment in finite:
        own = Fraction(segment.line.own / world.own_scale).limit_denominator(10**6)
        extra = Fraction(segment.line.auxiliary / world.auxiliary_scale).limit_denominator(10**6)
        assert (own, extra) in lines, (segment, sorted(lines))
        for coefficient in inside(segment, unit):
            best = max(a + coefficient * b for a, b in lines)
            assert own + coefficient * extra == best, (coefficient, segment)
        earns(world, segment)
    kept = {(s.line.own, s.line.auxiliary) for s in finite}
    assert len(kept) == len(finite)


def inside(segment: Segment, unit: float) -> list[Fraction]:
    """Coefficients strictly inside a segment, in the units of the reference."""
    low, high = segment.start / unit, segment.stop / unit
    if high - low <= 1e-9 * max(1.0, abs(low)):
        return []
    low, high = max(low, min(high, 0.0) - 1e6), min(high, max(low, 0.0) + 1e6)
    return [Fraction(low) + (Fraction(high) - Fraction(low)) * Fraction(n, 16) for n in (1, 8, 15)]


def earns(world: Drawn, segment: Segment) -> None:
    """The segment's own path or policy collects its line."""
    mdp = world.mdp
    if segment.path:
        factor, own, extra = 1.0, 0.0, 0.0
        for state, action in zip(segment.path, segment.actions, strict=False):
            own += factor * mdp.reward[state, action, 0]
            extra += factor * world.auxiliary[state, action, 0]
            factor *= mdp.discount
        if mdp.discount == 1.0 or mdp.terminal[segment.path[-1]]:
            assert own == pytest.approx(segment.line.own, rel=1e-9, abs=1e-12 * world.own_scale)
            assert extra == pytest.approx(segment.line.auxiliary, rel=1e-9, abs=1e-12 * world.auxiliary_scale)
    if segment.policy is not None:
        own = evaluate_policy(mdp, segment.policy)[0]
        extra = evaluate_policy(mdp.with_reward(world.auxiliary), segment.policy)[0]
        assert own == pytest.approx(segment.line.own, rel=1e-9, abs=1e-12 * world.own_scale)
        assert extra == pytest.approx(segment.line.auxiliary, rel=1e-9, abs=1e-12 * world.auxiliary_scale)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("block", range(8))
def test_segments_of_tables_rich_in_ties_are_exact(block: int) -> None:
    for number in range(100 * block, 100 * (block + 1)):
        check(number)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(("top", "first"), [(1, 500), (1, 600), (1, 1000), (2, 200), (2, 1000)])
def test_segments_are_exact_where_cycles_gain(top: int, first: int) -> None:
    """Of themselves, so that at one coefficient alone, or at none, the optimum is finite."""
    for number in range(first, first + 80):
        check(number, top)


def test_a_policy_stays_in_the_free_cycle_that_its_path_enters() -> None:
    """One of the cycle's states has a way out that is as good at the only coefficient, and earns another line."""
    check(32_940)
