"""The cells of a simplex in which each of several linear functions is the largest, by their corners.

The functions  x -> v . x  over  x >= 0, sum x = 1  have an upper envelope; what lies above it is a polyhedron, whose
corners qhull lists with the functions that meet there. A function has a cell where its corners span the space.
References: C. Barber, D. Dobkin, H. Huhdanpaa, "The quickhull algorithm for convex hulls", 1996.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import HalfspaceIntersection

from engine.mdp.mdp import Booleans, Floats

FLAT = 1e-9
SAME = 1e-11
DIGITS = 9


@dataclass(frozen=True)
class Cells:
    """corners: f64[C, k + 1]. meeting: bool[N, C], which function is largest at which corner. on_side: bool[M, C],
    which side of the domain holds which corner, first those of the rows, then  x_0 = 0, x_1 = 0, ...
    """

    corners: Floats
    meeting: Booleans
    on_side: Booleans

    def has_interior(self, function: int) -> bool:
        """Whether a function is the largest on more than a boundary."""
        return bool(_dimension(self.corners[self.meeting[function]]) == self.corners.shape[1] - 1)

    def inner_point(self, function: int) -> Floats:
        """A point inside the cell of a function, f64[k + 1]."""
        return np.asarray(self.corners[self.meeting[function]].mean(axis=0))

    def sharing_a_face(self, mine: Booleans, others: Booleans) -> list[int]:
        """Which of several sets of corners, bool[N, C], have a face of one dimension less in common with `mine`."""
        size = self.corners.shape[1] - 1
        enough = np.flatnonzero(others[:, mine].sum(axis=1) >= size)
        return [int(each) for each in enough if _dimension(self.corners[mine & others[each]]) == size - 1]


def cells(functions: Floats, rows: Floats) -> Cells | None:
    """The cells of functions, f64[N, k + 1], where  rows . x >= 0,  rows f64[M, k + 1]; None where no x is inside."""
    size = functions.shape[1]
    sides = _all_sides(rows)
    inside = inner_point(rows)
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
    corners, touching = _distinct(np.where(np.abs(points) < SAME, 0.0, points)[kept], touching[kept, :-1])
    values = corners @ level.T
    touching[:, : len(above)] |= values >= values.max(axis=1, keepdims=True) - SAME
    touching[:, len(above) :] |= corners @ sides.T <= SAME
    return Cells(corners, touching[:, : len(above)].T, touching[:, len(above) :].T)


def inner_point(rows: Floats) -> Floats | None:
    """The point of the simplex that is furthest from all sides,  rows . x >= 0;  None where there is none inside."""
    sides, size = _all_sides(rows), rows.shape[1]
    length = np.linalg.norm(sides - sides.mean(axis=1, keepdims=True), axis=1)
    found = linprog(
        np.append(np.zeros(size), -1.0),
        A_ub=np.hstack([-sides, length[:, None]]),
        b_ub=np.zeros(len(sides)),
        A_eq=np.append(np.ones(size), 0.0)[None],
        b_eq=[1.0],
        bounds=[(None, None)] * size + [(None, 1.0)],
        method="highs",
    )
    if found.x is None or found.x[-1] <= FLAT:
        return None
    return np.asarray(found.x[:-1] / found.x[:-1].sum())


def _all_sides(rows: Floats) -> Floats:
    """The rows, each of size 1, and those of  x >= 0."""
    size = np.abs(rows).max(axis=1, keepdims=True)
    return np.concatenate([rows / np.where(size > 0.0, size, 1.0), np.eye(rows.shape[1])])


def _distinct(points: Floats, touching: Booleans) -> tuple[Floats, Booleans]:
    """The points without those that are the same but for rounding, and what touches any of these, bool[C, ...]."""
    _, first, number = np.unique(np.round(points, DIGITS), axis=0, return_index=True, return_inverse=True)
    together = np.zeros((len(first), touching.shape[1]), dtype=np.bool_)
    np.logical_or.at(together, number.ravel(), touching)
    return points[first], together


def _dimension(points: Floats) -> int:
    """The dimension of what points span; -1 where there is none."""
    if not len(points):
        return -1
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return int((spread > FLAT).sum())
