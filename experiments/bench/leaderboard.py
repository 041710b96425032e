"""The leaderboard of several runs of the benchmark: which method reaches what, suite by suite, with intervals.

An entry is one method of one suite in one run. Where runs agree on a method, number by number, they make one entry.
Entries of a suite are in order of area, then of violations (fewer first), then of own return; those that agree in
all three share a rank.

    interval = the 2.5 and 97.5 percent quantiles of the mean over RESAMPLES resamples

A resample draws worlds again, and in each of them its seeds: it answers how a method would fare in other worlds
like these; the bootstrap of `experiments.statistics` keeps the worlds. The same resamples serve all methods of a
suite, so that methods are compared on the same draws; in each resample a method counts in the worlds where it was
measured.
Reference: B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, section 13.3 (percentile interval).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.randomness.compiled import randrange_array
from engine.randomness.counter_based import split
from experiments.bench.case_results import CaseResult, average_worlds
from experiments.bench.suite import MEASURES
from experiments.experiment import Rows
from experiments.statistics import RESAMPLES, percentile_interval

BOOTSTRAP_KEY = split(0, "bootstrap over worlds and seeds")


class MeanInterval(NamedTuple):
    """Both ends."""

    low: float
    high: float


@dataclass(frozen=True)
class Resamples:
    """Draws that all methods of a suite share. worlds: their names, W. drawn: int64[R, W], numbers of worlds."""

    worlds: tuple[str, ...]
    drawn: NDArray[np.int64]

    @classmethod
    def of(cls, results: Sequence[CaseResult]) -> Resamples:
        """The draws for the worlds of some results."""
        worlds = tuple(dict.fromkeys(result["world"] for result in results))
        count = len(worlds)
        return cls(worlds, randrange_array(max(1, count), split(BOOTSTRAP_KEY, "worlds"), (RESAMPLES, count)))

    def interval(self, results: Sequence[CaseResult], measure: str) -> MeanInterval | None:
        """The interval of one method's mean; None where fewer than two numbers are measured.

        results: the method's, without those that are refused.
        """
        measured: dict[str, list[float]] = {}
        for result in results:
            if result[measure] is not None:
                measured.setdefault(result["world"], []).append(result[measure])
        if sum(map(len, measured.values())) < 2:
            return None
        total = np.zeros(RESAMPLES)
        count = np.zeros(RESAMPLES)
        for number, world in enumerate(self.worlds):
            if world in measured:
                here = self.drawn == number
                total += (self._seed_means(np.array(measured[world])) * here).sum(axis=1)
                count += here.sum(axis=1)
        low, high = percentile_interval(total[count > 0] / count[count > 0])
        return MeanInterval(float(low), float(high))

    def _seed_means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """f64[R, W]: the means of resampled seeds, should the world be the one drawn there."""
        if len(values) == 1:
            return np.broadcast_to(values[0], self.drawn.shape)
        chosen = randrange_array(len(values), split(BOOTSTRAP_KEY, "seeds"), (*self.drawn.shape, len(values)))
        means: NDArray[np.float64] = values[chosen].mean(axis=2)
        return means


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
        """The results of the worlds that the method fits."""
        return [result for result in self.results if result["refused"] is None]

    def mean(self, measure: str) -> float | None:
        """The mean over worlds, seeds counting equally within one; None where nothing is measured."""
        means = average_worlds(self.fitting, measure)
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


def rank_methods(runs: Mapping[str, Mapping[str, Any]]) -> list[Standing]:
    """The standings of every suite. runs: name -> the content of a benchmark's file."""
    standings = []
    entries = merge_entries(runs)
    for suite in dict.fromkeys(entry.suite for entry in entries):
        of_suite = [entry for entry in entries if entry.suite == suite]
        resamples = Resamples.of([result for entry in of_suite for result in entry.fitting])
        ordered = sorted(of_suite, key=_sort_key)
        rank = 0
        for place, entry in enumerate(ordered, start=1):
            rank = rank if place > 1 and _sort_key(entry) == _sort_key(ordered[place - 2]) else place
            found = ((measure, resamples.interval(entry.fitting, measure)) for measure in RANKED)
            standings.append(Standing(rank, entry, {measure: ends for measure, ends in found if ends is not None}))
    return standings


def merge_entries(runs: Mapping[str, Mapping[str, Any]]) -> list[RankedMethod]:
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


def tabulate_worlds(entries: Sequence[RankedMethod]) -> Rows:
    """Method x world for the entries of one suite: the area, where no entry has one the own return; a row per entry."""
    areas = any(result["area"] is not None for entry in entries for result in entry.fitting)
    worlds = list(dict.fromkeys(result["world"] for entry in entries for result in entry.results))
    table: Rows = []
    for entry in entries:
        means = average_worlds(entry.fitting, "area" if areas else "own")
        table.append({"method": entry.method, "runs": ", ".join(entry.runs), **{w: means.get(w) for w in worlds}})
    return table


def _sort_key(entry: RankedMethod) -> tuple[bool, float, bool, float, float]:
    area = entry.mean("area")
    violations = entry.mean("violations")
    own = entry.mean("own")
    return area is None, -(area or 0.0), violations is None, violations or 0.0, -(own or 0.0)
