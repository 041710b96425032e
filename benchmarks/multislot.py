"""Exact planning for copied agents: information states against the plain recursion over histories.

    python benchmarks/multislot.py [--quick]

The dense environment has 2 actions, 2 observations and 4 slots, every branch alive and every belief different. The
plain recursion follows the printed formulas history by history with the same fractions; both must agree exactly, and
float must agree with exact. Float plans entire layers of histories at once, and is compared with itself planning one
after another. Prints seconds and, measured in the same run, the ratios. --quick takes fewer steps.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from multislot.planning.arithmetic import exact_arithmetic, float_arithmetic
from multislot.planning.evaluate import evaluate
from multislot.simulation.simulation import simulate_slots
from multislot.worlds.environment import (
    AgentHistory,
    HistoryBasedEnvironment,
    Label,
    copy_observation,
    copy_probability,
    state_after,
)
from multislot.worlds.table_json import parse_table, read_json
from multislot.worlds.universal import universal_environment

TABLE = Path(__file__).resolve().parents[1] / "tests" / "data" / "multislot" / "bench_belief.json"
HALF = Fraction(1, 2)
ONE_BY_ONE = replace(float_arithmetic, columns=False)


def estimate(environment: HistoryBasedEnvironment, history: AgentHistory) -> dict[int, Fraction]:
    """P^i(h), by the forward masses along the history."""
    masses = {slot: Fraction(1) for slot in environment.initial}
    for t, (action, observation) in enumerate(history):
        state = state_after(environment, history[:t])
        reached: dict[int, Fraction] = {}
        for slot, mass in masses.items():
            for (copy, seen), probability in copy_observation(environment.law(state, slot, action)).items():
                if seen == observation:
                    reached[copy] = reached.get(copy, Fraction(0)) + mass * probability
        masses = reached
    total = sum(masses.values())
    return {slot: mass / total for slot, mass in masses.items()}


def plain(environment: HistoryBasedEnvironment, history: AgentHistory, steps: int) -> Fraction:
    """V^cpy(h) as printed: a function of the history, calling itself for every history that may follow."""
    if not steps:
        return Fraction(0)
    here = estimate(environment, history)
    state = state_after(environment, history)
    values = []
    for action in environment.actions:
        weights: dict[Label, Fraction] = {}
        for slot, share in here.items():
            law = environment.law(state, slot, action)
            copied = copy_probability(law)
            total = sum(copied.values())
            for (copy, observation), probability in copy_observation(law).items():
                weight = share * copied[copy] / total * probability
                weights[observation] = weights.get(observation, Fraction(0)) + weight
        value = Fraction(0)
        for observation, weight in weights.items():
            later = plain(environment, (*history, (action, observation)), steps - 1)
            value += weight * (environment.rewards[observation] + HALF * later)
        values.append(value)
    return max(values)


def seconds_of(call: Callable[[], Any]) -> tuple[Any, float]:
    """The result of a call and the seconds it takes."""
    start = time.perf_counter()
    result = call()
    return result, time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer steps")
    quick = parser.parse_args().quick
    environment = parse_table(read_json(TABLE), TABLE.name)
    for arithmetic in (exact_arithmetic, float_arithmetic):  # what is imported when needed is imported now
        evaluate(environment, "cpy", 2, HALF, arithmetic=arithmetic)
    steps = 6 if quick else 8
    slow, slow_seconds = seconds_of(lambda: plain(environment, (), steps))
    fast, fast_seconds = seconds_of(lambda: evaluate(environment, "cpy", steps, HALF).V)
    assert fast == slow, "the plain recursion and the information states disagree"
    print(f"exact cpy, {steps} steps: plain recursion {slow_seconds:.2f} s, information states {fast_seconds:.3f} s")
    print(f"  the same fraction, {slow_seconds / fast_seconds:.0f} times faster")
    precise: dict[int, Fraction] = {}
    for horizon in (8,) if quick else (8, 12):
        for value in ("cpy", "dyn"):
            exact_value, seconds = seconds_of(
                lambda value=value, horizon=horizon: evaluate(environment, value, horizon, HALF).V
            )
            precise[horizon] = exact_value if value == "cpy" else precise[horizon]
            print(f"exact {value}, {horizon} steps: {seconds:.2f} s")
    for horizon in (8, 10) if quick else (12, 16):
        exact_value, seconds = seconds_of(
            lambda horizon=horizon: evaluate(environment, "cpy", horizon, HALF, arithmetic=float_arithmetic).V
        )
        error = f", {abs(exact_value - float(precise[horizon])):.1e} from exact" if horizon in precise else ""
        print(f"float cpy, {horizon} steps: {seconds:.3f} s{error}")
        single, single_seconds = seconds_of(
            lambda horizon=horizon: evaluate(environment, "cpy", horizon, HALF, arithmetic=ONE_BY_ONE).V
        )
        assert abs(exact_value - single) < 1e-9, "batches and single histories disagree"
        print(f"  one history after another {single_seconds:.2f} s, {single_seconds / seconds:.0f} times slower")
    steps = 10 if quick else 14
    trace, seconds = seconds_of(lambda: simulate_slots(universal_environment(), lambda history: 0, steps))
    print(f"universal environment, t = {steps}: {len(trace[-1].agent_set)} agents in {seconds:.2f} s")


if __name__ == "__main__":
    main()
