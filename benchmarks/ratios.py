"""The file of ratios that a benchmark may write: how many times the alternative's speed ours is, by the row's name.

    python benchmarks/multislot.py --quick --ratios ratios.json

Every benchmark replaces its own rows and keeps those of others, so that one file holds many. Higher is better in every
row, and both sides of a ratio come from one run, so that a slower machine does not count. `compare.py` reads two files.

Every row has a bound, about half of what a quiet machine measures or less. A benchmark with a row below its bound says
so at the end, and exits with 1.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
from pathlib import Path
from typing import Any

SCHEMA = "caregrid/benchmark-ratios/1"


def add_ratios_option(parser: argparse.ArgumentParser) -> None:
    """Teach a benchmark's parser --ratios."""
    parser.add_argument("--ratios", type=Path, metavar="FILE", help="write the ratios into a JSON file, by row")


class Ratios:
    """The rows of one benchmark; each is in the file as soon as it is added, so that a run cut short keeps its rows.

    benchmark: its name; a quick run has rows of its own, since its sizes differ. path: None writes nothing. least: the
    bound of rows that have none of their own; 1, where ours is as fast as the alternative, unless that is said.
    """

    def __init__(self, benchmark: str, path: Path | None, *, quick: bool = False, least: float = 1.0) -> None:
        self._least = least
        self._section = f"{benchmark} (quick)" if quick else benchmark
        self._path = path
        self._rows: dict[str, float] = {}

    def add(self, row: str, *measured: float, least: float | None = None) -> None:
        """Add a row: the median of what was measured; ValueError for a name twice, or what is not above 0.

        least: the bound below which the benchmark fails.
        """
        ratio = statistics.median(measured)
        if row in self._rows or not 0 < ratio < math.inf:
            raise ValueError(f"{self._section}, {row}: {'named twice' if row in self._rows else f'ratio {ratio}'}")
        self._rows[row] = ratio
        bound = self._least if least is None else least
        if ratio < bound:
            _below.append(f"{self._section}, {row}: {ratio:.3g} is below its bound, {bound:g}")
        if self._path is not None:
            others = read_ratios(self._path) if self._path.exists() else {}
            written = {"schema": SCHEMA, "ratios": dict(sorted((others | {self._section: self._rows}).items()))}
            unfinished = self._path.with_name(f"{self._path.name}.new")
            unfinished.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
            os.replace(unfinished, self._path)


_below: list[str] = []


def list_below() -> list[str]:
    """A line for each row of this process that is below its bound."""
    return [*_below]


def read_ratios(path: Path) -> dict[str, dict[str, float]]:
    """Ratios by benchmark and row; ValueError, one line, for a file that is none."""
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: {error}; give a file that --ratios wrote") from None
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise ValueError(f"{path}: its schema is not {SCHEMA}; write it anew with --ratios")
    sections = content.get("ratios")
    if not isinstance(sections, dict) or not all(map(_is_section, sections.values())):
        raise ValueError(f"{path}: 'ratios' does not hold numbers above 0 by benchmark and row; write it anew")
    return sections


def _is_section(rows: object) -> bool:
    return isinstance(rows, dict) and all(
        isinstance(ratio, int | float) and not isinstance(ratio, bool) and 0 < ratio < math.inf
        for ratio in rows.values()
    )
