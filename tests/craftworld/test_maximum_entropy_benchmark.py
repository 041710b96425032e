"""The reference method of `benchmarks/maximum_entropy.py`, against all courses of small worlds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import approx_fprime

import caregrid
from benchmarks.maximum_entropy import (
    SoftWorld,
    count_features,
    expect_features,
    fit,
    make_soft_world,
    plan_softly,
    score,
)
from craftworld.identification.behaviour import ObservedStep, ObservedWorld

HORIZON = 4


def _make_world(seed: int, chances: int) -> SoftWorld:
    """Five states, of which the last one ends, and two or three actions."""
    random = np.random.default_rng(seed)
    following = random.integers(5, size=(5, 3, chances))
    chance = random.dirichlet(np.ones(chances), size=(5, 3))
    available = np.array(
        [[True, True, True], [True, True, False], [True, True, True], [False, True, True], [False] * 3]
    )
    start = np.array([1.0, 0.0, 0.0, 0.0, 0.0])
    return SoftWorld(following, chance, random.normal(size=(2, 5, 3)), available, start, np.arange(5) == 4)


def _list_courses(world: SoftWorld) -> list[tuple[ObservedStep, ...]]:
    """Every course from state 0 on, by plain loops: until it ends, or HORIZON steps."""
    done, going = [], [((), 0)]
    while going:
        course, state = going.pop()
        if world.terminal[state] or len(course) == HORIZON:
            done.append(course)
            continue
        for action in np.flatnonzero(world.available[state]).tolist():
            for after in sorted(set(world.following[state, action].tolist())):
                going.append(((*course, ObservedStep(state, action, after)), after))
    return done


@pytest.mark.parametrize("seed", range(3))
def test_without_chance_a_course_is_as_likely_as_the_exponential_of_its_reward(seed: int) -> None:
    """Ziebart et al. 2008: P(course) = exp(w . features) / Z, with Z summed over every course."""
    world, weights = _make_world(seed, 1), np.array([0.7, -1.3])
    courses = _list_courses(world)
    worth = np.array([math.exp(sum(weights @ world.features[:, s, a] for s, a, _ in course)) for course in courses])
    policy, value = plan_softly(world, weights, HORIZON)
    assert value == pytest.approx(math.log(worth.sum()))
    found = [math.exp(sum(policy[t, s, a] for t, (s, a, _) in enumerate(course))) for course in courses]
    assert found == pytest.approx(worth / worth.sum())
    assert score(policy, courses[0]) * len(courses[0]) == pytest.approx(math.log(found[0]))


@pytest.mark.parametrize(("seed", "chances"), [(0, 1), (0, 2), (1, 2)])
def test_expected_features_are_those_of_all_courses_and_the_slope_of_the_value(seed: int, chances: int) -> None:
    world, weights = _make_world(seed, chances), np.array([0.4, 0.9])
    policy, _ = plan_softly(world, weights, HORIZON)
    total = np.zeros(2)
    for course in _list_courses(world):
        chance = 1.0
        for t, (state, action, after) in enumerate(course):
            leads = world.chance[state, action][world.following[state, action] == after].sum()
            chance *= math.exp(policy[t, state, action]) * leads
        total += chance * sum(world.features[:, state, action] for state, action, _ in course)
    assert expect_features(world, policy) == pytest.approx(total)
    slope = approx_fprime(weights, lambda at: plan_softly(world, at, HORIZON)[1], 1e-6)
    assert slope == pytest.approx(total, abs=1e-4)


def test_the_weights_of_a_soft_optimal_agent_are_found_again() -> None:
    """From the features that it is expected to gather: many episodes in proportion to their probability."""
    world, weights = _make_world(0, 1), np.array([0.7, -1.3])
    policy, _ = plan_softly(world, weights, HORIZON)
    courses = _list_courses(world)
    times = [round(1e5 * math.exp(score(policy, course) * len(course))) for course in courses]
    seen = [course for course, number in zip(courses, times, strict=True) for _ in range(number)]
    assert count_features(world, seen) == pytest.approx(expect_features(world, policy), abs=1e-4)
    assert fit([world], [seen], HORIZON, 1e3) == pytest.approx(weights, abs=1e-3)


def test_features_are_the_own_reward_and_what_care_adds() -> None:
    """In the garden, of the optimal path at care 1: own reward -10, and the augmented return is the sum of both."""
    garden = ObservedWorld.make("garden")
    solution = caregrid.problem("garden").solve(care=1)
    seen = caregrid.record_behaviour(solution, "garden")
    own, added = count_features(make_soft_world(garden), seen.episodes)
    assert own == pytest.approx(-10.0)
    assert own + added == pytest.approx(solution.problem.find_segment(1.0, seen.episodes[0][0].state).line.at(1.0))
