"""How the exact solution grows with the map: tables, others' values and all segments, from small maps to 10^7 states.

Three worlds: the workshop (13 actions) and the garden (5), where nothing is left to chance, and the icy yard, where
steps fail. Each size runs in a process of its own, so that its peak memory is its own. Prints processor seconds and
bytes per state, and how much dearer a state is than on the world's smallest map of some ten thousand states; the ratio
that is kept is the inverse, and falls where the cost of a state grows with the map.

    python benchmarks/scaling.py [--quick | --large] [NAME ...]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import read_peak, run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option

Spots = tuple[tuple[str, float, float], ...]

SIDES = {"workshop": (10, 28, 88, 275), "garden": (56, 160, 500, 1_585), "icy_yard": (58, 185, 580)}
"""Side of the map -> about 10^4, 10^5, 10^6 and 10^7 states."""
SPOTS: dict[str, Spots] = {
    "workshop": (
        ("E", 0, 0), ("X", 1, 1), ("T", 0, 1), ("W", 0.6, 0.7), ("F", 0.7, 0.5), ("K", 0, 0.3), ("K", 0.85, 0.85),
    ),
    "garden": (("S", 1, 0), ("g", 0.3, 0.3), ("G", 0, 0.4)),
    "icy_yard": (("G", 0, 0), ("E", 1, 1), ("L", 0.5, 0.5), ("S", 1, 0)),
}  # fmt: skip
"""Features as glyph, share of the way down, share of the way to the right."""


def draw_map(name: str, side: int) -> str:
    """A square map of `side` x `side` cells with its features spread; a broken wall, or ice on every ninth cell."""
    rows = [["#"] * (side + 2), *(["#", *" " * side, "#"] for _ in range(side)), ["#"] * (side + 2)]
    if name == "icy_yard":
        for cell in range(0, side * side, 9):
            rows[1 + cell // side][1 + cell % side] = "~"
    elif side >= 16:
        for column in range(1, side + 1):
            if column % 7:
                rows[1 + side // 2 - 2][column] = "#"
    for glyph, down, right in SPOTS[name]:
        rows[1 + round(down * (side - 1))][1 + round(right * (side - 1))] = glyph
    return "\n".join("".join(row) for row in rows)


def measure(name: str, side: int) -> dict[str, float]:
    """Processor seconds and peak MiB of one size; the smallest map first, so that nothing is compiled meanwhile."""
    from craftworld.scenarios import SCENARIOS
    from craftworld.solution.exact_solution import solve_trade_off
    from craftworld.solution.problem import make_problem
    from engine.compiling.kernel import Kernel

    Kernel.handled = 1 << 62  # compiled from the beginning
    world: Any = SCENARIOS[name]
    solve_trade_off(make_problem(world(world.parse_map(draw_map(name, SIDES[name][0])))))
    before = read_peak()
    began = time.process_time()
    problem = make_problem(world(world.parse_map(draw_map(name, side))))
    tabulated = time.process_time()
    segments = solve_trade_off(problem)
    ended = time.process_time()
    return {
        "states": len(problem.mdp.states),
        "segments": len(segments),
        "tables": tabulated - began,
        "seconds": ended - began,
        "before": before,
        "peak": read_peak(),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SIDES)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="stop at about 10^5 states")
    parser.add_argument("--large", action="store_true", help="go on to 10^7 states where nothing is left to chance")
    parser.add_argument("--side", type=int, help=argparse.SUPPRESS)
    add_ratios_option(parser)
    options = parser.parse_args()
    if options.side:
        print(json.dumps(measure(options.names[0], options.side)))
        return 0
    ratios = Ratios("scaling", options.ratios, quick=options.quick, least=0.3)
    print("world           map     states segments  tables  seconds  us/state  peak MiB  B/state  ratio")
    for name in options.names or SIDES:
        reference = 0.0
        for side in SIDES[name][: 2 if options.quick else 4 if options.large else 3]:
            command = [sys.executable, __file__, name, "--side", str(side)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            found = json.loads(done.stdout.splitlines()[0])
            states = int(found["states"])
            seconds = found["seconds"]
            reference = reference or seconds / states
            print(
                f"{name:10} {side:>4}x{side:<4} {states:>9} {found['segments']:>8} {found['tables']:>7.2f} "
                f"{seconds:>8.2f} {1e6 * seconds / states:>9.2f} {found['peak']:>9.0f} "
                f"{(found['peak'] - found['before']) * 2**20 / states:>8.0f} {seconds / states / reference:>6.2f}",
                flush=True,
            )
            if side != SIDES[name][0]:
                ratios.add(f"{name}, a state among 10,000 / {states}", reference * states / seconds)
    return 0


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
