"""Identifying an agent by its behaviour in the workshop, against a grid in NumPy.

    python benchmarks/identification.py [--quick]

A noisy agent that cares acts for 100 and for 10,000 episodes. Printed are the processor seconds of the comparison of
all hypotheses, once the world's table is there; and for one formulation those of our integral and of the likelihood on
a fixed grid of care, temperature and slips, as one would write it first, and by how much that grid is off.
--quick leaves the 10,000 out.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from craftworld.identification.behaviour import Behaviour, ObservedWorld, record_behaviour
from craftworld.identification.identify import Question, identify
from craftworld.identification.likelihood import Choices
from craftworld.identification.posterior import Prior, integrate
from craftworld.solution.problem import make_problem
from engine.mdp.policies import epsilon_greedy

GRID = (1000, 40, 20)


def integrate_on_a_grid(choices: Choices) -> float:
    """The log evidence at the middles of a regular grid of (arctan c, log T, e)."""
    u, t, e = ((np.arange(n) + 0.5) / n for n in GRID)
    care = np.tan(math.pi * (u - 0.5))
    temperature = np.exp(math.log(0.05) + t * math.log(400.0))[:, None]
    lines = choices.select_lines(care)
    total = np.broadcast_to(8.0 * np.log1p(-e) + math.log(9.0 / e.size), (t.size, e.size)) + np.zeros((u.size, 1, 1))
    for begin, end in zip(choices.offset[:-1], choices.offset[1:], strict=True):
        value = lines[:, begin:end, 0] + care[:, None] * lines[:, begin:end, 1]
        weight = np.exp((value - value.max(axis=1, keepdims=True))[:, None, :] / temperature)
        chance = weight / (weight @ choices.alike[begin:end])[..., None]
        size = choices.alike[begin:end].sum()
        for n in np.flatnonzero(choices.count[begin:end]):
            total += choices.count[begin + n] * np.log((1.0 - e) * chance[:, :, n, None] + e / size)
    top = float(total.max())
    return top + math.log(float(np.exp(total - top).sum()) / (u.size * t.size))


def make_behaviour(world: ObservedWorld, episodes: int) -> Behaviour:
    """Record an agent that cares once and slips in 10 percent."""
    start = int(world.table.start_states()[0])
    policy = make_problem(world.scenario, mdp=world.table).plan_optimum(1.0, start).policy
    return record_behaviour(epsilon_greedy(world.table, policy, 0.1), world, episodes, 1)


def main(argv: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="100 episodes alone")
    add_ratios_option(parser)
    arguments = parser.parse_args(argv)
    measured = Ratios("identification", arguments.ratios, quick=arguments.quick)
    world = ObservedWorld.make("workshop")
    identify([make_behaviour(world, 1)])
    print("seconds of processor time")
    for episodes in (100,) if arguments.quick else (100, 10_000):
        behaviour = make_behaviour(world, episodes)
        start = time.process_time()
        found = identify([behaviour])
        whole = time.process_time() - start
        print(f"{episodes} episodes, {behaviour.steps} steps, {len(found.hypotheses)} hypotheses: {whole:.2f}")
        choices = Question([behaviour], ["expected"]).gather("expected")
        start = time.process_time()
        exact = integrate(choices, Prior()).log_evidence
        ours = time.process_time() - start
        start = time.process_time()
        grid = integrate_on_a_grid(choices)
        theirs = time.process_time() - start
        print(f"  one formulation: {ours:.2f}; on a grid: {theirs:.2f}, log evidence off by {grid - exact:.1e}")
        measured.add(f"grid / ours, {episodes} episodes", theirs / ours)


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
