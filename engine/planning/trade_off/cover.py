"""The fewest policies that are nearly optimal everywhere: a cover of the range by the segments' own lines.

The optimum f is convex and piecewise linear. A line L_i of it is within epsilon of f on an interval I_i, since f - L_i
is convex. The fewest intervals that cover the range are found from left to right: at the first point that is not
covered yet, take the interval that holds it and reaches furthest.

No cover of these intervals is smaller. Let r_k be how far the first k intervals taken reach, and J_1, J_2, ... any
cover, by ascending ends. Then r_k is at least the end of J_k, by induction: if r_k is, some J_m with m > k holds r_k
and points beyond it, since the first k do not reach beyond; the interval taken next reaches at least as far as J_m,
hence as J_(k+1). So the cover that is found is never behind, and complete at the latest when the other one is.

The interval that reaches furthest belongs to the steepest line within epsilon at the point: two lines that both hold it
cross once; if the flatter one reached further, the steeper one would be below epsilon where they cross and above the
flatter one from there on.

Each line is used between its crossings with its neighbours, where the loss f - max L is largest: between crossings it
is convex. Epsilon is absolute, in units of the return own + c * auxiliary. Only lines of segments are chosen: a policy
that is nowhere optimal may at times cover more.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.errors import BadValue
from engine.mdp.mdp import Floats
from engine.planning.trade_off.envelope import unrounded_crossing
from engine.planning.trade_off.segment import Segment


def checked_epsilon(epsilon: float) -> float:
    """The tolerated loss; BadValue for one that is negative or not finite."""
    if not (math.isfinite(epsilon) and epsilon >= 0.0):
        raise BadValue(f"it is {epsilon}", place="epsilon", remedy="choose a number from 0 on")
    return float(epsilon)


def covering_segments(segments: Sequence[Segment], epsilon: float) -> list[Segment]:
    """The fewest of the segments, stretched, whose lines are nowhere in the range over epsilon below the optimum.

    segments: neighbours, as `engine.planning.trade_off.optimal_segments.optimal_segments` returns them; those of
    policies that never end stay as they are. Raises BadValue for an epsilon that is negative or not finite.
    """
    if checked_epsilon(epsilon) == 0.0:
        return list(segments)
    result: list[Segment] = []
    for endless, neighbours in itertools.groupby(segments, lambda segment: math.isinf(segment.line.own)):
        run = list(neighbours)
        result += run if endless else _stretched(run, epsilon)
    return result


def _stretched(segments: list[Segment], epsilon: float) -> list[Segment]:
    """The chosen segments of a run, each from its crossing with the one before to that with the one after."""
    numbers = _chosen(segments, epsilon)
    chosen = [segments[n] for n in numbers]
    inner = [
        segments[right].start
        if right == left + 1
        else unrounded_crossing(segments[left].line, segments[right].line, {})
        for left, right in itertools.pairwise(numbers)
    ]
    edges = [segments[0].start, *inner, segments[-1].stop]
    ties = [segments[0].ties, *((left.line, right.line) for left, right in itertools.pairwise(chosen))]
    return [
        replace(segment, start=edges[n], stop=edges[n + 1], ties=ties[n] if n or chosen[0] is segments[0] else ())
        for n, segment in enumerate(chosen)
    ]


def _chosen(segments: list[Segment], epsilon: float) -> list[int]:
    """The numbers of the chosen segments, ascending."""
    owns, slopes = np.array([segment.line for segment in segments]).T
    chosen = [_steepest(owns, slopes, segments[0].start, epsilon)]
    while True:
        end = _reach(owns, slopes, segments[-1].stop, chosen[-1], epsilon)
        if end >= segments[-1].stop:
            return chosen
        chosen.append(max(_steepest(owns, slopes, end, epsilon), chosen[-1] + 1))


def _steepest(owns: Floats, slopes: Floats, point: float, epsilon: float) -> int:
    """The last line within epsilon of the optimum at a point; the first one where that is -inf."""
    if math.isinf(point):
        return 0
    values = owns + point * slopes
    return int(np.flatnonzero(values >= values.max() - epsilon)[-1])


def _reach(owns: Floats, slopes: Floats, last: float, number: int, epsilon: float) -> float:
    """How far to the right a line stays within epsilon of the optimum."""
    later = slice(number + 1, None)
    ends = (owns[number] + epsilon - owns[later]) / (slopes[later] - slopes[number])  # a later line is epsilon above
    return min(float(ends.min(initial=math.inf)), last)
