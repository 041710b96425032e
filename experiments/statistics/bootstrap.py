"""Intervals from few runs: percentiles of an aggregate over stratified resamples (Agarwal et al. 2021, section 4.1).

A resample draws R of the R runs, with replacement, in each environment for itself. Random numbers are counter-based, so
that the same scores give the same interval.

Choices
- fewer than `FEWEST_RUNS` runs, or fewer than `FEWEST_SCORES` scores altogether, are too few for percentiles: for
  the mean, the interval is from the lowest to the highest run, and says so;
- 2000 resamples.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.mdp.mdp import Floats
from engine.randomness.arrays import randrange_array
from engine.randomness.counter_based import split
from experiments.statistics.aggregates import Aggregate, mean

LEVEL, RESAMPLES = 0.95, 2000
FEWEST_RUNS, FEWEST_SCORES = 3, 20
BOOTSTRAP, RANGE = "95 % bootstrap", "lowest and highest run"


class ScoreInterval(NamedTuple):
    """Two ends and what they are: `BOOTSTRAP` or `RANGE`."""

    low: float
    high: float
    kind: str


def resampled(scores: Floats, label: str, count: int = RESAMPLES) -> Floats:
    """f64[count, R, M]: the scores of resampled runs. label: of whose scores they are, for numbers of their own."""
    runs, environments = scores.shape
    chosen = randrange_array(runs, split(split(0, "bootstrap"), label), (count, runs, environments))
    return scores[chosen, np.arange(environments)]


def percentile_interval(estimates: Floats, level: float = LEVEL) -> Any:
    """f64[2, ...] from f64[B, ...]: the ends between which the middle share of the estimates lies."""
    return np.quantile(estimates, [(1 - level) / 2, (1 + level) / 2], axis=0)


def bootstrap_interval(scores: Floats, aggregate: Aggregate, label: str) -> ScoreInterval | None:
    """The interval of an aggregate, None where there are too few scores for one."""
    if len(scores) < FEWEST_RUNS or scores.size < FEWEST_SCORES:
        return None
    low, high = percentile_interval(aggregate(resampled(scores, label)))
    return ScoreInterval(float(low), float(high), BOOTSTRAP)


def mean_interval(scores: Floats, label: str) -> ScoreInterval | None:
    """The interval of the mean; of too few scores the lowest and the highest run, None for a single one."""
    if len(scores) < 2:
        return None
    by_run = scores.mean(axis=1)
    return bootstrap_interval(scores, mean, label) or ScoreInterval(float(by_run.min()), float(by_run.max()), RANGE)
