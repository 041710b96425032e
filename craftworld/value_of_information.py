"""What watching one more demonstration is worth before acting, and how far break points are known.

The best return is convex in the belief p = P(V), piecewise linear over the regions of beliefs:

    W(p) = max over policies of  own + care sum_V p(V) V,     worth of watching = E[W(p')] - W(p)

p' is the belief after one more demonstration. The expectation is a mean over sampled demonstrations. Beliefs stay as
they are on average, E[p'] = p, and so does what the policy that is best now earns, which is linear in them. So the gain
of a sample is  W(p') - (what that policy earns under p'),  which has the same expectation, varies less and is never
negative.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from craftworld.inference import Posterior, sample_demonstration
from craftworld.regions import make_belief_axes, solve_regions
from craftworld.solution.exact_solution import find_break_points
from craftworld.solution.problem import Problem
from engine.errors import BadValue
from engine.mdp.mdp import Floats
from engine.randomness.counter_based import inverse_cdf, split, uniform

Z95 = 1.96


class WorthOfWatching(NamedTuple):
    """worth: in units of the return. interval: of 95 %, for the sampling. now: W(p). samples: how many were drawn."""

    worth: float
    interval: tuple[float, float]
    now: float
    samples: int


class PointBand(NamedTuple):
    """The n-th break point: under the posterior mean (None without one), and where it is with the given credibility."""

    care: float | None
    low: float
    high: float
    chance: float


def estimate_worth_of_watching(
    problem: Problem, posterior: Posterior, care: float, samples: int, seed: int
) -> WorthOfWatching:
    """Estimate the worth of one more demonstration at a coefficient. samples: demonstrations drawn; seed: of these."""
    if samples < 2:
        raise BadValue(f"{samples} samples", place="samples", remedy="draw at least two")
    names = [each.name for each in posterior.candidates]
    cover = solve_regions(make_belief_axes(problem, names, care)).cover

    def gain(belief: Floats) -> float:
        return cover.at(belief[:-1]).value_at(belief[:-1]) - kept.value_at(belief[:-1])

    believed = posterior.probability
    gains = []
    kept = cover.at(believed[:-1])
    now = kept.value_at(believed[:-1])
    for number in range(samples):
        key = split(seed, number)
        candidate = posterior.candidates[int(inverse_cdf(believed, uniform(split(key, "who"), 0)))]
        gains.append(gain(posterior.update(sample_demonstration(candidate, split(key, "shown"))).probability))
    mean = float(np.mean(gains))
    error = Z95 * float(np.std(gains, ddof=1)) / math.sqrt(samples)
    return WorthOfWatching(mean, (mean - error, mean + error), now, samples)


def replace_beliefs(problem: Problem, probability: Floats) -> Problem:
    """Replace P(V), f64[N], in a problem."""
    weighed: Any = problem.weighed
    believed = replace(weighed, probability=probability)
    return replace(problem, weighed=believed, others=believed)


def find_break_point_bands(problem: Problem, posterior: Posterior, level: float) -> list[PointBand]:
    """Find break points from care 0 on, and the interval of the n-th one over the possible newcomers.

    level: how much of the posterior a band holds, its tails left out evenly.
    """
    if not 0.0 < level < 1.0:
        raise BadValue(f"it is {level}", place="level", remedy="choose one between 0 and 1")
    between = (0.0, math.inf)
    mean = find_break_points(replace_beliefs(problem, posterior.probability), between)
    each = []
    for number, chance in enumerate(posterior.probability):
        certain = np.eye(len(posterior.candidates))[number]
        if chance > 0.0:
            each.append((float(chance), find_break_points(replace_beliefs(problem, certain), between)))
    bands = []
    for n in range(max([len(mean), *(len(points) for _, points in each)])):
        held = sorted((points[n], chance) for chance, points in each if len(points) > n)
        low, high, total = _find_middle(held, level)
        bands.append(PointBand(mean[n] if n < len(mean) else None, low, high, total))
    return bands


def _find_middle(held: list[tuple[float, float]], level: float) -> tuple[float, float, float]:
    """Return the middle of some weighed numbers, and their weight; nan where there is none."""
    if not held:
        return math.nan, math.nan, 0.0
    total = sum(chance for _, chance in held)
    below = np.cumsum([chance for _, chance in held]) / total
    low = held[int(np.searchsorted(below, (1.0 - level) / 2))][0]
    high = held[min(int(np.searchsorted(below, (1.0 + level) / 2 - 1e-12)), len(held) - 1)][0]
    return low, high, total
