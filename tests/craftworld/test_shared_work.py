"""The shared workshop: Table 1 exactly and by learning, the second agent's policy, and agents that never finish."""

import math

import numpy as np
import pytest

from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import find_ties, solve, solve_trade_off
from craftworld.solution.learning import choose_acting_learning
from craftworld.solution.problem import find_applicable_formulations, make_problem
from craftworld.solution.sweep import sweep_by_learning
from engine.mdp.tabulate import tabulate
from engine.planning.trade_off.envelope import EVERYWHERE


@pytest.fixture(scope="module")
def problem():
    return make_problem(SCENARIOS["workshop_shared"]())


def test_table_1(problem):
    segments = solve_trade_off(problem)
    assert [(s.care_from, s.care_to) for s in segments] == [
        (0, pytest.approx(1 / 90)),
        (pytest.approx(1 / 90), 1),
        (1, None),
    ]
    assert [(s.outcome.own, s.outcome.others["second agent"]) for s in segments] == [
        (-24, -123),
        (-25, -33),
        (-33, -25),
    ]
    assert [s.outcome.total for s in segments] == [-147, -58, -58]


def test_table_1_is_learned_in_a_fifth_of_the_papers_steps(problem):
    learning = choose_acting_learning(problem.scenario, problem.scenario.learning.steps // 5)
    rows = sweep_by_learning(problem, (0.005, 0.5, 2.0), (0,), acting=learning)
    assert [(row["own"], row["second agent"]) for row in rows] == [(-24, -123), (-25, -33), (-33, -25)]
    assert [row["regret"] for row in rows] == [0, 0, 0]


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("care", [-0.005, -0.5, -0.9, -1.5, -5.0])
def test_dislike_is_learned_too(problem, care, seed):
    """Bounds are far above the truth where steps may have positive rewards; below -1 waiting for ever gains."""
    (row,) = sweep_by_learning(problem, (care,), (seed,), acting=choose_acting_learning(problem.scenario))
    assert row["regret"] == 0.0
    if care > -1:
        assert (row["own"], row["second agent"]) == (-24, -123)


def test_a_policy_that_leaves_is_infinitely_far_from_waiting_for_ever(problem):
    (row,) = sweep_by_learning(problem, (-5.0,), (0,), acting=choose_acting_learning(problem.scenario, 200_000))
    assert row["regret"] == math.inf


def test_below_minus_1_the_agent_keeps_the_other_waiting_for_ever(problem):
    endless, spiteful, *_ = solve_trade_off(problem, EVERYWHERE)
    assert (endless.care_to, endless.outcome.handover) == (-1, None)
    assert endless.outcome.own == -math.inf
    assert (spiteful.outcome.own, spiteful.outcome.others["second agent"]) == (-24, -123)
    outcome, _ = solve(problem, -5.0)
    assert outcome.handover is None
    assert len(outcome.actions) < 100


def walk(problem, *actions):
    """States from the start under actions given by name."""
    state = int(problem.mdp.start_states()[0])
    states = [problem.mdp.states[state]]
    for action in actions:
        state = int(problem.mdp.next_state[state, problem.mdp.actions.index(action), 0])
        states.append(problem.mdp.states[state])
    return states


def test_the_second_agent_alone_makes_its_box_and_brings_the_key_back(problem):
    states = walk(problem, *["wait"] * 25)
    assert states[3].key == 3  # two steps to K1 and one to pick it up
    assert (states[24].second_box, states[24].second_left) == (1, 0)
    assert (states[25].second_left, states[25].key) == (1, 1)


def test_the_acting_agent_acts_first(problem):
    ahead = walk(problem, "right", "right", "pick up the key")
    assert ahead[-1].key == 2
    assert ahead[-1].second_cell == ahead[-1].cell + 1  # the key is gone: on to the hammer


def test_without_the_key_the_second_agent_waits_at_the_second_place(problem):
    states = walk(problem, "right", "right", "pick up the key", *["wait"] * 30)
    assert states[-1].second_cell == states[-2].second_cell == problem.scenario.key_cells[1]
    assert (states[-1].second_hammer, states[-1].second_wood, states[-1].second_box) == (1, 1, 0)


def test_rewards_step_by_step(problem):
    mdp, rewards = problem.mdp, problem.others.reward[0, :, :, 0]
    columns = mdp.states.columns()
    stranded = problem.scenario.is_stranded(columns)[mdp.next_state[:, :, 0]] & ~mdp.terminal[:, None]
    assert set(rewards[stranded].tolist()) == {-100.0}
    assert not rewards[(columns.second_left == 1) | mdp.terminal].any()
    assert not mdp.reward[(columns.left == 1) | mdp.terminal].any()
    both_act = (columns.left == 0) & (columns.second_left == 0)
    assert set(mdp.reward[both_act].ravel().tolist()) == {-1.0}


def test_the_second_agent_has_one_possible_next_step_and_never_crosses_walls(tmp_path):
    file = tmp_path / "map.txt"
    file.write_text("########\n#E K#T #\n#  #   #\n#    W #\n#F K  X#\n########\n")
    world = make_scenario(SCENARIOS["workshop_shared"], file)
    segments = solve_trade_off(make_problem(world))
    assert segments[0].outcome.own >= segments[-1].outcome.own
    assert segments[0].outcome.others["second agent"] <= segments[-1].outcome.others["second agent"]
    assert all(math.isfinite(s.outcome.total) for s in segments)


def test_starting_with_the_key_elsewhere():
    world = make_scenario(SCENARIOS["workshop_shared"], key_start="K2")
    outcome, _ = solve(make_problem(world), 0.5)
    assert outcome.others["second agent"] < 0
    uniform = make_problem(make_scenario(SCENARIOS["workshop_shared"], key_start="uniform"))
    mean, cases = solve(uniform, 0.5)
    assert mean.own == pytest.approx(np.mean([case.outcome.own for case in cases]))


def test_care_for_the_other_never_lowers_it(problem):
    for formulation in ("simultaneous",):
        values = [
            s.outcome.others["second agent"] for s in solve_trade_off(make_problem(problem.scenario, formulation))
        ]
        assert values == sorted(values)
    assert [tie.care for tie in find_ties(problem, (0.0, math.inf))] == pytest.approx([1 / 90, 1])


def test_all_states_are_few(problem):
    assert len(tabulate(problem.scenario).states) == len(problem.mdp.states) < 20_000


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("name", ["garden", "kitchen_salad", "mailroom", "toll_road", "side_effects_sokoban"])
def test_another_formulation_of_a_problem_is_the_problem_made_anew(name: str) -> None:
    """Those whose welfare is reported are looked at once; what each formulation adds is the same, number for number."""
    problem = make_problem(SCENARIOS[name]())
    start = int(problem.mdp.start_states()[0])
    for formulation in find_applicable_formulations(problem.scenario):
        shared, anew = problem.with_formulation(formulation), make_problem(SCENARIOS[name](), formulation)
        if shared.scenario is problem.scenario:
            assert shared.others is problem.others
        assert shared.formulation == anew.formulation == formulation
        for mine, theirs in zip(shared.compute_caring_rewards(start), anew.compute_caring_rewards(start), strict=True):
            np.testing.assert_array_equal(mine, theirs)
        assert shared.others.names == anew.others.names
