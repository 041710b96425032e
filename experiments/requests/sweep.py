"""A sweep of the caring coefficient over one problem, exact, learned or both ("Be Considerate", Figure 1(b)).

A unit is a block of coefficients under the exact solution (`seed` None) or learned from one seed by every agent that
learns; its rows, one for each agent and coefficient, are those of `craftworld.solution.sweep`. `compute_care_rows`
computes them, for this sweep and for sweep files.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from engine.errors import argument
from engine.randomness.counter_based import split
from engine.value_types import split_outside_brackets
from experiments.caring_problem import NamedProblem, ProblemSource
from experiments.experiment import Experiment, LearnedRuns, ResultRow, Rows, Scalar
from experiments.ranges import parse_care_range
from experiments.requests import ExperimentRequest

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.others.other_agents import OtherAgents
    from craftworld.solution.learning import Learning
    from craftworld.solution.problem import Problem
    from experiments.training import AnyAgent

ROUNDING = 1e-9
SEEDS_OF_AGENTS = 2**63
TABULAR = "q_learning"


def reaches_optimum(row: ResultRow) -> bool:
    """Return whether a row's policy is optimal at its coefficient."""
    return abs(float(row["regret"] or 0)) <= ROUNDING


def run_block(
    problem: ProblemSource,
    run_seed: int,
    steps: int | None,
    others_steps: int | None,
    agents: Mapping[str, AnyAgent],
    seed: int | None,
    cares: str,
    key: int,
) -> Rows:
    """Rows of a block of coefficients, written as in "0,0.5,1"; the arguments are those of `compute_care_rows`.

    run_seed: what the learners' keys derive from; under 0 they are the seeds themselves. All blocks of a seed share its
    newcomers, so that no unit's own key can be used. agents: those that learn, by the names of their rows.
    """
    learner = seed if seed is None or run_seed == 0 else split(split(0, run_seed), seed)
    asked = {"exact": TABULAR} if seed is None else agents
    return [
        {**row, "seed": seed, **({} if agent == TABULAR else {"method": name})}
        for name, agent in asked.items()
        for row in compute_care_rows(problem, parse_care_range(cares), learner, steps, others_steps, agent)
    ]


def compute_care_rows(
    problem: ProblemSource,
    cares: Sequence[float],
    seed: int | None,
    steps: int | None = None,
    others_steps: int | None = None,
    agent: AnyAgent = TABULAR,
) -> Rows:
    """Return one row per coefficient, as in `craftworld.solution.sweep`.

    seed: None for the exact solution, else that of the learner's random numbers, which all coefficients share. steps,
    others_steps: of the learning acting agent and newcomers, as many as it takes where None. agent: who learns, as in
    `experiments.training`; with another than `q_learning` the newcomers' values are exact.
    """
    from craftworld.solution.learning import choose_acting_learning
    from craftworld.solution.sweep import sweep_by_learning, sweep_exactly

    made = problem.make_problem()
    if seed is None:
        return sweep_exactly(made, cares)
    if not isinstance(agent, str) or agent != TABULAR:
        return [_train_row(made, care, agent, steps, seed) for care in cares]
    acting = choose_acting_learning(made.scenario, steps)
    return sweep_by_learning(made, cares, [seed], acting=acting, beliefs=_learn_beliefs(problem, seed, others_steps))


def _train_row(problem: Problem, care: float, agent: AnyAgent, steps: int | None, seed: int) -> ResultRow:
    """Return the row of an agent that is trained at one coefficient."""
    from craftworld.solution.exact_solution import describe_policy_outcome, solve
    from craftworld.solution.observer import find_observer_optimum
    from experiments.training import train

    trained = train(problem, care, agent, steps, seed % SEEDS_OF_AGENTS)
    last = trained.curve[-1]
    hidden = problem.mdp.observation is not None
    best = find_observer_optimum(problem, care) if hidden else solve(problem, care)[0]
    outcome = describe_policy_outcome(problem, trained.policy.actions)
    return {
        "scenario": problem.scenario.name,
        "formulation": problem.formulation,
        "method": trained.policy.note["agent"],
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


EXACT, BOTH = "exact", "both"
SMALLEST_BLOCK = 20
MOST_BLOCKS = 50
VERSION = 4


@dataclass(frozen=True)
class CareSweepRequest(ExperimentRequest):
    """A problem, and the coefficients at which it is solved.

    care: coefficients as a user writes them. method: exact, both, which is exact and q_learning, or names of agents,
    joined by commas (`experiments.training.AnyAgent`). seeds: of the learning agents. seed: what their random keys
    derive from. steps, others_steps: of the acting agent and of newcomers, as many as it takes where None
    (`craftworld.solution.learning`). given: objects, by the names that stand for them.
    """

    problem: ProblemSource
    care: str = "0:7:0.01"
    method: str = "exact"
    seeds: tuple[int, ...] = (0,)
    seed: int = 0
    steps: int | None = None
    others_steps: int | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    sort = "sweep"

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> CareSweepRequest:
        """Return the request that `as_dict` wrote: the problem's own fields stand beside those of the sweep."""
        of_problem = {field.name for field in fields(NamedProblem)}
        problem = NamedProblem(**{name: value for name, value in values.items() if name in of_problem})
        return cls(problem, **{name: value for name, value in values.items() if name not in of_problem})

    def identity(self) -> Mapping[str, Any]:
        """Return the problem, the coefficients, the methods and seeds; seeds and steps only where something learns."""
        learning: Mapping[str, Any] = {}
        if self.agents:
            learning = {"seeds": self.seeds, "steps": self.steps, "others_steps": self.others_steps}
            learning = {**learning, "seed": self.seed} if self.seed else learning
        return {**self.problem.identity(), "care": parse_care_range(self.care), "method": self.method, **learning}

    def slug(self) -> str:
        """scenario-formulation-method."""
        problem = self.problem.make_problem()
        return f"{problem.scenario.name}-{problem.formulation}-{self.method}"

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, one by one."""
        words = [word.strip() for word in split_outside_brackets(self.method)]
        named = [each for word in words for each in ((EXACT, TABULAR) if word == BOTH else (word,))]
        return tuple(dict.fromkeys(named))

    @property
    def agents(self) -> dict[str, AnyAgent]:
        """The agents that learn, by name."""
        return {name: self.given.get(name, name) for name in self.methods if name != EXACT}

    def experiment(self) -> Experiment:
        """A grid of seeds and blocks of coefficients; BadValue, UnknownName or ContractBroken for what cannot learn."""
        agents = self.agents
        if any(name != TABULAR for name in agents):
            from experiments.training import require_trainable

            for agent in agents.values():
                require_trainable(agent, argument("method"), (EXACT, BOTH))
        self.learning()
        exact = (None,) if EXACT in self.methods else ()
        run = functools.partial(
            run_block,
            problem=self.problem,
            run_seed=self.seed,
            steps=self.steps,
            others_steps=self.others_steps,
            agents=agents,
        )
        return Experiment(
            reproduces="Be Considerate, section 4.1",
            settings={"seed": (*exact, *(self.seeds if agents else ())), "cares": self._cut_blocks()},
            run=run,
            learned=LearnedRuns(_finds_optimum, by=("method",), failing=f"miss {self._name_optimum()}"),
            figure=functools.partial(draw_sweep, self.problem),
            name=self.name,
            version=VERSION,
        )

    def _name_optimum(self) -> str:
        """Return what learners are compared with: where a part of the state is hidden, an observer's optimum."""
        hidden = self.problem.make_problem().mdp.observation is not None
        return "the best that an observer can do" if hidden else "the exact optimum"

    def learning(self) -> tuple[Learning, Learning]:
        """Return how the acting agent and newcomers learn; BadValue for steps that cannot be taken."""
        from craftworld.solution.learning import choose_acting_learning, choose_newcomer_learning

        scenario = self.problem.make_problem().scenario
        return choose_acting_learning(scenario, self.steps), choose_newcomer_learning(scenario, self.others_steps)

    def warning(self, rows: Rows) -> str | None:
        """Return one line where what was learned is not optimal, naming the steps to try; None otherwise."""
        from craftworld.solution.sweep import warn_of_learning

        return warn_of_learning(rows, self.problem.make_problem(), *self.learning())

    def order_rows(self, units: Mapping[tuple[Scalar, Scalar], Rows]) -> Rows:
        """The rows of units (seed, block) in the order asked for: exact ones, then agent by agent, seed by seed."""
        settings = self.experiment().settings
        rows = [row for seed in settings["seed"] for block in settings["cares"] for row in units[seed, block]]
        methods = list(dict.fromkeys(row["method"] for row in rows))
        return sorted(rows, key=lambda row: methods.index(row["method"]))

    def _cut_blocks(self) -> tuple[str, ...]:
        """Return the coefficients in order, cut into different texts such as "0.0,0.01,0.02", each read back exactly.

        Where an agent is trained, which may take minutes, each coefficient is a block.
        """
        cares = parse_care_range(self.care)
        trained = any(name != TABULAR for name in self.agents)
        length = 1 if trained else max(SMALLEST_BLOCK, -(-len(cares) // MOST_BLOCKS))
        blocks = (",".join(map(repr, cares[start : start + length])) for start in range(0, len(cares), length))
        return tuple(dict.fromkeys(blocks))


def _finds_optimum(row: ResultRow) -> bool | None:
    """Return whether a learned row is optimal; None for an exact one."""
    return None if row["seed"] is None else reaches_optimum(row)


def draw_sweep(source: ProblemSource, rows: Rows) -> Figure:
    """Own return, the others' and the total against care, with the break points."""
    from craftworld.solution.exact_solution import find_break_points
    from experiments.figures.trade_off import draw_trade_off

    problem = source.make_problem()
    cares = [float(row["care"] or 0.0) for row in rows]
    points = find_break_points(problem, (min(cares), max(cares))) if len(set(cares)) > 1 else []
    return draw_trade_off(rows, problem.others.names, points)
