"""Tabular Q-learning: compiled against plain, learned against planned, and what its options mean."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craftworld.scenarios import SCENARIOS
from engine.errors import BadValue, NoPlan
from engine.learning import q_learning as module
from engine.learning import remembered_model
from engine.learning.q_learning import (
    QLearningSettings,
    TableLearner,
    find_greedy_policy,
    find_optimistic_value,
    learn_action_values,
)
from engine.learning.q_learning_kernels import learn_by_chance, learn_remembering, list_choices, make_memory
from engine.learning.remembered_model import has_shortest_paths, solve_by_shortest_paths, solve_optimistically
from engine.mdp.mdp import TabularMDP
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import evaluate_policy, plan
from tests.engine.worlds import corridor, numbered, tables

SHORT = QLearningSettings(steps=4_000, episode_steps=40)
ANYTHING = st.integers(-5, 5).map(float)


@given(tables(bonus=ANYTHING, endable=True), st.integers(0, 2**64 - 1))
@settings(max_examples=60, deadline=None)
def test_what_is_learned_is_what_is_planned(mdp: TabularMDP, key: int) -> None:
    policy = find_greedy_policy(learn_action_values(mdp, key, SHORT))
    assert evaluate_policy(mdp, policy)[0] == pytest.approx(plan(mdp).value[0])


@given(tables(rewards=ANYTHING, bonus=ANYTHING, discount=0.8), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_discounted_tables_with_positive_steps_are_learned_too(mdp: TabularMDP, key: int) -> None:
    learned = learn_action_values(mdp, key, QLearningSettings(steps=8_000, episode_steps=20))
    assert evaluate_policy(mdp, find_greedy_policy(learned))[0] == pytest.approx(plan(mdp).value[0], abs=1e-6)


@given(tables(rewards=ANYTHING, discount=0.9), st.integers(0, 2**32))
@settings(max_examples=100, deadline=None)
def test_optimism_is_an_upper_bound(mdp: TabularMDP, key: int) -> None:
    assert find_optimistic_value(mdp) >= plan(mdp).value[~mdp.terminal].max(initial=-np.inf) - 1e-9


@given(tables(bonus=ANYTHING, endable=True))
@settings(max_examples=100, deadline=None)
def test_optimism_is_an_upper_bound_without_a_discount(mdp: TabularMDP) -> None:
    assert find_optimistic_value(mdp) >= plan(mdp).action_value[~mdp.terminal].max(initial=-np.inf) - 1e-9


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize(
    "options", [{"planning_steps": 0}, {"planning_steps": 5}, {"planning_steps": 0, "ties": "random"}], ids=str
)
@pytest.mark.parametrize("successors", [1, 2])
@pytest.mark.parametrize("ragged", [False, True])
def test_compiled_and_plain_learn_the_same_bits(
    options: dict[str, Any], successors: int, ragged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    mdp = corridor(4)
    if successors == 2:
        split = np.concatenate([mdp.next_state, mdp.next_state[:, ::-1]], axis=2)
        half = np.full(split.shape, 0.5)
        reward = np.repeat(mdp.reward, 2, axis=2)
        mdp = TabularMDP(**{**vars(mdp), "next_state": split, "probability": half, "reward": reward})
    if ragged:
        available = np.ones(mdp.next_state.shape[:2], dtype=np.bool_)
        available[2, 0] = False
        mdp = mdp.with_available(available)
    mdp.start[:3] = 0.5, 0.0, 0.5

    def learned() -> TableLearner:
        chosen = QLearningSettings(300, 15, epsilon=0.3, learning_rate=0.7, **options)
        learner = TableLearner(mdp, 12345, chosen, 0.0)
        for until in (7, 120, 300):
            learner.learn(until)
        return learner

    compiled = learned()
    for name in ("learn", "learn_remembering", "learn_by_chance", "take_over"):
        monkeypatch.setattr(module, name, getattr(module, name).py_func)
    monkeypatch.setattr(remembered_model, "settle_remembered", remembered_model.settle_remembered.py_func)
    plain = learned()
    for one, other in zip(compiled._memory, plain._memory, strict=True):
        np.testing.assert_array_equal(one, other)
    assert compiled.action_value.tobytes() == plain.action_value.tobytes()
    assert (compiled.action_value[:4] < 0).any()


@given(tables(rewards=ANYTHING, discount=0.9), st.integers(0, 2**64 - 1), st.integers(1, 500))
@settings(max_examples=60, deadline=None)
def test_the_quick_loop_learns_the_bits_of_the_general_one(mdp: TabularMDP, key: int, steps: int) -> None:
    chosen = QLearningSettings(steps, 15, epsilon=0.3, learning_rate=0.7, planning_steps=0)
    quick, memory = TableLearner(mdp, key, chosen, 1.0), make_memory(mdp, 1.0, False)
    quick.learn(steps)
    starts = mdp.start_states()
    learn_by_chance(
        (mdp.next_state, mdp.probability, np.ascontiguousarray(mdp.reward), mdp.terminal, *list_choices(mdp)),
        (starts, mdp.start[starts] / mdp.start[starts].sum(), 15),
        (mdp.discount, 0.3, 0.7),
        steps,
        np.uint64(key),
        tuple(memory),
        steps,
        False,
    )
    assert quick.action_value.tobytes() == memory.action_value.tobytes()
    assert quick._memory.counters.tobytes() == memory.counters.tobytes()


TEXTBOOK = QLearningSettings(4_000, 40, planning_steps=0, ties="random")


def fork() -> TabularMDP:
    """From state 0, actions 0 and 1 end with reward -1, action 2 with -5; three states, the last two terminal."""
    next_state = np.array([[[1], [1], [2]], [[1]] * 3, [[2]] * 3], dtype=np.int32)
    reward = np.array([[[-1.0], [-1.0], [-5.0]], [[0.0]] * 3, [[0.0]] * 3])
    return numbered(next_state, None, reward, [1, 2])


@given(tables(endable=True), st.integers(0, 2**64 - 1))
@settings(max_examples=40, deadline=None)
def test_optimistic_values_with_ties_at_random_lead_to_what_is_planned(mdp: TabularMDP, key: int) -> None:
    assert learn_action_values(mdp, key, TEXTBOOK, 0.0)[0].max() == pytest.approx(plan(mdp).value[0])


def test_pessimistic_values_stay_with_the_first_way_out() -> None:
    """Without exploration the way that was tried first is kept, whichever it was; ties are broken at random."""
    greedy = replace(TEXTBOOK, steps=50, epsilon=0.0)
    kept = [int(find_greedy_policy(learn_action_values(fork(), key, greedy, -1000.0))[0]) for key in range(200)]
    assert {action: kept.count(action) > 40 for action in set(kept)} == {0: True, 1: True, 2: True}
    explored = learn_action_values(fork(), 3, replace(TEXTBOOK, steps=200), -1000.0)
    assert explored[0].tolist() == [-1.0, -1.0, -5.0]


def test_ties_at_random_among_available_actions_under_chance() -> None:
    mdp = tabulate(SCENARIOS["icy_yard"]())
    learned = learn_action_values(mdp, 1, replace(TEXTBOOK, steps=400_000, learning_rate=0.02, epsilon=0.3), 0.0)
    assert learned[0].max() == pytest.approx(-10.0, abs=0.5)
    assert mdp.available is not None
    assert np.isneginf(learned[~mdp.available & ~mdp.terminal[:, None]]).all()


@given(tables(bonus=ANYTHING, endable=True), st.integers(0, 2**64 - 1), st.integers(1, 500))
@settings(max_examples=100, deadline=None)
def test_paths_through_remembered_steps_are_those_of_a_table_of_them(mdp: TabularMDP, key: int, steps: int) -> None:
    learner = TableLearner(mdp, key, SHORT)
    assert has_shortest_paths(mdp)
    episodes = (mdp.start_states(), mdp.start[mdp.start_states()], SHORT.episode_steps)
    rule = (1.0, 0.5, 1.0)
    learn_remembering(
        learner._table, episodes, rule, steps, np.uint64(key), learner._memory.in_rows(), len(mdp.actions), 64, steps
    )
    one = solve_by_shortest_paths(mdp, learner._table, learner._memory, learner.initial)
    other = solve_optimistically(mdp, learner._memory, learner.initial)
    assert one.value.tobytes() == other.value.tobytes()
    assert one.action_value.tobytes() == other.action_value.tobytes()
    np.testing.assert_array_equal(one.policy[~mdp.terminal], other.policy[~mdp.terminal])


@given(tables(bonus=ANYTHING, endable=True), st.sampled_from([1.0, 1e-10]), st.integers(0, 2**64 - 1))
@settings(max_examples=200, deadline=None)
def test_values_that_need_no_solution_are_those_of_the_remembered_steps(mdp: TabularMDP, unit: float, key: int) -> None:
    """Such values are not taken over; where a step costs less than what counts as a change, all are."""
    learner = TableLearner(mdp.with_reward(mdp.reward * unit), key, SHORT)
    learner.learn(1 + key % 500)
    solved = solve_optimistically(learner.mdp, learner._memory, learner.initial).value
    if learner._is_consistent():
        possible = np.isfinite(solved)
        np.testing.assert_allclose(learner._memory.value[possible], solved[possible], atol=1e-14 * unit)
        assert (learner._memory.value[~possible] < -1e200).all()


@given(tables(bonus=ANYTHING, endable=True), st.integers(0, 2**32), st.integers(1, 4_000))
@settings(max_examples=60, deadline=None)
def test_a_policy_that_earns_what_its_values_promise_is_optimal(mdp: TabularMDP, key: int, steps: int) -> None:
    """However few the steps: what is said to be settled is optimal from every start state."""
    mdp.start[:] = 1.0 / len(mdp.start)
    learner = TableLearner(mdp, key, SHORT)
    learner.learn(steps)
    value = evaluate_policy(mdp, learner.policy)
    if learner.residual() == 0.0:
        np.testing.assert_allclose(value[mdp.start_states()], plan(mdp).value[mdp.start_states()])
    learner.learn(30_000)
    assert learner.residual() == 0.0


@given(tables(rewards=ANYTHING, bonus=ANYTHING, endable=True), st.integers(0, 2**32))
@settings(max_examples=100, deadline=None)
def test_undiscounted_steps_of_positive_reward_are_learned_too(mdp: TabularMDP, key: int) -> None:
    """Such bounds are far above the truth, and some cycles gain for ever, or nothing in all, which no plan counts."""
    learner = TableLearner(mdp, key, QLearningSettings(steps=6_000, episode_steps=40, epsilon=0.1))
    learner.learn(6_000)
    try:
        best = plan(mdp).value[0]
    except NoPlan:
        return
    earned = evaluate_policy(mdp, learner.policy)[0]
    assert earned > best or earned == pytest.approx(best)
    assert learner.residual() == 0.0


@pytest.mark.parametrize("way", [0, 1, 2])
def test_waiting_for_nothing_beats_an_end_that_costs(way: int) -> None:
    """From every state of a corridor whose end costs 5, over ways that cost 1: where free, the agent stays."""
    mdp = corridor(4)
    mdp.reward[:] = -1.0
    mdp.reward[mdp.terminal[mdp.next_state] & ~mdp.terminal[:, None, None]] = -5.0
    mdp.reward[way, mdp.next_state[way, :, 0] == way] = 0.0
    learner = TableLearner(mdp, 3, QLearningSettings(steps=3_000, episode_steps=30, epsilon=0.1))
    learner.learn(3_000)
    np.testing.assert_array_equal(evaluate_policy(mdp, learner.policy), plan(mdp).value)
    assert learner.residual() == 0.0


def test_a_cycle_that_gains_is_kept_to_for_ever() -> None:
    mdp = corridor(3)
    mdp.reward[1, 1, 0] = 0.5
    learner = TableLearner(mdp, 1, QLearningSettings(steps=2_000, episode_steps=20, epsilon=0.1))
    learner.learn(2_000)
    assert evaluate_policy(mdp, learner.policy)[0] == np.inf
    assert learner.residual() == 0.0


def test_learning_in_parts_is_learning_at_once() -> None:
    mdp = corridor(6)
    parts, whole = (TableLearner(mdp, 3, QLearningSettings(planning_steps=0)) for _ in range(2))
    for until in (10, 35, 60):
        parts.learn(until)
    whole.learn(60)
    assert parts.steps == whole.steps == 60
    assert parts.action_value.tobytes() == whole.action_value.tobytes()


def test_where_nothing_ends_nothing_is_left_to_learn() -> None:
    """Two start states, one of them walled in: the learner finds out and begins in the other one only."""
    mdp = corridor(3)
    mdp.next_state[0, 0, 0] = 0
    mdp.start[:] = [0.5, 0.5, 0.0, 0.0]
    learner = TableLearner(mdp, 1, QLearningSettings(episode_steps=50))
    assert learner.residual() == 1.0
    learner.learn(2_000)
    assert learner.residual() == 0.0
    np.testing.assert_array_equal(learner.action_value[:2].max(axis=1), [-np.inf, -2.0])


def test_the_same_key_gives_the_same_bytes_and_another_key_others() -> None:
    mdp = corridor(6)
    few = QLearningSettings(steps=60, planning_steps=0)
    one, twin, other = (learn_action_values(mdp, key, few) for key in (3, 3, 4))
    assert one.tobytes() == twin.tobytes()
    assert one.tobytes() != other.tobytes()


def test_planning_steps_spare_steps_of_the_world() -> None:
    """Without remembered steps, values creep back one state a visit; with them they run back at once."""
    mdp = corridor(30)
    planned = plan(mdp).value[0]
    few = {"steps": 400, "epsilon": 0.2}
    with_memory = learn_action_values(mdp, 1, QLearningSettings(**few, planning_steps=64))
    without = learn_action_values(mdp, 1, QLearningSettings(**few, planning_steps=0))
    assert with_memory[0].max() == planned
    assert without[0].max() > planned


def test_a_time_limit_bootstraps_and_does_not_end() -> None:
    """With episodes of one step the learner never sees the end from the first state; its value is not taken for 0."""
    mdp = corridor(1)
    mdp.reward[0, 0, 0] = -7.0
    learned = learn_action_values(mdp, 1, QLearningSettings(steps=2_000, episode_steps=1))
    np.testing.assert_allclose(learned[0], [-7.0, -8.0])


def test_an_undiscounted_learner_that_expects_nothing_good_takes_the_first_way_out() -> None:
    """Why optimism: with initial values far below the truth, the first way out that is found stays the best."""
    next_state = np.array([[[3], [1]], [[2], [1]], [[3], [2]], [[3], [3]]], dtype=np.int32)
    reward = np.array([[[-10.0], [-1.0]], [[-1.0], [-1.0]], [[-1.0], [-1.0]], [[0.0], [0.0]]])
    table = corridor(3)
    shortcut = TabularMDP(**{**vars(table), "next_state": next_state, "reward": reward})
    greedy_from_below = learn_action_values(
        shortcut, 1, QLearningSettings(steps=500, epsilon=0.0, planning_steps=0), initial=-100.0
    )
    greedy_from_above = learn_action_values(shortcut, 1, QLearningSettings(steps=500, epsilon=0.0, planning_steps=0))
    assert greedy_from_below[0].argmax() == 0
    assert greedy_from_above[0].argmax() == 1
    assert greedy_from_above[0, 1] == plan(shortcut).value[0] == -3.0


def test_a_stochastic_table_is_learned_approximately_by_small_steps() -> None:
    next_state = np.array([[[1, 0], [1, 1]], [[1, 1], [1, 1]]], dtype=np.int32)
    probability = np.array([[[0.8, 0.2], [0.5, 0.5]], [[1.0, 0.0], [1.0, 0.0]]])
    reward = np.array([[[-1.0, -1.0], [-3.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]])
    table = corridor(1)
    noisy = TabularMDP(**{**vars(table), "next_state": next_state, "probability": probability, "reward": reward})
    learned = learn_action_values(noisy, 1, QLearningSettings(steps=200_000, learning_rate=0.001))
    np.testing.assert_allclose(learned[0], plan(noisy).action_value[0], atol=0.15)


@given(tables(rewards=ANYTHING, bonus=ANYTHING, discount=0.9, successors=2), st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_stochastic_tables_are_learned_from_what_was_counted(mdp: TabularMDP, key: int) -> None:
    learner = TableLearner(mdp, key, QLearningSettings(episode_steps=20))
    learner.learn(40_000)
    best = plan(mdp).value[0]
    assert evaluate_policy(mdp, learner.policy)[0] == pytest.approx(best, abs=0.5)
    assert learner.action_value[0].max() == pytest.approx(best, abs=1.5)


@given(tables(bonus=ANYTHING, endable=True, successors=2), st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_undiscounted_stochastic_tables_are_learned_too(mdp: TabularMDP, key: int) -> None:
    best = plan(mdp).value[0]
    learner = TableLearner(mdp, key, QLearningSettings(episode_steps=60))
    learner.learn(60_000)
    if np.isfinite(best):
        assert evaluate_policy(mdp, learner.policy)[0] == pytest.approx(best, abs=1.0, rel=0.1)


def test_a_rate_of_1_means_the_average_where_chance_decides() -> None:
    mdp = corridor(1)
    doubled = {name: np.repeat(getattr(mdp, name), 2, axis=2) for name in ("next_state", "probability", "reward")}
    doubled["probability"] = doubled["probability"] * [0.25, 0.75]
    doubled["reward"][0, 0] = [-1.0, -5.0]
    noisy = TabularMDP(**{**vars(mdp), **doubled})
    learned = learn_action_values(noisy, 1, QLearningSettings(steps=50_000))
    assert learned[0, 0] == pytest.approx(-4.0, abs=0.1)


def test_a_random_start_is_drawn_as_often_as_it_should() -> None:
    """Two start states with one way out each: both are learned, however rare one is."""
    mdp = corridor(2)
    mdp.start[:] = [0.05, 0.95, 0.0]
    learned = learn_action_values(
        mdp, 1, QLearningSettings(steps=2_000, episode_steps=1, planning_steps=0, learning_rate=0.5)
    )
    np.testing.assert_allclose(learned[1], [-1.0, -2.0], atol=1e-6)
    assert learned[0, 0] < 0


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("steps", 0, "at least one step"),
        ("episode_steps", 0, "at least one step"),
        ("epsilon", -0.1, "choose one in"),
        ("epsilon", float("nan"), "choose one in"),
        ("learning_rate", 0.0, "choose one in"),
        ("learning_rate", 1.5, "choose one in"),
        ("learning_rate", float("nan"), "choose one in"),
        ("planning_steps", -1, "choose 0 or more"),
        ("ties", "last", "choose 'first' or 'random'"),
        ("ties", "random", "with 64 planning steps; choose planning_steps = 0"),
    ],
)
def test_options_outside_their_domain(option: str, value: Any, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        QLearningSettings(**{option: value})


def test_initial_values_must_be_finite() -> None:
    with pytest.raises(BadValue, match="initial action value nan"):
        learn_action_values(corridor(1), 1, SHORT, initial=float("nan"))
    assert QLearningSettings() == QLearningSettings(700_000, 1_000, 0.5, 1.0)
