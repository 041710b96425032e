"""Two files of ratios: 1 where a ratio fell by more than a factor, or where a row is gone; 2 for bad input.

    python benchmarks/compare.py OLD NEW [--factor 2]

Benchmarks that only one of the files has are named and not judged: not every run measures everything.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.ratios import read_ratios

FACTOR = 2.0


def parse_factor(word: str) -> float:
    """A factor of at least 1."""
    if not 1 <= (value := float(word)) < math.inf:
        raise argparse.ArgumentTypeError(f"{word} is not at least 1")
    return value


def compare_rows(old: Mapping[str, float], new: Mapping[str, float], most: float) -> list[tuple[str, bool]]:
    """A line for every row of one benchmark, and whether it fails."""
    lines = []
    for row, before in old.items():
        if row not in new:
            lines.append((f"{row}: is gone", True))
            continue
        fell = before / new[row] > most
        lines.append((f"{row}: {before:.3g} -> {new[row]:.3g}{', FELL' if fell else ''}", fell))
    return lines + [(f"{row}: new, {ratio:.3g}", False) for row, ratio in new.items() if row not in old]


def main() -> int:
    """Print a line for every row; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("old", type=Path, metavar="OLD", help="ratios of before")
    parser.add_argument("new", type=Path, metavar="NEW", help="ratios of now")
    parser.add_argument(
        "--factor", type=parse_factor, default=FACTOR, help=f"what a ratio may fall by (default {FACTOR:g})"
    )
    options = parser.parse_args()
    try:
        old, new = read_ratios(options.old), read_ratios(options.new)
    except ValueError as error:
        parser.error(str(error))
    failed = 0
    both = sorted(old.keys() & new.keys())
    if not both:
        parser.error(f"{options.old} and {options.new} have no benchmark in common; measure the same ones")
    for benchmark in both:
        for line, fails in compare_rows(old[benchmark], new[benchmark], options.factor):
            print(f"{benchmark}: {line}")
            failed += fails
    for benchmark in sorted(old.keys() ^ new.keys()):
        print(f"{benchmark}: only in {options.old if benchmark in old else options.new}")
    print(f"{failed} failed (a ratio may fall by a factor of {options.factor:g})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
