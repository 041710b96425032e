"""Planning: methods agree with one another, with brute force, with closed forms and with what policies then collect."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compiling.kernel import Kernel
from engine.errors import BadValue, NoPlan
from engine.mdp import reachability
from engine.mdp.mdp import TabularMDP
from engine.mdp.reachability import find_proper_states, has_proper_policy
from engine.planning import kernels
from engine.planning.dynamic_programming import (
    Solution,
    dijkstra,
    evaluate_policy,
    is_proper,
    plan,
    policy_iteration,
    reward_to_arrive,
    reward_to_go,
    value_iteration,
)
from tests.engine.worlds import corridor, numbered, tables

COSTS = st.integers(-5, -1).map(float)
FREE_OR_COSTS = st.integers(-3, 0).map(float)
ANYTHING = st.integers(-5, 5).map(float)
EXAMPLES = 120


def every_policy(mdp: TabularMDP) -> list[np.ndarray[Any, Any]]:
    """All deterministic policies of a small table (terminal states keep action 0)."""
    choices = [range(1 if over else len(mdp.actions)) for over in mdp.terminal]
    return [np.array(policy, dtype=np.int32) for policy in itertools.product(*choices)]


def simulated(mdp: TabularMDP, policy: np.ndarray[Any, Any], doublings: int) -> np.ndarray[Any, Any]:
    """Expected return of a policy in 2^doublings steps, by plain matrices: f64[S]."""
    states = np.arange(len(policy))
    transition = np.zeros((len(states), len(states)))
    for k in range(mdp.next_state.shape[2]):
        np.add.at(transition, (states, mdp.next_state[states, policy, k]), mdp.probability[states, policy, k])
    expected = (mdp.probability[states, policy] * mdp.reward[states, policy]).sum(axis=1)
    value, far = expected, mdp.discount * transition
    for _ in range(doublings):
        value = value + far @ value
        far = far @ far
    return value


def assert_solves(mdp: TabularMDP, solution: Solution) -> None:
    """The value obeys the optimality equation, and the policy collects it."""
    value = solution.value
    with np.errstate(invalid="ignore"):
        backed = (mdp.probability * (mdp.reward + mdp.discount * _read(value, mdp))).sum(axis=2).max(axis=1)
    np.testing.assert_allclose(value, np.where(mdp.terminal, 0.0, backed), atol=1e-6)
    np.testing.assert_allclose(evaluate_policy(mdp, solution.policy), value, atol=1e-6)
    assert (solution.policy[mdp.terminal] == 0).all()
    assert (solution.action_value[mdp.terminal] == 0.0).all()


def _read(value: np.ndarray[Any, Any], mdp: TabularMDP) -> np.ndarray[Any, Any]:
    """Values of successors, 0 in unused slots."""
    return np.where(mdp.probability > 0, value[mdp.next_state], 0.0)


@given(tables(rewards=ANYTHING, discount=0.9, successors=3))
@settings(max_examples=EXAMPLES, deadline=None)
def test_discounted_methods_agree(mdp: TabularMDP) -> None:
    by_policies, by_values = policy_iteration(mdp), value_iteration(mdp)
    np.testing.assert_allclose(by_policies.value, by_values.value, atol=1e-8)
    assert_solves(mdp, by_policies)
    assert_solves(mdp, by_values)
    np.testing.assert_array_equal(plan(mdp).value, by_policies.value)


@given(tables(rewards=ANYTHING, discount=0.9, successors=2, most_states=5))
@settings(max_examples=40, deadline=None)
def test_no_discounted_policy_beats_the_plan(mdp: TabularMDP) -> None:
    best = np.max([simulated(mdp, policy, 8) for policy in every_policy(mdp)], axis=0)
    np.testing.assert_allclose(plan(mdp).value, best, atol=1e-9)


@given(tables(rewards=COSTS))
@settings(max_examples=EXAMPLES, deadline=None)
def test_shortest_paths_agree_with_value_iteration(mdp: TabularMDP) -> None:
    solution = dijkstra(mdp)
    np.testing.assert_allclose(solution.value, value_iteration(mdp).value)
    np.testing.assert_array_equal(np.isneginf(solution.value), ~has_proper_policy(mdp))
    assert_solves(mdp, solution)
    assert_solves(mdp, value_iteration(mdp))


@given(tables(rewards=FREE_OR_COSTS))
@settings(max_examples=EXAMPLES, deadline=None)
def test_shortest_paths_past_zero_cost_cycles(mdp: TabularMDP) -> None:
    """A path may stay in a zero-cost cycle for ever: its return is then what it collected until it got there."""
    assert_solves(mdp, dijkstra(mdp))


@given(tables(rewards=FREE_OR_COSTS, most_states=5))
@settings(max_examples=60, deadline=None)
def test_no_undiscounted_policy_beats_the_shortest_path(mdp: TabularMDP) -> None:
    best = np.max([evaluate_policy(mdp, policy) for policy in every_policy(mdp)], axis=0)
    np.testing.assert_array_equal(dijkstra(mdp).value, best)


@given(tables(rewards=COSTS, successors=3))
@settings(max_examples=EXAMPLES, deadline=None)
def test_undiscounted_stochastic_plans(mdp: TabularMDP) -> None:
    solution = plan(mdp)
    np.testing.assert_array_equal(np.isneginf(solution.value), ~has_proper_policy(mdp))
    assert_solves(mdp, solution)


@pytest.mark.slow
@given(tables(rewards=FREE_OR_COSTS, successors=2, most_states=5))
@settings(max_examples=EXAMPLES, deadline=None)
def test_undiscounted_stochastic_plans_past_zero_cost_cycles(mdp: TabularMDP) -> None:
    solution = plan(mdp)
    assert_solves(mdp, solution)
    best = np.max([evaluate_policy(mdp, policy) for policy in every_policy(mdp)], axis=0)
    np.testing.assert_allclose(solution.value, best, atol=1e-6)


def test_a_zero_cost_cycle_does_not_sustain_a_value_that_no_policy_collects() -> None:
    """In state 0 one action stays, the other gambles for 1 at the risk of a way back that costs 1: both are worth 0."""
    next_state = np.array([[[0, 0], [2, 1]], [[0, 0], [0, 0]], [[2, 2], [2, 2]]], dtype=np.int32)
    probability = np.array([[[1, 0], [0.5, 0.5]], [[1, 0], [1, 0]], [[1, 0], [1, 0]]], dtype=np.float64)
    reward = np.array([[[0, 0], [1, 0]], [[-1, 0], [-1, 0]], [[0, 0], [0, 0]]], dtype=np.float64)
    mdp = numbered(next_state, probability, reward, [2], actions=("stay", "gamble"))
    np.testing.assert_allclose(plan(mdp).value, [0.0, -1.0, 0.0], atol=1e-9)


@given(tables(rewards=COSTS, endable=True), st.data())
@settings(max_examples=60, deadline=None)
def test_a_second_reward_breaks_ties_only(mdp: TabularMDP, data: st.DataObject) -> None:
    entering = mdp.terminal[mdp.next_state] & ~mdp.terminal[:, None, None]
    second = np.where(
        entering,
        np.array(
            data.draw(st.lists(st.integers(0, 9), min_size=mdp.reward.size, max_size=mdp.reward.size)), dtype=float
        ).reshape(mdp.reward.shape),
        0.0,
    )
    first, tied = plan(mdp), plan(mdp, second)
    np.testing.assert_array_equal(first.value, tied.value)
    np.testing.assert_allclose(evaluate_policy(mdp, tied.policy), first.value)
    collected = [
        evaluate_policy(mdp.with_reward(second), policy)
        for policy in every_policy(mdp)
        if np.array_equal(evaluate_policy(mdp, policy), first.value)
    ]
    np.testing.assert_allclose(evaluate_policy(mdp.with_reward(second), tied.policy), np.max(collected, axis=0))


@pytest.mark.parametrize("solve", [plan, dijkstra, value_iteration])
def test_an_undiscounted_corridor(solve: Callable[[TabularMDP], Solution]) -> None:
    solution = solve(corridor(6))
    np.testing.assert_array_equal(solution.value, [-6, -5, -4, -3, -2, -1, 0])
    np.testing.assert_array_equal(solution.policy, np.zeros(7))
    np.testing.assert_array_equal(solution.action_value[0], [-6, -7])


@pytest.mark.parametrize("solve", [plan, policy_iteration, value_iteration])
def test_a_discounted_corridor(solve: Callable[[TabularMDP], Solution]) -> None:
    gamma = 0.8
    value = solve(corridor(6, gamma)).value
    np.testing.assert_allclose(value, [-(1 - gamma**n) / (1 - gamma) for n in range(6, -1, -1)])


@pytest.mark.parametrize("solve", [plan, policy_iteration, value_iteration])
def test_a_discounted_gold_mine_is_worth_its_geometric_series(solve: Callable[[TabularMDP], Solution]) -> None:
    mine = corridor(1, 0.9, step=2.0)
    np.testing.assert_allclose(solve(mine).value, [2 / (1 - 0.9), 0])
    assert solve(mine).policy[0] == 1


@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0])
def test_a_gambler_who_throws_until_heads(gamma: float) -> None:
    """V = -1 + gamma V / 2 = -2 / (2 - gamma)."""
    table = corridor(1, gamma)
    gamble = TabularMDP(
        table.states,
        table.index,
        ("throw",),
        np.array([[[0, 1]], [[1, 0]]], dtype=np.int32),
        np.array([[[0.5, 0.5]], [[1.0, 0.0]]]),
        np.array([[[-1.0, -1.0]], [[0.0, 0.0]]]),
        table.terminal,
        table.start,
        gamma,
    )
    assert plan(gamble).value[0] == pytest.approx(-2 / (2 - gamma))
    assert value_iteration(gamble).value[0] == pytest.approx(-2 / (2 - gamma))
    assert evaluate_policy(gamble, np.zeros(2, dtype=np.int32))[0] == pytest.approx(-2 / (2 - gamma))


def test_a_room_without_doors_has_no_proper_policy() -> None:
    room = corridor(3)
    closed = np.array(room.next_state)
    closed[2, 0, 0] = 1
    for solve in (plan, dijkstra, value_iteration):
        value = solve(TabularMDP(**{**vars(room), "next_state": closed})).value
        np.testing.assert_array_equal(value, [-np.inf, -np.inf, -np.inf, 0])


def test_positive_cycles_have_no_plan() -> None:
    with pytest.raises(NoPlan, match="do not converge"):
        value_iteration(corridor(2, step=1.0), most_sweeps=1000)
    with pytest.raises(BadValue, match="discount 1"):
        policy_iteration(corridor(2))
    with pytest.raises(BadValue, match="tolerance 0"):
        value_iteration(corridor(2), tolerance=0)


@given(tables(rewards=ANYTHING, discount=0.9, successors=1), st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_functional_graph_and_linear_system_and_simulation_agree(mdp: TabularMDP, data: st.DataObject) -> None:
    policy = np.array([data.draw(st.integers(0, len(mdp.actions) - 1)) for _ in mdp.states], dtype=np.int32)
    by_graph = evaluate_policy(mdp, policy)
    by_system = evaluate_policy(_padded(mdp), policy)
    np.testing.assert_allclose(by_graph, by_system, atol=1e-9)
    np.testing.assert_allclose(by_graph, simulated(mdp, policy, 8), atol=1e-9)


def _padded(mdp: TabularMDP) -> TabularMDP:
    """The same table with a second, unused successor everywhere, so that it does not look deterministic."""
    pad = [(0, 0), (0, 0), (0, 1)]
    arrays = {name: np.pad(getattr(mdp, name), pad) for name in ("next_state", "probability", "reward")}
    return TabularMDP(**{**vars(mdp), **arrays})


@given(tables(rewards=FREE_OR_COSTS), st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_undiscounted_evaluation_by_graph_and_by_system(mdp: TabularMDP, data: st.DataObject) -> None:
    policy = np.array([data.draw(st.integers(0, len(mdp.actions) - 1)) for _ in mdp.states], dtype=np.int32)
    by_graph = evaluate_policy(mdp, policy)
    np.testing.assert_allclose(by_graph, evaluate_policy(_padded(mdp), policy), atol=1e-9)
    long = simulated(mdp, policy, 8)
    np.testing.assert_allclose(by_graph[np.isfinite(by_graph)], long[np.isfinite(by_graph)], atol=1e-9)
    assert (long[np.isneginf(by_graph)] <= -20).all()


@given(tables(rewards=COSTS, successors=3, most_states=4), st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_undiscounted_stochastic_evaluation_against_simulation(mdp: TabularMDP, data: st.DataObject) -> None:
    policy = np.array([data.draw(st.integers(0, len(mdp.actions) - 1)) for _ in mdp.states], dtype=np.int32)
    value = evaluate_policy(mdp, policy)
    np.testing.assert_array_equal(np.isfinite(value), find_proper_states(mdp, policy))
    finite = np.isfinite(value)
    np.testing.assert_allclose(value[finite], simulated(mdp, policy, 15)[finite], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("rewards", "values"), [((1, -2), -np.inf), ((3, -2), np.inf), ((0, 0), 0.0)])
def test_undiscounted_cycles_by_the_sign_of_their_reward(rewards: tuple[int, int], values: float) -> None:
    table = corridor(2)
    cycle = TabularMDP(
        table.states,
        table.index,
        ("go",),
        np.array([[[1]], [[0]], [[2]]], dtype=np.int32),
        np.ones((3, 1, 1)),
        np.array([[[rewards[0]]], [[rewards[1]]], [[0]]], dtype=float),
        table.terminal,
        table.start,
        1.0,
    )
    np.testing.assert_array_equal(evaluate_policy(cycle, np.zeros(3, dtype=np.int32)), [values, values, 0])


def test_is_proper_asks_about_the_start_states() -> None:
    table = corridor(3)
    on, stay = np.zeros(4, dtype=np.int32), np.ones(4, dtype=np.int32)
    assert is_proper(table, on)
    assert not is_proper(table, stay)


@given(tables(rewards=ANYTHING, discount=0.9, successors=2), st.data())
@settings(max_examples=15, deadline=None)
def test_compiled_kernels_and_their_plain_twins(mdp: TabularMDP, data: st.DataObject) -> None:
    arrays = (mdp.next_state, mdp.probability, mdp.reward)
    policy = np.array([data.draw(st.integers(0, len(mdp.actions) - 1)) for _ in mdp.states], dtype=np.int32)
    value = np.array([data.draw(ANYTHING) for _ in mdp.states])
    q = kernels.action_values(*arrays, mdp.terminal, 0.9, value)
    np.testing.assert_array_equal(q, kernels.action_values.py_func(*arrays, mdp.terminal, 0.9, value))
    here, there, order = value.copy(), value.copy(), np.array(data.draw(st.permutations(range(len(value)))))
    change = kernels.sweep(*arrays, mdp.terminal, 0.9, here, order)
    assert change == kernels.sweep.py_func(*arrays, mdp.terminal, 0.9, there, order)
    np.testing.assert_array_equal(here, there)
    states = np.arange(len(policy))
    target, reward = mdp.next_state[states, policy, 0], np.ascontiguousarray(mdp.reward[states, :2, 0])
    for discount in (0.9, 1.0):
        one, other = np.zeros((2, *reward.shape))
        kernels.evaluate_deterministic.compiled(target, reward, mdp.terminal, discount, one)
        kernels.evaluate_deterministic.run_plainly(target, reward, mdp.terminal, discount, other)
        assert one.tobytes() == other.tobytes()
        for m in range(reward.shape[1]):
            alone = kernels.compute_deterministic_values(target, reward[:, m], mdp.terminal, discount)
            assert alone.tobytes() == one[:, m].tobytes()


@given(tables(rewards=FREE_OR_COSTS))
@settings(max_examples=15, deadline=None)
def test_compiled_shortest_paths_and_their_plain_twins(mdp: TabularMDP) -> None:
    target, reward = mdp.next_state[:, :, 0], mdp.reward[:, :, 0]
    no_cycles, nothing = np.zeros(len(mdp.terminal), dtype=np.bool_), np.zeros_like(reward)
    found = []
    for run in (Kernel.run_plainly, lambda kernel, *arguments: kernel.compiled(*arguments)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Kernel, "__call__", run)
            found.append(
                [
                    *reachability.list_predecessors(target, mdp.terminal),
                    *reward_to_go(target, reward, nothing, mdp.terminal, no_cycles),
                    *reward_to_arrive(target, reward, mdp.terminal, 0),
                    reachability.count_steps_on_grid(reward < 0.0, 0, 0),
                ]
            )
    for plain, compiled in zip(*found, strict=True):
        assert plain.dtype == compiled.dtype
        np.testing.assert_array_equal(plain, compiled)
