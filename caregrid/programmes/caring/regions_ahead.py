"""The plans of a search for regions, found by other processes before they are asked for, on any engine of runs.

A search asks what is best at the corners of the cells that it knows, one after the other. Other processes make the same
problem, begin with the search's first plan, and answer chunks of what is asked next (`experiments.runs.ahead`). An
answer depends on nothing else, so that the regions have the same bytes for any number of workers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from craftworld.regions import CoefficientAxes, make_belief_axes, make_best_plans, make_coefficient_axes
from engine.mdp.mdp import Floats
from engine.planning.coefficient_regions import BestPlan, EndlessReturns, Supported
from engine.planning.coverage_set import CornerQuestion, CornerSolver
from engine.planning.reward_regions import BestPlans, NeedsHistory
from engine.planning.trade_off.envelope import Range
from experiments.caring_problem import ProblemSource
from experiments.runs.ahead import ChunkCall, ChunkDone, LastMade, WorkAhead, name_work
from experiments.runs.engines import ExecutionEngine
from experiments.runs.unit import limit_blas_threads, limit_inner_threads


class RegionQuestion(NamedTuple):
    """A problem and the axes of its coefficients, by what they are made from (`craftworld.regions`).

    axes, between: of coefficients. beliefs: the possibilities whose probabilities are the axes, in place of these.
    """

    problem: ProblemSource
    axes: tuple[str, ...]
    beliefs: tuple[str, ...]
    between: Range
    care: float

    def make_axes(self) -> CoefficientAxes:
        """Check and make the axes."""
        problem = self.problem.make_problem()
        if self.beliefs:
            return make_belief_axes(problem, self.beliefs, self.care)
        return make_coefficient_axes(problem, self.axes, self.between, self.care)


class SearchRecipe(NamedTuple):
    """What a worker makes its plans from. name: of this search among all of all processes. first: its first weights."""

    name: str
    question: RegionQuestion
    first: Floats


class Asked(NamedTuple):
    """A question as it travels. number: among all of the search. near: the plans with which to begin."""

    number: int
    weights: Floats
    near: tuple[BestPlan, ...]


CornerAnswer = tuple[BestPlan, ...] | EndlessReturns


def answer_elsewhere(recipe: SearchRecipe, asked: Sequence[Asked]) -> ChunkDone[Mapping[int, CornerAnswer]]:
    """In a worker: the answers to some questions, but for those that only the search itself can answer."""
    limit_inner_threads()
    plans = _last.make(recipe.name, lambda: _make_plans(recipe))
    began = time.process_time()
    found: dict[int, CornerAnswer] = {}
    for each in asked:
        try:
            found[each.number] = plans.find(each.weights, each.near)
        except EndlessReturns as endless:
            found[each.number] = endless
        except NeedsHistory:
            continue
    return ChunkDone(found, time.process_time() - began)


_last: LastMade[BestPlans] = LastMade()
"""In a worker: the plans of the last search."""


def _make_plans(recipe: SearchRecipe) -> BestPlans:
    plans = make_best_plans(recipe.question.make_axes(), hears_all=False)
    plans.find(recipe.first)
    return plans


class PlansAhead:
    """A `engine.planning.coverage_set.CornerSolver` whose questions are answered elsewhere before they are asked.

    plans: what answers here. engine: to be started once the search has taken some seconds.
    """

    def __init__(self, plans: BestPlans, question: RegionQuestion, engine: ExecutionEngine, seconds: float) -> None:
        self._plans, self._question, self._engine = plans, question, engine
        self._starts_at = time.monotonic() + seconds
        self._name = name_work()
        self._chunks: WorkAhead[int, Mapping[int, CornerAnswer]] | None = None
        self._questions: Sequence[CornerQuestion] = ()
        self._is_settled: Callable[[CornerQuestion], bool] = lambda question: False
        self._numbers = range(0)
        self._number_of: dict[int, int] = {}
        self._next, self._taken = 0, 0
        self._known: dict[int, CornerAnswer] = {}

    def announce(self, questions: Sequence[CornerQuestion], is_settled: Callable[[CornerQuestion], bool]) -> None:
        """Begin a round: what was announced before is of no interest any more."""
        self._questions, self._is_settled = questions, is_settled
        self._numbers = range(self._numbers.stop, self._numbers.stop + len(questions))
        self._number_of = {id(question): number for number, question in zip(self._numbers, questions, strict=True)}
        self._next, self._known = 0, {}

    def solve(self, question: CornerQuestion) -> Supported:
        """Return the answer of a worker, or find one here."""
        number = self._number_of.get(id(question))
        answer = None if number is None else self._wait_for(number)
        if answer is None:
            return self._plans.solve(question)
        if isinstance(answer, EndlessReturns):
            raise answer
        return self._plans.support(answer)

    def _wait_for(self, number: int) -> CornerAnswer | None:
        """Return the answer to a question of this round; None where no worker gives one."""
        chunks = self._start()
        if chunks is None:
            return None
        place = number - self._numbers.start
        while True:
            first = max(self._next, place)
            self._next = chunks.hand_out(self._numbers, first, is_asked=first == place)
            if number < self._taken or not chunks.is_waiting:
                return self._known.pop(number, None)
            taken = chunks.take_in()
            if taken is not None:
                self._taken = taken[0][-1] + 1
                self._known |= taken[1]

    def _make_call(self, numbers: Sequence[int]) -> ChunkCall[Mapping[int, CornerAnswer]] | None:
        asked = [
            Asked(number, question.weights, () if question.near is None else question.near.plans)
            for number in numbers
            if not self._is_settled(question := self._questions[number - self._numbers.start])
        ]
        assert self._plans.first is not None
        recipe = SearchRecipe(self._name, self._question, self._plans.first)
        return (answer_elsewhere, (recipe, asked)) if asked else None

    def _start(self) -> WorkAhead[int, Mapping[int, CornerAnswer]] | None:
        """Start the engine when it is time, and once the search has its first plan."""
        if self._chunks is None and self._plans.first is not None and time.monotonic() >= self._starts_at:
            self._engine.start()
            self._chunks = WorkAhead(self._engine, self._make_call)
        return self._chunks

    def close(self, abandon: bool = False) -> None:
        """Stop the workers, if they run."""
        if self._chunks is not None:
            self._chunks.close(abandon)


@contextmanager
def plan_ahead(
    plans: BestPlans, question: RegionQuestion, engine: tuple[ExecutionEngine, float] | None
) -> Iterator[CornerSolver]:
    """What answers a search's questions. engine: where, and after how many seconds; None for here alone."""
    limit_blas_threads()  # as where others answer
    if engine is None or plans.are_looked_up:
        yield plans
        return
    ahead = PlansAhead(plans, question, *engine)
    try:
        yield ahead
    except BaseException:
        ahead.close(abandon=True)
        raise
    ahead.close()
