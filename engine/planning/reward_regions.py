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
from engine.planning.coefficient_regions import CoefficientDomain, CoverageSet, EndlessReturns, Supported
from engine.planning.coverage_set import ShowPlans, find_coverage_set, move_inside, show_nothing
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


class PlannedOutcomes:
    """The best behaviour from one start state for any weights."""

    def __init__(self, cycles: ZeroCostCycles, rewards: Sequence[Floats], start: int) -> None:
        """cycles: the table. rewards: k + 1, f64[S, A, K] each, of the enlarged table."""
        self._cycles, self._rewards, self._start = cycles, rewards, start
        self._whole = keep_reachable_part(cycles.own, start)
        self._table = keep_safe_part(self._whole, PairIteration(self._whole.with_reward(rewards[0]), rewards[0]), start)
        self._search = PairIteration(self._table.with_reward(rewards[0]), rewards[0])
        possible = np.ones(self._table.next_state.shape[:2], dtype=np.bool_) & ~self._table.terminal[:, None]
        self._staying = find_end_components(self._table, possible)[1]
        self._may_gain = np.zeros((2, len(self._table.terminal)), dtype=np.bool_)
        self._centre: Floats | None = None
        self._unit = np.array([float(np.abs(reward).max()) or 1.0 for reward in rewards])

    def best(self, weights: Floats) -> Supported:
        """Return a best behaviour for some weights, f64[k + 1]. Raises EndlessReturns where a policy gains for ever."""
        leading = self._weigh(weights)
        ties = leading if self._centre is None else self._weigh(self._centre)
        search = self._search.with_rewards(leading, ties)
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
        if self._centre is None:
            self._centre = weights
        self._search = search
        returns = self._returns(policy)
        return Supported(returns, partial(self._behaviour, policy, returns))

    def _gain_is_endless(self, reward: Floats) -> bool:
        """Whether something is gained where a policy may stay for ever, in a world that does not discount it."""
        undiscounted = self._table.discount == 1.0 and not self._search.lost.any()
        return undiscounted and bool((reward[self._staying] > 0.0).any())

    def _weigh(self, weights: Floats) -> Floats:
        """sum_i w_i r_i, with 0 for what is but rounding: cycles that break even must do so exactly."""
        terms = [weight * reward for weight, reward in zip(weights, self._rewards, strict=True)]
        total, size = np.sum(terms, axis=0), np.sum(np.abs(terms), axis=0)
        return np.where(np.abs(total) > ROUNDING * size, total, 0.0)

    def _returns(self, policy: Policy) -> Floats:
        """Return f64[k + 1], what the policy that was found last earns from the start."""
        returns = list[float]()
        for first in range(0, len(self._rewards), 2):
            pair = self._rewards[first], self._rewards[min(first + 1, len(self._rewards) - 1)]
            returns += self._search.with_rewards(*pair).returns(policy, self._start)[0]
        return np.array(returns[: len(self._rewards)])

    def _require_no_gain(self, weights: Floats) -> None:
        """Raise EndlessReturns where a policy gains for ever in states from which no episode surely ends.

        BadValue where several sets of such states may gain together, and each of them alone at other weights: then the
        optimum is not finite in the middle of the domain, and there are no regions around it.
        """
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

    def _behaviour(self, policy: Policy, returns: Floats) -> dict[int, Segment]:
        line = Line(float(returns[0]), float(returns[1:].sum()))
        walk = trace_path(self._cycles.own, policy, self._start)
        return {self._start: restore_segment(self._cycles, Segment(-np.inf, np.inf, line, *walk, policy))}


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

    def best(self, weights: Floats) -> Supported:
        """Return a best behaviour for some weights, f64[k + 1]."""
        values = self._returns @ weights
        tied = np.flatnonzero(values >= values.max() - TIED * (np.abs(self._returns) @ np.abs(weights)))
        number = int(tied[np.lexsort(self._returns[tied].T)[-1]])  # an extreme one
        return Supported(self._returns[number], lambda: {self._start: self._segment(number)})

    def _segment(self, number: int) -> Segment:
        if self._arrivals is None:
            return Segment(-np.inf, np.inf, Line(0.0, 0.0), (self._start,))
        last = (self._kind == number) & (self._arrivals.owns == self._returns[number, self._early])
        line = Line(float(self._returns[number, 0]), float(self._returns[number, 1:].sum()))
        return restore_segment(self._cycles, Segment(-np.inf, np.inf, line, *self._arrivals.first_path(last)))


RewardVector = Sequence[Floats]


def find_reward_regions(
    mdp: TabularMDP,
    rewards: Mapping[int, RewardVector],
    domain: CoefficientDomain,
    epsilon: float = 0.0,
    show: ShowPlans = show_nothing,
) -> CoverageSet:
    """Return the regions of all behaviours that are best for  r_0 + theta . (r_1 .. r_k)  somewhere in a domain.

    mdp: transitions, discount and the chances of start states; its reward does not count. rewards: for each start
    state's number the k + 1 rewards, f64[S, A, K] each. epsilon, show: see `find_coverage_set`. A behaviour holds a
    segment for each start state, with its path or policy. Raises NoPlan and BadValue as `find_coverage_set` does.
    """
    complete = replace(mdp, available=None)  # an unavailable action stands for an available one until the end
    given = {start: [mdp.complete(reward) for reward in each] for start, each in rewards.items()}
    chances = np.array([mdp.start[start] for start in given])
    methods = [_choose_method(complete, each, start, domain) for start, each in given.items()]

    def best(weights: Floats) -> Supported:
        found = [method(weights) for method in methods]
        returns = np.array([each.returns for each in found])
        mean = returns[0] if len(found) == 1 else (chances / chances.sum()) @ returns
        return Supported(mean, lambda: _join_behaviours(mdp, found))

    unit = np.max([[float(np.abs(reward).max()) for reward in each] for each in given.values()], axis=0)
    return find_coverage_set(best, domain, unit, epsilon, show)


def _join_behaviours(mdp: TabularMDP, found: Sequence[Supported]) -> dict[int, Segment]:
    """What each start state's behaviour does, with available actions only."""
    return {start: make_executable(mdp, segment) for each in found for start, segment in each.behaviour().items()}


def _choose_method(
    table: TabularMDP, rewards: RewardVector, start: int, domain: CoefficientDomain
) -> Callable[[Floats], Supported]:
    """What finds a best behaviour from one start state for any weights."""
    early = find_early_reward(table, rewards, domain)
    sizes: Floats = np.sum([np.abs(reward) for reward in rewards], axis=0)
    cycles = ZeroCostCycles(table.with_reward(np.zeros_like(sizes)), sizes)
    grown = [cycles.enlarge(reward, 0.0) for reward in rewards]
    if early is None:
        return PlannedOutcomes(cycles, grown, start).best
    return TerminalOutcomes(cycles, grown, early, start).best
