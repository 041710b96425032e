"""Planning against a past without any action, in worlds that move by themselves."""

from __future__ import annotations

import numpy as np
import pytest

from craftworld.formulations import FORMULATIONS
from craftworld.levels.tomato_watering import TomatoWatering
from craftworld.others.inaction_baselines import WithInactionPast, add_inaction_past
from craftworld.rollout import random_walk, rollout
from craftworld.scenario import observes_performance
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.side_effect_penalties import INACTION, compute_side_effect_penalties
from craftworld.solution.problem import make_problem
from engine.errors import BadValue
from engine.planning.dynamic_programming import plan
from tests.craftworld.backward_performance import compute_policy_performance
from tests.craftworld.levels.replayed import level

DISCOUNT = 0.99
WEIGHTS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
MEASURES = ("relative_reachability", "attainable_utility")
MOVING = ("sushi", "vase", "sushi_goal", "sushi_goal2")


def _performances(variant: str, formulation: str) -> list[float]:
    """Of the policies that are best for each weight of the penalty."""
    world = level("conveyor_belt", variant=variant, noop="yes", rewards="paper")
    problem = make_problem(world, formulation, discount=DISCOUNT)
    start = int(problem.mdp.start_states()[0])
    policies = [plan(problem.make_augmented_table(weight, start)).policy for weight in WEIGHTS]
    return [float(compute_policy_performance(problem.scenario, problem.mdp, policy)[start]) for policy in policies]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("variant", ["sushi", "sushi_goal"])
def test_the_sushi_is_left_alone(variant: str, measure: str) -> None:
    """Inaction does not interfere ("Penalizing side effects ...", 2019, section 4)."""
    assert _performances(variant, f"{measure}_inaction") == pytest.approx([1.0] * len(WEIGHTS))


@pytest.mark.parametrize("measure", MEASURES)
def test_the_vase_is_put_back_or_never_saved(measure: str) -> None:
    """Inaction offsets: what would have broken is broken in the end, and stepwise inaction with rollouts saves it."""
    assert all(performance < 0.5 for performance in _performances("vase", f"{measure}_inaction"))
    if measure == "relative_reachability":
        assert _performances("vase", f"{measure}_inaction_rollouts") == pytest.approx([1.0] * len(WEIGHTS))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("variant", ["sushi", "vase"])
def test_what_is_planned_with_is_what_is_measured(variant: str, seed: int) -> None:
    """In levels that only the step limit ends, each step's penalty is the one of `caregrid penalties`."""
    world = level("conveyor_belt", variant=variant, noop="yes")
    problem = make_problem(world, "relative_reachability_inaction", discount=DISCOUNT)
    start = int(problem.mdp.start_states()[0])
    _, penalty = problem.compute_caring_rewards(start)
    actions = random_walk(world, seed).episode.actions[:40]
    measured = compute_side_effect_penalties(world, rollout(world, actions), DISCOUNT)
    expected = [-each.deviations["RR(t)"] for each in measured if each.baseline == INACTION]
    state, found = start, []
    for action in actions:
        number = problem.mdp.actions.index(action)
        found.append(float(penalty[state, number, 0]))
        state = int(problem.mdp.next_state[state, number, 0])
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("variant", MOVING)
def test_the_world_with_its_past_is_the_same_world(variant: str) -> None:
    inner = level("conveyor_belt", variant=variant, noop="yes")
    world = add_inaction_past(inner)
    assert isinstance(world, WithInactionPast)
    assert world.name == inner.name
    assert observes_performance(world) == observes_performance(inner)
    for seed in range(5):
        walked = random_walk(inner, seed)
        again = rollout(world, walked.episode.actions)
        assert [step.reward for step in again.episode.steps] == [step.reward for step in walked.episode.steps]
        assert again.performance == walked.performance
        assert again.terminated == walked.terminated
        for one, other in zip(again.episode.states, walked.episode.states, strict=True):
            assert world.board(one) == inner.board(other)
            assert world.describe(one) == inner.describe(other)
            assert world.position(one) == inner.position(other)
    idle = rollout(world, ["noop"] * 20)
    assert all(world.past[state[-1]] == world.inner_state(state) for state in idle.episode.states)


def test_a_world_of_two_agents_moves_by_itself() -> None:
    """The second agent does its work while the first does nothing: what it then has done is the baseline."""
    inner = SCENARIOS["workshop_shared"]()
    world = add_inaction_past(inner)
    assert isinstance(world, WithInactionPast)
    ends = [world.past[number] for number in np.flatnonzero(world.next_past == np.arange(len(world.past)))]
    assert len(ends) == 1
    assert [agent.name for agent in world.simultaneous_agents()] == [a.name for a in inner.simultaneous_agents()]


def test_a_world_of_two_agents_is_planned_with_that_baseline() -> None:
    shared = SCENARIOS["workshop_shared"]
    small = shared(shared.parse_map("#######\n#E.K.T#\n#..W..#\n#.F.KX#\n#######"))
    problem = make_problem(small, "relative_reachability_inaction")
    penalties = problem.compute_caring_rewards(int(problem.mdp.start_states()[0]))[1]
    assert np.isfinite(penalties).all()
    assert penalties.min() < 0.0 == penalties.max()
    assert problem.segments


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("name", ["garden", "workshop", "side_effects_sokoban", "island_navigation"])
def test_a_world_at_rest_stays_as_it_is(name: str) -> None:
    world = make_scenario(SCENARIOS[name])
    assert add_inaction_past(world) is world
    plain = make_problem(world, "relative_reachability_inaction", discount=DISCOUNT)
    start = int(plain.mdp.start_states()[0])
    other = make_problem(world, "relative_reachability_starting_state", discount=DISCOUNT)
    np.testing.assert_array_equal(plain.compute_caring_rewards(start)[1], other.compute_caring_rewards(start)[1])


def test_a_random_past_is_refused_in_one_line() -> None:
    world = TomatoWatering(TomatoWatering.parse_map("#####\n#AtT#\n#  O#\n#####"))
    with pytest.raises(BadValue, match="the inaction baseline is random") as raised:
        add_inaction_past(world)
    assert "\n" not in str(raised.value)


def test_values_of_states_are_no_values_of_pasts() -> None:
    world = level("conveyor_belt", variant="sushi")
    problem = make_problem(world, "relative_reachability_stepwise_inaction")
    with pytest.raises(BadValue, match="plans with the past"):
        make_problem(world, "relative_reachability_inaction", mdp=problem.mdp)


def test_both_formulations_declare_what_they_weigh() -> None:
    for measure in MEASURES:
        assert FORMULATIONS[f"{measure}_inaction"].weighs.__name__ == "TasksSinceStart"
