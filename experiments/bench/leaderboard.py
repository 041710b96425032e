"""The leaderboard of several runs of the benchmark: which method reaches what, suite by suite, with intervals.

An entry is one method of one suite in one run. Where runs agree on a method, number by number, they make one entry.
Entries of a suite are in order of area, then of violations (fewer first), then of own return; those that agree in all
three share a rank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.bench.intervals import MeanInterval, Resamples
from experiments.bench.suite import MEASURES
from experiments.bench.summary import CaseResult, world_means
from experiments.experiment import Rows

RANKED = ("area", *MEASURES)


@dataclass(frozen=True)
class RankedMethod:
    """A method of a suite. runs: names of those that agree on it. results: its own, of every world and seed."""

    suite: str
    method: str
    runs: tuple[str, ...]
    results: tuple[CaseResult, ...]

    @property
    def fitting(self) -> list[CaseResult]:
        """The results of worlds that it fits."""
        return [result for result in self.results if result["refused"] is None]

    def mean(self, measure: str) -> float | None:
        """The mean over worlds, seeds counting equally within one; None where nothing is measured."""
        means = world_means(self.fitting, measure)
        return sum(means.values()) / len(means) if means else None


@dataclass(frozen=True)
class Standing:
    """An entry and its place. intervals: of each measure that it has, 95 percent over worlds and seeds."""

    rank: int
    entry: RankedMethod
    intervals: Mapping[str, MeanInterval]

    def row(self) -> dict[str, Any]:
        """Suite, rank, method and runs; each measure with its interval; how many worlds it fits, and how many not."""
        fitting = {result["world"] for result in self.entry.fitting}
        row: dict[str, Any] = {
            "suite": self.entry.suite,
            "rank": self.rank,
            "method": self.entry.method,
            "runs": ", ".join(self.entry.runs),
        }
        for measure in RANKED:
            low, high = self.intervals.get(measure, (None, None))
            row |= {measure: self.entry.mean(measure), f"{measure}_low": low, f"{measure}_high": high}
        worlds = {result["world"] for result in self.entry.results}
        return row | {"worlds": len(fitting), "refused": len(worlds - fitting)}


def leaderboard(runs: Mapping[str, Mapping[str, Any]]) -> list[Standing]:
    """The standings of every suite. runs: name -> the content of a benchmark's file."""
    standings = []
    entries = merged_entries(runs)
    for suite in dict.fromkeys(entry.suite for entry in entries):
        of_suite = [entry for entry in entries if entry.suite == suite]
        resamples = Resamples.of([result for entry in of_suite for result in entry.fitting])
        ordered = sorted(of_suite, key=_order)
        rank = 0
        for place, entry in enumerate(ordered, start=1):
            rank = rank if place > 1 and _order(entry) == _order(ordered[place - 2]) else place
            found = ((measure, resamples.interval(entry.fitting, measure)) for measure in RANKED)
            standings.append(Standing(rank, entry, {measure: ends for measure, ends in found if ends is not None}))
    return standings


def merged_entries(runs: Mapping[str, Mapping[str, Any]]) -> list[RankedMethod]:
    """Every method of every suite, in order of appearance; runs that agree on one make one entry."""
    found: dict[tuple[str, str], list[RankedMethod]] = {}
    for name, content in runs.items():
        grouped: dict[tuple[str, str], list[CaseResult]] = {}
        for result in content["results"]:
            grouped.setdefault((result["suite"], result["method"]), []).append(result)
        for key, results in grouped.items():
            known = found.setdefault(key, [])
            for number, entry in enumerate(known):
                if list(entry.results) == results:
                    known[number] = RankedMethod(*key, (*entry.runs, name), entry.results)
                    break
            else:
                known.append(RankedMethod(*key, (name,), tuple(results)))
    return [entry for entries in found.values() for entry in entries]


def world_table(entries: Sequence[RankedMethod]) -> Rows:
    """Method x world for the entries of one suite: the area, where no entry has one the own return; a row an entry."""
    areas = any(result["area"] is not None for entry in entries for result in entry.fitting)
    worlds = list(dict.fromkeys(result["world"] for entry in entries for result in entry.results))
    table: Rows = []
    for entry in entries:
        means = world_means(entry.fitting, "area" if areas else "own")
        table.append({"method": entry.method, "runs": ", ".join(entry.runs), **{w: means.get(w) for w in worlds}})
    return table


def _order(entry: RankedMethod) -> tuple[bool, float, bool, float, float]:
    area, violations, own = entry.mean("area"), entry.mean("violations"), entry.mean("own")
    return area is None, -(area or 0.0), violations is None, violations or 0.0, -(own or 0.0)
