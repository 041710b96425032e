"""Planning with an input terminal: floats that filter and fractions that decide, against fractions everywhere.

    python benchmarks/terminal.py [--quick]

Rows are parameter rows of the car factory, plain and with people who notice; a row is one simulation of ITC: its
plans for both functions, exact ties, the real world, all traces. They are simulated each alone and many at once, with
the same results. Every figure stands beside its alternative, in processor seconds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from counterfactual.agents.factual_and_counterfactual import citc, itc
from counterfactual.influence.picture import draw_diagram_scene, make_diagram_picture
from counterfactual.planning.plan import Plan
from counterfactual.simulation.simulate import simulate
from counterfactual.simulation.world_rows import simulate_rows
from counterfactual.worlds import TerminalWorld
from counterfactual.worlds.car_factory import CarFactory
from renderers.drawing.picture import draw_picture


def time_call(work: Callable[[], object]) -> float:
    """How long a call keeps the processor busy."""
    started = time.process_time()
    work()
    return time.process_time() - started


def time_result(work: Callable[[], Any]) -> tuple[Any, float]:
    """What a call gives, and how long it keeps the processor busy."""
    started = time.process_time()
    return work(), time.process_time() - started


def make_factories(rows: int, *, noticing: tuple[int, ...] = (0, 1)) -> list[CarFactory]:
    """Rows of both worlds over lobbying powers, two-sided."""
    powers = [Fraction(step, 100) for step in range(1, rows // len(noticing) + 1)]
    return [CarFactory.make({"lobbying": power, "noticing": mode}) for mode in noticing for power in powers]


def make_plan(world: TerminalWorld[Any]) -> Plan:
    """CITC's first plan."""
    planning_world = citc(world, 0)
    return Plan(planning_world, 1, planning_world.state(world.start(), 0))


def solve_in_fractions(plan: Plan) -> Fraction:
    """The same backward induction without a filter: every situation and action in fractions."""
    discount = plan.world.learned.discount
    following = [Fraction(0)] * len(plan.layers[-1])
    for step in range(plan.world.learned.horizon, 0, -1):
        following = [
            max(
                sum(
                    (p * (reward + discount * following[to]) for p, reward, to in plan.list_transitions(step, s, a)),
                    Fraction(0),
                )
                for a in plan.list_allowed(step, s)
            )
            for s in range(len(plan.layer(step)))
        ]
    return following[0]


def main() -> None:
    """Print every figure with its alternative."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rows")
    add_ratios_option(parser)
    options = parser.parse_args()
    quick, measured = options.quick, Ratios("terminal", options.ratios, quick=options.quick)
    simulate(CarFactory.make({"noticing": 1}), itc)

    for rows in (20,) if quick else (60, 400):
        worlds = make_factories(rows)
        pairs = []
        for _ in range(1 if quick else 3):
            one_by_one, alone = time_result(lambda worlds=worlds: [simulate(world, itc) for world in worlds])  # type: ignore[misc]
            at_once, together = time_result(partial(simulate_rows, worlds, itc))
            assert at_once == one_by_one
            pairs.append((alone, together))
        alone, together = (min(taken) for taken in zip(*pairs, strict=True))
        ratios = sorted(slow / fast for slow, fast in pairs)
        print(f"{rows} rows of worlds 1 and 2, each alone: {alone:.2f} s, {1000 * alone / rows:.1f} ms per row")
        print(f"the row number as one more column: {together:.2f} s, {ratios[0]:.1f} to {ratios[-1]:.1f} times faster")
        measured.add(f"{rows} rows at once", *ratios, least=4.0)

    world = CarFactory.make({"lobbying": "0.37", "noticing": 1})
    plan, pairs = make_plan(world), []
    for _ in range(2 if quick else 5):
        value, filtered = time_result(lambda: make_plan(world).value(1))
        plainly, plain = time_result(partial(solve_in_fractions, plan))
        assert plainly == value
        pairs.append((filtered, plain))
    filtered, plain = (min(taken) for taken in zip(*pairs, strict=True))
    ratios = sorted(slow / fast for fast, slow in pairs)
    print(f"one plan of {plan.n_states} states: {1000 * filtered:.1f} ms, tabulated and solved")
    print(f"fractions everywhere: {1000 * plain:.1f} ms, {ratios[0]:.0f} to {ratios[-1]:.0f} times as long")
    measured.add("one plan, fractions where they may count", *ratios)

    sizes = (5, 50)
    drawn = [time_call(lambda h=h: draw_picture(draw_diagram_scene(make_diagram_picture("itc", h)))) for h in sizes]  # type: ignore[misc]
    times = f"{drawn[1] / drawn[0]:.0f} times {sizes[0]}'s"
    print(f"diagram of horizon {sizes[1]}, incentives and picture: {drawn[1]:.3f} s, {times}")


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
