"""Values of policies: to the last digit in chains of a million million steps, and the same by every method."""

import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.reachability import find_proper_states
from engine.planning import chain_kernels, kernels, policy_evaluation
from engine.planning.dynamic_programming import evaluate_policy, plan
from engine.planning.lexicographic import PairIteration
from engine.planning.policy_evaluation import PolicyEvaluation
from tests.engine.worlds import numbered

COUNT = 7


def made(next_state: Floats, probability: Floats, reward: Floats, ends: list[int], discount: float) -> TabularMDP:
    """A table that starts in state 0; the given states end."""
    terminal = np.zeros(len(next_state), dtype=np.bool_)
    terminal[ends] = True
    next_state = np.where(terminal[:, None, None], np.arange(len(next_state))[:, None, None], next_state)
    probability[terminal], probability[terminal, :, 0], reward[terminal] = 0.0, 1.0, 0.0
    return numbered(next_state, probability, reward, terminal, discount)


def ladder(discount: float = 1.0) -> TabularMDP:
    """Up with probability 1/128, else down to the bottom; -1 a step: 10^12 steps and more to the top."""
    states = np.arange(COUNT)
    next_state = np.stack([np.minimum(states + 1, COUNT - 1), 0 * states], axis=1)[:, None, :]
    probability = np.broadcast_to(np.array([1 / 128, 127 / 128]), next_state.shape).copy()
    return made(next_state, probability, -np.ones(next_state.shape), [COUNT - 1], discount)


def slippery(side: int = 12) -> TabularMDP:
    """A grid from corner to corner, 80 % ahead and 10 % to each side; it factorises cheaply."""
    cells = np.arange(side * side)
    row, column = cells // side, cells % side
    moves = ((-1, 0), (1, 0), (0, -1), (0, 1))
    ahead = [np.clip(row + r, 0, side - 1) * side + np.clip(column + c, 0, side - 1) for r, c in moves]
    sides = ((2, 3), (2, 3), (0, 1), (0, 1))
    next_state = np.stack([np.stack([ahead[a], *(ahead[b] for b in sides[a])], axis=1) for a in range(4)], axis=1)
    probability = np.broadcast_to(np.array([0.8, 0.1, 0.1]), next_state.shape).copy()
    return made(next_state, probability, -np.ones(next_state.shape), [side * side - 1], 1.0)


def unstructured() -> TabularMDP:
    """Random successors: factors would fill up."""
    generator = np.random.default_rng(3)
    weight = generator.random((800, 3, 4))
    next_state, reward = generator.integers(0, 800, weight.shape), generator.normal(size=weight.shape)
    return made(next_state, weight / weight.sum(axis=2, keepdims=True), reward, [799], 0.97)


def rewards(mdp: TabularMDP) -> tuple[Floats, Floats]:
    """Another reward, f64[S, A, K], and the sizes of both, f64[S, A, 2]."""
    extra = np.random.default_rng(4).integers(-2, 3, mdp.reward.shape) * ~mdp.terminal[:, None, None] * 1.0
    both = [(mdp.probability * np.abs(each)).sum(axis=2) for each in (mdp.reward, extra)]
    return extra, np.stack(both, axis=2)


def solved(mdp: TabularMDP, policy: Policy, reward: Floats) -> Floats:
    """Values of one policy by a dense linear system."""
    states = np.arange(len(policy))
    matrix = np.zeros((len(policy), len(policy)))
    chance = mdp.probability[states, policy]
    np.add.at(matrix, (np.repeat(states, chance.shape[1]), mdp.next_state[states, policy].ravel()), chance.ravel())
    matrix[mdp.terminal] = 0.0
    right = np.where(mdp.terminal, 0.0, (chance * reward[states, policy]).sum(axis=1))
    return np.linalg.solve(np.eye(len(policy)) - mdp.discount * matrix, right)


@pytest.mark.parametrize("discount", [1.0, 0.9999])
def test_a_million_million_steps_to_the_last_digit(discount: float) -> None:
    mdp = ladder(discount)
    extra, sizes = rewards(mdp)
    value = PolicyEvaluation(mdp, extra, sizes).values(np.zeros(COUNT, dtype=np.int32))
    up, down, gamma = Fraction(1, 128), Fraction(127, 128), Fraction(discount)
    slope, constant = Fraction(0), Fraction(0)  # V(state) = slope * V(0) + constant, from the top down
    for _ in range(COUNT - 1):
        slope, constant = gamma * (up * slope + down), -1 + gamma * up * constant
    bottom = constant / (1 - slope)
    assert value[0, 0] == pytest.approx(float(bottom), rel=1e-14)


@pytest.mark.parametrize("nines", [5, 7, 9])
@pytest.mark.parametrize("chance", [1, Fraction(1, 4)])
def test_a_discount_near_1_is_the_decimal_that_was_written(nines: int, chance: Fraction) -> None:
    """Two states by turns, or by chance: 1 and -1/4 a step. Stored, .999999999 is a 36-millionth of 1 - gamma off."""
    gamma = 1 - Fraction(1, 10**nines)
    p = Fraction(chance)
    next_state, probability = [[[1, 0]], [[0, 1]]], [[[float(p), float(1 - p)]]] * 2
    if p == 1:
        next_state, probability = [[[1]], [[0]]], [[[1.0]]] * 2
    reward = np.array([1.0, -0.25])[:, None, None] * np.ones((2, 1, len(probability[0][0])))
    table = numbered(np.array(next_state), np.array(probability), reward, [], float(gamma))
    mean, difference = Fraction(3, 8) / (1 - gamma), Fraction(5, 8) / (1 - gamma * (1 - 2 * p))
    policy = np.zeros(2, dtype=np.int32)
    exact = float(mean + difference)
    assert evaluate_policy(table, policy)[0] == pytest.approx(exact, rel=1e-14)
    assert plan(table).value[0] == pytest.approx(exact, rel=1e-14)
    extra, sizes = rewards(table)
    (own, _), _ = PolicyEvaluation(table, extra, sizes).returns(policy, 0)
    assert own == pytest.approx(exact, rel=1e-14)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("make", [slippery, unstructured])
def test_policies_that_change_step_by_step_have_the_values_of_a_linear_system(make: Callable[[], TabularMDP]) -> None:
    mdp = make()
    extra, sizes = rewards(mdp)
    evaluation, generator = PolicyEvaluation(mdp, extra, sizes), np.random.default_rng(5)
    policy = PairIteration(mdp, extra).best((1.0, 0.0), (0.0, 0.0)).policy
    for changed in (0, 1, 1, 3, 1, 10, 0, 40, 2):
        attempt = policy.copy()
        attempt[generator.integers(0, len(policy), changed)] = generator.integers(0, len(mdp.actions), changed)
        policy = attempt if find_proper_states(mdp, attempt).all() or mdp.discount < 1.0 else policy
        value = evaluation.values(policy)
        for column, reward in ((0, mdp.reward), (1, extra)):
            np.testing.assert_allclose(value[:, column], solved(mdp, policy, reward), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("many_states", [policy_evaluation.MANY_STATES, 0], ids=["factors", "sweeps"])
def test_values_do_not_depend_on_what_was_evaluated_before(many_states: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_evaluation, "MANY_STATES", many_states)
    mdp = slippery()
    extra, sizes = rewards(mdp)
    policy = PairIteration(mdp, extra).best((1.0, 0.0), (0.0, 0.0)).policy
    other = policy.copy()
    other[[5, 17, 40]] = (other[[5, 17, 40]] + 1) % 4
    evaluation = PolicyEvaluation(mdp, extra, sizes)
    first = [evaluation.returns(policy, state)[0] for state in range(len(policy))]
    evaluation.values(other)
    assert [evaluation.returns(policy, state)[0] for state in range(len(policy))] == first


def test_returns_of_known_values_are_not_corrected_by_the_chain_of_another_policy() -> None:
    """Another policy was factorised since; what is known of the values is a little wrong."""
    mdp, states = slippery(), np.arange(144)
    extra, sizes = rewards(mdp)
    evaluation = PolicyEvaluation(mdp, extra, sizes)
    policy = np.where(states % 12 == 11, 1, 3).astype(np.int32)
    known = evaluation.values(policy) * (1.0 + 1e-9)
    evaluation.values(PairIteration(mdp, extra).best((1.0, 0.0), (0.0, 0.0)).policy)
    (own, auxiliary), _ = evaluation.returns(policy, 0, known)
    assert own == pytest.approx(solved(mdp, policy, mdp.reward)[0], rel=1e-13)
    assert auxiliary == pytest.approx(solved(mdp, policy, extra)[0], rel=1e-13)


def test_where_no_reward_follows_values_are_0() -> None:
    """And not what rounding left of the values of the policy before."""
    mdp = slippery(6)
    extra = np.zeros(mdp.reward.shape)
    extra[0] = 1.0
    sizes = np.stack([(mdp.probability * np.abs(each)).sum(axis=2) for each in (mdp.reward, extra)], axis=2)
    evaluation = PolicyEvaluation(mdp, extra, sizes)
    policy = np.where(np.arange(36) % 6 == 5, 1, 3).astype(np.int32)
    policy[1] = 2  # back to the start, from where it may slip on
    back = evaluation.values(policy)
    policy[1] = 3
    on = evaluation.values(policy)
    assert back[1, 1] > 0.0
    assert (on[np.arange(36) % 6 > 0][:, [1, 3, 5]] == 0.0).all()


def test_what_can_end_ends() -> None:
    """Against a search in the whole chain."""
    mdp = slippery(4)
    states, generator = np.arange(16), np.random.default_rng(6)
    proper = np.where(states % 4 == 3, 1, 3).astype(np.int32)
    found = set()
    for _ in range(300):
        policy = proper.copy()
        changed = generator.integers(0, 16, 6)
        policy[changed] = generator.integers(0, 4, 6)
        target, chance = mdp.next_state[states, policy], mdp.probability[states, policy].round()
        rounded = TabularMDP(
            mdp.states,
            {},
            mdp.actions,
            mdp.next_state,
            mdp.probability.round(),
            mdp.reward,
            mdp.terminal,
            mdp.start,
            1.0,
        )
        expected = bool(find_proper_states(rounded, policy).all())
        answer = np.zeros(1, dtype=np.bool_)
        chain_kernels.find_ending(target, chance, mdp.terminal, np.unique(changed), answer)
        assert answer[0] == expected
        found.add(expected)
    assert found == {True, False}


def test_compiled_kernels_and_their_plain_twins() -> None:
    mdp = slippery(4)
    extra, sizes = rewards(mdp)
    states = np.arange(16)
    policy = np.where(states % 4 == 3, 1, 3).astype(np.int32)
    chain = mdp.next_state[states, policy], mdp.probability[states, policy], mdp.terminal, 0.9
    step = mdp.reward[states, policy], extra[states, policy], sizes[states, policy]
    value = np.random.default_rng(7).normal(size=(16, 6))
    for kernel, arguments in (
        (chain_kernels.residual, (*chain, *step, value, 1e-15, 1e-6, 1e-16)),
        (chain_kernels.exact_residual, (*chain, *step[:2], value)),
        (chain_kernels.residual_of, (*chain, *step, value, 3)),
        (chain_kernels.bicgstab, (*chain, value[:, 0], 1e-12, 100)),
    ):
        for compiled, plain in zip(kernel(*arguments), kernel.py_func(*arguments), strict=True):
            np.testing.assert_allclose(compiled, plain, rtol=1e-12)


def test_kernels_that_may_run_plainly_give_the_same_numbers() -> None:
    """As on tables so small that compiled code is not worth loading."""
    mdp = slippery(4)
    extra, sizes = rewards(mdp)
    states = np.arange(16)
    policy = np.where(states % 4 == 3, 1, 3).astype(np.int32)
    chain = mdp.next_state[states, policy], mdp.probability[states, policy], mdp.terminal, 0.9
    step = mdp.reward[states, policy], extra[states, policy], sizes[states, policy]
    value = np.random.default_rng(7).normal(size=(16, 6)) * 10.0 ** np.arange(6)
    value[3, 1], value[5, 0] = np.inf, np.nan
    changed = [value.copy(), value.copy()]
    amounts = np.array([0.3, 1e-7, 0.0, 5.0])
    for kernel, arguments in (
        (chain_kernels.residual, (*chain, *step, value, 1e-15, 1e-6, 1e-16)),
        (chain_kernels.exact_residual, (*chain, *step[:2], value)),
        (kernels.action_values, (mdp.next_state, mdp.probability, mdp.reward, mdp.terminal, 0.9, value[:, 2].copy())),
    ):
        for compiled, plain in zip(kernel.compiled(*arguments), kernel.run_plainly(*arguments), strict=True):
            np.testing.assert_array_equal(compiled, plain, err_msg=kernel.py_func.__name__)
    chain_kernels.add.compiled(changed[0], value[:, 2].copy(), amounts)
    chain_kernels.add.run_plainly(changed[1], value[:, 2].copy(), amounts)
    np.testing.assert_array_equal(*changed)
    assert not np.array_equal(changed[0], value, equal_nan=True)


@pytest.mark.parametrize("count", [1, 2, 7, 16, 33])
def test_weighed_sums_are_those_of_fractions(count: int) -> None:
    draws = np.random.default_rng(count)
    value, scale = draws.normal(size=(count, 6)) * 10.0 ** draws.integers(-9, 9, (count, 6)), 0.5 ** np.arange(count)
    value[:, 4:] = 2.0**-54 * draws.normal(size=(count, 2)) * value[:, :2]  # what rounding has left
    terms = [
        Fraction(float(scale[state])) * Fraction(float(value[state, kind]) * (3.0 if kind % 2 else 0.5))
        for state in range(count)
        for kind in (0, 1, 4, 5)
    ]
    answer = np.empty(2)
    chain_kernels.sum_weighed(value, scale, 0.5, 3.0, answer)
    high, low = map(float, answer)
    assert high == high + low
    assert abs(Fraction(high) + Fraction(low) - sum(terms)) <= sum(map(abs, terms)) * 2**-95


@pytest.mark.parametrize("way", ["arrays", "compiled"])
def test_a_return_without_weight_is_nothing_however_large_the_scale(way: str) -> None:
    value, answer = np.tile([1e10, 0.0, 1.0, 1.0, 1e-7, 0.0], (3, 1)), np.empty(2)
    getattr(chain_kernels.sum_weighed, way)(value, np.array([2.0**1000, 1.0, 2.0**1000]), 0.0, 1.0, answer)
    assert answer.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("world", "unused"),
    [
        ("icy_yard", {"numba"}),
        ("workshop_shared", {"numba", "scipy", "numpy.ma"}),
        ("gym:CliffWalking-v1", {"numba", "scipy"}),
    ],
)
def test_small_worlds_are_solved_before_numba_is_loaded_and_those_without_chance_before_scipy(
    world: str, unused: set[str]
) -> None:
    script = f"""
import sys
from caregrid.main import main
main(["breakpoints", "{world}"])
print({unused} & {{*sys.modules}})
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("set()\n")


SEGMENTS = """
import numpy as np
from engine.planning.trade_off.optimal_segments import find_segments
from tests.engine.test_policy_evaluation import rewards, slippery, unstructured
for mdp in (slippery(), unstructured()):
    extra = rewards(mdp)[0]
    print([(segment.start, segment.line) for segment in find_segments(mdp, extra, 0, between=(0.0, 0.2))])
"""


@pytest.mark.slow
def test_any_number_of_threads_gives_the_same_bytes() -> None:
    results = set()
    for threads in ("1", "2"):
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        results.add(subprocess.check_output([sys.executable, "-c", SEGMENTS], env=environment))
    assert len(results) == 1
