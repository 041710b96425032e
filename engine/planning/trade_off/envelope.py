"""Lines  c -> own + c * auxiliary,  their upper envelope in a range of coefficients, and a cover by few of them.

A line is the return of a policy as a coefficient grows, a segment is where the policy is optimal, and the envelope
says which line is highest for which coefficients. What counts as equal is a matter of the lines' own rounding
errors, so that it depends neither on units nor on other lines. Two coefficients count as one where they differ by
EQUAL of themselves; lines tie at a coefficient where their returns there, or at one that counts as the same, differ
by no more than rounding. Where all numbers are read as the fractions that were meant, the envelope is exact.

The fewest policies that are nearly optimal everywhere are a cover of the range by the segments' own lines. The
optimum f is convex and piecewise linear. A line L_i of it is within epsilon of f on an interval I_i, since f - L_i
is convex. The fewest intervals that cover the range are found from left to right: at the first point that is not
covered yet, take the interval that holds it and reaches furthest.

No cover of these intervals is smaller. Let r_k be how far the first k intervals taken reach, and J_1, J_2, ... any
cover, by ascending ends. Then r_k is at least the end of J_k, by induction: if r_k is, some J_m with m > k holds r_k
and points beyond it, since the first k do not reach beyond; the interval taken next reaches at least as far as J_m,
hence as J_(k+1). So the cover that is found is never behind, and complete at the latest when the other one is.

The interval that reaches furthest belongs to the steepest line within epsilon at the point: two lines that both
hold it cross once; if the flatter one reached further, the steeper one would be below epsilon where they cross and
above the flatter one from there on.

Each line is used between its crossings with its neighbours, where the loss f - max L is largest: between crossings
it is convex. Epsilon is absolute, in units of the return own + c * auxiliary. Only lines of segments are chosen: a
policy that is nowhere optimal may at times cover more.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple, TypeVar

import numpy as np

from engine.errors import BadValue
from engine.mdp.mdp import Floats, Policy
from engine.planning.certificates.interval import as_fraction
from engine.value_types import ToleratedLoss, require

MOST_STEPS = 150  # of a table that is solved in fractions
NEAR, MOST_NEAR = 1e-12, 1000  # of the size of a return; lines
ExactLine = tuple[Fraction, Fraction]
Coordinate = TypeVar("Coordinate", float, Fraction)


class Line(NamedTuple):
    """A policy's own return and the auxiliary return that the coefficient multiplies."""

    own: float
    auxiliary: float

    def at(self, coefficient: float) -> float:
        """own + coefficient * auxiliary."""
        return self.own + coefficient * self.auxiliary


@dataclass(frozen=True)
class Segment:
    """One optimal line: from `start` (-inf for none) to `stop` (inf for none), and states and actions of its path.

    path: state numbers from the start state to the end, empty where the table is stochastic; actions: between them.
    policy: int32[S] where the path says too little (stochastic or discounted tables, cycles), else None. ties: all
    lines that are optimal at `start`, by rising auxiliary value, this segment's last (where `policy` is given just the
    two that meet).
    """

    start: float
    stop: float
    line: Line
    path: tuple[int, ...] = ()
    actions: tuple[int, ...] = ()
    policy: Policy | None = None
    ties: tuple[Line, ...] = ()


def find_segment_policy(segment: Segment, states: int) -> Policy:
    """Return int32[S], a segment's policy; where it has none, its path's actions."""
    if segment.policy is not None:
        return segment.policy
    policy = np.zeros(states, dtype=np.int32)
    policy[list(segment.path[: len(segment.actions)])] = segment.actions
    return policy


@dataclass
class SearchCost:
    """What a search for segments took. policies: how many were evaluated in the whole table, 0 for shortest paths."""

    policies: int = 0


EQUAL = 1e-9
ROUNDING = 1e-14
TIED = 4.0  # rounding errors at a break point, whose coefficient is rounded as well
LARGEST_DENOMINATOR, BY_CHANCE = 100_000, 1e-6


class Rounding(NamedTuple):
    """What rounding does to a line's two returns: how far off they may be, and what they are known to miss."""

    error: Line
    missed: Line = Line(0.0, 0.0)


Roundings = Mapping[Line, Rounding]


def find_envelope(lines: Sequence[Line], roundings: Roundings | None = None) -> list[tuple[float, float, Line]]:
    """Upper envelope as (from, to, line), slopes ascending; a lone point of contact makes no segment.

    roundings: of the lines; by default errors are relative to the returns.
    """
    known = roundings or {}
    hull: list[Line] = []
    for line in sorted(lines, key=lambda line: (line.auxiliary, line.own)):
        if hull and not is_steeper(hull[-1], line, known):
            if line.own <= hull[-1].own:
                continue
            hull.pop()
        while len(hull) > 1 and not rises_above(hull[-2], hull[-1], line, known):
            hull.pop()
        hull.append(line)
    starts = [find_unrounded_crossing(left, right, known) for left, right in itertools.pairwise(hull)]
    return list(zip([-math.inf, *starts], [*starts, math.inf], hull, strict=True))


def is_steeper(flat: Line, steep: Line, roundings: Roundings) -> bool:
    """Return whether the second line's slope is larger by more than rounding."""
    noise = _get_rounding(flat, roundings).error.auxiliary + _get_rounding(steep, roundings).error.auxiliary
    return subtract_lines(flat, steep, roundings).auxiliary > noise


def rises_above(left: Line, middle: Line, right: Line, roundings: Roundings) -> bool:
    """Return whether a line is higher than two others, of smaller and larger slope, where these meet."""
    meeting = find_crossing(left, right, roundings)
    gain = subtract_lines(left, middle, roundings).at(meeting)
    return gain > sum(_get_rounding(line, roundings).error.at(abs(meeting)) for line in (left, middle, right))


def subtract_lines(one: Line, other: Line, roundings: Roundings) -> Line:
    """By how much the returns of the second line are larger, with what they miss by being rounded."""
    first, second = (_get_rounding(line, roundings).missed for line in (one, other))
    own = other.own - one.own + (second.own - first.own)
    return Line(own, other.auxiliary - one.auxiliary + (second.auxiliary - first.auxiliary))


def _get_rounding(line: Line, roundings: Roundings) -> Rounding:
    return roundings.get(line) or Rounding(Line(ROUNDING * abs(line.own), ROUNDING * abs(line.auxiliary)))


def find_unrounded_crossing(left: Line, right: Line, roundings: Roundings) -> float:
    """Return where two lines meet, as a fraction of small denominator where rounding alone keeps them apart."""
    meeting = find_crossing(left, right, roundings)
    noise = _get_rounding(left, roundings).error.own + _get_rounding(right, roundings).error.own
    return undo_rounding(meeting, noise / subtract_lines(left, right, roundings).auxiliary)


def undo_rounding(number: float, noise: float) -> float:
    """The fraction of small denominator that a number misses by at most `noise` or rounding; else the number itself.

    A denominator is small where few numbers are so near to a fraction by chance: about q * q * noise of all numbers are
    that near to one of denominator q at most, and here this is at most BY_CHANCE.
    """
    near = max(noise, ROUNDING * abs(number))
    largest = int(min(LARGEST_DENOMINATOR, math.sqrt(BY_CHANCE / near)) if near else LARGEST_DENOMINATOR)
    if not largest:
        return number
    simple = float(Fraction(number).limit_denominator(largest))
    return simple if abs(simple - number) <= near else number


def find_crossing(flat: Line, steep: Line, roundings: Roundings | None = None) -> float:
    """Return the coefficient at which two lines of different slope meet. roundings: as for `find_envelope`."""
    more = subtract_lines(flat, steep, roundings or {})
    return -more.own / more.auxiliary


def find_upper_hull(points: Iterable[tuple[Coordinate, Coordinate]]) -> list[tuple[Coordinate, Coordinate]]:
    """Return the corners (y, x) of the upper hull of points, by rising x; in fractions exactly.

    Of lines, as (own, auxiliary), they are those of the upper envelope, for which one point of contact is not enough.
    """
    hull: list[tuple[Coordinate, Coordinate]] = []
    for y, x in sorted(points, key=lambda point: (point[1], point[0])):
        if hull and hull[-1][1] == x:
            hull.pop()
        while len(hull) > 1 and _turns_up(hull[-2], hull[-1], (y, x)):
            hull.pop()
        hull.append((y, x))
    return hull


def _turns_up(
    left: tuple[Coordinate, Coordinate], middle: tuple[Coordinate, Coordinate], right: tuple[Coordinate, Coordinate]
) -> bool:
    """Return whether the middle one of three points, by rising x, is not above the line through the others."""
    return (middle[1] - left[1]) * (right[0] - left[0]) >= (right[1] - left[1]) * (middle[0] - left[0])


class ExactEnvelope(NamedTuple):
    """The envelope of lines in fractions: (from, to, line) as numbers, and the lines that tie where each begins."""

    pieces: list[tuple[float, float, Line]]
    ties: list[tuple[Line, ...]]

    def find_ties(self, start: float, line: Line) -> tuple[Line, ...]:
        """Return the lines that tie where a line's piece begins; none where the piece was cut there."""
        found = [ties for piece, ties in zip(self.pieces, self.ties, strict=True) if piece[2] == line]
        begins = [piece[0] for piece in self.pieces if piece[2] == line]
        return found[0] if begins and is_at_most(begins[0], start) and is_at_most(start, begins[0]) else ()


def find_exact_envelope(lines: Sequence[Line]) -> ExactEnvelope | None:
    """Return the envelope of lines, read as the fractions that were meant; None without these, or for too many lines.

    Lines that are far below it are left out first.
    """
    rough = find_envelope(lines)
    edges = np.array([left for left, _, _ in rough[1:]])
    top = np.array([line for _, _, line in rough])
    numbers = np.array(lines)
    place = np.searchsorted(top[:, 1], numbers[:, 1])
    points = np.append(edges, np.inf)[np.maximum(place - 1, 0)] if len(edges) else np.zeros(len(numbers))
    points = np.where(np.isfinite(points), points, edges[-1] if len(edges) else 0.0)
    over = top[np.minimum(place, len(top) - 1)]
    size = np.abs(numbers[:, 0]) + np.abs(points * numbers[:, 1]) + np.abs(over[:, 0]) + np.abs(points * over[:, 1])
    below = over[:, 0] - numbers[:, 0] + points * (over[:, 1] - numbers[:, 1])
    near = [line for line, low in zip(lines, (below > NEAR * size).tolist(), strict=True) if not low]
    if len(near) > MOST_NEAR:
        return None
    read = [(as_fraction(line.own), as_fraction(line.auxiliary)) for line in near]
    exact = {(own, extra): line for (own, extra), line in zip(read, near, strict=True) if None not in (own, extra)}
    if len(exact) < len(near):
        return None
    known: dict[ExactLine, Line] = exact  # type: ignore[assignment]
    hull = find_upper_hull(known)
    points_exact = [find_exact_crossing(*pair) for pair in itertools.pairwise(hull)]
    ends = [-math.inf, *map(float, points_exact), math.inf]
    pieces = [(left, right, known[line]) for (left, right), line in zip(itertools.pairwise(ends), hull, strict=True)]
    ties: list[tuple[Line, ...]] = [()]
    for point, line in zip(points_exact, hull[1:], strict=True):
        best = line[0] + point * line[1]
        through = [each for each in known if each[0] + point * each[1] == best]
        ties.append(tuple(known[each] for each in sorted(through, key=lambda each: each[1])))
    return ExactEnvelope(pieces, ties)


def find_exact_crossing(flat: ExactLine, steep: ExactLine) -> Fraction:
    """Return the coefficient at which two lines of different slope meet."""
    return (flat[0] - steep[0]) / (steep[1] - flat[1])


class Ties:
    """Which of some lines pass through a point of their envelope.

    They tie where their returns differ by no more than rounding at the coefficient, or at one that counts as the same.
    """

    def __init__(self, lines: Sequence[Line], roundings: Roundings | None = None) -> None:
        """roundings: as for `find_envelope`."""
        self._lines, self._known = lines, roundings or {}
        self._returns = np.array(lines)
        self._missed = np.zeros_like(self._returns)
        self._errors = ROUNDING * np.abs(self._returns)
        if self._known:
            self._missed = np.array([self._known[line].missed for line in lines])
            self._errors = np.array([self._known[line].error for line in lines])

    def at(self, coefficient: float, top: Line) -> tuple[Line, ...]:
        """Return all lines through the envelope's point at a coefficient, by rising slope; none where there is but one.

        top: the line of the envelope that passes through the point and is counted last, unless a steeper one ties too.
        """
        if not math.isfinite(coefficient):
            return ()
        error, missed = _get_rounding(top, self._known)
        more = self._returns - top + (self._missed - missed)
        weights = np.array([1.0, coefficient])
        noise = TIED * ((self._errors + error) @ np.abs(weights)) + EQUAL * np.abs(coefficient * more[:, 1])
        through = {top, *(self._lines[number] for number in map(int, np.flatnonzero(np.abs(more @ weights) <= noise)))}
        different = list[Line]()
        for line in sorted(through, key=lambda line: (line.auxiliary, line.own)):
            if different and not is_steeper(different[-1], line, self._known):
                different[-1] = line if line == top else different[-1]
            else:
                different.append(line)
        return tuple(different) if len(different) > 1 else ()


Range = tuple[float, float]
EVERYWHERE: Range = (-math.inf, math.inf)


def check_range(between: Range, place: str = "between") -> Range:
    """(low, high) as floats, low = high for one coefficient. BadValue where it is nan, reversed or a lone infinity."""
    low, high = float(between[0]), float(between[1])
    if math.isnan(low) or math.isnan(high):
        raise BadValue(f"coefficients from {low} to {high}", place=place, remedy="give numbers; inf for no bound")
    if low > high:
        raise BadValue(f"coefficients from {low} to {high}: empty", place=place, remedy="give the lower one first")
    if low == math.inf or high == -math.inf:
        raise BadValue(f"coefficients from {low} to {high}: empty", place=place, remedy="choose a finite bound")
    return low, high


def cut_pieces(pieces: Iterable[tuple[float, float, Line]], low: float, high: float) -> list[tuple[float, float, Line]]:
    """Return the pieces (from, to, line) of an envelope within a range, cut at its ends.

    A point belongs to the piece on its right: a piece that ends at `low` is left out, one that begins at `high` is kept
    as the single point `high`.
    """
    kept = [piece for piece in pieces if not is_at_most(piece[1], low) and is_at_most(piece[0], high)]
    edges = [low, *(min(left, high) for left, _, _ in kept[1:]), high]
    return [(left, right, line) for (left, right), (_, _, line) in zip(itertools.pairwise(edges), kept, strict=True)]


def unite_points(points: Iterable[float], between: Range) -> dict[float, float]:
    """Point -> the one that stands for all that differ from it by rounding alone.

    The ends of the range stand for themselves; of other points the one that is the simplest fraction is taken.
    """
    alike = list[list[float]]()
    for point in sorted({*points, *between}):
        if alike and is_at_most(point, alike[-1][0]):
            alike[-1].append(point)
        else:
            alike.append([point])
    ends = dict(zip(between, between, strict=True))
    first = [min(group, key=lambda point: (point not in ends, _find_denominator(point))) for group in alike]
    return {point: one for one, group in zip(first, alike, strict=True) for point in group} | ends


def _find_denominator(point: float) -> float:
    """Of a fraction that is short; infinite for all other numbers."""
    if math.isinf(point):
        return math.inf
    simple = Fraction(point).limit_denominator(LARGEST_DENOMINATOR)
    return simple.denominator if float(simple) == point else math.inf


def move_points(segments: Sequence[Segment], point: Mapping[float, float]) -> list[Segment]:
    """Neighbouring segments with other ends, `point` of each; without those that are narrower than rounding."""
    result, ties = list[Segment](), set[Line]()
    for segment in segments:
        start, stop = point[segment.start], point[segment.stop]
        if start == stop and segment.start < segment.stop and segment is not segments[-1]:
            ties.update(segment.ties)
            continue
        tied = tuple(sorted(ties.union(segment.ties), key=lambda line: line.auxiliary))
        result.append(replace(segment, start=start, stop=stop, ties=tied))
        ties = set()
    return result


def is_at_most(number: float, bound: float) -> bool:
    """Return whether a number is not larger than a bound, but for rounding."""
    if math.isinf(number) or math.isinf(bound):
        return number <= bound
    return number <= bound + EQUAL * max(abs(number), abs(bound))


def check_epsilon(epsilon: float) -> float:
    """Return the tolerated loss; BadValue for one that is negative or not finite."""
    return float(require("epsilon", epsilon, ToleratedLoss))


def find_covering_segments(segments: Sequence[Segment], epsilon: float) -> list[Segment]:
    """The fewest of the segments, stretched, whose lines are nowhere in the range over epsilon below the optimum.

    segments: neighbours, as `engine.planning.trade_off.optimal_segments.find_segments` returns them; those of
    policies that never end stay as they are. Raises BadValue for an epsilon that is negative or not finite.
    """
    if check_epsilon(epsilon) == 0.0:
        return list(segments)
    result: list[Segment] = []
    for endless, neighbours in itertools.groupby(segments, lambda segment: math.isinf(segment.line.own)):
        run = list(neighbours)
        result += run if endless else _stretch_segments(run, epsilon)
    return result


def _stretch_segments(segments: list[Segment], epsilon: float) -> list[Segment]:
    """Return the chosen segments of a run, each from its crossing with the one before to that with the one after."""
    numbers = _choose_segments(segments, epsilon)
    chosen = [segments[n] for n in numbers]
    inner = [
        segments[right].start
        if right == left + 1
        else find_unrounded_crossing(segments[left].line, segments[right].line, {})
        for left, right in itertools.pairwise(numbers)
    ]
    edges = [segments[0].start, *inner, segments[-1].stop]
    ties = [segments[0].ties, *((left.line, right.line) for left, right in itertools.pairwise(chosen))]
    return [
        replace(segment, start=edges[n], stop=edges[n + 1], ties=ties[n] if n or chosen[0] is segments[0] else ())
        for n, segment in enumerate(chosen)
    ]


def _choose_segments(segments: list[Segment], epsilon: float) -> list[int]:
    """Return the numbers of the chosen segments, ascending."""
    owns, slopes = np.array([segment.line for segment in segments]).T
    chosen = [_find_steepest(owns, slopes, segments[0].start, epsilon)]
    while True:
        end = _find_reach(owns, slopes, segments[-1].stop, chosen[-1], epsilon)
        if end >= segments[-1].stop:
            return chosen
        chosen.append(max(_find_steepest(owns, slopes, end, epsilon), chosen[-1] + 1))


def _find_steepest(owns: Floats, slopes: Floats, point: float, epsilon: float) -> int:
    """Return the last line within epsilon of the optimum at a point; the first one where that is -inf."""
    if math.isinf(point):
        return 0
    values = owns + point * slopes
    return int(np.flatnonzero(values >= values.max() - epsilon)[-1])


def _find_reach(owns: Floats, slopes: Floats, last: float, number: int, epsilon: float) -> float:
    """Return how far to the right a line stays within epsilon of the optimum."""
    room, rise = owns[number] + epsilon - owns[number + 1 :], slopes[number + 1 :] - slopes[number]
    always = np.where(room >= 0.0, math.inf, -math.inf)  # beside a line whose slope is the same but for rounding
    ends = np.divide(room, rise, out=always, where=rise > 0.0)  # a later line is epsilon above
    return min(float(ends.min(initial=math.inf)), last)
