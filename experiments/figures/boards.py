"""Pictures of worlds on the axes of matplotlib: as vectors where they were drawn so, pixel for pixel otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from renderers.drawing.shapes import Filled, Image, Patch, Sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path


def show_picture(axes: Axes, image: Image, extent: tuple[float, float, float, float] | None = None) -> None:
    """Show an image or a sheet of vectors, with equal scales and its first row at the top.

    extent: left, right, bottom and top of the picture in the units of the axes, by default its pixels.
    """
    height, width = image.shape[:2]
    left, right, bottom, top = extent or (0.0, float(width), float(height), 0.0)
    if not isinstance(image, Sheet):
        axes.imshow(image, interpolation="nearest", aspect="equal", extent=extent)
        return
    axes.set_aspect("equal")
    axes.set(xlim=(left, right), ylim=(bottom, top))
    across, down = (right - left) / width, (bottom - top) / height
    for order, drawn in enumerate(image.drawn):
        if isinstance(drawn, Patch):
            high, wide = drawn.image.shape[:2]
            x, y = left + across * drawn.x, top + down * drawn.y
            _show_pixels(axes, drawn.image, (x, x + across * wide, y + down * high, y), order)
        else:
            outlines = tuple(outline * (across, down) + (left, top) for outline in drawn.outlines)
            _fill_outlines(axes, drawn._replace(outlines=outlines), order)
    axes.set(xlim=(left, right), ylim=(bottom, top))


def _show_pixels(axes: Axes, pixels: Image, extent: tuple[float, float, float, float], order: int) -> None:
    axes.imshow(pixels, interpolation="nearest", aspect="equal", extent=extent, zorder=1 + order * 1e-6)


def _fill_outlines(axes: Axes, drawn: Filled, order: int) -> None:
    from matplotlib.patches import PathPatch

    colour = tuple(channel / 255 for channel in drawn.colour)
    path = _join_outlines(drawn)
    axes.add_patch(PathPatch(path, facecolor=colour, edgecolor="none", alpha=drawn.opacity, zorder=1 + order * 1e-6))


def _join_outlines(drawn: Filled) -> Path:
    from matplotlib.path import Path

    points = [np.vstack([outline, outline[:1]]) for outline in drawn.outlines]
    codes = [[Path.MOVETO, *[Path.LINETO] * (len(each) - 2), Path.CLOSEPOLY] for each in points]
    return Path(np.concatenate(points), np.concatenate(codes))
