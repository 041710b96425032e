"""Sweeping the caring coefficient, exactly and by learning ("Be Considerate", Figure 1(b) and appendix C).

A row holds what one policy leads to at one coefficient: own return, each newcomer's value, their total, the optimum's
own return and total, and the regret: how far the policy's augmented return stays below the optimum's (infinite where an
undiscounted policy never ends).

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
from craftworld.others.value_distribution import ValueDistribution, ValueOf, precompute
from craftworld.scenario import Newcomer, Scenario
from craftworld.solution.outcome import followed, mean_outcome
from craftworld.solution.problem import Problem
from craftworld.solution.solution import solve
from engine.learning.q_learning import QLearningSettings, greedy_policy, q_learning
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.planning.dynamic_programming import evaluate_policy
from engine.planning.trade_off.segment import Line, Segment
from engine.randomness.counter_based import split

SweepRow = dict[str, Any]
ROUNDING = 1e-9


def exact_rows(problem: Problem, cares: Sequence[float]) -> list[SweepRow]:
    """One row a coefficient, by the exact solution."""
    _solve_once(problem, cares)
    result = []
    for care in cares:
        best, _ = solve(problem, care)
        result.append(
            {
                **_heading(problem, "exact", None, care),
                "own": best.own,
                **best.others,
                "total": best.total,
                "optimal_own": best.own,
                "optimal_total": best.total,
                "regret": 0.0,
            }
        )
    return result


def learned_rows(
    problem: Problem,
    cares: Sequence[float],
    seeds: Sequence[int],
    acting: QLearningSettings | None = None,
    newcomers: QLearningSettings | None = None,
    beliefs: OtherAgents | None = None,
) -> list[SweepRow]:
    """One row a seed and coefficient, by Q-learning, seed by seed.

    acting, newcomers: how the acting agent and, once a seed, the newcomers learn; by default as the scenario says.
    beliefs: values of the newcomers that the acting agent is given instead.
    """
    settings = acting or acting_settings(problem.scenario)
    _solve_once(problem, cares)
    return [
        _learned_row(problem, believing, care, seed, settings)
        for seed, believing in ((seed, _believed(problem, newcomers, beliefs, seed)) for seed in seeds)
        for care in cares
    ]


def _solve_once(problem: Problem, cares: Sequence[float]) -> None:
    """Solve all coefficients together, from 0 or the lowest one on: one search where each would need its own."""
    problem.segments_between((min(0.0, *cares), math.inf))


def acting_settings(scenario: Scenario, steps: int | None = None) -> QLearningSettings:
    """How the acting agent learns in a scenario; steps: if not as many as the scenario says."""
    protocol = scenario.learning
    return QLearningSettings(steps=protocol.steps if steps is None else steps, epsilon=protocol.epsilon)


def newcomer_settings(scenario: Scenario, steps: int | None = None) -> QLearningSettings:
    """How newcomers learn in a scenario; steps: if not as many as the scenario says."""
    protocol = scenario.learning
    return QLearningSettings(steps=protocol.newcomer_steps if steps is None else steps, epsilon=protocol.epsilon)


def learned_values(settings: QLearningSettings, seed: int) -> ValueOf:
    """Newcomers that learn: a function for `precompute`, from each newcomer's own key."""

    def value_of(newcomer: Newcomer, table: TabularMDP) -> Floats:
        action_value = q_learning(table, split(split(seed, "newcomer"), newcomer.name), settings)
        return limited_return(table, greedy_policy(action_value), newcomer.scenario.time_limit)

    return value_of


def limited_return(table: TabularMDP, policy: Policy, limit: int) -> Floats:
    """f64[S]: what a policy collects on a deterministic table in at most `limit` steps, from every state."""
    states = np.arange(len(policy))
    target, reward = table.next_state[states, policy, 0], table.reward[states, policy, 0]
    result, weight, state = np.zeros(len(states)), 1.0, states
    for _ in range(limit):
        result += weight * reward[state]
        state = target[state]
        weight *= table.discount
        if table.terminal[state].all():
            break
    return result


def _believed(problem: Problem, newcomers: QLearningSettings | None, beliefs: OtherAgents | None, seed: int) -> Problem:
    """The problem as the learning agent believes it to be, the newcomers' values learned or given."""
    if not isinstance(problem.others, ValueDistribution):
        return problem
    settings = newcomers or newcomer_settings(problem.scenario)
    others = beliefs or precompute(problem.scenario, problem.mdp, learned_values(settings, seed))
    return replace(problem, others=others, weighed=others if problem.weighed is problem.others else problem.weighed)


def _learned_row(problem: Problem, believing: Problem, care: float, seed: int, settings: QLearningSettings) -> SweepRow:
    best, cases = solve(problem, care)
    learned, regret = [], 0.0
    for start, case in zip(map(int, problem.mdp.start_states()), cases, strict=True):
        key = split(split(split(seed, "acting agent"), repr(float(care))), start)
        policy = greedy_policy(q_learning(believing.augmented(care, start), key, settings))
        walk = _walk(problem.mdp, policy, start, settings.episode_steps)
        learned.append(case._replace(outcome=followed(believing, walk)))
        achieved = float(evaluate_policy(problem.augmented(care, start), policy)[start])
        regret += case.probability * (problem.segment(care, start).line.at(care) - achieved)
    outcome = mean_outcome(learned)
    return {
        **_heading(problem, "q-learning", seed, care),
        "own": outcome.own,
        **outcome.others,
        "total": outcome.total,
        "optimal_own": best.own,
        "optimal_total": best.total,
        "regret": regret if abs(regret) > ROUNDING else 0.0,
    }


def _walk(mdp: TabularMDP, policy: Policy, start: int, limit: int) -> Segment:
    """Where a policy leads within the time limit, as a segment of its own."""
    path, actions = [start], list[int]()
    while not mdp.terminal[path[-1]] and len(actions) < limit:
        actions.append(int(policy[path[-1]]))
        path.append(int(mdp.next_state[path[-1], actions[-1], 0]))
    return Segment(-math.inf, math.inf, Line(math.nan, math.nan), tuple(path), tuple(actions))


def _heading(problem: Problem, method: str, seed: int | None, care: float) -> SweepRow:
    return {
        "scenario": problem.scenario.name,
        "formulation": problem.formulation,
        "method": method,
        "seed": seed,
        "care": float(care),
    }
