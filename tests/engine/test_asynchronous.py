"""Asynchronous sweeps: the values, policies and segments that a linear solver gives."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.parametric import make_exits
from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.reachability import find_proper_states
from engine.planning import asynchronous, chain_kernels, policy_evaluation
from engine.planning.asynchronous import (
    Sweeps,
    correct_visits,
    evaluate,
    find_likely_order,
    find_response,
    find_unexplained_visits,
    improve,
    improve_by_sweeps,
    improve_from_the_best,
    lay_out_actions,
    sweep_corrections,
)
from engine.planning.lexicographic import Known, PairIteration
from engine.planning.policy_chain import select_entries
from engine.planning.policy_evaluation import PolicyEvaluation
from engine.planning.trade_off.optimal_segments import find_segments
from tests.engine.test_policy_evaluation import COUNT, ladder, rewards, slippery, solved
from tests.engine.worlds import numbered


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
        policy = attempt if find_proper_states(mdp, attempt).all() else policy
        value = np.array([evaluation.returns(policy, state)[0] for state in range(len(policy))])
        for column, reward in ((0, mdp.reward), (1, extra)):
            np.testing.assert_allclose(value[:, column], solved(mdp, policy, reward), rtol=1e-10, atol=1e-10)


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize("discount", [1.0, 0.99])
def test_where_few_backups_do_not_do_all_states_are_swept(discount: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways end at a linear system's values; sweeping all asks for fewer backups."""
    mdp = replace(slippery(30), discount=discount)
    extra, sizes = rewards(mdp)
    policy = PairIteration(mdp, extra).best((1.0, 0.0), (0.0, 0.0)).policy
    other = PairIteration(mdp, extra).best((0.7, 0.3), (0.0, 0.0)).policy
    found, backups, kernel = [], list[int](), asynchronous.evaluate
    monkeypatch.setattr(asynchronous, "evaluate", lambda *given: backups.append(kernel(*given)) or backups[-1])
    for scattered in (asynchronous.SCATTERED, asynchronous.MOST_BACKUPS):
        monkeypatch.setattr(asynchronous, "SCATTERED", scattered)
        evaluation = PolicyEvaluation(mdp, extra, sizes)
        evaluation.values(policy)
        backups.clear()
        found.append((evaluation.values(other), len(backups), sum(backups)))
    (value, calls, count), (alone, one_call, more) = found
    assert (calls, one_call) == (2, 1)
    assert count < 0.8 * more
    for column, reward in ((0, mdp.reward), (1, extra)):
        np.testing.assert_allclose(value[:, column], alone[:, column], rtol=1e-13, atol=1e-12)
        np.testing.assert_allclose(value[:, column], solved(mdp, other, reward), rtol=1e-10, atol=1e-10)


@pytest.mark.usefixtures("everywhere")
def test_a_better_policy_is_none_where_the_best_is_known() -> None:
    """What other states gain does not matter, and no policy is evaluated for it."""
    mdp, harm = harmful(8, 1)
    search = PairIteration(mdp, harm)
    best, weights, then = search.best((1.0, 0.5), (0.0, 1.0)), (1.0, 0.5), (0.0, 1.0)
    top = float(best.weigh(weights)[0])
    search.best((1.0, 0.6), then)
    evaluated = search.evaluated
    assert search.better(weights, then, Known(0, top + 1e-9)) is None
    assert search.evaluated == evaluated
    found = search.better(weights, then, Known(0, top - 1e-6))
    assert found is not None
    assert found.weigh(weights)[0] == pytest.approx(top, rel=1e-12)


@pytest.mark.parametrize("number", range(4))
def test_segments_are_those_that_factors_give(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    mdp, harm = harmful(8, number)
    lines = [segment.line for segment in find_segments(mdp, harm, 0, between=(-0.1, 2.0))]
    monkeypatch.setattr(policy_evaluation, "MANY_STATES", 0)
    swept = [segment.line for segment in find_segments(mdp, harm, 0, between=(-0.1, 2.0))]
    np.testing.assert_allclose(swept, lines, rtol=1e-12)


@pytest.mark.usefixtures("everywhere")
def test_a_chain_that_goes_to_and_fro_is_left_to_factors() -> None:
    mdp = ladder()
    extra, sizes = rewards(mdp)
    evaluation, policy = PolicyEvaluation(mdp, extra, sizes), np.zeros(COUNT, dtype=np.int32)
    first = evaluation.values(policy).copy()
    evaluation._value[:, :2] *= 1.5
    evaluation._factors, evaluation._policy = None, policy + 1
    np.testing.assert_allclose(evaluation.values(policy)[:, :2], first[:, :2], rtol=1e-14)


@pytest.mark.parametrize("number", range(3))
def test_segments_without_end_are_those_that_factors_give(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three more ends, which are worth this or that to the other agent: the outermost lines have no finite limit."""
    mdp, generator = slippery(8), np.random.default_rng(number)
    ends = mdp.terminal.copy()
    ends[generator.choice(np.arange(8, 63), 3, replace=False)] = True
    mdp = replace(mdp, terminal=ends, reward=np.where(ends[:, None, None], 0.0, mdp.reward))
    worth = np.where(ends, generator.normal(size=64), 0.0)[mdp.next_state] * ~ends[:, None, None]
    lines = [segment.line for segment in find_segments(mdp, worth, 0)]
    monkeypatch.setattr(policy_evaluation, "MANY_STATES", 0)
    swept = [segment.line for segment in find_segments(mdp, worth, 0)]
    assert len(lines) > 10
    np.testing.assert_allclose(swept, lines, rtol=1e-12)


@pytest.mark.parametrize("few", [0, 36])
def test_improvement_finds_the_optimal_policy(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a detour around the grid's edge; from the best states on where more than a few have a better action."""
    levels, kernel = list[int](), improve_from_the_best
    monkeypatch.setattr(asynchronous, "FEW", few)
    monkeypatch.setattr(asynchronous, "improve_from_the_best", lambda *each: levels.append(kernel(*each)) or levels[-1])
    mdp = slippery(6)
    states = np.arange(36)
    policy = np.where(states % 6 == 5, 1, 3).astype(np.int32)
    search = PairIteration(mdp, np.zeros(mdp.reward.shape))
    value = solved(mdp, policy, mdp.reward)
    gain = (mdp.probability * (mdp.reward + value[mdp.next_state])).sum(axis=2) - value[:, None]
    gain[mdp.terminal] = -np.inf
    better, gained = Sweeps(mdp).improve(policy, value, gain, 1e-12, np.ones((36, 4)), ~mdp.terminal)
    best = search.best((1.0, 0.0), (0.0, 0.0))
    assert (sum(levels) > 36) == (few == 0)
    assert gained is not None
    np.testing.assert_allclose(solved(mdp, better, mdp.reward), best.columns[:, 0], rtol=1e-9)
    np.testing.assert_allclose(value + gained, best.columns[:, 0], rtol=1e-9)


@pytest.mark.parametrize("discount", [1.0, 0.9])
@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "begun at once"])
def test_without_chance_improvement_finds_what_value_iteration_does(
    discount: float, at_once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All states at once as long as that takes a few rounds; what is left then goes to the compiled loop."""
    compiled = []
    monkeypatch.setattr(asynchronous, "AT_ONCE", 30.0 if at_once else 0.3)
    monkeypatch.setattr(asynchronous, "improve", lambda *arguments: compiled.append(1) or improve(*arguments))
    for number in range(10):
        draws, states = np.random.default_rng(number), np.arange(60)
        following = draws.integers(0, 60, (60, 3, 1))
        following[:, 0, 0] = states // 2  # ends soon, in state 0; some states have an action that stays
        following[::7, 2, 0] = states[::7]
        following[0] = 0
        reward = -draws.integers(1, 9, following.shape) * 1.0 * (following != 0) * (states > 0)[:, None, None]
        mdp = numbered(following, None, reward, [0], discount)
        policy, value, best = np.zeros(60, dtype=np.int32), np.zeros(60), np.zeros(60)
        for _ in range(400):
            value = mdp.reward[:, 0, 0] + discount * value[following[:, 0, 0]]
            best = (mdp.reward[:, :, 0] + discount * best[following[:, :, 0]]).max(axis=1)
        gain = mdp.reward[:, :, 0] + discount * value[following[:, :, 0]] - value[:, None]
        gain[mdp.terminal] = -np.inf
        better, gained = Sweeps(mdp).improve(policy, value, gain, 1e-13, np.ones((60, 3)), ~mdp.terminal)
        assert gained is not None
        np.testing.assert_allclose(value + gained, best, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(solved(mdp, better, mdp.reward), best, rtol=1e-12, atol=1e-12)
    assert bool(compiled) != at_once


def test_compiled_kernels_and_their_plain_twins() -> None:
    mdp = slippery(4)
    extra, sizes = rewards(mdp)
    states = np.arange(16)
    policy = np.where(states % 4 == 3, 1, 3).astype(np.int32)
    chain = mdp.next_state[states, policy], mdp.probability[states, policy], mdp.terminal, 0.9
    step = mdp.reward[states, policy], extra[states, policy], sizes[states, policy]
    order, graph = states[::-1].copy(), Sweeps(mdp)._graph
    order, place = np.roll(order, 3), np.argsort(np.roll(order, 3))
    compiled_kernels = (
        evaluate, improve, find_unexplained_visits, correct_visits, sweep_corrections,
        lay_out_actions, improve_by_sweeps, find_response,
    )  # fmt: skip
    results = []
    for evaluating, improving, unexplained, correcting, sweeping, laying_out, improving_at_once, responding in (
        compiled_kernels,
        [each.py_func for each in compiled_kernels],
    ):
        value = np.zeros((16, 6))
        equations = (*chain, *step, value, 1e-15, 1e-6, 1e-16)
        count = evaluating(*equations, order, place, *graph, np.ones(16, dtype=bool), 10_000)
        missed, _ = chain_kernels.residual(*chain, *step, np.zeros((16, 6)), 1e-15, 1e-6, 1e-16)
        swept, settled = sweeping(*chain, order, place, missed, 1e-14, 1_000)
        alone, responded = responding(*chain, order, place, missed[1], 1e-14, 1_000)
        assert settled
        assert responded
        np.testing.assert_allclose(swept.T, value[:, :4], rtol=1e-5)
        np.testing.assert_allclose(alone, value[:, 1], rtol=1e-12)
        np.testing.assert_allclose(swept[:2].T, value[:, :2], rtol=1e-12)
        better, weighed = policy.copy(), np.zeros(16)
        converged = improving(
            mdp.next_state, mdp.probability, 0.9, -sizes[:, :, 0], 1e-9, np.ones((16, 4)),
            order, place, *graph, ~mdp.terminal, better, weighed, 10_000,
        )  # fmt: skip
        laid_out = laying_out(mdp.next_state, mdp.probability, 0.9, order, place)
        again, swept_gain = policy.copy(), np.zeros(16)
        assert improving_at_once(
            *laid_out, order, -sizes[:, :, 0], 1e-9, np.ones((16, 4)), ~mdp.terminal, again, swept_gain, 1_000
        )
        np.testing.assert_allclose(swept_gain, weighed, rtol=1e-7)
        visited = 0.5 * ~mdp.terminal
        assert correcting(*chain, order, place, unexplained(*chain, 0, visited), visited, 1e-9, 1000)
        assert converged
        results.append([count, value, better, weighed, visited, swept, alone, again, swept_gain, *laid_out])
    for compiled, plain in zip(*results, strict=True):
        np.testing.assert_allclose(compiled, plain, rtol=1e-12)


def test_improvement_from_the_best_states_on_and_its_plain_twin() -> None:
    """From a detour to the best policy; what a step still gains is less than was asked for."""
    mdp, states = slippery(12), np.arange(144)
    policy = np.where(states % 12 == 11, 1, 3).astype(np.int32)
    value = solved(mdp, policy, mdp.reward)
    best = PairIteration(mdp, np.zeros(mdp.reward.shape)).best((1.0, 0.0), (0.0, 0.0)).columns[:, 0]
    gain = (mdp.probability * (mdp.reward + value[mdp.next_state])).sum(axis=2) - value[:, None]
    gain[mdp.terminal] = -np.inf
    table, size, graph = (mdp.next_state, mdp.probability, 1.0), np.ones((144, 4)), Sweeps(mdp)._graph
    for coarse, most in ((1e-6, 100_000), (0.01, 100_000), (1e-6, 50)):
        results = []
        for improving in (improve_from_the_best, improve_from_the_best.py_func):
            better, gained = policy.copy(), np.zeros(144)
            count = improving(*table, value, gain, 1e-12, coarse, size, *graph, better, gained, most)
            results.append((count, better, gained))
        for compiled, plain in zip(*results, strict=True):
            np.testing.assert_array_equal(compiled, plain)
        count, better, gained = results[0]
        assert (gained >= 0.0).all()
        assert (value + gained <= best + 1e-9).all()
        if most == 50:
            assert count == most
            continue
        if coarse == 1e-6:
            np.testing.assert_allclose(value + gained, best, rtol=1e-5)
            np.testing.assert_allclose(solved(mdp, better, mdp.reward), best, rtol=1e-9)
        future = (mdp.probability * (mdp.reward + (value + gained)[mdp.next_state])).sum(axis=2).max(axis=1)
        assert (future <= value + gained + coarse + 1e-12)[~mdp.terminal].all()


def test_blocks_that_nothing_reaches_are_not_swept() -> None:
    """A slippery corridor of several blocks: what one place far up misses changes the places behind it alone."""
    count = 5 * asynchronous.SWEPT
    states = np.arange(count)
    target = np.stack([np.maximum(states - 1, 0), np.minimum(states + 1, count - 1)], axis=1).astype(np.int32)
    chain = target, np.tile([0.8, 0.2], (count, 1)), states == 0, 1.0
    missed = np.zeros((4, count))
    missed[:, 3 * asynchronous.SWEPT + 7] = [1.0, -2.0, 0.0, 1e-9]
    found, settled = sweep_corrections(*chain, states, states, missed, 1e-15, 1_000)
    assert settled
    system = np.eye(count)
    for step, chance in zip(target.T, (0.8, 0.2), strict=True):
        np.subtract.at(system, (states[1:], step[1:]), chance)
    solution = np.linalg.solve(system, missed.T).T
    np.testing.assert_allclose(found, solution, atol=1e-12 * np.abs(solution).max())
    _, settled = sweep_corrections(*chain, states, states, missed, 1e-15, 2)
    assert not settled


def test_a_response_keeps_its_digits_far_from_its_cause() -> None:
    """Along a corridor that is left at each place with 7 %: from 1 to 10^-31, in blocks of their own."""
    count, chance = 4 * asynchronous.SWEPT, 0.93
    states = np.arange(count)
    target = np.stack([np.maximum(states - 1, 0), np.zeros(count, dtype=np.int64)], axis=1).astype(np.int32)
    chain = target, np.tile([chance, 1.0 - chance], (count, 1)), states == 0, 1.0
    missed = np.zeros(count)
    missed[3] = 2.0
    for order in (states, np.roll(states, 5)):
        found, settled = find_response(*chain, order, np.argsort(order), missed, 1e-15, 1_000)
        assert settled
        np.testing.assert_allclose(found[3:], 2.0 * chance ** (states[3:] - 3.0), rtol=1e-11)
        assert not found[:3].any()
    missed[[3, 500]] = 1.0, -4.0
    both, _ = find_response(*chain, states, states, missed, 1e-15, 1_000)
    np.testing.assert_allclose(both[[3, 499, 500]], [1.0, chance**496, chance**497 - 4.0], rtol=1e-11)
    assert not find_response(*chain, states[::-1].copy(), states[::-1].copy(), missed, 1e-15, 2)[1]


def test_a_gain_keeps_its_digits_far_from_its_cause() -> None:
    """Along a corridor that is left at each place with 7 %: from 1 to 10^-31, whatever is gained elsewhere."""
    count, chance = 4 * asynchronous.SWEPT, 0.93
    states = np.arange(count)
    target = np.stack([np.maximum(states - 1, 0), np.zeros(count, dtype=np.int64)], axis=1).astype(np.int32)[:, None]
    table = target, np.tile([chance, 1.0 - chance], (count, 1, 1)), 1.0
    gain, size = np.where(states == 0, -np.inf, 0.0)[:, None], np.ones((count, 1))

    def find_gains(order: NDArray[np.int64], most: int = 1_000) -> tuple[Floats, bool]:
        found = np.zeros(count)
        laid_out = lay_out_actions(*table, order, np.argsort(order))
        policy = np.zeros(count, dtype=np.int32)
        return found, improve_by_sweeps(*laid_out, order, gain, 0.0, size, states > 0, policy, found, most)

    gain[3] = 2.0
    for order in (states, np.roll(states, 5)):
        found, settled = find_gains(order)
        assert settled
        np.testing.assert_allclose(found[3:], 2.0 * chance ** (states[3:] - 3.0), rtol=1e-11)
        assert not found[:3].any()
    gain[[3, 500], 0] = 1.0, -4.0
    found, _ = find_gains(states)
    np.testing.assert_allclose(found[[3, 499, 500]], [1.0, chance**496, chance**497 - 4.0], rtol=1e-11)
    assert not find_gains(states[::-1].copy(), 2)[1]


def test_a_gain_that_few_backups_do_not_carry_back_is_swept_back() -> None:
    """A corridor with one better action, at its end, backed up the wrong way round: it is worth the same everywhere."""
    count = 2 * asynchronous.SWEPT
    following = np.minimum(np.arange(count) + 1, count - 1)[:, None, None].repeat(2, axis=1).repeat(2, axis=2)
    mdp = numbered(following, np.full(following.shape, 0.5), np.zeros(following.shape), [count - 1])
    gain = np.where(mdp.terminal[:, None], -np.inf, np.zeros((count, 2)))
    gain[count - 2, 1] = 3.0
    before = np.zeros(count, dtype=np.int32)
    policy, gained = Sweeps(mdp).improve(before, before * 0.0, gain, 1e-13, np.ones((count, 2)), gain[:, 1] > 0.0)
    assert gained is not None
    assert list(np.flatnonzero(policy)) == [count - 2]
    np.testing.assert_allclose(gained[:-1], 3.0)


@pytest.mark.parametrize("by_sweeps", [False, True])
def test_what_an_action_gains_again_and_again_is_not_overlooked(by_sweeps: bool) -> None:
    """An action that comes back nine times in ten gains 1 each time, 10 in all; another one gains 5 once."""
    next_state = np.array([[[0, 0], [0, 0]], [[1, 0], [0, 0]]], dtype=np.int32)
    probability = np.array([[[1.0, 0.0], [1.0, 0.0]], [[0.9, 0.1], [1.0, 0.0]]])
    order = np.arange(2)
    gain = np.array([[-np.inf, -np.inf], [1.0, 5.0]])
    policy, value = np.array([0, 1], dtype=np.int32), np.zeros(2)
    rest = order == 1, policy, value
    if by_sweeps:
        laid_out = lay_out_actions(next_state, probability, 1.0, order, order)
        assert improve_by_sweeps(*laid_out, order, gain, 0.0, np.ones((2, 2)), *rest, 10)
    else:
        graph = np.array([0, 2, 2]), np.array([1, 1], dtype=np.int32)
        assert improve(next_state, probability, 1.0, gain, 0.0, np.ones((2, 2)), order, order, *graph, *rest, 10)
    assert policy[1] == 0
    assert value[1] == pytest.approx(10.0)


def test_the_order_of_the_likeliest_steps() -> None:
    """Nearest to the end first, stable; where the likeliest steps are a cycle, from where they meet it."""
    target = np.array([[0, 0], [0, 2], [1, 4], [4, 0], [3, 0], [3, 1]], dtype=np.int32)
    chance = np.tile([0.6, 0.4], (6, 1))
    order = find_likely_order(target, chance, np.arange(6) == 0)
    steps = {0: 0, 1: 1, 2: 2, 3: 1, 4: 0, 5: 2}
    assert list(order) == sorted(steps, key=lambda state: (steps[state], state))
    assert list(find_likely_order.py_func(target, chance, np.arange(6) == 0)) == list(order)


def test_a_plan_needs_few_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first policy takes the likeliest way, value iteration finds all that is better at once, to rounding."""
    mdp = slippery(60)
    assert len(mdp.terminal) >= policy_evaluation.MANY_STATES
    monkeypatch.setattr(policy_evaluation, "FactorisedChain", None)
    search = PairIteration(mdp, np.zeros(mdp.reward.shape))
    first = search.leading.columns[:, 0]
    best = search.best((1.0, 0.0), (0.0, 0.0)).columns[:, 0]
    assert (first <= best + 1e-9).all()
    assert search.evaluated <= 8
    future = (mdp.probability * (mdp.reward + best[mdp.next_state])).sum(axis=2).max(axis=1)
    np.testing.assert_allclose(np.where(mdp.terminal, 0.0, future), best, rtol=1e-13)


def test_a_plan_for_exits_far_off_needs_few_evaluations() -> None:
    """The first policy goes to the nearest exit; ties of the same plan are broken both ways without planning again."""
    mdp, worth = make_exits(60, 0.2, 1.0, np.random.default_rng(0))
    search, weights = PairIteration(mdp, worth), (1.0, 1.0)
    for sign in (-1.0, 1.0):
        best = search.best(weights, (0.0, sign)).weigh(weights)
        future = (mdp.probability * (mdp.reward + worth + best[mdp.next_state])).sum(axis=2).max(axis=1)
        np.testing.assert_allclose(np.where(mdp.terminal, 0.0, future), best, rtol=1e-12, atol=1e-12)
    assert search.evaluated <= 5


@pytest.mark.parametrize("discount", [1.0, 0.9])
def test_visits_of_a_neighbouring_policy_are_found_from_those_before(discount: float) -> None:
    """Only what follows the changed actions is unexplained by them; the result is that of a linear system."""
    mdp = replace(slippery(), discount=discount)
    extra, sizes = rewards(mdp)
    evaluation = PolicyEvaluation(mdp, extra, sizes)
    policy = PairIteration(mdp, extra).best((1.0, 0.0), (0.0, 0.0)).policy
    sweeps = Sweeps(mdp)
    known = sweeps.visits(evaluation._make_chain(policy)[0], 0)
    assert known is not None
    policy[[5, 17]] = (policy[[5, 17]] + 1) % 4
    chain = evaluation._make_chain(policy)[0]
    unexplained = find_unexplained_visits(*chain, 0, known)
    assert np.count_nonzero(np.abs(unexplained[~mdp.terminal]) > 1e-4) <= 2 * 6
    found = sweeps.visits(chain, 0)
    assert found is not None
    for reward in (mdp.reward, extra):
        expected = (chain.chance * reward[np.arange(len(policy)), policy]).sum(axis=1) * ~mdp.terminal
        assert expected @ found == pytest.approx(solved(mdp, policy, reward)[0], rel=1e-3)


def test_a_chain_that_moves_on_is_evaluated_without_factors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A corridor of many places in which a step fails three times in ten: a step takes 1 / 0.7 turns."""
    monkeypatch.setattr(policy_evaluation, "FactorisedChain", None)
    count = policy_evaluation.MANY_STATES + 500
    states = np.arange(count)
    target = np.stack([np.minimum(states + 1, count - 1), states], axis=1)[:, None].astype(np.int32)
    chance = np.broadcast_to([0.7, 0.3], (count, 1, 2)).copy()
    terminal = states == count - 1
    reward = np.where(terminal[:, None, None], 0.0, np.full((count, 1, 2), -1.0))
    mdp = numbered(target, chance, reward, terminal)
    extra, sizes = np.zeros_like(reward), np.stack([np.abs(reward).max(axis=2), np.zeros((count, 1))], axis=2)
    values = PolicyEvaluation(mdp, extra, sizes).values(np.zeros(count, dtype=np.int32))
    np.testing.assert_allclose(values[:, 0], -(count - 1 - states) / 0.7, rtol=1e-13)


def test_entries_of_chosen_actions() -> None:
    policy = np.array([1, 0, 1], dtype=np.int32)
    table = np.arange(12.0).reshape(3, 2, 2)
    ones = np.broadcast_to(np.float64(1.0), (3, 2, 1))
    entries = [each.tolist() for each in select_entries(policy, table, ones, np.asfortranarray(table))]
    found = [[2.0, 3.0], [4.0, 5.0], [10.0, 11.0]]
    assert entries == [found, [[1.0], [1.0], [1.0]], found]
