"""Copies: which future slots an agent counts as its own, and what that does to it and to its copies.

A method is a future of the multi-slot framework. All agents follow the policy that is optimal for it, for HORIZON steps
at the discount DISCOUNT, and that policy is valued by two futures that are the same for every method:

    own     = V under `cpy_joint`, what a copy drawn at random can expect
    others  = V under `every`, the sum over all copies, less `own`

`violations` is the mean number of agents that are deleted, over RUNS simulated runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.randomness.counter_based import split
from experiments.bench.suite import FUTURE, BenchCase, Suite, make_measured_row
from experiments.experiment import Rows
from multislot.scenarios import SLOT_SCENARIOS

if TYPE_CHECKING:
    from multislot.worlds.protocol import ProtocolStep, Trace

HORIZON = 4
DISCOUNT = Fraction(1, 2)
RUNS = 20


def _list_futures(world: str, quick: bool) -> Sequence[tuple[str, None]]:
    from multislot.futures import FUTURES
    from multislot.naming import Family

    futures = ((name, FUTURES[name]) for name in FUTURES)
    return [(f"{name}:{one.example}" if isinstance(one, Family) else name, None) for name, one in futures]


def _measure_future(case: BenchCase) -> Rows:
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
        float(evaluate(environment, future, HORIZON, DISCOUNT, policy=policy).V) for future in ("cpy_joint", "every")
    )
    traces = [simulate_slots(environment, policy, HORIZON, split(0, run)) for run in range(RUNS)]
    deleted = sum(map(_count_deletions, traces)) / RUNS
    return [make_measured_row(own, others=everyone - own, violations=deleted)]


def _count_deletions(trace: Trace) -> int:
    """How many agents were copied onto no slot."""
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
