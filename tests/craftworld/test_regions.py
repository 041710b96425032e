"""Maps of several coefficients on shipped scenarios: slices, random weights, axes and beliefs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from caregrid.main import main
from craftworld.regions import make_belief_axes, make_coefficient_axes, solve_regions
from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import solve, solve_trade_off
from craftworld.solution.problem import Problem, make_problem
from engine.errors import BadValue, UnknownName
from engine.planning.dynamic_programming import plan
from tests.printed_json import printed_content

SEVERAL = ("garden", "playroom", "mailroom", "icy_yard", "toll_road", "mail_round", "office_kitchen")


def problem_of(name: str, formulation: str | None = None, **options: Any) -> Problem:
    return make_problem(SCENARIOS[name](**options), formulation)


@pytest.mark.parametrize("name", ["workshop", "workshop_auto", *SEVERAL])
def test_one_coefficient_is_a_slice_of_the_map(name: str) -> None:
    problem = problem_of(name)
    line = solve_regions(make_coefficient_axes(problem, ["care"]))
    segments = solve_trade_off(problem)
    assert len(line.regions) == len(segments)
    for region, segment in zip(sorted(line.regions, key=lambda one: one.region.interior[0]), segments, strict=True):
        assert region.outcome.own == pytest.approx(segment.outcome.own, abs=1e-9)
        assert region.outcome.total == pytest.approx(segment.outcome.total, abs=1e-9)  # others may tie
        ends = [bound / side for side, bound in region.region.halfspaces]
        assert min(ends) == pytest.approx(segment.care_from, abs=1e-9)
    every = solve_regions(make_coefficient_axes(problem))
    swept = [name not in problem.weighed.fixed for name in every.axes.names]
    for care in np.random.default_rng(1).uniform(0.0, 40.0, 40):
        point = np.where(swept, care, 1.0) if len(swept) > 1 else np.array([care])
        assert every.cover.at(point).value_at(point) == pytest.approx(
            line.cover.at(np.array([care])).value_at(np.array([care]))
        )


def largest_miss(name: str, count: int, seed: int, **options: Any) -> float:
    """How far the map is from a direct plan at random coefficients, at most; relative to values above 1.

    Coefficients of all sizes, a third of them 0. The region that holds a vector is asked as well as the best one.
    """
    problem = problem_of(name, **options)
    found, chance = solve_regions(make_coefficient_axes(problem)), problem.mdp.start
    rewards = {start: found.axes.rewards(start) for start in map(int, problem.mdp.start_states())}
    rng, axes, worst = np.random.default_rng(seed), len(found.axes.names), 0.0
    points = rng.lognormal(1.0, 2.0, (count, axes)) * (rng.uniform(size=(count, axes)) > 1 / 3)
    for point in points:
        best = 0.0
        for start, (own, *parts) in rewards.items():
            reward = own + sum(weight * part for weight, part in zip(point, parts, strict=True))
            best += float(chance[start] * plan(problem.mdp.with_reward(reward)).value[start])
        holding = [region for region in found.cover.regions if region.holds(point)]
        assert holding, f"no region holds {point.tolist()}"
        for region in (found.cover.at(point), *holding):
            worst = max(worst, abs(region.value_at(point) - best) / max(1.0, abs(best)))
    return worst


SOLVED = sorted(name for name in SCENARIOS.names() if not SCENARIOS[name]().replay_only)


@pytest.mark.slow_cases(beyond=16)
@pytest.mark.parametrize("name", SOLVED)
def test_no_policy_beats_the_map(name: str) -> None:
    assert largest_miss(name, 50, 2) <= 1e-9


@pytest.mark.slow_cases("workshop_auto")
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("workshop_auto", {"key_start": "uniform"}),
        ("workshop_auto", {"key_start": "uniform", "slip": 0.1}),
        ("common_meadow", {"planner": "all"}),
        ("passing_places", {}),
    ],
)
def test_several_starts_chance_and_joint_plans_too(name: str, options: dict[str, Any]) -> None:
    assert largest_miss(name, 10, 4, **options) <= 1e-9


def test_several_start_states_have_one_behaviour_each(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the keys lie at random the map's line is the mean of those of each place."""
    together = problem_of("workshop_auto", key_start="uniform")
    line = solve_regions(make_coefficient_axes(together))
    each = [
        solve_regions(make_coefficient_axes(problem_of("workshop_auto", key_start=place))) for place in ("K1", "K2")
    ]
    for care in (0.0, 0.0005, 0.2, 0.7, 2.0, 10.0, 500.0):
        point = np.array([care])
        mean = np.mean([one.cover.at(point).value_at(point) for one in each])
        assert line.cover.at(point).value_at(point) == pytest.approx(mean)
    assert {len(region.cases) for region in line.regions} == {2}
    assert main(["regions", "workshop_auto", "--set", "key_start=uniform", "--json"]) == 0
    printed = printed_content(capsys.readouterr().out)
    assert {len(region["cases"]) for region in printed["regions"]} == {2}


def test_agents_without_an_axis_keep_their_coefficient() -> None:
    problem = problem_of("mailroom")
    for care in (0.0, 1.0, 8.0):
        found = solve_regions(make_coefficient_axes(problem, ["agent E"], care=care))
        for point in (0.5, 10.0, 30.0):
            weights = np.where([owner == "agent E" for owner in problem.weighed.owners], point, care)
            every = solve_regions(make_coefficient_axes(problem))
            assert found.cover.at(np.array([point])).value_at(np.array([point])) == pytest.approx(
                every.cover.at(weights).value_at(weights)
            )


def test_the_own_reward_as_an_axis() -> None:
    problem = problem_of("garden", "expected")
    found = solve_regions(make_coefficient_axes(problem, ["own", "agent 2", "agent 3"]))
    for own, care in ((0.3, 1.0), (2.0, 5.0), (1.0, 0.1)):
        weighted, _ = solve(replace(problem, own=own), care)
        best = found.cover.at(np.array([own, care, care]))
        line = own * weighted.own + care * float(problem.weighed.probability @ list(weighted.others.values()))
        assert best.value_at(np.array([own, care, care])) == pytest.approx(line)


@pytest.mark.parametrize(
    ("name", "formulation"),
    [("garden", "worst_case"), ("garden", "per_agent"), ("workshop_auto", None), ("icy_yard", None)],
)
def test_own_against_care(name: str, formulation: str | None) -> None:
    """Under every formulation: what the agent's own reward weighs against all the others' together."""
    problem = problem_of(name, formulation)
    found = solve_regions(make_coefficient_axes(problem, ["own", "care"]))
    start = int(problem.mdp.start_states()[0])
    for own, care in np.random.default_rng(5).exponential(3.0, (12, 2)):
        best = plan(replace(problem, own=own).make_augmented_table(care, start)).value[start]
        point = np.array([own, care])
        assert found.cover.at(point).value_at(point) == pytest.approx(float(best))
    swapped = solve_regions(make_coefficient_axes(problem, ["care", "own"]))
    assert len(swapped.regions) == len(found.regions)


def test_beliefs_are_probabilities() -> None:
    problem = problem_of("icy_yard")
    found = solve_regions(make_belief_axes(problem, ["postman", "neighbour"], care=8.0))
    for chance in (0.0, 0.3, 0.9):
        believed = replace(problem.weighed, probability=np.array([chance, 1.0 - chance]))
        outcome, _ = solve(replace(problem, weighed=believed), 8.0)
        expected = outcome.own + 8.0 * float(believed.probability @ list(outcome.others.values()))
        point = np.array([chance])
        assert found.cover.at(point).value_at(point) == pytest.approx(expected)


def test_formulations_that_are_no_sums_have_one_axis() -> None:
    problem = problem_of("garden", "worst_case")
    assert make_coefficient_axes(problem).names == ("care",)
    with pytest.raises(BadValue, match="do not add up"):
        make_coefficient_axes(problem, ["agent 2"])
    with pytest.raises(BadValue, match="do not enter as a sum"):
        make_belief_axes(problem, ["agent 2", "agent 3"])


def test_bad_axes_are_named() -> None:
    problem = problem_of("garden")
    for axes in (["agent 2", "agent 2"], ["care", "agent 2"]):
        with pytest.raises(BadValue, match="name each once"):
            make_coefficient_axes(problem, axes)
    with pytest.raises(UnknownName, match="agent 9"):
        make_coefficient_axes(problem, ["agent 9"])
    with pytest.raises(UnknownName, match="agent 9"):
        make_belief_axes(problem, ["agent 2", "agent 9"])
    for beliefs in (["agent 2"], ["agent 2", "agent 2"]):
        with pytest.raises(BadValue, match="two possibilities"):
            make_belief_axes(problem, beliefs)
    for care in (math.nan, math.inf):
        with pytest.raises(BadValue, match="care is"):
            make_coefficient_axes(problem, care=care)


@pytest.mark.parametrize(("name", "count"), [("toll_road", 13), ("mail_round", 26), ("office_kitchen", 12)])
def test_scenarios_with_many_regions(name: str, count: int) -> None:
    found = solve_regions(make_coefficient_axes(problem_of(name)))
    assert len(found.regions) == count
    others = [tuple(region.outcome.others.values()) for region in found.regions]
    assert len(set(others)) == count


def test_the_toll_road_by_hand() -> None:
    found = solve_regions(make_coefficient_axes(problem_of("toll_road")))
    straight = found.cover.at(np.zeros(3))
    assert straight.returns[0] == -18.0 - 2 * 2.0  # 18 cells, two toll gates
    quiet = found.cover.at(np.array([100.0, 100.0, 0.0]))
    assert quiet.returns[1:3].tolist() == [0.0, 0.0]


def test_a_parcel_on_the_desk_costs_its_owner_one_step() -> None:
    found = solve_regions(make_coefficient_axes(problem_of("mail_round")))
    best = next(region for region in found.regions if region.region is found.cover.at(np.full(4, 1000.0)))
    assert set(best.outcome.others.values()) == {-1.0}
    lazy = next(region for region in found.regions if region.region is found.cover.at(np.zeros(4)))
    assert (lazy.outcome.own, lazy.outcome.others["Dan"]) == (-1.0, -5.0)  # Dan: four cells to the mail room
