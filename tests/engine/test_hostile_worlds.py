"""Hostile worlds: plans, segments, regions, certificates, covers, responses, beliefs, by enumeration in fractions.

Tests try some hundreds. `python -m tests.engine.test_hostile_worlds FIRST LAST` tries others, by checks that take long
now and then only, and lists what fails.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from engine.errors import BadValue, NoPlan
from engine.mdp.beliefs import build_belief_table
from engine.planning import policy_evaluation
from engine.planning.certificates.trade_off import OptimumBounds, certify
from engine.planning.coefficient_regions import CoefficientDomain
from engine.planning.dynamic_programming import evaluate_policy, plan
from engine.planning.finite_horizon import plan_finite_horizon_pair
from engine.planning.games import AT_ONCE, IN_TURN, MarkovGame, iterate_best_responses, make_deterministic
from engine.planning.reward_regions import find_reward_regions
from engine.planning.trade_off.envelope import Segment, find_covering_segments, find_segment_policy
from engine.planning.trade_off.optimal_segments import find_segment_at, find_segments
from engine.randomness.counter_based import randrange, split
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
FIRST, SECOND = (Fraction(2, 13), Fraction(19, 11)), (Fraction(5, 23), Fraction(37, 29))  # on no border of a world
ROUNDED, NARROW, SLIGHT = Fraction(1, 10**11), 1e-8, Fraction(1, 10**7)


def assert_is(value: float, exact: Value, size: Fraction) -> None:
    """A number is a value of the reference, but for rounding relative to the sum of absolute rewards."""
    if exact == UNDEFINED:
        assert math.isnan(value)
    elif isinstance(exact, Fraction):
        assert math.isfinite(value)
        assert abs(Fraction(value) - exact) <= ROUNDED * max(size, abs(exact))
    else:
        assert value == exact


def find_size(world: HostileWorld, policy: tuple[int, ...], state: int) -> Fraction:
    size = world.size(policy, state, ONE)
    return size if isinstance(size, Fraction) else Fraction(0)


def check_plan(number: int) -> None:
    """The plan has the best value of every state, and its policy earns it; other policies have their own values."""
    world = draw_world(number).with_meant_discount().weigh((Fraction(1), Fraction(0)))
    solution = plan(world.mdp)
    planned = tuple(map(int, solution.policy))
    for state in range(len(world.ways)):
        best, optimum = find_optimum(world, state)
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
                if care in [each.start for each in segments]:  # either side may gain on its side alone
                    [segment] = find_segments(world.mdp, world.rewards[1], start, (float(care), float(care)))
                    earned = world.follow(tuple(map(int, find_segment_policy(segment, len(world.ways)))))[start]
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
        for one, other in itertools.product(FIRST, SECOND):
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


def check_cover(number: int) -> None:
    """The lines that epsilon leaves are nowhere further below all segments, and no fewer of these would do."""
    world = draw_world(number)
    start = int(world.mdp.start_states()[0])
    try:
        segments = find_segments(world.mdp, world.rewards[1], start)
    except NoPlan:
        return
    for endless, neighbours in itertools.groupby(segments, lambda segment: math.isinf(segment.line.own)):
        run = list(neighbours)
        policies = [] if endless else [find_segment_policy(one, len(world.ways)) for one in run]
        lines = [world.follow(tuple(map(int, policy)))[start].returns for policy in policies]  # slopes, unrounded
        for share in (Fraction(1, 1000), Fraction(1, 10), Fraction(1, 2)):
            loss = share * max((abs(own) for own, _ in lines), default=Fraction(0))
            if len(lines) > 1 and float(loss):
                chosen = find_covering_segments(run, float(loss))
                assert (chosen[0].start, chosen[-1].stop) == (run[0].start, run[-1].stop)
                assert len(chosen) <= count_needed(lines, loss * (1 - SLIGHT), run[0].start, run[-1].stop)
                for one, point in itertools.chain(*(((one, one.start), (one, one.stop)) for one in chosen)):
                    care = Fraction(point) if math.isfinite(point) else choose_between(one.start, one.stop)
                    own, extra = Fraction(one.line.own), Fraction(one.line.auxiliary)
                    best = max(a + care * b for a, b in lines)
                    size = max(loss, abs(best), abs(own), abs(care * extra))
                    assert best - own - care * extra <= loss + SLIGHT * size


def count_needed(lines: Sequence[tuple[Fraction, ...]], loss: Fraction, low: float, high: float) -> int:
    """The fewest lines of which one is everywhere between two coefficients within the loss of the highest."""
    ranges = []
    for own, extra in lines:
        ends = [((own + loss - a) / (b - extra), b > extra) for a, b in lines if b != extra]
        left = max((end for end, rises in ends if not rises), default=-math.inf)
        right = min((end for end, rises in ends if rises), default=math.inf)
        ranges.append((max(left, low), min(right, high)))
    for count in range(1, len(lines)):
        for some in itertools.combinations(sorted(ranges), count):
            reach: Fraction | float = low
            for left, right in some:
                reach = max(reach, right) if left <= reach else reach
            if reach >= high:
                return count
    return len(lines)


def check_responses(number: int) -> None:
    """Rounds of best responses are an equilibrium where enumeration finds nothing better, and only there."""
    world = draw_world(number).complete().with_partner(2)
    own, key = len(world.ways[0]) // 2, split(99, number)
    game = MarkovGame(("one", "other"), world.mdp, np.stack(world.rewards), (tuple("abc"[:own]), ("0", "1")))
    begin = [
        make_deterministic(np.array([int(randrange(n, key, 7 * s)) for s in world.mdp.states]), n) for n in (own, 2)
    ]
    care = np.array([[1.0, float(randrange(3, key, 900))], [float(randrange(3, key, 901)), 1.0]])
    found = iterate_best_responses(game, care, begin, (IN_TURN, AT_ONCE)[number % 2], rounds=12)
    mine, others = (policy.argmax(axis=1).tolist() for policy in found.policies)
    facing = (
        world.choose_actions([[2 * a + b for a in range(own)] for b in others]),
        world.choose_actions([[2 * a + b for b in range(2)] for a in mine]),
    )
    gains, unsure = [], False
    for joint, policy, weights in zip(facing, (mine, others), care.tolist(), strict=True):
        alone = joint.weigh([Fraction(weight) for weight in weights]).as_stored()
        followed = tuple(0 if over else action for action, over in zip(policy, alone.mdp.terminal, strict=True))
        for state in range(len(alone.ways)):
            best, optimum = find_optimum(alone, state)
            earned = alone.follow(followed)[state].value(ONE)
            if isinstance(optimum, Fraction) and isinstance(earned, Fraction):
                size = max(find_size(alone, best, state), find_size(alone, followed, state))
                unsure |= 0 < optimum - earned <= SLIGHT * size
                gains.append(optimum - earned > SLIGHT * size)
            else:
                classes = alone.follow(best)[state].classes + alone.follow(followed)[state].classes
                unsure |= any(one.is_rounding() for one in classes)
                gains.append(optimum != earned)
    assert unsure or found.is_markov_perfect == (not any(gains))
    assert found.is_markov_perfect or found.rounds[-1].changed or found.cycle or len(found.rounds) > 12


def find_optimum(world: HostileWorld, state: int) -> tuple[tuple[int, ...], Value]:
    """A policy of the best value that there is from a state, and that value."""
    best = max(world.earned, key=lambda policy: rank(world.earned[policy][state].value(ONE)))
    return best, world.earned[best][state].value(ONE)


def check_beliefs(number: int) -> None:
    """A planner that sees one of two looks earns in three steps what the best rule earns of what was seen."""
    world, key = draw_world(number).complete(), split(5, number)
    looks = np.array([int(randrange(2, key, state)) for state in world.mdp.states])
    try:
        table, hidden = build_belief_table(replace(world.mdp, observation=looks), world.rewards[1], "world")
    except BadValue:
        return  # more than 20,000 beliefs

    def find_best(weights: dict[int, Fraction], steps: int) -> Fraction:
        acting = {state: weight for state, weight in weights.items() if not world.mdp.terminal[state]}
        totals = []
        for action in range(len(world.ways[0]) if acting and steps else 0):
            seen: dict[tuple[int, bool, float], dict[int, Fraction]] = {}
            total = Fraction(0)
            for state, weight in acting.items():
                for target, chance, amounts in world.ways[state][action] or ():
                    total += weight * chance * amounts[0]
                    sight = int(looks[target]), bool(world.mdp.terminal[target]), float(amounts[0])
                    part = seen.setdefault(sight, {})
                    part[target] = part.get(target, Fraction(0)) + weight * chance
            totals.append(total + world.discount * sum(find_best(part, steps - 1) for part in seen.values()))
        return max(totals, default=Fraction(0))

    first: dict[int, dict[int, Fraction]] = {}
    for state in map(int, world.mdp.start_states()):
        first.setdefault(int(looks[state]), {})[state] = Fraction(float(world.mdp.start[state]))
    found = plan_finite_horizon_pair(table, hidden, 3)
    earned = Fraction(float(table.start[table.start_states()] @ found.best))
    largest = Fraction(float(np.abs(world.mdp.reward).max()))
    assert abs(earned - sum(find_best(part, 3) for part in first.values())) <= SLIGHT * largest
    assert (found.most >= found.least).all()


CHECKS = {
    check_plan: (*range(300), 1000301, 1003816, 1134867, 1138269, 2003891, 2010192, 2139617, 2343281),
    check_segments: (*range(300), 1101709, 1166438, 1182905, 1188670, 1194357, 2148054, 2202128, 2215537, 2247001),
    check_regions: (*range(300), 15606, 2000810, 2139502, 2166426, 2326614),
}
CHECKS |= {
    check_cover: (*range(60), 408, 100415),
    check_responses: (*range(60), 127910, 1210560),
    check_beliefs: range(60),
}
THEMED = range(1_000_000, 1_000_060)
SELDOM = {check_regions: 2, check_cover: 16, check_responses: 16, check_beliefs: 16}


@pytest.mark.slow_cases("check_regions", "check_segments", "check_responses", "check_beliefs")
@pytest.mark.parametrize("check", CHECKS)
def test_hostile_worlds_are_solved_as_enumeration_does(check) -> None:  # type: ignore[no-untyped-def]
    for number in (*CHECKS[check], *THEMED):
        check(number)


@pytest.mark.slow
def test_plans_of_large_tables_are_found_as_those_of_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_evaluation, "MANY_STATES", 0)  # values by asynchronous sweeps
    for number in (*range(60), *THEMED, 1150110):
        check_plan(number)


def try_worlds(numbers: range) -> None:
    """Print each world that fails a check, and how many were tried."""
    tried: Counter[str] = Counter()
    for number in numbers:
        for check in (each for each in CHECKS if number % SELDOM.get(each, 1) == 0):
            tried[check.__name__] += 1
            try:
                check(number)
            except Exception as error:  # whatever a world brings to light is listed, and the next one is drawn
                tried["mismatches"] += 1
                print(f"{check.__name__}({number}): {type(error).__name__} {error}", flush=True)
    print(f"worlds {numbers.start} to {numbers.stop - 1}: {dict(sorted(tried.items()))}", flush=True)


if __name__ == "__main__":  # python -m tests.engine.test_hostile_worlds FIRST LAST
    try_worlds(range(*map(int, sys.argv[1:])))
