"""The main job: Q-learning steps per second, the whole Figure 1(b) protocol, and all exact segments of the workshop.

The alternative is what one would write first: a learner with a dictionary table (state and action -> value) and an
environment object that steps a state at a time, on the same world, with the same update and protocol, in the same run.
Beside it a plain learner written for speed (a dictionary of rows), to show what plain Python can do at best, and a
bound that the machine sets: the same draws and updates, each in a state that does not depend on the step before.
Seconds are of a processor, but for the protocol.

    python benchmarks/caring_sweep.py [--quick]
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from engine.compiling.kernel import Kernel, kernel
from engine.randomness.compiled import bits_1

LEARNING_TARGET = 150.0
EXACT_TARGET = 0.05
PROTOCOL_TARGET = 10.0


class PlainWorkshop:
    """The workshop as an environment object: plain integers and tuples, one state at a time."""

    def __init__(self, scenario: Any) -> None:
        grid = scenario.grid
        self.actions = scenario.actions
        self.spots = {name: set(grid.cells(name)) for name in ("toolshed", "wood", "factory", "entrance", "exit")}
        self.keys = grid.cells("key place")
        self.grid = grid
        self.start = grid.only("entrance")
        self.doors = self.spots["entrance"] | self.spots["exit"]
        self.reset()

    def reset(self) -> tuple[Any, ...]:
        self.cell = self.start
        self.key = 0
        self.hammer = self.wood = self.box = False
        self.extra_hammer = self.extra_wood = 0
        return self.state()

    def state(self) -> tuple[Any, ...]:
        return (self.cell, self.key, self.hammer, self.wood, self.box, self.extra_hammer, self.extra_wood)

    def step(self, action: int) -> tuple[tuple[Any, ...], float, bool]:
        reward = -1.0
        held = len(self.keys)
        here = self.cell
        if action < 4:
            self.cell = self.grid.move(here, action)
        elif action == 4 and self.key < held and self.keys[self.key] == here:
            self.key = held
        elif action == 5 and self.key == held and here in self.keys:
            self.key = self.keys.index(here)
        elif action == 6 and here in self.spots["toolshed"]:
            self.hammer = True
        elif action == 7 and here in self.spots["wood"]:
            self.wood = True
        elif action == 8 and here in self.spots["factory"] and self.key == held and self.hammer and self.wood:
            self.box = True
        elif action == 9 and here in self.spots["toolshed"] and not self.extra_hammer:
            self.extra_hammer = 1
        elif action == 10 and here in self.spots["wood"] and not self.extra_wood:
            self.extra_wood = 1
        elif action == 11 and here in self.spots["factory"] and self.extra_hammer == 1:
            self.extra_hammer = 2
        elif action == 12 and here in self.spots["factory"] and self.extra_wood == 1:
            self.extra_wood = 2
            reward = -13.0
        return self.state(), reward, self.box and self.cell in self.doors


class DictionaryTable:
    """Action values in a dictionary, state and action -> value."""

    def __init__(self, actions: int) -> None:
        self.actions = range(actions)
        self.values = dict[Any, float]()

    def best(self, state: Any) -> float:
        return max(self.values.get((state, action), 0.0) for action in self.actions)

    def greedy(self, state: Any) -> int:
        return max(self.actions, key=lambda action: self.values.get((state, action), 0.0))

    def update(self, state: Any, action: int, target: float, rate: float) -> None:
        old = self.values.get((state, action), 0.0)
        self.values[state, action] = old + rate * (target - old)


class DictionaryOfRows(DictionaryTable):
    """Action values in a dictionary of lists, a list per state."""

    def __init__(self, actions: int) -> None:
        self.rows: defaultdict[Any, list[float]] = defaultdict(lambda: [0.0] * actions)

    def best(self, state: Any) -> float:
        return max(self.rows[state])

    def greedy(self, state: Any) -> int:
        row = self.rows[state]
        return row.index(max(row))

    def update(self, state: Any, action: int, target: float, rate: float) -> None:
        row = self.rows[state]
        row[action] += rate * (target - row[action])


def measure_plain_rate(scenario: Any, table: type[DictionaryTable], steps: int) -> float:
    """Tabular Q-learning, epsilon 0.5, learning rate 1, episodes of at most 1000 steps."""
    world = PlainWorkshop(scenario)
    source = random.Random(1)
    count = len(world.actions)
    values = table(count)
    state, age = world.reset(), 0
    began = time.process_time()
    for _ in range(steps):
        action = source.randrange(count) if source.random() < 0.5 else values.greedy(state)
        target, reward, ended = world.step(action)
        values.update(state, action, reward + (0.0 if ended else values.best(target)), 1.0)
        state, age = target, age + 1
        if ended or age == 1000:
            state, age = world.reset(), 0
    return steps / (time.process_time() - began)


def measure_kernel_rate(problem: Any, steps: int, planning_steps: int) -> float:
    """Our kernel at a caring coefficient in the middle of the figure."""
    from engine.learning.q_learning import QLearningSettings, learn_action_values

    table = problem.make_augmented_table(1.0, int(problem.mdp.start_states()[0]))
    learn_action_values(table, 1, QLearningSettings(steps=1000, planning_steps=planning_steps))
    began = time.process_time()
    learn_action_values(table, 1, QLearningSettings(steps=steps, planning_steps=planning_steps))
    return steps / (time.process_time() - began)


@kernel
def update_in_turn(next_state, reward, q, best, greedy, count):  # type: ignore[no-untyped-def]
    """So many draws and updates, in one state after the other."""
    states, actions, _ = next_state.shape
    state = 0
    for step in range(count):
        draw = bits_1(np.uint64(1), step)
        usual = greedy[state]
        explored = np.int64(((draw & np.uint64(0xFFFFFFFF)) * np.uint64(actions)) >> np.uint64(32))
        action = usual ^ ((usual ^ explored) & -np.int64((draw >> np.uint64(32)) < np.uint64(1 << 31)))
        new = reward[state, action, 0] + best[next_state[state, action, 0]]
        q[state, action] = new
        leads = new >= best[state]
        best[state] = new if leads else best[state]
        greedy[state] = action if leads else usual
        state = state + 1 if state + 1 < states else 0


def _measure_without_planning(problem: Any, steps: int) -> float:
    return measure_kernel_rate(problem, steps, planning_steps=0)


def measure_bound(problem: Any, steps: int) -> float:
    """The same draws and updates without following anybody: no step waits for the one before."""
    table = problem.make_augmented_table(1.0, int(problem.mdp.start_states()[0]))
    value = np.zeros(len(table.terminal))
    arguments = table.next_state, table.reward, np.zeros(table.next_state.shape[:2]), value, np.zeros_like(value, int)
    update_in_turn(*arguments, 1)
    began = time.process_time()
    update_in_turn(*arguments, steps)
    return steps / (time.process_time() - began)


def main() -> int:
    from craftworld.scenarios import SCENARIOS
    from craftworld.scenarios.workshop import Workshop
    from craftworld.solution.exact_solution import solve_trade_off
    from craftworld.solution.problem import make_problem
    from experiments.caring_problem import NamedProblem
    from experiments.requests.sweep import CareSweepRequest
    from experiments.runs.engines import EngineOptions
    from experiments.runs.run_directory import RunDirectory
    from experiments.runs.runner import run_experiment

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the coefficients")
    parser.add_argument("--workers", type=int, default=2, help="worker processes of the protocol (default 2)")
    add_ratios_option(parser)
    options = parser.parse_args()
    measured = Ratios("caring_sweep", options.ratios, quick=options.quick)

    Kernel.handled = 1 << 62  # compiled from the beginning
    solve_trade_off(make_problem(Workshop()))  # compiles, or loads what was compiled
    began = time.process_time()
    segments = solve_trade_off(problem := make_problem(Workshop()))
    exact = time.process_time() - began
    print(f"exact: tables, values and {len(segments)} segments in {exact:.3f} s (target {EXACT_TARGET} s)")

    ratios = []
    for _ in range(3):  # in turn, so that a busy machine is busy for all
        plain = measure_plain_rate(problem.scenario, DictionaryTable, 40_000)
        by_rows = measure_plain_rate(problem.scenario, DictionaryOfRows, 80_000)
        ours = measure_kernel_rate(problem, 8_000_000, planning_steps=0)
        ratios.append(ours / plain)
        print(
            f"Q-learning, steps per second: ours {ours:,.0f}; dictionary table {plain:,.0f}, ratio {ratios[-1]:.0f}; "
            f"dictionary of rows {by_rows:,.0f}, ratio {ours / by_rows:.0f}"
        )
    small = make_problem(SCENARIOS["garden"]())
    measured.add("Q-learning / dictionary table", *ratios, least=100.0)
    for name, world in (("workshop", problem), ("garden", small)):
        ours, bound = (
            max(rate(world, 4_000_000) for _ in range(3)) for rate in (_measure_without_planning, measure_bound)
        )
        measured.add(f"{name}, share of the bound", ours / bound, least=0.15)
        print(
            f"{name}, {len(world.mdp.terminal)} states: ours {ours:,.0f}; bound {bound:,.0f}, share {ours / bound:.2f}"
        )
    print(f"median ratio to the dictionary table {sorted(ratios)[1]:.0f} (target {LEARNING_TARGET:.0f})")
    print(f"with remembered steps: {measure_kernel_rate(problem, 700_000, planning_steps=64):,.0f} steps per second")

    request = CareSweepRequest(
        NamedProblem("workshop"), care="0:7:0.1" if options.quick else "0:7:0.01", method="q_learning"
    )
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        run_experiment(request.experiment(), folder, engine="local", options=EngineOptions(options.workers))
        seconds = time.perf_counter() - began
        used = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        rows = [row for unit in RunDirectory(Path(folder), request.experiment()).read_finished() for row in unit.rows]
    optimal = sum(row["regret"] == 0 for row in rows)
    plain = measure_plain_rate(problem.scenario, DictionaryTable, 40_000)
    measured.add("protocol / dictionary table", sum(row["steps_taken"] for row in rows) / used / plain)
    each = 1e3 * used / len(rows)
    alone = 7e5 / plain
    print(
        f"protocol: {each:.1f} ms of a processor per coefficient; 700,000 steps with a dictionary table {alone:.1f} s"
    )
    print(
        f"protocol: {len(rows)} coefficients learned with {options.workers} workers in {seconds:.1f} s, "
        f"{used:.1f} s of processors (target {PROTOCOL_TARGET:.0f} s for 700); {optimal} of them optimal"
    )
    return 0


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
