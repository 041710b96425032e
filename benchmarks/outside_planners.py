"""A plan at one coefficient beside the planners of QuantEcon and Storm, as far as these are installed.

    python benchmarks/outside_planners.py [--quick]

The world is the slippery grid with nine exits of `parametric.py`, 10^4 and 10^5 states. QuantEcon (`DiscreteDP`, value
iteration and modified policy iteration to 1e-9) asks for a discount, .99 here. Storm (its default method and precision,
1e-6) finds the least expected number of steps to an exit, undiscounted; it reads the model from a file, which is not
counted. Values are compared. Ours are in doubled precision, corrected until only rounding is left, and prove which
actions tie; the others stop at their precision. Seconds are of the processor; the ratio is theirs over ours.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
from scipy import sparse

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.parametric import make_exits
from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from engine.compiling.kernel import Kernel
from engine.mdp.mdp import TabularMDP
from engine.planning.dynamic_programming import plan

Solve = Callable[[], tuple[float, float]]
"""Processor seconds, and the value of the start state."""


def find_package(name: str) -> ModuleType | None:
    """Return a package, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def solve_ours(table: TabularMDP) -> tuple[float, float]:
    """Our plan."""
    began = time.process_time()
    value = plan(table).value[0]
    return time.process_time() - began, float(value)


def solve_by_quantecon(table: TabularMDP, method: str) -> tuple[float, float]:
    """QuantEcon's solution by one of its methods."""
    states, actions, outcomes = table.next_state.shape
    reward = table.average(table.reward)
    reward[table.terminal] = 0.0
    rows = np.repeat(np.arange(states * actions), outcomes)
    chances = (table.probability.ravel(), (rows, table.next_state.ravel()))
    matrix = sparse.csr_matrix(chances, shape=(states * actions, states))
    matrix.sum_duplicates()
    pairs = np.repeat(np.arange(states), actions), np.tile(np.arange(actions), states)
    problem = importlib.import_module("quantecon.markov").DiscreteDP(reward.ravel(), matrix, table.discount, *pairs)
    began = time.process_time()
    value = problem.solve(method=method, epsilon=1e-9, max_iter=100_000).v[0]
    return time.process_time() - began, float(value)


def solve_by_storm(table: TabularMDP) -> tuple[float, float]:
    """Less the steps that Storm expects until the end, from its explicit format."""
    stormpy = importlib.import_module("stormpy")
    lines, choices = [], 0
    for state, ends in enumerate(table.terminal):
        lines.append(f"state {state} [{int(not ends)}]{' init' * (state == 0)}{' done' * bool(ends)}")
        for action in range(1 if ends else len(table.actions)):
            chances = dict[int, float]()
            for k, p in enumerate(table.probability[state, action].tolist()):
                following = int(table.next_state[state, action, k])
                chances[following] = chances.get(following, 0.0) + p
            lines.append(f"\taction {action} [0]")
            lines += [
                f"\t\t{following} : {chances[following]!r}" for following in sorted(chances) if chances[following]
            ]
            choices += 1
    header = (
        f"@type: MDP\n@parameters\n\n@reward_models\nsteps\n@nr_states\n{len(table.terminal)}\n@nr_choices\n{choices}\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.drn"
        path.write_text(f"{header}@model\n" + "\n".join(lines) + "\n", encoding="utf-8")
        model = stormpy.build_model_from_drn(str(path))
    question = stormpy.parse_properties('R{"steps"}min=? [F "done"]')[0]
    began = time.process_time()
    result = stormpy.model_checking(model, question)
    return time.process_time() - began, -float(result.get_value(0))


def main() -> int:
    """Print a row per planner and size; 1 where a value differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="10^4 states")
    add_ratios_option(parser)
    options = parser.parse_args()
    ratios = Ratios("outside_planners", options.ratios, quick=options.quick, least=0.01)
    Kernel.handled = 1 << 62  # compiled from the beginning
    differing = 0
    for side in (60, 100) if options.quick else (60, 100, 316):  # the first one compiles
        for discount in (1.0, 0.99):
            mdp, worth = make_exits(side, 0.2, discount, np.random.default_rng(0))
            table = mdp if discount == 1.0 else replace(mdp, reward=mdp.reward + worth)
            others: dict[str, Solve] = {}
            if discount == 1.0 and find_package("stormpy") is not None:
                others["Storm"] = lambda table=table: solve_by_storm(table)  # type: ignore[misc]
            if discount < 1.0 and find_package("quantecon") is not None:
                for method in ("value_iteration", "modified_policy_iteration"):
                    others[f"QuantEcon, {method}"] = lambda table=table, method=method: solve_by_quantecon(
                        table, method
                    )  # type: ignore[misc]
            seconds, value = solve_ours(table)
            for name, solve in others.items():
                theirs, other = solve()
                if side == 60:
                    continue
                agrees = math.isclose(value, other, rel_tol=1e-6)
                differing += not agrees
                row = f"{name}, {len(table.terminal)} states"
                print(
                    f"{row:48} {theirs:8.2f} s   ours {seconds:8.2f} s   {value:.9g} and {other:.9g}"
                    f"{'' if agrees else ' DIFFER'}",
                    flush=True,
                )
                ratios.add(row, theirs / seconds)
            if side > 60 and not others:
                print(f"{len(table.terminal)} states, discount {discount}: ours {seconds:.2f} s; no other is installed")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
