"""What a map of several coefficients costs, beside a grid of plans of the same resolution.

    python benchmarks/regions.py            1 to 4 coefficients
    python benchmarks/regions.py --quick    1 and 2

Tables: random, stochastic, discounted, with rewards on every step; coefficients from 0 to 1. A grid of the same
resolution has a point in the smallest region; the alternative plans at each of its points, and its time is that of
TIMED of them, scaled up. It still does not know where the borders are. Seconds are of the processor. The last line is
of one map, found here and by two processes: the seconds of the one that has most to do, its start included.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import caregrid
from benchmarks.peak_memory import read_processor_seconds, run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.coefficient_regions import CoefficientDomain, CoverageSet
from engine.planning.dynamic_programming import plan
from engine.planning.reward_regions import find_reward_regions

STATES, ACTIONS, SUCCESSORS, DISCOUNT = 30, 3, 3, 0.9
SAMPLE = 200_000
TIMED = 20


def make_world(axes: int, states: int) -> tuple[TabularMDP, list[Floats]]:
    """A random table with one more reward than axes."""
    rng = np.random.default_rng(axes)
    shape = (states, ACTIONS, SUCCESSORS)
    probability = rng.dirichlet(np.ones(SUCCESSORS), shape[:2])
    rewards = [rng.uniform(-1.0, 1.0, shape) for _ in range(axes + 1)]
    next_state = rng.integers(0, states, shape).astype(np.int32)
    terminal = np.zeros(states, dtype=np.bool_)
    start = (np.arange(states) == 0).astype(float)
    return TabularMDP(
        range(states), {}, tuple("abc"), next_state, probability, rewards[0], terminal, start, DISCOUNT
    ), rewards


def count_grid_points(found: CoverageSet, axes: int) -> float:
    """How many points a grid on the unit cube has if one is to fall into the smallest region: 1 over its volume.

    The volume is the share of random points; a region that none hits counts as the smallest that one does.
    """
    points = np.random.default_rng(0).uniform(0.0, 1.0, (SAMPLE, axes))
    values = np.stack([region.returns[0] + points @ region.returns[1:] for region in found.regions], axis=1)
    hits = np.bincount(values.argmax(axis=1), minlength=len(found.regions))
    return SAMPLE / hits[hits > 0].min()


def measure_processes(ratios: Ratios) -> None:
    """The processor seconds of one process over those of the busiest one where two others plan."""
    seconds, maps = [], []
    tree = caregrid.problem("gym:fruit-tree-v0", set={"depth": 6}, discount=0.9)
    tree.exact  # noqa: B018
    for engine, workers in (("serial", 1), ("local", 2)):
        here, elsewhere = read_processor_seconds()
        maps.append(tree.regions(["carbs", "fats", "water", "minerals"], engine=engine, workers=workers))
        here_after, elsewhere_after = read_processor_seconds()
        seconds.append(max(here_after - here, (elsewhere_after - elsewhere) / workers))
    assert maps[0].as_dict() == maps[1].as_dict()
    alone, together = seconds
    ratios.add("fruit tree, one process / the busiest of two", alone / together, least=1.1)
    print(
        f"fruit tree: {len(maps[0].regions)} regions from {maps[0].solved.cover.solves} plans in {alone:.1f} s, by two"
        f" processes {together:.1f} s each, {alone / together:.2f} times as fast"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one and two coefficients only")
    add_ratios_option(parser)
    options = parser.parse_args()
    quick, ratios = options.quick, Ratios("regions", options.ratios, quick=options.quick)
    print("coefficients  states  regions  plans  seconds  ms a region  grid plans  its seconds  fewer plans  faster")
    plan(make_world(1, 30)[0])  # what is compiled and imported first is nobody's
    find_reward_regions(make_world(1, 5)[0], {0: make_world(1, 5)[1]}, CoefficientDomain.box([0.0], [1.0]))
    for axes, states in ((1, 30), (2, 30)) if quick else ((1, 30), (1, 100), (2, 15), (2, 30), (3, 8), (4, 5)):
        mdp, rewards = make_world(axes, states)
        begun = time.process_time()
        found = find_reward_regions(mdp, {0: rewards}, CoefficientDomain.box([0.0] * axes, [1.0] * axes))
        ours = time.process_time() - begun
        grid = count_grid_points(found, axes)
        points = np.random.default_rng(1).uniform(0.0, 1.0, (TIMED, axes))
        begun = time.process_time()
        for point in points:
            plan(mdp.with_reward(rewards[0] + sum(c * reward for c, reward in zip(point, rewards[1:], strict=True))))
        theirs = (time.process_time() - begun) / TIMED * grid
        count = len(found.regions)
        ratios.add(f"{axes} coefficients, {states} states, fewer plans", grid / found.solves, least=8.0)
        ratios.add(f"{axes} coefficients, {states} states, faster", theirs / ours, least=2.0)
        print(
            f"{axes:12d}  {states:6d}  {count:7d}  {found.solves:5d}  {ours:7.2f}  {1000 * ours / count:11.1f}"
            f"  {grid:10.0f}  {theirs:11.2f}  {grid / found.solves:10.1f}x  {theirs / ours:5.2f}x"
        )
    if not quick:
        measure_processes(ratios)


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
