"""Inaction rollouts: the sum itself, worlds at rest, and the conveyor belt on which they make the difference."""

from __future__ import annotations

import numpy as np
import pytest

from craftworld.formulations import FORMULATIONS
from craftworld.others.auxiliary_tasks import make_auxiliary_tasks
from craftworld.others.inaction_baselines import make_rollouts
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.problem import compute_caring_rewards, make_problem
from engine.mdp.policies import RandomStates
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import plan
from tests.craftworld.backward_performance import compute_policy_performance

DISCOUNT = 0.99


@pytest.mark.parametrize("width", [1, 3])
def test_rollouts_are_the_discounted_sum(width: int) -> None:
    rng = np.random.default_rng(width)
    number = rng.integers(0, 12, (12, width)).astype(np.int32)
    probability = rng.dirichlet(np.ones(width), 12)
    value = rng.random(12)
    expected, weight, now = np.zeros(12), 1.0 - DISCOUNT, value
    for _ in range(6000):
        expected, now, weight = expected + weight * now, (probability * now[number]).sum(axis=1), weight * DISCOUNT
    rolled = make_rollouts(RandomStates(number, probability), DISCOUNT)(value)
    np.testing.assert_allclose(rolled, expected, atol=1e-12)


@pytest.mark.parametrize("measure", ["relative_reachability", "attainable_utility"])
@pytest.mark.parametrize("name", ["garden", "side_effects_sokoban"])
def test_in_a_world_at_rest_they_change_nothing(name: str, measure: str) -> None:
    world = make_scenario(SCENARIOS[name])
    mdp = tabulate(world, DISCOUNT)
    tasks = make_auxiliary_tasks(world, mdp)
    plain, rolled = (
        compute_caring_rewards(mdp, tasks, FORMULATIONS[f"{measure}_{baseline}"])[1]
        for baseline in ("stepwise_inaction", "inaction_rollouts")
    )
    np.testing.assert_allclose(rolled, plain, atol=1e-12)


@pytest.mark.parametrize(("variant", "beta"), [("vase", 1.0), ("vase", 10.0), ("sushi", 1.0), ("sushi", 100.0)])
def test_on_the_belt_they_neither_interfere_nor_offset(variant: str, beta: float) -> None:
    """The vase is saved and left there; the sushi is left alone ("Penalizing side effects ...", section 4)."""
    world = make_scenario(SCENARIOS["conveyor_belt"], variant=variant, noop="yes", rewards="paper")
    problem = make_problem(world, "relative_reachability_inaction_rollouts", discount=DISCOUNT)
    start = int(problem.mdp.start_states()[0])
    policy = plan(problem.make_augmented_table(beta, start)).policy
    assert compute_policy_performance(world, problem.mdp, policy)[start] == pytest.approx(1.0)


def test_the_starting_state_baseline_keeps_the_sushi_from_its_end() -> None:
    world = make_scenario(SCENARIOS["conveyor_belt"], variant="sushi", noop="yes", rewards="paper")
    problem = make_problem(world, "relative_reachability_starting_state", discount=DISCOUNT)
    start = int(problem.mdp.start_states()[0])
    for beta in (0.1, 1.0, 100.0):
        policy = plan(problem.make_augmented_table(beta, start)).policy
        assert compute_policy_performance(world, problem.mdp, policy)[start] == pytest.approx(0.0)
