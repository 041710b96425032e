"""How the exact solution grows with the map: tabulate, the newcomer's values, all segments, from small to 10^6 states.

Each size runs in a process of its own, so that its peak memory is its own. Prints seconds and bytes a state, and how
much dearer a state is than on the smallest map of the comparison.

    python benchmarks/scaling.py [--quick]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIDES = (8, 10, 16, 28, 48, 88)
REFERENCE_STATES = 9_000


def workshop_drawing(side: int) -> str:
    """A square workshop with `side` x `side` floor cells, features spread as in the paper's and a broken inner wall."""
    rows = [["#"] * (side + 2)]
    rows += [["#", *" " * side, "#"] for _ in range(side)]
    rows += [["#"] * (side + 2)]
    spots = (("E", 0, 0), ("X", 1, 1), ("T", 0, 1), ("W", 0.6, 0.7), ("F", 0.7, 0.5), ("K", 0, 0.3), ("K", 0.85, 0.85))
    if side >= 16:
        for column in range(1, side + 1):
            if column % 7:
                rows[1 + side // 2 - 2][column] = "#"
    for glyph, down, right in spots:
        rows[1 + round(down * (side - 1))][1 + round(right * (side - 1))] = glyph
    return "\n".join("".join(row) for row in rows)


def measure(side: int) -> dict[str, float]:
    """Seconds and peak bytes of one size; a tiny map first, so that nothing is compiled meanwhile."""
    from craftworld.scenarios.workshop import Workshop
    from craftworld.solution.make_problem import make_problem
    from craftworld.solution.solution import trade_off

    trade_off(make_problem(Workshop(Workshop.parse_map(workshop_drawing(6)))))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    scenario = Workshop(Workshop.parse_map(workshop_drawing(side)))
    began = time.perf_counter()
    problem = make_problem(scenario)
    tabulated = time.perf_counter()
    segments = trade_off(problem)
    ended = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {
        "side": side,
        "states": len(problem.mdp.states),
        "segments": len(segments),
        "tables": tabulated - began,
        "solve": ended - tabulated,
        "seconds": ended - began,
        "peak": peak,
        "grown": peak - before,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="stop at about 10^5 states")
    parser.add_argument("--side", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        print(json.dumps(measure(options.side)))
        return 0
    sides = SIDES[:4] if options.quick else SIDES
    print("      map    states segments  seconds  us/state  peak MiB  B/state  ratio")
    reference = None
    for side in sides:
        command = [sys.executable, __file__, "--side", str(side)]
        result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout)
        states = int(result["states"])
        cost = result["seconds"] / states
        if reference is None and states >= REFERENCE_STATES:
            reference = cost
        ratio = f"{cost / reference:6.2f}" if reference else "     -"
        print(
            f"{side:>4}x{side:<4} {states:>9} {result['segments']:>8} {result['seconds']:>8.2f} {cost * 1e6:>9.2f} "
            f"{result['peak'] / 2**20:>9.0f} {result['grown'] / states:>8.0f} {ratio}"
        )
    print(f"ratio: seconds a state, against the first map of at least {REFERENCE_STATES} states")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
