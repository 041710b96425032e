"""All regions of a table with several rewards, by the method that fits it; the mean over several start states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.regions.coverage_set import ShowPlans, coverage_set, silent
from engine.planning.regions.domain import CoefficientDomain
from engine.planning.regions.planned_outcomes import PlannedOutcomes
from engine.planning.regions.region import CoverageSet, Supported
from engine.planning.regions.terminal_outcomes import TerminalOutcomes, early_reward
from engine.planning.trade_off.optimal_segments import executable
from engine.planning.trade_off.segment import Segment
from engine.planning.trade_off.zero_cost_cycles import ZeroCostCycles

RewardVector = Sequence[Floats]


def reward_regions(
    mdp: TabularMDP,
    rewards: Mapping[int, RewardVector],
    domain: CoefficientDomain,
    epsilon: float = 0.0,
    show: ShowPlans = silent,
) -> CoverageSet:
    """The regions of all behaviours that are best for  r_0 + theta . (r_1 .. r_k)  somewhere in a domain.

    mdp: transitions, discount and the chances of start states; its reward does not count. rewards: for each start
    state's number the k + 1 rewards, f64[S, A, K] each. epsilon, show: see `coverage_set`. A behaviour holds a
    segment for each start state, with its path or policy. Raises NoPlan and BadValue as `coverage_set` does.
    """
    complete = replace(mdp, available=None)  # an unavailable action stands for an available one until the end
    given = {start: [mdp.completed(reward) for reward in each] for start, each in rewards.items()}
    chances = np.array([mdp.start[start] for start in given])
    methods = [_method(complete, each, start, domain) for start, each in given.items()]

    def best(weights: Floats) -> Supported:
        found = [method(weights) for method in methods]
        returns = np.array([each.returns for each in found])
        mean = returns[0] if len(found) == 1 else (chances / chances.sum()) @ returns
        return Supported(mean, lambda: _together(mdp, found))

    unit = np.max([[float(np.abs(reward).max()) for reward in each] for each in given.values()], axis=0)
    return coverage_set(best, domain, unit, epsilon, show)


def _together(mdp: TabularMDP, found: Sequence[Supported]) -> dict[int, Segment]:
    """What each start state's behaviour does, with available actions only."""
    return {start: executable(mdp, segment) for each in found for start, segment in each.behaviour().items()}


def _method(
    table: TabularMDP, rewards: RewardVector, start: int, domain: CoefficientDomain
) -> Callable[[Floats], Supported]:
    """What finds a best behaviour from one start state for any weights."""
    early = early_reward(table, rewards, domain)
    sizes: Floats = np.sum([np.abs(reward) for reward in rewards], axis=0)
    cycles = ZeroCostCycles(table.with_reward(np.zeros_like(sizes)), sizes)
    grown = [cycles.enlarged(reward, 0.0) for reward in rewards]
    if early is None:
        return PlannedOutcomes(cycles, grown, start).best
    return TerminalOutcomes(cycles, grown, early, start).best
