"""Every segment's own actions earn its line: all scenarios, formulations of the end and of every step, random walls."""

from __future__ import annotations

import math

import pytest

from craftworld.scenario import Scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.problem import Problem, find_applicable_formulations, make_problem
from engine.errors import MapError, NoPlan
from engine.planning.certificates.trade_off import bound_policy_values_roughly
from engine.planning.dynamic_programming import evaluate_policy
from engine.planning.trade_off.envelope import Segment, find_segment_policy
from engine.randomness.counter_based import randrange, split

SMALL = ("garden", "playroom", "mailroom", "icy_yard")
WALLS = 3


def random_scenario(name: str, number: int) -> Scenario:
    """A scenario on its own map with a few more walls, where all that must be reached still can be."""
    kind = SCENARIOS[name]
    key, counter = split(split(4, name), number), 0
    while True:
        rows = [list(row) for row in kind.art.strip("\n").splitlines()]
        floor = [(r, c) for r, row in enumerate(rows) for c, glyph in enumerate(row) if glyph == "."]
        for _ in range(min(WALLS, len(floor))):
            r, c = floor[int(randrange(len(floor), key, counter))]
            rows[r][c] = "#"
            counter += 1
        try:
            return kind(kind.parse_map("\n".join("".join(row) for row in rows)))
        except MapError:
            continue


def assert_earned(problem: Problem, segment: Segment, start: int) -> None:
    """The path's rewards, or those of the policy, sum to the line."""
    fixed, swept = problem.compute_caring_rewards(start)
    own = problem.mdp.with_reward(problem.own * problem.mdp.reward + fixed)
    if math.isinf(segment.line.own):
        return
    policy = find_segment_policy(segment, len(own.terminal))
    bounds = bound_policy_values_roughly(own, (own.reward, swept), policy, start)
    for bound, earned in zip(bounds, segment.line, strict=True):
        assert bound is not None
        assert bound.error(earned) <= 1e-9
    if segment.path:
        totals, factor = [0.0, 0.0], 1.0
        for state, action in zip(segment.path, segment.actions, strict=False):
            assert problem.mdp.available is None or problem.mdp.available[state, action]
            totals[0] += factor * own.reward[state, action, 0]
            totals[1] += factor * swept[state, action, 0]
            factor *= own.discount
        if own.terminal[segment.path[-1]] or own.discount == 1.0:
            assert totals == pytest.approx(segment.line, rel=1e-9, abs=1e-9)
    elif not own.is_deterministic:
        assert evaluate_policy(own, policy)[start] == pytest.approx(segment.line.own, rel=1e-9, abs=1e-9)


def check(name: str, number: int) -> None:
    scenario = random_scenario(name, number)
    names = find_applicable_formulations(scenario)
    for formulation in {names[number % len(names)], names[(7 * number + 3) % len(names)]}:
        for discount in (1.0, 0.9):
            problem = make_problem(scenario, formulation, discount=discount)
            try:
                solved = problem.segments
            except NoPlan:
                continue
            for start, segments in solved.items():
                for segment in segments:
                    assert_earned(problem, segment, start)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("name", SMALL)
def test_segments_earn_their_lines(name: str) -> None:
    for number in range(4):
        check(name, number)


@pytest.mark.parametrize("own", [1.0, 1e-6, 1e-9, 1e-10, 1e-12])
def test_a_small_weight_of_the_own_reward_still_decides(own: float) -> None:
    """Beside what comes at the end a longer way costs next to nothing, but more than rounding."""
    problem = make_problem(SCENARIOS["garden"](), own=own)
    [segments] = problem.segments.values()
    first = next(segment for segment in segments if segment.stop > 0.0)
    steps = zip(first.path, first.actions, strict=False)
    assert sum(problem.mdp.reward[state, action, 0] for state, action in steps) == -6.0
