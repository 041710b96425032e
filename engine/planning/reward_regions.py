"""All regions of a table with several rewards, by the method that fits it; the mean over several start states.

Any table (`PlannedOutcomes`): policy iteration for the weighed sum of all rewards (`engine.planning.lexicographic`).
Ties go to what is best at the weights solved first, a point inside the domain. A cycle that gains for ever there,
though it breaks even at the present weights, leaves ties as they come.

Undiscounted deterministic tables in which only one reward comes before the end (`TerminalOutcomes`): one pass of
Dijkstra's algorithm gives the best return of that kind for every way to end, and so a return vector each; for any
weights the best of them is looked up. The reward that comes before the end must not weigh less than 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.reachability import find_end_components, keep_reachable_part
from engine.planning.coefficient_regions import BestPlan, CoefficientDomain, CoverageSet, EndlessReturns, Supported
from engine.planning.coverage_set import CornerQuestion, ShowPlans, find_coverage_set, move_inside, show_nothing
from engine.planning.dynamic_programming import has_no_positive_step
from engine.planning.endless_returns import (
    GainingComponents,
    ZeroCostCycles,
    find_endless_optimum,
    find_gaining_components,
    find_states_entering,
)
from engine.planning.lexicographic import GAIN, EndlessGain, PairIteration
from engine.planning.policy_chain import PolicyChain
from engine.planning.trade_off.coefficient_limits import ends_surely, keep_safe_part, make_endless_error
from engine.planning.trade_off.envelope import Line, Segment
from engine.planning.trade_off.optimal_segments import Arrivals, make_executable, restore_segment
from engine.planning.trade_off.supporting_lines import trace_path

ROUNDING = 1e-13
SAME_SIDE = 1e-9


class NeedsHistory(Exception):
    """An answer that depends on all questions before; only who was asked all of them can give it."""


class PlannedOutcomes:
    """The best behaviour from one start state for any weights."""

    def __init__(self, cycles: ZeroCostCycles, rewards: Sequence[Floats], start: int, hears_all: bool = True) -> None:
        """cycles: the table. rewards: k + 1, f64[S, A, K] each, of the enlarged table. hears_all: whether all is asked
        here; NeedsHistory is raised else, where that matters.
        """
        self._cycles, self._rewards, self._start, self._hears_all = cycles, rewards, start, hears_all
        self._whole = keep_reachable_part(cycles.own, start)
        self._table = keep_safe_part(self._whole, PairIteration(self._whole.with_reward(rewards[0]), rewards[0]), start)
        self._search = PairIteration(self._table.with_reward(rewards[0]), rewards[0])
        possible = np.ones(self._table.next_state.shape[:2], dtype=np.bool_) & ~self._table.terminal[:, None]
        self._staying = find_end_components(self._table, possible)[1]
        self._may_gain = np.zeros((2, len(self._table.terminal)), dtype=np.bool_)
        self._centre: Floats | None = None
        self._found: tuple[Floats, PairIteration] | None = None
        self._unit = np.array([float(np.abs(reward).max()) or 1.0 for reward in rewards])

    def find(self, weights: Floats, near: BestPlan | None) -> BestPlan:
        """Return a best plan for some weights, f64[k + 1]; near: where the search begins.

        Raises EndlessReturns where a policy gains for ever.
        """
        leading = self._weigh(weights)
        ties = leading if self._centre is None else self._weigh(self._centre)
        search = self._search.with_rewards(leading, ties, None if near is None else np.asarray(near.choice))
        if not ends_surely(search, self._table, self._start):
            raise make_endless_error(self._start)
        if self._search.lost.any():
            self._require_no_gain(weights)
        try:
            policy = search.best((1.0, 0.0), (0.0, 1.0)).policy
        except EndlessGain as cycle:
            gains = self._average(self._table, cycle.policy, cycle.states)
            if gains @ weights > GAIN * (np.abs(gains) @ np.abs(weights)):
                raise EndlessReturns(gains) from cycle
            try:  # it gains by the weights of ties alone, or by rounding
                policy = search.best((1.0, 0.0), (0.0, 0.0)).policy
            except EndlessGain as other:
                raise EndlessReturns(self._average(self._table, other.policy, other.states)) from other
        if self._gain_is_endless(leading):
            self._require_no_gain(weights)  # by a gain that the search took for rounding of larger returns
        self._found = weights, search
        return BestPlan(self._returns(search, policy), policy)

    def settle(self) -> None:
        """Break ties by the weights of the last plan from now on; begin searches with it where nothing is near."""
        assert self._found is not None
        self._centre, self._search = self._found

    def _gain_is_endless(self, reward: Floats) -> bool:
        """Return whether something is gained where a policy may stay for ever, in a world that does not discount it."""
        undiscounted = self._table.discount == 1.0 and not self._search.lost.any()
        return undiscounted and bool((reward[self._staying] > 0.0).any())

    def _weigh(self, weights: Floats) -> Floats:
        """sum_i w_i r_i, with 0 for what is but rounding: cycles that break even must do so exactly."""
        terms = [weight * reward for weight, reward in zip(weights, self._rewards, strict=True)]
        total, size = np.sum(terms, axis=0), np.sum(np.abs(terms), axis=0)
        return np.where(np.abs(total) > ROUNDING * size, total, 0.0)

    def _returns(self, search: PairIteration, policy: Policy) -> Floats:
        """Return f64[k + 1], what the policy that a search has found earns from the start."""
        returns = list[float]()
        for first in range(0, len(self._rewards), 2):
            pair = self._rewards[first], self._rewards[min(first + 1, len(self._rewards) - 1)]
            weighed = search.with_rewards(*pair, policy)
            returns += weighed.returns(weighed.leading, self._start)[0]
        return np.array(returns[: len(self._rewards)])

    def _require_no_gain(self, weights: Floats) -> None:
        """Raise EndlessReturns where a policy gains for ever in states from which no episode surely ends.

        BadValue where several sets of such states may gain together, and each of them alone at other weights: then the
        optimum is not finite in the middle of the domain, and there are no regions around it.
        """
        if not self._hears_all:
            raise NeedsHistory
        centre = weights if self._centre is None else self._centre
        whole = self._whole.with_reward(self._weigh(move_inside(weights, centre, self._unit)))
        components = find_gaining_components(whole)
        optimum = find_endless_optimum(whole, components)
        if np.isposinf(optimum.value[self._start]):
            chain = PolicyChain(whole, optimum.policy)
            entered = [
                members
                for members in chain.endless_classes()
                if find_states_entering(whole, optimum.policy, np.isin(np.arange(len(whole.terminal)), members))[
                    self._start
                ]
            ]
            sides = [self._average(whole, optimum.policy, members) for members in entered]
            sides = [side / np.abs(side).max() for side in sides if side.any()]
            if all((np.abs(side - sides[0]) <= SAME_SIDE).all() for side in sides):
                raise EndlessReturns(sides[0])
            raise _make_hole_error()
        self._may_gain |= np.stack([components.gains, components.breaks_even])
        possible = GainingComponents(self._may_gain[0], self._may_gain[1], components.policy)
        if np.isposinf(find_endless_optimum(whole, possible).value[self._start]):
            raise _make_hole_error()

    def _average(self, table: TabularMDP, policy: Policy, members: NDArray[np.int64]) -> Floats:
        """Return the average rewards in a step of a class, f64[k + 1]."""
        return np.array(PolicyChain(table, policy).average_rewards(members, self._rewards), dtype=np.float64)

    def behave(self, plan: BestPlan) -> Segment:
        """Return what a plan does."""
        policy = np.asarray(plan.choice)
        line = Line(float(plan.returns[0]), float(plan.returns[1:].sum()))
        walk = trace_path(self._cycles.own, policy, self._start)
        return restore_segment(self._cycles, Segment(-np.inf, np.inf, line, *walk, policy))


def _make_hole_error() -> BadValue:
    return BadValue(
        "several traps gain for ever together at some coefficients only",
        place="regions",
        remedy="ask for one coefficient, whose segments show where",
    )


TIED = 1e-12


def find_early_reward(table: TabularMDP, rewards: Sequence[Floats], domain: CoefficientDomain) -> int | None:
    """Return the number of the one reward that may come before the end; None where this method does not apply."""
    if table.discount < 1.0 or not table.is_deterministic:
        return None
    ends = table.terminal[table.next_state]
    early = [number for number, reward in enumerate(rewards) if not (ends | (reward == 0.0)).all()] or [0]
    number = early[0]
    if len(early) > 1 or (number and domain.low[number - 1] < 0.0):
        return None
    return number if has_no_positive_step(table.with_reward(rewards[number])) else None


class TerminalOutcomes:
    """The return vectors of all ways to end from one start state, and the best of them for any weights."""

    def __init__(self, cycles: ZeroCostCycles, rewards: Sequence[Floats], early: int, start: int) -> None:
        """cycles: the table. rewards: k + 1, f64[S, A, 1] each, of the enlarged table. early: which one comes early."""
        self._cycles, self._early, self._start = cycles, early, start
        table = cycles.own.with_reward(rewards[early])
        if table.terminal[start]:
            self._arrivals = None
            self._returns: Floats = np.zeros((1, len(rewards)))
            return
        self._arrivals = Arrivals(table, start)
        origin, action = self._arrivals.origin, self._arrivals.action
        returns = np.stack([reward[origin, action, 0] for reward in rewards], axis=1)
        late = np.delete(returns, early, axis=1)
        kinds, self._kind = np.unique(late, axis=0, return_inverse=True)
        self._kind = self._kind.ravel()
        largest = np.full(len(kinds), -np.inf)
        np.maximum.at(largest, self._kind, self._arrivals.owns)
        self._returns = np.insert(kinds, early, largest, axis=1)

    def find(self, weights: Floats, near: BestPlan | None) -> BestPlan:
        """Return a best plan for some weights, f64[k + 1], whatever is near."""
        values = self._returns @ weights
        tied = np.flatnonzero(values >= values.max() - TIED * (np.abs(self._returns) @ np.abs(weights)))
        number = int(tied[np.lexsort(self._returns[tied].T)[-1]])  # an extreme one
        return BestPlan(self._returns[number], number)

    def settle(self) -> None:
        """Nothing depends on what was found before."""

    def behave(self, plan: BestPlan) -> Segment:
        """Return what a plan does."""
        if self._arrivals is None:
            return Segment(-np.inf, np.inf, Line(0.0, 0.0), (self._start,))
        number = plan.choice
        last = (self._kind == number) & (self._arrivals.owns == self._returns[number, self._early])
        line = Line(float(self._returns[number, 0]), float(self._returns[number, 1:].sum()))
        return restore_segment(self._cycles, Segment(-np.inf, np.inf, line, *self._arrivals.first_path(last)))


RewardVector = Sequence[Floats]


class BestPlans:
    """The best plans from several start states for any weights: a `CornerSolver` that answers here, when it is asked.

    mdp: transitions, discount and the chances of start states; its reward does not count. rewards: for each start
    state's number the k + 1 rewards, f64[S, A, K] each. unit: f64[k + 1], how large they are. first: the weights that
    were answered first. hears_all: as of `PlannedOutcomes`.
    """

    def __init__(
        self, mdp: TabularMDP, rewards: Mapping[int, RewardVector], domain: CoefficientDomain, hears_all: bool = True
    ) -> None:
        complete = replace(mdp, available=None)  # an unavailable action stands for an available one until the end
        given = {start: [mdp.complete(reward) for reward in each] for start, each in rewards.items()}
        chances = np.array([mdp.start[start] for start in given])
        self._mdp, self._shares = mdp, chances / chances.sum()
        self._methods = {
            start: _choose_method(complete, each, start, domain, hears_all) for start, each in given.items()
        }
        self.unit: Floats = np.max(
            [[float(np.abs(reward).max()) for reward in each] for each in given.values()], axis=0
        )
        self.first: Floats | None = None

    @property
    def are_looked_up(self) -> bool:
        """Whether an answer takes hardly any time."""
        return all(isinstance(method, TerminalOutcomes) for method in self._methods.values())

    def find(self, weights: Floats, near: Sequence[BestPlan] = ()) -> tuple[BestPlan, ...]:
        """Return the best plan from each start state; near: the plans with which searches begin."""
        begins: Sequence[BestPlan | None] = near or [None] * len(self._methods)
        found = tuple(method.find(weights, begin) for method, begin in zip(self._methods.values(), begins, strict=True))
        if self.first is None:
            self.first = weights
            for method in self._methods.values():
                method.settle()
        return found

    def support(self, plans: tuple[BestPlan, ...]) -> Supported:
        """Return what plans earn on average, and what they do."""
        returns = np.array([plan.returns for plan in plans])
        mean = returns[0] if len(plans) == 1 else self._shares @ returns
        return Supported(mean, partial(self._behave, plans), plans)

    def _behave(self, plans: Sequence[BestPlan]) -> dict[int, Segment]:
        """Return what each start state's behaviour does, with available actions only."""
        pairs = zip(self._methods.items(), plans, strict=True)
        return {start: make_executable(self._mdp, method.behave(plan)) for (start, method), plan in pairs}

    def announce(self, questions: Sequence[CornerQuestion], is_settled: Callable[[CornerQuestion], bool]) -> None:
        """Nothing is done before it is asked for."""

    def solve(self, question: CornerQuestion) -> Supported:
        """Find the plans."""
        return self.support(self.find(question.weights, () if question.near is None else question.near.plans))


def find_reward_regions(
    mdp: TabularMDP,
    rewards: Mapping[int, RewardVector],
    domain: CoefficientDomain,
    epsilon: float = 0.0,
    show: ShowPlans = show_nothing,
) -> CoverageSet:
    """Return the regions of all behaviours that are best for  r_0 + theta . (r_1 .. r_k)  somewhere in a domain.

    mdp, rewards: see `BestPlans`. epsilon, show: see `find_coverage_set`. A behaviour holds a
    segment for each start state, with its path or policy. Raises NoPlan and BadValue as `find_coverage_set` does.
    """
    plans = BestPlans(mdp, rewards, domain)
    return find_coverage_set(plans, domain, plans.unit, epsilon, show)


def _choose_method(
    table: TabularMDP, rewards: RewardVector, start: int, domain: CoefficientDomain, hears_all: bool
) -> PlannedOutcomes | TerminalOutcomes:
    """Return what finds a best behaviour from one start state for any weights."""
    early = find_early_reward(table, rewards, domain)
    sizes: Floats = np.sum([np.abs(reward) for reward in rewards], axis=0)
    cycles = ZeroCostCycles(table.with_reward(np.zeros_like(sizes)), sizes)
    grown = [cycles.enlarge(reward, 0.0) for reward in rewards]
    if early is None:
        return PlannedOutcomes(cycles, grown, start, hears_all)
    return TerminalOutcomes(cycles, grown, early, start)
