"""The leaderboard of several runs of the benchmark: which method reaches what, suite by suite, with intervals.

An entry is one method of one suite in one run. Where runs agree on a method, number by number, they make one entry.

Entries are ranked over common worlds alone, so that nobody gains by leaving out what is hard: the worlds that every
entry fits which fits at least half of the suite's worlds. An entry that lacks one of them has no rank and is listed
last, with the number of worlds that it fits. Where a world is left out for all, it counts for none.

Ranked entries are in order of area, then of violations (fewer first), then of own return; those that agree in all
three, up to rounding, share a rank. Returns of different worlds have different scales. Where areas and shares say how
much of what can be reached is reached (`craftworld.trade_off_curve`), returns are therefore averaged over one world
only. Exact entries, which neither learn nor draw, are listed first: they say what can be reached. Ranks are over all.

    interval = the 2.5 and 97.5 percent quantiles of the mean over RESAMPLES resamples

A resample draws worlds again, and in each of them its seeds: it answers how a method would fare in other worlds
like these; the bootstrap of `experiments.statistics` keeps the worlds. The same resamples serve all methods of a
suite, so that methods are compared on the same draws; in each resample a method counts in the worlds where it was
measured.
Reference: B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, section 13.3 (percentile interval).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.randomness.compiled import randrange_array
from engine.randomness.counter_based import split
from engine.user_code import names_user_code
from experiments.bench.case_results import CaseResult, average_worlds, name_commonest
from experiments.bench.suite import MEASURES, SHARES
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
        """Return the draws for the worlds of some results."""
        worlds = tuple(dict.fromkeys(result["world"] for result in results))
        count = len(worlds)
        return cls(worlds, randrange_array(max(1, count), split(BOOTSTRAP_KEY, "worlds"), (RESAMPLES, count)))

    def interval(self, results: Sequence[CaseResult], measure: str) -> MeanInterval | None:
        """Return the interval of one method's mean; None where fewer than two numbers are measured.

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


COMPARED = ("area", *MEASURES, "recovered")
WITHOUT_SCALE = ("area", *SHARES, "violations", "recovered")
"""The measures that mean the same in every world."""
FITS_MOST = 0.5
"""The share of a suite's worlds that an entry must fit to have a say in which worlds are common."""
ROUNDING = 9
"""Digits after the point in which entries agree that share a rank."""


@dataclass(frozen=True)
class RankedMethod:
    """A method of a suite. runs: names of those that agree on it. results: its own, of every world and seed."""

    suite: str
    method: str
    runs: tuple[str, ...]
    results: tuple[CaseResult, ...]

    @property
    def is_exact(self) -> bool:
        """Whether the method neither learns nor draws, and is none of a user's own."""
        return all(result["seed"] is None for result in self.results) and not names_user_code(self.method)

    @property
    def coverage(self) -> float:
        """The share of the worlds in which the method was tried that it fits."""
        return len(self.worlds) / len({result["world"] for result in self.results})

    @property
    def refusals(self) -> dict[str, str]:
        """World -> why the method does not fit it."""
        return {result["world"]: result["refused"] for result in self.results if result["refused"] is not None}

    @property
    def fitting(self) -> list[CaseResult]:
        """The results of the worlds that the method fits."""
        return [result for result in self.results if result["refused"] is None]

    @property
    def worlds(self) -> set[str]:
        """The names of the worlds that the method fits."""
        return {result["world"] for result in self.fitting}

    def mean(self, measure: str, worlds: Collection[str] | None = None) -> float | None:
        """The mean over worlds, by default all, seeds counting equally within one; None where nothing is measured."""
        means = average_worlds(self.fitting, measure)
        counted = [mean for world, mean in means.items() if worlds is None or world in worlds]
        return sum(counted) / len(counted) if counted else None


class CommonGround(NamedTuple):
    """What the entries of one suite are compared by. worlds: common ones. measures: those that have means there."""

    worlds: tuple[str, ...]
    measures: tuple[str, ...]


def find_comparison(entries: Sequence[RankedMethod]) -> CommonGround:
    """Return the common worlds of the entries of one suite, and the measures that can be averaged over them."""
    every = list(dict.fromkeys(result["world"] for entry in entries for result in entry.results))
    most = [entry.worlds for entry in entries if len(entry.worlds) >= FITS_MOST * len(every)]
    common = tuple(world for world in every if most and all(world in fitting for fitting in most))
    has_areas = any(entry.mean("area") is not None for entry in entries)
    return CommonGround(common, WITHOUT_SCALE if has_areas and len(common) > 1 else COMPARED)


@dataclass(frozen=True)
class Standing:
    """An entry and its place. rank: None for a method that lacks a common world. means, intervals: of each of its
    measures, over the common worlds, or over those it fits where it has no rank; 95 percent over worlds and seeds.
    acts_as: what it is identified as in most of these worlds, None where nothing is. tied: whether others have the same
    rank.
    """

    rank: int | None
    entry: RankedMethod
    means: Mapping[str, float]
    intervals: Mapping[str, MeanInterval]
    common: int
    acts_as: str | None = None
    tied: bool = False

    @property
    def place(self) -> str:
        """The rank as text: "2", "2=" where it is shared, "-" where there is none."""
        return "-" if self.rank is None else f"{self.rank}{'=' * self.tied}"

    def row(self) -> dict[str, Any]:
        """Suite, rank, method and runs; each measure with its interval; how many worlds it fits, and how many not."""
        fitting = self.entry.worlds
        row: dict[str, Any] = {
            "suite": self.entry.suite,
            "rank": self.rank,
            "method": self.entry.method,
            "runs": ", ".join(self.entry.runs),
        }
        for measure in COMPARED:
            low, high = self.intervals.get(measure, (None, None))
            row |= {measure: self.means.get(measure), f"{measure}_low": low, f"{measure}_high": high}
        refused = len({result["world"] for result in self.entry.results}) - len(fitting)
        counts = {"worlds": len(fitting), "common": self.common, "refused": refused}
        row["acts_as"] = self.acts_as
        return row | counts | {"coverage": self.entry.coverage, "exact": self.entry.is_exact}


def rank_methods(runs: Mapping[str, Mapping[str, Any]]) -> list[Standing]:
    """Return the standings of every suite. runs: name -> the content of a benchmark's file."""
    standings = []
    entries = merge_entries(runs)
    for suite in dict.fromkeys(entry.suite for entry in entries):
        of_suite = [entry for entry in entries if entry.suite == suite]
        standings += _rank_suite(of_suite)
    return standings


def _rank_suite(entries: Sequence[RankedMethod]) -> list[Standing]:
    """Return the standings of one suite: those with a rank, then the others by the number of worlds that they fit."""
    worlds, measures = find_comparison(entries)
    covering = [entry for entry in entries if worlds and entry.worlds.issuperset(worlds)]
    rest = [entry for entry in entries if entry not in covering]
    keys = {id(entry): _make_sort_key(entry, worlds, measures) for entry in covering}
    ordered = sorted(covering, key=lambda entry: keys[id(entry)])
    resamples = Resamples.of([result for entry in entries for result in entry.fitting if result["world"] in worlds])
    found: list[Standing] = []
    for place, entry in enumerate(ordered, start=1):
        is_tied = place > 1 and keys[id(entry)] == keys[id(ordered[place - 2])]
        results = [result for result in entry.fitting if result["world"] in worlds]
        means = {name: mean for name in measures if (mean := entry.mean(name, worlds)) is not None}
        ends = {name: end for name in measures if (end := resamples.interval(results, name)) is not None}
        rank = found[-1].rank if is_tied else place
        found.append(Standing(rank, entry, means, ends, len(worlds), name_commonest(results)))
    for entry in sorted(rest, key=lambda each: -len(each.worlds)):
        means = {name: mean for name in WITHOUT_SCALE if (mean := entry.mean(name)) is not None}
        found.append(Standing(None, entry, means, {}, len(worlds), name_commonest(entry.fitting)))
    ranks = [each.rank for each in found]
    shown = [replace(each, tied=each.rank is not None and ranks.count(each.rank) > 1) for each in found]
    return sorted(shown, key=lambda each: (each.rank is None, not each.entry.is_exact))


def merge_entries(runs: Mapping[str, Mapping[str, Any]]) -> list[RankedMethod]:
    """Return every method of every suite, in order of appearance; runs that agree on one make one entry."""
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


def _make_sort_key(
    entry: RankedMethod, worlds: Collection[str], measures: Sequence[str]
) -> tuple[bool, float, bool, float, float]:
    area = entry.mean("area", worlds)
    violations = entry.mean("violations", worlds)
    own = entry.mean("own" if "own" in measures else "own_share", worlds)
    shown = round(area or 0.0, ROUNDING), round(violations or 0.0, ROUNDING), round(own or 0.0, ROUNDING)
    return area is None, -shown[0], violations is None, shown[1], -shown[2]
