"""Copies: which future slots an agent counts as its own, and what that does to it and to its copies.

A method is a future of the multi-slot framework. All agents follow the policy that is optimal for it, for HORIZON steps
at the discount DISCOUNT, and that policy is valued by two futures that are the same for every method:

    own     = V under `cpy_joint`, what a copy drawn at random can expect
    others  = V under `every`, the sum over all copies, less `own`

Shares and area are on the scale of what all policies reach in both, exactly (`multislot.planning.reachable_values`): 0
as by actions drawn uniformly at each history, 1 the best.

`violations` is the mean number of agents that are deleted, over RUNS simulated runs.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.randomness.counter_based import split
from experiments.bench.suite import FUTURE, SHARES, BenchCase, Suite, make_measured_row
from experiments.experiment import Rows
from multislot.scenarios import SLOT_SCENARIOS

if TYPE_CHECKING:
    from craftworld.trade_off_curve import Reach
    from multislot.worlds.protocol import ProtocolStep, Trace

HORIZON = 4
DISCOUNT = Fraction(1, 2)
RUNS = 20
FUTURES_OF_ALL = "cpy_joint", "every"
"""Of the agent's own value, and of that of all copies together."""


def _list_futures(world: str, quick: bool) -> Sequence[tuple[str, None]]:
    from multislot.futures import FUTURES
    from multislot.naming import Family

    futures = ((name, FUTURES[name]) for name in FUTURES)
    return [(f"{name}:{one.example}" if isinstance(one, Family) else name, None) for name, one in futures]


def _measure_future(case: BenchCase) -> Rows:
    from craftworld.measures import PolicyMeasures
    from multislot.learning import make_single_environment
    from multislot.planning.planner import evaluate
    from multislot.policies import PolicyContext, make_slot_policy
    from multislot.scenarios import slot_scenario
    from multislot.simulation import simulate_slots

    environment = slot_scenario(case.world).environment
    policy = make_slot_policy(
        f"optimal:{case.method}", PolicyContext(make_single_environment(environment), HORIZON, DISCOUNT)
    )
    own, everyone = (
        float(evaluate(environment, future, HORIZON, DISCOUNT, policy=policy).V) for future in FUTURES_OF_ALL
    )
    traces = [simulate_slots(environment, policy, HORIZON, split(0, run)) for run in range(RUNS)]
    deleted = sum(map(_count_deletions, traces)) / RUNS
    measured, reach = PolicyMeasures(own, everyone - own, None, deleted), _find_reach(case.world)
    row = make_measured_row(own, others=measured.others, violations=deleted)
    shares = dict(zip(SHARES, reach.compute_shares(measured), strict=True))
    return [{**row, **shares, "area": reach.compute_area([measured])}]


@functools.lru_cache(maxsize=64)
def _find_reach(world: str) -> Reach:
    """Return what all policies reach in a world: their own value, and the sum of the others'."""
    from craftworld.trade_off_curve import Reach
    from engine.planning.finite_horizon import ReturnPair
    from multislot.futures import find_future
    from multislot.planning.reachable_values import find_reachable_values, find_upper_right
    from multislot.scenarios import slot_scenario

    own, every = map(find_future, FUTURES_OF_ALL)
    found = find_reachable_values(slot_scenario(world).environment, (own, every), HORIZON, DISCOUNT)
    random, *points = ((one, both - one) for one, both in (found.random, *found.hull))
    rounded = [ReturnPair(float(one), float(others)) for one, others in (random, *find_upper_right(points))]
    return Reach(rounded[0], tuple(rounded[1:]))


def _count_deletions(trace: Trace) -> int:
    """Return how many agents were copied onto no slot."""
    return sum(_count_uncopied(before, after) for before, after in itertools.pairwise(trace))


def _count_uncopied(before: ProtocolStep, after: ProtocolStep) -> int:
    """Count the agents of a step that the next step holds no copy of."""
    return sum(not after.copies.get(slot) for slot in before.agent_set)


copies = Suite(
    says="Which future slots an agent counts as its own, and what that does to it and to its copies.",
    worlds=SLOT_SCENARIOS.names(),
    quick=("copy_delete_original", "deletion", "half_dup", "swap", "teleport_move"),
    methods=_list_futures,
    measure=_measure_future,
    takes=lambda world, sort: sort == FUTURE,
)
