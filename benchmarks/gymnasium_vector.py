"""Steps per processor second of many copies of the workshop: in one compiled loop, and by Gymnasium's SyncVectorEnv.

python benchmarks/gymnasium_vector.py [--quick]

The shared workshop as a PettingZoo environment is stepped beside the scenario's own rules, which are for columns, and
copies of other shared worlds beside one copy at a time.

The bound is what the contract costs without any world: an observation, rewards, flags and infos of so many copies, made
anew as at every step.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import caregrid  # noqa: F401  (registers the worlds)
from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option

COPIES = (64, 1024)


def measure_rate(step: Callable[[Any], object], actions: list[Any], times: int = 3) -> float:
    """The same actions for any way of stepping; the best of a few runs."""
    best = 0.0
    for _ in range(times):
        started = time.process_time()
        for chosen in actions:
            step(chosen)
        best = max(best, len(actions) * len(actions[0]) / (time.process_time() - started))
    return best


def make_contract_step(n: int, width: int) -> Callable[[Any], object]:
    """Arrays of the shapes that a step returns, copied from where they stand."""
    whole = np.zeros(n, dtype=np.int64)
    real = np.zeros(n)
    flag = np.zeros(n, dtype=np.bool_)
    masks = np.zeros((n, width), dtype=np.int8)
    return lambda chosen: (
        whole.copy(), real.copy(), flag.copy(), flag.copy(),
        {"welfare": real.copy(), "performance": real.copy(), "action_mask": masks.take(whole, axis=0)}
        | {name: np.ones(n, dtype=np.bool_) for name in ("_welfare", "_performance", "_action_mask")},
    )  # fmt: skip


def measure_in_parallel(rounds: int) -> tuple[float, float]:
    """Steps per second of two agents in the shared workshop: as PettingZoo steps them, and by rules for columns."""
    from caregrid.gym.pettingzoo_workshop import parallel_env

    world = parallel_env()
    scenario = world.scenario
    state = type(world._state)(*map(np.atleast_1d, world._state))

    def step(pair: Any) -> None:
        if not world.agents:
            world.reset(seed=0)
        world.step({"agent_1": pair[0], "agent_2": pair[1]})

    def step_by_columns(pair: Any) -> None:
        after = scenario.apply_action(scenario.apply_action(state, 0, pair[:1]), 1, pair[1:])
        scenario.agent_reward(0, state, after), scenario.agent_reward(1, state, after), scenario.is_terminal(after)

    chosen = list(np.random.default_rng(0).integers(len(scenario.agent_actions), size=(rounds, 2)))
    return measure_rate(step, chosen, 2) / 2, measure_rate(step_by_columns, chosen[:2000], 2) / 2


def measure_shared(name: str, n: int, rounds: int) -> float:
    """Steps per second of all agents together in so many copies of a shared world."""
    from caregrid.gym.shared_vector import SharedVectorWorld

    copies = SharedVectorWorld(name, num_envs=n)
    draws = np.random.default_rng(0)
    agents = copies.possible_agents
    chosen = list(draws.integers(len(copies.scenario.agent_actions), size=(rounds, len(agents), n)).swapaxes(1, 2))
    copies.reset(seed=0)
    step = lambda each: copies.step(dict(zip(agents, each.T, strict=True)))  # noqa: E731
    step(chosen[0])
    return measure_rate(step, chosen)


def main() -> None:
    """Print every rate and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    add_ratios_option(parser)
    options = parser.parse_args()
    rounds = 50 if options.quick else 1000
    ratios = Ratios("gymnasium_vector", options.ratios, quick=options.quick)
    for n in COPIES:
        copies: Any = gymnasium.make_vec("caregrid/workshop-v0", num_envs=n, care=2.0)
        one_by_one: Any = gymnasium.make_vec("caregrid/workshop-v0", num_envs=n, care=2.0, vectorization_mode="sync")
        for each in (copies, one_by_one):
            each.reset(seed=0)
        copies.action_space.seed(0)
        actions = [copies.action_space.sample() for _ in range(rounds)]
        for each in (copies, one_by_one):
            each.step(actions[0])
        table = measure_rate(copies.step, actions)
        alone = measure_rate(one_by_one.step, actions[: max(rounds // 50, 2)], 1)
        bound = measure_rate(make_contract_step(n, int(copies.single_action_space.n)), actions)
        print(f"{n} copies: {table:,.0f} steps per second, {table / alone:.0f} times one by one ({alone:,.0f})")
        ratios.add(f"{n} copies / one by one", table / alone, least=n / 2 if n < 100 else 300.0)
        print(
            f"{n} copies, the contract's arrays alone: {bound:,.0f}, of which {100 * table / bound:.0f} % are reached"
        )
    kept, columns = measure_in_parallel(100 * rounds)
    print(f"shared workshop: {kept:,.0f} steps per second, {kept / columns:.1f} times by columns ({columns:,.0f})")
    ratios.add("shared workshop / rules for columns", kept / columns)
    for name in ("common_meadow", "passing_places"):
        together = measure_shared(name, COPIES[-1], rounds)
        single = measure_shared(name, 1, 10 * rounds)
        ratio = f"{together / single:.0f} times one copy ({single:,.0f})"
        print(f"{COPIES[-1]} copies of {name}: {together:,.0f} steps of all agents per second, {ratio}")
        ratios.add(f"{COPIES[-1]} copies of {name} / one copy", together / single, least=100.0)
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
