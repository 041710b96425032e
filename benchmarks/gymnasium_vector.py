"""Steps a second of many copies of the workshop: all on the table at once, against Gymnasium's SyncVectorEnv.

python benchmarks/gymnasium_vector.py [--quick]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import caregrid  # noqa: F401  (registers the worlds)

COPIES = 64


def steps_a_second(mode: str, rounds: int) -> float:
    """Random actions in every copy, the same ones for either way of stepping."""
    copies: Any = gymnasium.make_vec("caregrid/workshop-v0", num_envs=COPIES, vectorization_mode=mode, care=2.0)
    copies.reset(seed=0)
    copies.action_space.seed(0)
    actions = [copies.action_space.sample() for _ in range(rounds)]
    started = time.perf_counter()
    for chosen in actions:
        copies.step(chosen)
    return COPIES * rounds / (time.perf_counter() - started)


def main() -> None:
    """Print both and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    rounds = 200 if parser.parse_args().quick else 2000
    table, one_by_one = (steps_a_second(mode, rounds) for mode in ("vector_entry_point", "sync"))
    print(f"{COPIES} copies on the table  {table:12.0f} steps a second")
    print(f"{COPIES} copies one by one    {one_by_one:12.0f} steps a second")
    print(f"ratio {table / one_by_one:.1f}x")


if __name__ == "__main__":
    main()
