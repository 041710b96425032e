"""Appendix B and related methods: future tasks against Eqs 1 and 3, relative reachability, attainable utility."""

import numpy as np
import pytest

from craftworld.formulations import FORMULATIONS
from craftworld.others.auxiliary_tasks import make_auxiliary_tasks
from craftworld.others.value_distribution import ValueDistribution
from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import describe_outcome, find_alternative_outcomes
from craftworld.solution.problem import (
    augment,
    compute_caring_rewards,
    find_applicable_formulations,
    make_problem,
    make_weighed_distribution,
)
from engine.errors import BadValue
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import plan

SMALL = ("garden", "playroom", "mailroom")
BETA = 1.7


def as_value_functions(tasks):
    """One's own tasks as the possible value functions of the acting agent (appendix B.2)."""
    every = np.array(list(tasks.values()))
    value = every[:, tasks.state_index]
    count = len(value)
    names = tuple(map(str, range(count)))
    return ValueDistribution(
        names, ("agent 1",) * count, value, tasks.probability, np.ones(count), every[:, tasks.start_index]
    )


@pytest.mark.parametrize("scenario", SMALL)
@pytest.mark.parametrize(
    ("task", "equation"), [("future_task", "expected"), ("future_task_starting_state", "no_worse_off")]
)
def test_future_tasks_are_equations_1_and_3_undiscounted_only(scenario, task, equation):
    world = SCENARIOS[scenario]()
    for discount, same in ((1.0, True), (0.9, False)):
        mdp = tabulate(world, discount)
        tasks = make_auxiliary_tasks(world, mdp)
        ours = augment(mdp, as_value_functions(tasks), FORMULATIONS[equation], 1.0, BETA).reward
        theirs = augment(mdp, tasks, FORMULATIONS[task], 1.0, BETA).reward
        assert (np.abs(ours - theirs).max() < 1e-9) == same


@pytest.mark.parametrize("scenario", SMALL)
def test_per_agent_over_oneself_alone_is_the_future_task(scenario):
    world = SCENARIOS[scenario]()
    mdp = tabulate(world, 1.0)
    tasks = make_auxiliary_tasks(world, mdp)
    ours = augment(mdp, as_value_functions(tasks), FORMULATIONS["per_agent"]).reward
    assert ours == pytest.approx(augment(mdp, tasks, FORMULATIONS["future_task"]).reward)


def test_task_values_are_optimal_values_of_the_tasks():
    world = SCENARIOS["playroom"]()
    mdp = tabulate(world, 0.9)
    tasks = make_auxiliary_tasks(world, mdp)
    for goal, value in list(enumerate(tasks.values()))[::17]:
        target = np.flatnonzero(tasks.state_index == goal)
        if not len(target) or mdp.terminal[target[0]]:
            continue
        arriving = (mdp.next_state == target[0]).astype(float)
        ends_there = mdp.terminal | (np.arange(len(mdp.terminal)) == target[0])
        arriving[ends_there] = 0.0
        task = type(mdp)(**{**vars(mdp), "reward": arriving, "terminal": ends_there})
        assert plan(task).value[~ends_there] * 0.9 == pytest.approx(value[tasks.state_index][~ends_there])


def test_given_tasks_replace_the_uniform_ones():
    world = SCENARIOS["garden"]()
    mdp = tabulate(world, 0.9)
    start, passed = next(iter(world.starts())), mdp.states[5]
    tasks = make_auxiliary_tasks(world, mdp, {start: 0.25, passed: 0.75})
    values = list(tasks.values())
    assert tasks.compute_expected_value() == pytest.approx((0.25 * values[0] + 0.75 * values[1])[tasks.state_index])


def test_tasks_that_nobody_can_do_are_refused():
    world = SCENARIOS["workshop"]()
    mdp = tabulate(world)
    box_from_nothing = next(iter(world.starts()))._replace(box=1)
    with pytest.raises(BadValue, match="cannot be attained"):
        make_auxiliary_tasks(world, mdp, {box_from_nothing: 1.0})
    with pytest.raises(BadValue, match="no tasks"):
        make_auxiliary_tasks(world, mdp, {})


def penalty(scenario, formulation, discount=1.0):
    world = SCENARIOS[scenario]()
    mdp = tabulate(world, discount)
    tasks = make_weighed_distribution(world, mdp, formulation)
    return mdp, compute_caring_rewards(mdp, tasks, FORMULATIONS[formulation])[1]


@pytest.mark.parametrize("baseline", ["starting_state", "inaction", "stepwise_inaction"])
@pytest.mark.parametrize("scenario", SMALL)
def test_losing_nothing_costs_nothing_and_reachability_counts_losses_only(scenario, baseline):
    mdp, lost = penalty(scenario, f"relative_reachability_{baseline}", 0.9)
    _, changed = penalty(scenario, f"attainable_utility_{baseline}", 0.9)
    assert (changed <= lost + 1e-12).all()
    assert (lost <= 0.0).all()
    if baseline == "stepwise_inaction":  # staying put changes nothing
        stays = (mdp.next_state[:, :, 0] == np.arange(len(mdp.terminal))[:, None]) & ~mdp.terminal[:, None]
        assert stays.any()
        assert not changed[stays].any()


def test_the_fence_is_irreversible_and_steps_are_not():
    mdp, lost = penalty("garden", "relative_reachability_stepwise_inaction")
    build = mdp.actions.index("build the fence")
    fenced = np.array([state.fence for state in mdp.states])
    builds = (fenced[mdp.next_state[:, build, 0]] > fenced) & ~mdp.terminal
    assert builds.any()
    assert (lost[builds, build, 0] < 0).all()
    start = int(mdp.start_states()[0])
    assert not lost[start].any()


def test_each_baseline_is_counted_by_hand_in_the_garden():
    """At discount 1 passing loses the states of those who have not passed: a share of all, open and fenced alike."""
    mdp, lost = penalty("garden", "relative_reachability_stepwise_inaction")
    tasks = make_auxiliary_tasks(SCENARIOS["garden"](), mdp)
    states = [mdp.states[number] for number in range(len(mdp.states))]
    here = next(n for n, s in enumerate(states) if not s.passed and not s.fence and s.cell == 5)
    up = mdp.actions.index("up")
    after = mdp.next_state[here, up, 0]
    assert states[after].passed == 1
    values = list(tasks.values())
    share = sum(value[tasks.state_index[here]] > value[tasks.state_index[after]] for value in values) / len(values)
    assert share > 0
    assert lost[here, up, 0] == pytest.approx(-share)


def test_side_effect_methods_fit_every_scenario():
    methods = [name for name in FORMULATIONS if name.startswith(("future", "relative_reachability", "attainable"))]
    assert len(methods) == 11
    for name in SCENARIOS:
        assert set(methods) <= set(find_applicable_formulations(SCENARIOS[name]()))


@pytest.mark.parametrize("care", [-1.5, -0.8])
def test_a_cycle_that_gains_where_another_start_leads_does_not_matter(care: float) -> None:
    """Only one of the two starts leads to the cycle that gains below -2.15; the baseline is that of the other one."""
    problem = make_problem(SCENARIOS["safe_interruptibility"](), "attainable_utility_starting_state", discount=1.0)
    for start in map(int, problem.mdp.start_states()):
        [own, *_] = find_alternative_outcomes(problem, care, start)
        assert own == describe_outcome(problem, problem.find_segment(care, start), start)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("scenario", ["conveyor_belt", "playroom"])
@pytest.mark.parametrize("discount", [1.0, 0.9])
def test_future_tasks_with_inaction_are_the_minimum_over_two_searches(scenario, discount):
    """A plain second program: both values by breadth-first search from states, and b by doing nothing step by step."""
    world = SCENARIOS[scenario]()
    problem = make_problem(world, "future_task_inaction", discount=discount)
    _, added = compute_caring_rewards(problem.mdp, problem.weighed, problem.declaration)
    inner = getattr(problem.scenario, "inner", None)
    states = [problem.mdp.states[number] for number in range(len(problem.mdp.terminal))]
    kind = type(next(iter(world.starts())))

    def step(state, move):
        columns = kind(*(np.array([field]) for field in state))
        following = move(columns)
        return kind(*(int(np.broadcast_to(field, 1)[0]) for field in following))

    def able(state, action):
        columns = kind(*(np.array([field]) for field in state))
        return bool(np.broadcast_to(world.available(columns, action), 1)[0])

    def find_distances(begin):
        known, waiting = {begin: 0}, [begin]
        for state in waiting:
            for action in range(len(world.actions)):
                if able(state, action):
                    following = step(state, lambda columns, action=action: world.step(columns, action))
                    if following not in known:
                        known[following] = known[state] + 1
                        waiting.append(following)
        return known

    [start] = world.starts()
    attained = list(find_distances(start))
    rng = np.random.default_rng(1)
    for number in rng.permutation(np.flatnonzero(~problem.mdp.terminal))[:6]:
        state = states[number]
        own = problem.scenario.inner_state(state) if inner is not None else kind(*state)
        baseline = problem.scenario.past[state[-1]] if inner is not None else start
        after = step(baseline, world.inaction)
        from_baseline = find_distances(after)
        for action in range(0, len(world.actions), 2):
            if not able(own, action):
                continue
            arrived = step(own, lambda columns, action=action: world.step(columns, action))
            reached = find_distances(arrived)
            expected = sum(
                min(discount ** reached[goal], discount ** from_baseline[goal])
                for goal in attained
                if goal in reached and goal in from_baseline
            ) / len(attained)
            ended = problem.mdp.terminal[problem.mdp.next_state[number, action, 0]]
            assert added[number, action, 0] == pytest.approx(expected * (1.0 if ended else 1.0 - discount), abs=1e-12)


def test_in_a_world_at_rest_inaction_is_the_starting_state():
    world = SCENARIOS["garden"]()
    rewards = [
        compute_caring_rewards(problem.mdp, problem.weighed, problem.declaration)[1]
        for problem in (
            make_problem(world, f"future_task_{name}", discount=0.9) for name in ("inaction", "starting_state")
        )
    ]
    assert rewards[0] == pytest.approx(rewards[1])


@pytest.mark.parametrize("returns", [0.0, 1.0, 6.0])
def test_who_comes_back_to_the_garden_weighs_its_own_later_walk(returns):
    """By hand (appendix B.2): -16 - 26 c - 6 w round it, -72 - 10 c - 10 w with a fence, so c = 3.5 + w / 4."""
    from craftworld.solution.exact_solution import find_break_points

    points = find_break_points(make_problem(SCENARIOS["garden"](returns=returns)), (0.0, 100.0))
    assert points == pytest.approx([0.2, 3.5 + returns / 4])
