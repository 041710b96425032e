"""Certificates contain the truth: against all policies in exact fractions, on tables of every kind and scale."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from engine.errors import NoPlan
from engine.mdp.mdp import TabularMDP
from engine.planning.certificates import trade_off
from engine.planning.certificates.interval import Interval, as_fraction, enclose_exactly, enclose_rounded
from engine.planning.certificates.rational import build_rational_table, find_rational_optimum, solve_rational_chain
from engine.planning.certificates.trade_off import (
    TradeOffCertificate,
    bound_policy_values,
    bound_policy_values_roughly,
    certify,
)
from engine.planning.dynamic_programming import plan
from engine.planning.trade_off.optimal_segments import find_segments
from engine.randomness.counter_based import randrange, split
from tests.engine.random_tables import Drawn, drawn, limits, reference, solved
from tests.engine.worlds import numbered

TOLERATED = 1e-9


def in_units(interval: Interval, scale: float) -> Interval:
    """Bounds in the units of the reference, which divides scales out."""
    unit = Fraction(scale)
    return Interval(interval.lower / unit, interval.upper / unit)


def best_at(lines: set[tuple[Fraction, Fraction]], coefficient: Fraction) -> Fraction:
    return max(own + coefficient * extra for own, extra in lines)


def check(world: Drawn, certificate: TradeOffCertificate, segments, exact: bool) -> None:  # type: ignore[no-untyped-def]
    """Lines, points and the loss of one table contain what the enumeration of its policies says."""
    lines, gains = reference(world)
    bounds = limits(gains)
    assert bounds is not None
    unit = Fraction(world.own_scale) / Fraction(world.auxiliary_scale)
    known = []
    for segment, line in zip(segments, certificate.lines, strict=True):
        if math.isinf(segment.line.own):
            assert line is None
            continue
        assert line is not None
        own, extra = in_units(line.own, world.own_scale), in_units(line.auxiliary, world.auxiliary_scale)
        inside = [(a, b) for a, b in lines if own.lower <= a <= own.upper and extra.lower <= b <= extra.upper]
        assert inside, (own, extra)
        assert not exact or own.exact is not None
        assert line.own.error(segment.line.own) <= TOLERATED * max(1.0, world.own_scale)
        known.append(inside[0])
    finite = [n for n, line in enumerate(certificate.lines) if line is not None]
    for n, (one, other) in zip(finite, itertools.pairwise(known), strict=False):
        point = certificate.points[n]
        crossing = (one[0] - other[0]) / (other[1] - one[1]) * unit
        assert point is not None
        assert point.lower <= crossing <= point.upper
        assert not exact or point.exact == crossing
    if certificate.loss.amount is None:
        assert not exact
        assert world.mdp.discount == 1.0  # a cycle that ties gains nothing: only fractions can tell
        return
    assert certificate.loss.amount == 0 if exact else certificate.loss.amount <= TOLERATED * max(1.0, world.own_scale)
    low, high = bounds
    pairs = [pair for pair in itertools.pairwise(sorted(lines)) if pair[0][1] != pair[1][1]]
    crossings = [(one[0] - other[0]) / (other[1] - one[1]) for one, other in pairs]
    inner = [c for c in crossings if low < c < high][:20]
    for coefficient in inner:
        loss = best_at(lines, coefficient) - max(own + coefficient * extra for own, extra in known)
        beyond = max(Fraction(0), abs(coefficient * unit)) + 1
        slope = max(certificate.loss.low_slope or Fraction(0), certificate.loss.high_slope or Fraction(0))
        assert loss * Fraction(world.own_scale) <= certificate.loss.amount + slope * beyond


def certified(number: int, monkeypatch: pytest.MonkeyPatch, exact: bool) -> None:
    """One random table, in fractions or by bounds alone."""
    world = drawn(number)
    try:
        segments = find_segments(world.mdp, world.auxiliary, 0)
    except NoPlan:
        return
    if len(segments) == 1 and world.mdp.terminal[0]:
        return
    if not exact:
        monkeypatch.setattr(trade_off, "MOST_EXACT_WORK", 0)
    check(world, certify(world.mdp, world.auxiliary, 0, segments), segments, exact)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("exact", [True, False])
def test_certificates_contain_the_truth(exact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(80):
        certified(number, monkeypatch, exact)


def chain(forward: float, length: int, cost: float = -1.0, discount: float = 1.0) -> TabularMDP:
    """States 0 .. length: one step on with probability `forward`, else back to the start; the last one is the end."""
    next_state = np.array([[[s + 1, 0]] for s in range(length)] + [[[length, length]]], dtype=np.int32)
    probability = np.array([[[forward, 1.0 - forward]]] * length + [[[1.0, 0.0]]])
    reward = np.full(next_state.shape, cost)
    reward[length] = 0.0
    return numbered(next_state, probability, reward, [length], discount, ("go",))


def expected_steps(forward: Fraction, length: int) -> Fraction:
    return sum((1 / forward**n for n in range(1, length + 1)), Fraction(0))


def test_a_protocol_of_five_slots_takes_363_steps() -> None:
    """A frame arrives after five free slots in a row, each free with chance 1/3: 3 + 9 + 27 + 81 + 243."""
    mdp = chain(1 / 3, 5)
    policy = np.zeros(6, dtype=np.int32)
    [exact] = bound_policy_values(mdp, [mdp.reward], policy, 0)
    [bounded] = bound_policy_values_roughly(mdp, [mdp.reward], policy, 0)
    assert exact is not None
    assert exact.exact == -363
    assert bounded is not None
    assert bounded.lower <= -363 <= bounded.upper
    assert bounded.error(-363.0) <= TOLERATED
    assert plan(mdp).value[0] == pytest.approx(-363, abs=1e-10)
    [segment] = find_segments(mdp, np.zeros(mdp.reward.shape), 0)
    certificate = certify(mdp, np.zeros(mdp.reward.shape), 0, [segment])
    assert certificate.loss.amount == 0
    assert certificate.lines[0] is not None
    assert certificate.lines[0].own.exact == -363


@pytest.mark.slow_cases(beyond=40)
@pytest.mark.parametrize("forward", [0.5, 0.3, 0.1, 1e-2, 1e-3, 2.0**-20, 1e-6, 1e-8])
@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("cost", [-1.0, -0.1, -1e-8, -3e10])
def test_long_expected_durations(forward: float, length: int, cost: float) -> None:
    """Near-improper chains: the truth as stored and as meant both lie inside; the bound is relative to the value."""
    mdp = chain(forward, length, cost)
    policy = np.zeros(length + 1, dtype=np.int32)
    [exact] = bound_policy_values(mdp, [mdp.reward], policy, 0)
    [bounded] = bound_policy_values_roughly(mdp, [mdp.reward], policy, 0)
    meant, amount = as_fraction(forward), as_fraction(cost)
    assert meant is not None
    assert amount is not None
    truth = amount * expected_steps(meant, length)
    as_stored = Fraction(cost) * expected_steps(Fraction(forward), length)
    if exact is not None:  # where the numbers have few digits
        assert exact.exact is None or exact.exact == truth
        assert exact.lower <= truth <= exact.upper
    if bounded is not None:
        assert bounded.lower <= truth <= bounded.upper
        assert bounded.lower <= as_stored <= bounded.upper
    if forward >= 1e-3 and length < 3:
        assert bounded is not None
        assert bounded.upper - bounded.lower <= abs(truth) * Fraction(1, 10**6)


def test_discounted_loops_have_geometric_limits() -> None:
    mdp = replace(chain(0.5, 2, discount=0.9), reward=np.full((3, 1, 2), -1.0))
    endless = replace(mdp, terminal=np.zeros(3, dtype=np.bool_))
    [value] = bound_policy_values(endless, [endless.reward], np.zeros(3, dtype=np.int32), 2)
    assert value is not None
    assert value.exact == -10


@pytest.mark.parametrize(
    ("number", "meant"),
    [(0.1, "1/10"), (1 / 3, "1/3"), (-2.8000000000000003, "-14/5"), (1 / 972, "1/972"), (1e-8, "1/100000000"),
     (2.0**-30, "1/1073741824"), (0.99999999, "99999999/100000000"), (-7.0, "-7"), (0.0, "0"),
     (0.9999 * -46.0, "-45.9954"), (0.999987 * -46.0, "-45.999402")],
)  # fmt: skip
def test_numbers_are_read_as_the_fractions_that_were_meant(number: float, meant: str) -> None:
    assert as_fraction(number) == Fraction(meant)


def test_numbers_of_many_digits_are_no_fractions() -> None:
    assert as_fraction(math.pi) is None
    assert as_fraction(math.sqrt(2) / 7) is None
    assert as_fraction(math.nextafter(45.99541234, 46.0) * (1 + 2e-15)) is None  # 15 units in the last place away


def test_intervals_hold_what_they_combine() -> None:
    key = split(0, "intervals")
    numbers = [int(randrange(2001, key, n)) / 7 - 143 for n in range(60)]
    for one, other in itertools.pairwise(numbers):
        left, right = enclose_rounded(one), enclose_rounded(other)
        for result, truth in (
            (left + right, Fraction(one) + Fraction(other)),
            (left - right, Fraction(one) - Fraction(other)),
            (left * right, Fraction(one) * Fraction(other)),
        ):
            assert result.lower <= truth <= result.upper
        assert Fraction(left.outward()[0]) <= left.lower <= left.upper <= Fraction(left.outward()[1])
    assert enclose_exactly(1).over(Interval(Fraction(-1), Fraction(1))) is None
    assert 0.0 < enclose_exactly(Fraction(1, 3)).error(1 / 3) < 1e-16
    assert enclose_rounded(0.1).error(0.1) > 0.0
    assert enclose_rounded(0.1).error(math.nan) == math.inf


@pytest.mark.parametrize("discount", [1.0, 0.9, 0.99999])
def test_numbers_of_full_length_get_bounds_that_hold(discount: float) -> None:
    """Random chains, rewards of every size, steps of every probability: against the numbers as they are stored, the
    discount as it was written.
    """
    key, counter = split(0, "full length"), itertools.count()

    def draw(n: int) -> int:
        return int(randrange(n, key, next(counter)))

    for _ in range(60):
        states, successors, scale = 2 + draw(5), 1 + draw(3), 10.0 ** (draw(24) - 12)
        shape = (states + 1, 1, successors)
        next_state = np.array([draw(states + 1) for _ in range((states + 1) * successors)], dtype=np.int32).reshape(
            shape
        )
        next_state[:states, 0, 0] = np.arange(1, states + 1)
        weight = np.array([(1 + draw(10**6)) * 10.0 ** -draw(9) for _ in range(next_state.size)]).reshape(shape)
        reward = np.array([math.pi * scale * (draw(10**6) - 5 * 10**5) for _ in range(next_state.size)]).reshape(shape)
        probability = weight / weight.sum(axis=2, keepdims=True)
        next_state[states], reward[states] = states, 0.0
        probability[states] = np.eye(successors)[0]
        numbers, terminal = tuple(range(states + 1)), np.arange(states + 1) == states
        index = {n: n for n in numbers}
        start = np.eye(states + 1)[0]
        mdp = TabularMDP(numbers, index, ("go",), next_state, probability, reward, terminal, start, discount)
        [value] = bound_policy_values(mdp, [reward], np.zeros(states + 1, dtype=np.int32), 0)
        assert value is not None
        truth = as_stored(mdp)
        assert value.lower <= truth <= value.upper
        assert value.upper - value.lower <= abs(truth) * Fraction(1, 10**6) + Fraction(scale) * Fraction(1, 10**6)


def as_stored(mdp: TabularMDP) -> Fraction:
    """The value of state 0 of a table with one action, in fractions; a row's largest probability takes the rest.

    The discount is the decimal that was written.
    """
    chain_rows: dict[int, dict[int, Fraction]] = {}
    rewards = {}
    for state in np.flatnonzero(~mdp.terminal).tolist():
        row = [Fraction(float(p)) for p in mdp.probability[state, 0]]
        largest = row.index(max(row))
        row[largest] = 1 - sum((p for k, p in enumerate(row) if k != largest), Fraction(0))
        chain_rows[state] = {}
        for target, p in zip(mdp.next_state[state, 0].tolist(), row, strict=True):
            if not mdp.terminal[target]:
                chain_rows[state][target] = chain_rows[state].get(target, Fraction(0)) + p
        amounts = [Fraction(float(r)) for r in mdp.reward[state, 0]]
        rewards[state] = sum((p * r for p, r in zip(row, amounts, strict=True)), Fraction(0)), Fraction(0)
    return solved(chain_rows, rewards, Fraction(str(mdp.discount)))[0]


@pytest.mark.parametrize("discount", [0.9999, 0.99999])
@pytest.mark.parametrize("leaving", [-math.pi * 1e4, -math.pi * 1e3, -math.pi])
def test_discounts_near_1_cost_certificates_no_precision(discount: float, leaving: float) -> None:
    """To stay for ever is worth -1 / (1 - discount), a fraction; to leave has no fraction. Bounds were 5e-7 wide."""
    next_state = np.array([[[0], [1]], [[1], [1]]], dtype=np.int32)
    reward = np.array([[[-1.0], [leaving]], [[0.0], [0.0]]])
    mdp = numbered(next_state, None, reward, [1], discount, ("stay", "leave"))
    auxiliary = np.array([[[0.0], [-1.0]], [[0.0], [0.0]]])
    segments = find_segments(mdp, auxiliary, 0, between=(0.0, 10.0))
    certificate = certify(mdp, auxiliary, 0, segments)
    assert certificate.loss.amount is not None
    assert certificate.loss.amount <= Fraction(1, 10**9) * max(1, round(1e-4 / (1 - discount)))
    for segment, line in zip(segments, certificate.lines, strict=True):
        assert line is not None
        truth = -1 / (1 - Fraction(str(discount))) if segment.line.auxiliary == 0.0 else Fraction(leaving)
        assert line.own.lower <= truth <= line.own.upper
        assert line.own.error(segment.line.own) <= 1e-9 * max(1, round(1e-4 / (1 - discount)))


def test_a_state_that_only_leads_to_itself_has_no_return_in_fractions() -> None:
    """Its equation is 0 V = r: refinement divided by its largest coefficient, 0."""
    assert solve_rational_chain({0: {0: Fraction(1)}}, [{0: Fraction(-1)}]) is None
    assert (
        solve_rational_chain({0: {1: Fraction(1, 2)}, 1: {1: Fraction(1)}}, [{0: Fraction(0), 1: Fraction(1)}]) is None
    )


def test_units_beyond_floating_point_are_no_whole_numbers_near_values() -> None:
    """A coefficient of 2^-1000 over a reward of 2^-100: multiplied by their unit, values overflowed."""
    mdp = chain(0.5, 2, cost=-(2.0**-100))
    table = build_rational_table(mdp, ~mdp.terminal[:, None], (mdp.reward, mdp.reward))
    assert table is not None
    weights, policy = (Fraction(1), Fraction(1, 2**1000)), np.zeros(3, dtype=np.int32)
    value = find_rational_optimum(table, weights, policy, plan(mdp).value, 0)
    assert value == -6 * Fraction(1, 2**100) * (1 + weights[1])
