"""Many episodes at once: compiled equals plain, whatever runs beside what, and agrees with exact values."""

from dataclasses import replace

import numpy as np
import pytest

from engine.errors import BadValue
from engine.mdp import rollouts as sampling
from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.policies import epsilon_greedy, make_probabilities, make_random_policy
from engine.mdp.rollouts import NUMBERS, build_outcome_table, estimate_return, play_episode, sample_episodes
from engine.planning.finite_horizon import compute_limited_return
from engine.randomness.counter_based import inverse_cdf, randrange, split, uniform
from tests.engine.random_tables import drawn

LIMIT, KEY = 12, 7
TABLES = range(0, 60, 3)


def table(number: int) -> TabularMDP:
    """A random table; some with several starts, a terminal one among them, some with actions that are missing."""
    mdp = drawn(number).mdp
    if number % 2:
        mdp = replace(mdp, start=np.array([0.5, 0.25, 0.0, 0.25]))
    if number % 4 < 2:
        available = np.ones(mdp.next_state.shape[:2], dtype=bool)
        available[1, 0] = available[2, 1:] = False
        mdp = mdp.with_available(available)
    return mdp


def policies(mdp: TabularMDP, number: int) -> list[Floats]:
    states, actions = mdp.next_state.shape[:2]
    greedy = np.array([randrange(actions, split(number, "policy"), s) for s in range(states)], dtype=np.int32)
    return [mdp.executable(greedy), make_random_policy(mdp), epsilon_greedy(mdp, greedy, 0.3)]


@pytest.mark.parametrize("number", TABLES)
def test_compiled_episodes_are_the_plain_ones(number: int) -> None:
    mdp = table(number)
    for policy in policies(mdp, number):
        found = sample_episodes(mdp, policy, 40, LIMIT, KEY)
        plain = [play_episode(mdp, policy, episode, LIMIT, KEY) for episode in range(40)]
        assert list(zip(*(column.tolist() for column in found), strict=True)) == plain


@pytest.mark.parametrize("number", TABLES)
def test_numbers_lanes_and_threads_change_nothing(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    mdp = table(number)
    policy = make_random_policy(mdp)
    found = sample_episodes(mdp, policy, 50, LIMIT, KEY)
    for lanes in (1, 3, 64):
        again = sample_episodes(mdp, policy, range(20, 50), LIMIT, KEY, lanes=lanes)
        assert all(np.array_equal(a, b[20:]) for a, b in zip(again, found, strict=True))
    monkeypatch.setattr(sampling, "BLOCK", 16)
    estimates = {estimate_return(mdp, policy, 50, LIMIT, KEY, threads=threads) for threads in (1, 2, 5)}
    assert len(estimates) == 1
    (estimate,) = estimates
    assert estimate.mean == pytest.approx(found.total.mean(), abs=1e-12 * (1 + abs(found.total).max()))
    assert estimate.standard_error == pytest.approx(found.total.std(ddof=1) / np.sqrt(50), rel=1e-9)
    assert (estimate.steps, estimate.terminated) == (found.steps.sum(), found.terminated.sum())
    assert (estimate.least, estimate.most) == (found.total.min(), found.total.max())


@pytest.mark.parametrize("number", [1, 4, 9, 14])
def test_means_are_the_exact_values(number: int) -> None:
    mdp = replace(table(number), discount=0.75)
    policy = mdp.executable(np.zeros(4, dtype=np.int32))
    estimate = estimate_return(mdp, policy, 40_000, LIMIT, KEY)
    exact = float(mdp.start @ compute_limited_return(mdp, policy, LIMIT))
    assert abs(estimate.mean - exact) <= 5 * estimate.standard_error + 1e-9 * abs(exact)


def test_the_same_episodes_under_another_reward_and_with_a_worth_of_their_ends() -> None:
    mdp = replace(table(8), discount=0.5)
    policy = make_random_policy(mdp)
    found = sample_episodes(mdp, policy, 200, LIMIT, KEY)
    other = sample_episodes(mdp, policy, 200, LIMIT, KEY, reward=np.ones_like(mdp.reward))
    assert np.array_equal(found.final, other.final)
    assert other.total == pytest.approx(2 - 2 * 0.5**found.steps)
    worth = np.array([1.0, 2.0, 4.0, 8.0])
    estimate = estimate_return(mdp, policy, 200, LIMIT, KEY, final=worth)
    assert estimate.mean == pytest.approx((found.total + 0.5**found.steps * worth[found.final]).mean())


def test_each_start_state_has_its_own_policy() -> None:
    mdp = table(3)
    by_start = {0: policies(mdp, 3)[0], 1: make_random_policy(mdp), 3: make_random_policy(mdp)}
    together = sample_episodes(mdp, by_start, 300, LIMIT, KEY)
    for start, policy in by_start.items():
        alone, here = sample_episodes(mdp, policy, 300, LIMIT, KEY), together.start == start
        assert here.any()
        assert all(np.array_equal(a[here], b[here]) for a, b in zip(together, alone, strict=True))


def test_thresholds_draw_what_the_inverse_cdf_draws() -> None:
    key = split(0, "thresholds")
    for case in range(200):
        weights = np.array([uniform(key, case, k) if uniform(key, case, k, 1) < 0.6 else 0.0 for k in range(6)])
        weights[randrange(6, key, case)] += 0.1
        weights /= weights.sum()
        mdp = TabularMDP(
            (0, 1), {}, ("only",), np.zeros((2, 1, 6), dtype=np.int32), np.stack([[weights], np.eye(6)[:1]]),
            np.stack([[np.arange(6.0)], np.zeros((1, 6))]), np.array([False, True]), np.eye(2)[0], 1.0,
        )  # fmt: skip
        made = build_outcome_table(mdp, np.zeros(2, dtype=np.int32))
        cuts = np.ceil(np.cumsum(weights) * NUMBERS)
        for number in {*(int(cut) + d for cut in cuts for d in (-1, 0, 1)), 0, NUMBERS - 1}:
            if 0 <= number < NUMBERS:
                place = int((number >= made.threshold[0]).sum())
                assert made.reward[0, place] == inverse_cdf(weights, number / NUMBERS)


def test_what_does_not_fit_is_refused() -> None:
    mdp = table(0)
    random = make_random_policy(mdp)
    for policy, says in (
        (np.zeros(3, dtype=int), "shape"),
        (np.full(4, 9), "unknown actions"),
        (random * 0.5, "sum to 1"),
        (random * np.nan, "sum to 1"),
        (np.full((4, 3), 1 / 3), "not available"),
        ({0: random, 2: random}, "no policy") if mdp.start[0] < 1 else (np.zeros((2, 2)), "shape"),
    ):
        with pytest.raises(BadValue, match=says):
            sample_episodes(mdp, policy, 5, LIMIT)
    for episodes in (-1, range(-2, 3), range(0, 9, 2)):
        with pytest.raises(BadValue, match="episodes"):
            sample_episodes(mdp, random, episodes, LIMIT)
    for limit in (0, 2**31):
        with pytest.raises(BadValue, match="limit"):
            sample_episodes(mdp, random, 5, limit)
    with pytest.raises(BadValue, match="a reward of shape"):
        sample_episodes(mdp, random, 5, LIMIT, reward=np.zeros(3))
    with pytest.raises(BadValue, match="no policy for start state 1"):
        sample_episodes(table(1), {0: make_random_policy(table(1))}, 5, LIMIT)
    with pytest.raises(BadValue, match="epsilon"):
        epsilon_greedy(mdp, np.zeros(4, dtype=np.int32), 1.5)
    with pytest.raises(BadValue, match="no episodes"):
        estimate_return(mdp, random, 0, LIMIT)
    assert np.array_equal(make_probabilities(mdp, random), random)
