"""Intervals of means over worlds and seeds, by the bootstrap: worlds are drawn again, and in each of them its seeds.

    interval = the 2.5 and 97.5 percent quantiles of the mean over RESAMPLES resamples

It answers how a method would fare in other worlds like these; `experiments.statistics.bootstrap` keeps the worlds.

The same resamples serve all methods of a suite, so that methods are compared on the same draws; of each resample a
method has the worlds that it fits. Reference: B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993,
section 13.3 (percentile interval).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.randomness.arrays import randrange_array
from engine.randomness.counter_based import split
from experiments.bench.summary import CaseResult
from experiments.statistics.bootstrap import RESAMPLES, percentile_interval

KEY = split(0, "bootstrap over worlds and seeds")


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
        return cls(worlds, randrange_array(max(1, count), split(KEY, "worlds"), (RESAMPLES, count)))

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
        total, count = np.zeros(RESAMPLES), np.zeros(RESAMPLES)
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
        chosen = randrange_array(len(values), split(KEY, "seeds"), (*self.drawn.shape, len(values)))
        means: NDArray[np.float64] = values[chosen].mean(axis=2)
        return means
