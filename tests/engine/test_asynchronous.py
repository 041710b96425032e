"""Asynchronous sweeps: the values, policies and segments that a linear solver gives."""

import numpy as np
import pytest

from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.termination import proper_states
from engine.planning import asynchronous_kernels
from engine.planning.asynchronous import Sweeps
from engine.planning.chains import policy_evaluation
from engine.planning.chains.policy_evaluation import PolicyEvaluation
from engine.planning.lexicographic import PairIteration
from engine.planning.trade_off.optimal_segments import optimal_segments
from tests.engine.test_policy_evaluation import COUNT, ladder, rewards, slippery, solved


@pytest.fixture
def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweeps in small tables too."""
    monkeypatch.setattr(policy_evaluation, "MANY_STATES", 0)


def harmful(side: int, number: int) -> tuple[TabularMDP, Floats]:
    """A slippery grid, a third of whose cells cost the other agent 1 to 4 each time one enters."""
    mdp, generator = slippery(side), np.random.default_rng(number)
    harm = -generator.integers(1, 5, side * side) * (generator.random(side * side) < 1 / 3)
    return mdp, harm[mdp.next_state] * ~mdp.terminal[:, None, None] * 1.0


@pytest.mark.usefixtures("everywhere")
def test_policies_that_change_step_by_step_have_the_values_of_a_linear_system() -> None:
    mdp, generator = slippery(), np.random.default_rng(5)
    extra, sizes = rewards(mdp)
    evaluation = PolicyEvaluation(mdp, extra, sizes)
    policy = PairIteration(mdp, extra).best((1.0, 0.0), (0.0, 0.0)).policy
    for changed in (0, 1, 3, 10, 0, 40, 2):
        attempt = policy.copy()
        attempt[generator.integers(0, len(policy), changed)] = generator.integers(0, len(mdp.actions), changed)
        policy = attempt if proper_states(mdp, attempt).all() else policy
        value = evaluation.rounded_once(policy)
        for column, reward in ((0, mdp.reward), (1, extra)):
            np.testing.assert_allclose(value[:, column], solved(mdp, policy, reward), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("number", range(4))
def test_segments_are_those_that_factors_give(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    mdp, harm = harmful(8, number)
    lines = [segment.line for segment in optimal_segments(mdp, harm, 0, between=(-0.1, 2.0))]
    monkeypatch.setattr(policy_evaluation, "MANY_STATES", 0)
    swept = [segment.line for segment in optimal_segments(mdp, harm, 0, between=(-0.1, 2.0))]
    np.testing.assert_allclose(swept, lines, rtol=1e-12)


@pytest.mark.usefixtures("everywhere")
def test_a_chain_that_goes_to_and_fro_is_left_to_factors() -> None:
    mdp = ladder()
    extra, sizes = rewards(mdp)
    evaluation, policy = PolicyEvaluation(mdp, extra, sizes), np.zeros(COUNT, dtype=np.int32)
    first = evaluation.values(policy)
    evaluation._value[:, :2] *= 1.5
    evaluation._factors = None
    np.testing.assert_allclose(evaluation.values(policy)[:, :2], first[:, :2], rtol=1e-14)


def test_improvement_finds_the_optimal_policy() -> None:
    """From a detour around the grid's edge."""
    mdp = slippery(6)
    states = np.arange(36)
    policy = np.where(states % 6 == 5, 1, 3).astype(np.int32)
    search = PairIteration(mdp, np.zeros(mdp.reward.shape))
    reward = (mdp.probability * mdp.reward).sum(axis=2)
    value = solved(mdp, policy, mdp.reward)
    waiting = ~mdp.terminal
    tolerance = np.full(36, 1e-12)
    better = Sweeps(mdp).improve(policy, value, reward, search.allowed, tolerance, waiting)
    best = search.best((1.0, 0.0), (0.0, 0.0))
    np.testing.assert_allclose(solved(mdp, better, mdp.reward), best.columns[:, 0], rtol=1e-9)


def test_compiled_kernels_and_their_plain_twins() -> None:
    mdp = slippery(4)
    extra, sizes = rewards(mdp)
    states = np.arange(16)
    policy = np.where(states % 4 == 3, 1, 3).astype(np.int32)
    chain = mdp.next_state[states, policy], mdp.probability[states, policy], mdp.terminal, 0.9
    step = mdp.reward[states, policy], extra[states, policy], sizes[states, policy]
    order, graph = states[::-1].copy(), Sweeps(mdp)._graph
    kernel = asynchronous_kernels
    results = []
    for evaluate, improve, solve in (
        (kernel.evaluate, kernel.improve, kernel.solve),
        (kernel.evaluate.py_func, kernel.improve.py_func, kernel.solve.py_func),
    ):
        value = np.zeros((16, 6))
        count = evaluate(*chain, *step, value, 1e-15, 1e-6, 1e-16, order, *graph, np.ones(16, dtype=bool), 10_000)
        better, weighed = policy.copy(), np.zeros(16)
        reward, allowed = (mdp.probability * mdp.reward).sum(axis=2), np.ones((16, 4), dtype=bool)
        improve(
            mdp.next_state, mdp.probability, 0.9, reward, allowed, np.full(16, 1e-9), order, *graph,
            ~mdp.terminal, better, weighed, 10_000,
        )  # fmt: skip
        solution, converged = solve(*chain, value[:, 0].copy(), order, 1e-9, 1000)
        results.append([count, value, better, weighed, solution, converged, kernel.chosen(mdp.next_state, policy)])
    for compiled, plain in zip(*results, strict=True):
        np.testing.assert_allclose(compiled, plain, rtol=1e-12)
