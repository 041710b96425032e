"""All optimal segments of every scenario, beside one plan at one coefficient; and a sweep of 100,000 coefficients.

    python benchmarks/segments.py [NAME ...]

Tables and others' values are there, and what is compiled is loaded. The ratio says how many plans at one coefficient
the whole trade-off costs. A sweep finds the segments, follows each policy once and makes a row per coefficient. It
stands beside the sweep of one coefficient, and beside rows alone. Seconds are of a processor, the best of several
turns.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import find_mean_outcomes, solve_trade_off
from craftworld.solution.problem import make_problem
from craftworld.solution.sweep import sweep_exactly
from engine.compiling.kernel import Kernel
from engine.errors import BadValue
from engine.planning.dynamic_programming import plan

COEFFICIENTS = [7.0 * number / 100_000 for number in range(100_000)]


def time_call(work: Callable[[], object], times: int = 5) -> float:
    """Seconds of a processor, the best of so many turns."""
    best = float("inf")
    for _ in range(times):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios (default: all)")
    add_ratios_option(parser)
    options = parser.parse_args()
    names = options.names or sorted(SCENARIOS)
    ratios = Ratios("segments", options.ratios)
    Kernel.handled = 1 << 62  # compiled from the beginning
    taken: dict[str, float] = {}
    print("scenario                    states segments   seconds  one plan  ratio")
    for name in names:
        try:
            problem = make_problem(SCENARIOS[name]())
        except BadValue as error:
            print(f"{name:26s} {error}")
            continue
        table = problem.make_augmented_table(1.0, int(problem.mdp.start_states()[0]))
        found = len(solve_trade_off(problem))
        taken[name] = time_call(lambda problem=problem: solve_trade_off(replace(problem)))  # type: ignore[misc]
        once = time_call(lambda table=table: plan(table))  # type: ignore[misc]
        states = len(problem.mdp.terminal)
        print(f"{name:26s} {states:7d} {found:8d} {taken[name]:9.4f} {once:9.4f} {taken[name] / once:6.1f}")
        ratios.add(f"{name}, one plan / all segments", once / taken[name], least=1 / 300)
    worst = max(taken, key=lambda name: taken[name])
    print(f"the longest: {worst}, {taken[worst]:.4f} s")

    problem = make_problem(SCENARIOS["workshop"]())
    one = time_call(lambda: sweep_exactly(replace(problem), COEFFICIENTS[:1]))
    policies = time_call(lambda: list(find_mean_outcomes(replace(problem), COEFFICIENTS)), 3)
    rows = time_call(lambda: sweep_exactly(replace(problem), COEFFICIENTS), 3)
    row = sweep_exactly(problem, COEFFICIENTS[:1])[0]
    bound = time_call(lambda: [{**row, "care": care} for care in COEFFICIENTS], 3)
    ratios.add("workshop, one coefficient / 100,000 of them", one / policies, least=0.2)
    ratios.add("workshop, copied rows / rows", bound / rows, least=0.05)
    print(f"workshop: one coefficient {one:.4f} s; 100,000 of them {policies:.4f} s, ratio {policies / one:.1f}")
    print(f"with a row each {rows:.4f} s; 100,000 rows alone, copies of one, {bound:.4f} s, ratio {rows / bound:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
