"""The certificate of a trade-off: what its lines earn, where they cross, and how far any policy may be above them.

The optimum f is convex in the coefficient, and no line is above it. At each point where lines cross, f is bounded from
above (exactly, or by a superharmonic function); between two such points f is below the chord of the bounds, and the
line of the segment is the chord of its own values: the loss there is at most the larger one of the two ends. Beyond the
last point, f rises by no more than the best auxiliary return a unit.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from engine.errors import NoPlan
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.reachability import reachable_part
from engine.planning.certificates.interval import Interval, exactly
from engine.planning.certificates.policy_value import bounded_policy_values, policy_values
from engine.planning.certificates.rational_optimum import rational_optimum
from engine.planning.certificates.rational_table import RationalTable, means_stored_discount, rational_table
from engine.planning.certificates.superharmonic import ChainSolvers, upper_bound, weighed
from engine.planning.lexicographic import PairIteration
from engine.planning.trade_off.segment import Line, Segment
from engine.planning.trade_off.zero_cost_cycles import ZeroCostCycles

INSIDE = 1e-9
NEARLY_HIGHEST = 3
MOST_EXACT_WORK = 4_000_000
PolicyValues = Callable[[TabularMDP, Sequence[Floats], Policy, int], list[Interval | None]]
RationalWeights = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class CertifiedLine:
    """Bounds of a policy's own and auxiliary return."""

    own: Interval
    auxiliary: Interval

    def at(self, coefficient: Fraction) -> Interval:
        """Bounds of own + coefficient * auxiliary."""
        return self.own + exactly(coefficient) * self.auxiliary


@dataclass(frozen=True)
class Loss:
    """By how much a policy may be better than all that are listed, and at which coefficient; None: no bound was found.

    low_slope, high_slope: by how much more for each unit beyond the outermost crossings, where the range has no end.
    scale: the size of the optimal return at that coefficient, slope_scale: of the auxiliary returns.
    """

    amount: Fraction | None
    at: float
    low_slope: Fraction | None = Fraction(0)
    high_slope: Fraction | None = Fraction(0)
    scale: float = 1.0
    slope_scale: float = 1.0


@dataclass(frozen=True)
class TradeOffCertificate:
    """lines: of each segment, None where it never ends or has no bounds. points: where neighbours cross, likewise.

    loss: of all segments that end, against any policy that ends. point_scale: the coefficient at which the largest own
    and the largest auxiliary reward are equal.
    """

    lines: tuple[CertifiedLine | None, ...]
    points: tuple[Interval | None, ...]
    loss: Loss
    point_scale: float


def certify(own: TabularMDP, auxiliary: Floats, start: int, segments: Sequence[Segment]) -> TradeOffCertificate:
    """The certificate of segments of one start state.

    own, auxiliary, start: as given to `engine.planning.trade_off.optimal_segments.optimal_segments`, which returned
    the segments or from whose result they were chosen. Fractions where the table has them and the work is bounded; the
    discount is then the fraction that was meant. Where that is another number than the stored one, a certificate is in
    fractions throughout or not at all.
    """
    work = len(segments) * table_work(own)
    values_of = policy_values if work <= MOST_EXACT_WORK else bounded_policy_values
    optimum = OptimumBounds(own, auxiliary, start)
    certificate = _certified(own, auxiliary, start, segments, values_of, optimum)
    exact = not optimum.has_rounded and all(
        line is None or None not in (line.own.exact, line.auxiliary.exact) for line in certificate.lines
    )
    if exact or means_stored_discount(own):
        return certificate
    optimum = OptimumBounds(own, auxiliary, start, exact_work=0)
    return _certified(own, auxiliary, start, segments, bounded_policy_values, optimum)


def _certified(
    own: TabularMDP, auxiliary: Floats, start: int, segments: Sequence[Segment], values_of: PolicyValues,
    optimum: OptimumBounds,
) -> TradeOffCertificate:  # fmt: skip
    lines = tuple(_line(own, auxiliary, start, segment, values_of) for segment in segments)
    points = tuple(
        None if one is None or other is None else (one.own - other.own).over(other.auxiliary - one.auxiliary)
        for one, other in itertools.pairwise(lines)
    )
    sizes = largest(own.reward), largest(auxiliary)
    loss = _loss(optimum, segments, lines, points)
    if not math.isnan(loss.at):
        loss = _scaled(loss, sizes, [segment.line for segment in segments])
    return TradeOffCertificate(lines, points, loss, sizes[0] / sizes[1] if sizes[1] else 0.0)


def largest(amounts: Floats) -> float:
    """The largest absolute value of an array, 0 for an empty one."""
    return float(np.abs(amounts).max(initial=0.0))


def _scaled(loss: Loss, sizes: tuple[float, float], lines: Sequence[Line]) -> Loss:
    """The loss with its scales: the largest reward or return that counts at its coefficient. sizes: of the rewards."""
    kept = [line for line in lines if math.isfinite(line.own)]
    here = [abs(line.own) + abs(loss.at * line.auxiliary) for line in kept]
    slopes = [abs(line.auxiliary) for line in kept]
    return replace(loss, scale=max(sizes[0] + abs(loss.at) * sizes[1], *here), slope_scale=max(sizes[1], *slopes))


def _line(
    own: TabularMDP, auxiliary: Floats, start: int, segment: Segment, values_of: PolicyValues
) -> CertifiedLine | None:
    if math.isinf(segment.line.own):
        return None
    both = values_of(own, (own.reward, auxiliary), policy_of(segment, len(own.terminal)), start)
    return None if both[0] is None or both[1] is None else CertifiedLine(both[0], both[1])


def policy_of(segment: Segment, states: int) -> Policy:
    """int32[S]: a segment's policy; where it has none, its path's actions."""
    if segment.policy is not None:
        return segment.policy
    policy = np.zeros(states, dtype=np.int32)
    policy[list(segment.path[: len(segment.actions)])] = segment.actions
    return policy


def _loss(
    optimum: OptimumBounds,
    segments: Sequence[Segment],
    lines: Sequence[CertifiedLine | None],
    points: Sequence[Interval | None],
) -> Loss:
    """The largest loss at the points where the bounds are checked."""
    kept = [n for n, segment in enumerate(segments) if math.isfinite(segment.line.own)]
    if not kept:
        return Loss(Fraction(0), math.nan)
    first, last = segments[kept[0]], segments[kept[-1]]
    checks = [_inside(first, 0, kept[0] > 0), _inside(last, 1, kept[-1] < len(segments) - 1)]
    for n in kept[:-1]:
        crossing = points[n]
        checks.append(Fraction(segments[n].stop) if crossing is None or crossing.exact is None else crossing.exact)
    finite = sorted({check for check in checks if check is not None} or {Fraction(0)})
    worst, where = Fraction(-1), math.nan
    known = [line for n in kept if (line := lines[n]) is not None]
    rough = np.array([[float(line.own.lower), float(line.auxiliary.lower)] for line in known]).reshape(-1, 2)
    for check in finite:
        upper = optimum.upper((Fraction(1), check))
        if upper is None or not known:
            return Loss(None, float(check), None, None)
        highest = np.argsort(rough @ np.array([1.0, float(check)]))[-NEARLY_HIGHEST:]
        lower = max(known[n].at(check).lower for n in map(int, highest))
        if upper - lower > worst:
            worst, where = upper - lower, float(check)
    low = _slope(optimum, lines[kept[0]], -1) if checks[0] is None else Fraction(0)
    high = _slope(optimum, lines[kept[-1]], 1) if checks[1] is None else Fraction(0)
    return Loss(max(worst, Fraction(0)), where, low, high)


def _inside(segment: Segment, side: int, limited: bool) -> Fraction | None:
    """The end of an outermost segment, just inside where it is a limit; None where it has no end."""
    end, other = (segment.start, segment.stop) if side == 0 else (segment.stop, segment.start)
    if math.isinf(end):
        return None
    if not limited:
        return Fraction(end)
    reach = abs(other - end) if math.isfinite(other) else max(abs(end), 1.0)
    return Fraction(end) + Fraction(INSIDE * reach) * (1 if side == 0 else -1)


def _slope(optimum: OptimumBounds, line: CertifiedLine | None, sign: int) -> Fraction | None:
    """By how much an auxiliary return, or a negative one, may be larger than the line's; None where unknown."""
    upper = optimum.upper((Fraction(0), Fraction(sign)))
    if upper is None or line is None:
        return None
    return max(upper - (line.auxiliary.lower if sign > 0 else -line.auxiliary.upper), Fraction(0))


def table_work(mdp: TabularMDP) -> int:
    """What one exact solution of a table costs: steps where it is deterministic, else the square of its states."""
    return int(mdp.next_state.size) if mdp.is_deterministic else len(mdp.terminal) ** 2


class OptimumBounds:
    """Upper bounds of the optimal return of one state, for one weighing of the rewards after the other.

    has_rounded: whether one of them was found without fractions.
    """

    def __init__(self, own: TabularMDP, auxiliary: Floats, start: int, exact_work: int = MOST_EXACT_WORK) -> None:
        """own, auxiliary, start: as in `certify`. exact_work: how much may be done in fractions (`table_work`)."""
        cycles = ZeroCostCycles(replace(own, available=None), own.completed(auxiliary))
        self._table, self._auxiliary, self._start = reachable_part(cycles.own, start), cycles.auxiliary, start
        self._search = PairIteration(self._table, cycles.auxiliary)
        self._solvers = ChainSolvers(self._table, self._search.allowed)
        self._exact_left, self.has_rounded = exact_work, False

    def upper(self, weights: RationalWeights) -> Fraction | None:
        """A bound of weights[0] own + weights[1] auxiliary that no policy exceeds, the optimum itself where fractions
        show it; None where no bound is found.
        """
        floats = (float(weights[0]), float(weights[1]))
        try:
            values = self._search.best(floats, (0.0, 0.0))
        except NoPlan:
            return None
        value = values.weighed(floats)
        self._exact_left -= table_work(self._table)
        if self._exact_left > 0 and self._rational is not None:
            exact = rational_optimum(self._rational, weights, values.policy, value, self._start)
            if exact is not None:
                return exact
        self.has_rounded = True
        reward = weighed(self._table.reward, self._auxiliary, floats)
        return upper_bound(self._solvers, self._search.allowed, reward, values.policy, value, self._start)

    @cached_property
    def _rational(self) -> RationalTable | None:
        return rational_table(self._table, self._search.allowed, (self._table.reward, self._auxiliary))
