"""Exact planning for copied agents: information states and a filter against plainer ways to the same numbers.

    python benchmarks/multislot.py [--quick]

The dense environment has 2 actions, 2 observations and 4 slots, every branch alive and every belief different. Each
line compares two ways in processor seconds, measured in turn several times, and prints the smallest and the largest
ratio; the values must agree, exactly where both are exact. Compared are: the recursion over histories as it is printed
(`multislot.planning.plain_recursions`) with information states; fractions at every action with fractions along those
that may be optimal; floats one history after another with floats in columns; slots one by one with interchangeable
slots as one. --quick takes fewer steps and repetitions.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from multislot.futures import Future, find_future
from multislot.learning import Mixture, make_single_environment
from multislot.likelihoods import find_likelihood
from multislot.planning import planner
from multislot.planning.backup import float_arithmetic
from multislot.planning.plain_recursions import cpy, evaluate_as_printed
from multislot.planning.planner import evaluate
from multislot.scenarios import slot_scenario
from multislot.simulation import simulate_slots
from multislot.worlds.environment import HistoryBasedEnvironment
from multislot.worlds.table import parse_table, read_json
from multislot.worlds.universal import make_universal_environment

TABLE = Path(__file__).resolve().parents[1] / "tests" / "data" / "multislot" / "bench_belief.json"
HALF = Fraction(1, 2)
BY_NUMBER = replace(find_future("cpy"), ignores_slot_numbers=False)
ONE_BY_ONE = replace(float_arithmetic, columns=False)


def time_call(call: Callable[[], Any]) -> tuple[Any, float]:
    """The result of a call and the processor seconds it takes."""
    start = time.process_time()
    result = call()
    return result, time.process_time() - start


def compare(measured: Ratios, name: str, plain: Callable[[], Any], fast: Callable[[], Any], repeats: int) -> None:
    """Print how many times faster the second way is, over several pairs; both must give the same."""
    pairs = []
    for _ in range(repeats):
        (slowly, slow_seconds), (quickly, fast_seconds) = time_call(plain), time_call(fast)
        same = slowly == quickly if isinstance(slowly, Fraction) else abs(slowly - quickly) < 1e-9
        assert same, f"{name}: {slowly} and {quickly}"
        pairs.append((slow_seconds, fast_seconds))
    ratios = sorted(slow / quick for slow, quick in pairs)
    measured.add(name, *ratios)
    slow, quick = (min(side) for side in zip(*pairs, strict=True))
    times = f"{_format_times(ratios[0])} to {_format_times(ratios[-1])} times faster"
    print(f"{name}: {slow:.3f} s and {quick:.3f} s, {times}")


def _format_times(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"


def compute_value(world: HistoryBasedEnvironment, future: Future | str, horizon: int) -> Any:
    """V at the start, exactly."""
    return evaluate(world, future, horizon, HALF).V


def compute_class_value(learner: Mixture, future: str, horizon: int) -> Any:
    """V of a learning agent at the start, exactly; nothing is kept from an earlier call."""
    return evaluate(replace(learner), future, horizon, HALF).V


def plan_every_action(call: Callable[[], Any]) -> Any:
    """A plan with fractions at every action: without the filter."""
    usual = planner.PLANNED_AT_ONCE
    planner.PLANNED_AT_ONCE = math.inf
    try:
        return call()
    finally:
        planner.PLANNED_AT_ONCE = usual


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer steps and repetitions")
    add_ratios_option(parser)
    options = parser.parse_args()
    quick, ratios = options.quick, Ratios("multislot", options.ratios, quick=options.quick)
    repeats = 2 if quick else 5
    dense = parse_table(read_json(TABLE), TABLE.name)
    known = make_single_environment(dense)
    evaluate(dense, "cpy", 9, HALF)  # what is imported when needed is imported now

    steps = 3 if quick else 4
    compare(
        ratios,
        f"cpy, {steps} steps, as printed and by information states",
        lambda: max(evaluate_as_printed(known, cpy, steps, HALF).values()),
        lambda: evaluate(dense, "cpy", steps, HALF).V,
        repeats,
    )
    horizon = 9 if quick else 12
    for value in ("cpy", "dyn"):
        compare(
            ratios,
            f"{value}, {horizon} steps, fractions at every action and where it may be optimal",
            partial(plan_every_action, partial(compute_value, dense, value, horizon)),
            partial(compute_value, dense, value, horizon),
            repeats,
        )
    compare(
        ratios,
        f"float cpy, {horizon} steps, one history after another and in columns",
        lambda: evaluate(dense, "cpy", horizon, HALF, arithmetic=ONE_BY_ONE).V,
        lambda: evaluate(dense, "cpy", horizon, HALF, arithmetic=float_arithmetic).V,
        repeats,
    )
    exchanged = [[z, slot, {0: 1, 1: 0}.get(a, a), law] for z, slot, a, law in read_json(TABLE)["spec"]["rules"]]
    other = parse_table(read_json(TABLE)["spec"] | {"rules": exchanged}, "exchanged")
    learner = Mixture((dense, other), (HALF, HALF), find_likelihood("exists"))
    horizon = 5 if quick else 7
    compare(
        ratios,
        f"float cpy, a class of two, {horizon} steps, one history after another and in columns",
        lambda: evaluate(learner, "cpy", horizon, HALF, arithmetic=ONE_BY_ONE).V,
        lambda: evaluate(learner, "cpy", horizon, HALF, arithmetic=float_arithmetic).V,
        repeats,
    )
    horizon = 6 if quick else 8
    for value in ("cpy", "dyn"):
        compare(
            ratios,
            f"{value}, a class of two, {horizon} steps, fractions at every action and where it may be optimal",
            partial(plan_every_action, partial(compute_class_value, learner, value, horizon)),
            partial(compute_class_value, learner, value, horizon),
            repeats,
        )
    for name, horizon in (("factorial", 5 if quick else 6), ("exponential", 5 if quick else 7)):
        world = slot_scenario(name).environment
        compare(
            ratios,
            f"cpy, {name}, {horizon} steps, slot by slot and interchangeable slots as one",
            partial(compute_value, world, BY_NUMBER, horizon),
            partial(compute_value, world, "cpy", horizon),
            repeats,
        )
    world = slot_scenario("exponential").environment
    steps = (20, 40) if quick else (20, 40, 80)
    taken = [time_call(partial(compute_value, world, "cpy", horizon))[1] for horizon in steps]
    print("cpy, exponential: " + ", ".join(f"{n} steps {t:.3f} s" for n, t in zip(steps, taken, strict=True)))
    steps = 10 if quick else 14
    trace, seconds = time_call(lambda: simulate_slots(make_universal_environment(), lambda history: 0, steps))
    print(f"universal environment, t = {steps}: {len(trace[-1].agent_set)} agents in {seconds:.2f} s")


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
