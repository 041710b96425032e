"""A table of numbers as a heat map: its numbers in its cells, its names beside it, with room for all of them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from engine.mdp.mdp import Floats
from experiments.figures.style import Look, new_figure, relative_letters, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LETTER = 0.065  # inches of room for a letter of a name, on paper
CELL = 0.21, 0.55  # inches, down and across
TITLE = 0.25  # inches
BAR = 0.6  # inches across for the colour bar and its numbers
SHARE, THICKNESS = 0.8, 0.14  # the colour bar: how much of the height it takes, and its width in inches
LEAST, LETTERS_A_LINE = (3.2, 2.2), 20


@styled
def heat_map(
    numbers: Floats,
    down: Sequence[str],
    across: Sequence[str],
    unit: str,
    text: Callable[[float], str],
    bound: float,
    *,
    title: str,
) -> Figure:
    """A figure. numbers: f64[down, across], nan for none. unit: in words, of the colour bar. title: above it all.

    text: a number as its cell shows it. bound: the colours' end, either side of 0; orange is loss, violet is gain. The
    colour bar leaves out the side on which there are no numbers.
    """
    letters = max(1.0, relative_letters())
    across = [textwrap.fill(name, LETTERS_A_LINE) for name in across]
    letter = LETTER * letters
    height = max(
        LEAST[1] * letters,
        0.4
        + TITLE * letters
        + letter * max(len(line) for name in across for line in name.split("\n"))
        + CELL[0] * letters * len(down),
    )
    width = max(LEAST[0] * letters, 0.7 + BAR + letter * max(map(len, down)) + CELL[1] * letters * len(across))
    figure = new_figure(width, height)
    figure.suptitle(title, fontsize="medium")
    axes = figure.subplots()
    image = axes.imshow(numbers, cmap="PuOr", vmin=-bound, vmax=bound, aspect="auto")
    axes.set_xticks(range(len(across)), across, rotation=90)
    axes.set_yticks(range(len(down)), down)
    for (line, column), number in np.ndenumerate(numbers):
        if number == number:
            shade = "white" if abs(number) > 0.6 * bound else "black"
            look: Look = {"ha": "center", "va": "center", "fontsize": "small", "color": shade}
            axes.text(column, line, text(float(number)), **look)
    cells = CELL[0] * letters * len(down)
    bar = figure.colorbar(image, ax=axes, shrink=SHARE, aspect=max(6.0, SHARE * cells / THICKNESS))
    bar.set_label(unit)
    if not np.any(numbers > 0):
        bar.ax.set_ylim(-bound, 0)
    elif not np.any(numbers < 0):
        bar.ax.set_ylim(0, bound)
    bar.outline.set_visible(False)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    return figure
