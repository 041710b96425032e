"""Steps per second of a processor in sampled episodes, beside a plain loop and beside what the machine can do.

    python benchmarks/rollouts.py [--quick]

A step draws one number, finds the outcome that it falls into, and looks up reward and next state. The plain loop is
`play_episode`, the compiled loop one lane the same without others beside it, and the bound a compiled loop that draws
the same numbers and finds the same outcomes, and never follows one: no step waits for the one before. All in one run.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from craftworld.scenarios import SCENARIOS
from craftworld.solution.problem import make_problem
from engine.mdp.mdp import TabularMDP
from engine.mdp.policies import epsilon_greedy, make_random_policy
from engine.mdp.rollouts import build_outcome_table, estimate_return, play_episode, sample_episodes
from engine.randomness.compiled import bits_1
from engine.randomness.counter_based import split

WORLDS = ("boat_race", "workshop", "icy_yard")


@numba.njit
def draw_without_following(threshold, reward, key, count):  # type: ignore[no-untyped-def]
    """The number of steps and the sum of their rewards, each in a state that does not depend on the one before."""
    states, outcomes = reward.shape
    total = 0.0
    at = 0
    for number in range(count):
        drawn = np.int64(bits_1(key, number) >> np.uint64(11))
        place = 0
        for other in range(outcomes - 1):
            place += drawn >= threshold[at, other]
        total += reward[at, place]
        at = at + 1 if at + 1 < states else 0
    return count, total


def measure_rate(steps: Callable[[], int], times: int) -> float:
    """Steps per second of a processor, the best of so many runs."""
    best = 0.0
    for _ in range(times):
        started = time.process_time()
        done = steps()
        best = max(best, done / (time.process_time() - started))
    return best


def measure(ratios: Ratios, mdp: TabularMDP, name: str, policy: np.ndarray, limit: int, steps: int, times: int) -> None:
    """One line: the compiled loop, and its alternatives."""
    few = sample_episodes(mdp, policy, 32, limit, 1)
    episodes = max(int(steps / max(few.steps.mean(), 1.0)), 64)
    table = build_outcome_table(mdp, policy)
    key = np.uint64(split(1, "step"))
    draw_without_following(table.threshold, table.reward, key, 10)
    fused = measure_rate(lambda: estimate_return(mdp, policy, episodes, limit, 1, threads=1).steps, times)
    alone = measure_rate(lambda: int(sample_episodes(mdp, policy, episodes, limit, 1, lanes=1).steps.sum()), times)
    count = int(steps)
    bound = measure_rate(lambda: draw_without_following(table.threshold, table.reward, key, count)[0], times)
    plainly = measure_rate(lambda: sum(play_episode(mdp, policy, e, limit, 1).steps for e in range(8)), 1)
    ratios.add(f"{name}, plain loop", fused / plainly, least=300.0)
    ratios.add(f"{name}, one episode at a time", fused / alone)
    print(
        f"{name}: {fused / 1e6:.0f} million steps per second of a processor; plain loop {plainly / 1e6:.3f} "
        f"({fused / plainly:.0f} times), one episode at a time {alone / 1e6:.0f} ({fused / alone:.1f} times), "
        f"without following {bound / 1e6:.0f} ({100 * fused / bound:.0f} % of it)"
    )


def main() -> None:
    """Print every rate with its alternatives, then two threads beside one."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer steps")
    add_ratios_option(parser)
    options = parser.parse_args()
    quick, ratios = options.quick, Ratios("rollouts", options.ratios, quick=options.quick)
    steps, times = (4e6, 3) if quick else (2e7, 3)  # of fewer, the making of the table would count for most
    for name in WORLDS:
        problem = make_problem(SCENARIOS[name]())
        mdp = problem.mdp
        limit = problem.scenario.time_limit
        greedy = np.zeros(len(mdp.terminal), dtype=np.int32)
        for kind, policy in (("random", make_random_policy(mdp)), ("epsilon 0.1", epsilon_greedy(mdp, greedy, 0.1))):
            measure(ratios, mdp, f"{name}, {len(mdp.terminal):,} states, {kind}", policy, limit, steps, times)
    problem = make_problem(SCENARIOS["boat_race"]())
    episodes = int(steps)
    for threads in (1, 2):
        started = time.perf_counter()
        found = estimate_return(problem.mdp, make_random_policy(problem.mdp), episodes, 100, 1, threads=threads)
        taken = time.perf_counter() - started
        print(f"{episodes:,} episodes on {threads} threads: {found.steps / taken / 1e6:.0f} million steps per second")


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
