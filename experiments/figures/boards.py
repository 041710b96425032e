"""Pictures of worlds on the axes of matplotlib: as vectors where they were drawn so, pixel for pixel otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from renderers.drawing.shapes import Image
from renderers.drawing.vectors import Filled, Patch, Sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path


def show_picture(axes: Axes, image: Image) -> None:
    """Show an image or a sheet of vectors, with equal scales and its first row at the top."""
    height, width = image.shape[:2]
    if not isinstance(image, Sheet):
        axes.imshow(image, interpolation="nearest", aspect="equal")
        return
    axes.set_aspect("equal")
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    for order, drawn in enumerate(image.drawn):
        if isinstance(drawn, Patch):
            _show_pixels(axes, drawn, order)
        else:
            _fill_outlines(axes, drawn, order)
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)


def _show_pixels(axes: Axes, drawn: Patch, order: int) -> None:
    high, wide = drawn.image.shape[:2]
    extent = (drawn.x, drawn.x + wide, drawn.y + high, drawn.y)
    axes.imshow(drawn.image, interpolation="nearest", aspect="equal", extent=extent, zorder=1 + order * 1e-6)


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
