"""Markov games against brute force: joint plans, best responses, equilibria, cycles and damping."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from engine.errors import BadValue, UnknownName
from engine.mdp.mdp import Floats, TabularMDP
from engine.planning import games as markov_game
from engine.planning.dynamic_programming import evaluate_policy, plan
from engine.planning.games import (
    AT_ONCE,
    IN_TURN,
    MarkovGame,
    compute_expected_returns,
    iterate_best_responses,
    make_coefficient_matrix,
    make_deterministic,
)


def game_of(
    next_state: Floats | Sequence[object], probability: Floats, rewards: Floats, sizes: tuple[int, ...]
) -> MarkovGame:
    states = len(probability)
    joint = tuple("/".join(map(str, each)) for each in itertools.product(*map(range, sizes)))
    table = TabularMDP(
        range(states),
        {n: n for n in range(states)},
        joint,
        np.asarray(next_state, dtype=np.int32),
        probability,
        rewards[0],
        np.zeros(states, dtype=np.bool_),
        np.full(states, 1.0 / states),
        0.8,
    )
    agents = tuple(f"agent {n}" for n in range(len(sizes)))
    return MarkovGame(agents, table, rewards, tuple(tuple(f"a{n}" for n in range(size)) for size in sizes))


def random_game(seed: int, sizes: tuple[int, ...], states: int = 2, successors: int = 2) -> MarkovGame:
    rng = np.random.default_rng(seed)
    shape = (states, int(np.prod(sizes)), successors)
    return game_of(
        rng.integers(0, states, shape),
        rng.dirichlet(np.ones(successors), shape[:2]),
        rng.integers(-5, 6, (len(sizes), *shape)).astype(np.float64),
        sizes,
    )


def all_policies(game: MarkovGame, agent: int) -> list[Floats]:
    states, count = len(game.table.terminal), len(game.actions[agent])
    return [make_deterministic(np.array(each), count) for each in itertools.product(range(count), repeat=states)]


def value_by_hand(game: MarkovGame, policies: Sequence[Floats], weights: Floats) -> Floats:
    """f64[S]: the weighed return of some policies, every joint action with its probability, by linear equations."""
    states, discount = len(game.table.terminal), game.table.discount
    joint_actions = itertools.product(*(range(len(each)) for each in game.actions))
    chance = np.array(
        [np.prod([p[:, one] for p, one in zip(policies, joint, strict=True)], 0) for joint in joint_actions]
    )
    probability = chance.T[:, :, None] * game.table.probability
    reached = game.table.next_state[..., None] == np.arange(states)
    transition = np.einsum("sal,salt->st", probability, reached)
    gained = np.einsum("sal,i,isal->s", probability, weights, game.rewards)
    return np.linalg.solve(np.eye(states) - discount * transition, gained)


@pytest.mark.parametrize(
    ("seed", "sizes"), [(seed, sizes) for seed in range(4) for sizes in ((2, 2), (2, 3), (2, 2, 2))]
)
def test_what_agents_face_and_what_they_follow(seed: int, sizes: tuple[int, ...]) -> None:
    game, rng = random_game(seed, sizes), np.random.default_rng(seed)
    weights = rng.normal(size=len(sizes))
    mixed = [rng.dirichlet(np.ones(size), 2) for size in sizes]
    everywhere = np.zeros(2, dtype=np.int32)
    np.testing.assert_allclose(
        evaluate_policy(game.fix_all(mixed, weights), everywhere), value_by_hand(game, mixed, weights), atol=1e-9
    )
    for agent in range(len(sizes)):
        best = plan(game.fix_others(agent, mixed, weights)).value
        values = [
            value_by_hand(game, [*mixed[:agent], own, *mixed[agent + 1 :]], weights)
            for own in all_policies(game, agent)
        ]
        np.testing.assert_allclose(best, np.max(values, axis=0), atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_joint_plan_is_the_best_of_all(seed: int) -> None:
    game = random_game(seed, (2, 2, 2))
    weights = np.array([1.0, 0.5, -0.25])
    values = [
        value_by_hand(game, profile, weights)
        for profile in itertools.product(*(all_policies(game, agent) for agent in range(3)))
    ]
    np.testing.assert_allclose(plan(game.join(weights)).value, np.max(values, axis=0), atol=1e-9)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("order", [IN_TURN, AT_ONCE])
@pytest.mark.parametrize(("damping", "games"), [(0.0, 25), (0.6, 9)])
def test_equilibria_of_random_games_are_those_of_brute_force(order: str, damping: float, games: int) -> None:
    """Whatever is called an equilibrium is one, and what is called none gives somebody a gain."""
    ended = {"equilibrium": 0, "other": 0}
    for seed in range(games):
        sizes = ((2, 2), (2, 2, 2), (3, 2))[seed % 3]
        game = random_game(100 + seed, sizes)
        coefficients = np.random.default_rng(seed).uniform(-0.5, 1.0, (len(sizes), len(sizes)))
        np.fill_diagonal(coefficients, 1.0)
        begin = [make_deterministic(np.zeros(2, dtype=np.int64), size) for size in sizes]
        found = iterate_best_responses(game, coefficients, begin, order, damping, 60)
        gains = []
        for agent in range(len(sizes)):
            now = value_by_hand(game, found.policies, coefficients[agent])
            others = list(found.policies)
            values = [
                value_by_hand(game, [*others[:agent], own, *others[agent + 1 :]], coefficients[agent])
                for own in all_policies(game, agent)
            ]
            best = np.max(values, axis=0)
            gains.append(best - now)
        assert found.is_markov_perfect == (np.max(gains) <= 1e-7)
        np.testing.assert_allclose(found.rounds[-1].regret, np.mean(gains, axis=1), atol=1e-7)
        np.testing.assert_allclose(found.rounds[-1].off_path, np.max(gains, axis=1), atol=1e-7)
        ended["equilibrium" if found.is_markov_perfect else "other"] += 1
        assert found.is_markov_perfect or found.cycle or len(found.rounds) == 61
    assert ended["equilibrium"] > games / 5


def one_shot(payoffs: Sequence[Sequence[Sequence[float]]]) -> MarkovGame:
    """A matrix game of two agents, played for ever in one state; payoffs[a][b] = (first's, second's)."""
    rewards = np.array(payoffs, dtype=np.float64).reshape(-1, 2).T[:, None, :, None]
    joint = rewards.shape[2]
    size = (len(payoffs), len(payoffs[0]))
    return game_of(np.zeros((1, joint, 1)), np.ones((1, joint, 1)), rewards, size)


def settled(game: MarkovGame, care: float, order: str = IN_TURN, damping: float = 0.0, begin: int = 0) -> list[int]:
    first = [make_deterministic(np.array([begin]), len(each)) for each in game.actions]
    found = iterate_best_responses(game, make_coefficient_matrix(game.agents, 1.0, care, {}), first, order, damping)
    assert found.is_markov_perfect
    return [int(policy[0].argmax()) for policy in found.policies]


def test_the_prisoners_dilemma_by_its_coefficients() -> None:
    """Cooperation is best against itself from 2/3 on (3 + 3 c = 5), against defection from 1/4 on (5 c = 1 + c)."""
    game = one_shot([[(3, 3), (0, 5)], [(5, 0), (1, 1)]])
    cooperates, defects = 0, 1
    for order in (IN_TURN, AT_ONCE):
        assert settled(game, 0.0, order) == settled(game, 0.24, order) == [defects, defects]
        assert settled(game, 0.67, order, begin=defects) == settled(game, 2.0, order) == [cooperates, cooperates]
    assert sorted(settled(game, 0.5)) == [cooperates, defects]


def test_cycles_are_found() -> None:
    pennies = one_shot([[(1, -1), (-1, 1)], [(-1, 1), (1, -1)]])
    begin = [make_deterministic(np.array([0]), 2)] * 2
    selfish = make_coefficient_matrix(pennies.agents, 1.0, 0.0, {})
    for order in (IN_TURN, AT_ONCE):
        found = iterate_best_responses(pennies, selfish, begin, order)
        assert found.cycle
        assert not found.is_nash
    meeting = one_shot([[(0, 0), (2, 1)], [(1, 2), (0, 0)]])  # at once both go to one place, then both to the other
    assert iterate_best_responses(meeting, selfish, begin, AT_ONCE).cycle == 2
    assert iterate_best_responses(meeting, selfish, begin, IN_TURN).is_markov_perfect
    even = [np.array([[0.5, 0.5]])] * 2
    assert iterate_best_responses(pennies, selfish, even, AT_ONCE).is_markov_perfect
    np.testing.assert_allclose(compute_expected_returns(pennies, even), 0.0, atol=1e-9)


@pytest.mark.slow
def test_damping_settles_where_rounds_at_once_run_in_a_circle() -> None:
    meeting = one_shot([[(0, 0), (3, 1)], [(1, 1), (0, 0)]])
    begin, selfish = [make_deterministic(np.array([0]), 2)] * 2, np.eye(2)
    assert iterate_best_responses(meeting, selfish, begin, AT_ONCE).cycle == 2
    for damping in (0.5, 0.8, 0.95):
        found = iterate_best_responses(meeting, selfish, begin, AT_ONCE, damping, 1000)
        assert found.is_markov_perfect
        assert [policy.tolist() for policy in found.policies] == [[[1.0, 0.0]], [[0.0, 1.0]]]


def test_three_who_go_out_if_at_most_one_other_does() -> None:
    """At once nobody and everybody alternate; in turn two go out and one stays."""
    joint = list(itertools.product(range(2), repeat=3))
    rewards = np.array([[(1.0 if sum(each) <= 2 else -1.0) * each[n] for each in joint] for n in range(3)])
    game = game_of(np.zeros((1, 8, 1)), np.ones((1, 8, 1)), rewards[:, None, :, None], (2, 2, 2))
    begin, selfish = [make_deterministic(np.array([0]), 2)] * 3, np.eye(3)
    assert iterate_best_responses(game, selfish, begin, AT_ONCE).cycle == 2
    found = iterate_best_responses(game, selfish, begin, IN_TURN)
    assert found.is_markov_perfect
    assert [int(policy[0].argmax()) for policy in found.policies] == [1, 1, 0]


def test_bad_settings_and_games_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = random_game(0, (2, 2))
    begin = [make_deterministic(np.zeros(2, dtype=np.int64), 2)] * 2
    for settings, message in (
        ({"order": "sometimes"}, "order"),
        ({"damping": 1.0}, "damping"),
        ({"damping": float("nan")}, "damping"),
        ({"damping": -0.1}, "damping"),
    ):
        with pytest.raises(BadValue, match=message):
            iterate_best_responses(game, np.eye(2), begin, **settings)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="agent 7"):
        make_coefficient_matrix(game.agents, 1.0, 0.0, {"agent 7": {"agent 0": 1.0}})
    with pytest.raises(BadValue, match="care is"):
        make_coefficient_matrix(game.agents, 1.0, float("nan"), {})
    monkeypatch.setattr(markov_game, "MOST_ENTRIES", 15)
    with pytest.raises(BadValue, match=r"2 states, 4 joint actions, 2 outcomes and 2 agents.*32 rewards"):
        random_game(0, (2, 2))
    with pytest.raises(BadValue, match="joint actions"):
        MarkovGame(game.agents, game.table, game.rewards, (("a",), ("b", "c")))


@pytest.mark.parametrize("seed", range(3))
def test_responses_do_not_depend_on_the_unit_of_rewards(seed: int) -> None:
    game = random_game(seed, (2, 2))
    small = replace(game, rewards=game.rewards * 1e-12)
    begin = [make_deterministic(np.zeros(2, dtype=int), 2)] * 2
    found, scaled = (iterate_best_responses(each, np.eye(2), begin) for each in (game, small))
    assert [each.changed for each in found.rounds] == [each.changed for each in scaled.rounds]
    assert found.rounds[0].changed
    assert (found.is_nash, found.is_markov_perfect) == (scaled.is_nash, scaled.is_markov_perfect)
