"""What a segment of a trade-off costs, beside value iteration on a grid of coefficients of the same resolution.

    python benchmarks/parametric.py            states 10^2 to 10^4
    python benchmarks/parametric.py --quick    the smallest of each
    python benchmarks/parametric.py --long     harm on every step at 10^4 states, exits at 10^5, the whole line
    python benchmarks/parametric.py --million  exits at 10^6 states, one coefficient

Worlds: a deterministic and a slippery grid (80 % ahead, 10 % to each side), undiscounted and discounted, and random
tables. Auxiliary rewards come on every step, or ("exits") at the end, in one of eight places. The alternative solves as
many coefficients as there are segments, each by value iteration from the values of the one before, of at most
MOST_SWEEPS sweeps, so that a ratio may be too small. Where 10^4 states have ten thousand segments, a range of
coefficients is searched, with the range given; what it takes to begin counts too.
Seconds are of the processor; the ratio is the alternative's over ours.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import read_peak, run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from engine.compiling.kernel import Kernel
from engine.mdp.mdp import Floats, TabularMDP
from engine.planning import kernels
from engine.planning.trade_off.envelope import EVERYWHERE, Range
from engine.planning.trade_off.optimal_segments import find_segments

MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))
ALTERNATIVE_COEFFICIENTS = 12
TOLERANCE = 1e-9
MOST_SWEEPS = 5_000


def make_table(next_state, probability, reward, terminal, discount) -> TabularMDP:  # type: ignore[no-untyped-def]
    """A table that starts in state 0; terminal states lead to themselves at no reward."""
    count, actions = next_state.shape[:2]
    next_state[terminal] = np.flatnonzero(terminal)[:, None, None]
    probability[terminal] = 0.0
    probability[terminal, :, 0] = 1.0
    reward[terminal] = 0.0
    start = (np.arange(count) == 0).astype(float)
    return TabularMDP(
        range(count), {}, tuple("abcdefgh"[:actions]), next_state, probability, reward, terminal, start, discount
    )


def make_grid(side: int, slip: float, discount: float, generator: np.random.Generator) -> tuple[TabularMDP, Floats]:
    """A square grid from corner to corner; a third of its cells cost the other agent 1 to 4 each time one enters."""
    cells = np.arange(side * side)
    row, column = cells // side, cells % side
    ahead = [np.clip(row + down, 0, side - 1) * side + np.clip(column + right, 0, side - 1) for down, right in MOVES]
    sides = ((2, 3), (2, 3), (0, 1), (0, 1))
    successors = 3 if slip else 1
    next_state = np.stack(
        [np.stack([ahead[a], *(ahead[b] for b in sides[a][: successors - 1])], axis=1) for a in range(4)], axis=1
    ).astype(np.int32)
    probability = np.broadcast_to(np.array([1 - slip, slip / 2, slip / 2][:successors]), next_state.shape).copy()
    terminal = cells == side * side - 1
    harm = -generator.integers(1, 5, len(cells)) * (generator.random(len(cells)) < 1 / 3)
    mdp = make_table(next_state, probability, np.full(next_state.shape, -1.0), terminal, discount)
    auxiliary = harm[mdp.next_state].astype(float)
    auxiliary[terminal] = 0.0
    return mdp, auxiliary


def make_exits(side: int, slip: float, discount: float, generator: np.random.Generator) -> tuple[TabularMDP, Floats]:
    """The grid with eight more ends, which are worth this or that to the other agent."""
    mdp, _ = make_grid(side, slip, discount, generator)
    mdp.terminal[generator.choice(np.arange(side, side * side - 1), 8, replace=False)] = True
    mdp = make_table(mdp.next_state, mdp.probability, mdp.reward, mdp.terminal, discount)
    worth = np.where(mdp.terminal, 10.0 * generator.normal(size=side * side), 0.0)
    auxiliary = worth[mdp.next_state]
    auxiliary[mdp.terminal] = 0.0
    return mdp, auxiliary


def make_unstructured(count: int, discount: float, generator: np.random.Generator) -> tuple[TabularMDP, Floats]:
    """Random successors, rewards from a normal distribution."""
    shape = (count, 3, 5)
    weights = generator.random(shape)
    mdp = make_table(
        generator.integers(0, count, shape).astype(np.int32),
        weights / weights.sum(axis=2, keepdims=True),
        generator.normal(size=shape),
        np.zeros(count, dtype=np.bool_),
        discount,
    )
    return mdp, generator.normal(size=shape)


def measure_alternative(mdp: TabularMDP, auxiliary: Floats, coefficients: Floats) -> float:
    """Processor seconds per coefficient of value iteration, each from the values of the one before."""
    value = np.zeros(len(mdp.terminal))
    order = np.arange(len(mdp.terminal))
    began = time.process_time()
    for coefficient in coefficients:
        reward = mdp.reward + coefficient * auxiliary
        for _ in range(MOST_SWEEPS):
            change = kernels.sweep(mdp.next_state, mdp.probability, reward, mdp.terminal, mdp.discount, value, order)
            if change <= TOLERANCE * max(1.0, float(np.abs(value).max())):
                break
    return (time.process_time() - began) / len(coefficients)


def measure(ratios: Ratios, name: str, mdp: TabularMDP, auxiliary: Floats, between: Range = EVERYWHERE) -> None:
    """Print one row."""
    began = time.process_time()
    segments = find_segments(mdp, auxiliary, 0, between)
    seconds = time.process_time() - began
    finite = [segment for segment in segments if math.isfinite(segment.line.own)]
    inner = np.array([(segment.start + segment.stop) / 2 for segment in finite[1:-1]] or [max(between[0], 0.0)])
    chosen = inner[np.linspace(0, len(inner) - 1, min(ALTERNATIVE_COEFFICIENTS, len(inner))).astype(int)]
    value = np.zeros(len(mdp.terminal))
    order = np.arange(len(mdp.terminal))
    kernels.sweep(mdp.next_state, mdp.probability, mdp.reward, mdp.terminal, 0.5, value, order)
    other = measure_alternative(mdp, auxiliary, chosen) * len(finite)
    least = 0.05 if mdp.is_deterministic else 0.4  # a few segments of a small grid take what it takes to begin
    ratios.add(f"{name}, {len(mdp.terminal)} states", other / seconds, least=least)
    print(
        f"{name:38} {len(mdp.terminal):>7} {len(finite):>8} {seconds:>9.2f} {1000 * seconds / len(finite):>10.2f} "
        f"{other / seconds:>7.1f} {read_peak():>7.0f}",
        flush=True,
    )


def main() -> None:
    """Every world at every size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--quick", action="store_true", help="the smallest size of each world")
    choice.add_argument("--long", action="store_true", help="the largest sizes alone: half an hour")
    choice.add_argument("--million", action="store_true", help="one coefficient of 10^6 states: minutes, 3 GiB")
    add_ratios_option(parser)
    options = parser.parse_args()
    name = "parametric" + ", long" * options.long + ", million" * options.million
    measured = partial(measure, Ratios(name, options.ratios, quick=options.quick))
    generator = np.random.default_rng(0)
    Kernel.handled = 1 << 62  # compiled from the beginning
    find_segments(*make_grid(4, 0.2, 1.0, generator), 0)
    for discount in (1.0, 0.99):
        find_segments(*make_grid(4, 0.0, discount, np.random.default_rng(1)), 0)
    find_segments(*make_unstructured(200, 0.5, generator), 0)
    find_segments(*make_exits(60, 0.2, 1.0, np.random.default_rng(1)), 0, (0.0, 0.1))
    print(f"{'world':38} {'states':>7} {'segments':>8} {'seconds':>9} {'ms/segment':>10} {'ratio':>7} {'MiB':>7}")
    if options.million:
        measured("slippery exits at coefficient 1", *make_exits(1_000, 0.2, 1.0, np.random.default_rng(0)), (1.0, 1.0))
        return
    if options.long:
        for discount in (1.0, 0.99):
            measured(f"slippery grid, discount {discount}", *make_grid(100, 0.2, discount, generator))
        measured("slippery exits, discount 1.0", *make_exits(316, 0.2, 1.0, generator))
        return
    for side in (10,) if options.quick else (10, 24, 50):
        for slip, what in ((0.0, "deterministic"), (0.2, "slippery")):
            for discount in (1.0, 0.99):
                measured(f"{what} grid, discount {discount}", *make_grid(side, slip, discount, generator))
    for side in (10,) if options.quick else (24, 100):
        measured("slippery exits, discount 1.0", *make_exits(side, 0.2, 1.0, generator))
    for count in (100,) if options.quick else (100, 1_000):
        measured("random, discount 0.95", *make_unstructured(count, 0.95, generator))
    if not options.quick:
        measured("random, discount 0.95, 0 to 0.02", *make_unstructured(10_000, 0.95, generator), (0.0, 0.02))
        measured("slippery grid, 1 to 1.3", *make_grid(100, 0.2, 1.0, generator), (1.0, 1.3))
        measured("slippery grid, discount 0.99, 1 to 1.3", *make_grid(100, 0.2, 0.99, generator), (1.0, 1.3))


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
