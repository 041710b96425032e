"""Rows of a problem at some caring coefficients, exact or learned from one seed: the one function that sweeps run."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.randomness.counter_based import split
from experiments.experiment import ResultRow, Rows
from experiments.problems.given_problem import ProblemSource
from experiments.ranges import care_range

if TYPE_CHECKING:
    from craftworld.others.other_agents import OtherAgents


ROUNDING = 1e-9


def reaches_optimum(row: ResultRow) -> bool:
    """Whether a row's policy is optimal at its coefficient."""
    return abs(float(row["regret"] or 0)) <= ROUNDING


def run_block(
    problem: ProblemSource,
    run_seed: int,
    steps: int | None,
    others_steps: int | None,
    seed: int | None,
    cares: str,
    key: int,
) -> Rows:
    """Rows of a block of coefficients, written as in "0,0.5,1"; the arguments are those of `care_rows`.

    run_seed: what the learners' keys derive from; under 0 they are the seeds themselves. All blocks of a seed share its
    newcomers, so that no unit's own key can be used.
    """
    learner = seed if seed is None or run_seed == 0 else split(split(0, run_seed), seed)
    return [{**row, "seed": seed} for row in care_rows(problem, care_range(cares), learner, steps, others_steps)]


def care_rows(
    problem: ProblemSource,
    cares: Sequence[float],
    seed: int | None,
    steps: int | None = None,
    others_steps: int | None = None,
) -> Rows:
    """One row a coefficient, as in `craftworld.solution.sweep`.

    seed: None for the exact solution, else that of the learner's random numbers, which all coefficients share. steps,
    others_steps: of the learning acting agent and newcomers, as many as it takes where None.
    """
    from craftworld.solution.learning import acting_learning
    from craftworld.solution.sweep import exact_rows, learned_rows

    made = problem.make_problem()
    if seed is None:
        return exact_rows(made, cares)
    acting = acting_learning(made.scenario, steps)
    return learned_rows(made, cares, [seed], acting=acting, beliefs=_beliefs(problem, seed, others_steps))


@functools.lru_cache(maxsize=8)
def _beliefs(source: ProblemSource, seed: int, steps: int | None) -> OtherAgents | None:
    """What a seed's newcomers have learned, the same for every coefficient; a file's values where one is given."""
    from craftworld.others.value_distribution import ValueDistribution, precompute
    from craftworld.solution.learning import NewcomerLearners, newcomer_learning

    problem = source.make_problem()
    if not isinstance(problem.others, ValueDistribution) or source.values:
        return problem.others if source.values else None
    return precompute(problem.scenario, problem.mdp, NewcomerLearners(newcomer_learning(problem.scenario, steps), seed))
