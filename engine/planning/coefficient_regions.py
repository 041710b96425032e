"""Regions of coefficient vectors: which vectors are asked about, and for which of them one behaviour is optimal.

A coefficient vector theta, f64[k], weighs k + 1 returns:  v_0 + theta . (v_1 .. v_k).  In homogeneous coordinates w
= (w_0, theta w_0) a domain is a cone, and what is optimal depends on the direction of w alone, infinite
coefficients (w_0 = 0) included. A domain has projective pieces, on each of which all vectors lie in one simplex:
with x_i the distance from an end, w = M x for x >= 0 with sum 1. An axis without any end near 0 is cut there: seen
from a distant end the regions near 0 would be too small.

Regions of one or two coefficients are drawn as intervals and polygons of a window (`find_window`, `clip_region`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.errors import BadValue, NoPlan
from engine.mdp.mdp import Floats, Policy
from engine.planning.trade_off.envelope import Segment

MOST_AXES = 6
NEAR = 10.0
FARTHEST = 1e7


@dataclass(frozen=True)
class CoefficientDomain:
    """The vectors theta with  low <= theta <= high  and  sides . theta <= bounds.

    low, high: k numbers each, -inf and inf for no bound. sides: f64[M, k]. bounds: f64[M].
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    sides: Floats
    bounds: Floats

    @classmethod
    def box(cls, low: Sequence[float], high: Sequence[float]) -> CoefficientDomain:
        """Return a box. Raises BadValue for an empty one or one of more axes than can be solved."""
        axes = len(low)
        if not 1 <= axes <= MOST_AXES:
            raise BadValue(
                f"{axes} coefficients",
                place="regions",
                remedy=f"name 1 to {MOST_AXES} axes: the corners of the regions multiply with each",
            )
        for number, (least, largest) in enumerate(zip(low, high, strict=True)):
            if math.isnan(least) or math.isnan(largest) or not least < largest:
                raise BadValue(
                    f"coefficient {number + 1} from {least} to {largest} is empty",
                    place="regions",
                    remedy="give a lower and a higher number",
                )
        return cls(tuple(map(float, low)), tuple(map(float, high)), np.zeros((0, axes)), np.zeros(0))

    @classmethod
    def simplex(cls, axes: int) -> CoefficientDomain:
        """theta >= 0 with a sum of at most 1: the probabilities of all but one of axes + 1 cases."""
        box = cls.box([0.0] * axes, [math.inf] * axes)
        return cls(box.low, box.high, np.ones((1, axes)), np.ones(1))

    @property
    def axes(self) -> int:
        """k."""
        return len(self.low)

    def holds(self, coefficients: Floats) -> bool:
        """Return whether a vector f64[k] lies in the domain."""
        inside = all(low <= each <= high for low, each, high in zip(self.low, coefficients, self.high, strict=True))
        return inside and bool((self.sides @ coefficients <= self.bounds).all())

    def rows(self) -> Floats:
        """Return f64[M, k + 1], the domain's sides as rows with  row . w >= 0,  but for  w_0 >= 0."""
        found = []
        unit = np.eye(self.axes + 1)
        for number, (least, largest) in enumerate(zip(self.low, self.high, strict=True), start=1):
            if math.isfinite(least):
                found.append(unit[number] - least * unit[0])
            if math.isfinite(largest):
                found.append(largest * unit[0] - unit[number])
        found += [np.append(bound, -side) for side, bound in zip(self.sides, self.bounds, strict=True)]
        return np.array(found).reshape(-1, self.axes + 1)

    def pieces(self, scale: Floats) -> list[Floats]:
        """Return the matrices M, f64[k + 1, k + 1], of the pieces: their vectors are  w = M x,  x >= 0.

        scale: f64[k], about how large coefficients are that matter. Raises BadValue for a range whose end lies so far
        beyond that regions there could not be told from those at infinity.
        """
        choices = []
        for number, (low, high, size) in enumerate(zip(self.low, self.high, scale, strict=True), start=1):
            near, far = sorted((end for end in (low, high)), key=abs)
            most = FARTHEST * float(size)
            if max((abs(end) for end in (low, high) if math.isfinite(end)), default=0.0) > most:
                raise BadValue(
                    f"coefficient {number} from {low:g} to {high:g}",
                    place="regions",
                    remedy=f"choose ends from {-most:.1e} to {most:.1e}, or none: -inf, inf",
                )
            if low < 0.0 < high and abs(near) > NEAR * size:
                choices.append([(0.0, 1.0), (0.0, -1.0)])
            else:
                choices.append([(near, math.copysign(1.0, far - near))])
        result = []
        for chosen in itertools.product(*choices):
            matrix = np.eye(self.axes + 1)
            for number, (end, sign) in enumerate(chosen, start=1):
                matrix[number, 0], matrix[number, number] = end, sign
            result.append(matrix)
        return result


class BestPlan(NamedTuple):
    """A best behaviour from one start state, as it travels between processes.

    returns: f64[k + 1]. choice: its policy, int32[S], or the number of its way to end.
    """

    returns: Floats
    choice: Policy | int


class Supported(NamedTuple):
    """What a best behaviour earns, f64[k + 1], and what it does from each start state, found when asked for.

    plans: the same, one for each start state: searches nearby begin with them.
    """

    returns: Floats
    behaviour: Callable[[], Mapping[int, Segment]]
    plans: tuple[BestPlan, ...] = ()


class EndlessReturns(NoPlan):
    """At these coefficients a policy gains for ever. gains: f64[k + 1], its average rewards in a step."""

    def __init__(self, gains: Floats) -> None:
        super().__init__("a cycle has positive reward", place="regions", remedy="ask for other coefficients")
        self.gains = gains

    def __reduce__(self) -> tuple[object, ...]:
        return EndlessReturns, (self.gains,)


@dataclass(frozen=True)
class Region:
    """One optimal behaviour. returns: f64[k + 1], that of weight 1 and one for each coefficient.

    interior: f64[k], a coefficient vector inside. halfspaces: f64[M, k + 1], rows (a, b) of  a . theta <= b, none of
    which follows from the others. corners: f64[C, k + 1], as weights w, of which w_0 is 0 at infinity.
    """

    returns: Floats
    behaviour: Mapping[int, Segment]
    interior: Floats
    halfspaces: Floats
    corners: Floats

    def value_at(self, coefficients: Floats) -> float:
        """v_0 + theta . (v_1 .. v_k)."""
        return float(self.returns[0] + coefficients @ self.returns[1:])

    def holds(self, coefficients: Floats, tolerance: float = 1e-9) -> bool:
        """Return whether a vector lies in the region, its boundary included, but for rounding."""
        sides, bounds = self.halfspaces[:, :-1], self.halfspaces[:, -1]
        size = np.abs(sides) @ np.abs(coefficients) + np.abs(bounds)
        return bool((sides @ coefficients - bounds <= tolerance * size).all())


@dataclass(frozen=True)
class CoverageSet:
    """All regions of a domain.

    loss: the most that any policy may earn above them, 0 where all regions were asked for (but for rounding).
    limits: f64[M, k + 1], rows (a, b): beyond  a . theta <= b  a policy gains for ever. solves: how many plans it took.
    """

    regions: tuple[Region, ...]
    loss: float
    limits: Floats
    solves: int

    def is_finite(self, coefficients: Floats) -> bool:
        """Return whether no policy gains for ever at a coefficient vector."""
        return not len(self.limits) or bool((self.limits[:, :-1] @ coefficients <= self.limits[:, -1]).all())

    def at(self, coefficients: Floats) -> Region:
        """Return a best region at a coefficient vector: of those that tie the one listed first."""
        values = np.array([region.value_at(coefficients) for region in self.regions])
        return self.regions[int(values.argmax())]


FAR = 1e7
ROOM = 0.3
FLAT = 1e-6
PlotWindow = tuple[tuple[float, float], ...]


def find_window(regions: Sequence[Region]) -> PlotWindow:
    """(low, high) of one or two axes: all corners of the regions and some room beyond them."""
    k = len(regions[0].interior)
    size = max(1.0, max(float(np.abs(region.interior).max()) for region in regions))
    far = ((-FAR * size, FAR * size),) * k
    points = np.concatenate([clip_region(region, far) for region in regions])
    near = points[(np.abs(points) < FAR * size / 2).all(axis=1)]
    inside = np.array([region.interior for region in regions]) if not len(near) else near
    low, high = inside.min(axis=0), inside.max(axis=0)
    spread = np.where(high - low > FLAT * np.abs(inside).max(), high - low, 0.0)
    room = np.where(spread > 0.0, ROOM * spread, float(spread.max()) or 1.0)
    least, largest = points.min(axis=0), points.max(axis=0)  # a domain that ends is not left
    return tuple(
        (max(float(a - r), float(b)), min(float(c + r), float(d)))
        for a, r, b, c, d in zip(low, room, least, high, largest, strict=True)
    )


def clip_region(region: Region, window: PlotWindow) -> Floats:
    """f64[N, k]: the ends of an interval, or the corners of a polygon in order, within a window; none outside it."""
    if len(window) == 1:
        return _clip_interval(region, window[0])
    (left, right), (low, high) = window
    polygon = [np.array(point) for point in ((left, low), (right, low), (right, high), (left, high))]
    for row in region.halfspaces:
        polygon = _cut(polygon, row)
    return np.array(polygon).reshape(-1, 2)


def _clip_interval(region: Region, window: tuple[float, float]) -> Floats:
    low, high = window
    for side, bound in region.halfspaces:
        if side > 0.0:
            high = min(high, bound / side)
        else:
            low = max(low, bound / side)
    return np.array([[low], [high]]) if low < high else np.zeros((0, 1))


def _cut(polygon: list[Floats], row: Floats) -> list[Floats]:
    """Return the part of a convex polygon with  a . theta <= b  (I. Sutherland, G. Hodgman, 1974)."""
    kept = []
    beyond = [float(row[:-1] @ point - row[-1]) for point in polygon]
    for number, (point, over) in enumerate(zip(polygon, beyond, strict=True)):
        before, over_before = polygon[number - 1], beyond[number - 1]
        if (over > 0.0) != (over_before > 0.0):
            kept.append(before + (point - before) * (over_before / (over_before - over)))
        if over <= 0.0:
            kept.append(point)
    return kept
