"""Scenes in matplotlib: our own pictures of worlds, put on the axes of a figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.scene import Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from renderers.drawing.shapes import Image

INCHES_A_PIXEL = 1 / 100
MOST_SCENES = 12


def scene_figure(scene: Scene, tile: int = 40) -> Figure:
    """A figure of one scene, pixel for pixel; MissingExtra where matplotlib is not installed."""
    from renderers.drawing.picture import Painter

    return _figure(Painter(tile, readings=False).picture(scene))


def scene_png(scene: Scene, tile: int) -> bytes:
    """A scene as the bytes of a PNG, without matplotlib."""
    from renderers.drawing.picture import Painter
    from renderers.formats.png import encode_image

    return encode_image(Painter(tile).picture(scene))


def film_figure(film: Sequence[Scene], tile: int = 24) -> Figure:
    """Evenly spread scenes of a film beside and below each other, the first and the last among them."""
    from renderers.drawing.picture import picture_of
    from renderers.storyboard import spread, storyboard

    return _figure(picture_of(storyboard([film[number] for number in spread(len(film), MOST_SCENES)]), tile))


def _figure(image: Image) -> Figure:
    from experiments.figures.style import new_figure

    height, width = image.shape[:2]
    figure = new_figure(width * INCHES_A_PIXEL, height * INCHES_A_PIXEL)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.imshow(image, interpolation="nearest", aspect="equal")
    axes.set_axis_off()
    return figure
