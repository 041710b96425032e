"""The convex coverage set: every return vector that is best for some coefficients, by optimistic linear support.

    f(w) = max over policies of  v . w

is convex and piecewise linear. The vectors known so far give a lower bound of f, linear in each of its cells; where it
equals f at all corners of a cell it does so inside. So the corners are solved, vectors that rise above the bound there
are added, and the cells are cut anew, until no corner rises: each solve finds a new vector or settles a corner for
good, and there are finitely many vectors. Corners at infinity (w_0 = 0) belong to it like any other.

Where a policy gains for ever at a corner, its average reward in a step, g, must not be positive: g . w <= 0 becomes one
more side of the domain.

With epsilon a corner is settled if no policy earns more than epsilon above the bound, in units of the return
v_0 + theta . v; by convexity no policy does anywhere.
Reference: D. Roijers, S. Whiteson, F. Oliehoek, "Computing convex coverage sets for faster multi-objective
coordination", 2015.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from engine.errors import BadValue, NoPlan
from engine.mdp.mdp import Floats
from engine.planning.regions.cells import Cells, cells, inner_point
from engine.planning.regions.domain import CoefficientDomain
from engine.planning.regions.region import CoverageSet, EndlessReturns, Region, Supported

NOISE = 1e-12
DIGITS = 12
SAME_SIDE = 1e-12
MOST_CORNERS = 50_000
FEW = 64

Best = Callable[[Floats], Supported]
ShowPlans = Callable[[int, float], None]


def silent(done: int, expected: float) -> None:
    """Nothing is shown."""


def coverage_set(
    best: Best, domain: CoefficientDomain, unit: Floats, epsilon: float = 0.0, show: ShowPlans = silent
) -> CoverageSet:
    """All regions of a domain.

    best: weights f64[k + 1], w_0 >= 0 -> a best behaviour; raises EndlessReturns where none is finite. unit:
    f64[k + 1], about how large returns of each kind are. epsilon: the loss v_0 + theta . v that is tolerated, 0 for
    none. show: called with the plans done and those known to be needed, after each.
    Raises NoPlan where no coefficients have a finite optimum, BadValue for an epsilon that is negative or not finite,
    for a range that is too large or too narrow for the returns, and for regions with more than `MOST_CORNERS` corners.
    """
    if not (math.isfinite(epsilon) and epsilon >= 0.0):
        raise BadValue(f"it is {epsilon}", place="epsilon", remedy="choose a number from 0 on")
    search = _Search(best, domain, epsilon, show)
    size = np.where(unit > 0.0, unit, 1.0)
    pieces = [matrix / size for matrix in domain.pieces(size[0] / size[1:])]
    for matrix in pieces:
        search.complete(matrix)
    return search.result(pieces)


class _Search:
    """The vectors known so far, and the sides of the domain, those of cycles of positive reward included."""

    def __init__(self, best: Best, domain: CoefficientDomain, epsilon: float, show: ShowPlans) -> None:
        self._best, self._epsilon, self._show = best, epsilon, show
        self._sides, self._domain_sides = domain.rows(), len(domain.rows())
        self._found: list[Supported] = []
        self._vectors: Floats = np.zeros((0, domain.axes + 1))
        self._loss, self._solves = 0.0, 0

    def complete(self, piece: Floats) -> None:
        """Find all vectors of one piece,  w = piece x."""
        settled: set[bytes] = set()
        waiting = self._unsettled(piece, settled)
        while waiting:
            known, sides = len(self._vectors), len(self._sides)
            for number, corner in enumerate(waiting):
                self._show(self._solves, self._solves + len(waiting) - number)
                weights = _weights(piece, corner)
                if self._rises(weights, known):
                    continue  # no corner any more
                if len(self._vectors) > 2 * known + FEW:
                    break  # the corners grow faster than the vectors: refused before they are too many to list
                if not self._solve(weights) and len(self._sides) > sides:
                    break
                settled.add(_key(corner))  # also one on a known side that gains by rounding
            waiting = self._unsettled(piece, settled)
            assert len(self._vectors) > known or len(self._sides) > sides or not waiting

    def result(self, pieces: list[Floats]) -> CoverageSet:
        """The regions of all vectors that have one, by falling returns."""
        parts = [(piece, divided) for piece in pieces if (divided := self._divided(piece)) is not None]
        if not parts and len(self._sides) == self._domain_sides:
            raise BadValue(
                "a range of coefficients is too narrow beside the sizes of the rewards: its ends cannot be told apart",
                place="regions",
                remedy="choose a wider range, or rewards of more equal sizes",
            )
        if not parts:
            raise NoPlan("no coefficient has a finite optimum", place="regions", remedy="make cycles cost something")
        whole = [number for number in range(len(self._found)) if any(part.has_interior(number) for _, part in parts)]
        regions = [self._region(number, set(whole), parts) for number in whole]
        regions.sort(key=lambda region: tuple(-region.returns))
        return CoverageSet(tuple(regions), self._loss, _halfspaces(self._sides[self._domain_sides :]), self._solves)

    def _unsettled(self, piece: Floats, settled: set[bytes]) -> list[Floats]:
        """The corners to solve next; at first one point inside the domain."""
        if not len(self._vectors):
            inside = inner_point(self._sides @ piece)
            return [] if inside is None else [inside]
        divided = self._divided(piece)
        if divided is None:
            return []
        if len(divided.corners) > MOST_CORNERS:
            raise BadValue(
                f"{len(self._vectors)} behaviours found so far have {len(divided.corners):,} corners, a plan each",
                place="regions",
                remedy=f"name fewer axes, a smaller range or a larger epsilon, for at most {MOST_CORNERS:,} corners",
            )
        return [corner for corner in divided.corners if _key(corner) not in settled]

    def _divided(self, piece: Floats) -> Cells | None:
        """The cells of the vectors known, in the coordinates of a piece."""
        return cells(self._vectors @ piece, self._sides @ piece) if len(self._vectors) else None

    def _rises(self, weights: Floats, known: int) -> bool:
        """Whether a vector found after the first few, `known`, lies above these."""
        values = self._vectors @ weights
        return known < len(values) and values[known:].max() > values[:known].max(initial=-np.inf) + _noise(
            self._vectors, weights
        )

    def _solve(self, weights: Floats) -> bool:
        """Plan for some weights and keep what rises above the bound; whether the optimum is finite."""
        self._solves += 1
        try:
            found = self._best(weights)
        except EndlessReturns as endless:
            side = -endless.gains / np.abs(endless.gains).max()
            if not (np.abs(self._sides - side) <= SAME_SIDE).all(axis=1).any():
                self._sides = np.vstack([self._sides, side])
            return False
        gain = float(found.returns @ weights) - float((self._vectors @ weights).max(initial=-np.inf))
        if gain > self._epsilon * weights[0] + _noise(found.returns[None], weights):
            self._found.append(found)
            self._vectors = np.vstack([self._vectors, found.returns])
        elif self._epsilon and weights[0] > 0.0:
            self._loss = max(self._loss, gain / float(weights[0]))
        return True

    def _region(self, number: int, whole: set[int], parts: list[tuple[Floats, Cells]]) -> Region:
        """The region of one vector; it may reach through several pieces."""
        own, beside, on_sides = self._vectors[number], set[int](), set[int]()
        points = []
        for piece, part in parts:
            if not part.has_interior(number):
                continue
            points.append(piece @ part.inner_point(number))
            mine = part.meeting[number]
            beside |= set(part.sharing_a_face(mine, part.meeting)) & whole - {number}
            on_sides |= {n for n in part.sharing_a_face(mine, part.on_side) if n < len(self._sides)}
        point = next(point for point in points if point[0] > 0.0)
        rows = [own - self._vectors[n] for n in sorted(beside)] + [self._sides[n] for n in sorted(on_sides)]
        return Region(own, self._found[number].behaviour(), point[1:] / point[0], _halfspaces(np.array(rows)))


def _weights(piece: Floats, corner: Floats) -> Floats:
    """w = piece x, with 0 for what is but rounding."""
    weights = piece @ corner
    return np.where(np.abs(weights) > NOISE * (np.abs(piece) @ np.abs(corner)), weights, 0.0)


def _halfspaces(rows: Floats) -> Floats:
    """Rows with  row . w >= 0  as (a, b) of  a . theta <= b."""
    if not len(rows):
        return np.zeros((0, 0))
    result: Floats = np.hstack([-rows[:, 1:], rows[:, :1]]) + 0.0
    return result


def _key(corner: Floats) -> bytes:
    return (np.round(corner, DIGITS) + 0.0).tobytes()


def _noise(vectors: Floats, weights: Floats) -> float:
    """What the value of any of the vectors may miss by rounding."""
    return NOISE * float((np.abs(vectors) @ np.abs(weights)).max(initial=0.0))
