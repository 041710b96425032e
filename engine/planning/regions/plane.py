"""Regions of one or two coefficients as intervals and polygons of a window, to be drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.mdp.mdp import Floats
from engine.planning.regions.region import Region

FAR = 1e7
ROOM = 0.3
FLAT = 1e-6
PlotWindow = tuple[tuple[float, float], ...]


def window_of(regions: Sequence[Region]) -> PlotWindow:
    """(low, high) of one or two axes: all corners of the regions and some room beyond them."""
    k = len(regions[0].interior)
    size = max(1.0, max(float(np.abs(region.interior).max()) for region in regions))
    far = ((-FAR * size, FAR * size),) * k
    points = np.concatenate([outline(region, far) for region in regions])
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


def outline(region: Region, window: PlotWindow) -> Floats:
    """f64[N, k]: the ends of an interval, or the corners of a polygon in order, within a window; none outside it."""
    if len(window) == 1:
        return _interval(region, window[0])
    (left, right), (low, high) = window
    polygon = [np.array(point) for point in ((left, low), (right, low), (right, high), (left, high))]
    for row in region.halfspaces:
        polygon = _cut(polygon, row)
    return np.array(polygon).reshape(-1, 2)


def _interval(region: Region, window: tuple[float, float]) -> Floats:
    low, high = window
    for side, bound in region.halfspaces:
        if side > 0.0:
            high = min(high, bound / side)
        else:
            low = max(low, bound / side)
    return np.array([[low], [high]]) if low < high else np.zeros((0, 1))


def _cut(polygon: list[Floats], row: Floats) -> list[Floats]:
    """The part of a convex polygon with  a . theta <= b  (I. Sutherland, G. Hodgman, 1974)."""
    kept = []
    beyond = [float(row[:-1] @ point - row[-1]) for point in polygon]
    for number, (point, over) in enumerate(zip(polygon, beyond, strict=True)):
        before, over_before = polygon[number - 1], beyond[number - 1]
        if (over > 0.0) != (over_before > 0.0):
            kept.append(before + (point - before) * (over_before / (over_before - over)))
        if over <= 0.0:
            kept.append(point)
    return kept
