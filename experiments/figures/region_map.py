"""The picture of regions: a number line for one coefficient, a map for two, with what each behaviour does beside it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.mdp.mdp import Floats
from engine.planning.coefficient_regions import PlotWindow
from experiments.figures.boards import show_picture
from experiments.figures.style import CYCLE, HATCHES, new_figure, use_figure_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

MOST_SHOWN = 12
IN_A_ROW = 3
LETTERS_A_LINE = 38
THIN = 0.06
"""The part of a number line that a number and its circle take."""


class DrawnRegion(NamedTuple):
    """outline: f64[N, k], within the window; text: what it earns; image: of its path, uint8[H, W, 3], which may be a
    sheet of vectors, or None."""

    outline: Floats
    text: str
    image: NDArray[np.uint8] | None


@use_figure_style
def draw_regions(
    title: str,
    labels: Sequence[str],
    window: PlotWindow,
    regions: Sequence[DrawnRegion],
    legend: NDArray[np.uint8] | None = None,
) -> Figure:
    """A figure of one or two coefficients, with a label each.

    Regions are numbered; the largest come with a picture of their paths. legend: what is in the pictures, an image as
    that of a region.
    """
    shown = _select_largest(regions)
    rows = -(-len(shown) // IN_A_ROW)
    figure = new_figure(11.0, max(4.5, 1.9 * rows))
    left, right = figure.subfigures(1, 2, width_ratios=(1.0, 1.1), squeeze=False)[0]
    if legend is not None:
        share = legend.shape[0] / legend.shape[1] * right.bbox.width / right.bbox.height
        right, below = right.subfigures(2, 1, height_ratios=(1.0 - share, share))
        words = below.subplots()
        words.set_axis_off()
        words.set_anchor("W")
        show_picture(words, legend)
    plot = left.subplots()
    for number, region in enumerate(regions):
        if len(region.outline):
            if len(window) == 1:
                _draw_interval(plot, number, region.outline, window[0])
            else:
                _draw_polygon(plot, number, region.outline)
    plot.set_xlim(*window[0])
    plot.set_xlabel(labels[0])
    if len(window) == 1:
        plot.set_ylim(0.0, 1.0)
        plot.set_yticks([])
    else:
        plot.set_ylim(*window[1])
        plot.set_ylabel(labels[1])
    plot.set_title(title)
    for place, panel in zip(shown, np.ravel(right.subplots(rows, IN_A_ROW, squeeze=False)), strict=False):
        _write_legend(panel, place, regions[place])
    for panel in right.axes[len(shown) :]:
        panel.set_axis_off()
    if len(shown) < len(regions):
        right.suptitle(f"the {len(shown)} largest of {len(regions)} regions", fontsize="medium")
    return figure


def _select_largest(regions: Sequence[DrawnRegion]) -> list[int]:
    """Return the numbers of the regions that are listed, ascending."""
    order = sorted(range(len(regions)), key=lambda number: (-_measure_size(regions[number].outline), number))
    return sorted(order[:MOST_SHOWN])


def _measure_size(outline: Floats) -> float:
    """Length or area."""
    if not len(outline):
        return 0.0
    if outline.shape[1] == 1:
        return float(outline[1, 0] - outline[0, 0])
    x, y = outline.T
    return abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2


def _draw_polygon(plot: Axes, number: int, outline: Floats) -> None:
    from matplotlib.patches import Polygon

    plot.add_patch(Polygon(list(outline), closed=True, **_choose_region_look(number)))
    _write_number(plot, number, *outline.mean(axis=0))


def _draw_interval(plot: Axes, number: int, outline: Floats, window: tuple[float, float]) -> None:
    """A stretch of the number line; where it is too thin for its number, this stands above it, at varying heights."""
    low, high = outline[:, 0]
    width = window[1] - window[0]
    middle = (low + high) / 2
    plot.axvspan(low, high, 0.35, 0.65, **_choose_region_look(number))
    if high - low >= THIN * width:
        _write_number(plot, number, middle, 0.5)
    else:
        place = min(max(middle, window[0] + THIN / 2 * width), window[1] - THIN / 2 * width)
        height = 0.72 + 0.08 * (number % 3)
        plot.plot([middle, place], [0.65, height], color="grey", linewidth=0.8)
        _write_number(plot, number, place, height)
    if low > window[0]:
        plot.annotate(
            f"{low:.4g}", (low + 0.01 * width, 0.34), va="top", fontsize="medium", rotation=-45, rotation_mode="anchor"
        )


def _choose_region_look(number: int) -> dict[str, object]:
    """Colour and hatching, so that colour is never the only sign."""
    return {
        "facecolor": CYCLE[number % len(CYCLE)],
        "alpha": 0.75,
        "edgecolor": "white",
        "hatch": HATCHES[number // len(CYCLE) % len(HATCHES)],
        "linewidth": 1.0,
    }


def _write_number(plot: Axes, number: int, x: float, y: float) -> None:
    box = {"boxstyle": "circle,pad=0.2", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
    plot.text(x, y, str(number + 1), ha="center", va="center", fontsize="medium", bbox=box)


def _write_legend(panel: Axes, number: int, region: DrawnRegion) -> None:
    panel.set_title(textwrap.fill(f"{number + 1}: {region.text}", LETTERS_A_LINE), fontsize="small")
    panel.set_xticks([])
    panel.set_yticks([])
    for side in panel.spines.values():
        side.set_visible(True)
        side.set_color(CYCLE[number % len(CYCLE)])
        side.set_linewidth(2.0)
    if region.image is not None:
        show_picture(panel, region.image)
