"""A sweep of the caring coefficient over one problem, exact, learned or both ("Be Considerate", Figure 1(b)).

A unit is a block of coefficients under the exact solution (`seed` None) or learned from one seed; its rows, one a
coefficient, are those of `craftworld.solution.sweep`. `compute_care_rows` computes them, for this sweep and for sweep
files.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from engine.errors import BadValue, argument
from engine.randomness.counter_based import split
from experiments.caring_problem import NamedProblem, ProblemSource
from experiments.experiment import Experiment, LearnedRuns, ResultRow, Rows, Scalar
from experiments.ranges import parse_care_range
from experiments.requests import ExperimentRequest

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.others.other_agents import OtherAgents
    from craftworld.solution.learning import Learning
    from craftworld.solution.problem import Problem

ROUNDING = 1e-9
TABULAR = "q_learning"


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
    """Rows of a block of coefficients, written as in "0,0.5,1"; the arguments are those of `compute_care_rows`.

    run_seed: what the learners' keys derive from; under 0 they are the seeds themselves. All blocks of a seed share its
    newcomers, so that no unit's own key can be used.
    """
    learner = seed if seed is None or run_seed == 0 else split(split(0, run_seed), seed)
    return [
        {**row, "seed": seed}
        for row in compute_care_rows(problem, parse_care_range(cares), learner, steps, others_steps)
    ]


def compute_care_rows(
    problem: ProblemSource,
    cares: Sequence[float],
    seed: int | None,
    steps: int | None = None,
    others_steps: int | None = None,
    agent: str = TABULAR,
) -> Rows:
    """One row a coefficient, as in `craftworld.solution.sweep`.

    seed: None for the exact solution, else that of the learner's random numbers, which all coefficients share. steps,
    others_steps: of the learning acting agent and newcomers, as many as it takes where None. agent: who learns, as in
    `experiments.training`; with another than `q_learning` the newcomers' values are exact.
    """
    from craftworld.solution.learning import choose_acting_learning
    from craftworld.solution.sweep import sweep_by_learning, sweep_exactly

    made = problem.make_problem()
    if seed is None:
        return sweep_exactly(made, cares)
    if agent != TABULAR:
        return [_train_row(made, care, agent, steps, seed) for care in cares]
    acting = choose_acting_learning(made.scenario, steps)
    return sweep_by_learning(made, cares, [seed], acting=acting, beliefs=_learn_beliefs(problem, seed, others_steps))


def _train_row(problem: Problem, care: float, agent: str, steps: int | None, seed: int) -> ResultRow:
    """The row of an agent that is trained at one coefficient."""
    from craftworld.solution.exact_solution import solve
    from craftworld.solution.observer import find_observer_optimum
    from craftworld.solution.outcome import describe_policy_outcome
    from experiments.training import train

    trained = train(problem, care, agent, steps, seed)
    last = trained.curve[-1]
    hidden = problem.mdp.observation is not None
    best = find_observer_optimum(problem, care) if hidden else solve(problem, care)[0]
    outcome = describe_policy_outcome(problem, trained.policy.actions)
    return {
        "scenario": problem.scenario.name,
        "formulation": problem.formulation,
        "method": agent,
        "seed": seed,
        "care": float(care),
        "own": outcome.own,
        **outcome.others,
        "total": outcome.total,
        "optimal_own": best.own,
        "optimal_total": best.total,
        "regret": math.inf if last["below"] is None else last["below"],
        "others_error": 0.0,
        "steps_taken": last["steps"],
    }


@functools.lru_cache(maxsize=8)
def _learn_beliefs(source: ProblemSource, seed: int, steps: int | None) -> OtherAgents | None:
    """What a seed's newcomers have learned, the same for every coefficient; a file's values where one is given."""
    from craftworld.others.value_distribution import ValueDistribution, precompute
    from craftworld.solution.learning import NewcomerLearners, choose_newcomer_learning

    problem = source.make_problem()
    if not isinstance(problem.others, ValueDistribution) or source.values:
        return problem.others if source.values else None
    return precompute(
        problem.scenario, problem.mdp, NewcomerLearners(choose_newcomer_learning(problem.scenario, steps), seed)
    )


METHODS = ("exact", "q_learning", "both")
SMALLEST_BLOCK = 20
MOST_BLOCKS = 50
VERSION = 4


@dataclass(frozen=True)
class CareSweepRequest(ExperimentRequest):
    """A problem, and the coefficients at which it is solved.

    care: coefficients as a user writes them. method: one of METHODS. seeds: of the learning agents. seed: what their
    random keys derive from. steps, others_steps: of the acting agent and of newcomers, as many as it takes where None
    (`craftworld.solution.learning`).
    """

    problem: ProblemSource
    care: str = "0:7:0.01"
    method: str = "exact"
    seeds: tuple[int, ...] = (0,)
    seed: int = 0
    steps: int | None = None
    others_steps: int | None = None
    sort = "sweep"

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> CareSweepRequest:
        """The request that `as_dict` wrote: the problem's own fields stand beside those of the sweep."""
        of_problem = {field.name for field in fields(NamedProblem)}
        problem = NamedProblem(**{name: value for name, value in values.items() if name in of_problem})
        return cls(problem, **{name: value for name, value in values.items() if name not in of_problem})

    def identity(self) -> Mapping[str, Any]:
        """The problem, the coefficients, the methods and seeds; seeds and steps only where something learns."""
        learning: Mapping[str, Any] = {}
        if self.method != "exact":
            learning = {"seeds": self.seeds, "steps": self.steps, "others_steps": self.others_steps}
            learning = {**learning, "seed": self.seed} if self.seed else learning
        return {**self.problem.identity(), "care": parse_care_range(self.care), "method": self.method, **learning}

    def slug(self) -> str:
        """scenario-formulation-method."""
        problem = self.problem.make_problem()
        return f"{problem.scenario.name}-{problem.formulation}-{self.method}"

    def experiment(self) -> Experiment:
        """A grid of seeds and blocks of coefficients."""
        if self.method not in METHODS:
            remedy = f"choose from {', '.join(METHODS)}"
            raise BadValue(f"no method '{self.method}'", place=argument("method"), remedy=remedy)
        self.learning()
        exact = (None,) if self.method != "q_learning" else ()
        learned = self.seeds if self.method != "exact" else ()
        return Experiment(
            reproduces="Be Considerate, section 4.1",
            settings={
                "seed": (*exact, *learned),
                "cares": tuple(dict.fromkeys(_cut_blocks(parse_care_range(self.care)))),
            },
            run=functools.partial(
                run_block, problem=self.problem, run_seed=self.seed, steps=self.steps, others_steps=self.others_steps
            ),
            learned=LearnedRuns(_finds_optimum, by=("method",)),
            figure=functools.partial(draw_sweep, self.problem),
            name=self.name,
            version=VERSION,
        )

    def learning(self) -> tuple[Learning, Learning]:
        """How the acting agent and newcomers learn; BadValue for steps that cannot be taken."""
        from craftworld.solution.learning import choose_acting_learning, choose_newcomer_learning

        scenario = self.problem.make_problem().scenario
        return choose_acting_learning(scenario, self.steps), choose_newcomer_learning(scenario, self.others_steps)

    def warning(self, rows: Rows) -> str | None:
        """One line where what was learned is not optimal, naming the steps to try; None otherwise."""
        from craftworld.solution.sweep import warn_of_learning

        return warn_of_learning(rows, self.problem.make_problem(), *self.learning())

    def ordered(self, units: Mapping[tuple[Scalar, Scalar], Rows]) -> Rows:
        """The rows of units (seed, block) in the order asked for: exact ones, then seed by seed."""
        seeds = self.experiment().settings["seed"]
        blocks = _cut_blocks(parse_care_range(self.care))
        return [row for seed in seeds for block in blocks for row in units[seed, block]]


def _finds_optimum(row: ResultRow) -> bool | None:
    """Whether a learned row is optimal; None for an exact one."""
    return None if row["seed"] is None else reaches_optimum(row)


def draw_sweep(source: ProblemSource, rows: Rows) -> Figure:
    """Own return, the others' and the total against care, with the break points."""
    from craftworld.solution.exact_solution import find_break_points
    from experiments.figures.trade_off import draw_trade_off

    problem = source.make_problem()
    cares = [float(row["care"] or 0.0) for row in rows]
    points = find_break_points(problem, (min(cares), max(cares))) if len(set(cares)) > 1 else []
    return draw_trade_off(rows, problem.others.names, points)


def _cut_blocks(cares: tuple[float, ...]) -> list[str]:
    """The coefficients in order, cut into texts such as "0.0,0.01,0.02", each read back exactly."""
    length = max(SMALLEST_BLOCK, -(-len(cares) // MOST_BLOCKS))
    return [",".join(map(repr, cares[start : start + length])) for start in range(0, len(cares), length)]
