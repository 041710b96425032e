"""The convex coverage set: every return vector that is best for some coefficients, by optimistic linear support.

    f(w) = max over policies of  v . w

is convex and piecewise linear. The vectors known so far give a lower bound of f, linear in each of its cells; where
it equals f at all corners of a cell it does so inside. So the corners are solved, vectors that rise above the bound
there are added, and the cells are cut anew, until no corner rises: each solve finds a new vector or settles a
corner for good, and there are finitely many vectors. Corners at infinity (w_0 = 0) belong to it like any other. A
corner is known to some digits of the largest returns there, so that cells of small ones are solved inside, too.

Where a policy gains for ever at a corner, its average reward in a step, g, must not be positive: g . w <= 0 becomes
one more side of the domain.

With epsilon a corner is settled if no policy earns more than epsilon above the bound, in units of the return
v_0 + theta . v; by convexity no policy does anywhere.

The cells are those of a simplex in which each of several linear functions is the largest. The functions  x -> v . x
over  x >= 0, sum x = 1  have an upper envelope; what lies above it is a polyhedron, whose corners qhull lists with
the functions that meet there. A function has a cell where its corners span the space. References: D. Roijers, S.
Whiteson, F. Oliehoek, "Computing convex coverage sets for faster multi-objective coordination", 2015; C. Barber, D.
Dobkin, H. Huhdanpaa, "The quickhull algorithm for convex hulls", 1996.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import HalfspaceIntersection

from engine.errors import BadValue, NoPlan
from engine.mdp.mdp import Booleans, Floats
from engine.planning.coefficient_regions import CoefficientDomain, CoverageSet, EndlessReturns, Region, Supported
from engine.value_types import ToleratedLoss, require

FLAT, FEASIBLE = 1e-9, 1e-10  # the least that solvers of linear programs are held to
SAME = 1e-11
POINT_DIGITS = 9


@dataclass(frozen=True)
class Cells:
    """corners: f64[C, k + 1]. meeting: bool[N, C], which function is largest at which corner. on_side: bool[M, C],
    which side of the domain holds which corner, first those of the rows, then  x_0 = 0, x_1 = 0, ...
    """

    corners: Floats
    meeting: Booleans
    on_side: Booleans

    def has_interior(self, function: int) -> bool:
        """Return whether a function is the largest on more than a boundary."""
        return bool(_compute_dimension(self.corners[self.meeting[function]]) == self.corners.shape[1] - 1)

    def inner_point(self, function: int) -> Floats:
        """Return a point inside the cell of a function, f64[k + 1]."""
        return np.asarray(self.corners[self.meeting[function]].mean(axis=0))

    def find_neighbours(self, mine: Booleans, others: Booleans) -> list[int]:
        """Find the sets of corners, bool[N, C], that have a face of one dimension less in common with `mine`."""
        size = self.corners.shape[1] - 1
        enough = np.flatnonzero(others[:, mine].sum(axis=1) >= size)
        return [int(each) for each in enough if _compute_dimension(self.corners[mine & others[each]]) == size - 1]


def compute_cells(functions: Floats, rows: Floats) -> Cells | None:
    """The cells of functions, f64[N, k + 1], where  rows . x >= 0,  rows f64[M, k + 1]; None where no x is inside."""
    size = functions.shape[1]
    sides = _list_sides(rows)
    inside = find_inner_point(rows)
    if inside is None:
        return None
    level = functions - functions.mean(axis=0)
    level = level / (float(np.abs(level).max()) or 1.0)
    top = float(level.max()) + 1.0
    above = np.hstack([level[:, 1:] - level[:, :1], -np.ones((len(level), 1)), level[:, :1]])
    outer = np.hstack([sides[:, :1] - sides[:, 1:], np.zeros((len(sides), 1)), -sides[:, :1]])
    lid = np.append(np.zeros(size - 1), [1.0, -top])
    height = float((level @ inside).max())
    found = HalfspaceIntersection(
        np.vstack([above, outer, lid]), np.append(inside[1:], height + min(0.5, (top - height) / 2))
    )
    touching = np.zeros((len(found.dual_facets), len(above) + len(outer) + 1), dtype=np.bool_)
    for number, facet in enumerate(found.dual_facets):
        touching[number, facet] = True
    kept = np.isfinite(found.intersections).all(axis=1) & ~touching[:, -1]
    points = np.hstack([1.0 - found.intersections[:, :-1].sum(axis=1, keepdims=True), found.intersections[:, :-1]])
    corners, touching = _merge_points(np.where(np.abs(points) < SAME, 0.0, points)[kept], touching[kept, :-1])
    values = corners @ level.T
    touching[:, : len(above)] |= values >= values.max(axis=1, keepdims=True) - SAME
    touching[:, len(above) :] |= corners @ sides.T <= SAME
    return Cells(corners, touching[:, : len(above)].T, touching[:, len(above) :].T)


def find_inner_point(rows: Floats) -> Floats | None:
    """The point of the simplex that is furthest from all sides,  rows . x >= 0;  None where there is none inside."""
    sides, size = _list_sides(rows), rows.shape[1]
    length = np.linalg.norm(sides - sides.mean(axis=1, keepdims=True), axis=1)
    found = linprog(
        np.append(np.zeros(size), -1.0),
        A_ub=np.hstack([-sides, length[:, None]]),
        b_ub=np.zeros(len(sides)),
        A_eq=np.append(np.ones(size), 0.0)[None],
        b_eq=[1.0],
        bounds=[(None, None)] * size + [(None, 1.0)],
        method="highs",
        options={"primal_feasibility_tolerance": FEASIBLE, "dual_feasibility_tolerance": FEASIBLE},
    )
    if found.x is None:
        return None
    point = found.x[:-1] / found.x[:-1].sum()
    return np.asarray(point) if (sides @ point > FLAT * length).all() else None


def _list_sides(rows: Floats) -> Floats:
    """Return the rows, each of size 1, and those of  x >= 0."""
    size = np.abs(rows).max(axis=1, keepdims=True)
    return np.concatenate([rows / np.where(size > 0.0, size, 1.0), np.eye(rows.shape[1])])


def _merge_points(points: Floats, touching: Booleans) -> tuple[Floats, Booleans]:
    """The points without those that are the same but for rounding, and what touches any of these, bool[C, ...]."""
    _, first, number = np.unique(np.round(points, POINT_DIGITS), axis=0, return_index=True, return_inverse=True)
    together = np.zeros((len(first), touching.shape[1]), dtype=np.bool_)
    np.logical_or.at(together, number.ravel(), touching)
    return points[first], together


def _compute_dimension(points: Floats) -> int:
    """Return the dimension of what points span; -1 where there is none."""
    if not len(points):
        return -1
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return int((spread > FLAT).sum())


NOISE = 1e-12
VECTOR_DIGITS = 12
SAME_SIDE = 1e-12
MOST_CORNERS = 50_000
FEW = 64
INSIDE = 1e-7  # of the way from a corner to the middle
SMALL = 1e-4  # returns beside others: corners are known to some digits of the larger ones alone

ShowPlans = Callable[[int, float], None]


class CornerQuestion(NamedTuple):
    """What is best for some weights, f64[k + 1], w_0 >= 0; near: what is best of all that was known before."""

    weights: Floats
    near: Supported | None


class CornerSolver(Protocol):
    """What answers questions; an answer depends on the question alone, and on the first one that had an answer."""

    def announce(self, questions: Sequence[CornerQuestion], is_settled: Callable[[CornerQuestion], bool]) -> None:
        """Hear what is asked next, in this order; questions that are settled by then are left out."""

    def solve(self, question: CornerQuestion) -> Supported:
        """Return a best behaviour; raises EndlessReturns where none is finite."""


def show_nothing(done: int, expected: float) -> None:
    """Nothing is shown."""


def find_coverage_set(
    solver: CornerSolver, domain: CoefficientDomain, unit: Floats, epsilon: float = 0.0, show: ShowPlans = show_nothing
) -> CoverageSet:
    """Return all regions of a domain.

    solver: finds best behaviours for weights. unit: f64[k + 1], about how large returns of each kind are. epsilon: the
    loss v_0 + theta . v that is tolerated, 0 for none. show: called with the plans done and those known to be needed,
    after each.
    Raises NoPlan where no coefficients have a finite optimum, BadValue for an epsilon that is negative or not finite,
    for a range that is too large or too narrow for the returns, and for regions with more than `MOST_CORNERS` corners.
    """
    require("epsilon", epsilon, ToleratedLoss)
    size = np.where(unit > 0.0, unit, 1.0)
    search = _Search(solver, domain, size, epsilon, show)
    pieces = [matrix / size for matrix in domain.pieces(size[0] / size[1:])]
    for matrix in pieces:
        search.complete(matrix)
    return search.result(pieces)


class _Search:
    """The vectors known so far, and the sides of the domain, those of cycles of positive reward included."""

    def __init__(
        self, solver: CornerSolver, domain: CoefficientDomain, unit: Floats, epsilon: float, show: ShowPlans
    ) -> None:
        self._solver, self._unit, self._epsilon, self._show = solver, unit, epsilon, show
        self._sides, self._domain_sides = domain.rows(), len(domain.rows())
        self._found: list[Supported] = []
        self._vectors: Floats = np.zeros((0, domain.axes + 1))
        self._loss, self._solves = 0.0, 0

    def complete(self, piece: Floats) -> None:
        """Find all vectors of one piece,  w = piece x."""
        settled: set[bytes] = set()
        waiting = self._list_corners_to_solve(piece, settled)
        while waiting:
            known, sides, done = len(self._vectors), len(self._sides), len(settled)
            questions = [self._ask(_compute_weights(piece, corner)) for corner in waiting]
            self._solver.announce(questions, partial(self._rises, known=known))
            for number, (corner, question) in enumerate(zip(waiting, questions, strict=True)):
                self._show(self._solves, self._solves + len(waiting) - number)
                if self._rises(question, known):
                    continue  # no corner any more
                if len(self._vectors) > 2 * known + FEW:
                    break  # the corners grow faster than the vectors: refused before they are too many to list
                if not self._solve(question) and len(self._sides) == sides:
                    self._solve(self._move_inside(question, piece))  # on a known side, where it gains by rounding
                if len(self._sides) > sides:
                    break
                settled.add(_make_key(corner))
            waiting = self._list_corners_to_solve(piece, settled)
            assert len(self._vectors) > known or len(self._sides) > sides or len(settled) > done

    def result(self, pieces: list[Floats]) -> CoverageSet:
        """Return the regions of all vectors that have one, by falling returns."""
        parts = [(piece, divided) for piece in pieces if (divided := self._divide(piece)) is not None]
        if not parts and len(self._sides) == self._domain_sides:
            raise BadValue(
                "a range of coefficients is too narrow beside the sizes of the rewards: its ends cannot be told apart",
                place="regions",
                remedy="choose a wider range, or rewards of more equal sizes",
            )
        if not parts:
            raise NoPlan("no coefficient has a finite optimum", place="regions", remedy="make cycles cost something")
        whole = [number for number in range(len(self._found)) if any(part.has_interior(number) for _, part in parts)]
        regions = [self._make_region(number, set(whole), parts) for number in whole]
        regions.sort(key=lambda region: tuple(-region.returns))
        return CoverageSet(
            tuple(regions), self._loss, _list_halfspaces(self._sides[self._domain_sides :]), self._solves
        )

    def _list_corners_to_solve(self, piece: Floats, settled: set[bytes]) -> list[Floats]:
        """Return the corners to solve next; at first one point inside the domain."""
        if not len(self._vectors):
            inside = find_inner_point(self._sides @ piece)
            return [] if inside is None else [inside]
        divided = self._divide(piece)
        if divided is None:
            return []
        if len(divided.corners) > MOST_CORNERS:
            raise BadValue(
                f"{len(self._vectors)} behaviours found so far have {len(divided.corners):,} corners, a plan each",
                place="regions",
                remedy=f"name fewer axes, a smaller range or a larger epsilon, for at most {MOST_CORNERS:,} corners",
            )
        corners = [corner for corner in divided.corners if _make_key(corner) not in settled]
        return corners or [point for point in self._list_doubtful(divided, piece) if _make_key(point) not in settled]

    def _list_doubtful(self, divided: Cells, piece: Floats) -> Iterator[Floats]:
        """Yield a point inside each cell of returns that are small beside others: its corners may hide what is best."""
        returns = np.abs(self._vectors)
        for number in filter(divided.has_interior, range(len(returns))):
            point = divided.inner_point(number)
            sizes = returns @ np.abs(piece @ point)
            if sizes[number] < SMALL * sizes.max():
                yield point

    def _ask(self, weights: Floats) -> CornerQuestion:
        return CornerQuestion(weights, self._found[int((self._vectors @ weights).argmax())] if self._found else None)

    def _move_inside(self, question: CornerQuestion, piece: Floats) -> CornerQuestion:
        inside = find_inner_point(self._sides @ piece)
        return question if inside is None else self._ask(move_inside(question.weights, piece @ inside, self._unit))

    def _divide(self, piece: Floats) -> Cells | None:
        """Return the cells of the vectors known, in the coordinates of a piece."""
        return compute_cells(self._vectors @ piece, self._sides @ piece) if len(self._vectors) else None

    def _rises(self, question: CornerQuestion, known: int) -> bool:
        """Return whether a vector found after the first few, `known`, lies above these."""
        values = self._vectors @ question.weights
        return known < len(values) and values[known:].max() > values[:known].max(initial=-np.inf) + _estimate_noise(
            self._vectors, question.weights
        )

    def _solve(self, question: CornerQuestion) -> bool:
        """Plan for some weights and keep what rises above the bound; whether the optimum is finite."""
        self._solves += 1
        weights = question.weights
        try:
            found = self._solver.solve(question)
        except EndlessReturns as endless:
            side = -endless.gains / (np.abs(endless.gains) / self._unit).max()
            known = self._sides / (np.abs(self._sides) / self._unit).max(axis=1, keepdims=True)
            if not (np.abs(known - side) <= SAME_SIDE * self._unit).all(axis=1).any():
                self._sides = np.vstack([self._sides, side])
            return False
        gain = float(found.returns @ weights) - float((self._vectors @ weights).max(initial=-np.inf))
        if gain > self._epsilon * weights[0] + _estimate_noise(found.returns[None], weights):
            self._found.append(found)
            self._vectors = np.vstack([self._vectors, found.returns])
        elif self._epsilon and weights[0] > 0.0:
            self._loss = max(self._loss, gain / float(weights[0]))
        return True

    def _make_region(self, number: int, whole: set[int], parts: list[tuple[Floats, Cells]]) -> Region:
        """Return the region of one vector; it may reach through several pieces."""
        own = self._vectors[number]
        beside = set[int]()
        on_sides = set[int]()
        points = []
        corners = list[Floats]()
        for piece, part in parts:
            if not part.has_interior(number):
                continue
            points.append(piece @ part.inner_point(number))
            mine = part.meeting[number]
            corners += [_compute_weights(piece, corner) for corner in part.corners[mine]]
            beside |= set(part.find_neighbours(mine, part.meeting)) & whole - {number}
            on_sides |= {n for n in part.find_neighbours(mine, part.on_side) if n < len(self._sides)}
        point = next(point for point in points if point[0] > 0.0)
        rows = [own - self._vectors[n] for n in sorted(beside)] + [self._sides[n] for n in sorted(on_sides)]
        return Region(
            own,
            self._found[number].behaviour(),
            point[1:] / point[0],
            _list_halfspaces(np.array(rows)),
            np.array(corners),
        )


def _compute_weights(piece: Floats, corner: Floats) -> Floats:
    """w = piece x, with 0 for what is but rounding."""
    weights = piece @ corner
    return np.where(np.abs(weights) > NOISE * (np.abs(piece) @ np.abs(corner)), weights, 0.0)


def move_inside(weights: Floats, centre: Floats, unit: Floats) -> Floats:
    """Return weights at a corner of a domain, moved a little towards others; relative to the unit of each reward."""
    return np.asarray(weights / (np.abs(weights) @ unit) + INSIDE * centre / (np.abs(centre) @ unit))


def _list_halfspaces(rows: Floats) -> Floats:
    """Rows with  row . w >= 0  as (a, b) of  a . theta <= b."""
    if not len(rows):
        return np.zeros((0, 0))
    result: Floats = np.hstack([-rows[:, 1:], rows[:, :1]]) + 0.0
    return result


def _make_key(corner: Floats) -> bytes:
    return (np.round(corner, VECTOR_DIGITS) + 0.0).tobytes()


def _estimate_noise(vectors: Floats, weights: Floats) -> float:
    """Return what the value of any of the vectors may miss by rounding."""
    return NOISE * float((np.abs(vectors) @ np.abs(weights)).max(initial=0.0))
