"""A suite of the benchmark: worlds, the methods that are measured in each, and how one of them is measured.

    case = SUITE/WORLD/METHOD or SUITE/WORLD/METHOD/SEED          world = NAME or NAME,OPTION=VALUE,...

A file of `experiments/bench/suites/` declares one by calling `Suite` and naming it like the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.errors import ContractBroken
from experiments.experiment import ResultRow, Rows

MEASURES = ("own", "others", "performance", "violations")
COLUMNS = ("care_from", "care_to", *MEASURES, "area", "actions")
SEPARATOR = "/"


class BenchCase(NamedTuple):
    """One method in one world of a suite. seed: of a method that draws random numbers, else None."""

    suite: str
    world: str
    method: str
    seed: int | None = None

    @property
    def text(self) -> str:
        """As a setting of an experiment."""
        return SEPARATOR.join([*self[:3], *([] if self.seed is None else [str(self.seed)])])


def parse_case(text: str) -> BenchCase:
    """The case of a text."""
    suite, world, method, *seed = text.split(SEPARATOR)
    return BenchCase(suite, world, method, int(seed[0]) if seed else None)


def world_parts(world: str) -> tuple[str, tuple[str, ...]]:
    """Name and options (texts NAME=VALUE) of a world."""
    name, *options = world.split(",")
    return name, tuple(options)


def measured_row(
    own: float,
    others: float | None = None,
    performance: float | None = None,
    violations: float | None = None,
    actions: str = "",
) -> ResultRow:
    """The row of a case without a coefficient."""
    return {
        "care_from": None,
        "care_to": None,
        "own": own,
        "others": others,
        "performance": performance,
        "violations": violations,
        "area": None,
        "actions": actions,
    }


def no_random_maps(world: str) -> bool:
    """A suite without random maps."""
    return False


def takes_none(world: str, sort: str) -> bool:
    """A suite that measures its own methods only."""
    return False


@dataclass(frozen=True)
class Suite:
    """says: what it is about, in one sentence. worlds: of the whole suite. quick: the few of a quick run.

    methods: world, quick -> (method, seed) for each run. measure: case -> rows, a row an interval of coefficients:
    care_from, care_to (None: without end; both None where there is no coefficient), the MEASURES (None where a world
    has no such thing), `area` (see `craftworld.measures.dominated_area`), `actions` (one episode's, joined by commas,
    "" where chance decides). Raises BadValue or NoPlan where a method does not fit a world. takes: (world, sort) ->
    whether it measures a user's own methods of that sort (`experiments.bench.own_method`). seeds, quick_seeds: of a
    user's own agents. random_maps: whether a world has held-out maps, which the option held_out names.
    """

    says: str
    worlds: tuple[str, ...]
    quick: tuple[str, ...]
    methods: Callable[[str, bool], Sequence[tuple[str, int | None]]]
    measure: Callable[[BenchCase], Rows]
    takes: Callable[[str, str], bool] = takes_none
    seeds: tuple[int, ...] = (0, 1, 2)
    quick_seeds: tuple[int, ...] = (0,)
    random_maps: Callable[[str], bool] = no_random_maps


def require_measured(rows: Any) -> Rows:
    """The rows of a case; ContractBroken where a column is missing."""
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise ContractBroken(f"measure gave {type(rows).__name__}", place="suite", remedy="give a list of dicts")
    missing = [name for row in rows for name in COLUMNS if name not in row]
    if missing:
        remedy = f"give {', '.join(COLUMNS)}"
        raise ContractBroken(f"measure gave no '{missing[0]}'", place="suite", remedy=remedy)
    return rows
