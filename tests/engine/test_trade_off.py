"""All segments at once: each against a plan at sampled coefficients, convex, monotone, with its ties."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadValue, NoPlan
from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.dynamic_programming import evaluate_policy, plan
from engine.planning.trade_off.envelope import Line, Segment, find_crossing, find_envelope, undo_rounding
from engine.planning.trade_off.optimal_segments import find_segment_at, find_segments
from engine.planning.trade_off.supporting_lines import find_segments_by_supporting_lines
from tests.engine.worlds import corridor, numbered, tables

EXAMPLES = 80
PRIZES = st.integers(-6, 6).map(float)
COEFFICIENTS = st.integers(-400, 400).map(lambda n: n / 16)
FREE_OR_COSTS = st.integers(-2, 0).map(float)


@st.composite
def trade_offs(draw: st.DrawFn, *, discount: float = 1.0, successors: int = 1, rewards=None):  # type: ignore[no-untyped-def]
    """A table whose own rewards cost, and what one unit of care adds on entering each terminal state."""
    costs = st.integers(-5, -1).map(float) if rewards is None else rewards
    mdp = draw(tables(rewards=costs, bonus=costs, discount=discount, successors=successors, endable=True))
    prize = np.array([draw(PRIZES) if over else 0.0 for over in mdp.terminal])
    auxiliary = prize[mdp.next_state] * (mdp.probability > 0)
    auxiliary[mdp.terminal] = 0.0
    return mdp, auxiliary


def assert_trade_off(mdp: TabularMDP, auxiliary: Floats, segments: list[Segment], coefficient: float) -> None:
    """The segment at a coefficient is the optimum there."""
    best = plan(mdp.with_reward(mdp.reward + coefficient * auxiliary)).value[0]
    line = find_segment_at(segments, coefficient).line
    assert line.at(coefficient) == pytest.approx(best, abs=1e-6, rel=1e-6)


def assert_shape(segments: list[Segment]) -> None:
    """Segments follow one another; own never rises away from 0, the auxiliary never falls; the envelope is convex."""
    assert segments[0].start == -math.inf
    assert segments[-1].stop == math.inf
    for left, right in itertools.pairwise(segments):
        assert left.start < left.stop == right.start
        assert left.line.auxiliary < right.line.auxiliary
        assert left.line.at(left.stop) == pytest.approx(right.line.at(left.stop), abs=1e-6)
        if left.stop > 0:
            assert right.line.own <= left.line.own + 1e-9


FOUR = st.lists(COEFFICIENTS, min_size=4, max_size=4)


def find_checked_segments(mdp: TabularMDP, auxiliary: Floats, coefficients: list[float]) -> list[Segment]:
    """All segments: their shape is right, and at each coefficient they are the optimum."""
    segments = find_segments(mdp, auxiliary, 0)
    assert_shape(segments)
    for coefficient in coefficients:
        assert_trade_off(mdp, auxiliary, segments, coefficient)
    return segments


@given(trade_offs(), FOUR)
@settings(max_examples=EXAMPLES, deadline=None)
def test_undiscounted_deterministic(posed: tuple[TabularMDP, Floats], coefficients: list[float]) -> None:
    """Both ways to find segments give the same; a segment's path earns its line."""
    mdp, auxiliary = posed
    segments = find_checked_segments(mdp, auxiliary, coefficients)
    for segment in segments:
        own = sum(mdp.reward[s, a, 0] for s, a in zip(segment.path, segment.actions, strict=False))
        extra = sum(auxiliary[s, a, 0] for s, a in zip(segment.path, segment.actions, strict=False))
        assert (own, extra) == segment.line
        assert mdp.terminal[segment.path[-1]]
        for (s, a), t in zip(zip(segment.path, segment.actions, strict=False), segment.path[1:], strict=True):
            assert mdp.next_state[s, a, 0] == t
    supported = find_segments_by_supporting_lines(mdp, auxiliary, 0)
    assert [s.line for s in segments] == [s.line for s in supported]
    assert [s.start for s in segments] == pytest.approx([s.start for s in supported])


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(("discount", "successors"), [(0.9, 1), (1.0, 3)])
@given(data=st.data(), coefficients=FOUR)
@settings(max_examples=EXAMPLES, deadline=None)
def test_discounted_or_stochastic(
    discount: float, successors: int, data: st.DataObject, coefficients: list[float]
) -> None:
    find_checked_segments(*data.draw(trade_offs(discount=discount, successors=successors)), coefficients)


@pytest.mark.slow
@given(trade_offs(discount=0.9, successors=3), FOUR)
@settings(max_examples=EXAMPLES, deadline=None)
def test_discounted_stochastic(posed: tuple[TabularMDP, Floats], coefficients: list[float]) -> None:
    mdp, auxiliary = posed
    for segment in find_checked_segments(mdp, auxiliary, coefficients):
        assert segment.policy is not None
        assert evaluate_policy(mdp, segment.policy)[0] == pytest.approx(segment.line.own)
        assert evaluate_policy(mdp.with_reward(auxiliary), segment.policy)[0] == pytest.approx(segment.line.auxiliary)


@given(trade_offs(rewards=FREE_OR_COSTS), FOUR)
@settings(max_examples=EXAMPLES, deadline=None)
def test_zero_cost_cycles_may_be_better_than_ending(
    posed: tuple[TabularMDP, Floats], coefficients: list[float]
) -> None:
    """The paper's limitation: where one may go on at no cost, not ending is a policy of auxiliary value 0."""
    mdp, auxiliary = posed
    for segment in find_checked_segments(mdp, auxiliary, coefficients):
        if not mdp.terminal[segment.path[-1]]:
            assert segment.line.auxiliary == 0.0
            assert segment.path[-1] in segment.path[:-1]


def test_a_slip_that_hurts_the_other_more_the_more_one_hurries() -> None:
    """Own -1 or -4, the other's loss 10 p with p = 0.5 or 0.1: they cross at care 3 / (10 * 0.4)."""
    next_state = np.array([[[1, 2], [1, 2]], [[1, 1], [1, 1]], [[2, 2], [2, 2]]], dtype=np.int32)
    probability = np.array([[[0.5, 0.5], [0.9, 0.1]], [[1, 0], [1, 0]], [[1, 0], [1, 0]]], dtype=float)
    reward = np.zeros(next_state.shape)
    reward[0, 0], reward[0, 1] = -1.0, -4.0
    auxiliary = np.where(next_state == 2, -10.0, 0.0)
    auxiliary[1:] = 0.0
    for discount in (1.0, 0.9):
        mdp = numbered(next_state, probability, reward, [1, 2], discount, ("hurry", "take care"))
        hurried, careful = find_segments(mdp, auxiliary, 0)
        assert hurried.line == pytest.approx((-1.0, -5.0))
        assert careful.line == pytest.approx((-4.0, -1.0))
        assert careful.start == pytest.approx(0.75)
        assert [line.auxiliary for line in careful.ties] == pytest.approx([-5.0, -1.0])


def test_precision_does_not_suffer_from_large_auxiliaries() -> None:
    """A detour of one step is never a tie, however much is at stake for the other."""
    next_state = np.array([[[1, 1], [2, 3]], [[2, 3], [2, 3]], [[2, 2], [2, 2]], [[3, 3], [3, 3]]], dtype=np.int32)
    probability = np.full(next_state.shape, 0.5)
    reward = np.where(np.arange(4)[:, None, None] < 2, -1.0, 0.0) * np.ones(next_state.shape)
    auxiliary = np.where(next_state == 2, -1e6, -1e6 + 1.0)
    auxiliary[next_state < 2] = 0.0
    auxiliary[2:] = 0.0
    mdp = numbered(next_state, probability, reward, [2, 3], actions=("detour", "go"))
    segments = find_segments(mdp, auxiliary, 0)
    assert [segment.line.own for segment in segments] == [-1.0]


def test_a_far_break_point_is_not_missed() -> None:
    """An auxiliary gain of a millionth for own costs of 100 is worth it from care 1e8 on."""
    for successors in (1, 2):
        next_state = np.zeros((3, 2, successors), dtype=np.int32)
        next_state[0, 0, :], next_state[0, 1, :] = 1, 2
        next_state[1], next_state[2] = 1, 2
        probability = np.full(next_state.shape, 1 / successors)
        reward = np.zeros(next_state.shape)
        reward[0, 0], reward[0, 1] = -1.0, -101.0
        auxiliary = np.zeros(next_state.shape)
        auxiliary[0, 1] = 1e-6
        mdp = numbered(next_state, probability, reward, [1, 2])
        segments = find_segments(mdp, auxiliary, 0)
        assert [segment.start for segment in segments] == [-math.inf, pytest.approx(1e8)]


LINES = st.builds(Line, st.integers(-50, 50).map(float), st.integers(-20, 20).map(float))


@given(st.lists(LINES, min_size=1, max_size=30), COEFFICIENTS)
@settings(max_examples=200, deadline=None)
def test_the_envelope_is_the_largest_line_everywhere(lines: list[Line], coefficient: float) -> None:
    pieces = find_envelope(lines)
    here = next(line for start, stop, line in reversed(pieces) if coefficient >= start)
    assert here.at(coefficient) == max(line.at(coefficient) for line in lines)
    assert pieces[0][0] == -math.inf
    assert pieces[-1][1] == math.inf
    for (_, stop, flat), (start, _, steep) in itertools.pairwise(pieces):
        assert stop == start == find_crossing(flat, steep)
        assert flat.auxiliary < steep.auxiliary


def test_lines_that_differ_by_rounding_make_no_segments() -> None:
    noisy = [Line(-25.0, 0.1 + 0.2), Line(-25.0 - 4e-15, 0.3), Line(-30.0, 1.0)]
    assert len(find_envelope(noisy)) == 2


def test_a_fraction_is_believed_only_where_it_is_not_near_by_chance() -> None:
    assert undo_rounding(1 / 3 + 1e-11, 2e-11) == 1 / 3
    assert undo_rounding(1e-17, 1e-16) == 0.0
    assert undo_rounding(-0.003343811657693208, 1e-10) == -0.003343811657693208


def test_a_lone_point_of_contact_is_a_tie_and_no_segment() -> None:
    lines = [Line(0.0, 0.0), Line(-1.0, 1.0), Line(-2.0, 2.0)]
    assert [line for _, _, line in find_envelope(lines)] == [lines[0], lines[2]]
    next_state = np.array([[[1], [2], [3]], [[1]] * 3, [[2]] * 3, [[3]] * 3], dtype=np.int32)
    reward = np.zeros(next_state.shape)
    reward[0, :, 0] = [0.0, -1.0, -2.0]
    auxiliary = np.zeros(next_state.shape)
    auxiliary[0, :, 0] = [0.0, 1.0, 2.0]
    fan = numbered(next_state, None, reward, [1, 2, 3])
    first, second = find_segments(fan, auxiliary, 0)
    assert second.start == 1.0
    assert list(second.ties) == lines
    assert first.ties == ()


def test_a_break_point_belongs_to_the_segment_on_its_right() -> None:
    segments = [Segment(-math.inf, 1 / 3, Line(0.0, 0.0)), Segment(1 / 3, math.inf, Line(-1.0, 3.0))]
    assert find_segment_at(segments, 1 / 3) is segments[1]
    assert find_segment_at(segments, 0.1 + 0.2 - 0.3 + 1 / 3) is segments[1]
    assert find_segment_at(segments, 0.333) is segments[0]
    for coefficient in (math.nan, math.inf, -math.inf):
        with pytest.raises(BadValue, match="choose a finite number"):
            find_segment_at(segments, coefficient)


def test_starting_at_the_end() -> None:
    table = corridor(2)
    (segment,) = find_segments(table, np.zeros(table.reward.shape), 2)
    assert (segment.line, segment.path, segment.actions) == (Line(0.0, 0.0), (2,), ())


def test_no_way_out_is_no_plan() -> None:
    table = corridor(2)
    closed = np.array(table.next_state)
    closed[1, 0, 0] = 0
    with pytest.raises(NoPlan):
        find_segments(TabularMDP(**{**vars(table), "next_state": closed}), np.zeros(table.reward.shape), 0)
    with pytest.raises(NoPlan):
        find_segments(table.with_reward(-table.reward), np.zeros(table.reward.shape), 0)


def test_cycles_that_tie_are_compared_by_the_second_reward_where_the_discount_is_nearly_1() -> None:
    """Both ways lead for ever to auxiliary -1 a step: the rounding of 1 - discount^n must not choose between them."""
    next_state = np.array([[[1], [2]], [[1], [1]], [[3], [3]], [[2], [2]]], dtype=np.int32)
    own = np.array([[[-1.0], [-1.0]], [[-5.0], [-5.0]], [[-2.0], [-2.0]], [[-3.0], [-3.0]]])
    for discount in (0.9999, 0.999_999, 0.999_999_9):
        mdp = numbered(next_state, None, own, [], discount)
        (segment,) = find_segments(mdp, np.full(own.shape, -1.0), 0)
        assert segment.policy is not None
        assert segment.policy[0] == 1
        meant = Fraction(repr(discount))
        value = -1 - meant * (2 + 3 * meant) / (1 - meant**2)
        assert segment.line.own == float(value)
