"""Policies that draw their actions are evaluated exactly: against solves, linear algebra, sampling and fractions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from craftworld.action_rules import act_softly, quantilize, satisfice
from craftworld.measures import sample_policy_returns
from craftworld.others.value_distribution import compute_fingerprint, tabulate_newcomer
from craftworld.policy_evaluation import evaluate_in_problem
from craftworld.scenario import Newcomer
from craftworld.scenario_contract import check_scenario
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.certificate import certify_solution
from craftworld.solution.episodes import make_episodes
from craftworld.solution.exact_solution import solve
from craftworld.solution.problem import Problem, make_problem
from engine.errors import BadValue, ContractBroken
from engine.mdp.mdp import Floats
from engine.mdp.policies import epsilon_greedy, follow_policy, make_random_policy, require_policy
from engine.planning.dynamic_programming import plan
from engine.planning.trade_off.envelope import find_segment_policy
from experiments.requests.bench import run_case


def problem_of(name: str, formulation: str | None = None, **options: str) -> Problem:
    return make_problem(make_scenario(SCENARIOS[name], None, **options), formulation)


def optimum(problem: Problem, care: float) -> dict[int, np.ndarray]:
    return {
        start: find_segment_policy(problem.find_segment(care, start), len(problem.mdp.terminal))
        for start in map(int, problem.mdp.start_states())
    }


@pytest.mark.parametrize("name", ["garden", "playroom", "icy_yard", "toll_road", "mailroom", "common_meadow"])
@pytest.mark.parametrize("care", [0.0, 1.3, 40.0])
def test_the_optimum_earns_what_solve_says(name: str, care: float) -> None:
    problem = problem_of(name)
    solved, _ = solve(problem, care)
    found = evaluate_in_problem(problem, optimum(problem, care), care, certify=True)
    assert found.own == pytest.approx(solved.own)
    assert found.others == pytest.approx(dict(solved.others))
    assert found.total == pytest.approx(solved.total)
    best = sum(
        float(problem.mdp.start[start]) * problem.find_segment(care, start).line.at(care)
        for start in map(int, problem.mdp.start_states())
    )
    assert found.augmented == pytest.approx(best)
    assert found.ends == pytest.approx(solved.ends)
    assert found.errors is not None
    assert all(error is not None and error < 1e-9 for error in found.errors.values())


@pytest.mark.parametrize("name", ["garden", "icy_yard", "toll_road"])
def test_a_mixture_earns_what_the_linear_system_of_its_chain_says(name: str) -> None:
    problem = problem_of(name)
    mdp = problem.mdp.with_discount(0.9)
    chance = epsilon_greedy(mdp, next(iter(optimum(problem, 1.0).values())), 0.4)
    states = len(mdp.terminal)
    matrix, reward = np.zeros((states, states)), np.zeros(states)
    for state in np.flatnonzero(~mdp.terminal):
        for action, p in enumerate(chance[state]):
            for target, q, gain in zip(
                mdp.next_state[state, action],
                np.broadcast_to(mdp.probability, mdp.next_state.shape)[state, action],
                mdp.reward[state, action],
                strict=True,
            ):
                matrix[state, target] += p * q
                reward[state] += p * q * gain
    value = np.linalg.solve(np.eye(states) - 0.9 * matrix, reward)
    discounted = make_problem(problem.scenario, discount=0.9)
    assert evaluate_in_problem(discounted, chance).own == pytest.approx(float(mdp.start @ value))


@pytest.mark.parametrize("name", ["garden", "icy_yard", "friend_foe", "common_meadow"])
def test_sampled_episodes_agree(name: str) -> None:
    problem = problem_of(name)
    chance = epsilon_greedy(problem.mdp, next(iter(optimum(problem, 1.0).values())), 0.3)
    exact = evaluate_in_problem(problem, chance).measures
    sampled = sample_policy_returns(problem, chance, 20_000, seed=3)
    for what, estimate in sampled.items():
        expected = getattr(exact, what)
        assert abs(estimate.mean - expected) <= 5 * estimate.standard_error + 1e-9


def test_a_certificate_holds_in_fractions() -> None:
    """A coin decides each step: the mean number of steps to leave a line is 1 / p, known as a fraction."""
    problem = problem_of("toll_road")
    chance = make_random_policy(problem.mdp)
    found = evaluate_in_problem(problem, chance, certify=True)
    assert found.errors is not None
    table = follow_policy(problem.mdp, chance).table
    states = len(table.terminal)
    rows = [[Fraction(0)] * (states + 1) for _ in range(states)]
    for state in range(states):
        rows[state][state] += 1
        if table.terminal[state]:
            continue
        for target, p, gain in zip(
            table.next_state[state, 0], table.probability[state, 0], table.reward[state, 0], strict=True
        ):
            meant = Fraction(float(p)).limit_denominator(1000)
            rows[state][target] -= meant
            rows[state][states] += meant * Fraction(float(gain))
    value = _solve(rows)
    start = int(problem.mdp.start_states()[0])
    error = found.errors["own"]
    assert error is not None
    assert abs(Fraction(found.own) - value[start]) <= Fraction(error) + Fraction(1, 10**9)


def _solve(rows: list[list[Fraction]]) -> list[Fraction]:
    count = len(rows)
    for column in range(count):
        pivot = next(row for row in range(column, count) if rows[row][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [entry / rows[column][column] for entry in rows[column]]
        for row in range(count):
            if row != column and rows[row][column]:
                factor = rows[row][column]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
    return [row[count] for row in rows]


def test_quantilizers_go_from_random_to_optimal() -> None:
    problem = problem_of("garden")
    policies = [quantilize(problem, 1.0, fraction) for fraction in (0.26, 0.5, 0.75, 1.0)]
    returns = [evaluate_in_problem(problem, policy, 1.0).augmented for policy in policies]
    assert returns == sorted(returns, reverse=True)
    assert quantilize(problem, 1.0, 1.0) == pytest.approx(make_random_policy(problem.mdp))
    best = evaluate_in_problem(problem, quantilize(problem, 1.0, 1e-6), 1.0).augmented
    assert best == pytest.approx(evaluate_in_problem(problem, optimum(problem, 1.0), 1.0).augmented)


def test_a_quantilizer_keeps_the_mass_of_the_best_actions() -> None:
    """Five actions of different values, q = 0.3 of a uniform base: the best has 0.2 of 0.3, the second 0.1 of it."""
    problem = problem_of("garden")
    noise = -np.random.default_rng(0).random(problem.mdp.reward.shape)
    noise[problem.mdp.terminal] = 0.0
    problem = replace(problem, mdp=problem.mdp.with_reward(problem.mdp.reward + noise))
    chance = quantilize(problem, 0.0, 0.3)
    live = ~problem.mdp.terminal
    assert problem.mdp.next_state.shape[1] == 5
    assert live.sum() > 20
    falling = -np.sort(-chance[live], axis=1)
    assert falling == pytest.approx(np.tile([2 / 3, 1 / 3, 0.0, 0.0, 0.0], (len(falling), 1)))
    value = problem.plan_optimum(0.0, int(problem.mdp.start_states()[0])).action_value
    assert (chance[live].argmax(axis=1) == value[live].argmax(axis=1)).all()


def test_satisficing_accepts_what_is_near_enough() -> None:
    problem = problem_of("garden")
    value = problem.plan_optimum(1.0, int(problem.mdp.start_states()[0])).action_value
    chance = satisfice(problem, 1.0, 2.5)
    live = ~problem.mdp.terminal & np.isfinite(value).all(axis=1)
    near = value >= value.max(axis=1, keepdims=True) - 2.5 - 1e-9
    assert ((chance[live] > 0) == near[live]).all()


def test_a_soft_policy_becomes_optimal_as_it_cools() -> None:
    problem = problem_of("icy_yard")
    policies = [act_softly(problem, 1.0, temperature) for temperature in (10.0, 1.0, 0.1, 0.01)]
    earned = [evaluate_in_problem(problem, policy, 1.0).augmented for policy in policies]
    assert earned == sorted(earned)
    assert earned[-1] == pytest.approx(evaluate_in_problem(problem, optimum(problem, 1.0), 1.0).augmented)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda s, a: np.zeros(s + 1, dtype=int), "a policy of shape"),
        (lambda s, a: np.full((s, a), 0.3), "do not sum to 1"),
        (lambda s, a: np.full((s, a), np.nan), "do not sum to 1"),
        (lambda s, a: np.full(s, a), "unknown actions"),
        (lambda s, a: np.ma.masked_equal(np.zeros(s, dtype=int), 0), "masked entries"),
        (lambda s, a: np.ma.masked_less(np.full((s, a), 1 / a), 1.0), "masked entries"),
        (lambda s, a: [np.ma.masked_less(np.full(a, 1 / a), 1.0)] * s, "masked entries"),
        (lambda s, a: np.full((s, a), (1 + 1e-5) / a, dtype=np.float32), "do not sum to 1"),
        (lambda s, a: np.full((s, a), 1 / a, dtype=np.float32).astype(float) * (1 + 1e-7), "in 64 bits"),
    ],
)
def test_what_is_no_policy_is_refused(make: object, sentence: str) -> None:
    problem = problem_of("garden")
    wrong: Floats = make(len(problem.mdp.terminal), len(problem.mdp.actions))  # type: ignore[operator]
    with pytest.raises(BadValue, match=sentence):
        evaluate_in_problem(problem, wrong)


@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_probabilities_of_fewer_bits_are_scaled_to_sum_to_one(kind: type) -> None:
    problem = problem_of("garden")
    drawn = np.random.default_rng(3).dirichlet(np.ones(len(problem.mdp.actions)), len(problem.mdp.terminal))
    given: Floats = (problem.mdp.action_mask(np.arange(len(drawn))) * drawn + 1e-300).astype(kind)
    given = (given / given.sum(axis=1, keepdims=True)).astype(kind)
    total = [sum(map(Fraction, row)) for row in given.tolist()]
    live = ~problem.mdp.terminal
    assert max(abs(each - 1) for each in np.array(total)[live]) > Fraction(1, 10**9)  # refused, were it of 64 bits
    taken = require_policy(problem.mdp, given)
    for row, sums, made in zip(given[live].tolist(), np.array(total)[live], taken[live].tolist(), strict=True):
        assert made == pytest.approx([float(Fraction(each) / sums) for each in row], rel=1e-15)
    if kind is np.float32:
        assert evaluate_in_problem(problem, given) == evaluate_in_problem(problem, taken)


@pytest.mark.parametrize(
    ("rule", "value"), [(quantilize, 0.0), (quantilize, 1.1), (satisfice, -1.0), (act_softly, 0.0)]
)
def test_rules_refuse_parameters_that_mean_nothing(rule: object, value: float) -> None:
    with pytest.raises(BadValue, match="choose"):
        rule(problem_of("garden"), 1.0, value)  # type: ignore[operator]


@pytest.mark.slow
def test_the_benchmark_measures_methods_that_draw_their_actions() -> None:
    rows = run_case("side_effects/garden/craftworld.action_rules:quantilize", 0)
    optimal = run_case("side_effects/garden/per_agent", 0)
    assert [row["care_from"] for row in rows] == [row["care_from"] for row in optimal]
    assert all(row["actions"] == "" for row in rows)
    problem = problem_of("garden")
    first = evaluate_in_problem(problem, quantilize(problem, 0.1)).measures
    assert rows[0]["own"] == pytest.approx(first.own)
    assert rows[0]["own"] <= optimal[0]["own"]  # type: ignore[operator]


class CarelessGarden(SCENARIOS["garden"]):  # type: ignore[misc,name-defined]
    """The garden, where agent 2 stumbles in three of ten steps."""

    rule = staticmethod(lambda table: epsilon_greedy(table, plan(table).policy, 0.3))

    def newcomers(self) -> tuple[Newcomer, ...]:
        first, *rest = super().newcomers()
        return first._replace(policy=self.rule), *rest


def test_a_newcomer_follows_the_policy_that_the_scenario_gives_it() -> None:
    problem = make_problem(CarelessGarden())
    table, begins = tabulate_newcomer(problem.scenario, problem.mdp, problem.scenario.newcomers()[0])
    chance = CarelessGarden.rule(table)
    matrix, gain = np.zeros((len(chance), len(chance))), np.zeros(len(chance))
    for state in np.flatnonzero(~table.terminal):
        for action, weight in enumerate(chance[state]):
            for slot, probability in enumerate(table.probability[state, action]):
                matrix[state, table.next_state[state, action, slot]] += weight * probability
                gain[state] += weight * probability * table.reward[state, action, slot]
    expected = begins.average(np.linalg.solve(np.eye(len(chance)) - matrix, gain))
    assert problem.others.value[0] == pytest.approx(expected)  # type: ignore[attr-defined]
    optimal = problem_of("garden")
    assert problem.others.value[1] == pytest.approx(optimal.others.value[1])  # type: ignore[attr-defined]
    assert certify_solution(problem, 1.0).outcomes[0].others["agent 2"] is not None
    episodes = [make_episodes(problem, 1.0, seed=seed)[1].episode for seed in (1, 1, 2)]
    assert episodes[0] == episodes[1] != episodes[2]
    marks = {compute_fingerprint(each.scenario, each.mdp) for each in (problem, optimal)}
    assert len(marks) == 2


@pytest.mark.parametrize("rule", [lambda table: [1, 2], lambda table: np.full(table.next_state.shape[:2], 0.3)])
def test_a_newcomers_policy_that_does_not_fit_its_table_is_one_line(rule: object) -> None:
    class Wrong(CarelessGarden):
        """Its policy is none."""

    Wrong.rule = staticmethod(rule)  # type: ignore[arg-type]
    with pytest.raises(ContractBroken, match=r"policy of 'agent 2': it gave .*; give int\[82\] below 4, or f64"):
        make_problem(Wrong())
    with pytest.raises(ContractBroken, match="policy of 'agent 2'"):
        check_scenario(Wrong)
