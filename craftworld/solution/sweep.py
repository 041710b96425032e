"""Sweeping the caring coefficient, exactly and by learning ("Be Considerate", Figure 1(b) and appendix C).

A row holds what one policy leads to at one coefficient: own return, each newcomer's value, their total, the optimum's
own return and total; `regret`: how far the policy's augmented return stays below the optimum's (infinite where only one
of them ends); `others_error`: how far learned values of newcomers are from the exact ones, at most, over all states
that may be handed over; `steps_taken`: what the acting agent has learned from, in all start states together.

Exact rows plan with the whole state. Where the scenario hides a part of it, a learner sees its observations alone, and
the optimum in its rows is that of an observer (`craftworld.solution.observer`).

Sequential evaluation: the acting agent follows its policy until the episode ends or its time limit cuts it, then the
newcomer follows its own from what is handed over; every step counts, the last one too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from craftworld.others.other_agents import OtherAgents
from craftworld.others.value_distribution import ValueDistribution, precompute
from craftworld.solution.exact_solution import (
    CaringOutcome,
    average_outcomes,
    describe_limited_outcome,
    describe_policy_outcome,
    find_mean_outcomes,
    solve,
)
from craftworld.solution.learning import (
    Learning,
    NewcomerLearners,
    choose_acting_learning,
    choose_newcomer_learning,
    measure_values_error,
    warn_of_values,
)
from craftworld.solution.observer import find_observer_optimum, make_table_of_all_starts
from craftworld.solution.problem import Problem
from engine.errors import argument
from engine.mdp.mdp import Policy, TabularMDP
from engine.planning.dynamic_programming import evaluate_policy
from engine.planning.endless_returns import average_over_starts
from engine.randomness.counter_based import split

SweepRow = dict[str, Any]
ROUNDING = 1e-9
TABULAR = "q-learning"


def sweep_exactly(problem: Problem, cares: Sequence[float]) -> list[SweepRow]:
    """Solve every coefficient exactly, a row each."""
    rows: list[SweepRow] = []
    row = SweepRow()
    shown = None
    for care, best in zip(cares, find_mean_outcomes(problem, cares), strict=True):
        if best is not shown:
            row = _make_exact_row(problem, care, best)
            shown = best
        rows.append({**row, "care": float(care)})
    return rows


def _make_exact_row(problem: Problem, care: float, best: CaringOutcome) -> SweepRow:
    return {
        **_begin_row(problem, "exact", None, care),
        "own": best.own,
        **best.others,
        "total": best.total,
        "optimal_own": best.own,
        "optimal_total": best.total,
        "regret": 0.0,
        "others_error": 0.0,
        "steps_taken": None,
    }


def sweep_by_learning(
    problem: Problem,
    cares: Sequence[float],
    seeds: Sequence[int],
    acting: Learning | None = None,
    newcomers: Learning | None = None,
    beliefs: OtherAgents | None = None,
) -> list[SweepRow]:
    """Learn every coefficient by Q-learning, a row for each seed and coefficient, seed by seed.

    acting, newcomers: how the acting agent and, once a seed, the newcomers learn; by default as the scenario says.
    beliefs: the newcomers' values that the acting agent assumes, in place of learned ones.
    """
    learning = acting or choose_acting_learning(problem.scenario)
    problem.find_segments_of(cares)
    return [
        _make_learned_row(problem, believing, care, seed, learning)
        for seed, believing in ((seed, _make_believed_problem(problem, newcomers, beliefs, seed)) for seed in seeds)
        for care in cares
    ]


def warn_of_learning(rows: Sequence[SweepRow], problem: Problem, acting: Learning, newcomers: Learning) -> str | None:
    """Return one line with the error of learned rows and the steps to try; None where all are optimal."""
    learned = [row for row in rows if row["seed"] is not None]
    astray = sum(row["regret"] > 0.0 for row in learned)
    endless = sum(math.isinf(row["regret"]) for row in learned)
    error = max((row["others_error"] for row in learned), default=0.0)
    by_table = all(row["method"] == TABULAR for row in learned)
    tried = 4 * max((row["steps_taken"] for row in learned), default=1)
    more = argument("steps", acting.suggest_steps(problem.mdp) if by_table else tried)
    said = [
        f"{astray} of {len(learned)} learned rows are not optimal: try {more}" if astray else None,
        f"{endless} of them may never end: their returns are cut at the time limit" if endless else None,
        warn_of_values(problem.scenario, problem.mdp, error, newcomers, "others_steps"),
    ]
    return "; ".join(filter(None, said)) or None


def _make_believed_problem(
    problem: Problem, newcomers: Learning | None, beliefs: OtherAgents | None, seed: int
) -> Problem:
    """Make the problem that the learning agent assumes; the problem itself where its values of newcomers are exact."""
    if not isinstance(problem.others, ValueDistribution):
        return problem
    learners = NewcomerLearners(newcomers or choose_newcomer_learning(problem.scenario), seed)
    others = beliefs or precompute(problem.scenario, problem.mdp, learners)
    if isinstance(others, ValueDistribution) and _are_alike(others, problem.others):
        return problem
    return replace(problem, others=others, weighed=others if problem.weighed is problem.others else problem.weighed)


def _are_alike(one: ValueDistribution, other: ValueDistribution) -> bool:
    """Return whether two distributions are the same to the bit, but for baselines."""
    pairs = ((getattr(one, name), getattr(other, name)) for name in ("value", "probability", "weight"))
    return (one.names, one.fixed) == (other.names, other.fixed) and all(np.array_equal(*pair) for pair in pairs)


def _make_learned_row(problem: Problem, believing: Problem, care: float, seed: int, learning: Learning) -> SweepRow:
    if problem.mdp.observation is not None:
        return _make_observed_row(problem, believing, care, seed, learning)
    best, cases = solve(problem, care)
    learned = []
    regret = 0.0
    steps = 0
    for start, case in zip(map(int, problem.mdp.start_states()), cases, strict=True):
        key = split(split(split(seed, "acting agent"), repr(float(care))), start)
        table = believing.make_augmented_table(care, start)
        learner = learning.learn_table(table, key)
        outcome = describe_limited_outcome(believing, learner.policy, start, learner.settings.episode_steps)
        learned.append(case._replace(outcome=outcome))
        true = table if believing is problem else problem.make_augmented_table(care, start)
        regret += case.probability * _find_regret(problem, true, care, start, learner.policy)
        steps += learner.steps
    outcome = average_outcomes(learned)
    return {
        **_begin_row(problem, TABULAR, seed, care),
        "own": outcome.own,
        **outcome.others,
        "total": outcome.total,
        "optimal_own": best.own,
        "optimal_total": best.total,
        "regret": regret,
        "others_error": 0.0 if believing is problem else measure_values_error(problem.others, believing.others),
        "steps_taken": steps,
    }


def _make_observed_row(problem: Problem, believing: Problem, care: float, seed: int, learning: Learning) -> SweepRow:
    """Make the row of an agent that observes a part of the state: it learns from all start states at once.

    Its optimum is the best that an observer can do.
    """
    best = find_observer_optimum(problem, care)
    key = split(split(seed, "acting agent"), repr(float(care)))
    learner = learning.learn_table(make_table_of_all_starts(believing, care), key)
    policy = learner.policy[: len(problem.mdp.terminal)]
    outcome = describe_policy_outcome(believing, policy, learner.settings.episode_steps)
    true = make_table_of_all_starts(problem, care)
    achieved = average_over_starts(true, evaluate_policy(true, learner.policy))
    return {
        **_begin_row(problem, TABULAR, seed, care),
        "own": outcome.own,
        **outcome.others,
        "total": outcome.total,
        "optimal_own": best.own,
        "optimal_total": best.total,
        "regret": _subtract(best.augmented, achieved, abs(best.augmented)),
        "others_error": 0.0 if believing is problem else measure_values_error(problem.others, believing.others),
        "steps_taken": learner.steps,
    }


def _find_regret(problem: Problem, table: TabularMDP, care: float, start: int, policy: Policy) -> float:
    """Return the optimum's augmented return minus the policy's; 0 where both are infinite, or equal but for rounding.

    table: the problem's, with the augmented reward.
    """
    segment = problem.find_segment(care, start)
    line = segment.line
    achieved = float(evaluate_policy(table, policy)[start])
    best = line.at(care)
    if math.isinf(line.own) and segment.policy is not None:  # it gains for ever, or every policy is as bad
        best = float(evaluate_policy(table, segment.policy)[start])
        if math.isnan(best) or best == -math.inf:
            return 0.0
    return _subtract(best, achieved, abs(line.own) + abs(care * line.auxiliary))


def _subtract(best: float, achieved: float, scale: float) -> float:
    """Return best - achieved, 0 where they differ by rounding alone. scale: of the numbers that were added up."""
    rounding = ROUNDING * scale if math.isfinite(best) else 0.0
    return 0.0 if best == achieved or abs(best - achieved) <= rounding else best - achieved


def _begin_row(problem: Problem, method: str, seed: int | None, care: float) -> SweepRow:
    return {
        "scenario": problem.scenario.name,
        "formulation": problem.formulation,
        "method": method,
        "seed": seed,
        "care": float(care),
    }
