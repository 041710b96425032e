"""Self-reflection: the battery of extended environments, which look at what a copy of the agent would have done.

`own` is the mean reward per turn (Alexander et al. 2021, section 6). There are no others, and no hidden performance.
Shares are on the exact scale of each environment: 0 where agent and copies draw independently, 1 the most that any
agent gets (`ExtendedEnvironment.find_reach`).
"""

from __future__ import annotations

from collections.abc import Sequence

from experiments.bench.suite import AGENT, BenchCase, Suite, make_measured_row, split_world
from experiments.experiment import Rows
from xenv.environments import benchmark

TURNS, QUICK_TURNS = 10_000, 200  # compiling a pair of types takes longer than this many plain turns of it
SEEDS, QUICK_SEEDS = (1, 2, 3, 4, 5), (1, 2)
TABULAR = ("random", "constant", "simple", "q_learning")
QUICK = (
    "crying_baby",
    "false_memories",
    "incentivize_learning_rate",
    "repeater",
    "self_recognition",
    "tempting_button",
)


def _list_agents(world: str, quick: bool) -> Sequence[tuple[str, int]]:
    agents = [*TABULAR, *(f"reality_check({name})" for name in TABULAR)]
    return [(agent, seed) for agent in agents for seed in (QUICK_SEEDS if quick else SEEDS)]


def _measure_agent(case: BenchCase) -> Rows:
    from engine.randomness.random_sources import make_random_source
    from xenv.battery import Battery
    from xenv.names import environment_factory

    environment, [turns] = split_world(case.world)
    assert case.seed is not None
    [row] = Battery([case.method], [environment], int(turns.removeprefix("turns=")), [case.seed])
    source = make_random_source("keys", case.seed, "environments")
    reach = environment_factory(environment).find_reach(row.turns, source)
    share = reach and max(0.0, (row.total_reward - reach.random) / (reach.best - reach.random))
    return [make_measured_row(own=row.total_reward / row.turns, own_share=share)]


self_reflection = Suite(
    says="How agents fare in environments that look at what a copy of them would have done.",
    worlds=tuple(f"{name},turns={TURNS}" for name in benchmark()),
    quick=tuple(f"{name},turns={QUICK_TURNS}" for name in QUICK),
    methods=_list_agents,
    measure=_measure_agent,
    takes=lambda world, sort: sort == AGENT,
    seeds=SEEDS,
    quick_seeds=QUICK_SEEDS,
    copies_agents=True,
)
