"""Sweeps: rows, learned against exact; the paper's statements on both rule sets."""

from __future__ import annotations

import itertools

import pytest

from craftworld.scenarios import SCENARIOS
from craftworld.solution.episodes import film_episodes, make_episodes
from craftworld.solution.exact_solution import find_break_points, find_ties, solve, solve_trade_off
from craftworld.solution.learning import choose_acting_learning
from craftworld.solution.problem import Problem, make_problem
from craftworld.solution.sweep import sweep_by_learning, sweep_exactly
from engine.errors import BadValue

COLUMNS = [
    "scenario",
    "formulation",
    "method",
    "seed",
    "care",
    "own",
    "newcomer",
    "total",
    "optimal_own",
    "optimal_total",
    "regret",
    "others_error",
    "steps_taken",
]
CARES = tuple(0.17 + 0.7 * n for n in range(10))
SEEDS = range(4)
SHARE = 0.97
AWAY = 0.01


@pytest.fixture(scope="module", params=["workshop", "workshop_auto"])
def problem(request: pytest.FixtureRequest) -> Problem:
    return make_problem(SCENARIOS[request.param]())


def test_exact_rows_are_the_solution(problem: Problem) -> None:
    rows = sweep_exactly(problem, (0.0, 1.5, 7.0))
    for row in rows:
        outcome, _ = solve(problem, row["care"])
        assert list(row) == COLUMNS
        assert (row["own"], row["newcomer"], row["total"]) == (outcome.own, outcome.others["newcomer"], outcome.total)
        assert (row["optimal_own"], row["optimal_total"], row["regret"]) == (outcome.own, outcome.total, 0.0)
        assert row["seed"] is None


def test_no_column_is_called_like_a_setting_of_a_sweep_file() -> None:
    """A unit's row holds its settings beside its columns."""
    from experiments.catalogue.be_considerate._care_sweep import HEADING, caring_sweep

    assert not (set(COLUMNS) - set(HEADING)) & set(caring_sweep.settings)


def test_the_papers_statements(problem: Problem) -> None:
    """Figure 1(b): own never rises, the other's never falls, the total is largest at a middle care."""
    segments = solve_trade_off(problem)
    own = [segment.outcome.own for segment in segments]
    other = [segment.outcome.others["newcomer"] for segment in segments]
    total = [segment.outcome.total for segment in segments]
    assert own == sorted(own, reverse=True)
    assert other == sorted(other)
    assert max(total) not in (total[0], total[-1])
    losses = [before - after for before, after in itertools.pairwise(own)]
    assert losses == sorted(losses)


def test_without_care_the_agent_leaves_with_the_key() -> None:
    problem = make_problem(SCENARIOS["workshop"]())
    outcome, _ = solve(problem, 0.0)
    assert outcome.handover is not None
    assert outcome.handover["key"] == "held"
    assert outcome.others == {"newcomer": -1000.0}
    caring, _ = solve(problem, 7.0)
    assert caring.handover is not None
    assert (caring.handover["key"], caring.handover["extra_hammer"], caring.handover["extra_wood"]) == (
        "K1",
        "left",
        "left",
    )


def test_at_a_break_point_the_larger_auxiliary_value_is_taken(problem: Problem) -> None:
    for tie in find_ties(problem):
        outcome, _ = solve(problem, tie.care)
        assert (outcome.own, outcome.others["newcomer"]) == tie.lines[-1]
        assert len({round(line.at(tie.care), 9) for line in tie.lines}) == 1
        before, _ = solve(problem, tie.care - 1e-6)
        assert (before.own, before.others["newcomer"]) == tie.lines[0]
    with pytest.raises(BadValue, match="is empty"):
        find_break_points(problem, (3.0, 3.0))


def test_the_story_ends_as_the_solution_says(problem: Problem) -> None:
    for care in (0.5, 3.0, 7.0):
        outcome, _ = solve(problem, care)
        acting, newcomer = make_episodes(problem, care)
        assert acting.episode.total() == outcome.own
        assert newcomer.episode.total() == outcome.others["newcomer"]
        assert acting.episode.actions == outcome.actions
        assert newcomer.episode.ending == "terminated"
        scenes = film_episodes([acting, newcomer])
        assert len(scenes) == len(acting.episode.states) + len(newcomer.episode.states)


def test_a_few_learned_rows(problem: Problem) -> None:
    rows = sweep_by_learning(problem, (0.5, 3.0), (5,), acting=choose_acting_learning(problem.scenario, 400_000))
    assert [(row["method"], row["seed"], row["care"]) for row in rows] == [
        ("q-learning", 5, 0.5),
        ("q-learning", 5, 3.0),
    ]
    for row in rows:
        assert list(row) == COLUMNS
        assert row["regret"] >= 0.0
        achieved = row["own"] + row["care"] * row["newcomer"]
        best = row["optimal_own"] + row["care"] * (row["optimal_total"] - row["optimal_own"])
        assert best - achieved == pytest.approx(row["regret"])


def test_a_learner_that_had_no_time_shows_regret() -> None:
    problem = make_problem(SCENARIOS["workshop"]())
    (row,) = sweep_by_learning(
        problem, (3.0,), (0,), acting=choose_acting_learning(problem.scenario, 200), beliefs=problem.others
    )
    assert row["regret"] > 0.0
    assert row["own"] >= -1000.0
    assert row["newcomer"] in (-24.0, -28.0, -1000.0)
    assert row["total"] == row["own"] + row["newcomer"]


@pytest.mark.slow
def test_learned_equals_exact_for_nearly_all_cares_and_seeds(problem: Problem) -> None:
    """Ten cares, four seeds, the paper's protocol: appendix C's learner, optimistic and with planning steps."""
    points = find_break_points(problem)
    cares = [care for care in CARES if all(abs(care - point) > AWAY for point in points)]
    assert len(cares) == len(CARES)
    rows = sweep_by_learning(problem, cares, SEEDS)
    optimal = [row["regret"] == 0.0 for row in rows]
    assert len(optimal) == len(CARES) * len(SEEDS)
    assert sum(optimal) >= SHARE * len(optimal)


@pytest.mark.slow_cases("each_step")
@pytest.mark.parametrize("care", [-1.0, 0.0], ids=["each_step", "after_its_own_end"])
def test_a_care_is_learned_at_which_waiting_costs_nothing(care: float) -> None:
    """At -1 each step costs the agent what it gains by the other's waiting, at 0 the steps after its own end are free.

    Nothing urges it to look further, and what it has not tried promises as much as what it knows.
    """
    shared = make_problem(SCENARIOS["workshop_shared"]())
    (row,) = sweep_by_learning(shared, (care,), (0,))
    assert (row["own"], row["second agent"], row["regret"]) == (-24.0, -123.0, 0.0)
    assert row["steps_taken"] == shared.scenario.learning.steps
