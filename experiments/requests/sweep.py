"""A sweep of the caring coefficient over one problem, exact, learned or both ("Be Considerate", Figure 1(b)).

A unit is a block of coefficients under the exact solution (`seed` None) or learned from one seed; its rows are those of
`craftworld.solution.sweep`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.errors import BadValue, argument
from experiments.experiment import Experiment, LearnedRuns, ResultRow, Rows, Scalar
from experiments.problems.given_problem import GivenProblem, ProblemSource
from experiments.problems.named_problem import NamedProblem
from experiments.ranges import care_range
from experiments.requests import ExperimentRequest
from experiments.requests._care_rows import reaches_optimum, run_block

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.solution.learning import Learning

METHODS = ("exact", "q_learning", "both")
SMALLEST_BLOCK, MOST_BLOCKS = 20, 50
VERSION = 4


@dataclass(frozen=True)
class CareSweepRequest(ExperimentRequest):
    """scenario ... values: see `NamedProblem`. care: coefficients as a user writes them. method: one of METHODS.

    seeds: of the learning agents. seed: what their random keys derive from. steps, others_steps: of the acting agent
    and of newcomers, as many as it takes where None (`craftworld.solution.learning`). given: a problem of objects in
    place of the names.
    """

    scenario: str
    formulation: str | None = None
    map: str | None = None
    options: tuple[str, ...] = ()
    own: float = 1.0
    discount: float | None = None
    values: str | None = None
    care: str = "0:7:0.01"
    method: str = "exact"
    seeds: tuple[int, ...] = (0,)
    seed: int = 0
    steps: int | None = None
    others_steps: int | None = None
    given: GivenProblem | None = None
    sort = "sweep"

    @classmethod
    def of(
        cls,
        problem: ProblemSource,
        care: str,
        method: str,
        seeds: tuple[int, ...],
        seed: int,
        steps: int | None,
        others_steps: int | None,
    ) -> CareSweepRequest:
        """The request to sweep a problem."""
        if isinstance(problem, NamedProblem):
            request = cls(**vars(problem), care=care, method=method, seeds=seeds, seed=seed)
            return replace(request, steps=steps, others_steps=others_steps)
        made = problem.make_problem()
        named = NamedProblem(made.scenario.name, made.formulation, own=made.own)
        return replace(cls.of(named, care, method, seeds, seed, steps, others_steps), given=problem)

    @property
    def problem(self) -> ProblemSource:
        """What is swept."""
        return self.given or NamedProblem(
            self.scenario, self.formulation, self.map, self.options, self.own, self.discount, self.values
        )

    def identity(self) -> Mapping[str, Any]:
        """The problem, the coefficients, the methods and seeds; seeds and steps only where something learns."""
        learning: Mapping[str, Any] = {}
        if self.method != "exact":
            learning = {"seeds": self.seeds, "steps": self.steps, "others_steps": self.others_steps}
            learning = {**learning, "seed": self.seed} if self.seed else learning
        return {**self.problem.identity(), "care": care_range(self.care), "method": self.method, **learning}

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
            settings={"seed": (*exact, *learned), "cares": tuple(dict.fromkeys(_blocks(care_range(self.care))))},
            run=functools.partial(
                run_block, problem=self.problem, run_seed=self.seed, steps=self.steps, others_steps=self.others_steps
            ),
            learned=LearnedRuns(_found_optimum, by=("method",)),
            figure=functools.partial(sweep_figure, self.problem),
            name=self.name,
            version=VERSION,
        )

    def learning(self) -> tuple[Learning, Learning]:
        """How the acting agent and newcomers learn; BadValue for steps that cannot be taken."""
        from craftworld.solution.learning import acting_learning, newcomer_learning

        scenario = self.problem.make_problem().scenario
        return acting_learning(scenario, self.steps), newcomer_learning(scenario, self.others_steps)

    def warning(self, rows: Rows) -> str | None:
        """One line where what was learned is not optimal, naming the steps to try; None otherwise."""
        from craftworld.solution.sweep import learning_warning

        return learning_warning(rows, self.problem.make_problem(), *self.learning())

    def ordered(self, units: Mapping[tuple[Scalar, Scalar], Rows]) -> Rows:
        """The rows of units (seed, block) in the order asked for: exact ones, then seed by seed."""
        seeds = self.experiment().settings["seed"]
        blocks = _blocks(care_range(self.care))
        return [row for seed in seeds for block in blocks for row in units[seed, block]]


def _found_optimum(row: ResultRow) -> bool | None:
    """Whether a learned row is optimal; None for an exact one."""
    return None if row["seed"] is None else reaches_optimum(row)


def sweep_figure(source: ProblemSource, rows: Rows) -> Figure:
    """Own return, the others' and the total against care, with the break points."""
    from craftworld.solution.solution import break_points
    from experiments.figures.trade_off import trade_off_figure

    problem = source.make_problem()
    cares = [float(row["care"] or 0.0) for row in rows]
    points = break_points(problem, (min(cares), max(cares))) if len(set(cares)) > 1 else []
    return trade_off_figure(rows, problem.others.names, points)


def _blocks(cares: tuple[float, ...]) -> list[str]:
    """The coefficients in order, cut into texts such as "0.0,0.01,0.02", each read back exactly."""
    length = max(SMALLEST_BLOCK, -(-len(cares) // MOST_BLOCKS))
    return [",".join(map(repr, cares[start : start + length])) for start in range(0, len(cares), length)]
